"""Voters who weigh facts: the one rule by which built-in voters talk, rank and change their minds.

    score of an option = sum over criteria of weight × value; a criterion whose fact the voter does
    not know counts 0.5 for every option

A voter knows what everybody knows, the facts that it holds itself, and those that were said aloud.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property

from pydantic import Field

from core.clock import RandomFor
from core.values import Frozen

UNKNOWN = 0.5
"""What a criterion counts for a voter who does not know its fact."""
SEPARATES = 0.05
"""Difference between the options left from which a fact is worth saying."""
TIE = 0.005
"""Difference of scores below which two options tie."""


class Fact(Frozen):
    """What is known of one option by one criterion."""

    value: float = Field(ge=0, le=1)
    says: str
    """The fact, as a clause without full stop."""
    source: str = ""
    """Where it comes from: an item of the ledger, a technique, a task, a run."""
    silence: bool = False
    """Whether it is that nothing is said, which is no word against an option."""


class Criterion(Frozen):
    """What options are held against, and who brings the facts of it."""

    title: str
    holder: str = ""
    """The voter who knows it before it is said; "" where everybody does."""
    facts: Mapping[str, Fact]
    """By option."""

    def spread(self, left: Sequence[str]) -> float:
        """Return how far the criterion sets the options *left* apart."""
        values = [self.facts[o].value for o in left]
        return max(values) - min(values) if values else 0.0


class Voter(Frozen):
    """Somebody who weighs."""

    id: str
    title: str
    weights: Mapping[str, float]
    """By criterion; they sum to 1 over the panel's criteria."""


class Panel(Frozen):
    """Options, what is known of them, and who weighs it."""

    options: Mapping[str, str]
    """Texts by id."""
    criteria: Mapping[str, Criterion]
    voters: Mapping[str, Voter]

    @cached_property
    def values(self) -> Mapping[str, Mapping[str, float]]:
        """Values by criterion and option."""
        return {k: {o: f.value for o, f in c.facts.items()} for k, c in self.criteria.items()}

    @cached_property
    def common(self) -> frozenset[str]:
        """Criteria that everybody knows."""
        return frozenset(k for k, c in self.criteria.items() if not c.holder)

    @cached_property
    def held(self) -> Mapping[str, tuple[str, ...]]:
        """Criteria by who brings their facts."""
        return {
            v: tuple(k for k, c in self.criteria.items() if c.holder == v) for v in self.voters
        }

    def known(self, voter: str, told: Sequence[str]) -> frozenset[str]:
        """Return the criteria whose facts a voter knows."""
        return self.common | set(self.held.get(voter, ())) | set(told)

    def separating_unsaid(self, voter: str, told: Sequence[str], left: Sequence[str]) -> list[str]:
        """Return the criteria that a voter can still bring, what separates most first."""
        own = [k for k in self.held.get(voter, ()) if k not in told]
        found = [(-self.criteria[k].spread(left), k) for k in own]
        return [k for spread, k in sorted(found) if -spread >= SEPARATES - 1e-9]

    def unsaid(self, voter: str, told: Sequence[str], left: Sequence[str]) -> str:
        """Return the criterion that a voter can still bring and that separates most; "" if none."""
        return next(iter(self.separating_unsaid(voter, told, left)), "")

    def scores(self, voter: str, told: Sequence[str], left: Sequence[str]) -> dict[str, float]:
        """Return a voter's score of each option *left*."""
        known, values = self.known(voter, told), self.values
        found = dict.fromkeys(left, 0.0)
        for key, weight in self.voters[voter].weights.items():
            if weight and key in values:
                row = values[key] if key in known else None
                for option in left:
                    found[option] += weight * (row[option] if row else UNKNOWN)
        return found

    def ranking(self, scores: Mapping[str, float], whims: Mapping[str, int]) -> tuple[str, ...]:
        """Return options from the best to the worst; near ties go by the voter's own whim."""
        grades = graded(scores)
        return tuple(sorted(scores, key=lambda o: (-grades[o], whims[o])))

    def whims(self, voter: str, chance: RandomFor) -> dict[str, int]:
        """Return in which order a voter puts what it finds equal; the same all game."""
        order = sorted(self.options)
        chance(f"whim/{voter}").shuffle(order)
        return {option: place for place, option in enumerate(order)}


def graded(scores: Mapping[str, float]) -> dict[str, int]:
    """Return scores in steps of a tie: what is equal in these is not set apart."""
    return {option: round(score / TIE) for option, score in scores.items()}


def balanced(weights: Mapping[str, float], criteria: Sequence[str]) -> dict[str, float]:
    """Return the weights of the *criteria* there are, so that they sum to 1."""
    kept = {k: float(weights.get(k, 0.0)) for k in criteria}
    whole = sum(kept.values())
    if not whole:
        return {k: 1 / len(kept) for k in kept} if kept else {}
    return {k: v / whole for k, v in kept.items()}
