"""Measurement, material and controls: what must be there for the number to mean anything."""

import re
from collections.abc import Iterator
from math import ceil

from dr_rd.checks import LedgerItem, Limit, Requirement
from dr_rd.modes.panel.board import added
from dr_rd.modes.panel.floor import Finding, Floor, Rule, lines_of
from dr_rd.quantity import Quantity, is_money

_FEW = 6
"""Observations up to which a share set aside is a whole one or more of them."""


def held_out_of_the_minimum(at: Floor) -> Iterator[Finding]:
    """A share is set aside of so few that what is left falls below the brief's minimum."""
    key = next((k for k, _ in at.assumed("holdout")), "")
    task = next(
        (t for t in at.plan.tasks if any(f"[{key}]" in line for line in lines_of(t))), None
    )
    if not key or task is None:
        return
    for item in at.items:
        for check in item.checks if item.kind == "constraint" else ():
            if not isinstance(check, Limit) or check.quantity.unit or check.scope:
                continue
            least = check.quantity.low
            if not least or least > _FEW or check.quantity.comparison == "exactly":
                continue
            share = next(v for k, v in at.assumed("holdout"))
            facts = {
                "item": item.id, "least": f"{least:g}", "noun": check.quantity.noun, "key": key,
                "share": share, "more": f"{least + 1:g}", "left": f"{least - 1:g}", "task": task.id,
            }  # fmt: skip
            yield Finding(
                "held_out_of_the_minimum",
                facts,
                changes=(
                    added(task, "acceptance", at.adds("held_out_of_the_minimum", "test", **facts)),
                ),
                rests_on=(item.id, key),
            )
            return


def figure_not_piloted(at: Floor) -> Iterator[Finding]:
    """The brief wants a measured figure, and no test before the main work reads it."""
    pilot = next(iter(at.of_phase("pilot")), None)
    if pilot is None:
        return
    for item in at.items:
        found = _figure(item)
        if found is None or _stated(at, found):
            continue
        facts = {
            "item": item.id, "text": item.text, "figure": _said(found), "pilot": pilot.id,
            "title": pilot.title,
        }  # fmt: skip
        test = added(
            pilot, "acceptance",
            at.adds("figure_not_piloted", "counted" if _is_share(found) else "test", **facts),
        )  # fmt: skip
        stop = added(pilot, "stop_rules", at.adds("figure_not_piloted", "stop", **facts))
        yield Finding(
            "figure_not_piloted",
            facts,
            changes=(test,) if _is_share(found) else (test, stop),
            rests_on=(item.id, pilot.id),
        )
        return


_NOT_MEASURED = ("day", "week", "month", "year", "quarter")


def _figure(item: LedgerItem) -> Quantity | None:
    """Return a figure that the work must reach by measurement, not by decision."""
    if item.kind == "ban":
        return None
    for check in item.checks:
        if isinstance(check, Requirement) and check.thresholds and item.kind == "criterion":
            share = check.thresholds[0]
            if re.search(r"percent|%", share.text) and not re.search(
                r"confiden|interval", item.text
            ):
                return share
        if isinstance(check, Limit) and check.quantity.comparison in ("at_most", "at_least"):
            unit = check.quantity.unit
            measured = unit and unit not in _NOT_MEASURED and not is_money(unit)
            if measured and re.search(r"\bprecision|accuracy|error|noise|rate\b", item.text):
                return check.quantity
    return None


def _is_share(found: Quantity) -> bool:
    """Whether a figure is a share of units, which the few of a pilot cannot decide."""
    return found.comparison == "at_least" and re.search(r"percent|%", found.text) is not None


def _said(found: Quantity) -> str:
    return " ".join(found.text.split())


def _stated(at: Floor, found: Quantity) -> bool:
    """Whether a task of the pilot or before it already says the figure."""
    number = next(iter(re.findall(r"\d+(?:\.\d+)?", found.text)), "")
    early = at.of_phase("framing", "build", "pilot")
    return any(re.search(rf"\b{re.escape(number)}\b", line) for t in early for line in lines_of(t))


def stock_for_the_number(at: Floor) -> Iterator[Finding]:
    """More units were proposed; what they are made of is bought from one lot, or from one list."""
    amended = next(
        (a for rule in ("too_few_for_the_effect", "too_few_after_losses", "too_few_usable")
         for a in at.board.standing if a.rule == rule), None
    )  # fmt: skip
    source = next(iter(at.of_phase("sourcing")), None)
    spare = next(((k, v) for k, v in at.assumed("spares") if "%" in v), None)
    given = at.sizing.get("given")
    if not amended or not source or not spare or not given:
        return
    groups = int(at.sizing.get("groups", 2)) if at.sizing.get("design") == "anova" else 2
    count = float(given) * groups
    order = ceil(count * (1 + float(re.findall(r"\d+", spare[1])[0]) / 100))
    lot = next((i for i in at.items if re.search(r"\bsingle\b[^.]*\blot\b", i.text)), None)
    facts = {
        "other": amended.by, "count": f"{count:g}", "order": order, "share": spare[1],
        "key": spare[0], "unit": at.unit, "source": source.id,
        "lot": f", and {lot.id} lets them come from one lot only" if lot else "",
        "one": "one lot" if lot else "one delivery",
    }  # fmt: skip
    yield Finding(
        "stock_for_the_number",
        facts,
        changes=(added(source, "acceptance", at.adds("stock_for_the_number", "test", **facts)),),
        rests_on=(spare[0], lot.id if lot else ""),
        answers=(amended.by,),
    )


def left_out_for_a_limit(at: Floor) -> Iterator[Finding]:
    """Steps were left out because a limit rules out what they do: what they were for is now open."""
    out = at.design.left_out[:2]
    if out:
        yield Finding(
            "left_out_for_a_limit",
            {
                "steps": "; ".join(f"“{o.text.rstrip('.')}” ({o.ledger_id})" for o in out),
                "count": len(at.design.left_out),
            },
            rests_on=tuple(o.ledger_id for o in out),
        )


RULES: tuple[Rule, ...] = (
    held_out_of_the_minimum,
    figure_not_piloted,
    stock_for_the_number,
    left_out_for_a_limit,
)
