"""What the checks look at: the sentences of a text, and the figures that it states."""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Literal

from dr_rd.ledger import LedgerItem
from dr_rd.prose import Cue, Sentence, Stance, cued
from dr_rd.quantity import Quantity

Share = Literal["", "part", "whole", "sum"]
Verdict = Literal["met", "violated", "promised", "unclear", "not_shown", "not_checkable"]


@dataclass(frozen=True, slots=True, eq=False)
class Stated:
    """A quantity in its sentence."""

    quantity: Quantity
    sentence: Sentence
    stance: Stance
    clause: str
    share: Share = ""
    """A part of what stands beside it, the whole of such parts, or a sum that may be none."""
    scope: str = ""
    """What the figure is said of each of, such as "arm"; "" where it is said of all."""
    of: Quantity | None = None
    """The whole of which the figure is what is left; None where it is no remainder."""
    alone: bool = True
    """Whether its own sentence affirms it, whatever the next one says of that."""

    @property
    def before(self) -> str:
        """The sentence up to the figure."""
        return self.sentence.text[: self.quantity.start - self.sentence.start]

    @property
    def lead(self) -> str:
        """The last words before the figure, in reach of those that say how it is meant."""
        return self.before[-_LEAD:]

    @property
    def after(self) -> str:
        """The rest of the sentence."""
        return self.sentence.text[self.quantity.end - self.sentence.start :]

    @property
    def named(self) -> bool:
        """Whether the noun stands in the figure's own text, rather than somewhere before it."""
        return bool(self.quantity.noun) and self.quantity.noun in self.quantity.text

    def up_to(self, other: "Stated") -> str:
        """The words from this figure to a later one of its sentence."""
        at = self.sentence.start
        return self.sentence.text[self.quantity.end - at : other.quantity.start - at]

    def parts(self) -> bool:
        """Whether the clause speaks of a part of the whole."""
        if self.share:
            return self.share == "part"
        near = self.sentence.text if "|" in self.sentence.text else self.breath()
        near = _TIMES_EACH.sub(" ", near.replace(self.quantity.text, " "))
        return cued("parts", near)

    def around(self, reach: int) -> frozenset[str]:
        """The meanings of the words of the clause that stand within *reach* characters."""
        words, clauses = self.sentence.words, self.sentence.clauses
        q = self.quantity
        first = bisect_left(words, q.start - reach, key=lambda w: w.start)
        last = bisect_right(words, q.end + reach, key=lambda w: w.start)
        at = min(bisect_right(words, q.start, key=lambda w: w.end), len(words) - 1)
        held = (w.meanings for w, c in zip(words[first:last], clauses[first:last], strict=True)
                if c == clauses[at])  # fmt: skip
        return frozenset[str]().union(*held)

    def breath(self) -> str:
        """The words about the figure from one comma to the next."""
        at = self.quantity.start - self.sentence.start - self.sentence.text.find(self.clause)
        if not 0 <= at < len(self.clause):
            return self.clause
        begin = self.clause.rfind(", ", 0, at) + 1
        end = self.clause.find(", ", at + self.quantity.end - self.quantity.start)
        return self.clause[begin : end if end >= 0 else None]

    def totals(self) -> bool:
        """Whether the sentence speaks of the whole."""
        return self.share in ("whole", "sum") or cued("totals", self.sentence.text)


_LEAD = 120
"""Characters in reach before a figure: no such words are longer, and reading stays linear."""
_TIMES_EACH = Cue(
    ["twice", "thrice", "times"],
    r"\b(?:twice|thrice|[\w-]+\stimes)(?:\s(?:each|an?\s\w+|per\s\w+))?",
)
"""How often something is done to each makes it no part."""
_SOURCE = re.compile(r"\[E\d+\]")


def reported(sentence: Sentence) -> bool:
    """Whether a sentence tells what a source says."""
    return bool(_SOURCE.search(sentence.text)) and not cued("own", sentence.text)


_SHORT = 6


@dataclass(frozen=True, slots=True)
class Page:
    """The checked text, read once for all items."""

    sentences: tuple[Sentence, ...]
    stated: tuple[Stated, ...]
    text: str
    rivals: tuple[LedgerItem, ...] = ()
    """The items that bound something, of which a figure may be as well."""

    @property
    def short(self) -> bool:
        """Whether it has so few sentences that they may be all about one thing."""
        return len(self.sentences) <= _SHORT


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found."""

    verdict: Verdict
    reason: str
    sentence: Sentence | None = None
