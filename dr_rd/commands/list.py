"""`dr-rd list`: the runs on disk."""

from pathlib import Path
from typing import Any

import click

from core.store import TRACE, RunInfo, RunStore
from core.trace import read_kinds
from dr_rd.commands.codes import FINISHED
from dr_rd.commands.context import CliContext
from dr_rd.commands.output import print_json
from dr_rd.models.privacy.egress import left_machine
from dr_rd.models.served.prices import spent_usd

_KINDS = ("run_started", "call_tried", "call_ended", "tool_called")
"""The events that say what was sent, to whom, and what it cost."""


def execute(context: CliContext, *, audits: Path, as_json: bool) -> int:  # noqa: ARG001
    """Print every run, newest first."""
    runs = [(run, _egress_columns(run)) for run in RunStore(audits).list()]
    if as_json:
        print_json([run.model_dump(mode="json") | sent for run, sent in runs])
    else:
        for r, sent in runs:
            told = f"  {sent['left_machine']}" if sent["left_machine"] else ""
            click.echo(f"{r.run_id}  {r.project_id}  {r.mode}  {r.status or r.problem}{told}")
    return FINISHED


def _egress_columns(run: RunInfo) -> dict[str, Any]:
    """What left the machine and what it cost; of a run whose trace cannot be read, neither."""
    if run.problem:
        return {"left_machine": None, "cost_usd": None}
    rows = read_kinds(run.run_dir / TRACE, _KINDS)
    return {"left_machine": left_machine(rows).sentence(), "cost_usd": spent_usd(rows)}
