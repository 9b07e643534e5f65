"""What a list of runs tells of each: what was asked, what left the machine, and what it cost."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from core.errors import clipped
from core.events import Row
from core.index import RunInfo
from core.store import Summarizer, read_run
from dr_rd.models.privacy.egress import left_machine
from dr_rd.models.served.prices import spent_usd

_TITLE = 1_000
"""Characters of the longest title; an objective may be a page."""


def read_summary(run_dir: Path) -> RunInfo:
    """Read a run for a list of runs."""
    return read_run(run_dir, _SUMMARIZER)


def _title(brief: Any) -> str:  # noqa: ANN401 - any JSON value
    objective = brief.get("objective") if isinstance(brief, dict) else None
    return clipped(objective, _TITLE) if isinstance(objective, str) else ""


def _facts(rows: Sequence[Row]) -> dict[str, JsonValue]:
    return {"left_machine": left_machine(rows).sentence(), "cost_usd": spent_usd(rows)}


_SUMMARIZER = Summarizer(
    kinds=("run_started", "call_tried", "call_ended", "tool_called"), title=_title, facts=_facts
)
