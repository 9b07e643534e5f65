"""`dr-rd export`: a run in one file."""

from pathlib import Path

import click

from core.errors import CallerError
from core.store import TRACE, open_run
from dr_rd.commands.codes import FINISHED
from dr_rd.commands.context import CliContext
from dr_rd.report.bundle import exported
from dr_rd.workbench import load_workbench


def execute(context: CliContext, *, run_dir: Path, kind: str, out: Path) -> int:  # noqa: ARG001
    """Write the file, or to standard output for "-", and say where it is."""
    folder = open_run(run_dir)
    if any((parent / TRACE).exists() for parent in out.resolve().parents):
        raise CallerError(f"{str(out)!r} is within a run's folder, which stays as it is")
    data = exported(folder, load_workbench().parts(folder), kind)
    if str(out) == "-":
        click.echo(data, nl=False)
        return FINISHED
    try:
        out.write_bytes(data)
    except OSError as wrong:
        raise CallerError(f"cannot write {str(out)!r}: {wrong.strerror}") from wrong
    click.echo(str(out), err=True)
    return FINISHED
