"""What a claim comes to: the verdict of one source, of several, and of parts."""

from collections.abc import Sequence
from typing import Literal

from core.values import Frozen
from dr_rd.evidence.corpus import DocumentStatus

Verdict = Literal[
    "supported", "partly", "contradicted", "unsupported", "unchecked", "not_checkable"
]
"""An assumption is "unchecked": it is said to be one, and nobody has looked whether it holds."""


class Support(Frozen):
    """The verdict on one claim, and why."""

    verdict: Verdict
    reason: str


def lowered(found: Support, status: DocumentStatus) -> Support:
    """Trust a document that is not live less: it can support in part, and refute nothing."""
    if status == "live" or found.verdict in ("unsupported", "not_checkable"):
        return found
    source = {"archive": "an archived document", "draft": "a draft"}.get(
        status, "a superseded document"
    )
    verdict: Verdict = "partly" if found.verdict == "supported" else "unsupported"
    return Support(verdict=verdict, reason=f"{found.reason}; but this is {source}")


_ORDER: Sequence[Verdict] = ("contradicted", "unsupported", "partly", "supported")


def weakest(found: Sequence[Support]) -> Support:
    """What the parts of a claim come to: the worst of them, but "partly" if some of it is borne out."""
    checked = [f for f in found if f.verdict != "not_checkable"]
    if not checked:
        return next(iter(found), Support(verdict="not_checkable", reason="the claim is empty"))
    worst = min(checked, key=lambda f: _ORDER.index(f.verdict))
    if worst.verdict == "unsupported" and any(f.verdict != "unsupported" for f in checked):
        return Support(verdict="partly", reason=worst.reason)
    return worst


def strongest(found: Sequence[Support]) -> Support:
    """What several sources of one claim come to: the best, unless one contradicts it."""
    best = max(found, key=lambda f: _ORDER.index(f.verdict) if f.verdict in _ORDER else -1)
    against = next((f for f in found if f.verdict == "contradicted"), None)
    return against or best
