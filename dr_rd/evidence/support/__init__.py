"""Does this passage support that claim? Rules that code can check, no model.

A claim is supported only if a sentence of the passage has all of its words of substance, its
numbers and its names, says it as firmly, and turns neither its direction nor its negation. Common
words alone never make it so, and a paraphrase in other words is "partly" at best.

::

    verdict.py    the values, and what several verdicts come to
    quotation.py  words as they stand
    figures.py    figures as they are written, and two of them side by side
    content.py    what a text is about
    clauses.py    a sentence cut where its statements part
    source.py     a passage, read once for all claims
    missing.py    which words of a claim a passage lacks
    clash.py      which figure of a claim a passage gives another value
    order.py      two things put in order
    direction.py  whether a passage says the opposite
    strength.py   how firmly it is said
    claim.py      all of it: one claim beside one passage
"""

from dr_rd.evidence.support.claim import support
from dr_rd.evidence.support.quotation import says
from dr_rd.evidence.support.verdict import Support, Verdict, strongest

__all__ = ["Support", "Verdict", "says", "strongest", "support"]
