"""Runs on disk: whole files, one driver, no way out of the folder."""

import json
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.errors import CallerError
from core.files import write_whole
from core.graph.files import (
    read_answer,
    read_answers,
    read_plan,
    restore_answer,
    write_answer,
    write_plan,
)
from core.graph.state import Answer
from core.settings import RunOptions
from core.store import OWNER, RunFolder, RunStore, owner_of
from core.testing import FakeClock, approve, fake_card, fake_task

PLAN = (fake_task("T1"), fake_task("T2", "T1"))


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / "audits")


@pytest.fixture
def folder(store: RunStore) -> RunFolder:
    return store.create("run-1", RunOptions(project_id="bread"), {"idea": "bake"})


def test_a_new_run_holds_its_brief_and_settings(store: RunStore, folder: RunFolder) -> None:
    assert folder.path == store.root / "bread" / "run-1"
    assert folder.read_json("brief.json") == {"idea": "bake"}
    assert folder.options() == RunOptions(project_id="bread")
    assert store.find("run-1").path == store.open(folder.path).path == folder.path


def test_an_id_is_used_once(store: RunStore, folder: RunFolder) -> None:
    with pytest.raises(CallerError, match="already"):
        store.create("run-1", RunOptions(project_id="bread"), {})


@pytest.mark.parametrize("run_id", ["..", "../../x", "a/b", "", "A"])
def test_no_id_leads_out_of_the_audits(store: RunStore, run_id: str) -> None:
    with pytest.raises(CallerError):
        store.create(run_id, RunOptions(), {})
    with pytest.raises(CallerError):
        store.find(run_id)


def test_no_link_leads_out_of_a_run(folder: RunFolder, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (folder.path / "answers").symlink_to(tmp_path / "elsewhere")
    (folder.path / "proposal.md").symlink_to("/etc/hostname")
    with pytest.raises(CallerError, match="leads out"):
        write_answer(folder, Answer(task_id="T1", content=""))
    with pytest.raises(CallerError, match="leads out"):
        folder.read_text("proposal.md")
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_linked_run_is_not_found(store: RunStore, folder: RunFolder, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (store.root / "bread" / "run-2").symlink_to(outside)
    with pytest.raises(CallerError, match="no run 'run-2'"):
        store.find("run-2")
    assert [info.run_id for info in store.list()] == ["run-1"]


def test_an_artifact_is_kept_once_under_its_own_hash(folder: RunFolder) -> None:
    name = folder.keep({"b": 1, "a": 2})
    assert folder.keep({"a": 2, "b": 1}) == name
    assert folder.kept(name) == {"a": 2, "b": 1}
    assert len(list((folder.path / "artifacts").iterdir())) == 1


def test_an_answer_comes_back_as_it_was(folder: RunFolder) -> None:
    answer = Answer(task_id="T1", content="Ünïcode", evaluation=fake_card(0.7))
    write_answer(folder, answer)
    assert read_answer(folder, "T1") == answer
    assert read_answers(folder, PLAN) == {"T1": answer}
    assert read_answer(folder, "T2") is None


def test_an_edited_plan_still_names_the_one_proposed(folder: RunFolder) -> None:
    proposed = write_plan(folder, PLAN)
    edited = write_plan(folder, PLAN[:1])
    assert read_plan(folder) == edited
    assert edited.proposed == proposed.digest != edited.digest
    assert len(folder.kept(edited.proposed)) == 2


def test_the_first_decision_stands(folder: RunFolder) -> None:
    write_plan(folder, PLAN)
    decided = approve(folder, by="ann", at="noon")
    with pytest.raises(CallerError, match="already answered by 'ann' at noon"):
        approve(folder, by="bob", at="one")
    assert folder.decision("approve-plan") == decided
    assert not list(folder.path.rglob("*.draft"))


@pytest.mark.parametrize("name", ["../brief", "", "A", "a b"])
def test_a_question_id_that_cannot_name_a_file_is_refused(folder: RunFolder, name: str) -> None:
    with pytest.raises(CallerError, match="question id"):
        folder.decision(name)


def test_a_second_driver_is_told_who_has_the_run(folder: RunFolder) -> None:
    with folder.lease(FakeClock()):
        assert folder.is_driven()
        with (
            pytest.raises(CallerError, match=f'"pid":{os.getpid()}'),
            folder.lease(FakeClock()),
        ):
            pass
    assert not folder.is_driven()
    with folder.lease(FakeClock()):
        pass


def test_runs_that_are_made_at_once_do_not_remove_each_other(tmp_path: Path) -> None:
    stores = [RunStore(tmp_path) for _ in range(8)]

    def make(n: int) -> str:
        return stores[n % 8].create(f"r{n}", RunOptions(), {"idea": "bake"}).run_id

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(make, range(48)))
    left = (p.name for p in (tmp_path / RunOptions().project_id).iterdir())
    assert sorted(name for name in left if name != ".drafts") == sorted(made)


def test_a_killed_driver_holds_nothing(folder: RunFolder) -> None:
    program = (
        "import os, signal, sys; from pathlib import Path; from core.store import RunFolder;"
        "from core.clock import SystemClock; lease = RunFolder(Path(sys.argv[1])).lease("
        "SystemClock()); lease.__enter__(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", program, str(folder.path)], check=False)
    assert '"pid"' in (folder.path / "lease").read_text()
    assert not folder.is_driven()
    with folder.lease(FakeClock()):
        pass


