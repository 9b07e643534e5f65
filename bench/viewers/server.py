"""`python -m bench.viewers.server PORT AUDITS`: the page over runs to be measured.

One run waits for the approval of twenty tasks, one is finished, and one, while the file `events`
stands beside AUDITS, records fifty events a second.
"""

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import yaml
from streamlit.starlette import App

from core.clock import SystemClock
from core.conversations import Converse
from core.events import CallEnded, CallTried, Event
from core.graph.nodes import Work
from core.graph.state import Answer
from core.kit import Kit
from core.modes.graph import Steps
from core.runs import RunService
from core.settings import Flags, RunOptions, prepare_process
from core.store import RunFolder, RunStore
from core.testing import FakeParts, echo_agent, fake_task
from dr_rd.brief import Brief
from dr_rd.listing import run_index
from dr_rd.reading import parse_brief
from dr_rd.service import ResearchService
from dr_rd.ui.__main__ import settings
from dr_rd.ui.asgi import PAGE, Access, guards, routes
from dr_rd.ui.context import AppContext, close_context, open_context
from dr_rd.workbench import Workbench, load_workbench

LIVE, WAITING, FINISHED = "20260101-000001-live", "20260101-000002-waiting", "20260101-000003-done"
"""The runs' ids."""
TASKS = 20
RATE = 50
"""Events a second."""
_LONGEST = 17
"""The task that records them; those before it are done, those after it wait."""


def plan_brief(name: str = "twenty tasks") -> Brief:
    """Return a brief that prescribes its plan: twenty priced tasks, each after one before it."""
    tasks = [
        {
            "id": f"T{n:02d}",
            "title": f"Sample the soil of orchard block {n} and weigh its roots",
            "depends_on": [f"T{n - 1 - n % 3:02d}"] if n > 3 else [],
            "days": [4 + n, 6 + n, 11 + n],
            "cost": [900 + 10 * n, 1_200 + 10 * n, 2_000 + 10 * n],
        }
        for n in range(1, TASKS + 1)
    ]
    asked = {
        "objective": "Test whether mulch raises soil carbon in orchards.",
        "budget": "40,000 EUR",
        "deadline": "18 months",
        "hard_constraints": ["no ploughing", "at least 20 paired orchards"],
        "tasks": tasks,
    }
    return parse_brief(yaml.safe_dump(asked), name=name)


@dataclass
class Recording(FakeParts):
    """A run one of whose tasks records events, as calls to a model are recorded."""

    wanted: Path = Path()
    """They are recorded while this file is there."""
    record: Callable[[Event], None] | None = None

    def steps(self, kit: Kit, converse: Converse | None = None) -> Steps:
        """Keep what records events."""
        self.record = kit.record
        return super().steps(kit, converse)

    async def work(self, work: Work) -> Answer:
        """Answer at once, but for the task that records."""
        if work.task.id != f"T{_LONGEST:02d}":
            return await echo_agent(work)
        count = 0
        due = anyio.current_time()
        while True:
            due = max(due + 1 / RATE, anyio.current_time())
            await anyio.sleep_until(due)
            if self.record and await anyio.Path(self.wanted).exists():
                self.record(_event(work.task.id, count))
                count += 1


def _event(task_id: str, count: int) -> Event:
    """Return one event more: each call is tried, and then has its reply."""
    call, where = f"{task_id}-call-{count // 2}", "http://localhost:11434"
    if count % 2 == 0:
        return CallTried(
            call_id=call,
            task_id=task_id,
            purpose="work",
            endpoint=where,
            attempt=1,
            outcome="answered",
            status=200,
            elapsed_ms=400,
            chars=6_000,
        )
    return CallEnded(
        call_id=call,
        task_id=task_id,
        purpose="work",
        endpoint=where,
        model="small-model",
        request_digest="0" * 64,
        reply_digest="0" * 64,
        ok=True,
        tries=1,
        prompt_tokens=1_500,
        completion_tokens=300,
    )


def make_context(audits: Path, workbench: Workbench) -> AppContext:
    """Return the context of the three runs, the live one under way."""
    first = [fake_task(f"T{n:02d}") for n in range(1, _LONGEST + 1)]
    after = [fake_task(f"T{n:02d}", f"T{_LONGEST:02d}") for n in range(_LONGEST + 1, TASKS + 1)]

    def parts_for(folder: RunFolder) -> object:
        if folder.run_id != LIVE:
            return workbench.parts(folder)
        parts = Recording((*first, *after), folder.options(), wanted=audits.parent / "events")
        parts.agent = parts.work
        return parts

    store = RunStore(audits, index=run_index(audits))
    service = RunService(store, parts_for, SystemClock())  # type: ignore[arg-type]
    found = AppContext(ResearchService(service, workbench, Flags()))
    for run_id, asks in ((WAITING, True), (FINISHED, False), (LIVE, False)):
        options = RunOptions(project_id="bench", flags=Flags(APPROVAL_REQUIRED=asks))
        found.service.start(options, plan_brief(), run_id)
        if run_id != LIVE:
            service.wait(run_id, 120)
    return found


def main() -> None:
    """Serve until the process is told to stop."""
    port, audits = int(sys.argv[1]), Path(sys.argv[2])
    access = Access(frozenset({"127.0.0.1", "localhost"}))

    @asynccontextmanager
    async def around(_: App) -> AsyncIterator[None]:
        prepare_process()
        open_context(await anyio.to_thread.run_sync(make_context, audits, load_workbench()))
        try:
            yield None
        finally:
            await anyio.to_thread.run_sync(close_context)

    app = App(PAGE, lifespan=around, routes=routes(access), middleware=guards(access))
    app.run(config=settings(port, {}))


if __name__ == "__main__":
    main()
