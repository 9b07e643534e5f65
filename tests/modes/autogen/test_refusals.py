"""Where the mode cannot work it says so in a sentence, before there is a run."""

import ast
import sys
from pathlib import Path

import pytest

from core.errors import CallerError
from core.modes import find_mode
from core.settings import Flags, ModelUse, RunOptions, Served
from dr_rd.cli import main
from tests.conftest import ROOT, SAMPLES

ON = ("--set", "AUTOGEN_ENABLED=true")
SERVED = Served(
    base_url="http://127.0.0.1:9/v1", models={"work": ModelUse(name="m", form="schema")}
)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "the AutoGen mode is off; set AUTOGEN_ENABLED=true"),
        (ON, "needs a model that works tasks; name one with --endpoint and --model"),
    ],
)
def test_a_run_that_cannot_work_is_refused_before_it_is_made(
    arguments: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["run", str(SAMPLES[0]), "--mode", "autogen", "--audits", str(tmp_path)]
    assert main([*command, *arguments]) == 2
    complaint = capsys.readouterr().err
    assert said in complaint
    assert complaint.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_does_all_but_the_tasks_is_not_enough() -> None:
    served = SERVED.model_copy(update={"models": {"plan": SERVED.models["work"]}})
    flags = Flags(AUTOGEN_ENABLED=True)
    with pytest.raises(CallerError, match="needs a model that works tasks"):
        find_mode("autogen").check(RunOptions(served=served, flags=flags))
    find_mode("autogen").check(RunOptions(served=SERVED, flags=flags))


@pytest.mark.parametrize("package", ["autogen_agentchat.agents", "autogen_ext.models.openai"])
def test_without_the_package_the_command_that_installs_it_is_named(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "core.autogen.run", raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(CallerError) as refusal:
        find_mode("autogen").check(RunOptions(served=SERVED, flags=Flags(AUTOGEN_ENABLED=True)))
    assert str(refusal.value) == (
        f'the AutoGen mode needs a package that is missing ({package}): pip install "dr-rd[autogen]"'
    )


def imported(path: Path) -> set[str]:
    """Return the packages that a module imports anywhere in it."""
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    plain = {a.name for node in nodes if isinstance(node, ast.Import) for a in node.names}
    froms = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return {name.partition(".")[0] for name in plain | froms}


def test_one_module_imports_autogen() -> None:
    modules = [p for package in ("core", "dr_rd") for p in (ROOT / package).rglob("*.py")]
    assert [
        p.relative_to(ROOT).as_posix()
        for p in (ROOT / "app.py", *modules)
        if any(name.startswith("autogen") for name in imported(p))
    ] == ["core/autogen/run.py"]


def test_no_code_executor_is_within_reach() -> None:
    names = {
        name.name
        for node in ast.walk(ast.parse((ROOT / "core/autogen/run.py").read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assert not {name for name in names if "Code" in name or "Executor" in name or "Local" in name}
