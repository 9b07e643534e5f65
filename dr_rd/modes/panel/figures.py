"""What a plan comes to, computed anew by the workbench's own calculators."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import comb
from typing import Any

from core.errors import TaskError
from core.graph.state import GraphTask, ThreePoint
from core.values import Frozen, digest, rounded_to
from dr_rd.checks import Limit
from dr_rd.modes.panel.board import SIZER, Effect, Pair, Plan, without_choice
from dr_rd.modes.spec import Material
from dr_rd.planning.context import call_context
from dr_rd.planning.designs import holds_others
from dr_rd.planning.guesses import guesses_days, is_guess, is_guessed_time, pay_parts
from dr_rd.planning.methods import Package
from dr_rd.schedule.confidence import PERCENTILE
from dr_rd.tools.sample_size import SampleSize, recommended, sample_size
from dr_rd.tools.schedule_risk.args import arguments
from dr_rd.tools.schedule_risk.tool import ScheduleRisk, schedule_risk

_ITERATIONS = 2_000
"""Draws with risks, as a preview of a plan has them."""


_GRAVE = frozenset({"violated"})
"""The verdicts that an amendment may turn: what it adds says nothing that would show an item kept."""


_NAMED_DESIGNS = tuple(
    (re.compile(pattern, re.IGNORECASE), designs)
    for pattern, designs in (
        (r"\bstepped[- ]wedge\b", ("stepped_wedge",)),
        (r"\b(?:incidence )?rates? ratio\b", ("rates", "stepped_wedge", "survival")),
        (r"\bhazard ratio\b", ("survival", "rates")),
    )
)
"""What a brief calls its layout or its measure, and the calculations that are of it."""


class Figures(Frozen):
    """What one plan comes to."""

    days: float = 0
    least: float | None = None
    """Of the days, those that somebody set; None where nothing is guessed, or no deadline set."""
    money: float = 0
    joint: float | None = None
    """Money at the posture's percentile with the risks drawn in; None without a limit, or with guesses."""
    kept: float | None = None
    """Chance that money and risks together keep the limit; None without one, or with guesses."""
    detectable: float | None = None
    held: float | None = None
    verdicts: Mapping[str, str] = {}
    quotes: Mapping[str, str] = {}
    """The words of the plan that each verdict rests on."""
    starts: Mapping[str, float] = {}
    """The working day on which each task begins, of its expected length."""
    slack: Mapping[str, float] = {}


@dataclass(frozen=True, slots=True)
class Minimum:
    """A smallest number of units that the brief asks for."""

    ledger_id: str
    count: int
    groups: int
    """How many times the study's own number it is: 2 where it counts both groups."""
    noun: str


