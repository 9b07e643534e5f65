"""What the tools of a run gave, as a proposal shows it."""

from collections.abc import Iterable, Sequence
from typing import Any

from core.graph.state import GraphState, ToolResult
from dr_rd.planning.design import Design
from dr_rd.templates import render


def results(state: GraphState) -> list[ToolResult]:
    """Return what every call of every answer gave."""
    return [r for a in state.answers.values() for r in a.tool_result]


def first(results: Iterable[ToolResult], name: str) -> dict[str, Any] | None:
    """Return id and output of the first call of that tool that gave one."""
    found = next((r for r in results if r.name == name and r.ok), None)
    return {"id": found.id, "out": found.output} if found else None


def parts(results: Sequence[ToolResult], name: str, design: Design) -> list[str]:
    """Return what each call of that tool gave, as the proposal shows it in short."""
    return [result_summary(r, design) for r in results if r.name == name and r.ok]


def result_summary(result: ToolResult, design: Design) -> str:
    """Return what a call gave, as the proposal shows it in short."""
    options = {d.id: d.scores for d in design.directions}
    values = {"name": result.name, "id": result.id, "out": result.output, "cap": design.most_units}
    return render("results.md.j2", {**values, "options": options, "short": True}).strip()
