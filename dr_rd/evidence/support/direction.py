"""Whether a passage says the opposite: it denies what is said, or turns it round."""

import re

from dr_rd.evidence.support.clauses import BREAK, clauses, home
from dr_rd.evidence.support.content import content, said_of
from dr_rd.evidence.support.figures import changes, figures
from dr_rd.evidence.support.order import same_order
from dr_rd.evidence.wording import Turn, wording
from dr_rd.evidence.words import stems
from dr_rd.quantity import quantities


def opposed(text: str, said: str, tongue: str) -> str:
    """Say how the sentence says the opposite; "" where it does not."""
    for part in clauses(text):
        wanted = content(part, tongue)
        clause = home(wanted, said, tongue)
        if reason := _clause_opposed(part, clause, tongue):
            return reason
    return ""


def _clause_opposed(mine: str, theirs: str, tongue: str) -> str:
    even = _denials(mine, theirs, tongue) % 2 == _denials(theirs, mine, tongue) % 2
    for kind in wording().pivots:
        order = same_order(mine, theirs, kind, tongue)
        if order is not None and order != even:
            return "the claim and the passage put two things in opposite order"
        if order and kind == "compared":
            return ""
    turned = _turned(mine, theirs, tongue)
    if turned and even:
        return f"the claim and the passage point in opposite directions ({turned})"
    if not turned and not even:
        return "one says it, the other denies it"
    return ""


def _denials(text: str, other: str, tongue: str) -> int:
    """Count the negations in *text* of something that *other* speaks of too."""
    denials = list(wording().denials(text))
    bounds = [(q.start, q.end) for q in quantities(text)] if denials else []
    around = (
        said_of(text, *m.span(), tongue)
        for m in denials
        if not any(a <= m.start() < b for a, b in bounds)
    )
    shared = set(stems(other, tongue)) if denials else set[str]()
    return sum(bool(shared & near) for near in around)


def _turned(mine: str, theirs: str, tongue: str) -> str:
    """Name the two words that point in opposite directions; "" where none do."""
    for turn in turns(mine):
        others = [t for t in turns(theirs) if t.pair == turn.pair]
        around = _around(mine, turn, tongue)
        shared = [len(around & _around(theirs, o, tongue)) for o in others]
        best = max(shared, default=0)
        nearest = [o for o, n in zip(others, shared, strict=True) if n == best]
        if best and all(o.side != turn.side for o in nearest):
            there = nearest[0]
            return f"{mine[turn.start : turn.end]} against {theirs[there.start : there.end]}"
    return ""


def turns(text: str) -> list[Turn]:
    """Words of direction, those that bound a figure left out; "from 2 to 5" goes up."""
    inside = [(f.quantity.start, f.quantity.end) for f in figures(text)]
    free = (t for t in wording().turns(text) if not any(a <= t.start < b for a, b in inside))
    ahead = (t for t in free if not _BOUND.match(text, t.start))
    return [*ahead, *(Turn(0, side, start, end) for start, end, side in changes(text))]


_BOUND = re.compile(r"(?:over|under|above|below|up)\s+\d", re.IGNORECASE)

_AROUND = 5
"""Content words on each side of a word of direction that it may be said of."""


def _around(text: str, turn: Turn, tongue: str) -> set[str]:
    """What a word of direction is said of: words near it, in the same stretch between breaks."""
    cuts = [(m.start(), m.end()) for m in BREAK.finditer(text)]
    start = max((b for a, b in cuts if a <= turn.start), default=0)
    end = min((a for a, b in cuts if a >= turn.end), default=len(text))
    before = stems(text[start : turn.start], tongue)[-_AROUND:]
    return {*before, *stems(text[turn.end : end], tongue)[:_AROUND]}
