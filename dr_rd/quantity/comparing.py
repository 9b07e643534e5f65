"""How a number is bounded by the words about it."""

import re
from collections.abc import Mapping, Sequence

from dr_rd.quantity.grammar import Grammar
from dr_rd.quantity.values import Comparison

_APART = re.compile(r"[\s.,;)|]+")

_COMPARED = re.compile(r"\b(?!other|rather|wheth)(\w+er)\s+than\s+(?:an?\s+)?$", re.IGNORECASE)

_SYMBOL = re.compile(r"(?:[<>]=?|[=≤≥≈~])\s*$")

_NEGATED = re.compile(
    r"\b(?:no|not|never|cannot|n[’']t)(?:\s+(?:be|to|fall|go|drop|last|run|take|cost))?\s+$"
    r"|\b(?:not|never|cannot|n[’']t)\s+\w+\s+(?:by\s+)?$",
    re.IGNORECASE,
)

_ALL_OVER = re.compile(
    r"\b(?:over|beyond|above)\s+(?:all\s+)?(?:the|these|those|our)\s+$", re.IGNORECASE
)
"""Before a figure it says where something is done: "over the 30 objects"."""

_MINIMUM = re.compile(r"\b(minimum|maximum)\s(?:[\w-]+\s){1,3}of\s$", re.IGNORECASE)
"""Before a figure it bounds it, whatever is as great: "a minimum sample size of"."""

_ADDED = re.compile(r"\b(?:add(?:s|ed|ing)?|sums?|summ(?:ed|ing))\sup\sto\s$", re.IGNORECASE)
"""Before a figure it tells a sum, and bounds nothing: "costs add up to 48,000 EUR"."""

_FILLERS = frozenset(
    ["", *"a an the of to age aged ages specified stated planned given original".split()]
)

_FLIPPED: Mapping[Comparison, Comparison] = {
    "more_than": "at_most",
    "less_than": "at_least",
    "at_most": "more_than",
    "at_least": "less_than",
}


def leading(grammar: Grammar, left: str, *, dated: bool) -> tuple[Comparison, int] | None:
    """The comparison at the end of *left*, and its length; "up to" a date is no bound but an end."""
    if symbol := _SYMBOL.search(left[-4:]):
        return grammar.before[symbol[0].strip()], len(symbol[0])
    if _ALL_OVER.search(left):
        return None
    if least := _MINIMUM.search(left):
        return ("at_least" if least[1].lower() == "minimum" else "at_most"), len(least[0])
    words = left.split(" ")[-7:]
    up_to = " ".join(words[-3:-1]).lower()
    bounding = not dated and not _ADDED.search(left)
    if bounding and words[-2:] == ["to", ""] and grammar.before.get(up_to) == "at_most":
        return _flipped("at_most", left, left.lower().rfind(up_to))
    telling = _telling(words)
    for size in (3, 2, 1):
        phrase = " ".join(telling[-size:])
        if len(telling) >= size and (name := grammar.before.get(phrase.lower())):
            return _flipped(name, left, left.rfind(phrase))
    if "than" in left.lower() and (compared := _COMPARED.search(left)):
        smaller = compared[1].lower() in grammar.smaller
        return _flipped("less_than" if smaller else "more_than", left, compared.start())
    return None


def _telling(words: Sequence[str]) -> list[str]:
    """Those before a number, but the last that say nothing of how it is bounded."""
    kept = list(words)
    while kept and kept[-1].lower() in _FILLERS:
        kept.pop()
    return kept[:-2] if kept[-2:] == ["a", "total"] else kept


def _flipped(name: Comparison, left: str, start: int) -> tuple[Comparison, int]:
    """Turn the comparison round where a negation stands before it."""
    if negated := _NEGATED.search(left, 0, start):
        return _FLIPPED.get(name, name), len(left) - negated.start()
    return name, len(left) - start


def trailing(
    grammar: Grammar, text: str, position: int, unit: str
) -> tuple[Comparison, int] | None:
    """The comparison right after *position*, and where it ends."""
    right = text[position : position + 24]
    if right[:1] == "+" and right[1:2] not in ("/", "-"):
        return "at_least", position + 1
    if not grammar.trailing.match(right):
        return None  # most figures have no such words after them
    words = _APART.split(right.strip(), maxsplit=3)[:3]
    if words[:2] == ["or", "better"]:
        return ("at_least" if unit == "percent" else "at_most"), position + 10
    for size in (3, 2, 1):
        phrase = " ".join(words[:size])
        if len(words) >= size and (name := grammar.after.get(phrase.lower())):
            return name, position + right.find(words[size - 1]) + len(words[size - 1])
    return None
