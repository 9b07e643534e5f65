"""What a down-select came to, as `result.json` has it."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from core.values import Frozen


class OptionResult(Frozen):
    """An option, revealed."""

    id: str
    label: str
    text: str
    place: int
    """By ballots: 1 is what remained, or went last."""
    borda: int | None
    """Points of the final rankings with every fact known; None without voters who rank."""
    beats: tuple[str, ...]
    """Ids of those it is put before by more voters than not, every fact known."""


class BallotResult(Frozen):
    """One ballot, opened."""

    voter: str
    """The label."""
    drops: str
    reason: str
    ranking: tuple[str, ...] = ()
    scores: Mapping[str, float] = {}
    changed: str = ""
    marks: tuple[str, ...] = ()


class Asked(Frozen):
    """Whether somebody wanted to speak, and why."""

    player: str
    should_respond: bool
    reason: str


class RoundResult(Frozen):
    """One round."""

    round: int
    topic: str = ""
    asked: tuple[Asked, ...]
    messages: tuple[Mapping[str, str], ...]
    ballots: tuple[BallotResult, ...]
    drops: Mapping[str, int]
    borda: Mapping[str, int]
    out: str
    rule: str


class Counted(Frozen):
    """How often each set remained in simulated games."""

    question: str
    counts: Mapping[str, int]
    of: int


class Flip(Frozen):
    """What would change the outcome."""

    kind: Literal["fact", "weight"]
    what: str
    """What would have to be so."""
    why_not: str = ""
    """What speaks against it, of a fact."""
    silence: bool = False
    """Whether nothing does but that it is not said."""
    share: float = 0.0
    """By how much all voters' weight is moved, of a weight."""
    then: str
    times: int
    of: int


class ScreenResult(Frozen):
    """An option that broke a hard limit."""

    id: str
    text: str
    why: str
    repair: str = ""
    struck: str = ""
    """The words that the repair leaves out."""
    admitted: Counted | None = None
    """What remains if it is let in as it is."""


class FactResult(Frozen):
    """A criterion and what it says of each option."""

    criterion: str
    title: str
    holder: str
    """The label of who brought it; "" where everybody knew it."""
    facts: Mapping[str, Mapping[str, str | float]]
    told: bool


class Result(Frozen):
    """The whole result of a down-select."""

    schema_version: int = 1
    finding: str
    seed: int
    vote_for: str
    winner: str
    kept: tuple[str, ...]
    """Ids of what remains; of a game between participants their labels."""
    players: Mapping[str, Mapping[str, str]]
    """Who was behind each label."""
    options: tuple[OptionResult, ...] = ()
    screened: tuple[ScreenResult, ...] = ()
    facts: tuple[FactResult, ...] = ()
    rounds: tuple[RoundResult, ...] = ()
    condorcet: str = ""
    """The id of what beats every other, every fact known; "" where nothing does."""
    matrix: Mapping[str, float] = {}
    """Weighted scores of the plan's own decision matrix, of the options that it knows."""
    twins: tuple[tuple[str, ...], ...] = ()
    """Options that no fact sets apart."""
    seeds: tuple[Counted, ...] = ()
    votes_left_out: tuple[Counted, ...] = ()
    voters_left_out: tuple[Counted, ...] = ()
    flips: tuple[Flip, ...] = ()
    """Facts first, what flips it most often before the others."""
    unmoved: str = ""
    """What is to be said where nothing flips it."""
    questions: tuple[str, ...] = Field(default=())
    """Asked of the analyst."""
