"""The command line: results on stdout, one sentence for a mistake, exit codes that mean something."""

import contextlib
import importlib
import inspect
import io
import json
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from core.store import RunFolder
from core.testing import FakeClock
from dr_rd import cli
from dr_rd.outcome import decision_rows
from tests.conftest import ROOT
from tests.warm import python

SAMPLE = str(ROOT / "dr_rd/data/briefs/classroom-air.yaml")
FAST = ("--set", "BACKOFF_BASE_S=0")


@pytest.fixture
def dr_rd(capsys, monkeypatch, tmp_path):
    """Run the command line in an empty folder; gives exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        code = cli.main([str(a) for a in arguments])
        out = capsys.readouterr()
        return code, out.out, out.err

    return run


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """One finished run of the sample, with what it printed."""
    audits = tmp_path_factory.mktemp("audits")
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert cli.main(["run", SAMPLE, "--audits", str(audits), "--json", *FAST]) == 0
    return json.loads(out.getvalue())


@pytest.fixture
def imported(tmp_path):
    """Run the command line in a new process; gives the top-level packages it has imported."""

    def run(*arguments):
        probe = (
            "import sys; from dr_rd.cli import main; code = main(sys.argv[1:]); "
            "print('\\nIMPORTED', *sys.modules); sys.exit(code)"
        )
        command = [sys.executable, "-c", probe, *map(str, arguments)]
        found = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        assert found.returncode == 0, found.stderr
        names = found.stdout.split("IMPORTED ")[-1].split()
        return {name.partition(".")[0] for name in names}

    return run


HEAVY = {"pydantic", "pint", "langgraph", "numpy", "streamlit", "anyio", "rich", "yaml", "jinja2"}


@pytest.mark.parametrize("command", [None, *cli.commands.commands])
def test_help_imports_nothing_that_takes_long(command, imported):
    arguments = [command, "--help"] if command else ["--help"]
    names = imported(*arguments)
    assert "click" in names
    assert not names & HEAVY


def test_every_command_takes_what_is_declared_for_it():
    for name, command in cli.commands.commands.items():
        execute = importlib.import_module(f"dr_rd.commands.{name}").execute
        taken = set(inspect.signature(execute).parameters)
        leaves = getattr(command, "commands", {name: command}).values()
        declared = {p.name for leaf in leaves for p in leaf.params}
        assert taken == (declared if name == "list" else {"context", *declared}), name


def test_a_run_imports_nothing_it_has_no_use_for(imported, tmp_path):
    names = imported("run", SAMPLE, "--audits", tmp_path, *FAST)
    assert "langgraph" in names
    assert not [n for n in names if n.startswith(("streamlit", "autogen", "altair", "pint"))]


IN_IMPORT = """
import os, runpy, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == module and not sent:
            sent.append(name)
            os.kill(os.getpid(), int(number))

