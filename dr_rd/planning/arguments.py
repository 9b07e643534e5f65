"""What a plan has for tools to be called with."""

from collections.abc import Mapping
from typing import Any

from dr_rd.checks import Ledger, Limit
from dr_rd.conversion import si
from dr_rd.planning.designs import SizingInput
from dr_rd.planning.draft import Draft
from dr_rd.planning.methods import Sizing
from dr_rd.planning.sizing import sizing
from dr_rd.tools.sample_size import DESIGNS

_MOST_CONVERSIONS = 5
"""Units of the brief that are converted; more is a table nobody reads."""


def conversions(ledger: Ledger, rates: Mapping[str, float]) -> tuple[dict[str, Any], ...]:
    """Return the brief's units with those of the SI; *rates*: its currencies."""
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


def screening(draft: Draft) -> dict[str, Any]:
    """Return the method's first model of the outcome, and cite its ranges; none without one."""
    model = draft.method.screening
    if model is None:
        return {}
    ranges = [f"{i['name'].replace('_', ' ')} {_figures(i)}" for i in model.inputs]
    draft.assumed.cite(f"screening model: {'; '.join(ranges)}", model.why)
    return {"inputs": list(model.inputs), "formulas": list(model.formulas)}


def study_size(draft: Draft, rule: Sizing, units: float) -> dict[str, Any]:
    """Return the study's design and figures for *units* in all, and cite what they assume."""
    asked = SizingInput(
        brief=draft.brief,
        method=draft.method,
        direction=draft.chosen.text,
        slots=draft.frame.slots(),
        units=units,
        params=draft.library.tools.taking("sizing").params,
        rule=rule,
        statistics=draft.statistics,
        factors=draft.words.factors,
        technique=draft.sizing_technique,
        within="within" in draft.chosen.kinds,
        members=draft.frame.groups.members if draft.frame.groups else None,
        per=draft.frame.per,
    )
    call = sizing(asked, draft.assumed)
    if call and draft.method.sizing is None and draft.sizing_technique is None:
        draft.assumed.cite(
            f"the sample size is that of {DESIGNS[call['design']].title}",
            "The design is still open; the brief's own figures ask for this one.",
        )
    return call


def counted(draft: Draft, rule: Sizing) -> str:
    """What the study's size counts; where the brief does not say, what it is about."""
    said = " ".join(filter(None, (rule.counts, *rule.called)))
    return said or draft.frame.units or draft.brief.objective


def _figures(given: Mapping[str, Any]) -> str:
    """The numbers of an input's distribution, in its own order."""
    numbers = [f"{v:g}" for v in given["distribution"].values() if isinstance(v, int | float)]
    return ", ".join(numbers)
