"""A `core` that is not ours is named before anything is done with it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.settings import environment

ROOT = Path(__file__).parents[1]


def dr_rd(*path: Path) -> subprocess.CompletedProcess[str]:
    """Run `dr-rd list` in the first folder, with what lies in all of them to be imported."""
    environ = environment() | {"PYTHONPATH": os.pathsep.join(map(str, path))}
    command = [sys.executable, "-m", "dr_rd", "list"]
    return subprocess.run(command, cwd=path[0], env=environ, capture_output=True, text=True)


@pytest.fixture
def copied(tmp_path):
    """Make a folder with our packages, whose `core` a test may write to."""
    (tmp_path / "dr_rd").symlink_to(ROOT / "dr_rd")
    core = tmp_path / "core"
    core.mkdir()
    for part in (ROOT / "core").iterdir():
        (core / part.name).symlink_to(part)
    return tmp_path


def test_our_own_core_is_not_complained_of(copied):
    ended = dr_rd(copied)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_somebody_else_s_core_is_named_with_the_remedy(tmp_path):
    core = tmp_path / "core"
    core.mkdir()
    (core / "__init__.py").write_text("raise AssertionError('it must not be imported')")
    ended = dr_rd(tmp_path, ROOT)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"dr-rd: the package 'core' is found at {str(core)!r}, and")
    assert "start dr-rd from a folder without a 'core'" in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("part", ["errors.py"])
def test_a_core_that_was_overwritten_is_said_to_be_no_longer_whole(copied, part):
    (copied / "core" / part).unlink()
    (copied / "core" / part).write_text('"""Another package\'s."""\n')
    ended = dr_rd(copied)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("dr-rd: the package 'core' is not whole (cannot import name")
    assert "dr-rd; install dr-rd in an environment of its own" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_an_import_that_fails_for_another_reason_is_a_bug_and_stays_one(copied):
    (copied / "click.py").write_text("")
    ended = dr_rd(copied)
    assert ended.returncode == 1
    assert "Traceback" in ended.stderr
