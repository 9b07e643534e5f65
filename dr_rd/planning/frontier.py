"""The numbers of units that a plan may choose from: what each takes, and which is taken."""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, exp, floor, log
from typing import Any

from core.errors import TaskError
from core.graph.state import GraphTask
from dr_rd.planning.arguments import counted, study_size
from dr_rd.planning.draft import Draft
from dr_rd.planning.estimates import Drivers, at_least, drivers, estimated, main_days
from dr_rd.planning.guesses import guesses_days, pay_parts
from dr_rd.planning.limits import days_at, deadline, money_limit, most_there_may_be
from dr_rd.planning.staffing import Efforts, assignments
from dr_rd.tools.context import Assignment
from dr_rd.tools.sample_size import SampleSize, in_all, recommended, sample_size, units_in_all
from dr_rd.tools.sample_size.power import MOST
from dr_rd.tools.schedule_risk.args import activities, scheduled

_NOT_COUNTED = ("survival", "rates", "area", "area_precision", "stepped_wedge", "factorial")
"""Designs that count something else than the units which a plan pays for."""

_COMPUTED = ("detects", "falls short", "as allowed")
"""Why a number is taken that the brief does not name, so that the plan is made for it."""

_FEWEST_EACH = 2
"""Units a group below which nothing is computed."""

_BEYOND = 2.0
"""How many times the most that there may be is looked at, to see what it would show."""

_OPTIONS = 6
"""Numbers of units that are looked at, at least."""

_FEWEST = 6
"""Units below which none is looked at."""


def with_frontier(
    draft: Draft, tasks: Sequence[GraphTask], efforts: Efforts
) -> tuple[Mapping[str, Any], Drivers]:
    """Return the arguments of the sample size, and what scales the plan: the number that it chooses.

    Where nothing can be computed, or no number keeps the limits, the plan is scaled as its brief
    or its method says.
    """
    if draft.sizing is None or draft.brief.prescribed:
        return {}, drivers(draft)
    expected = draft.frame.count or float(draft.method.default_units)
    call = study_size(draft, draft.sizing, expected)
    if not call or call["design"] in _NOT_COUNTED:
        return call, drivers(draft, _participants(call))
    try:
        frontier = _frontier(draft, tasks, efforts, SampleSize.model_validate(call))
        params = SampleSize.model_validate({**call, "frontier": frontier})
        chosen, why = recommended(params)
    except TaskError:  # an effect that no study can be large enough for
        return call, drivers(draft)
    each = round(chosen / units_in_all(params)) if chosen and why in _COMPUTED else 0
    if each >= _FEWEST_EACH:
        call = {**call, "clusters" if params.members else "given": each}
    return {**call, "frontier": frontier}, drivers(draft, chosen)


def _participants(call: Mapping[str, Any]) -> float | None:
    """Return the participants that a number of events takes; None where nothing tells it."""
    if call.get("design") != "survival" or not call.get("event_share") or not call.get("effects"):
        return None
    found: Any = sample_size(SampleSize.model_validate(call))
    return float(found["rows"][0].get("participants", 0)) or None


