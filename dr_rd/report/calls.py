"""What the tools of a run gave, as a proposal shows it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.graph.state import Answer, ToolResult
from dr_rd.planning.context import plan_context
from dr_rd.planning.design import Design
from dr_rd.tools import PlanContext, Registry
from dr_rd.tools.spec import ResultKind, Section


@dataclass(frozen=True, slots=True)
class Results:
    """What every call of every answer gave."""

    rows: tuple[ToolResult, ...]
    tools: Registry
    plan: PlanContext

    def first(self, kind: ResultKind) -> dict[str, Any] | None:
        """Return id and output of the first call that gave what a proposal needs of that *kind*."""
        found = next((r for r in self.rows if r.ok and self.tools.give(r.name, kind)), None)
        return {"id": found.id, "out": found.output} if found else None

    def parts(self, section: Section) -> list[str]:
        """Return what stands in that *section* of the proposal, tool by tool."""
        return [
            text
            for spec in self.tools.of_section(section)
            for r in self.rows
            if r.name == spec.name and r.ok and (text := self.summary(r))
        ]

    def summary(self, result: ToolResult) -> str:
        """Return what a call gave, as the proposal shows it in short."""
        return self.tools.shown(result, self.plan, short=True)

    def failures(self) -> list[str]:
        """Say of each call that gave nothing what it was to give, and why it did not."""
        told = [(r.id, *self.tools.failure(r)) for r in self.rows if not r.ok]
        return [f"{what} [{key}] {said}" for key, what, said in told]

    def outputs(self) -> Mapping[str, Any]:
        """Return what each call gave, by its id."""
        return {r.id: r.output for r in self.rows}


def results(answers: Iterable[Answer], tools: Registry, design: Design) -> Results:
    """Return what the calls of *answers* gave, of a run that was planned by *design*."""
    rows = tuple(r for a in answers for r in a.tool_result)
    return Results(rows, tools, plan_context(design))
