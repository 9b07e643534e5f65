"""What is wrong with a model's plan, and what was taken out of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from core.errors import clipped

_T = TypeVar("_T")

SHOWN = 80
"""Characters of a model's text that are quoted when it is complained of."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong with a plan."""

    wrong: str
    remedy: str
    """What its author should do."""
    repair: str
    """What is done if the author does not."""

    @property
    def complaint(self) -> str:
        """Return it for the author."""
        return f"{self.wrong}; {self.remedy}"

    @property
    def note(self) -> str:
        """Return it for the analyst."""
        return f"{self.wrong}: {self.repair}."


@dataclass(frozen=True, slots=True)
class Faults:
    """What is found while one plan is put right, in order."""

    named: list[Fault] = field(default_factory=list)
    removed: dict[str, list[str]] = field(default_factory=dict)
    """What was taken out and is not worth asking again, by what it is."""

    def name(self, wrong: str, remedy: str, repair: str) -> None:
        """Note a fault that the author may put right."""
        self.named.append(Fault(wrong, remedy, repair))

    def remove(self, what: str, it: str) -> None:
        """Note *it* as taken out."""
        self.removed.setdefault(what, []).append(clipped(it, SHOWN))

    def few(self, them: Sequence[_T], most: int, owner: str, what: str) -> Sequence[_T]:
        """Return the first *most* of *them*; more is a fault of *owner*."""
        if len(them) > most:
            wrong = f"{owner} has {len(them)} {what}, of {most} at most"
            self.name(wrong, "keep those that matter", f"the first {most} are kept")
        return them[:most]

    @property
    def asides(self) -> tuple[str, ...]:
        """What was taken out, a sentence for each kind."""
        return tuple(
            f"Left out, {what}: {', '.join(dict.fromkeys(them))}."
            for what, them in self.removed.items()
        )
