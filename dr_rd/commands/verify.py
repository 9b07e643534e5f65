"""`dr-rd verify`: whether a run's record is sound."""

from pathlib import Path

import click

from core.pluralize import pluralize
from core.trace import verify
from dr_rd.commands.codes import FAILED, FINISHED
from dr_rd.commands.context import CliContext
from dr_rd.commands.output import print_json


def execute(context: CliContext, *, run_dir: Path, head: str, as_json: bool) -> int:  # noqa: ARG001
    """Print what is wrong with a run's record."""
    found = verify(run_dir, head.strip().lower())
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        for problem in found.problems:
            click.echo(problem)
        sound = "all sound" if found.ok else "not sound"
        going = "" if found.ended else "; the run has not ended (dr-rd resume goes on with it)"
        click.echo(f"{pluralize(found.events, 'event')}, {sound}{going}")
        click.echo(f"head {found.head}")
    return FINISHED if found.ok else FAILED
