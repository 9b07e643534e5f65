"""No module knows a mode's name but the mode's own, and the two that hold the default."""

import ast
from collections.abc import Iterator
from pathlib import Path

from core.modes import modes
from core.settings import RunOptions
from dr_rd.cli import run
from tests.conftest import ROOT

DEFAULT_IN = {"core/settings.py", "dr_rd/cli.py"}
"""The default, for a run's options and for the command line, which imports nothing else of them."""


def named(path: Path) -> set[str]:
    """Return the modes whose name stands in a module as a string of its own."""
    tree = ast.parse(path.read_text("utf-8"))
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    return {mode for mode in modes() if mode in texts}


def modules() -> Iterator[Path]:
    yield ROOT / "app.py"
    for package in ("core", "dr_rd"):
        yield from (ROOT / package).rglob("*.py")


def test_no_module_knows_a_modes_name() -> None:
    found = {path.relative_to(ROOT).as_posix(): named(path) for path in modules()}
    own = {f"core/modes/{mode}.py" for mode in modes()}
    knows = {place for place, names in found.items() if names} - own
    assert knows == DEFAULT_IN


def test_a_mode_knows_no_other_but_the_one_it_falls_back_to() -> None:
    for mode_id, mode in modes().items():
        others = named(ROOT / f"core/modes/{mode_id}.py") - {mode_id}
        assert others <= {getattr(mode, "fallback", "")}, mode_id


def test_both_defaults_are_the_same_mode() -> None:
    (option,) = [p for p in run.params if p.name == "mode"]
    assert option.default == RunOptions().mode
    assert option.default in modes()
