"""What one line of a brief asks for and another refuses: "interview teachers", "no interviews"."""

import re
from collections.abc import Iterator

from dr_rd.checks.denials import left_out, written_out
from dr_rd.checks.items import Ledger, LedgerItem
from dr_rd.checks.segments import BANNED, REFUSING, segments
from dr_rd.checks.weighing import said, stems_in
from dr_rd.markup import unmarked
from dr_rd.quantity import quantities
from dr_rd.text import lexicon, sentences

_QUALIFIED = re.compile(
    r"\b(?:if|unless|except|where|when|whenever|until|while|or|only|without|other than|instead|rather|beyond|more|fewer|less"
    r"|replace\w*|avoid\w*|reduce\w*)\b",
    re.IGNORECASE,
)
"""With one of them a line asks for a thing, or refuses it, in some cases alone."""

_MEANS = re.compile(r"\b(?:by|via|through|by means of|with the help of)\s", re.IGNORECASE)
"""Before a thing it says that something is done with that."""


_TURN = re.compile(
    r"\s(?:at|in|on|for|as|to|with|from|during|within|across|of|by)\s", re.IGNORECASE
)
"""Where what a thing is asked of, or for, begins."""


def refusals(ledger: Ledger) -> Iterator[tuple[LedgerItem, LedgerItem]]:
    """Yield each item that asks for a thing, with each other one that refuses just that.

    Told are only those of which one says nothing but what the other does: whoever refuses
    interviews with pupils may ask for some with teachers.
    """
    refusing = [(i, frozenset(said(t))) for i in ledger.items for t in _said_of(i, refused=True)]
    for item in ledger.items:
        wanted = {w for text in _said_of(item, refused=False) for w in _wanted(text)}
        found = {o.id: o for o, words in refusing if words in wanted and o is not item}
        yield from ((item, other) for other in found.values())


def _said_of(item: LedgerItem, *, refused: bool) -> Iterator[str]:
    """The parts of an item that ask for something, or refuse it, in all cases."""
    text = written_out(unmarked(item.text))
    parts = [(BANNED.sub("", text), True)] if item.kind == "ban" else map(_stance, segments(text))
    for part, no in parts:
        thing = left_out(part) if no else ""
        if (no and not thing) is refused and _plain(thing or part, asked=not refused):
            yield thing or part


def _stance(part: str) -> tuple[str, bool]:
    negated = REFUSING.match(part)
    return (part[negated.end() :], True) if negated else (part, False)


def _plain(text: str, *, asked: bool) -> bool:
    """Whether a part says in all cases what it does, and of something in particular."""
    if _QUALIFIED.search(text) or not set(said(text)) - lexicon().generic:
        return False
    if not asked:
        return not quantities(text)
    return all(s == "affirmed" for sentence in sentences(text) for s in sentence.stances)


def _wanted(text: str) -> Iterator[frozenset[str]]:
    """The things that a text asks for: all that it says, what it begins with, or what it works with."""
    text = _uncounted(text)
    head = _TURN.split(text, maxsplit=1)[0]
    for words in (said(text), said(head)):
        yield frozenset(words)
        yield frozenset(words) - stems_in("acts")
    first, *others = said(head) or ("",)
    if others and stems_in("persons").issuperset(others):
        yield frozenset([first])  # "interview teachers"
    if means := _MEANS.split(text, maxsplit=1)[1:]:
        yield frozenset(said(means[0]))


def _uncounted(text: str) -> str:
    """The text without its figures, but with what they count."""
    for q in reversed(quantities(text)):
        noun = q.noun if q.noun in q.text else ""
        text = f"{text[: q.start]}{noun}{text[q.end :]}"
    return text