def _frontier(
    draft: Draft, tasks: Sequence[GraphTask], efforts: Efforts, params: SampleSize
) -> dict[str, Any]:
    """Return the options and the limits, as the calculation takes them."""
    frame, step = draft.frame, units_in_all(params)
    limit, currency = money_limit(draft.ledger, draft.rates)
    about = counted(draft, draft.sizing) if draft.sizing else ""
    most = most_there_may_be(draft.ledger, about, frame.there)
    asked = frame.count if frame.asked else None
    most = min((n for n in (most, frame.most) if n), default=None)
    assumed = None if frame.count else float(draft.method.default_units)
    sizes = params.sizes[len(params.sizes) // 2 :][:1]  # of customary effects the middle one
    upwards = [n for n in (asked, assumed, *(in_all(params, e) for e in sizes)) if n]
    probe = [_option(draft, tasks, efforts, n) for n in (100.0, 200.0)]
    paid = _affordable(probe, limit)
    paid = None if most and paid and paid > _BEYOND * most else paid
    allowed, window = deadline(draft.ledger, draft.start, draft.brief.closed_days), draft.window
    timed = (_in_time(probe, allowed), _in_time(probe, window, "main_days"))
    downwards = [n for n in (most, paid, *timed) if n and n >= _FEWEST]
    whole = (
        *(step * ceil(n / step) for n in upwards),
        *(step * floor(n / step) for n in downwards),
    )
    numbers = (
        _between(asked, frame.most, step)
        if asked and frame.most and frame.most > asked
        else _filled((n for n in whole if n <= MOST), step, asked, most)
    )
    if paid and step * _FEWEST <= paid < numbers[0]:  # fewer than asked, but what the money buys
        numbers = [float(step * floor(paid / step)), *numbers]
    options = [_option(draft, tasks, efforts, n) for n in numbers]
    limits = {
        "most_cost": limit,
        "most_units": most,
        "most_days": allowed,
        "most_main_days": window,
        "asked": asked,
        "most_asked": frame.most if asked and frame.most and frame.most > asked else None,
        "assumed": assumed,
        "sd": draft.statistics.sd if params.design.endswith("means") else None,
    }
    resources = draft.brief.resources
    rated = bool(resources and any(p.rate is not None for p in resources.people))
    direct = resources is not None and resources.covers == "direct"
    return {
        "options": options,
        "currency": currency,
        "pay_open": limit is not None and not rated and not direct,
        **{name: value for name, value in limits.items() if value is not None},
    }


def _option(
    draft: Draft, tasks: Sequence[GraphTask], efforts: Efforts, units: float
) -> dict[str, float]:
    """Return what the plan takes with so many *units*: known costs, pay included, guesses, days."""
    scales = drivers(draft, units)
    planned, scaling = estimated(draft, tasks, scales)
    staffing = assignments(draft, planned, efforts, scales)
    known, rest = pay_parts(planned, staffing, scaling.currency)
    work = activities(planned, {a.task_id: a for a in staffing})
    held = scheduled(draft.brief.resources)
    least = least_days(draft, planned, staffing, scales)
    return {
        "units": units,
        "cost": round(scaling.known + known.mean),
        "guess_low": round(scaling.guess_low + rest.low),
        "guess_high": round(scaling.guess_high + rest.high),
        "days": round(days_at(work, held, draft.confidence)),
        **({"least_days": round(least, 1)} if guesses_days(planned) else {}),
        **({"main_days": main_days(draft, planned, scales)} if draft.window else {}),
    }


def least_days(
    draft: Draft, tasks: Sequence[GraphTask], staffing: Sequence[Assignment], scales: Drivers
) -> float:
    """Return the working days that the brief's own times take; what goes before a day of its counts in full."""
    least = activities(at_least(draft, tasks, scales), {a.task_id: a for a in staffing})
    before = draft.anchor.lead if draft.anchor else 0.0
    return before + days_at(least, scheduled(draft.brief.resources), draft.confidence)


def _affordable(probe: Sequence[Mapping[str, float]], limit: float | None) -> float | None:
    """Return the most units that *limit* pays for by what is known; None where nothing is."""
    one, two = probe
    each = (two["cost"] - one["cost"]) / (two["units"] - one["units"])
    if limit is None or each <= 0:
        return None
    return floor((limit - one["cost"]) / each + one["units"])


def _in_time(
    probe: Sequence[Mapping[str, float]], limit: float | None, days: str = "least_days"
) -> float | None:
    """Return the most units that there is time for by the brief's own pace; None where it sets none."""
    one, two = (p.get(days, p["days"]) for p in probe)
    each = (two - one) / (probe[1]["units"] - probe[0]["units"])
    if limit is None or each <= 0:
        return None
    return floor(round((limit - one) / each + probe[0]["units"], 3))


def _filled(
    numbers: Iterable[float], step: float, asked: float | None, most: float | None
) -> list[float]:
    """Return *numbers* in order, with others between and around them where they are few.

    None is below what is *asked*; of what is asked for and may not be more, none is added.
    """
    asked = asked if asked and asked <= MOST else None
    least = asked or 2 * step
    found = sorted({float(n) for n in numbers if n >= least}) or [
        step * ceil(max(least, _FEWEST * step) / step)
    ]
    low, high = max(_FEWEST, found[0] if asked else found[0] / 2), max(found[-1], 2 * found[0])
    if asked and most and most <= asked:
        high = found[-1]
    for n in range(_OPTIONS):
        if len(found) >= _OPTIONS or high <= low:
            break
        between = exp(log(low) + (log(high) - log(low)) * n / (_OPTIONS - 1))
        whole = float(step * round(between / step))
        if whole >= least and all(abs(log(whole / other)) > _CLOSE for other in found):
            found.append(whole)
    return sorted(found)


def _between(low: float, high: float, step: float) -> list[float]:
    """Return both ends of the range that the brief names, and numbers between them."""
    ends = step * ceil(low / step), step * floor(high / step)
    parts = (low * (high / low) ** (n / (_OPTIONS - 1)) for n in range(1, _OPTIONS - 1))
    return sorted({*ends, *(float(step * round(n / step)) for n in parts)})


_CLOSE = 0.15
"""Of the logarithm: numbers nearer to each other tell a reader the same."""
