"""A scenario of a down-select: its options or its characters, who votes, and by which rules."""

from collections.abc import Mapping

from pydantic import Field, model_validator

from core.modes.downselect.state import Rules
from core.values import Frozen, Name, repeated
from dr_rd.modes.downselect.panel import Fact


class GivenOption(Frozen):
    """An option in the scenario's own words."""

    id: Name = Field(min_length=1, max_length=40)
    text: str = Field(min_length=1, max_length=2_000)
    facts: Mapping[Name, Fact] = {}
    """By criterion; without any the library's facts of its words are taken."""
    breaks: str = Field(default="", max_length=500)
    """Why no merit makes it good; "" where nothing does."""


class GivenVoter(Frozen):
    """A voter with weights of its own."""

    role: Name = Field(min_length=1, max_length=60)
    weights: Mapping[str, float] = {}
    """By criterion; empty takes the workbench's for that role."""
    holds: tuple[str, ...] = ()
    """Criteria whose facts it knows before they are said."""


class GivenPerson(Frozen):
    """Somebody who takes part by hand."""

    name: Name = Field(min_length=1, max_length=60)


class Topic(Frozen):
    """What a round is about, and what may be said of it."""

    topic: str
    lines: tuple[str, ...] = Field(min_length=1)
    """What characters without a model say; each is said once."""


class Character(Frozen):
    """How a voice talks, and whom it suspects."""

    name: Name = Field(min_length=1, max_length=60)
    says: tuple[str, ...] = ("{line}",)
    """Ways of saying a line of the topic."""
    talkative: float = Field(default=0.5, ge=0, le=1)
    """How often it speaks when it may."""
    suspects: Mapping[str, float] = {}
    """Weights of the signs: silent, long, short, off_topic, repeats."""


class Scenario(Frozen):
    """A scenario file of this mode."""

    title: str
    objective: str = ""
    vote_for: str = Field(default="options", pattern="^(options|players)$")
    keep: int = Field(default=1, ge=1)
    rounds_to_win: int = Field(default=3, ge=1)
    discussion_s: float = Field(default=180.0, gt=0)
    voting_s: float = Field(default=60.0, gt=0)
    messages_a_round: int = Field(default=8, ge=1, le=50)
    """Enough by default for every fact that separates to be said before the first ballot."""
    messages_a_person: int = Field(default=20, ge=1, le=200)
    cooldown_s: float = Field(default=10.0, ge=0)
    silence_s: float = Field(default=10.0, gt=0)
    answer_within_s: float | None = Field(default=None, gt=0)
    """Seconds that a person has for each answer in a run; None waits for ever."""
    options: tuple[GivenOption, ...] = ()
    criteria: Mapping[str, Name] = {}
    """Titles of criteria of its own."""
    voters: tuple[GivenVoter, ...] = ()
    people: tuple[GivenPerson, ...] = ()
    topics: tuple[Topic, ...] = ()
    characters: tuple[Character, ...] = ()

    @model_validator(mode="after")
    def _coherent(self) -> "Scenario":
        if (key := repeated(o.id for o in self.options)) is not None:
            raise ValueError(f"two options have the id {key!r}")
        if len({frozenset(o.facts) for o in self.options}) > 1:
            raise ValueError("the options need facts by the same criteria, or none of them any")
        if (name := repeated(p.name for p in self.people)) is not None:
            raise ValueError(f"two people are called {name!r}")
        if self.vote_for == "players":
            if not self.topics or len(self.characters) + len(self.people) < 3:
                raise ValueError("a game between participants needs topics and three seats")
            if self.options:
                raise ValueError("a game between participants has no options")
        elif self.topics or self.characters:
            raise ValueError("topics and characters are of a game with vote_for: players")
        return self

    @property
    def rules(self) -> Rules:
        """What the engine plays by."""
        return Rules.model_validate(
            {name: getattr(self, name) for name in Rules.model_fields if hasattr(self, name)}
        )
