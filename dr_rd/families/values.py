"""Design families, and how a brief stands to them."""

from collections.abc import Mapping

from pydantic import Field

from core.values import Frozen

GENERIC = "generic_study"
"""What is planned where no family is sure."""

NO_RESEARCH = "not_research"
"""The family of texts that ask for no research, development, evaluation or analysis."""


class Family(Frozen):
    """A kind of design, such as a randomised trial."""

    id: str
    title: str
    """A noun phrase without article: "randomised trial"."""
    about: str
    """What is done in it, in a few words."""
    method: str
    """The method of the library that plans it."""
    variants: Mapping[str, str] = Field(default={})
    """Methods that plan it in its place where the brief states a fact, by the fact's id."""


class Fact(Frozen):
    """Something that a brief states of its design, such as that it is a cohort study."""

    id: str
    """That of a condition."""
    quote: str
    """The words that state it."""


class Ranked(Frozen):
    """A family and how well it fits a text."""

    id: str
    score: float
    """Calibrated probability, 0..1."""
    why: str
    """What speaks for it, in a few words."""


class Reading(Frozen):
    """The families of a text, best first, and whether they decide."""

    ranked: tuple[Ranked, ...]
    asks: bool
    """Whether the best is too weak, or two are too close, to plan on without asking."""
    close: bool = False
    """Whether two are close, be it that a line of the text says of which families the design is."""
    excluded: Mapping[str, str] = Field(default={})
    """Families that the text's own conditions surely rule out, each with the words that do."""
    facts: tuple[Fact, ...] = ()
    """What the text states of its design."""

    @property
    def best(self) -> Ranked:
        """The family that fits best."""
        return self.ranked[0]

    @property
    def no_research(self) -> bool:
        """Whether the text clearly asks for no research."""
        return self.best.id == NO_RESEARCH and not self.asks
