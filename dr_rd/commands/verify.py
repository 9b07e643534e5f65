"""`dr-rd verify`: whether a run's record is sound."""

from pathlib import Path

import click

from core.pluralize import pluralize
from core.trace import verify
from dr_rd.commands.codes import FAILED, FINISHED
from dr_rd.commands.context import CliContext
from dr_rd.commands.output import print_json


def execute(context: CliContext, *, run_dir: Path, as_json: bool) -> int:  # noqa: ARG001
    """Print what is wrong with a run's record."""
    found = verify(run_dir)
    if as_json:
        print_json({"ok": found.ok, "events": found.events, "problems": list(found.problems)})
    else:
        for problem in found.problems:
            click.echo(problem)
        click.echo(
            f"{pluralize(found.events, 'event')}, {'all sound' if found.ok else 'not sound'}"
        )
    return FINISHED if found.ok else FAILED
