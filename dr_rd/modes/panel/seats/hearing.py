"""What a person said in a seat, held against the plan by the seats that speak after it.

A person's words change nothing: they are an assumption under the person's name. A number of units,
a sum or a day in them is computed, and words without any of these are told apart as such.
"""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from core.graph.state import GraphTask
from dr_rd.modes.panel.board import Claimed
from dr_rd.modes.panel.figures import guessed_range
from dr_rd.modes.panel.floor import Finding, Floor, counted_per, effect_of, whole
from dr_rd.planning.signals import stems
from dr_rd.quantity import DATE, Quantity, day_of, quantities, without_year

IN_DAYS = {"day": 5 / 7, "week": 5.0, "month": 21.0, "year": 252.0}
"""Working days in each."""

_LONGER = 3
"""Tasks that are named as longer than what a person said."""

_ANY_YEAR = 2027
"""A year for dates that have none, without a leap day."""


def number_said(at: Floor) -> Iterator[Finding]:
    """Hold a number of units that a person named against what it shows."""
    now = at.desk.detectable(at.plan)
    clustered = bool(at.sizing.get("clusters"))
    planned: Any = at.sizing.get("clusters") or at.sizing.get("given")
    for claim, found in _quantities(at):
        number = found.low or found.high
        if found.unit or not number or not planned or now is None:
            continue
        if not stems(found.noun) & stems(at.unit):
            continue
        over: dict[str, Any] = {"clusters": int(number)} if clustered else {"given": number}
        shown = at.desk.detectable(at.plan, **over)
        if shown is None:
            continue
        per = counted_per(at.sizing)
        facts = _facts(at, claim) | {
            "number": f"{number:g}", "planned": f"{planned:g}", "unit": at.unit, "per": per,
            "shown": effect_of(shown, at.sizing), "now": effect_of(now, at.sizing),
        }  # fmt: skip
        yield Finding("number_said", facts, about=claim.id, answers=(claim.seat,))


def sum_said(at: Floor) -> Iterator[Finding]:
    """Hold a sum that a person named against what the plan takes."""
    figures = at.desk.figures(at.plan)
    for claim, found in _quantities(at):
        money = found.high or found.low
        if found.unit != at.desk.currency or not money:
            continue
        facts, named = _facts(at, claim), f"{whole(money)} {at.desk.currency}"
        if guess := at.desk.guess(at.plan):
            known = at.desk.known(at.plan)
            low, high = known + guess.low, known + guess.high
            facts["against"] = at.adds(
                "sum_said",
                "short" if money < known else "less" if money < low else "more" if money >= high else "between",
                sum=named, priced=at.desk.priced(at.plan), range=guessed_range(guess),
            )  # fmt: skip
        else:
            needs = figures.joint or figures.money
            left = money - needs
            facts["against"] = at.adds(
                "sum_said",
                "left" if left >= 0 else "missing",
                sum=named, needs=whole(needs), left=whole(abs(left)), percentile=at.desk.percentile,
                risks=" with its risks" if figures.joint else "",
            )  # fmt: skip
        yield Finding("sum_said", facts, about=claim.id, answers=(claim.seat,))


def days_said(at: Floor) -> Iterator[Finding]:
    """Name the tasks that take longer than a time that a person named."""
    for claim, found in _quantities(at):
        if found.unit not in IN_DAYS:
            continue
        days = (found.high or found.low or 0) * IN_DAYS[found.unit]
        named = _named(at, claim)
        tasks = [named] if named else at.plan.tasks
        longer = [t for t in tasks if t.duration_days and t.duration_days.mode > days]
        told = ", ".join(
            f"{t.id} ({t.duration_days.mode:g})" for t in longer[:_LONGER] if t.duration_days
        )
        facts = _facts(at, claim) | {
            "days": whole(days), "which": named.id if named else "any task", "longer": told or "none",
        }  # fmt: skip
        yield Finding("days_said", facts, about=claim.id, answers=(claim.seat,))


def date_said(at: Floor) -> Iterator[Finding]:
    """Say when the plan must begin to meet a date that a person named."""
    starts = at.desk.figures(at.plan).starts
    for claim in at.board.claimed:
        day, dated = _day(claim.text)
        task = _named(at, claim) or next(iter(at.of_phase("execution")), None)
        if day is None or task is None or task.id not in starts:
            continue
        first = day - timedelta(days=starts[task.id] * 7 / 5)
        shown = f"{first.day} {first:%B}" + (f" {first.year}" if dated else "")
        years = 0 if dated else day.year - first.year
        facts = _facts(at, claim) | {
            "task": task.id, "begins": whole(starts[task.id]),
            "date": f"{day.day} {day:%B}" + (f" {day.year}" if dated else ""),
            "first": shown + (f", {years} year{'s' * (years > 1)} before" if years else ""),
        }  # fmt: skip
        yield Finding("date_said", facts, about=claim.id, answers=(claim.seat,))


def nothing_to_hold(at: Floor) -> Iterator[Finding]:
    """A person's words have nothing that any seat could hold the plan against."""
    for claim in at.board.claimed:
        if claim.answered_by:
            continue
        yield Finding("nothing_to_hold", _facts(at, claim), about=claim.id, answers=(claim.seat,))


def _facts(at: Floor, claim: Claimed) -> dict[str, Any]:
    return {
        "who": claim.by or at.called(claim.seat), "seat": at.called(claim.seat), "claim": claim.id,
        "words": claim.text.rstrip("."), "units": at.unit,
    }  # fmt: skip


def _quantities(at: Floor) -> Iterator[tuple[Claimed, Quantity]]:
    return ((claim, found) for claim in at.board.claimed for found in quantities(claim.text))


def _named(at: Floor, claim: Claimed) -> GraphTask | None:
    return next((t for t in at.plan.tasks if re.search(rf"\b{t.id}\b", claim.text)), None)


def _day(text: str) -> tuple[date | None, bool]:
    """Return the last day that a text names, and whether with its year."""
    if day := _dated(text):
        return day, True
    found = without_year(text)
    return (_dated(f"{found[0].rstrip('.,; ')} {_ANY_YEAR}"), False) if found else (None, False)


def _dated(text: str) -> date | None:
    days = (day_of(q.high or q.low) for q in quantities(text) if q.noun == DATE)
    return next((day for day in days if day), None)
