"""The design whose size a brief asks for, and the figures that this needs beside its effect."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from dr_rd.reading.amounts import Amount
from dr_rd.reading.effects import is_of_others, vocabulary

_OF_A_SHARE = ("proportion difference", "odds ratio", "risk ratio", "percent change")
"""Effects that are held against the share that is there without the treatment."""

_MOST_GROUPS = 12
"""Groups above which a count is of something else."""

_OF_RATES = ("rate ratio", "percent change")


def in_figures(
    held: Sequence[Amount], taken: Mapping[str, Amount], values: Mapping[str, Any]
) -> dict[str, tuple[float, Amount]]:
    """Return what an effect has to be held against: spread, present share or rate, number of groups."""
    found: dict[str, tuple[float, Amount]] = {}
    used = set(taken.values())
    for amount in held:
        if amount in used or amount.segment.kind == "ban" or is_of_others(amount):
            continue
        if figure := _figure(amount, held):
            found.setdefault(figure[0], (figure[1], amount))
    kind, rate = values.get("effect_kind"), found.pop("rate", None)
    if rate and kind in _OF_RATES:
        found["base_rate"] = rate
    if kind not in (*_OF_A_SHARE, *_OF_RATES, "hazard ratio") or "base_rate" in values:
        found.pop("base_rate", None)
    if "effect" not in values:
        return {k: v for k, v in found.items() if k == "base_rate"}
    return found


def _figure(amount: Amount, held: Sequence[Amount]) -> tuple[str, float] | None:
    """What an amount is that an effect is held against, and its value; None where it is nothing of it."""
    words, low = vocabulary(), amount.fact.amount.low
    before, tail = amount.before[-80:], amount.after
    if not low:
        return None
    if amount.kind == "share" and words.says("variation", before):
        return "variation", round(low / 100, 6)
    if _is_present(before, tail, amount):
        if amount.kind == "share" and 0 < low < _WHOLE:
            return "base_rate", round(low / _WHOLE, 6)
        if words.patterns["rates"].match(tail.strip()):
            return "rate", _each(amount, held)
    counts = amount.kind == "count" and low == int(low) and _FEWEST_GROUPS <= low <= _MOST_GROUPS
    return ("groups", int(low)) if counts and _counts_groups(amount, held) else None


_WHOLE = 100
_RARE = 0.01
"""Events per unit of time below which a rate is one of rare events, and no share."""
_FEWEST_GROUPS = 3
"""Groups from which a test of all of them is another than that of two."""


def _is_present(before: str, tail: str, amount: Amount) -> bool:
    words = vocabulary()
    behind = f"{amount.fact.amount.text} {tail[:30]}"
    return bool(words.says("present", before) or words.says("present", behind))


def _each(amount: Amount, held: Sequence[Amount]) -> float:
    """A rate for one unit of time: "6.2 falls per 1,000 bed days"."""
    low = amount.fact.amount.low or 0.0
    per = next((a for a in held if a.segment == amount.segment and a.start > amount.end), None)
    near = per is not None and per.start - amount.end < len(" per about ")
    many = per.fact.amount.low if per is not None and near else None
    return round(low / many, 9) if many else low


def _counts_groups(amount: Amount, held: Sequence[Amount]) -> bool:
    """Whether a count is of levels that are compared: by its noun, or as others are counted for each."""
    noun = amount.fact.amount.noun.lower()
    if vocabulary().says("holders", noun):
        return False
    if vocabulary().says("groups", noun) and not amount.fact.per:
        return True
    words = re.findall(r"\w+", noun)
    pers = {a.fact.per.lower() for a in held if a.fact.per and a is not amount}
    pers -= {"day", "week", "month", "year", "hour", "evening"}
    return not amount.fact.per and any(w.rstrip("s") in pers or w in pers for w in words)


def design_of(values: Mapping[str, Any], text: str, cued: str) -> str:
    """Return the design, in the words of statistics, that figures and text ask for; "none" where none.

    *cued* is the one that a word of the text names outright.
    """
    kind = str(values.get("effect_kind", ""))
    layout = cued in ("cluster", "paired") or kind not in _NEEDS_KIND.get(cued, (kind,))
    if cued.startswith("non-inferiority"):
        return f"non-inferiority {_outcome(values)}"
    if cued and not layout:
        return cued
    if values.get("margin_kind") in ("non-inferiority", "equivalence"):
        return f"{values['margin_kind']} {_outcome(values)}"
    if kind in _BY_KIND:
        return _BY_KIND[kind]
    if kind in ("explained variance", "cohen's f"):
        return "correlation" if _is_slope(values, text) else "anova"
    return _compared(values, text, cued)


def _compared(values: Mapping[str, Any], text: str, cued: str) -> str:
    """The design of a comparison, by how its units are laid out and what is measured of them."""
    kind, words = values.get("effect_kind"), vocabulary()
    if kind is not None and words.says("items", text):
        return "paired"
    if cued == "cluster" or "icc" in values:
        return f"cluster {_outcome(values)}"
    if kind is None and values.get("margin_kind") == "precision":
        return "one mean" if "sd" in values else "one proportion"
    if "second_rate" in values or kind in ("proportion difference", "odds ratio", "risk ratio"):
        return "two proportions"
    if kind == "percent change" and "base_rate" in values:
        rare = values["base_rate"] < _RARE and words.says("rates", text)
        return "rates" if rare or values["base_rate"] >= 1 else "two proportions"
    if kind is None:
        return "none"
    if cued == "paired" or words.says("paired", text):
        return "paired"
    return "anova" if values.get("groups") else "two means"


_NEEDS_KIND: Mapping[str, tuple[str, ...]] = {
    "survival": ("hazard ratio",),
    "correlation": ("correlation", "explained variance"),
}
"""Designs that a word alone does not make: their effect must be of the kind."""

_BY_KIND: Mapping[str, str] = {
    "hazard ratio": "survival",
    "rate ratio": "rates",
    "correlation": "correlation",
    "area": "auc",
    "reliability": "reliability",
}


def _outcome(values: Mapping[str, Any]) -> str:
    """Whether shares or means are compared."""
    shares = "base_rate" in values or values.get("effect_kind") in (
        "proportion difference", "odds ratio", "risk ratio",
    )  # fmt: skip
    return "proportions" if shares and "sd" not in values else "means"


def _is_slope(values: Mapping[str, Any], text: str) -> bool:
    """Whether variance is explained by a number, and not by belonging to a group."""
    words = vocabulary()
    by_r = re.search(r"\bR(?:²|\^2|2|[- ]squared)", text)
    return bool(not values.get("groups") and (by_r or words.says("slope", text)))