module, number, *sys.argv = sys.argv[1:]
sent = []
sys.meta_path.insert(0, Finder())
runpy.run_module("dr_rd", run_name="__main__", alter_sys=True)
"""
"""The command line, which sends itself a signal when a module is looked for."""


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("reached", "number"),
    [
        ("anyio", signal.SIGINT),
        ("pydantic_core", signal.SIGTERM),
        ("core.settings", signal.SIGINT),
        ("numpy", signal.SIGTERM),
    ],
)
def test_a_signal_during_imports_is_a_stop(reached, number, tmp_path):
    command = [
        sys.executable, "-c", IN_IMPORT, reached, str(int(number)),
        "dr-rd", "run", SAMPLE, "--audits", str(tmp_path),
    ]  # fmt: skip
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 4, run.stderr or f"{reached} is not imported: name another module"
    assert run.stderr == "dr-rd: stopped\n"
    assert not list(tmp_path.iterdir())


def test_an_interrupt_within_generated_code_is_a_stop_too(tmp_path):
    """Python would end by the signal, not with 4, after a KeyboardInterrupt there."""
    probe = (
        "import os, signal, sys; from dr_rd import cli; "
        "cli.commands.callback = lambda: exec('os.kill(os.getpid(), signal.SIGINT)'); "
        "sys.exit(cli.main(['list']))"
    )
    found = subprocess.run([sys.executable, "-c", probe], cwd=tmp_path, capture_output=True)
    assert found.returncode == 4
    assert found.stderr == b"dr-rd: stopped\n"


def test_run_prints_the_whole_result_as_json(done):
    assert done["status"] == "finished"
    assert set(done) >= {
        "run_id", "run_dir", "mode", "status", "tasks", "answers", "scorecard", "ledger",
        "proposal", "trace", "cost_usd", "seconds",
    }  # fmt: skip
    assert done["ledger"]["violated"] == 0
    assert done["scorecard"]["verdict"] == "pass"
    answer = done["answers"][done["tasks"][0]["id"]]
    assert {"content", "tool_result", "evaluation"} <= set(answer)


def test_a_run_leaves_the_files_of_the_contract(done):
    folder = Path(done["run_dir"])
    for name in (
        "trace.jsonl", "graph_trace.json", "brief.json", "settings.json", "plan.json",
        "proposal.md", "SHA256SUMS", "answers/T01.json",
    ):  # fmt: skip
        assert (folder / name).is_file(), name
    assert (folder.parent / "graph_trace.json").is_file()
    view = json.loads((folder / "graph_trace.json").read_text())
    assert {"plan", "route"} & {row["node"] for row in view["trace"]}
    assert view["tool_trace"]


def test_a_run_verifies_until_a_byte_changes(done, dr_rd, tmp_path):
    assert dr_rd("verify", done["run_dir"])[0] == 0
    copy = tmp_path / "classroom-air" / Path(done["run_dir"]).name
    shutil.copytree(done["run_dir"], copy)
    trace = copy / "trace.jsonl"
    trace.write_text(trace.read_text().replace('"T02"', '"T03"', 1))
    code, out, _ = dr_rd("verify", copy, "--json")
    assert code == 3
    assert json.loads(out)["ok"] is False


def test_export_writes_the_proposal_and_the_bundle(done, dr_rd, tmp_path):
    assert dr_rd("export", done["run_dir"], "--format", "md", "--out", tmp_path / "p.md")[0] == 0
    assert (tmp_path / "p.md").read_text() == Path(done["proposal"]).read_text()
    assert dr_rd("export", done["run_dir"], "--format", "zip", "--out", tmp_path / "p.zip")[0] == 0
    names = zipfile.ZipFile(tmp_path / "p.zip").namelist()
    assert f"{done['run_id']}/trace.jsonl" in names


def test_an_exported_bundle_verifies_wherever_it_lies(done, dr_rd, tmp_path):
    dr_rd("export", done["run_dir"], "--format", "zip", "--out", tmp_path / "p.zip")
    zipfile.ZipFile(tmp_path / "p.zip").extractall(tmp_path / "Some Folder")
    assert dr_rd("verify", tmp_path / "Some Folder" / done["run_id"])[0] == 0


def test_a_link_out_of_the_run_is_not_exported(done, dr_rd, tmp_path):
    copy = tmp_path / "classroom-air" / done["run_id"]
    shutil.copytree(done["run_dir"], copy)
    (tmp_path / "secret.txt").write_text("secret")
    (copy / "secret.txt").symlink_to(tmp_path / "secret.txt")
    dr_rd("export", copy, "--format", "zip", "--out", tmp_path / "p.zip")
    assert not [n for n in zipfile.ZipFile(tmp_path / "p.zip").namelist() if "secret" in n]


def test_a_file_added_to_a_finished_run_is_reported(done, dr_rd, tmp_path):
    copy = tmp_path / "classroom-air" / done["run_id"]
    shutil.copytree(done["run_dir"], copy)
    (copy / "added.txt").write_text("who put this here?")
    code, out, _ = dr_rd("verify", copy)
    assert code == 3
    assert "added.txt is not listed" in out


def test_list_shows_the_run(done, dr_rd):
    audits = Path(done["run_dir"]).parent.parent
    code, out, _ = dr_rd("list", "--audits", audits, "--json")
    assert code == 0
    (listed,) = json.loads(out)
    assert listed["run_id"] == done["run_id"]
    assert listed["cost_usd"] == 0
    told = "Nothing left this machine for models."
    assert listed["left_machine"] == told
    assert told in Path(done["proposal"]).read_text()
    assert told in dr_rd("list", "--audits", audits)[1]
    assert listed["title"].startswith("Test whether a carbon dioxide display")
    assert listed["status"] == done["status"]
    first_page = decision_rows(Path(done["proposal"]).read_text())
    assert first_page["Recommendation"].startswith(f"**{listed['recommendation']}")
    assert "none broken" in listed["limits"]
    assert listed["started"] < listed["ended"]


def test_a_second_list_reads_no_run_and_comes_at_once(done, imported):
    audits = Path(done["run_dir"]).parent.parent
    imported("list", "--audits", audits)
    assert not imported("list", "--audits", audits) & HEAVY


def test_a_broken_run_is_listed_as_json_with_nothing_known_of_what_it_sent(dr_rd, tmp_path):
    (tmp_path / "audits" / "p" / "broken").mkdir(parents=True)
    for _ in range(2):
        (listed,) = json.loads(dr_rd("list", "--json")[1])
        assert "settings.json" in listed["problem"]
        assert (listed["status"], listed["left_machine"], listed["cost_usd"]) == (None,) * 3
        assert (listed["recommendation"], listed["limits"]) == (None, None)


def test_a_run_finds_no_violation_in_its_proposal_and_check_finds_one_in_a_bad_text(done, dr_rd):
    assert done["ledger"]["violated"] == 0
    text = "We will enrol 6 schools and add a third arm with automatic window openers."
    code, out, _ = dr_rd("check", SAMPLE, text, "--json")
    assert code == 3
    broken = {i["id"] for i in json.loads(out)["items"] if i["verdict"] == "violated"}
    assert {"C01", "B01"} <= broken


def test_evaluate_scores_any_text(done, dr_rd):
    code, out, _ = dr_rd("evaluate", done["proposal"], "--brief", SAMPLE, "--json")
    card = json.loads(out)
    assert code in (0, 3)
    assert {s["key"] for s in card["scores"]} >= {
        "compliance",
        "completeness",
        "cost",
        "feasibility",
    }
    code, out, _ = dr_rd("evaluate", "hello there", "--json")
    assert json.loads(out)["verdict"] == "fail"


def test_plan_prints_a_plan_without_a_run(dr_rd, tmp_path):
    code, out, _ = dr_rd("plan", SAMPLE, "--json")
    assert code == 0
    assert len(json.loads(out)["tasks"]) >= 6
    assert not (tmp_path / "audits").exists()


def test_the_objective_can_be_given_in_quotes(dr_rd):
    code, out, _ = dr_rd("plan", "Does mulching reduce weeding time in orchards?")
    assert code == 0
    assert "T01" in out


def test_a_plan_that_needs_approval_waits_and_goes_on(dr_rd):
    code, out, _ = dr_rd("run", SAMPLE, "--set", "APPROVAL_REQUIRED=true", *FAST, "--json")
    assert code == 4
    found = json.loads(out)
    assert found["status"] == "waiting"
    assert dr_rd("resume", found["run_dir"])[0] == 4
    code, out, _ = dr_rd("resume", found["run_dir"], "--approve", "--json")
    assert code == 0
    assert json.loads(out)["status"] == "finished"


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """The folder of a run that waits for approval, to be copied."""
    audits = tmp_path_factory.mktemp("audits")
    flags = ("--set", "APPROVAL_REQUIRED=true", *FAST)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        cli.main(["run", SAMPLE, "--audits", str(audits), *flags, "--json"])
    return Path(json.loads(out.getvalue())["run_dir"])


@pytest.fixture
def waiting(asked, tmp_path):
    """The folder of a run that waits for approval."""
    return Path(shutil.copytree(asked, tmp_path / "audits" / "classroom-air" / asked.name))


def flags_of(folder):
    return json.loads((folder / "settings.json").read_text())["flags"]


def test_a_stopped_run_goes_on_under_other_caps(waiting, dr_rd):
    before = flags_of(waiting)
    assert dr_rd("resume", waiting, "--set", "MAX_CALLS=7", "--set", "MAX_COST_USD=1.5")[0] == 4
    assert flags_of(waiting) == before | {"MAX_CALLS": 7, "MAX_COST_USD": 1.5}
    assert dr_rd("resume", waiting, "--approve", "--set", "MAX_WALL_S=900")[0] == 0
    assert flags_of(waiting) == before | {
        "MAX_CALLS": 7, "MAX_COST_USD": 1.5, "MAX_WALL_S": 900.0,
    }  # fmt: skip
    changes = (waiting / "trace.jsonl").read_text().count('"settings_changed"')
    assert changes == 2
    assert dr_rd("verify", waiting)[0] == 0


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("MAX_RETRIES=9", "MAX_RETRIES cannot change within a run"),
        ("MAX_RETRIES=9", "MAX_RETRIES=2; start a new run with it, or change one of MAX_CALLS"),
        ("MAX_CALL=9", "did you mean 'MAX_CALLS'?"),
        ("MAX_CALLS=0", "a whole number from 1"),
    ],
)
def test_what_is_no_cap_does_not_change_within_a_run(setting, said, waiting, dr_rd):
    before = {p: p.read_bytes() for p in waiting.rglob("*") if p.is_file()}
    code, out, err = dr_rd("resume", waiting, "--approve", "--set", setting)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
    assert {p: p.read_bytes() for p in waiting.rglob("*") if p.is_file()} == before


def test_a_cap_may_be_named_with_what_stays_as_it_is(waiting, dr_rd):
    assert dr_rd("resume", waiting, "--set", "MAX_RETRIES=2", "--set", "MAX_CALLS=7")[0] == 4
    assert flags_of(waiting)["MAX_CALLS"] == 7


def test_the_environment_changes_nothing_on_resume(waiting, dr_rd, monkeypatch):
    monkeypatch.setenv("MAX_CALLS", "3")
    monkeypatch.setenv("MAX_RETRIES", "3")
    before = flags_of(waiting)
    assert dr_rd("resume", waiting, "--set", "MAX_TOKENS=9")[0] == 4
    assert flags_of(waiting) == before | {"MAX_TOKENS": 9}


def test_the_caps_of_a_run_that_ended_stay(done, dr_rd, tmp_path):
    copy = tmp_path / "classroom-air" / done["run_id"]
    shutil.copytree(done["run_dir"], copy)
    code, _, err = dr_rd("resume", copy, "--set", "MAX_CALLS=7")
    assert code == 2
    assert "has ended" in err
    assert dr_rd("verify", copy)[0] == 0


def test_the_caps_of_a_run_that_is_driven_stay(waiting, dr_rd):
    with RunFolder(waiting).lease(FakeClock()):
        code, _, err = dr_rd("resume", waiting, "--set", "MAX_CALLS=7")
    assert code == 2
    assert "is running; stop it" in err
    assert flags_of(waiting)["MAX_CALLS"] == 2000


MISTAKES = {
    "missing file": (["run", "nowhere.yaml"], "nowhere.yaml"),
    "unknown mode": (["run", SAMPLE, "--mode", "grpah"], "graph"),
    "unknown flag": (["run", SAMPLE, "--set", "MAX_RETRY=1"], "MAX_RETRIES"),
    "bad flag value": (["run", SAMPLE, "--set", "MAX_RETRIES=many"], "MAX_RETRIES"),
    "unknown option": (["run", SAMPLE, "--sed", "1"], "'--sed'. Did you mean '--seed'? dr-rd run"),
    "an option like none": (
        ["run", SAMPLE, "--risk", "low"],
        "there is no option '--risk'. dr-rd run --help lists",
    ),
    "an objective of nothing": (["plan", "the of and"], "names nothing to plan for"),
    "unknown command": (["replan"], "replan"),
    "no such docs": (["run", SAMPLE, "--docs", "nowhere"], "nowhere"),
    "bad project": (["run", SAMPLE, "--project", "../x"], "../x"),
    "endpoint without a model": (["run", SAMPLE, "--endpoint", "http://localhost"], "--model"),
    "nobody at the endpoint": (
        ["run", SAMPLE, "--endpoint", "http://127.0.0.1:9/v1", "--model", "m"],
        "http://127.0.0.1:9",
    ),
    "an endpoint elsewhere": (
        ["run", SAMPLE, "--local-only", "--endpoint", "https://a.example/v1", "--model", "m"],
        "https://a.example",
    ),
    "a mask without an endpoint": (["run", SAMPLE, "--mask", "names.txt"], "--mask"),
    "no such mask": (
        ["run", SAMPLE, "--endpoint", "http://127.0.0.1:9/v1", "--model", "m", "--mask", "no.txt"],
        "no.txt",
    ),
    "no run there": (["resume", "nowhere"], "nowhere"),
    "unknown format": (["export", ".", "--format", "odt", "--out", "x"], ""),
    "unknown rubric": (["evaluate", "some text", "--rubric", "propsal"], "proposal"),
    "missing argument": (["plan"], "BRIEF"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_one_plain_sentence_and_exit_2(case, dr_rd):
    arguments, named = MISTAKES[case]
    code, out, err = dr_rd(*arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("dr-rd: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert named in err


BAD_BRIEFS = {
    "empty": ("", "objective"),
    "wrong type": ("objective: 5\n", "objective"),
    "ring of tasks": (
        "objective: x\ntasks:\n- {id: a, title: A, depends_on: [b]}\n"
        "- {id: b, title: B, depends_on: [a]}\n", "a",
    ),
    "unknown dependency": ("objective: x\ntasks:\n- {id: a, title: A, depends_on: [z]}\n", "z"),
    "same id twice": ("objective: x\ntasks:\n- {id: a, title: A}\n- {id: a, title: B}\n", "a"),
    "id that is a path": ("objective: x\ntasks:\n- {id: ../a, title: A}\n", "../a"),
    "odd tag": ("objective: !!bool foo\n", "YAML"),
    "too many limits": ("objective: x\nhard_constraints:\n" + "- keep it\n" * 300, "300"),
    "a limit of a book's length": ("objective: x\nhard_constraints:\n- " + "w " * 9000, "10,000"),
    "not yaml": ("objective: [x\n", "line"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_BRIEFS)
def test_a_bad_brief_is_one_plain_sentence_and_exit_2(case, dr_rd, tmp_path):
    text, named = BAD_BRIEFS[case]
    (tmp_path / "brief.yaml").write_text(text)
    code, _, err = dr_rd("run", "brief.yaml")
    assert code == 2
    assert err.count("\n") == 1
    assert named in err


@pytest.mark.parametrize(
    "objective",
    ["评估城市绿地是否降低夏季地表温度", "هل تقلل الأشجار من حرارة الشوارع في الصيف؟"],
)
def test_a_brief_in_another_script_works(objective, dr_rd, tmp_path):
    brief = f"objective: {objective}\nhard_constraints:\n- {objective}\n"
    (tmp_path / "brief.yaml").write_text(brief, encoding="utf-8")
    code, out, _ = dr_rd("run", "brief.yaml", "--json", *FAST)
    assert code == 3  # its design is not read from another script, and the plan says so
    assert objective in Path(json.loads(out)["proposal"]).read_text()


def test_contradictory_limits_are_said_in_the_proposal(dr_rd, tmp_path):
    (tmp_path / "brief.yaml").write_text(
        "objective: Test whether hedges increase beetle counts relative to bare margins in a field "
        "trial on farms.\nhard_constraints:\n- minimum of 20 paired sites\n- budget under 5000 GBP\n"
        "- each site costs 600 GBP\n"
    )
    code, out, _ = dr_rd("run", "brief.yaml", "--json", *FAST)
    assert code == 3
    assert json.loads(out)["ledger"]["violated"] == 1
    proposal = Path(json.loads(out)["proposal"]).read_text()
    assert "The limits contradict each other: the work as asked costs 12,000 GBP" in proposal
    assert "No number of paired sites can be recommended" in proposal
    paid = next(row for row in proposal.splitlines() if row.startswith("| 8 |"))
    assert "| 4,800 |" in paid  # what the limit pays for
    assert "| fewer than asked |" in paid


AFTER_FILES = """
import os, runpy, sys

