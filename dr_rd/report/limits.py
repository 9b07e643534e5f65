"""What the work takes, against the limits on money and time."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.graph.state import GraphTask
from core.pluralize import amount, length, pluralize
from dr_rd.brief import Brief
from dr_rd.planning.design import Design
from dr_rd.planning.limits import is_late
from dr_rd.schedule.calendar import WORKING_DAYS_A_MONTH
from dr_rd.schedule.confidence import PERCENTILE
from dr_rd.schedule.cpm import end_of

_DRIVERS = 3
"""Tasks that are named as the reason why a limit is not kept."""

_SPANS = 0.5
"""Share of the study period that a plan lasts at least, if it lasts as long as the study."""


def deadline(
    brief: Brief, design: Design, schedule: Mapping[str, Any] | None
) -> dict[str, Any] | None:
    """Return how long the work takes against the deadline; None without one."""
    limit = design.deadline_days
    if limit is None or schedule is None or time_is_open(design):
        return None
    share = PERCENTILE[brief.risk_posture]
    out, percentile = schedule["out"], f"P{round(share * 100)}"
    return {
        "length": length(out["days"][percentile], out["days_a_month"]),
        "late": out["days"][percentile] > limit,
        "confidence": share,
        "call": schedule["id"],
        "allowed": _allowed_time(brief, design, out["days_a_month"]),
    }


def guess_is_foreign(out: Mapping[str, Any]) -> bool:
    """Whether the library guesses more than a limit leaves, at its least: then it is of other studies."""
    left = out["limit"] - out["known"] if "limit" in out and "guess_low" in out else None
    return left is not None and 0 <= left < out["guess_low"]


def time_is_open(design: Design) -> bool:
    """Whether only the library's guesses decide if a deadline is kept."""
    least = design.least_days
    return least is not None and not is_late(least, design.deadline_days)


def too_late(deadline: Mapping[str, Any] | None) -> str:
    """Say that the work does not fit the deadline; "" where it does."""
    if deadline is None or not deadline["late"]:
        return ""
    return (
        f"The work does not fit the deadline of {deadline['allowed']}: it takes {deadline['length']} "
        f"at the confidence of {deadline['confidence']} [{deadline['call']}]."
    )


def too_dear(budget: Mapping[str, Any] | None, units: str) -> str:
    """Say how far the work, of so many *units*, goes beyond the limit on money; "" if it does not."""
    if budget is None or budget["out"].get("fits", True):
        return ""
    out = budget["out"]
    text = (
        "The limits contradict each other: the work as asked costs "
        f"{amount(out.get('known', out['at_confidence']))} "
        f"{out['currency']} at the confidence of {out['confidence']}, the brief allows "
        f"{amount(out['limit'])}, which is short by {amount(-out['headroom'])} [{budget['id']}]"
    )
    if "affordable_units" in out:
        paid = amount(out["affordable_units"]) if out["affordable_units"] else "none"
        text += f"; it pays for {paid} of {amount(out['units'])} {units}"
    return f"{text}."


def too_short(design: Design, tasks: Sequence[GraphTask]) -> str:
    """Say that tasks which the library did not write do not last as long as the study does."""
    period = design.slots.get("horizon")
    if not period or all(t.source not in ("brief", "model") for t in tasks):
        return ""
    network = {t.id: t.depends_on for t in tasks}
    expected = {t.id: t.duration_days.mean if t.duration_days else 0.0 for t in tasks}
    days = end_of(network, expected)
    if days >= _SPANS * design.months * WORKING_DAYS_A_MONTH:
        return ""
    return (
        f"The brief speaks of “{period}”, and the tasks of this plan are over after "
        f"{pluralize(round(days), 'working day')} [plan]: if the work must span that time, the task that "
        "does needs the days for it."
    )


def improbable(
    brief: Brief, design: Design, schedule: Mapping[str, Any] | None, tasks: Iterable[GraphTask]
) -> str:
    """Say how likely the limits are kept, and what drives it; "" where that is likely enough."""
    need, found = PERCENTILE[brief.risk_posture], schedule["out"] if schedule else {}
    every: Mapping[str, float] = found.get("chances", {})
    chances = {k: v for k, v in every.items() if k == "budget"} if time_is_open(design) else every
    if schedule is None or not chances or min(chances.values()) >= need:
        return ""
    share = chances.get("both", min(chances.values()))
    odds = f"= {share:.0%}" if share >= 0.005 else "is below 1%"
    titles = {t.id: t.title for t in tasks}
    drives = [
        _drivers_sentence(what, found["tornado"][key], titles)
        for limit_, what, key in (("budget", "cost", "cost"), ("deadline", "duration", "days"))
        if chances.get(limit_, 1.0) < need
    ]
    return (
        f"The limits are improbable: P({_limits(brief, design, found, chances)}) {odds} [{schedule['id']}], where a "
        f"{brief.risk_posture} risk posture asks for {need:.0%}.{''.join(drives)}"
    ).replace("%", " %")


def _drivers_sentence(
    what: str, bars: Sequence[Mapping[str, Any]], titles: Mapping[str, str]
) -> str:
    named = [f"{b['id']} ({titles[b['id']]}, {b['correlation']})" for b in bars[:_DRIVERS]]
    return f" What drives the {what}: {'; '.join(named)}." if named else ""


def _limits(
    brief: Brief, design: Design, found: Mapping[str, Any], chances: Mapping[str, float]
) -> str:
    """The limits whose odds a schedule tells: "≤ 30,000 EUR and ≤ 2 years"."""
    scaling = design.scaling
    said = {
        "budget": f"≤ {amount(scaling.limit or 0)} {scaling.currency}",
        "deadline": f"≤ {_allowed_time(brief, design, found['days_a_month'])}",
    }
    return " and ".join(words for limit, words in said.items() if limit in chances)


def _allowed_time(brief: Brief, design: Design, a_month: int) -> str:
    """The time that the brief allows: in its own words, or by *a_month* working days a month."""
    return design.deadline_words or brief.deadline or length(design.deadline_days or 0, a_month)
