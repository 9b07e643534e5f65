"""Two people, two pages, two clicks: one of them counts, and the other is told."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from core.driving import drive
from core.errors import CallerError
from core.events import Booted, PlanApproved, TaskFinished
from core.graph.nodes import Work
from core.graph.spec import GraphSpec
from core.graph.state import Answer
from core.modes import graph
from core.runs import RunService
from core.settings import Flags, RunOptions
from core.store import RunFolder, RunStore
from core.testing import FakeClock, FakeParts, approve, echo_agent, fake_task
from core.trace import read_events, verify

PLAN = (fake_task("T1"), fake_task("T2", "T1"))
ASKS = RunOptions(flags=Flags(APPROVAL_REQUIRED=True))
PATIENCE_S = 120


class House:
    """Several services over one store, as several servers or pages would be."""

    def __init__(self, root: Path, services: int) -> None:
        self.store = RunStore(root)
        self.worked: list[str] = []
        self.services = [RunService(self.store, self.parts, FakeClock()) for _ in range(services)]

    def parts(self, folder: RunFolder) -> FakeParts:
        async def agent(work: Work) -> Answer:
            self.worked.append(work.task.id)
            return await echo_agent(work)

        return FakeParts(PLAN, folder.options(), agent=agent)

    def ended(self, run_id: str) -> RunFolder:
        """Wait until whoever drives the run has brought it to its end."""
        for service in self.services:
            try:
                service.wait(run_id, PATIENCE_S)
            except CallerError:
                continue
        folder = self.store.find(run_id)
        assert verify(folder.path).problems == ()
        return folder


@contextmanager
def house(root: Path, services: int) -> Iterator[House]:
    made = House(root, services)
    try:
        yield made
    finally:
        for service in made.services:
            service.close()


def at_once(calls: list[Callable[[], object]]) -> list[object]:
    """Make all calls at the same moment; return what each gave or, of those refused, why."""
    gate = threading.Barrier(len(calls))

    def one(call: Callable[[], object]) -> object:
        gate.wait()
        try:
            return call()
        except CallerError as refusal:
            return refusal

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(one, calls))


def of(folder: RunFolder, kind: type) -> list[object]:
    return [row.event for row in read_events(folder.trace_path) if isinstance(row.event, kind)]


@pytest.mark.parametrize("services", [1, 4])
def test_of_many_who_answer_at_once_one_counts_and_the_others_are_told(
    tmp_path: Path, services: int
) -> None:
    with house(tmp_path, services) as home:
        run_id = home.services[0].start(ASKS, {"idea": "bake"})
        assert home.services[0].wait(run_id, PATIENCE_S).status == "waiting"
        names = ["ann", "bob", "cid", "dan"]
        tabs = [
            lambda name=name, k=k: home.services[k % services].answer(
                run_id, "approve-plan", "approve", by=name
            )
            for k, name in enumerate(names)
        ]
        told = [str(t) for t in at_once(tabs) if isinstance(t, CallerError)]
        folder = home.ended(run_id)
        winner = folder.decision("approve-plan")
    assert winner and winner.by in names
    assert len(told) == 3
    assert all("already" in reason for reason in told)
    assert [(e.by, e.at) for e in of(folder, PlanApproved)] == [(winner.by, winner.at)]
    assert home.worked == ["T1", "T2"]


@pytest.mark.parametrize("services", [1, 4])
def test_of_many_who_resume_at_once_one_drives(tmp_path: Path, services: int) -> None:
    with house(tmp_path, services) as home:
        run_id = home.services[0].start(ASKS, {"idea": "bake"})
        home.services[0].wait(run_id, PATIENCE_S)
        approve(home.store.find(run_id), by="ann", at="noon")
        tabs = [lambda k=k: home.services[k % services].resume(run_id) for k in range(4)]
        at_once(tabs)
        folder = home.ended(run_id)
    assert len(of(folder, Booted)) == 2
    assert len(of(folder, TaskFinished)) == 2
    assert home.worked == ["T1", "T2"]


@pytest.mark.parametrize("services", [1, 4])
def test_a_double_click_on_start_is_one_run(tmp_path: Path, services: int) -> None:
    with house(tmp_path, services) as home:
        run_id = home.services[0].new_id()
        clicks = [
            lambda k=k: home.services[k % services].start(RunOptions(), {"idea": "bake"}, run_id)
            for k in range(4)
        ]
        given = at_once(clicks)
        folder = home.ended(run_id)
    told = [str(reason) for reason in given if isinstance(reason, CallerError)]
    assert all(f"a run {run_id!r}" in reason and "already" in reason for reason in told)
    assert given.count(run_id) + len(told) == 4
    assert services > 1 or not told
    assert [info.run_id for info in home.store.list()] == [run_id]
    assert len(of(folder, Booted)) == 1
    assert home.worked == ["T1", "T2"]


def test_a_page_sees_what_was_done_elsewhere(tmp_path: Path) -> None:
    with house(tmp_path, 1) as home:
        [page] = home.services
        run_id = page.start(ASKS, {"idea": "bake"})
        page.wait(run_id, PATIENCE_S)
        folder = home.store.find(run_id)
        approve(folder, by="ann", at="noon")
        asyncio.run(drive(folder, home.parts(folder), FakeClock()))
        seen = page.snapshot(run_id)
    assert (seen.status, list(seen.view.answers)) == ("finished", ["T1", "T2"])
    assert seen.count == len(list(read_events(folder.trace_path)))


def test_a_renamed_node_refuses_the_paused_run_and_keeps_its_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = RunOptions(flags=Flags(APPROVAL_REQUIRED=True, PARALLEL_EXEC_ENABLED=False))
    folder = RunStore(tmp_path).create("run", options, {"idea": "bake"})
    bench = FakeParts(PLAN, options)
    assert asyncio.run(drive(folder, bench, FakeClock())).status == "waiting"
    approve(folder, by="ann", at="noon", tasks=PLAN[:1])
    kept = contents(folder)
    form = graph.sequential()
    with monkeypatch.context() as newer:
        newer.setattr(graph, "sequential", lambda: renamed(form, "collect", "gather"))
        with pytest.raises(CallerError, match=r"another graph .*collect.*gather.*start it anew"):
            asyncio.run(drive(folder, bench, FakeClock()))
    assert bench.worked == []
    assert {name: data for name, data in contents(folder).items() if name in kept} == kept
    assert asyncio.run(drive(folder, bench, FakeClock())).status == "finished"
    assert [(e.by, e.edited) for e in of(folder, PlanApproved)] == [("ann", True)]
    assert verify(folder.path).problems == ()


def renamed(form: GraphSpec, old: str, new: str) -> GraphSpec:
    def name(said: str) -> str:
        return new if said == old else said

    return replace(
        form,
        nodes={name(n): node for n, node in form.nodes.items()},
        edges=tuple((name(a), name(b)) for a, b in form.edges),
        choices={
            name(n): (lambda place, choose=choose: name(choose(place)), tuple(map(name, targets)))
            for n, (choose, targets) in form.choices.items()
        },
    )


def contents(folder: RunFolder) -> dict[str, bytes]:
    """Return every lasting file but the trace and its view, to which a refusal adds."""
    grows = ("trace.jsonl", "graph_trace.json")
    return {n: (folder.path / n).read_bytes() for n in folder.files() if n not in grows}