def test_the_checkpoint_is_for_its_owner_only(folder: RunFolder) -> None:
    assert stat.S_IMODE(folder.checkpoint_path.stat().st_mode) == 0o600


def test_sums_are_what_the_public_tool_checks(folder: RunFolder) -> None:
    folder.keep([1])
    folder.write_sums()
    subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=folder.path, check=True)
    assert "lease" not in folder.read_text("SHA256SUMS")


def test_a_broken_run_is_listed_with_what_is_wrong(store: RunStore, folder: RunFolder) -> None:
    later = store.create("run-2", RunOptions(project_id="bread"), {})
    (later.path / "settings.json").write_text("{")
    (store.root / "bread" / "Not An Id").mkdir()
    infos = {info.run_id: info for info in store.list()}
    assert infos["run-1"].status == "interrupted"
    assert "settings.json cannot be read" in infos["run-2"].problem
    assert "cannot be used" in infos["Not An Id"].problem


def test_runs_are_listed_newest_first(store: RunStore) -> None:
    for project, run_id in (("b", "1"), ("a", "3"), ("c", "2")):
        store.create(run_id, RunOptions(project_id=project), {})
    assert [info.run_id for info in store.list()] == ["3", "2", "1"]


def test_no_audits_is_no_runs(store: RunStore) -> None:
    assert store.list() == []


def test_what_cannot_be_read_is_said_in_a_sentence(store: RunStore, folder: RunFolder) -> None:
    (folder.path / "brief.json").write_text("{")
    with pytest.raises(CallerError, match="is not JSON"):
        folder.read_json("brief.json")
    with pytest.raises(CallerError, match=r"has no file proposal\.md"):
        folder.read_text("proposal.md")
    with pytest.raises(CallerError, match="is no folder"):
        store.open(folder.path / "nowhere")


def test_audits_that_cannot_be_made_are_the_callers_business(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CallerError, match="choose another --audits"):
        RunStore(tmp_path / "file").create("run", RunOptions(), {})


def test_a_crash_while_writing_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    write_whole(path, b'{"old": 1}')

    def crash(where: str) -> None:
        raise InterruptedError(where)

    with pytest.raises(InterruptedError, match=r"before file\.json"):
        write_whole(path, b"new", crash)
    assert json.loads(path.read_text()) == {"old": 1}


