"""Tables with scripted seats: who sits there says what the script has, and nothing else happens."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from core.decisions import decide, open_questions
from core.driving import Outcome, drive
from core.errors import TaskError
from core.modes import find_mode
from core.modes.panel import PanelDeps, PanelState, Speech
from core.questions import Question
from core.settings import RunOptions
from core.store import RunFolder, RunStore
from core.testing import FakeClock, FakeParts
from core.trace import read_events

OPTIONS = RunOptions(mode="panel")
ASKING = OPTIONS.model_copy(
    update={"flags": OPTIONS.flags.model_copy(update={"APPROVAL_REQUIRED": True})}
)


@dataclass
class Script:
    """What is said at a table; a seat among *failing* cannot speak."""

    table: PanelState
    failing: frozenset[str] = frozenset()
    asked: list[str] = field(default_factory=list)
    """Every seat whose agent was asked, in order."""

    def opening(self) -> PanelState:
        return self.table

    async def speak(self, seat: str, state: PanelState) -> Speech:
        self.asked.append(seat)
        if seat in self.failing:
            raise TaskError("the model does not answer")
        return Speech(text=f"round {state.round} after {len(state.ground_truth_log)}", board=seat)

    async def heard(self, seat: str, words: str, by: str, state: PanelState) -> Speech:
        return Speech(text=words, board=f"{seat} by {by}")

    def shown(self, seat: str, state: PanelState) -> Mapping[str, JsonValue]:
        return {"seat": seat}

    async def settle(self, state: PanelState) -> JsonValue:
        return state.board

    def offers(self, state: PanelState) -> Sequence[Question]:
        return (
            Question(
                id="take-m1", kind="vote", text="Take M1?", answer_schema={"enum": ["yes", "no"]}
            ),
        )

    async def result(
        self, state: PanelState, answers: Mapping[str, JsonValue]
    ) -> tuple[str, Mapping[str, JsonValue]]:
        lines = list(state.ground_truth_log.lines())
        plain = {"log": lines, "answers": dict(answers), "failed": list(state.failed)}
        plain["labels"] = dict(state.labels)
        return "\n".join([f"# {state.topic}", "", *lines, ""]), plain


def table(queue: Sequence[str] = ("dm",), **more: Any) -> PanelState:
    return PanelState(topic="the old bridge", turn_queue=tuple(queue), **more)


def party(size: int) -> tuple[str, ...]:
    return ("dm", *(f"pc{n}" for n in range(1, size + 1)))


def parts(script: Script, options: RunOptions = OPTIONS) -> FakeParts:
    return FakeParts((), options, make_content=lambda kit: script)


def begun(root: Path, options: RunOptions = OPTIONS, run_id: str = "run") -> RunFolder:
    return RunStore(root).create(run_id, options, {"idea": "the old bridge"})


def driven(folder: RunFolder, script: Script) -> Outcome:
    return asyncio.run(drive(folder, parts(script, folder.options()), FakeClock()))


def waiting(folder: RunFolder) -> list[Question]:
    rows = tuple(read_events(folder.trace_path))
    return [asked.question for asked in open_questions(rows, folder)]


def answer(folder: RunFolder, name: str, value: JsonValue, by: str = "ann") -> None:
    decide(folder, find_mode("panel"), name, value, by=by, clock=FakeClock())


def lived(folder: RunFolder, script: Script, words: Callable[[Question], JsonValue]) -> Outcome:
    """Drive a run to its end, answering what it asks."""
    outcome = driven(folder, script)
    while outcome.status == "waiting":
        for question in waiting(folder):
            answer(folder, question.id, words(question))
        outcome = driven(folder, script)
    return outcome


def deps(folder: RunFolder, script: Script, events: list[Any]) -> PanelDeps:
    """Return what a node is given, outside a run."""
    made = parts(script, folder.options())
    kit = made.kit(folder, events.append, FakeClock())
    return find_mode("panel").deps(kit, made)


def log(folder: RunFolder) -> list[str]:
    found: list[str] = folder.read_json("result.json")["log"]
    return found