@dataclass(frozen=True)
class Desk:
    """Computes plans of one brief; the same plan once."""

    material: Material
    _known: dict[str, Figures] = field(default_factory=dict)

    @property
    def percentile(self) -> str:
        """The percentile that the risk posture plans by, such as P70."""
        return f"P{round(PERCENTILE[self.material.brief.risk_posture] * 100)}"

    @property
    def posture(self) -> float:
        """The same as a share."""
        return PERCENTILE[self.material.brief.risk_posture]

    @property
    def currency(self) -> str:
        """The plan's currency."""
        return self.material.design.scaling.currency

    @property
    def limit(self) -> float | None:
        """What the work may cost."""
        return self.material.design.scaling.limit

    @property
    def guessed(self) -> bool:
        """Whether guesses are in the money of the plan, so that its whole is held against no limit."""
        return self.guess(self.at_start()) is not None

    @property
    def guesses_days(self) -> bool:
        """Whether the library guesses days of the plan."""
        return guesses_days(self.material.tasks)

    @cached_property
    def why_number(self) -> str:
        """Why the plan takes its number of units, as its frontier has it; "" where none was computed."""
        sizing = self.material.design.sizing
        return recommended(SampleSize.model_validate(sizing))[1] or "" if sizing else ""

    @cached_property
    def packages(self) -> Mapping[str, Package]:
        """The library's work package of each task that has one."""
        design = self.material.design
        method = self.material.library.method(design.method_id)
        of = {f"{method.id}/{p.id}": p for p in method.packages}
        return {t.id: of[t.source] for t in self.material.tasks if t.source in of}

    def at_start(self) -> Plan:
        """Return the plan before any amendment, with the size that it was given."""
        return Plan(tasks=self.material.tasks, sizing=without_choice(self.material.design.sizing))

    def sizer(self, plan: Plan) -> GraphTask | None:
        """Return the task that sizes the study; None where none does."""
        return next((t for t in plan.tasks if any(r.name == SIZER for r in t.tool_request)), None)

    def size(self, plan: Plan, **over: Any) -> dict[str, Any] | None:  # noqa: ANN401 - arguments
        """Return the sample size of a plan, its arguments replaced by *over*; None if it has none.

        Nor has a plan one that counts groups as if each were one observation, or whose calculation
        is of another design than the one that the brief names.
        """
        asked = {**plan.sizing, **over}
        if not plan.sizing or self.counted_groups or self.unlike(str(asked.get("design"))):
            return None
        try:
            found: Any = sample_size(SampleSize.model_validate(asked))
        except (ValueError, TaskError):
            return None
        return dict(found)

    def detectable(self, plan: Plan, **over: Any) -> float | None:  # noqa: ANN401 - arguments
        """Return the smallest effect that the plan's number of units shows."""
        found = self.size(plan, **over)
        return found["detectable"] if found else None

    def unlike(self, design: str) -> str:
        """Return the brief's words for what it reports or how it is laid out, if *design* is not of that.

        "" where it is, or where the brief names neither.
        """
        chosen = (
            d for d in self.material.design.directions if d.id == self.material.design.chosen
        )
        wanted = [i.text for i in self.material.ledger.items if i.kind == "criterion"]
        for text in (*(d.text for d in chosen if d.given), *wanted):
            for pattern, designs in _NAMED_DESIGNS:
                found = pattern.search(text)
                if found and design not in designs:
                    return found[0]
        return ""

    @cached_property
    def counted_groups(self) -> str:
        """What the plan's number counts, where that is groups which hold others; "" where it is not."""
        sizing = self.material.design.sizing
        least = self.minimum
        noun = least.noun if least else self.material.design.slots.get("units", "")
        counted = sizing.get("given") and not sizing.get("clusters")
        return noun if counted and holds_others(noun) else ""

    @cached_property
    def minimum(self) -> Minimum | None:
        """The smallest number of units that the brief allows, if it is the one planned for."""
        given: Any = self.material.design.sizing.get("given")
        for item in self.material.ledger.items if given else ():
            for check in item.checks:
                if not isinstance(check, Limit) or item.kind == "ban" or check.quantity.unit:
                    continue
                least, exact = check.quantity.low, check.quantity.comparison == "exactly"
                if least and not exact and least in (given, 2 * given):
                    groups = round(least / given)
                    return Minimum(item.id, int(least), groups, check.quantity.noun)
        return None

    def figures(self, plan: Plan) -> Figures:
        """Return what a plan comes to."""
        key = digest(plan.model_dump(mode="json"))
        if key not in self._known:
            self._known[key] = self._figures(plan)
        return self._known[key]

    def _figures(self, plan: Plan) -> Figures:
        seen = self.material.preview(plan.tasks)
        joint, kept = self._joint(plan) if self.limit and not self.guessed else (None, None)
        return Figures(
            days=seen.days.get(self.percentile, 0),
            least=seen.least_days,
            money=seen.cost.get(self.percentile, 0),
            joint=joint,
            kept=kept,
            detectable=self.detectable(plan),
            held=self.held(plan),
            verdicts={v.id: v.verdict for v in seen.ledger},
            quotes={v.id: v.quote for v in seen.ledger if v.quote},
            starts={k: t["start"] for k, t in seen.times.items()},
            slack={k: t["slack"] for k, t in seen.times.items()},
        )

    def held(self, plan: Plan) -> float | None:
        """Return the chance that the brief's minimum is left after losses; None without either."""
        sizing: Mapping[str, Any] = plan.sizing
        loss, given, least = sizing.get("attrition"), sizing.get("given"), self.minimum
        if not loss or not given or not least or sizing.get("clusters") or self.counted_groups:
            return None
        return chance_left(int(given) * least.groups, least.count, float(loss))

    def schedule_arguments(self, plan: Plan) -> dict[str, Any]:
        """Return the arguments by which a plan's days and money are simulated, its risks with them."""
        material = self.material
        context = call_context(
            material.design,
            material.library,
            brief=material.brief,
            ledger=material.ledger,
            tasks=plan.tasks,
            task=plan.tasks[-1],
            seed=material.options.seed,
        )
        [given] = arguments(context)
        risks = [
            {
                "id": risk.id or f"R{n}",
                "activity": risk.task_id,
                "probability": risk.probability,
                "cost": impact.model_dump(),
            }
            for n, (risk, impact) in enumerate(
                zip(context.plan.risks, context.impacts, strict=True), 1
            )
        ]
        return {**given, "risks": risks, "iterations": _ITERATIONS}

    def _joint(self, plan: Plan) -> tuple[float, float]:
        asked = self.schedule_arguments(plan)
        found: Any = schedule_risk(ScheduleRisk.model_validate(asked))
        return float(found["cost"][self.percentile]), float(found["chances"]["budget"])

    def effect(self, before: Plan, after: Plan, why_null: str = "") -> Effect:
        """Return what turns one plan into the other does."""
        old, new = self.figures(before), self.figures(after)
        said = _added(before, after)
        return Effect(
            days=Pair(before=old.days, after=new.days),
            least=Pair(before=old.least, after=new.least),
            money=Pair(before=old.money, after=new.money),
            joint=Pair(before=old.joint, after=new.joint),
            detectable=Pair(before=old.detectable, after=new.detectable),
            why_null="" if new.detectable is not None else why_null,
            held=Pair(before=old.held, after=new.held),
            ledger={
                key: (old.verdicts[key], verdict)
                for key, verdict in new.verdicts.items()
                if old.verdicts.get(key, verdict) != verdict
                and _GRAVE & {verdict, old.verdicts.get(key)}
                and not any(new.quotes.get(key, "–") in text for text in said)
            },
        )

    def known(self, plan: Plan) -> float:
        """Return what a plan is expected to cost by prices, and by rates for days, that somebody gave."""
        paid, _ = self._pay(plan.tasks)
        return paid.mean + sum(t.cost.mean for t in plan.tasks if t.cost and not is_guess(t))

    def priced(self, plan: Plan) -> str:
        """Say what of a plan's costs has a price."""
        known = self.known(plan)
        if not known:
            return "nothing of the costs is priced by anybody"
        return f"{known:,.0f} {self.currency} of the costs are priced by somebody"

    def guesses(self, plan: Plan) -> Mapping[str, ThreePoint]:
        """Return the costs that the library guesses, by task, the widest guess first."""
        return _widest_first({t.id: t.cost for t in plan.tasks if t.cost and is_guess(t)})

    def guessed_days(self, plan: Plan) -> Mapping[str, ThreePoint]:
        """Return the days that the library guesses, by task, the widest guess first."""
        days = {t.id: t.duration_days for t in plan.tasks if is_guessed_time(t)}
        return _widest_first({k: d for k, d in days.items() if d})

    def guessed_pay(self, plan: Plan) -> Mapping[str, ThreePoint]:
        """Return what people are paid for guessed days, by task, the widest guess first."""
        found = {t.id: self._pay([t])[1] for t in plan.tasks}
        return _widest_first({k: p for k, p in found.items() if p.high})

    def guess(self, plan: Plan) -> ThreePoint | None:
        """Return the money of a plan that is a guess, pay for guessed days too; None if none is."""
        found = [*self.guesses(plan).values(), *self.guessed_pay(plan).values()]
        return _added_up(found) if found else None

    def _pay(self, tasks: Sequence[GraphTask]) -> tuple[ThreePoint, ThreePoint]:
        return pay_parts(tasks, self.material.design.staffing, self.currency)

    def growing(self, plan: Plan) -> tuple[GraphTask, ...]:
        """Return the tasks whose cost the plan lets grow with the units."""
        return self._driven(plan, lambda p: p.cost.driver == "units")

    def fixed_over_time(self, plan: Plan) -> tuple[GraphTask, ...]:
        """Return the tasks whose cost grows with the months alone."""
        return self._driven(plan, lambda p: p.cost.driver == "horizon")

    def _driven(self, plan: Plan, test: Callable[[Package], bool]) -> tuple[GraphTask, ...]:
        found = ((t, self.packages.get(t.id)) for t in plan.tasks)
        return tuple(t for t, p in found if p and t.cost and test(p))


