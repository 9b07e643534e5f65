"""How firmly it is said: of how many, with what doubt, as cause or as company."""

import re
from itertools import pairwise

from dr_rd.evidence.support.clauses import home
from dr_rd.evidence.support.content import content, said_of
from dr_rd.evidence.support.direction import turns
from dr_rd.evidence.support.figures import figures
from dr_rd.evidence.wording import wording
from dr_rd.evidence.words import stems


def far(text: str, said: str) -> str:
    """Say how a claim of most or all is ruled out: the passage counts some, or says few."""
    level, there = wording().share(text), wording().share(said)
    if level is None or level < _MOST:
        return ""
    every = level == len(wording().shares) - 1
    for part, of in pairwise(figures(said)):
        p, q = part.quantity.low or 0.0, of.quantity.low or 0.0
        counted = _PART_OF.fullmatch(said[part.quantity.end : of.quantity.start])
        if counted and (2 * p <= q or (every and p < q)):
            return f"the passage says {said[part.start : of.quantity.end]}"
    if every and (fraction := wording().fractions.search(said)):
        return f"the passage speaks of a {fraction[0]}"
    return "the claim speaks of most of them, the passage of few" if there == 0 else ""


_PART_OF = re.compile(
    r"\s+(?:out\s+)?of\s+(?:(?:the|all|its|their|our|these|those)\s+)?", re.IGNORECASE
)

_MOST = 3
"""The level of "most" among the shares of a whole."""


def weaker(text: str, said: str, tongue: str) -> str:
    """Say how the passage claims less: it may be, it is so of some, or things go together."""
    known, clause = wording(), home(content(text, tongue), said, tongue)
    if hedge := _hedge(text, clause, tongue):
        return f"the passage says it with “{hedge}”"
    level, there = known.share(text), known.share(clause)
    if there is not None and (level if level is not None else _UNSAID) > there:
        return "the claim speaks of more of them than the passage"
    link = known.links.search(clause)
    if known.causes.search(text) and link and not known.causes.search(clause):
        return f"the claim names a cause, the passage says “{link[0]}”"
    pairs, mine = {t.pair for t in wording().turns(said)}, turns(text)
    for turn in mine:
        if not pairs & {t.pair for t in mine if t.start == turn.start}:
            return f"the passage does not say “{text[turn.start : turn.end]}”"
    return ""


def _hedge(text: str, clause: str, tongue: str) -> str:
    """The word by which *clause* doubts what *text* says; "" where there is none."""
    shared = {s for s in stems(text, tongue) if not s[0].isdigit()}
    for match in wording().hedges.finditer(clause):
        if (match[0] == "May" and match.start()) or wording().hedges.search(text):
            continue
        if shared & said_of(clause, *match.span(), tongue):
            return match[0]
    return ""


_UNSAID = 2
"""A claim that does not say how much of a whole it means is borne out from "many" on."""
