"""Ends of a process: killed just after a person's answer, or asked to stop at any node."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.driving import Outcome, run_here
from core.events import PlanApproved, QuestionAnswered, QuestionAsked, RunPaused, RunWaiting
from core.store import RunFolder
from core.testing import FakeClock, approve
from core.trace import read_events, status_of, verify
from tests.core.test_crashes import CHAIN, WAYS, Life, Way
from tests.faults.forks import SCHEDULES, Crossings, crashes, print_report, report

NARROW = {name: Way(way.options, CHAIN) for name, way in WAYS.items()}


def of(life: Life, kind: type) -> list[object]:
    return [row.event for row in read_events(life.trace) if isinstance(row.event, kind)]


def answered(life: Life, crossing: Callable[[str], None]) -> Outcome:
    """Let ann answer, and go on with the run at once, as the page does."""
    approve(RunFolder(life.path, crossing), by="ann", at="noon", tasks=CHAIN)
    return life.driven(crossing)


def faults_after_answer(life: Life) -> list[str]:
    kept = life.folder.decision("approve-plan")
    asked_for = 1 if kept else 2
    outcome = life.driven(Crossings())
    if not kept:  # killed before it was written: nobody was told that it is
        if outcome.status != "waiting":
            return [f"went on without an answer: {outcome}"]
        outcome = answered(life, Crossings())
    approved = of(life, PlanApproved)
    checks = {
        f"status {outcome.status}": outcome.status == "finished",
        f"asked again: {of(life, RunWaiting)}": len(of(life, RunWaiting)) == asked_for,
        f"asked: {of(life, QuestionAsked)}": len(of(life, QuestionAsked)) == 1,
        f"answered: {of(life, QuestionAnswered)}": len(of(life, QuestionAnswered)) == 1,
        f"approved: {approved}": [(a.by, a.at) for a in approved] == [("ann", "noon")],
        f"verify: {verify(life.path).problems}": verify(life.path).ok,
    }
    return [fault for fault, fine in checks.items() if not fine]


def asked(way: Way, root: Path) -> Life:
    """Return a run that waits for a person's answer."""
    life = Life.begun(way, root, decided=False)
    assert life.driven(Crossings()).status == "waiting"
    return life


def crashes_of(way: str, schedule: str) -> dict[str, Any]:
    def begun(root: Path) -> RunFolder:
        return asked(NARROW[way], root).folder

    def live(folder: RunFolder) -> None:
        answered(Life(NARROW[way], folder.path), folder.crossing)

    def faults(folder: RunFolder, whole: RunFolder) -> list[str]:
        return faults_after_answer(Life(NARROW[way], folder.path))

    return crashes(schedule, begun, live, faults, upto="after plan_approved")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("way", NARROW)
def test_a_kill_after_the_answer_neither_loses_it_nor_asks_again(way: str, schedule: str) -> None:
    found = report("tests.faults.test_kills", way, schedule)
    assert "before approve-plan.json" in found["points"]
    assert found["kills"] == len(found["points"])
    assert found["faults"] == []


class Terminated(Crossings):
    """Sends the process a SIGTERM at one crossing, and counts the nodes that start after it."""

    started_since = 0

    def __call__(self, where: str) -> None:
        if len(self.seen) > self.fatal:
            self.started_since += where == "before node_started"
        elif len(self.seen) == self.fatal:
            os.kill(os.getpid(), signal.SIGTERM)
        self.seen.append(where)


def driven_here(life: Life, crossing: Callable[[str], None]) -> Outcome:
    return run_here(RunFolder(life.path, crossing), life.parts(), FakeClock())


HEARD_WITHIN = 2
"""Nodes that may still start: a signal is heard when the event loop comes round."""


@pytest.mark.sampled(3, 1)
@pytest.mark.parametrize("way", NARROW)
def test_sigterm_at_any_node_pauses_the_run_in_order(way: str, tmp_path: Path) -> None:
    whole, counting = Life.begun(NARROW[way], tmp_path / "whole"), Crossings()
    driven_here(whole, counting)
    nodes = [n for n, where in enumerate(counting.seen) if where == "after node_started"]
    assert len(nodes) >= 4
    for at in nodes:
        life, told = Life.begun(NARROW[way], tmp_path / str(at)), Terminated(at)
        outcome = driven_here(life, told)
        if at in nodes[-1 - HEARD_WITHIN :] and outcome.ended:  # nothing was left to stop
            continue
        assert (outcome.status, outcome.exit_code) == ("paused", 4), at
        assert told.started_since <= HEARD_WITHIN, at
        assert of(life, RunPaused) == [RunPaused(reason="stopped by SIGTERM")], at
        assert status_of(life.trace, driven=False) == "paused", at
        assert driven_here(life, Crossings()).status == "finished", at
        assert life.result() == whole.result(), at
        assert verify(life.path).ok, at


if __name__ == "__main__":
    print_report(crashes_of)
