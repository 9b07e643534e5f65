"""The effects that a brief names: which the size is computed for, and what is missing for the others."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from core.values import Frozen
from dr_rd.files import read_yaml
from dr_rd.study import Effect, Needed, Statistics
from dr_rd.tools.sample_size import DESIGNS, needed


class NamedEffect(Frozen):
    """An effect that the brief names."""

    said: str
    """As a reader takes it in: "a change of at least 10 %"."""
    quote: str
    taken: bool
    """Whether the size is computed for it."""
    why: str = ""
    """Why it is not, in a sentence."""
    asks: str = ""
    """What would settle it."""
    who: str = ""
    """Who would know."""
    spread: str = ""
    """At which spread a number of units shows it, with the slot {spread}; "" where that says nothing."""
    percent: bool = False
    """Whether that spread is a fraction to be said in percent."""
    points: bool = False
    """Whether it is one to be said in points of a percentage."""
    unit: str = ""


class Lacking(Frozen):
    """What is said of one missing figure."""

    asks: str
    who: str
    spread: str = ""


@cache
def lacking() -> Mapping[str, Lacking]:
    """Read the table."""
    return {k: Lacking(**v) for k, v in read_yaml("planning", "lacking.yaml").items()}


def named_effects(
    effects: Sequence[Effect],
    stated: Statistics,
    call: Mapping[str, Any],
    words: Mapping[str, str],
) -> tuple[NamedEffect, ...]:
    """Say of each effect what the size, computed by *call*, makes of it; *words*: slots of the brief."""
    return tuple(_named(e, stated, call, words) for e in effects)


def _named(
    effect: Effect, stated: Statistics, call: Mapping[str, Any], words: Mapping[str, str]
) -> NamedEffect:
    said, quote = effect.words, effect.quote
    if effect.value != stated.effect:
        why = "The size is computed for one effect: this one is held against what it shows."
        return NamedEffect(said=said, quote=quote, taken=False, why=why)
    if call.get("effects") and "wanted" not in call:
        return NamedEffect(said=said, quote=quote, taken=True)
    missing = needed(stated)
    if missing.lacks not in lacking():
        return NamedEffect(
            said=said, quote=quote, taken=False, why=missing.why_not or _other(call, effect)
        )
    of = lacking()[missing.lacks]
    slots = {"outcome": words.get("outcome", "the outcome"), "units": words.get("units", "units")}
    return NamedEffect(
        said=said,
        quote=quote,
        taken=False,
        why=missing.why_not,
        asks=of.asks.format(**slots),
        who=of.who,
        spread=of.spread.format(**slots, spread="{spread}") if "wanted" in call else "",
        percent=effect.measure in _FRACTIONS,
        points=effect.measure == "percentage points",
        unit=effect.unit,
    )


def _other(call: Mapping[str, Any], effect: Effect) -> str:
    """Why an effect is not used though nothing is missing for it."""
    if not call:
        return f"No calculation of this design takes {effect.words}."
    title = DESIGNS[call["design"]].title
    return f"The design is sized as {title}, which takes no {effect.measure}."


_FRACTIONS = ("percent change", "percentage points", "explained variance")


def wanted_of(stated: Statistics, follows: Needed) -> float | None:
    """Return the size of an effect whose spread alone is missing; None of any other."""
    if stated.effect is None or follows.lacks not in (
        "variation",
        "sd",
        "discordant",
        "share_spread",
    ):
        return None
    if follows.lacks == "sd" and stated.effect_kind not in ("mean difference", None):
        return None
    return abs(stated.effect) or None
