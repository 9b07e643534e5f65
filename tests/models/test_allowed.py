"""Who may be asked and what no server is told hold in every process that goes on with a run."""

import asyncio
import json
from dataclasses import replace

import pytest

from core.clock import SystemClock, seeded
from core.driving import run_here
from core.errors import CallerError
from core.settings import RunOptions
from core.store import RunStore
from dr_rd.brief import Brief, GivenTask
from dr_rd.cli import main
from dr_rd.models.privacy.masking import typed_mask
from dr_rd.models.served.endpoint import Endpoint
from dr_rd.models.served.keys import Keys, Masks
from dr_rd.models.served.run import find_served
from tests import scripted
from tests.fake_llm import FakeLLMThread

BRIEF = Brief(
    objective="Does storage temperature change how fast pellets of Brennholz Nord crumble?",
    tasks=(GivenTask(id="T1", title="Ask Brennholz Nord for its stores", role="librarian"),),
)
ELSEWHERE = "https://api.example.org/v1"


@pytest.fixture
def fake():
    with FakeLLMThread(reply=scripted.GOOD, log=99) as server:
        yield server


@pytest.fixture
def begun(fake, tmp_path):
    """Make a run of a model, as an earlier process left it."""

    def make(mask=None, **changed):
        endpoint = Endpoint(base_url=fake.base_url, model="m")
        served = asyncio.run(find_served(endpoint, SystemClock(), mask))
        options = RunOptions(served=served.model_copy(update=changed))
        fake.reset()
        return RunStore(tmp_path).create("run-1", options, BRIEF.model_dump(mode="json"))

    return make


@pytest.fixture
def process(workbench):
    """Go on with a run in a process with that environment, and those masks."""

    def go(folder, masks=None, **environ):
        ours = replace(workbench, environ=lambda: environ, keys=Keys(), masks=masks or Masks())
        return run_here(folder, ours.parts(folder), SystemClock())

    return go


def sent(fake):
    return json.dumps(list(fake.requests), ensure_ascii=False)


def test_a_server_that_the_operator_no_longer_lists_is_not_asked(begun, process, fake):
    folder = begun()
    with pytest.raises(CallerError, match=r"choose from: api\.example\.org"):
        process(folder, DRRD_ENDPOINTS_ALLOWED="api.example.org")
    assert fake.stats()["requests"] == 0
    outcome = process(folder, DRRD_ENDPOINTS_ALLOWED="127.0.0.1")
    assert outcome.status == "finished", outcome.reason


def test_a_run_that_may_ask_this_machine_only_asks_no_other_later(begun, process):
    folder = begun(base_url=ELSEWHERE, local_only=True)
    with pytest.raises(CallerError, match="not certain to be on this machine"):
        process(folder)


def masks(*words):
    held = Masks()
    held.hold("run-1", typed_mask("\n".join(words), seeded(1)("mask")))
    return held


WORDS = ("Brennholz Nord", "Zyx Works")


def test_a_run_whose_words_are_gone_sends_nothing_before_it_has_all_of_them(begun, process, fake):
    folder = begun(typed_mask("\n".join(WORDS), seeded(1)("mask")))
    with pytest.raises(
        CallerError, match=r"keeps listed words, 2 in all, .*, and they are not here now; give"
    ):
        process(folder)
    with pytest.raises(CallerError, match="and 1 of them are not listed"):
        process(folder, masks(WORDS[0]))
    assert fake.stats()["requests"] == 0
    assert process(folder, masks(*WORDS)).status == "finished"
    assert "crumble" in sent(fake)
    assert "Brennholz" not in sent(fake)
    files = [p for p in folder.path.rglob("*") if p.is_file()]
    assert len(files) > 5
    assert not [p for p in files if b"Zyx" in p.read_bytes()]
    assert "2 words or figures were masked." in folder.read_text("proposal.md")


# ------------------------------------------------------------------------ the command line


@pytest.fixture
def dr_rd(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        code = main([str(a) for a in arguments])
        out = capsys.readouterr()
        return code, out.out, out.err

    return run


@pytest.mark.parametrize(
    "command",
    [
        ("run", "Compare two doses."),
        ("plan", "Compare two doses."),
        ("endpoint", "test"),
        ("evaluate", "some text"),
    ],
)
def test_no_command_asks_a_server_that_is_not_listed(command, dr_rd, monkeypatch, fake):
    monkeypatch.setenv("DRRD_ENDPOINTS_ALLOWED", "api.example.org")
    monkeypatch.setenv("DRRD_MODEL", "m")
    code, _, err = dr_rd(*command, "--endpoint", fake.base_url)
    assert code == 2
    assert "choose from: api.example.org" in err
    assert fake.stats()["requests"] == 0


def test_a_resumed_run_can_be_held_to_this_machine(begun, dr_rd):
    folder = begun(base_url=ELSEWHERE)
    code, _, err = dr_rd("resume", folder.path, "--local-only")
    assert code == 2
    assert "api.example.org is not certain to be on this machine" in err


def test_a_resumed_run_is_given_its_words_again(begun, dr_rd, fake, tmp_path):
    folder = begun(typed_mask("Brennholz Nord", seeded(1)("mask")))
    (tmp_path / "names.txt").write_text("Brennholz Nord", encoding="utf-8")
    code, _, err = dr_rd("resume", folder.path)
    assert (code, "resume --mask FILE" in err) == (2, True)
    assert dr_rd("resume", folder.path, "--mask", "names.txt")[0] == 0
    assert "crumble" in sent(fake)
    assert "Brennholz" not in sent(fake)


def test_a_run_that_began_without_a_mask_cannot_be_given_one(begun, dr_rd, tmp_path):
    (tmp_path / "names.txt").write_text("Brennholz Nord", encoding="utf-8")
    code, _, err = dr_rd("resume", begun().path, "--mask", "names.txt")
    assert (code, "has sent what it has sent" in err) == (2, True)


def test_a_plan_is_asked_for_with_words_masked(dr_rd, fake, tmp_path):
    (tmp_path / "names.txt").write_text("Brennholz Nord", encoding="utf-8")
    command = ("plan", BRIEF.objective, "--endpoint", fake.base_url, "--model", "m", "--json")
    code, out, _ = dr_rd(*command, "--mask", "names.txt")
    assert code == 0
    assert json.loads(out)["planned_by"] == "m"
    assert "crumble" in sent(fake)
    assert "Brennholz" not in sent(fake)
    code, _, err = dr_rd("plan", BRIEF.objective, "--mask", "names.txt")
    assert (code, "--mask hides words" in err) == (2, True)
