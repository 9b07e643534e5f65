"""Programs that start in a fork of a process which has imported the project already.

Most of a short program's time goes into imports. Where its end, its files or what it prints is the
matter it is run here; what it imports, and when, is tested in a process of its own.
"""

import os
import runpy
import sys
from collections.abc import Mapping
from multiprocessing import get_context
from pathlib import Path
from subprocess import CompletedProcess
from tempfile import TemporaryDirectory

from core.settings import environment

ROOT = Path(__file__).parents[1]
_SERVER = get_context("forkserver")
_SERVER.set_forkserver_preload(
    ["pytest", "core.graph.build", "core.testing", "dr_rd.workbench", "dr_rd.commands.run"]
)


def python(
    kind: str,
    what: object,
    *arguments: object,
    env: Mapping[str, str] | None = None,
    cwd: Path = ROOT,
) -> CompletedProcess[str]:
    """Run `python -m MODULE ARGUMENTS` or `python -c PROGRAM ARGUMENTS` here, to its end."""
    with TemporaryDirectory() as folder:
        words = [str(what), *map(str, arguments)]
        world = environment() if env is None else env
        process = _SERVER.Process(target=_become, args=(kind, words, dict(world), cwd, folder))
        process.start()
        process.join()
        out, err = (Path(folder, name).read_text("utf-8") for name in _STREAMS)
        assert process.exitcode is not None
        return CompletedProcess([kind, *words], process.exitcode, out, err)


_STREAMS = {"stdout": 1, "stderr": 2}


def _become(kind: str, words: list[str], world: dict[str, str], cwd: Path, folder: str) -> None:
    for name, number in _STREAMS.items():
        os.dup2(os.open(Path(folder, name), os.O_WRONLY | os.O_CREAT), number)
    os.chdir(cwd)
    os.environ.clear()  # noqa: TID251 - a process is given its environment at its start
    os.environ.update(world)  # noqa: TID251
    if kind == "-m":
        sys.argv = words
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = ["-c", *words[1:]]
        exec(compile(words[0], "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102 - ours
