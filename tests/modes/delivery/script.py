"""Stages with a script: what each says on its first, second, third visit."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from core.decisions import decide, open_questions
from core.driving import Outcome, drive
from core.errors import TaskError
from core.events import NodeEnded, RouteTaken
from core.graph.spec import restore_state
from core.modes import find_mode
from core.modes.delivery import Block, Config, Delivery, DeliveryKit, Stage, Update
from core.settings import RunOptions
from core.store import RunFolder, RunStore
from core.testing import FakeClock, FakeParts
from core.trace import read_events

OPTIONS = RunOptions(mode="delivery")
FINE = Update(said="nothing is open", blocks=())
BLOCKED = Update(said="a test is missing", blocks=(Block(id="b1", text="no test", mendable=True),))
LOST = Update(said="a fact is missing", blocks=(Block(id="b2", text="no figure"),))


@dataclass
class Script:
    """Content of a delivery whose stages say what is written; the last line is said again."""

    says: Mapping[str, Sequence[Update | TaskError]] = field(default_factory=dict)
    config: Config = field(default_factory=Config)
    seen: list[tuple[str, Delivery]] = field(default_factory=list)
    """Each visit of a stage in this process, with the state it was given."""

    @property
    def stages(self) -> Mapping[str, Stage]:
        return {name: self._stage(name) for name in (*self.config.stages, "spare")}

    def _stage(self, name: str) -> Stage:
        async def stage(state: Delivery, kit: DeliveryKit) -> Update:
            self.seen.append((name, state))
            lines = self.says.get(name, [FINE if name == self.config.gate else Update(said="ok")])
            before = sum(m.author == name for m in state.messages.messages)
            said = lines[min(before, len(lines) - 1)]
            if isinstance(said, TaskError):
                raise said
            return said

        return stage

    def report(self, state: Delivery) -> tuple[str, JsonValue]:
        verdict = "go" if state.deployment_ready else "no-go"
        lines = [f"# {verdict}", *state.messages.lines(), *(b.text for b in state.blocks)]
        return "\n".join([*lines, ""]), {"verdict": verdict, "routes": len(state.routes)}


def parts(script: Script) -> FakeParts:
    return FakeParts((), OPTIONS, make_content=lambda kit: script)


def begun(root: Path, run_id: str = "run") -> RunFolder:
    return RunStore(root).create(run_id, OPTIONS, {"idea": "bread"})


def driven(folder: RunFolder, script: Script) -> Outcome:
    return asyncio.run(drive(folder, parts(script), FakeClock()))


def answer(folder: RunFolder, value: JsonValue, by: str = "ann") -> None:
    """Answer whatever is open."""
    for asked in open_questions(tuple(read_events(folder.trace_path)), folder):
        name = asked.question.id
        decide(folder, find_mode("delivery"), name, value, by=by, clock=FakeClock())


def of(folder: RunFolder, kind: type) -> list[Any]:
    return [row.event for row in read_events(folder.trace_path) if isinstance(row.event, kind)]


def nodes(folder: RunFolder) -> list[str]:
    return [event.node for event in of(folder, NodeEnded)]


def routes(folder: RunFolder) -> list[tuple[str, str]]:
    return [(event.source, event.destination) for event in of(folder, RouteTaken)]


def last_state(folder: RunFolder) -> Delivery:
    return restore_state(Delivery, of(folder, NodeEnded)[-1].state_digest, folder)
