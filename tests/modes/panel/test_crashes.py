"""A table that is killed anywhere goes on to the same end; it is replayed; nothing unsent leaks."""

from pathlib import Path

import pytest
from pydantic import JsonValue

from core.driving import Outcome
from core.errors import CallerError
from core.events import QuestionAnswered, QuestionAsked
from core.questions import Question
from core.replay import replay
from core.store import RunFolder
from core.trace import read_events, verify
from tests.faults.forks import SCHEDULES, crashes, print_report, report, said_twice
from tests.modes.panel.tables import (
    ASKING,
    Script,
    answer,
    begun,
    driven,
    lived,
    log,
    parts,
    table,
    waiting,
)

SEATED = table(
    ("dm", "pc1"),
    human_active=True,
    controlled_character="pc1",
    labels={"pc1": "Osk", "dm": "Dungeon master"},  # in no order of the alphabet
)
CANARY = "heron-7Q-under-the-planks"


def words(question: Question) -> JsonValue:
    said: dict[str, JsonValue] = {"seat-1": "pc1", "take-m1": "yes"}
    return said.get(question.id, "I look under it.")


def again(folder: RunFolder) -> Outcome:
    return lived(folder, Script(SEATED), words)


def result(folder: RunFolder) -> str:
    return folder.read_text("result.md") + folder.read_text("result.json")


def faults(folder: RunFolder, whole: RunFolder) -> list[str]:
    """Take the killed run up again and say what differs from one that was never killed."""
    outcome = again(folder)
    events = [row.event for row in read_events(folder.trace_path)]
    asked = sum(isinstance(e, QuestionAsked) for e in events)
    answered = sum(isinstance(e, QuestionAnswered) for e in events)
    checks = {
        f"status {outcome.status}": outcome.status == "finished",
        "another result": result(folder) == result(whole),
        f"verify: {verify(folder.path).problems}": verify(folder.path).ok,
        "said twice": not said_twice(folder.trace_path),
        "asked or answered twice": asked == answered == 3,
    }
    return [fault for fault, fine in checks.items() if not fine]


def seated(root: Path) -> RunFolder:
    return begun(root, ASKING)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_killed_at_every_node_and_event_it_goes_on_to_the_same_end(schedule: str) -> None:
    found = report("tests.modes.panel.test_crashes", schedule)
    assert found["kills"] == len(found["points"]) > (50 if schedule == "every" else 20)
    assert found["faults"] == []
    assert "before turn-1-pc1.json" in found["points"]


def test_it_is_replayed_byte_for_byte(tmp_path: Path) -> None:
    folder = begun(tmp_path / "audits", ASKING)
    lived(folder, Script(SEATED), words)
    found = replay(
        folder.path, lambda run: parts(Script(SEATED), run.options()), tmp_path / "again"
    )
    assert (found.first_difference, found.identical) == ("", True)


def everything(folder: RunFolder) -> str:
    files = (path for path in folder.path.rglob("*") if path.is_file())
    return "\n".join(path.read_bytes().decode("utf-8", "replace") for path in files)


def test_an_unsent_draft_leaks_nowhere(tmp_path: Path) -> None:
    """What is typed and refused, or typed and not sent, stands in no file of the run."""
    folder, script = begun(tmp_path), Script(SEATED)
    driven(folder, script)
    with pytest.raises(CallerError):
        answer(folder, "turn-1-pc1", {"say": CANARY, "whisper": CANARY})
    with pytest.raises(CallerError):
        answer(folder, "turn-9-pc1", CANARY)
    assert CANARY not in everything(folder)
    answer(folder, "turn-1-pc1", "What I send.")
    driven(folder, script)
    assert CANARY not in everything(folder)
    assert log(folder)[1] == "[pc1]: What I send."


def test_while_it_waits_the_turn_in_hand_is_on_record_and_says_nothing(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    driven(folder, Script(SEATED))
    made = parts(Script(SEATED), folder.options())
    view = made.mode.view(folder, list(read_events(folder.trace_path)))
    assert (view.state.current_turn, view.state.next_seat) == ("dm", "pc1")
    assert [q.id for q in waiting(folder)] == ["turn-1-pc1"]
    text = made.mode.partial_result(folder, made, "waiting for pc1")
    assert text.startswith("# the old bridge (unfinished: waiting for pc1)")


if __name__ == "__main__":
    print_report(lambda schedule: crashes(schedule, seated, again, faults))
