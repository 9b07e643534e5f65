"""What the tools of a plan are called with, as far as the plan decides it."""

from collections.abc import Iterable, Mapping
from typing import Any

from core.graph.state import GraphTask
from dr_rd.ledger import Ledger, Limit
from dr_rd.planning.draft import Draft
from dr_rd.planning.library import Technique
from dr_rd.planning.sizing import SizingInput, sizing
from dr_rd.units import si

_MOST_CONVERSIONS = 5
"""Units of the brief that are converted; more is a table nobody reads."""


def conversions(ledger: Ledger, rates: Mapping[str, float]) -> tuple[dict[str, Any], ...]:
    """Arguments that turn the brief's units into those of the SI; *rates*: its currencies."""
    found = [
        {"value": value, "from": q.unit, "to": target}
        for item in ledger.items
        for c in item.checks
        if isinstance(c, Limit) and item.kind != "ban"
        for q in [c.quantity]
        for value in dict.fromkeys((q.low, q.high))
        if value is not None and q.unit not in rates
        for target in [si(q.unit)]
        if target
    ]
    return tuple({str(f): f for f in found}.values())[:_MOST_CONVERSIONS]


def screening(draft: Draft, tasks: Iterable[GraphTask]) -> dict[str, Any]:
    """Arguments of the simulation; none where no task makes it."""
    model = draft.method.screening
    if model is None or not _called("simulate", tasks):
        return {}
    ranges = [f"{i['name'].replace('_', ' ')} {_figures(i)}" for i in model.inputs]
    draft.assumed.cite(f"screening model: {'; '.join(ranges)}", model.why)
    return {"inputs": list(model.inputs), "formulas": list(model.formulas)}


def sample_size(draft: Draft, tasks: Iterable[GraphTask], units: float) -> dict[str, Any]:
    """Arguments of the sample-size call for *units* in all; none where no task makes it."""
    if not _called("sample_size", tasks):
        return {}
    known = SizingInput(
        brief=draft.brief,
        method=draft.method,
        direction=draft.chosen.text,
        slots=draft.frame.slots(),
        units=units,
        technique=sizing_technique(draft),
        members=draft.frame.groups.members if draft.frame.groups else None,
    )
    return sizing(known, draft.assumed)


def counted(draft: Draft) -> str:
    """What the sample-size call counts; where the brief does not say, what it is about."""
    technique = sizing_technique(draft)
    rule = technique.sizing if technique and technique.sizing else draft.method.sizing
    said = " ".join(filter(None, (rule.counts, *rule.called)))
    return said or draft.frame.units or draft.brief.objective


def sizing_technique(draft: Draft) -> Technique | None:
    """Return the technique of *draft* whose own calculation goes before the method's."""
    return next((t for t in draft.techniques if t.sizing), None)


def _called(tool: str, tasks: Iterable[GraphTask]) -> bool:
    return any(r.name == tool for t in tasks for r in t.tool_request)


def _figures(given: Mapping[str, Any]) -> str:
    """The numbers of an input's distribution, in its own order."""
    numbers = [f"{v:g}" for v in given["distribution"].values() if isinstance(v, int | float)]
    return ", ".join(numbers)
