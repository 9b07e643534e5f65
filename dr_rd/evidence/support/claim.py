"""One claim beside one passage: each sentence of it, held against all that the passage says."""

import re
from collections.abc import Sequence, Set

from dr_rd.evidence.corpus import DocumentStatus
from dr_rd.evidence.support.clash import clash
from dr_rd.evidence.support.clauses import clauses
from dr_rd.evidence.support.content import content
from dr_rd.evidence.support.direction import opposed
from dr_rd.evidence.support.figures import comparable, figures, fit
from dr_rd.evidence.support.missing import lacking, mixed
from dr_rd.evidence.support.quotation import quotes, says, verbatim
from dr_rd.evidence.support.source import SourcePassage, read_passage
from dr_rd.evidence.support.strength import far, weaker
from dr_rd.evidence.support.verdict import Support, Verdict, lowered, weakest
from dr_rd.evidence.words import language, plain, sentences, stems

SOME = 0.4
"""Share of a claim's words from which a passage says part of it."""

SUBJECT = 0.5
"""Share from which passage and claim speak of one thing, so that they can contradict."""


def support(claim: str, passage: str, status: DocumentStatus = "live", about: str = "") -> Support:
    """Judge whether *passage*, from a document of *status*, supports *claim*.

    *about* is what the passage stands under, its title and headings: they say what "it" is, and
    prove nothing. Numbers are compared by value and unit, quotations letter by letter.
    """
    return lowered(_judged(claim, passage, about), status)


def _judged(claim: str, passage: str, about: str) -> Support:
    """Judge each sentence of the claim; one that is contradicted spoils the whole."""
    text = _ATTRIBUTION.sub("", plain(claim))
    source = read_passage(plain(passage), about, language(f"{passage} {claim}"))
    return weakest([_sentence(text[a:b], source) for a, b in sentences(text)])


def _sentence(text: str, source: SourcePassage) -> Support:
    if reason := _uncheckable(text):
        return Support(verdict="not_checkable", reason=reason)
    for quote in quotes(text):
        if not says(source.text, quote):
            return Support(verdict="unsupported", reason=f"the passage does not say “{quote}”")
    if verbatim(text, source.text):
        return Support(verdict="supported", reason="the passage says it word for word")
    found = _compared(text, source)
    parts = [p for p in clauses(text) if len(content(p, source.tongue)) > 1]
    if len(parts) > 1 and found.verdict in ("partly", "unsupported"):
        return _together(found, [_compared(p, source) for p in parts])
    return found


def _together(found: Support, parts: Sequence[Support]) -> Support:
    """Judge a sentence that no sentence of the passage says alone by its clauses."""
    joined = weakest(parts)
    return joined if joined.verdict in ("contradicted", "supported") else found


_ATTRIBUTION = re.compile(
    r"^(?:the|this) (?:report|study|paper|passage|document|text|source|authors?|file|trial|survey) (?:notes?|says?|states?|finds?|found|reports?|shows?) that\s+",
    re.IGNORECASE,
)
_OPINION = re.compile(
    r"^\W*(?:we|i) (?:will|plan to|propose|intend|recommend|suggest|should|believe|hope|want)\b"
    r"|\?\s*$|^\W*(?:please|let us|let's)\b",
    re.IGNORECASE,
)


def _uncheckable(claim: str) -> str:
    if len(set(stems(claim, language(claim)))) < 2:
        return "the claim says too little to be checked"
    if _OPINION.search(claim):
        return "the claim is an intention, an opinion or a question"
    return ""


def _compared(text: str, source: SourcePassage) -> Support:
    wanted = content(text, source.tongue)
    at = _nearest(text, wanted, source)
    near = source.said[at]
    missing = lacking(text, wanted, near, source)
    wrong, absent = clash(text, wanted, at, source)
    against = opposed(text, near.text, source.tongue) or wrong or far(text, near.text)
    if against and _share(wanted, near.words) >= SUBJECT:
        return Support(verdict="contradicted", reason=against)
    reason = (
        wrong
        or absent
        or missing
        or mixed(text, near.text, source.tongue)
        or weaker(text, near.text, source.tongue)
    )
    if not reason:
        return Support(verdict="supported", reason="the passage says it in the same words")
    verdict: Verdict = "partly" if _share(wanted, near.words) >= SOME else "unsupported"
    return Support(verdict=verdict, reason=reason)


def _nearest(text: str, wanted: Set[str], source: SourcePassage) -> int:
    """The sentence of the passage that shares most with the claim, its figures included."""
    mine = figures(text)

    def shared(at: int) -> tuple[float, int]:
        held = [g.figure for g in source.given if g.sentence == at]
        same = sum(any(comparable(f, g) and fit(f, g) == "same" for g in held) for f in mine)
        said = source.said[at]
        return len(wanted & said.words) + 0.9 * same + 0.5 * len(wanted & said.own), -len(
            said.text
        )

    return max(range(len(source.said)), key=shared)


def _share(wanted: Set[str], given: Set[str]) -> float:
    return len(wanted & given) / len(wanted) if wanted else 1.0
