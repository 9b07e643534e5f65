"""Limits of several figures: "at most 3 sites and 40 participants", "9 months, 40 kEUR"."""

import re
from collections.abc import Sequence
from itertools import pairwise

from dr_rd.checks.items import Limit
from dr_rd.checks.terse import says_only, whole
from dr_rd.quantity import DATE, YEAR, Comparison, Quantity, quantities

_PARTING = re.compile(r"\s*(?:,?\s(?:and|plus)\s|[,;/+&])\s*")
_BOUNDING: tuple[Comparison, ...] = ("at_least", "at_most", "less_than", "more_than")
_DIGIT = re.compile(r"[£$€]?\d")


def carried(found: Sequence[Quantity], text: str) -> list[Quantity]:
    """The figures of a limit, each bounded as that beside it where it has no bound of its own.

    Of "at most 3 sites and 40 participants" both are the most that there may be, and of
    "3 sites and 40 participants max" too.
    """
    out = list(found)
    for n, (last, one) in enumerate(pairwise(found), 1):
        if _takes(out[n - 1], one) and _joined(last, one, text):
            out[n] = _bounded(one, out[n - 1].comparison)
    for n in range(len(out) - 1, 0, -1):
        last, one = out[n - 1], out[n]
        trails = one.comparison in _BOUNDING and _DIGIT.match(one.text)
        if trails and _takes(one, last) and _joined(last, one, text):
            out[n - 1] = _bounded(last, one.comparison)
    return out


def _takes(bounded: Quantity, bare: Quantity) -> bool:
    """Whether a bare count, of something else, may take the bound of another."""
    counts = bool(bare.noun) and bare.noun != bounded.noun and not (bare.unit or bounded.unit)
    return counts and bounded.comparison in _BOUNDING and bare.comparison == "stated"


def _joined(last: Quantity, one: Quantity, text: str) -> bool:
    return bool(_PARTING.fullmatch(text[last.end : one.start]))


def _bounded(q: Quantity, comparison: Comparison) -> Quantity:
    least = comparison in ("at_least", "more_than")
    update = {
        "comparison": comparison,
        "low": q.low if least else None,
        "high": None if least else q.high,
    }
    return q.model_copy(update=update)


def several(text: str) -> tuple[Limit, ...]:
    """The bounds of a limit that is a row of figures and says little else; none for others.

    One of them at least is of the whole work: counts alone are read with the words about them.
    """
    found = quantities(text)
    parts = _parts(text, found)
    limits = [_limit(part, q) for part, q in zip(parts, carried(found, text), strict=False)]
    bounds = [one for one in limits if one]
    rows = len(parts) > 1 and len(bounds) == len(parts) and any(b.whole for b in bounds)
    return tuple(bounds) if rows else ()


def _parts(text: str, found: Sequence[Quantity]) -> list[str]:
    """What a limit says of each of its figures; none where nothing parts them."""
    parts, begin = list[str](), 0
    for last, one in pairwise(found):
        cut = _PARTING.search(text, last.end, one.start)
        if not cut:
            return []
        parts.append(text[begin : cut.start()])
        begin = cut.end()
    return [*parts, text[begin:]] if found else []


def _limit(part: str, q: Quantity) -> Limit | None:
    """The bound that one figure of a row sets: to the whole work, or to what it counts."""
    if bound := whole(part):
        return bound[0]
    if q.noun in ("", DATE, YEAR) or not says_only(part, q):
        return None
    if q.comparison == "stated":
        q = q.model_copy(update={"comparison": "exactly"})
    return Limit(quantity=q)
