"""Does this passage support that claim? Rules that code can check, no model."""

from typing import Literal

from core.values import Frozen
from dr_rd.evidence.corpus import Status

Verdict = Literal["supported", "partly", "contradicted", "unsupported", "not_checkable"]


class Support(Frozen):
    """The verdict on one claim, and why."""

    verdict: Verdict
    reason: str


def support(claim: str, passage: str, status: Status = "live") -> Support:
    """Judge whether *passage*, from a document of *status*, supports *claim*."""
    raise NotImplementedError(claim, passage, status)
