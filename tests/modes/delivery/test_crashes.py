"""A delivery that is killed anywhere goes on to the same end: every node, event and checkpoint."""

from pathlib import Path

import pytest

from core.driving import Outcome
from core.events import QuestionAnswered, QuestionAsked, RouteTaken, WorkflowStarted
from core.modes.delivery import Update
from core.store import RunFolder
from core.trace import read_events, status_of, verify
from tests.faults.forks import SCHEDULES, crashes, print_report, report, said_twice
from tests.modes.delivery.script import BLOCKED, FINE, Script, answer, begun, driven, nodes, of
from tests.modes.delivery.test_paths import ASKED
from tests.warm import python

SAYS = {
    "pm": [Update(said="a choice is shared", needs_architecture=True)],
    "tea": [BLOCKED, ASKED, FINE],
}
"""Every node, one rework and one question."""


def lived(folder: RunFolder) -> Outcome:
    """Drive a run to its end, answering what it asks."""
    outcome = driven(folder, Script(SAYS))
    while outcome.status == "waiting":
        answer(folder, "no")
        outcome = driven(folder, Script(SAYS))
    return outcome


def routes(folder: RunFolder) -> list[str]:
    return [e.destination for e in of(folder, RouteTaken)]


def faults(folder: RunFolder, whole: RunFolder) -> list[str]:
    """Take the killed run up again and say what differs from one that was never killed."""
    outcome = lived(folder)
    proof = verify(folder.path)
    checks = {
        f"status {outcome.status}": outcome.status == "finished",
        "another result": folder.read_text("result.md") == whole.read_text("result.md"),
        f"verify: {proof.problems}": proof.ok,
        "said twice": not said_twice(folder.trace_path),
        "asked or answered twice": len(of(folder, QuestionAsked)) == 1
        and len(of(folder, QuestionAnswered)) == 1,
        "started twice": len(of(folder, WorkflowStarted)) == 1,
        "other routes": routes(folder) == routes(whole),
    }
    return [fault for fault, fine in checks.items() if not fine]


def test_the_run_that_is_killed_takes_every_node_a_rework_and_a_question(tmp_path: Path) -> None:
    whole = begun(tmp_path)
    lived(whole)
    walked = ["analyst", "pm", "architect", "dev", "tea", "dev", "tea", "escalate", "tea", "close"]
    assert nodes(whole) == walked


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_killed_at_any_write_it_goes_on_to_the_same_end(schedule: str) -> None:
    found = report("tests.modes.delivery.test_crashes", schedule)
    assert found["faults"] == []
    assert found["kills"] == len(found["points"]) > (80 if schedule == "every" else 20)
    assert {"before money.json", "before aput"} <= set(found["points"])


def test_a_run_that_waits_outlives_its_process(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from core.store import RunFolder;"
        "from tests.modes.delivery.test_crashes import SAYS;"
        "from tests.modes.delivery.script import Script, driven;"
        "print(driven(RunFolder(Path(sys.argv[1])), Script(SAYS)).status)"
    )
    folder = begun(tmp_path)
    other = python("-c", program, folder.path)
    assert other.stdout.strip() == "waiting", other.stderr
    assert status_of(folder.trace_path, driven=False) == "waiting"
    answer(folder, "no")
    assert driven(folder, Script(SAYS)).status == "finished"
    assert len(list(read_events(folder.trace_path))) > 30


if __name__ == "__main__":
    print_report(lambda schedule: crashes(schedule, begun, lived, faults))
