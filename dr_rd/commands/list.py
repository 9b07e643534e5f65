"""`dr-rd list`: the runs on disk."""

from pathlib import Path

import click

from core.store import RunStore
from dr_rd.commands.codes import FINISHED
from dr_rd.commands.output import print_json
from dr_rd.commands.world import World


def execute(world: World, *, audits: Path, as_json: bool) -> int:  # noqa: ARG001
    """Print every run, newest first."""
    runs = RunStore(audits).list()
    if as_json:
        print_json([r.model_dump(mode="json") for r in runs])
    else:
        for r in runs:
            click.echo(f"{r.run_id}  {r.project_id}  {r.mode}  {r.status or r.problem}")
    return FINISHED
