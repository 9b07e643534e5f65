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
    found = {place_of(path): named(path) for path in modules()}
    knows = {place for place, names in found.items() if any(not own(n, place) for n in names)}
    assert knows - {*map(place_of, modules_of_modes())} == DEFAULT_IN


def place_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def modules_of_modes() -> Iterator[Path]:
    yield from (path for path in (ROOT / "core/modes").rglob("*.py") if path.stem != "spec")


def own(mode: str, place: str) -> bool:
    """Whether a module is the mode's own, or in a folder of its name."""
    return mode.replace("-", "_") in place.removesuffix(".py").split("/")


def test_a_mode_knows_no_other_but_the_one_it_falls_back_to() -> None:
    for path in modules_of_modes():
        others = {mode for mode in named(path) if not own(mode, place_of(path))}
        allowed = {
            getattr(m, "fallback", "") for n, m in modes().items() if own(n, place_of(path))
        }
        assert others <= allowed, path


def test_both_defaults_are_the_same_mode() -> None:
    (option,) = [p for p in run.params if p.name == "mode"]
    assert option.default == RunOptions().mode
    assert option.default in modes()
