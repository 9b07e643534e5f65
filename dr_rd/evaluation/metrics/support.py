"""Claim support: every claim rests on what it cites."""

from core.graph.state import Claim
from core.scores import Score
from dr_rd.evaluation.metrics.verdicts import not_applicable, share
from dr_rd.evaluation.subject import Subject
from dr_rd.evidence.support import support as supported_by


def support(subject: Subject) -> Score:
    """Share of the claims whose source exists and says so."""
    if not subject.claims:
        return not_applicable("support", "the text comes without claims that name their source")
    faults = [f for c in subject.claims if (f := _fault(c, subject))]
    good = len(subject.claims) - len(faults)
    return share(
        "support", good, len(subject.claims), "claims are supported by what they cite", faults,
        "Leave these claims out or cite a passage that says so.",
    )  # fmt: skip


def _fault(claim: Claim, subject: Subject) -> str:
    """Why *claim* does not hold; "" if it does."""
    judges = {"brief": _brief, "quoted": _quoted, "computed": _computed, "assumption": _assumed}
    return judges[claim.kind](claim, subject)


def _brief(claim: Claim, subject: Subject) -> str:
    if subject.brief is None or claim.passage in subject.asked:
        return ""
    return f"“{claim.passage}” is not in the brief"


def _quoted(claim: Claim, subject: Subject) -> str:
    corpus = subject.corpus
    passage = corpus.passage_by_id.get(claim.source) if corpus else None
    if corpus is None or passage is None:
        return f"evidence {claim.source!r} does not exist"
    if claim.passage not in passage.text:
        return f"{claim.source} does not say “{claim.passage}”"
    found = supported_by(claim.text, passage.text, corpus.document_of(passage).status)
    return (
        ""
        if found.verdict == "supported"
        else f"{claim.source} is {found.verdict}: {found.reason}"
    )


def _computed(claim: Claim, subject: Subject) -> str:
    known = claim.source in subject.computed
    return "" if known else f"call {claim.source!r} was never made"


def _assumed(claim: Claim, subject: Subject) -> str:
    return "" if claim.text in subject.assumed else f"assumption {claim.source} is not on record"
