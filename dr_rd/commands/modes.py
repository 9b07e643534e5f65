"""`dr-rd modes`: the modes that are installed."""

import click

from core.modes import modes
from dr_rd.commands.codes import FINISHED
from dr_rd.commands.context import CliContext
from dr_rd.commands.output import print_json


def execute(context: CliContext, *, as_json: bool) -> int:
    """Print each mode's id, label and question; returns the exit code."""
    del context
    found = [{"id": m.id, "label": m.label, "question": m.question} for m in modes().values()]
    if as_json:
        print_json(found)
        return FINISHED
    wide = max(len(mode["id"]) for mode in found)
    for mode in found:
        click.echo(f"{mode['id']:<{wide}}  {mode['label']}: {mode['question']}")
    return FINISHED
