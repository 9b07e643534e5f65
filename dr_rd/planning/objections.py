"""What a direction breaks or cannot show, by typed facts that are put to every direction alike.

Its design on the axes of `data/planning/axes.yaml`, how many of a thing it has, the range in which it
sets what is studied, and what the world allows (`data/planning/world.yaml`). Figures are compared only
where the same quantity of the same thing is meant; of all others nothing is said.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import inf

from core.pluralize import amount
from core.values import Frozen
from dr_rd.brief import Brief
from dr_rd.checks import Ledger, LedgerItem
from dr_rd.files import read_yaml
from dr_rd.quantity import Quantity, quantities
from dr_rd.text import stem


class Objection(Frozen):
    """Why a direction cannot be taken, or is weak."""

    why: str
    """A clause: "it has 10 reaches, and C02 asks for 40 at least"."""
    breaks: str = ""
    """Id of the constraint that it breaks; "" where it is weak and breaks none."""


class Stance(Frozen):
    """One of the ways in which a design can be on an axis."""

    id: str
    says: str
    """A clause."""
    pattern: str = ""
    demanded: str = ""
    """Matched in limits alone."""
    offered: str = ""
    """Matched in directions alone."""
    unless: str = ""

    def demands(self, text: str) -> bool:
        """Whether a limit in these words asks for it."""
        return _any(text, (self.pattern, self.demanded), self.unless)

    def offers(self, text: str) -> bool:
        """Whether a direction in these words has it."""
        return _any(text, (self.pattern, self.offered), self.unless)


class Axis(Frozen):
    """Something in which designs differ, such as who assigns."""

    id: str
    values: tuple[Stance, ...]
    clashes: tuple[tuple[str, str], ...]
    """What is demanded, and what then cannot be had."""

    @cached_property
    def by_id(self) -> Mapping[str, Stance]:
        """Its stances by their id."""
        return {v.id: v for v in self.values}

    def clashing(self, items: Iterable[LedgerItem], direction: str) -> Iterator[Objection]:
        """Say which of the *items* demand what a *direction* cannot have by its own stance.

        What other items demand as well is taken for a part of the study, and nothing is said of it.
        """
        had = {v.id for v in self.values if v.offers(direction)}
        wanted = {i.id: (i, {v.id for v in self.values if v.demands(i.text)}) for i in items}
        somewhere = {v for _, stances in wanted.values() for v in stances}
        for item, stances in wanted.values():
            for asks, cannot in self.clashes:
                if asks in stances and cannot in had - somewhere and not stances & had:
                    mine, theirs = self.by_id[cannot].says, self.by_id[asks].says
                    yield Objection(
                        why=f"in it {mine}, and by {item.id} {theirs}", breaks=_breaks(item)
                    )


class Solid(Frozen):
    """A material, and the temperature up to which it is wholly solid."""

    pattern: str
    name: str
    to: float
    """Degrees Celsius."""
    liquid: float
    """Degrees Celsius from which nothing of it is solid."""


class Holding(Frozen):
    """A public test set and how many it holds."""

    pattern: str
    name: str
    count: int
    of: str


class World(Frozen):
    """What the world allows; `data/planning/world.yaml`."""

    solid: tuple[Solid, ...]
    held: tuple[Holding, ...]
    sources: Mapping[str, str]
    """Where each of them is from, a sentence each."""


class Objector(Frozen):
    """Puts the same questions to each direction of a brief."""

    axes: tuple[Axis, ...]
    world: World

    def against(self, direction: str, brief: Brief, ledger: Ledger) -> tuple[Objection, ...]:
        """Return what is to be said against a *direction*, what breaks a constraint first."""
        items = [i for i in ledger.items if i.kind in ("constraint", "criterion")]
        asked = "\n".join([brief.objective, *(i.text for i in items)])
        found = (
            *self._by_design(direction, items),
            *_by_count(direction, items),
            *_by_range(direction, brief.objective),
            *self._by_material(direction, asked),
            *self._by_set(direction, items),
        )
        return tuple(sorted(dict.fromkeys(found), key=lambda o: not o.breaks))

    def impossible(self, brief: Brief) -> tuple[str, ...]:
        """Return what the objective and the constraints of *brief* ask for and the world does not allow."""
        lines = [brief.objective, *brief.hard_constraints]
        named = "\n".join(lines)
        return tuple(
            f"{m.name[:1].upper()}{m.name[1:]} begins to melt at {amount(m.to)} °C and is liquid from "
            f"{amount(m.liquid)} °C, and the brief goes up to {amount(hottest)} °C: the range is cut, or "
            "there is nothing to measure in its upper part"
            for m, hottest in self._heated(named, lines)
            if hottest > m.liquid
        )

    def facts(self, brief: Brief) -> Iterator[tuple[str, str]]:
        """Yield what the objections to a *brief* take from the world, each with its source."""
        lines = [brief.objective, *brief.hard_constraints, *brief.plausible_directions]
        said = "\n".join(lines)
        for material, _ in self._heated(said, lines):
            yield (
                f"{material.name} is solid to {amount(material.to)} °C and liquid from "
                f"{amount(material.liquid)} °C",
                self.world.sources["solid"],
            )
        for held in self.world.held:
            if re.search(held.pattern, said, re.IGNORECASE):
                yield (
                    f"{held.name} holds {amount(held.count)} {held.of} to test on",
                    self.world.sources["held"],
                )

    def _by_design(self, direction: str, items: Sequence[LedgerItem]) -> Iterator[Objection]:
        for axis in self.axes:
            found = sorted(axis.clashing(items, direction), key=lambda o: not o.breaks)
            yield from found[:1]

    def _by_material(self, direction: str, asked: str) -> Iterator[Objection]:
        for material, hottest in self._heated(f"{asked}\n{direction}", [direction]):
            end = f"and it goes up to {amount(hottest)} °C [plan]"
            yield Objection(
                why=f"{material.name} begins to melt at {amount(material.to)} °C, {end}"
            )
            if hottest > material.liquid:
                yield Objection(
                    why=f"{material.name} is liquid from {amount(material.liquid)} °C, {end}"
                )

    def _heated(self, named: str, lines: Sequence[str]) -> Iterator[tuple[Solid, float]]:
        """Yield each material *named* that one of the *lines* takes to where it melts, and how hot."""
        hottest = max((t for line in lines for t in _temperatures(line)), default=-inf)
        for material in self.world.solid:
            if hottest > material.to and re.search(material.pattern, named, re.IGNORECASE):
                yield material, hottest

    def _by_set(self, direction: str, items: Iterable[LedgerItem]) -> Iterator[Objection]:
        for held in self.world.held:
            if not re.search(held.pattern, direction, re.IGNORECASE):
                continue
            for item in items:
                for asked in quantities(item.text):
                    if _counts(asked, held.of) and (asked.low or 0) > held.count:
                        yield Objection(
                            why=f"{held.name} has {amount(held.count)} {held.of} to test on, and "
                            f"{item.id} asks for {amount(asked.low or 0)} [plan]"
                        )


def load_objector() -> Objector:
    """Read the axes and what is known of the world."""
    axes, world = read_yaml("planning", "axes.yaml"), read_yaml("planning", "world.yaml")
    return Objector.model_validate({"axes": axes, "world": world})


def _by_count(direction: str, items: Iterable[LedgerItem]) -> Iterator[Objection]:
    """Counts of a thing that fall short of what an item asks of the same thing, or go beyond it."""
    had = [q for q in quantities(direction) if not _PART.search(direction[q.end :])]
    if _SHARE.search(direction):
        return
    for item in items:
        for asked in quantities(item.text):
            thing = _head(asked)
            if not thing or asked.unit or _PART.search(item.text[asked.end :]):
                continue
            mine = [q.low for q in had if _counts(q, thing) and q.low == q.high and q.low]
            if not mine:
                continue
            if asked.comparison == "at_least" and asked.low and sum(mine) < asked.low:
                bound = f"{amount(asked.low)} at least"
            elif asked.comparison in ("at_most", "exactly") and max(mine) > (
                asked.high or max(mine)
            ):
                bound = f"{amount(asked.high or 0)} at most"
            else:
                continue
            number = sum(mine) if asked.comparison == "at_least" else max(mine)
            yield Objection(
                why=f"it has {amount(number)} {thing}, and {item.id} asks for {bound}",
                breaks=_breaks(item),
            )


def _by_range(direction: str, objective: str) -> Iterator[Objection]:
    """Values outside the range in which the objective asks after what is set."""
    for asked in quantities(objective):
        if asked.comparison != "between" or asked.unit != _CELSIUS:
            continue
        low, high = asked.low, asked.high
        beyond = [t for t in _temperatures(direction) if t < (low or t) or t > (high or t)]
        if beyond and low is not None and high is not None:
            yield Objection(
                why=f"it goes to {amount(beyond[-1])} °C, and the objective asks after "
                f"{amount(low)} to {amount(high)} °C"
            )


_CELSIUS = "degree_Celsius"

_STEPS = re.compile(r"\b(?:increments?|steps?|spacing|intervals?|differences?|tolerance)\b", re.I)

_PART = re.compile(r"^\W*(?:[\w-]+ ){0,3}?(?:per|(?:in|of|for|at) each|in every)\b", re.IGNORECASE)
"""After a count that is one of several: what a direction has of it in all says nothing."""

_SHARE = re.compile(r"\b(?:pilot|first|initially|further|additional|extra|more|e\.g)\b", re.I)
"""What tells that a count may be of a part of the work."""


def _temperatures(text: str) -> list[float]:
    """The temperatures of a text in degrees Celsius, in its order; not the steps between them."""
    return [
        value
        for q in quantities(text)
        if q.unit == _CELSIUS and not _STEPS.search(q.noun or "")
        for value in dict.fromkeys((q.low, q.high))
        if value is not None
    ]


def _head(asked: Quantity) -> str:
    """The word for what a quantity counts; "" where none follows it."""
    return (
        next(reversed(asked.noun.split()), "") if asked.noun and asked.noun in asked.text else ""
    )


def _counts(quantity: Quantity, thing: str) -> bool:
    """Whether a plain number counts *thing*, in the singular or the plural."""
    named = quantity.noun.lower() if _head(quantity) and not quantity.unit else ""
    return stem(thing.lower()) in {stem(w) for w in re.findall(r"[^\W\d_]+", named)}


def _breaks(item: LedgerItem) -> str:
    return item.id if item.kind == "constraint" else ""


def _any(text: str, patterns: Iterable[str], unless: str) -> bool:
    if unless and re.search(unless, text, re.IGNORECASE):
        return False
    return any(p and re.search(p, text, re.IGNORECASE) for p in patterns)
