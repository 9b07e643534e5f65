"""What a study counts, measures and compares with, where the words of the brief make it certain."""

import re
from collections.abc import Iterator

from dr_rd.quantity import TIME_UNITS
from dr_rd.reading.statistics import Stated
from dr_rd.reading.tagged import Tagged
from dr_rd.text import stem

_REST = re.compile(
    r"\b(?:that|which|who|whose|in|on|at|from|with|is|are|was|were|has|have|do|does|sent|for|by|to|than|compared|versus|vs"
    r"|within|after|when|among|whether|if|without|as|over|under|because|so|during)\b|[,;:.?(]"
)
"""Where the words of a noun end."""
_SHARE_OF = re.compile(
    r"\b(?:(?:share|proportion|percentage|fraction) of|how many(?: of)?) (?:the |our |all )?",
    re.IGNORECASE,
)
_OF = re.compile(r"\W*of (?:the |our |all )?(?P<what>[^,.;:()]{2,60})")
_SPREAD = re.compile(r"\b(?:between|among|across) (?:the )?(?P<what>[^\W\d_]\w*)", re.IGNORECASE)
_PLURAL = re.compile(
    r"[^\W\d_][\w’'-]*[^\W\d_sui]s|people|children|men|women|mice|geese|sheep", re.IGNORECASE
)
_AGAINST = re.compile(
    r"\b(?:(?:compared (?:with|to)|in comparison (?:with|to)|versus|vs\.?|against|instead of|rather than|relative to|inferior to)"
    r"(?: the| an?| our)?|than (?:(?:with|after|in|on|by|under|at|from|for) )?(?:the|our|an?|those|in|with|after|on|by)) (?P<what>(?!\d|hour|minute|day|you)[^,.;:?()]{3,60})",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:reduc(?:es?|ing)|lower(?:s|ing)?|rais(?:es?|ing)|improv(?:es?|ing)|increas(?:es?|ing)|shorten(?:s|ing)?|prevent(?:s|ing)?)"
    r" (?:the |an? |our )?(?P<what>(?!\d|of\b|it\b|them\b)[^,.;:?()]{3,60})",
    re.IGNORECASE,
)
_AGREE = 2
"""Places of a text that have to name the same unit."""


def unit_of(found: Tagged, stated: Stated, objective: str) -> str | None:
    """Return what is counted as sampled or used, where two figures or a figure and the objective agree."""
    told: dict[str, list[str]] = {}
    for noun in dict(_units(found, stated, objective)).values():
        told.setdefault(stem(noun.lower()), []).append(noun)
    best = max(told.values(), key=len, default=[])
    return best[0].lower() if len(best) >= _AGREE else None


def _units(found: Tagged, stated: Stated, objective: str) -> Iterator[tuple[str, str]]:
    """The nouns that may be the unit, each with what names it."""
    if (share := _SHARE_OF.search(objective)) and (noun := _plural(objective[share.end() :])):
        yield "objective", noun
    for name in ("loss", "base_rate", "response"):
        amount = stated.amounts.get(name)
        of = _OF.match(amount.after) if amount is not None else None
        if of and (noun := _plural(of["what"])):
            yield name, noun
    for name in ("cluster_size", "population"):
        amount = stated.amounts.get(name)
        if amount is not None and (noun := _plural(amount.fact.amount.noun)):
            yield name, noun
    spread = stated.amounts.get("sd")
    if spread is not None:
        among = _SPREAD.search(spread.after[:60]) or _SPREAD.search(spread.before[-90:])
        if among and _PLURAL.fullmatch(among["what"]):
            yield "sd", among["what"]
    paces = (
        noun
        for a in found.amounts
        if a.kind == "count" and a.fact.per in TIME_UNITS and a not in stated.amounts.values()
        if (noun := _plural(a.fact.amount.noun))
    )
    if done := next(paces, None):
        yield "pace", done


def _plural(words: str) -> str | None:
    """The head of a noun in the plural: "permanent exclusion letters sent in …" is of letters."""
    named = re.findall(r"[^\W\d_][\w’'-]*", _REST.split(words)[0])[:7]
    return next((w for w in named if _PLURAL.fullmatch(w)), None)


def comparator_of(objective: str) -> str | None:
    """Return what the objective holds the new thing against; None where it names nothing."""
    return _named(_AGAINST, objective)


def outcome_of(objective: str) -> str | None:
    """Return what the objective says is lowered, raised or prevented; None where it says nothing."""
    return _named(_CHANGED, objective)


def _named(pattern: re.Pattern[str], objective: str) -> str | None:
    found = pattern.search(objective)
    words = (
        " ".join(re.split(r"\band\b", _REST.split(found["what"])[0])[0].split()) if found else ""
    )
    return words or None
