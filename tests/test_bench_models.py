"""Runs with a real model: what is counted of one, and that no other model is served."""

import hashlib
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from bench.models.report import page
from bench.models.runs import DOCUMENTS, Figures, assumed, briefs, figures, left_out
from bench.models.server import end
from bench.models.weights import assemble
from dr_rd.cli import main
from dr_rd.reading import read_brief
from tests.fake_llm import FakeLLMThread
from tests.scripted import GOOD


def test_parts_become_the_model_only_if_they_are_the_model(tmp_path: Path):
    pieces = [tmp_path / "1.bin", tmp_path / "2.bin"]
    for piece, held in zip(pieces, (b"one", b"two"), strict=True):
        piece.write_bytes(held)
    assemble(iter(pieces), tmp_path / "model.gguf", hashlib.sha256(b"onetwo").hexdigest())
    assert (tmp_path / "model.gguf").read_bytes() == b"onetwo"
    with pytest.raises(SystemExit, match="SHA-256"):
        assemble(
            iter(pieces[::-1]), tmp_path / "other.gguf", hashlib.sha256(b"onetwo").hexdigest()
        )
    assert sorted(p.name for p in tmp_path.glob("*")) == ["1.bin", "2.bin", "model.gguf"]


def test_a_server_that_does_not_listen_is_ended_all_the_same():
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); "
    command = [sys.executable, "-c", f"{deaf}signal.pause()"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout and process.stdout.readline()
        end(process, 0.1)
        assert process.returncode == -9


def test_each_brief_is_small_and_each_of_some_has_documents():
    found = {path.stem: read_brief(str(path)) for path in briefs()}
    assert len(found) >= 10
    assert {len(brief.tasks) for brief in found.values()} == {2}
    assert sum((DOCUMENTS / name).is_dir() for name in found) >= 5


def test_a_run_is_counted_from_what_it_tells_and_from_its_trace(tmp_path: Path, capsys):
    with FakeLLMThread(reply=GOOD) as fake:
        model = ["--endpoint", fake.base_url, "--model", "m", "--audits", str(tmp_path)]
        main(["run", str(briefs()[0]), *model, "--json"])
    told = json.loads(capsys.readouterr().out)
    main(["replay", told["run_dir"], "--json"])
    found = figures("archive", told, json.loads(capsys.readouterr().out))
    assert (found.tasks, found.valid, found.failed, found.repairs) == (2, 2, 0, 0)
    assert found.calls >= found.attempts + 2 and found.lost == 0
    assert sum(found.verdicts.values()) == 3
    assert found.identical, found.difference


def test_what_was_left_out_and_what_is_assumed_is_counted():
    said = "Of what the model wrote, code left out:"
    one, other = " a sentence, because it breaks C01", " a sentence, because E002 says otherwise"
    assert left_out(f"text\n\n{said}{one};{other}.\n") == 2
    assert left_out(f"The model wrote{one}.") == 0
    claims = [{"source": source} for source in ("T1-M1", "T1-M12", "A1", "C01", "T1-1")]
    assert assumed({"claims": claims}) == 2


def test_the_page_says_how_many_runs_there_were_and_what_differs(tmp_path: Path):
    numbers = dict.fromkeys(
        "tasks valid failed attempts calls repairs more lost prompt_tokens completion_tokens "
        "removed left_out assumed unsupported".split(),
        2,
    )
    verdicts = Counter({"met": 1, "not_checkable": 2})
    run = Figures(
        brief="ferry", status="finished", why="", verdicts=verdicts, seconds=1234.5,
        identical=False, difference="event 7", folder=tmp_path, **numbers,
    )  # fmt: skip
    text = page(
        [run],
        10,
        2,
        "m at http://127.0.0.1:1",
        {"work": 10, "write": 1, "judge": 0},
        "make test-model",
    )
    assert "`make test-model`, 20" in text and "runs: 1 of 10, then the time was up" in text
    assert "is asked to work in 1, write in 1, judge in 0 of the runs" in text
    assert "| ferry | 2 of 2 | 2 |" in text and "1 met, 2 not checkable" in text
    assert "0 of 1 replays identical" in text and "the replay differs: event 7" in text
