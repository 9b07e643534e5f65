"""A document with its amounts and clauses, and what each is probably for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dr_rd.quantity import day_of
from dr_rd.reading import amounts as amount_reader
from dr_rd.reading import clauses as clause_reader
from dr_rd.reading.amounts import Amount
from dr_rd.reading.clauses import Clause
from dr_rd.reading.document import Document
from dr_rd.reading.segments import Segment, segments
from dr_rd.reading.tagger import Taggers

Chances = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Tagged:
    """A document, tagged once for all that is read of it."""

    document: Document
    segments: Sequence[Segment]
    amounts: Mapping[Amount, Chances]
    clauses: Mapping[Clause, Chances]

    def quote(self, held: Amount | Clause | Segment) -> str:
        """The words of the source."""
        return self.document.quote(held.start, held.end)

    def span(self, held: Amount | Clause | Segment) -> tuple[int, int]:
        """Where it stands in the source."""
        return self.document.place(held.start, held.end)


def tagged(document: Document, taggers: Taggers) -> Tagged:
    """Tag the amounts and clauses of *document*."""
    found = amount_reader.amounts(document.text)
    among = amount_reader.ranks(found)
    return Tagged(
        document=document,
        segments=segments(document.text),
        amounts={a: taggers.amount.probabilities(amount_reader.features(a, among)) for a in found},
        clauses={
            c: taggers.clause.probabilities(clause_reader.features(c))
            for c in clause_reader.clauses(document.text, found)
        },
    )


def iso_day(value: float | None) -> str | None:
    """Return a day that is written yyyymmdd in ISO form; None for one that no month has."""
    day = day_of(value)
    return day.isoformat() if day else None
