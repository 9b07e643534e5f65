"""Ballots: that a round was counted, never who voted for what."""

from typing import Literal

from core.events.base import Lasting


class RoundClosed(Lasting):
    """A round's secret ballots were counted, and something is out."""

    kind: Literal["round_closed"] = "round_closed"
    round: int
    out: str
    """The neutral label of what is out."""
    ballots: int
    """How many were counted."""

    def headline(self) -> str:
        """Say what is out."""
        return f"round {self.round}: {self.out} is out after {self.ballots} ballots"
