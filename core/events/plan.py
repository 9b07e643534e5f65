"""The plan and the proposal."""

from typing import ClassVar, Literal

from core.events.base import Fact, Judgement, Lasting, Ref, Replay, artifacts


class PlanProposed(Lasting):
    """There is a plan."""

    kind: Literal["plan_proposed"] = "plan_proposed"
    plan_digest: str
    tasks: int

    def refs(self) -> tuple[Ref, ...]:
        """Return what the event names."""
        return artifacts("the proposed plan", self.plan_digest)


class ApprovalAsked(Fact):
    """The run waits for a person to approve the plan."""

    replay: ClassVar[Replay] = "external"

    kind: Literal["approval_asked"] = "approval_asked"
    plan_digest: str


class PlanApproved(Lasting):
    """A plan was settled: it, and no other, is the one to execute."""

    kind: Literal["plan_approved"] = "plan_approved"
    plan_digest: str
    by: str
    """Who approved it; "settings" when no approval was required."""
    at: str = ""
    """When the person did; "" when no approval was required."""
    edited: bool

    def refs(self) -> tuple[Ref, ...]:
        """Return what the event names."""
        return (Ref("the plan", self.plan_digest, "plan.json", "tasks"),)


class ProposalStamped(Lasting):
    """The proposal is about to be composed, and names this event's place in its footer."""

    kind: Literal["proposal_stamped"] = "proposal_stamped"
    head: str
    """The hash of the event before this one."""


class ProposalJudged(Lasting):
    """The composed proposal was read as a whole."""

    kind: Literal["proposal_judged"] = "proposal_judged"
    score: float | None
    """The overall score; None if nothing was measured."""
    verdict: Judgement
    rationale: str
    card_digest: str
    """SHA-256 of scorecard.json as canonical JSON."""

    def refs(self) -> tuple[Ref, ...]:
        """Return what the event names."""
        return (Ref("the scorecard", self.card_digest, "scorecard.json"),)
