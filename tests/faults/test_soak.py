"""A sample of the soak, and what the soak calls a fault."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from bench.soak import End, Scripted, Tally, end_of, judged
from tests.warm import ROOT


def test_a_score_of_random_kills_loses_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bench.soak", "--kills", "21", "--brief-kills", "0"]
    done = subprocess.run(
        [*command, "--out", str(tmp_path / "soak.md")], capture_output=True, text=True, cwd=ROOT
    )
    assert not done.returncode, done.stdout + done.stderr
    assert re.search(r"21 SIGKILLs in \d+ runs: 0 faults", (tmp_path / "soak.md").read_text())


@pytest.fixture
def run(tmp_path: Path) -> Scripted:
    made = Scripted.begun(tmp_path, "classic")
    assert made.live() == "finished"
    return made


def test_a_run_that_is_as_it_should_be_has_no_fault(run: Scripted) -> None:
    end = end_of(run.folder, "finished")
    assert len(end.answers) == 8
    assert run.attempts() == [*(f"T{k}" for k in range(1, 8)), "T8", "T8"]
    assert judged(run.folder, end, end) == Tally()


def test_the_soak_counts_an_answer_that_is_lost(run: Scripted) -> None:
    end = end_of(run.folder, "finished")
    (run.path / "answers/T3.json").unlink()
    found = judged(run.folder, end, end_of(run.folder, "finished"))
    assert found == Tally(answers_lost=1, not_verified=1)


def test_the_soak_counts_an_answer_given_twice_and_a_wrong_end(run: Scripted) -> None:
    end = end_of(run.folder, "finished")
    lines = run.folder.trace_path.read_text().splitlines(keepends=True)
    said = next(line for line in lines if "task_finished" in line)
    run.folder.trace_path.write_text("".join((*lines, said)))
    found = judged(run.folder, end, End("open", end.answers, end.proposal))
    assert found == Tally(answers_duplicated=1, wrong_ends=1, not_verified=1)
