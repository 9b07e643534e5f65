"""What each number of units shows and costs, and which of them is worth taking."""

from collections.abc import Sequence
from math import ceil
from typing import Literal

from pydantic import Field, JsonValue

from core.values import Amount, Frozen, rounded_to
from dr_rd.tools.sample_size.power import MOST

Why = Literal["detects", "falls short", "as asked", "as allowed", "as assumed"]
"""Why a number is recommended: the fewest that detect the effect; the most that the limits allow,
which do not; what the brief asks for; the most that the limits allow, where nobody names an
effect; what the library assumes."""


class Option(Frozen):
    """A number of units and what it takes."""

    units: float = Field(gt=1, le=MOST)
    """In all; of clusters, the clusters."""
    cost: Amount = 0
    """What is known of its direct costs."""
    guess_low: Amount = 0
    guess_high: Amount = 0
    """Between which the library guesses the rest of them."""
    days: Amount | None = None
    """Working days of the whole work, at the confidence of the plan."""
    least_days: Amount | None = Field(default=None, exclude_if=lambda days: days is None)
    """Those that are no guess, which alone can break a limit; None where *days* holds no guess."""
    main_days: Amount | None = Field(default=None, exclude_if=lambda days: days is None)
    """Those in which the units are measured, where the brief says from when to when."""


class Frontier(Frozen):
    """The numbers to choose from, and what limits the choice."""

    options: tuple[Option, ...] = Field(min_length=1, max_length=12)
    currency: str = Field(default="", max_length=3)
    most_cost: Amount | None = None
    most_units: Amount | None = None
    most_days: Amount | None = None
    most_main_days: Amount | None = Field(default=None, exclude_if=lambda days: days is None)
    """Working days between the first and the last on which units may be measured."""
    asked: Amount | None = None
    """Units that the brief asks for at least."""
    most_asked: Amount | None = None
    """The upper end of the range that the brief names, from *asked* on."""
    assumed: Amount | None = None
    """Units that the library takes where nothing says how many."""
    pay_open: bool = False
    """Whether the limit on cost may have to pay people whose rates nobody gave."""
    sd: float | None = Field(default=None, gt=0)
    """Standard deviation of the outcome, in whose unit effects are then given as well."""


class Shown(Frozen):
    """What one number of units shows."""

    units: float
    detectable: float | None
    """Smallest effect shown with the power; a half-width where precision is sized."""
    power: float | None = None
    """For the effect that the study is sized for."""
    spread: float | None = None
    """The standard deviation up to which an effect in another unit is shown."""


def chosen(
    frontier: Frontier, shown: Sequence[Shown], target: float | None, need: float | None
) -> dict[str, JsonValue]:
    """Return the rows of the frontier and the one to take, with why.

    *target* is the effect that the study is sized for, *need* the units in all that detect it.
    """
    over = [_over(frontier, option) for option in frontier.options]
    best, why = best_of(frontier, need)
    rows: list[JsonValue] = [
        {
            **option.model_dump(),
            "detectable": found.detectable,
            "outcome": _in_outcome(found.detectable, frontier.sd),
            "power": found.power,
            "spread": found.spread,
            "over": list(limits),
        }
        for option, found, limits in zip(frontier.options, shown, over, strict=True)
    ]
    return {
        "rows": rows,
        "target": target,
        "target_outcome": _in_outcome(target, frontier.sd),
        "needed": need,
        "recommended": best.units if best else None,
        "why": why,
        "currency": frontier.currency,
        "limits": frontier.model_dump(
            include={*_LIMITS},
            exclude_defaults=True,
        ),
        "covariate_units": ceil(round(need * (1 - _ADJUSTED**2), 9)) if need else None,
        "covariate": _ADJUSTED,
    }


_LIMITS = (
    "most_cost", "most_units", "most_days", "most_main_days", "asked", "most_asked", "pay_open",
)  # fmt: skip

_ADJUSTED = 0.5
"""Correlation of a reading before with the outcome, by which the lever of adjusting is shown."""


def _over(frontier: Frontier, option: Option) -> list[str]:
    """The limits that an option breaks."""
    held = (
        ("units", option.units, frontier.most_units),
        ("cost", option.cost, frontier.most_cost),
        (
            "days",
            option.days if option.least_days is None else option.least_days,
            frontier.most_days,
        ),
        ("window", option.main_days, frontier.most_main_days),
    )
    found = [name for name, value, most in held if most is not None and (value or 0) > most]
    if frontier.asked is not None and option.units < frontier.asked:
        found.append("asked")
    return found


def best_of(frontier: Frontier, need: float | None) -> tuple[Option | None, Why | None]:
    """Return the option to take of those that keep the limits, and why; None where none does.

    A deadline that no number keeps decides between none of them.
    """
    broken = [set(_over(frontier, option)) for option in frontier.options]
    # whatever the number: none mends it
    late = {name for name in ("days", "window") if all(name in over for over in broken)}
    kept = [o for o, over in zip(frontier.options, broken, strict=True) if over <= late]
    if not kept:
        return None, None
    if need is not None:
        enough = [o for o in kept if o.units >= need]
        return (enough[0], "detects") if enough else (kept[-1], "falls short")
    if frontier.asked is not None and not frontier.most_asked:
        return kept[0], "as asked"
    if frontier.most_asked or frontier.most_units is not None or len(kept) < len(frontier.options):
        return kept[-1], "as allowed"
    same = [o for o in kept if o.units >= (frontier.assumed or 0)]
    return (same or kept[-1:])[0], "as assumed"


def _in_outcome(effect: float | None, sd: float | None) -> float | None:
    return None if effect is None or sd is None else rounded_to(abs(effect) * sd, 3)
