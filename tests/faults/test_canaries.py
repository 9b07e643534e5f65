"""Canaries through the front door: a run whose every input holds secrets, with models and files."""

import json
from pathlib import Path

import pytest
import yaml

from core.redaction import MARK
from core.store import RunStore
from dr_rd.commands.codes import FAILED, FINISHED
from dr_rd.report.bundle import exported
from dr_rd.workbench import load_workbench
from tests.conftest import ROOT
from tests.fake_llm import FakeLLMThread
from tests.faults.test_secrets import ALL, FIRST
from tests.scripted import GOOD
from tests.warm import python

KEY = "the-very-key-in-use-0815"
BRIEF = {
    "objective": "Does storage temperature change how fast wood pellets crumble?",
    "hard_constraints": ["At most 40 samples.", f"The archive is read with {ALL}."],
    "banned_moves": ["Do not survey users."],
    "tasks": [
        {"id": "T1", "title": "Choose the stores", "role": "field-coordinator"},
        {
            "id": "T2",
            "title": "Measure the durability of pellets",
            "role": "laboratory-scientist",
            "depends_on": ["T1"],
            "tools": [{"name": "search_documents", "args": {"query": "pellets durability"}}],
        },
    ],
}


def tells(body):
    """A model that works well and says every secret it knows in everything it says."""
    reply = GOOD(body)
    if isinstance(reply, dict):
        told = json.dumps(reply).replace("this task", "this task, with SECRETS")
        return json.loads(told.replace("SECRETS", json.dumps(f"{ALL} and {KEY}")[1:-1]))
    return reply


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """Every text that a run left: its files, its exports, what it printed and logged."""
    place = tmp_path_factory.mktemp("canaries")
    docs, audits, brief = place / "docs", place / "audits", place / "brief.yaml"
    docs.mkdir()
    (docs / "note.md").write_text(f"Pellets lost 12 % of their durability. {ALL}.")
    brief.write_text(yaml.safe_dump(BRIEF, allow_unicode=True))
    with FakeLLMThread(reply=tells, log=99) as fake:
        command = ["run", brief, "--docs", docs, "--audits", audits, "--json", "--model", "m"]
        run = _called(place, *command, "--endpoint", fake.base_url)
        seen = json.dumps(list(fake.requests), ensure_ascii=False)
    assert run.returncode in (FINISHED, FAILED), run.stderr
    folder = RunStore(audits).open(Path(json.loads(run.stdout)["run_dir"]))
    files = {str(p.relative_to(audits)): p.read_bytes() for p in audits.rglob("*") if p.is_file()}
    parts = load_workbench().parts(folder)
    files |= {f"export {kind}": exported(folder, parts, kind) for kind in ("md", "zip")}
    printed = run.stdout + run.stderr
    return files | {"printed": printed.encode(), "seen by the server": seen.encode()}


def _called(place, *arguments):
    """Call the command line as a person would, with the key in the environment."""
    environ = {"PATH": "", "DRRD_API_KEY": KEY, "PYTHONPATH": str(ROOT), "HOME": str(place)}
    return python("-m", "dr_rd", *arguments, env=environ, cwd=place)


def test_the_run_went_through_with_what_was_taken_out_marked(told):
    proposal = next(data for name, data in told.items() if name.endswith("proposal.md"))
    assert b"Pellets lost 12 % of their durability" in proposal
    assert b"Went to models on this machine" in proposal
    assert b"About " in told["printed"]
    assert b"cost: 0.00 US dollars." in told["printed"]
    assert MARK.encode() in told["seen by the server"]
    assert len([name for name in told if "artifacts/" in name]) > 6


@pytest.mark.parametrize("name", FIRST)
def test_a_canary_is_nowhere(told, name):
    assert _with(told, FIRST[name][1]) == []


def test_the_key_is_nowhere(told):
    assert _with(told, KEY) == []


def _with(told, secret):
    return [name for name, data in told.items() if secret.encode() in data]