def test_an_answer_that_a_power_cut_took_is_written_anew(folder: RunFolder) -> None:
    answer = Answer(task_id="T1", content="bread")
    name = folder.keep(answer)
    write_answer(folder, answer)
    path = folder.path / "answers/T1.json"
    whole = path.read_bytes()
    for cut in (lambda: path.write_bytes(whole[:-2]), lambda: path.write_bytes(b""), path.unlink):
        cut()
        restore_answer(folder, "T1", name)
        assert path.read_bytes() == whole
    path.write_bytes(b"{}")
    restore_answer(folder, "T1", name)
    assert path.read_bytes() == b"{}"  # changed, not lost: that is for a person to judge


def test_a_run_is_there_with_all_it_needs_or_not_at_all(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    broken = {"idea": object()}
    with pytest.raises(TypeError):
        store.create("run", RunOptions(), broken)  # type: ignore[dict-item]
    assert store.list() == []
    store.create("run", RunOptions(), {"idea": "bake"})
    assert [info.run_id for info in store.list()] == ["run"]


def test_a_changed_cap_is_the_runs_from_then_on(folder: RunFolder) -> None:
    folder.change_flags(folder.options().flags.model_copy(update={"MAX_CALLS": 7}))
    assert RunFolder(folder.path).options().flags.MAX_CALLS == 7


def test_a_store_of_one_owner_has_no_other_run(store: RunStore, folder: RunFolder) -> None:
    ann, bob = store.owned_by("ann"), store.owned_by("bob")
    hers = ann.create("hers", RunOptions(project_id="rye"), {"objective": "Test rye"})
    assert [run.run_id for run in ann.list()] == ["hers"]
    assert bob.list() == []
    assert {run.run_id for run in store.list()} == {"hers", folder.run_id}
    assert (ann.has("hers"), bob.has("hers"), ann.has(folder.run_id)) == (True, False, False)
    assert ann.find("hers").path == hers.path
    told = []
    for name in ("hers", "none"):
        with pytest.raises(CallerError) as missing:
            bob.find(name)
        told.append(str(missing.value).replace(name, "ID"))
    assert told[0] == told[1]
    assert owner_of(hers.path) == "ann"
    assert owner_of(folder.path) == ""


@pytest.mark.parametrize("text", ["", "{", '{"user": 1}', '{"user": "ann", "more": 1}', "\x00"])
def test_a_run_whose_owner_cannot_be_read_is_nobody_s(store: RunStore, text: str) -> None:
    hers = store.owned_by("ann").create("hers", RunOptions(), {"objective": "Test rye"})
    (hers.path / OWNER).write_text(text)
    assert owner_of(hers.path) == ""
    assert not store.owned_by("ann").has("hers")


@pytest.mark.parametrize("linked", [OWNER, "inputs"])
def test_no_link_makes_a_run_somebody_s(store: RunStore, folder: RunFolder, linked: str) -> None:
    hers = store.owned_by("ann").create("hers", RunOptions(), {"objective": "Test rye"})
    (folder.path / linked).parent.mkdir(exist_ok=True)
    (folder.path / linked).symlink_to(hers.path / linked)
    assert owner_of(folder.path) == ""


class ElsewhereToo:
    """Records that hold one run, which is made here when it is asked for."""

    def __init__(self, store: RunStore) -> None:
        self._store = store

    def fetch(self, run_id: str, root: Path) -> Path:
        if run_id != "hers":
            raise CallerError(f"no run {run_id!r} is recorded")
        if not self._store.has(run_id):
            self._store.owned_by("ann").create(run_id, RunOptions(), {"objective": "Test rye"})
        return self._store.find(run_id).path


def test_a_run_from_the_records_is_its_owner_s_too(store: RunStore) -> None:
    recorded = RunStore(store.root, records=ElsewhereToo(store))
    told = []
    for name in ("hers", "none"):
        with pytest.raises(CallerError) as missing:
            recorded.owned_by("bob").find(name)
        told.append(str(missing.value).replace(name, "ID"))
    assert told[0] == told[1]
    assert recorded.owned_by("ann").find("hers").run_id == "hers"
