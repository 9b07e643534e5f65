"""Claim support: every claim rests on what it cites."""

from core.scores import Score
from dr_rd.evaluation.claims import Judged, evidence_claims, judge_claims, tally, unborne
from dr_rd.evaluation.metrics.verdicts import not_applicable, share
from dr_rd.evaluation.subject import Subject


def support(subject: Subject) -> Score:
    """Share of the claims whose source exists and says so.

    Without claims on record, those are judged that the text cites evidence for by its id.
    """
    claims = subject.claims or tuple(evidence_claims(subject.visible))
    if not claims:
        return not_applicable("support", "the text comes without claims that name their source")
    found = judge_claims((("", c) for c in claims), subject)
    counted = tally(found)
    if not counted.checked:
        return not_applicable("support", "no claim of the text can be checked")
    return share(
        "support",
        counted.supported,
        counted.checked,
        "claims are supported by what they cite",
        [_fault(j) for j in unborne(found)],
        "Leave these claims out or cite a passage that says so.",
    )


def _fault(found: Judged) -> str:
    """Where the claim points, what became of it, and why."""
    verdict = "" if found.claim.kind != "quoted" else f"{found.claim.source}: {found.verdict}, "
    return f"{verdict}{found.reason}"
