"""A scripted model that holds conversations, and a run of a small brief with it over HTTP."""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.clock import SystemClock, seeded
from core.driving import Outcome, drive
from core.files import nothing
from core.settings import Flags, RunOptions
from core.store import RunFolder, RunStore
from core.trace import read_events
from dr_rd.brief import Brief, GivenTask
from dr_rd.models.privacy.masking import read_mask
from dr_rd.models.served.endpoint import NOBODY, PURPOSES, Endpoint
from dr_rd.models.served.run import find_served
from dr_rd.workbench import ResearchRun, Workbench
from tests import scripted

Json = dict[str, Any]
BRIEF = Brief(
    objective="Does storage temperature change how fast wood pellets crumble?",
    hard_constraints=("At most 40 samples.",),
    tasks=(
        GivenTask.model_validate(
            {
                "id": "T1",
                "title": "Measure the durability of pellets from each store",
                "role": "laboratory-scientist",
                "tools": [{"name": "search_documents", "args": {"query": "pellets durability"}}],
            }
        ),
    ),
)
KNOWN = "Damp stores of rye straw were left out of the trial of 2021 for want of a dryer."
NOTES = (
    "Pellets stored at 35 °C lost 12 % of their durability within 6 months.",
    f"{KNOWN} Nobody has said since what came of them.",
)
STEP = "Agree with the team who keeps the records of this task."
CALL = {"name": "search_documents", "arguments": {"query": "damp stores of rye straw"}}


def converses(body: Json) -> bool:
    """Whether it is a conversation: in all else the answer's form is asked of the server."""
    return "findings" in str(body["messages"][0]["content"]) and "response_format" not in body


def results(body: Json) -> list[str]:
    """What the tools gave in this conversation."""
    return [m["content"] for m in body["messages"] if m["role"] == "tool"]


def conversing(work: Callable[[Json], Any]) -> Callable[[Json], Any]:
    """Return a good model that says in conversations what *work* says."""
    return lambda body: work(body) if converses(body) else scripted.GOOD(body)


def answer(body: Json) -> str:
    """Quote the passage that the last call found, and add a step."""
    found = re.search(rf"\[(E\d+)\][^\n]*{re.escape(KNOWN[:30])}", "\n".join(results(body)))
    findings = [{"text": KNOWN, "sources": [found[1]]}] if found else []
    steps = [{"text": STEP, "sources": []}]
    return json.dumps({"steps": steps, "findings": findings, "unknowns": []})


def calls_then_answers(body: Json) -> Any:
    """Search once, then answer."""
    return answer(body) if results(body) else {"tool_calls": [CALL]}


GOOD = conversing(calls_then_answers)


@dataclass
class Ran:
    """A run as it stands."""

    folder: RunFolder
    parts: ResearchRun
    outcome: Outcome

    @property
    def events(self) -> list[Any]:
        return [row.event for row in read_events(self.folder.trace_path)]

    def of(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


def options(
    base_url: str, docs: Path, *, alone: bool = True, mask: Path | None = None, **flags: Any
) -> RunOptions:
    """Return what is chosen for a run of the mode with the model at *base_url*.

    Where it works *alone*, the library does all but the tasks, and nothing is scored.
    """
    docs.mkdir(exist_ok=True)
    for number, text in enumerate(NOTES):
        (docs / f"note-{number}.md").write_text(text, encoding="utf-8")
    others = {p: NOBODY for p in PURPOSES if p != "work"} if alone else {}
    hidden = read_mask(mask, seeded(0)("mask")) if mask else None
    endpoint = Endpoint(base_url=base_url, model="scripted", models=others)
    served = asyncio.run(find_served(endpoint, SystemClock(), hidden))
    chosen = Flags(AUTOGEN_ENABLED=True, EVALUATORS_ENABLED=not alone, **flags)
    return RunOptions(mode="autogen", docs=(docs,), served=served, flags=chosen)


def begun(root: Path, chosen: RunOptions, run_id: str = "run") -> RunFolder:
    """Make a run's folder."""
    return RunStore(root).create(run_id, chosen, BRIEF.model_dump(mode="json"))


def driven(
    folder: RunFolder, workbench: Workbench, crossing: Callable[[str], None] = nothing
) -> Ran:
    """Drive a run until it ends or stops."""
    parts = workbench.parts(folder)
    outcome = asyncio.run(drive(RunFolder(folder.path, crossing), parts, SystemClock()))
    return Ran(folder, parts, outcome)
