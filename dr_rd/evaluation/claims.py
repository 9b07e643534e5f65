"""What each claim of an answer or a proposal comes to, held against what it cites."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from core.graph.state import Answer, Claim
from core.pluralize import noun, pluralize
from core.values import Frozen
from dr_rd.evaluation.subject import Subject
from dr_rd.evidence.corpus import Corpus, Document, Passage
from dr_rd.evidence.support import Support, Verdict, says, strongest, support
from dr_rd.evidence.words import sentences, stems


class Judged(Frozen):
    """One claim, where it stands, and the verdict on it."""

    claim: Claim
    place: str
    """The task whose answer makes it; "" in a text without tasks."""
    verdict: Verdict
    reason: str


class Tally(Frozen):
    """How many claims are borne out."""

    claims: int
    verdicts: Mapping[Verdict, int]
    kinds: Mapping[str, tuple[int, int]]
    """By kind of source: how many of its claims that can be checked are supported, of how many."""

    @property
    def supported(self) -> int:
        """Claims that their source bears out in full."""
        return self.verdicts.get("supported", 0)

    @property
    def assumptions(self) -> int:
        """Claims that are said to be assumptions, which nobody has checked."""
        return self.verdicts.get("unchecked", 0)

    @property
    def checked(self) -> int:
        """Claims that could be checked."""
        return self.claims - self.assumptions - self.verdicts.get("not_checkable", 0)

    @property
    def told(self) -> str:
        """Say how many are borne out, how many are not, and how many nobody has checked."""
        said = noun(
            self.checked, "is supported by what it cites", "are supported by what they cite"
        )
        named = "no claim cites a source"
        if self.checked:
            named = f"{self.supported} of {pluralize(self.checked, 'claim')} {said}"
        if not self.assumptions:
            return named
        more = noun(self.assumptions, "more is an assumption", "more are assumptions")
        return f"{named}; {self.assumptions} {more} that nobody has checked"

    @property
    def rate(self) -> float | None:
        """Share of the checked claims that are supported; None without any."""
        return round(self.supported / self.checked, 4) if self.checked else None


def claims_of(answers: Iterable[Answer]) -> Iterator[tuple[str, Claim]]:
    """Each claim of *answers* with its task: those on record, then those their text cites for."""
    for answer in answers:
        told = [c.text for c in answer.claims]
        yield from ((answer.task_id, c) for c in answer.claims)
        for claim in evidence_claims(answer.content):
            if not any(claim.text in text or text in claim.text for text in told):
                yield answer.task_id, claim


_CITATION = re.compile(r"\[(E\d{3,}[^\]\n]{0,300})\]")
_ID = re.compile(r"\bE\d{3,}\b")
_POINTER = re.compile(r"^\W*(?:see|cf\.?|quoted)\b|^\W*\[E\d+[^\]\n]*\].*\w", re.IGNORECASE)
"""What sends a reader on, or begins an entry of a list of sources: it claims nothing."""
_MARK = re.compile(r"^[\s>*+\-–|]+|^\d+[.)]\s+")


def evidence_claims(text: str) -> Iterator[Claim]:
    """The sentences of *text* that cite evidence by its id, as claims of that evidence.

    Rows of tables are no sentences; what they state is left to other checks.
    """
    for line in (row for row in text.splitlines() if not row.lstrip().startswith("|")):
        held = ""
        for start, end in sentences(line):
            sentence = line[start:end]
            ids = [i for found in _CITATION.findall(sentence) for i in _ID.findall(found)]
            bare = _MARK.sub("", _CITATION.sub("", sentence)).replace(" .", ".").strip()
            held = bare if re.search(r"\w", bare) else held
            if ids and held and not _POINTER.match(sentence) and len(stems(held)) > 1:
                source = ", ".join(dict.fromkeys(ids))
                yield Claim(kind="quoted", text=held.strip(' “”"'), source=source)


def judge_claims(claims: Iterable[tuple[str, Claim]], subject: Subject) -> tuple[Judged, ...]:
    """Hold each claim against what *subject* may rest on."""
    return tuple(_judge_claim(place, claim, subject) for place, claim in claims)


def _judge_claim(place: str, claim: Claim, subject: Subject) -> Judged:
    if claim.fault:
        return Judged(claim=claim, place=place, verdict="unsupported", reason=claim.fault)
    judges = {
        "brief": _judge_brief,
        "quoted": _judge_quoted,
        "computed": _judge_computed,
        "assumption": _judge_assumed,
    }
    found = judges[claim.kind](claim, subject)
    return Judged(claim=claim, place=place, verdict=found.verdict, reason=found.reason)


def tally(found: Sequence[Judged]) -> Tally:
    """Count the verdicts, and the supported claims by their kind of source."""
    checked = [j for j in found if j.verdict not in ("unchecked", "not_checkable")]
    of = Counter(j.claim.kind for j in checked)
    good = Counter(j.claim.kind for j in checked if j.verdict == "supported")
    return Tally(
        claims=len(found),
        verdicts=dict(Counter(j.verdict for j in found)),
        kinds={kind: (good[kind], of[kind]) for kind in of},
    )


def unborne(found: Iterable[Judged]) -> tuple[Judged, ...]:
    """Those that their source does not bear out in full, the contradicted ones first."""
    order: Sequence[Verdict] = ("contradicted", "unsupported", "partly")
    faults = [j for j in found if j.verdict in order]
    return tuple(sorted(faults, key=lambda j: order.index(j.verdict)))


def to_json(found: Sequence[Judged]) -> dict[str, Any]:
    """The counts, and every claim that is not borne out with its place."""
    counted = tally(found)
    return {
        "claims": counted.claims,
        "checked": counted.checked,
        "supported": counted.supported,
        "assumptions": counted.assumptions,
        "rate": counted.rate,
        "verdicts": dict(counted.verdicts),
        "kinds": {k: {"supported": a, "of": b} for k, (a, b) in counted.kinds.items()},
        "not_supported": [
            {
                "place": j.place,
                "kind": j.claim.kind,
                "source": j.claim.source,
                "text": j.claim.text,
                "verdict": j.verdict,
                "reason": j.reason,
            }
            for j in unborne(found)
        ],
    }


# --- By kind of source ---------------------------------------------------------------------


def _support_of(*, good: bool, reason: str) -> Support:
    return Support(verdict="supported" if good else "unsupported", reason=reason)


def _judge_brief(claim: Claim, subject: Subject) -> Support:
    if subject.brief is None:
        return Support(verdict="not_checkable", reason="no brief was given to look it up in")
    words = claim.passage or claim.text
    good = says(subject.brief_text, words)
    return _support_of(
        good=good, reason="the brief says it" if good else f"“{words}” is not in the brief"
    )


def _judge_computed(claim: Claim, subject: Subject) -> Support:
    if claim.source not in subject.computed:
        return _support_of(good=False, reason=f"call {claim.source!r} was never made")
    made = subject.computed[claim.source]
    gave = made.get("output", made) if isinstance(made, Mapping) else made
    good = gave is not None
    return _support_of(
        good=good, reason=f"call {claim.source!r} {'was made' if good else 'failed'}"
    )


def _judge_assumed(claim: Claim, subject: Subject) -> Support:
    if claim.text not in subject.assumed:
        return _support_of(good=False, reason=f"assumption {claim.source} is not on record")
    return Support(
        verdict="unchecked", reason=f"assumption {claim.source}, which nobody has checked"
    )


def _judge_quoted(claim: Claim, subject: Subject) -> Support:
    """Judge by the strongest of the passages it cites, unless one contradicts it."""
    ids = _ID.findall(claim.source) or [claim.source]
    return strongest([_by_passage(claim, i, subject.corpus) for i in ids])


def _by_passage(claim: Claim, passage_id: str, corpus: Corpus | None) -> Support:
    passage = corpus.passage_by_id.get(passage_id) if corpus else None
    if corpus is None or passage is None:
        return _support_of(good=False, reason=f"evidence {passage_id!r} does not exist")
    if claim.passage and not says(passage.text, claim.passage):
        return _support_of(good=False, reason=f"{passage_id} does not say “{claim.passage}”")
    document = corpus.document_of(passage)
    if newer := _replacement_verdict(claim, document, corpus):
        return newer
    return support(claim.text, passage.text, corpus.status_of(passage), _about(passage, document))


def _about(passage: Passage, document: Document) -> str:
    return " ".join((document.title, *passage.heading))


def _replacement_verdict(claim: Claim, stale: Document, corpus: Corpus) -> Support | None:
    """What the document that replaces *stale* says against the claim."""
    live = corpus.document_by_id.get(stale.superseded_by or "")
    if live is None:
        return None
    wanted = set(stems(claim.text))
    for passage in corpus.passages:
        if passage.document_id == live.id and 2 * len(wanted & set(stems(passage.text))) >= len(
            wanted
        ):
            found = support(claim.text, passage.text, live.status, _about(passage, live))
            if found.verdict == "contradicted":
                reason = f"{found.reason}: {passage.id} of {live.path} holds instead"
                return Support(verdict="contradicted", reason=reason)
    return None
