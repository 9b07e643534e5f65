"""A mode of another package has all that the engine gives, and no file of the project knows it."""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import core.modes
from core.decisions import decide, open_questions
from core.driving import Outcome, drive
from core.errors import CallerError
from core.events import MessageAdded, NodeEnded, QuestionAnswered, QuestionAsked
from core.graph.build import draw_mermaid
from core.modes import GROUP, find_mode, modes
from core.replay import replay
from core.runs import RunService
from core.settings import Flags, RunOptions, environment
from core.store import RunFolder, RunStore
from core.testing import FakeClock, FakeParts
from core.trace import Trace, read_events, status_of, verify
from dr_rd.cli import main
from tests.faults.forks import SCHEDULES, crashes, print_report, report, said_twice
from tests.toys.installed import installed
from tests.toys.toy_mode import Table, Talk

OPTIONS = RunOptions(mode="talk")
WORDS = {"turn-1-person": "I say bake it longer.", "turn-2-person": "I say so again."}


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install the toy; its folder."""
    place = installed("toy_mode", GROUP, "toy_mode:MODE", tmp_path)
    monkeypatch.syspath_prepend(place)
    core.modes.modes.cache_clear()
    yield place
    core.modes.modes.cache_clear()


def begun(root: Path) -> RunFolder:
    return RunStore(root).create("run", OPTIONS, {"idea": "bread"})


def driven(folder: RunFolder) -> Outcome:
    return asyncio.run(drive(folder, FakeParts((), OPTIONS), FakeClock()))


def of(folder: RunFolder, kind: type) -> list[Any]:
    return [row.event for row in read_events(folder.trace_path) if isinstance(row.event, kind)]


def answer_all(folder: RunFolder) -> None:
    """Answer whatever is open, as a person would."""
    rows = tuple(read_events(folder.trace_path))
    for asked in open_questions(rows, folder):
        name = asked.question.id
        decide(folder, find_mode("talk"), name, WORDS[name], by="ann", clock=FakeClock())


def lived(folder: RunFolder) -> Outcome:
    """Drive a run to its end, answering what it asks."""
    outcome = driven(folder)
    while outcome.status == "waiting":
        answer_all(folder)
        outcome = driven(folder)
    return outcome


class Called(NamedTuple):
    """What the command line gave."""

    returncode: int
    stdout: str
    stderr: str


def test_it_is_found_beside_the_others_and_drawn(toy: Path) -> None:
    assert list(modes())[:2] == ["graph", "classic"]
    assert find_mode("talk").label == "Table talk"
    picture = draw_mermaid(find_mode("talk").spec(Flags()))
    assert all(node in picture for node in ("voice", "person", "close"))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (
            "toy_mode:NOTHING",
            "the mode 'toy' of 'toy_mode' cannot be loaded (module 'toy_mode' has",
        ),
        ("toy_mode:Talk", "offers 'toy_mode:Talk' as the mode 'toy', which is no Mode but a"),
        ("core.modes.graph:MODE", "core.modes.graph both offer the mode 'graph'; rename one"),
    ],
)
def test_an_offer_that_is_no_mode_or_has_a_taken_id_is_refused(
    toy: Path, value: str, said: str
) -> None:
    (toy / "toy_mode-1.0.dist-info/entry_points.txt").write_text(f"[{GROUP}]\ntoy = {value}\n")
    with pytest.raises(CallerError, match=re.escape(said)):
        modes()


def test_a_step_that_returns_no_state_is_named(tmp_path: Path) -> None:
    async def forgets(state: Any, kit: Any) -> None:
        """Return nothing."""

    spec = replace(Talk().spec(Flags()), nodes={"voice": forgets})
    folder = begun(tmp_path)
    with Trace(folder.trace_path, "run", FakeClock()) as trace:
        kit = FakeParts((), OPTIONS).kit(folder, trace.record, FakeClock())
        with pytest.raises(TypeError, match="step 'voice' returned a NoneType, not the Table"):
            asyncio.run(spec.do("voice", Table(topic="bread"), kit))


def test_it_waits_for_its_person_and_comes_to_its_end(toy: Path, tmp_path: Path) -> None:
    folder = begun(tmp_path / "audits")
    outcome = driven(folder)
    assert (outcome.status, outcome.exit_code) == ("waiting", 4)
    assert outcome.reason == "Round 1: what do you say about bread?"
    assert status_of(folder.trace_path, driven=False) == "waiting"
    assert lived(folder).status == "finished"
    assert verify(folder.path).problems == ()
    lines = folder.read_text("result.md").splitlines()
    assert [line for line in lines if "person" in line.partition(":")[0]] == [
        "[person]: I say bake it longer.",
        "[person]: I say so again.",
    ]
    assert [e.number for e in of(folder, MessageAdded)] == [1, 2, 3, 4, 5, 6]
    assert len(of(folder, QuestionAsked)) == len(of(folder, QuestionAnswered)) == 2
    assert not folder.has("plan.json")


def test_its_state_is_on_record_after_every_step(toy: Path, tmp_path: Path) -> None:
    folder = begun(tmp_path / "audits")
    lived(folder)
    names = [event.state_digest for event in of(folder, NodeEnded)]
    assert len(names) == 7
    sizes = [len(folder.artifact(name)) for name in names]
    assert max(sizes) - min(sizes) < 100  # a log of any length is one digest


def test_what_there_is_can_be_read_while_it_waits(toy: Path, tmp_path: Path) -> None:
    folder, parts = begun(tmp_path / "audits"), FakeParts((), OPTIONS)
    driven(folder)
    text = parts.mode.partial_result(folder, parts, "waiting for ann")
    assert text.startswith("# Unfinished. waiting for ann")
    assert "[host]: host " in text


def test_it_is_paused_and_resumed_through_the_service(toy: Path, tmp_path: Path) -> None:
    service = RunService(
        RunStore(tmp_path), lambda folder: FakeParts((), folder.options()), FakeClock()
    )
    run_id = service.start(OPTIONS, {"idea": "bread"})
    assert service.wait(run_id, 30).status == "waiting"
    [asked] = service.snapshot(run_id).questions
    with pytest.raises(CallerError, match="does not fit"):
        service.answer(run_id, asked.question.id, "", by="ann")
    service.answer(run_id, asked.question.id, "Longer.", by="ann")
    assert service.wait(run_id, 30).status == "waiting"
    look = service.snapshot(run_id)
    assert look.view.lines[1] == "[person]: Longer."
    service.answer(run_id, look.questions[0].question.id, "Shorter.", by="bob")
    assert service.wait(run_id, 30).status == "finished"
    service.close()


def test_it_is_replayed_byte_for_byte(toy: Path, tmp_path: Path) -> None:
    folder = begun(tmp_path / "audits")
    lived(folder)
    found = replay(folder.path, lambda again: FakeParts((), again.options()), tmp_path / "again")
    assert found.first_difference == ""
    assert found.identical
    answer = folder.path / "decisions" / "turn-1-person.json"
    answer.write_text(answer.read_text().replace("longer", "shorter"))
    assert not verify(folder.path).ok
    changed = replay(folder.path, lambda again: FakeParts((), again.options()), tmp_path / "third")
    assert "question_answered" in changed.first_difference


def test_a_person_answers_on_the_command_line(
    toy: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)

    def dr_rd(*words: str) -> Called:
        code = main(words)
        return Called(code, *capsys.readouterr())

    # in a process of its own, as a person would, who has it installed
    environ = {**environment(), "PYTHONPATH": str(toy)}
    command = [sys.executable, "-m", "dr_rd", "run", "Compare two rye sourdoughs."]
    first = subprocess.run(
        [*command, "--mode", "talk", "--json"], env=environ, capture_output=True, text=True
    )
    assert first.returncode == 4, first.stderr
    shown = json.loads(first.stdout)
    [asked] = shown["questions"]
    assert asked["question"]["kind"] == "take_turn"
    assert "--answer turn-1-person=VALUE" in dr_rd("resume", shown["run_dir"]).stderr
    wrong = dr_rd("resume", shown["run_dir"], "--answer", "turn-7=x")
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)
    assert "turn-1-person" in wrong.stderr
    dr_rd("resume", shown["run_dir"], "--answer", "turn-1-person=Bake it longer.")
    last = dr_rd("resume", shown["run_dir"], "--answer", "turn-2-person=Yes.", "--json")
    assert last.returncode == 0, last.stderr
    result = Path(json.loads(last.stdout)["proposal"])
    assert result.name == "result.md"
    assert "[person]: Bake it longer." in result.read_text()
    again = dr_rd("replay", shown["run_dir"], "--json")
    assert json.loads(again.stdout)["identical"], again.stdout
    assert dr_rd("verify", shown["run_dir"]).returncode == 0


def faults(folder: RunFolder, whole: RunFolder) -> list[str]:
    """Take the killed run up again and say what differs from one that was never killed."""
    outcome = lived(folder)
    proof = verify(folder.path)
    checks = {
        f"status {outcome.status}": outcome.status == "finished",
        "another result": folder.read_text("result.md") == whole.read_text("result.md"),
        f"verify: {proof.problems}": proof.ok,
        "said twice": not said_twice(folder.trace_path),
        "asked or answered twice": len(of(folder, QuestionAsked)) == 2
        and len(of(folder, QuestionAnswered)) == 2,
    }
    return [fault for fault, fine in checks.items() if not fine]


def crashes_of(toy: str, schedule: str) -> dict[str, Any]:
    sys.path.insert(0, toy)
    return crashes(schedule, begun, lived, faults)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_killed_anywhere_it_goes_on_to_the_same_end(toy: Path, schedule: str) -> None:
    found = report("tests.core.test_new_mode", str(toy), schedule)
    assert found["kills"] == len(found["points"]) > (80 if schedule == "every" else 15)
    assert found["faults"] == []
    assert {"before turn-2-person.json", "before aput"} <= set(found["points"])


if __name__ == "__main__":
    print_report(crashes_of)
