"""`dr-rd list`: the runs on disk."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from core.errors import CallerError
from core.index import RunInfo
from dr_rd.commands.codes import FINISHED
from dr_rd.commands.output import print_json
from dr_rd.listing import run_index

_UNKNOWN = {"left_machine": None, "cost_usd": None, "recommendation": None, "limits": None}
"""What is told of a run that cannot be read."""


def execute(*, audits: Path, as_json: bool) -> int:
    """Print every run, newest first."""
    source = click.get_current_context().get_parameter_source("audits")
    named = source is click.core.ParameterSource.COMMANDLINE
    if named and not audits.is_dir():
        raise CallerError(f"there is no folder {str(audits)!r}; name one that holds runs")
    runs = run_index(audits).list()
    if as_json:
        print_json([_plain(run) for run in runs])
    else:
        for r in runs:
            sent = r.facts.get("left_machine")
            told = f"  {sent}" if sent else ""
            click.echo(f"{r.run_id}  {r.project_id}  {r.mode}  {r.status or r.problem}{told}")
    return FINISHED


def _plain(run: RunInfo) -> dict[str, Any]:
    plain: dict[str, Any] = {f.name: getattr(run, f.name) for f in fields(run)}
    facts = plain.pop("facts")
    return {**plain, "run_dir": str(run.run_dir), **_UNKNOWN, **facts}
