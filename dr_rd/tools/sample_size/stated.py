"""Reads the figures that a brief states, and keeps which of them were used and what stood in."""

from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from dr_rd.study import Layout, Statistics, Unused

CALLED = {
    "sd": "standard deviation",
    "base_rate": "rate in the comparator",
    "second_rate": "rate to be told from it",
    "effect": "effect to be found",
    "margin": "margin",
    "variation": "coefficient of variation (the standard deviation as a share of the mean)",
    "groups": "number of groups",
    "reference": "value to be told from",
    "icc": "intracluster correlation",
    "cluster_size": "size of a cluster",
    "steps": "number of steps",
    "rate": "rate in the comparator",
    "base": "rate in the comparator",
    "effects": "effect or margin",
    "attrition": "loss",
    "discordant": "share of pairs that differ",
}
"""What a reader calls a figure, where its field's name says too little."""

_WHY_UNUSED = {
    "alpha": "the confidence of an interval, or another figure, says it",
    "confidence": "the error of the first kind of a test says it",
    "power": "an interval is sized, and no test is made",
    "sides": "the design has no choice of sides",
    "population": "it corrects an estimate for the whole it is drawn from, not a comparison",
    "effect": "the other figures say it, or the size takes it that there is no difference",
}
"""Why a figure stays out, where it is not only that the design has no place for it."""


class Unsaid(Exception):
    """A figure without which no size follows; the message says which, in a sentence."""

    def __init__(self, message: str, lacks: str = "") -> None:
        """*lacks*: the name of the figure in `Statistics`; "" where it is another fault."""
        super().__init__(message)
        self.lacks = lacks


@dataclass(slots=True)
class Stated:
    """The figures of one brief, as they are taken one after another."""

    figures: Statistics
    layout: Layout
    used: set[str] = field(default_factory=set)
    assumed: list[str] = field(default_factory=list)
    converted: list[str] = field(default_factory=list)
    """Effects in another measure than the brief's, a phrase each with the source of the formula."""

    def get(self, name: str) -> Any | None:  # noqa: ANN401 - a figure of any type
        """Return a figure, and note that it is used; None where it is not stated."""
        value = getattr(self.figures, name)
        if value is not None:
            self.used.add(name)
        return value

    def need(self, name: str) -> float:
        """Return a figure that the size cannot do without; raises Unsaid."""
        value = self.get(name)
        if value is None:
            raise Unsaid(f"The {CALLED.get(name, name)} is not stated.", name)
        return float(value)

    def has(self, *names: str) -> bool:
        """Whether all of the figures are stated."""
        return all(getattr(self.figures, name) is not None for name in names)

    def otherwise(self, name: str, value: Any, said: str) -> Any:  # noqa: ANN401 - of its type
        """Return a figure, or the convention that stands in for it and is *said*."""
        found = self.get(name)
        if found is None:
            self.assumed.append(said)
        return value if found is None else found

    def unused(self, title: str) -> tuple[Unused, ...]:
        """Return the figures that are stated and that nothing used, each with the reason."""
        found = self.figures.model_dump(exclude_none=True, exclude={"design"})
        return tuple(
            Unused(field=name, value=_plain(value), why=_why(name, title))
            for name, value in found.items()
            if name not in self.used and not name.endswith("_kind")
        )


def _plain(value: object) -> JsonValue:
    return value if isinstance(value, int | float | str) else str(value)


def _why(name: str, title: str) -> str:
    said = _WHY_UNUSED.get(name, "the calculation has no place for it")
    return f"{title}: {said}" if title else "no size follows from the figures"