def audit(event, values):
    if event == "os.rename":
        if len(written) == int(count):
            os.kill(os.getpid(), int(number))
        written.update([str(values[1])] if part in str(values[1]) else [])

part, count, number, *sys.argv = sys.argv[1:]
written = set()
sys.addaudithook(audit)
runpy.run_module("dr_rd", run_name="__main__", alter_sys=True)
"""
"""The command line, which sends itself a signal at the next file after some whose path has a part."""


def signalled_run(number, part, count, root, *arguments):
    """Run the sample until *count* files with *part* in their path are written, then signal it."""
    command = ("dr-rd", "run", SAMPLE, "--audits", root, *arguments)
    return python("-c", AFTER_FILES, part, count, int(number), *command)


def test_an_interrupt_stops_a_run_in_order(tmp_path):
    run = signalled_run(signal.SIGINT, "/answers/T", 1, tmp_path, "--mode", "classic")
    assert run.returncode == 4, run.stderr
    assert "go on with" in run.stderr


@pytest.mark.parametrize("name", ["plan.json", "answers/T01.json"])
def test_a_run_does_not_go_on_with_what_was_changed_behind_its_back(name, tmp_path, dr_rd, done):
    copy = tmp_path / "classroom-air" / done["run_id"]
    shutil.copytree(done["run_dir"], copy)
    trace = (copy / "trace.jsonl").read_text().splitlines(keepends=True)
    upto = next(n for n, line in enumerate(trace) if '"task_finished"' in line)
    (copy / "trace.jsonl").write_text("".join(trace[: upto + 1]))
    for stale in ("proposal.md", "checkpoint.sqlite", "scorecard.json", "SHA256SUMS"):
        (copy / stale).unlink(missing_ok=True)
    for answer in (copy / "answers").iterdir():
        if answer.name != "T01.json":
            answer.unlink()
    changed = (copy / name).read_text().replace("school", "prison")
    (copy / name).write_text(changed)
    code, _, err = dr_rd("resume", copy)
    assert code == 2
    assert name.rpartition("/")[2] in err


KILLS = [("graph", 4), ("classic", 1)]
MORE_KILLS = [("graph", 0), ("graph", 1), ("classic", 0), ("classic", 4)]


@pytest.mark.parametrize(
    ("mode", "after"),
    [*KILLS, *(pytest.param(*kill, marks=pytest.mark.exhaustive) for kill in MORE_KILLS)],
)
def test_a_killed_run_resumes_to_the_same_proposal(mode, after, tmp_path, done, dr_rd):
    """`kill -9` after some tasks; what was finished is not made again."""
    part, count = ("/answers/T", after) if after else ("/plan.json", 1)
    run = signalled_run(signal.SIGKILL, part, count, tmp_path, "--mode", mode, *FAST)
    assert run.returncode == -signal.SIGKILL, run.stderr
    folder = next(p for p in tmp_path.glob("*/*/") if not p.name.startswith("."))
    before = {p.name: p.stat().st_mtime_ns for p in folder.glob("answers/*.json")}
    assert len(before) == after
    assert dr_rd("resume", folder)[0] == 0
    later = {p.name: p.stat().st_mtime_ns for p in folder.glob("answers/*.json")}
    assert {n: later[n] for n in before} == before
    body, whole = (
        Path(p).read_text().split("<!-- run footer")[0]
        for p in (folder / "proposal.md", done["proposal"])
    )
    assert body == whole
    assert dr_rd("verify", folder)[0] == 0


def test_a_run_goes_on_when_nobody_reads_its_progress(tmp_path):
    command = f"{sys.executable} -m dr_rd run {SAMPLE} --audits {tmp_path} --json {' '.join(FAST)}"
    reader = "exec 3>&1; { " + command + " 2>&1 >&3; echo $? >code; } | head -c 1 >first"
    done = subprocess.run(
        ["bash", "-c", reader],
        cwd=tmp_path,
        capture_output=True,
        timeout=120,
    )
    assert (tmp_path / "code").read_text() == "0\n"
    assert json.loads(done.stdout)["status"] == "finished"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_result_that_cannot_be_written_is_said_in_a_sentence(done, dr_rd):
    command = [sys.executable, "-m", "dr_rd", "list", "--json"]
    with open("/dev/full", "wb") as full:
        run = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True)
    assert run.returncode == 2
    assert run.stderr == (
        "dr-rd: the result cannot be written: No space left on device; free space\n"
    )


def test_a_finished_run_stays_as_it_is(done, dr_rd, tmp_path):
    trace = Path(done["trace"])
    before = trace.read_bytes()
    for command in (
        ("resume", done["run_dir"], "--approve"),
        ("resume", done["run_dir"], "--retry-failed"),
        ("export", done["run_dir"], "--format", "md", "--out", trace),
        ("export", done["run_dir"], "--format", "md", "--out", trace.parent / "answers" / "x"),
    ):
        code, _, error = dr_rd(*command)
        assert (code, error.count("\n")) == (2, 1)
        assert "stays as it is" in error
    assert trace.read_bytes() == before
    assert dr_rd("verify", done["run_dir"])[0] == 0
    head = json.loads(dr_rd("verify", done["run_dir"], "--json")[1])["head"]
    assert dr_rd("verify", done["run_dir"], "--head", head)[0] == 0
    assert dr_rd("verify", done["run_dir"], "--head", head[::-1])[0] == 3


def test_a_reader_that_goes_away_changes_no_result(done, tmp_path):
    for command, code in (("export {} --format md --out -", 141), ("verify {}", 141)):
        told = f"{sys.executable} -m dr_rd {command.format(done['run_dir'])}"
        shell = f"trap '' PIPE; {{ {told}; echo $? >code; }} | true; sleep 0"
        run = subprocess.run(["bash", "-c", shell], cwd=tmp_path, capture_output=True, text=True)
        assert int((tmp_path / "code").read_text()) in (0, code)
        assert run.stderr == ""


def test_what_is_typed_is_refused_before_anything_is_made(dr_rd, tmp_path, monkeypatch):
    half = tmp_path / "half.json"
    half.write_text('{"objective": "Test whether \\ud800 keeps bread moist"}')
    (tmp_path / "prices.yaml").write_text("- no\n- prices\n")
    monkeypatch.setenv("DRRD_PRICES", str(tmp_path / "prices.yaml"))
    server = ("--endpoint", "http://127.0.0.1:9/v1", "--model", "m")
    for command, said in (
        (("run", half), "half a character"),
        (("run", "Test whether \udcff keeps bread moist"), "half a character"),
        (("run", SAMPLE, "--project", ""), "project id ''"),
        (("run", SAMPLE, "--seed", 10**26), "seed"),
        (("run", SAMPLE, *server), "prices"),
        (("list", "--audits", "nope"), "no folder 'nope'"),
    ):
        code, _, error = dr_rd(*command)
        assert (code, error.count("\n")) == (2, 1), error
        assert said in error
    assert not (tmp_path / "audits").exists()


def test_a_file_that_is_not_there_is_told_before_much_is_imported(tmp_path):
    probe = (
        "import sys; from dr_rd.cli import main; code = main(['run', 'nope.yaml']); "
        "print(code, 'pydantic' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True)
    assert found.stdout == "2 False\n"


def test_a_closed_input_matters_only_to_who_reads_it(dr_rd, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert dr_rd("plan", SAMPLE)[0] == cli.FINISHED
    for command in (("plan", "-"), ("check", SAMPLE, "-")):
        code, _, error = dr_rd(*command)
        assert (code, error.count("\n")) == (cli.MISTAKE, 1)
        assert "standard input is closed; name a file instead of -" in error


def test_a_replay_of_damaged_documents_names_them(dr_rd, done, tmp_path):
    copy = tmp_path / "demo" / Path(done["run_dir"]).name
    shutil.copytree(done["run_dir"], copy)
    evidence = copy / "evidence.json"
    evidence.write_text(evidence.read_text().replace("passages", "passbges"))
    code, out, error = dr_rd("replay", copy)
    assert (code, out.count("\n"), error) == (3, 1, "")
    assert "evidence.json cannot be read" in out


def test_a_folder_without_settings_is_no_run_to_export(dr_rd, tmp_path):
    empty = tmp_path / "a" / "b"
    empty.mkdir(parents=True)
    code, _, error = dr_rd("export", empty, "--format", "zip", "--out", tmp_path / "x.zip")
    assert (code, error.count("\n")) == (cli.MISTAKE, 1)
    assert not (tmp_path / "x.zip").exists()


def test_a_run_at_a_cap_gives_one_remedy(dr_rd):
    code, _, error = dr_rd("run", SAMPLE, *FAST, "--set", "MAX_ATTEMPTS=2")
    assert code == cli.STOPPED
    assert error.count("dr-rd resume") == 1
    assert "--set MAX_ATTEMPTS=4" in error


CONTRADICTORY = """\
objective: Test whether shorter school days raise pupils' test scores.
hard_constraints: [at least 12 schools, at most 3 months, at least 12 months, interview teachers]
banned_moves: [no interviews]
"""


def test_a_contradiction_in_the_brief_is_told_wherever_the_brief_is_read(dr_rd, tmp_path):
    (tmp_path / "brief.yaml").write_text(CONTRADICTORY)
    told = [
        "warning: C02 (“at most 3 months”) and C03 (“at least 12 months”) contradict each other",
        "warning: C04 (“interview teachers”) asks for what B01 (“no interviews”) refuses",
    ]
    for command in (["plan"], ["check", "The work takes 2 months."], ["run", *FAST, "--json"]):
        _, out, err = dr_rd(command[0], "brief.yaml", *command[1:])
        assert all(err.count(sentence) == 1 for sentence in told)
    proposal = Path(json.loads(out)["proposal"]).read_text()
    warned = [line for line in proposal.splitlines() if line.startswith("> **")]
    assert [told[n].removeprefix("warning: ") in warned[n] for n in (0, 1)] == [True, True]


def test_a_plan_tells_programs_what_is_wrong_with_the_brief(dr_rd, tmp_path):
    (tmp_path / "brief.yaml").write_text(CONTRADICTORY)
    _, out, _ = dr_rd("plan", "brief.yaml", "--json")
    assert [remark[:3] for remark in json.loads(out)["remarks"]] == ["C02", "C04"]


def test_check_steers_no_terminal(dr_rd):
    brief = "objective: x\nbanned_moves: [use eye tracking]"
    _, out, _ = dr_rd("check", brief, "We will use eye tracking\x1b]0;owned\x07 in all sessions.")
    assert "\x1b" not in out and "\\x1b" in out


OPEN = "Something on lakes or climate."


def test_a_script_plans_the_generic_study_where_no_design_is_sure_and_exits_with_3(dr_rd):
    code, out, err = dr_rd("plan", OPEN)
    assert code == 3
    assert out.startswith("Generic study")
    assert err.startswith("warning: which design the brief asks for is not sure")


def test_a_run_says_first_that_no_design_is_sure(dr_rd):
    code, out, err = dr_rd("run", OPEN, *FAST)
    assert code == 3
    assert err.startswith("warning: which design the brief asks for is not sure")
    proposal = Path(out.strip()).read_text(encoding="utf-8")
    summary = proposal[: proposal.index("## Objective")]
    assert "which design the brief asks for is not sure" in summary


class Terminal(io.StringIO):
    """A standard input that is a terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize(("answer", "title"), [("1", ""), ("0", "Generic study")])
def test_on_a_terminal_one_of_three_designs_is_asked_for(dr_rd, monkeypatch, answer, title):
    monkeypatch.setattr(sys, "stdin", Terminal(f"{answer}\n"))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    code, out, err = dr_rd("plan", OPEN)
    assert code == 0
    assert err.startswith("Which design does the brief ask for?")
    assert out.startswith(title)


@pytest.mark.parametrize("command", ["plan", "run"])
def test_what_asks_for_no_research_is_refused_in_one_sentence(dr_rd, command):
    code, out, err = dr_rd(command, "Please order two boxes of gloves and send the invoice.")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "asks for no research" in err
