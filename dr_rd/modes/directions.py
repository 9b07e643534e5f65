"""A brief's directions as modes choose between them: what each speaks to, and what it costs.

Every mode that weighs directions asks here, so that none says another price than the next.
"""

import re
from collections.abc import Mapping
from functools import cache, cached_property

from core.graph.state import GraphTask
from core.values import Frozen, rounded_to
from dr_rd.checks import LedgerItem, check
from dr_rd.files import read_yaml
from dr_rd.modes.spec import Material
from dr_rd.planning.directions import Direction, speaks_to
from dr_rd.planning.guesses import guesses_money
from dr_rd.planning.scaling import times
from dr_rd.planning.signals import find_techniques
from dr_rd.planning.techniques import Technique
from dr_rd.schedule.confidence import PERCENTILE


class RoundsRule(Frozen):
    """Words of a direction that ask for rounds of sampling; `data/planning/rounds.yaml`."""

    words: str
    """A pattern."""
    rounds: float = 0
    """How many; 0 where they are counted by the year."""
    a_year: float = 0
    """How many in each year of the study, after a first one."""

    def asked(self, months: float) -> float:
        """Return how many rounds are asked for in a study of so many *months*."""
        return 1 + self.a_year * months / 12 if self.a_year else self.rounds


class DirectionPrice(Frozen):
    """What the whole work costs if a direction is chosen."""

    tasks: tuple[GraphTask, ...]
    """The plan's, at this direction's costs."""
    cost: float
    """In the plan's currency, at the percentile that the posture plans by."""
    chance: float | None
    """Of keeping the limit; None without one."""
    rounds: float
    """Rounds of sampling that are priced."""
    planned: int
    """Rounds that the plan has."""
    words: str
    """What asks for more rounds than that; "" where nothing does."""
    dearer: float
    """What the library expects of its own tasks, as a multiple of the plan's cost."""


@cache
def rounds_rules() -> tuple[RoundsRule, ...]:
    """Read which words ask for rounds of sampling."""
    found = read_yaml("planning", "rounds.yaml")["rounds"]
    return tuple(RoundsRule.model_validate(rule) for rule in found)


def criteria_of(material: Material) -> tuple[LedgerItem, ...]:
    """Return the success criteria of the brief."""
    return tuple(item for item in material.ledger.items if item.kind == "criterion")


def techniques_of_all(material: Material) -> tuple[Technique, ...]:
    """Return the techniques that the objective names: they are used whichever way is taken."""
    return find_techniques(material.brief.objective, material.library)


def own_techniques(material: Material, direction: Direction) -> tuple[Technique, ...]:
    """Return the techniques that a direction uses and the objective does not ask for anyway."""
    by_title = {t.title: t for t in material.library.techniques}
    common = {t.title for t in techniques_of_all(material)}
    return tuple(by_title[t] for t in direction.techniques if t in by_title and t not in common)


def criteria_spoken_to(material: Material, direction: Direction) -> frozenset[str]:
    """Return the ids of the success criteria that a direction's words or its work speak to."""
    work = (*own_techniques(material, direction), *techniques_of_all(material))
    items = criteria_of(material)
    met = {v.text for v in check(material.ledger, direction.text) if v.verdict == "met"}
    spoken = speaks_to(direction.text, work, [item.text for item in items], met)
    return frozenset(item.id for item, said in zip(items, spoken, strict=True) if said)


class DirectionPrices:
    """Prices of directions under one plan; what is priced alike is simulated once.

    Args:
        material: The brief and its plan.

    """

    def __init__(self, material: Material) -> None:
        self._material = material
        self._found: dict[
            tuple[float, float], tuple[tuple[GraphTask, ...], float, float | None]
        ] = {}

    @cached_property
    def percentile(self) -> float:
        """The share of outcomes that a price is not to exceed."""
        return PERCENTILE[self._material.brief.risk_posture]

    @cached_property
    def _sampling(self) -> tuple[str, ...]:
        """The tasks that are a round of sampling whose cost grows with the units."""
        method = self._material.library.method(self._material.design.method_id)
        rounds = {
            f"{method.id}/{p.id}"
            for p in method.packages
            if p.phase != "processing"
            and p.cost.driver == "units"
            and "collect-new-data" in p.actions
            and "apply-treatment" not in p.actions
        }
        return tuple(t.id for t in self._material.tasks if t.source in rounds)

    @cached_property
    def _dearer(self) -> Mapping[str, float]:
        """What the library expects of each direction, as a multiple of the one planned."""
        design = self._material.design
        costs = {d.id: d.outline.cost for d in design.directions if d.outline}
        chosen = costs.get(design.chosen)
        return {key: cost / chosen for key, cost in costs.items()} if chosen else {}

    def of(self, key: str, text: str) -> DirectionPrice:
        """Return the price of the direction with that id, were it worded as *text*."""
        design, planned = self._material.design, len(self._sampling)
        rounds, words = _rounds_asked(text, design.months) if planned else (0.0, "")
        if rounds <= planned:
            rounds, words = float(planned), ""
        dearer = self._dearer.get(key, 1.0)
        if (rounds, dearer) not in self._found:
            tasks = tuple(self._grown(t, rounds, dearer) for t in self._material.tasks)
            seen = self._material.preview(tasks)
            chance = seen.chances.get("budget")
            cost = seen.cost.get(f"P{self.percentile * 100:.0f}", 0.0)
            priced = (tasks, cost, None if chance is None else float(chance))
            self._found[rounds, dearer] = priced
        tasks, cost, chance = self._found[rounds, dearer]
        return DirectionPrice(
            tasks=tasks,
            cost=cost,
            chance=chance,
            rounds=rounds,
            planned=planned,
            words=words,
            dearer=dearer,
        )

    def words(self, price: DirectionPrice) -> str:
        """Write what a direction costs: to one digit where the library guesses any of it."""
        design = self._material.design
        scaling = design.scaling
        if guesses_money(price.tasks, design.staffing, scaling.currency):
            limit = f", under a limit of {scaling.limit:,.0f}" if scaling.limit else ""
            money = f"{rounded_to(price.cost, 1):,.0f} {scaling.currency}"
            return f"about {money} by the library's guess{limit}"
        of = f" of {scaling.limit:,.0f}" if scaling.limit else ""
        return f"{price.cost:,.0f} {scaling.currency}{of} at P{self.percentile * 100:.0f}"

    def _grown(self, task: GraphTask, rounds: float, dearer: float) -> GraphTask:
        """Return a task with the costs of more rounds: of sampling itself, and of what it yields."""
        method = self._material.library.method(self._material.design.method_id)
        package = method.by_id.get(task.source.removeprefix(f"{method.id}/"))
        if task.cost is None:
            return task
        factor, planned = dearer, len(self._sampling)
        if planned and task.id == self._sampling[-1]:
            factor *= 1 + rounds - planned
        elif (
            planned and package and (package.phase, package.cost.driver) == ("processing", "units")
        ):
            factor *= rounds / planned
        if factor == 1:
            return task
        return task.model_copy(update={"cost": times(task.cost, factor)})


def _rounds_asked(text: str, months: float) -> tuple[float, str]:
    """Return how many rounds of sampling a direction's words ask for, and which words; 0 if none."""
    for rule in rounds_rules():
        if found := re.search(rule.words, text, re.IGNORECASE):
            return rule.asked(months), found[0]
    return 0.0, ""