def _added(before: Plan, after: Plan) -> frozenset[str]:
    """Return the texts that an amendment adds: what it says about an item is no evidence of the work."""

    def texts(plan: Plan) -> frozenset[str]:
        return frozenset(
            text
            for t in plan.tasks
            for text in (*t.steps, *t.stop_rules, *(a.text for a in t.acceptance))
        )

    return texts(after) - texts(before)


def _widest_first(found: Mapping[str, ThreePoint]) -> Mapping[str, ThreePoint]:
    return dict(sorted(found.items(), key=lambda item: item[1].low - item[1].high))


def _added_up(points: Iterable[ThreePoint]) -> ThreePoint:
    low, mode, high = (
        sum(ends) for ends in zip(*((p.low, p.mode, p.high) for p in points), strict=True)
    )
    return ThreePoint(low=low, mode=mode, high=high)


def guessed_range(*guesses: ThreePoint) -> str:
    """Write between which sums, to one digit, the money of *guesses* is."""
    whole = _added_up(guesses)
    low, high = (rounded_to(end, 1) for end in (whole.low, whole.high))
    return f"{low:,.0f} to {high:,.0f}"


def chance_left(enrolled: int, least: int, loss: float) -> float:
    """Return the chance that *least* of *enrolled* are left where each is lost with chance *loss*."""
    keep = 1 - loss
    return sum(
        comb(enrolled, k) * keep**k * loss ** (enrolled - k) for k in range(least, enrolled + 1)
    )


def enough_left(least: int, loss: float, chance: float) -> int:
    """Return how many must be enrolled so that *least* are left with that chance."""
    enrolled = least
    while chance_left(enrolled, least, loss) < chance:
        enrolled += 1
    return enrolled
