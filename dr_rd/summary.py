"""What a list of runs tells of each: what was asked, what came of it, what left the machine, its cost."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from core.errors import clipped
from core.events import Row
from core.files import is_inside
from core.index import RunInfo
from core.modes import modes
from core.store import Summarizer, read_run
from dr_rd.models.privacy.egress import left_machine
from dr_rd.models.served.prices import spent_usd
from dr_rd.outcome import FIRST_PAGE, read_outcome

_TITLE = 1_000
"""Characters of the longest title; an objective may be a page."""


def read_summary(run_dir: Path) -> RunInfo:
    """Read a run for a list of runs."""
    info = read_run(run_dir, _SUMMARIZER)
    if info.problem:
        return info
    return replace(info, facts={**info.facts, **read_outcome(_first_page(info)).model_dump()})


def _first_page(info: RunInfo) -> str:
    """Return how a run's result begins; "" if it has none, or one that cannot be read.

    What is wrong with it is told where the run is opened.
    """
    mode = modes().get(info.mode)
    if not info.ended or mode is None:
        return ""
    path = info.run_dir / mode.result_files[0]
    try:
        if not (is_inside(info.run_dir.resolve(), path) and path.is_file()):
            return ""
        with path.open(encoding="utf-8") as result:
            return result.read(FIRST_PAGE)
    except (OSError, UnicodeDecodeError):
        return ""


def _title(brief: Any) -> str:  # noqa: ANN401 - any JSON value
    objective = brief.get("objective") if isinstance(brief, dict) else None
    return clipped(objective, _TITLE) if isinstance(objective, str) else ""


def _facts(rows: Sequence[Row]) -> dict[str, JsonValue]:
    return {"left_machine": left_machine(rows).sentence(), "cost_usd": spent_usd(rows)}


_SUMMARIZER = Summarizer(
    kinds=("run_started", "call_tried", "call_ended", "tool_called"), title=_title, facts=_facts
)
