"""What the words of a brief say, read once for the plan that is made of it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from dr_rd.brief import Brief
from dr_rd.reading.document import Document, document_of
from dr_rd.reading.figures import factors_in
from dr_rd.reading.handling import handled
from dr_rd.reading.reader import Reader
from dr_rd.reading.spans import Pace, Wait, pace_in, waits_in
from dr_rd.reading.tagger import load_taggers
from dr_rd.study import Study


@dataclass(frozen=True, slots=True)
class BriefWords:
    """The lines of a brief, and what is understood of them."""

    brief: Brief
    document: Document
    """Its objective, context, constraints and criteria."""
    study: Study
    """What they say, by the reading that a document gets, but its design family."""
    waits: tuple[Wait, ...]
    """The times that they prescribe and nobody can hurry."""

    @property
    def factors(self) -> int | None:
        """How many things they say that an experiment sets; None where they do not."""
        return factors_in(self.study.counts)

    def pace(self, units: Sequence[str]) -> Pace | None:
        """Return how fast what is called one of *units* is done.

        As the lines say it, or else as those whom the brief names do them at the time that each takes.
        """
        brief = self.brief
        people = brief.resources.people if brief.resources else ()
        whole = "\n".join((brief.context, *brief.hard_constraints, *brief.success_criteria))
        return pace_in(self.document.text, units) or handled(whole, units, people)


def words_of(brief: Brief) -> BriefWords:
    """Read the lines of *brief*."""
    lines = {
        "objective": brief.objective,
        **({"context": brief.context} if brief.context else {}),
        "hard_constraints": list(brief.hard_constraints),
        "success_criteria": list(brief.success_criteria),
    }
    document = document_of(json.dumps(lines, ensure_ascii=False), brief.id, structured=True)
    study = Reader(load_taggers()).read(document)
    return BriefWords(brief, document, study, waits_in(document.text))
