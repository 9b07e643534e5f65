"""What a seat has before it when it speaks, and what it finds there."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from core.graph.state import GraphTask
from core.values import Frozen
from dr_rd.checks import LedgerItem
from dr_rd.files import read_yaml
from dr_rd.modes.panel.board import Board, Change, Plan
from dr_rd.modes.panel.figures import Desk
from dr_rd.planning.design import Design
from dr_rd.tools.sample_size import DESIGNS
from dr_rd.tools.spec import ResultKind

DEVIATIONS = (
    "two_means", "paired_means", "one_mean", "difference_in_differences", "baseline_adjusted",
)  # fmt: skip
"""The designs whose effect is in standard deviations."""

_COMPARES = re.compile(r"detectable|detected|narrower|plausible", re.IGNORECASE)


class Wording(Frozen):
    """What is said where a rule holds; the fields in braces are the rule's facts."""

    say: str
    title: str = ""
    reason: str = ""
    ask: str = ""
    does: str = ""
    adds: Mapping[str, str] = {}
    """Texts that go into the plan, by name."""


def load_words() -> Mapping[str, Wording]:
    """Read what the built-in seats say, by rule."""
    found = read_yaml("panel", "words.yaml")
    return {rule: Wording.model_validate(entry) for rule, entry in found.items()}


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found: typed facts, and the changes that they ask for."""

    rule: str
    facts: Mapping[str, Any]
    changes: tuple[Change, ...] = ()
    rests_on: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    """The seats that it answers."""
    replaces: str = ""
    """The amendment that it takes the place of."""
    about: str = ""
    """What a person said that it answers, by its id; a rule speaks on each of these once."""

    @property
    def name(self) -> str:
        """What it is remembered by, so that no seat says it again."""
        return f"{self.rule} {self.about}".rstrip()


@dataclass(frozen=True)
class Floor:
    """The brief, the plan as amended so far, and what earlier seats put on the table."""

    desk: Desk
    board: Board
    plan: Plan
    """With every amendment that stands."""
    words: Mapping[str, Wording] = field(repr=False)
    labels: Mapping[str, str] = field(default_factory=dict)
    """What people call each seat."""

    def called(self, seat: str) -> str:
        """Return what people call a seat."""
        return self.labels.get(seat, seat)

    @property
    def design(self) -> Design:
        """Why the plan is as it is."""
        return self.desk.material.design

    @property
    def items(self) -> tuple[LedgerItem, ...]:
        """The limits, criteria and bans of the brief."""
        return self.desk.material.ledger.items

    @property
    def sizing(self) -> Mapping[str, Any]:
        """The arguments of the sample size as amended."""
        return self.plan.sizing

    @property
    def objective(self) -> str:
        """The brief's question, on one line."""
        return " ".join(self.desk.material.brief.objective.split())

    @cached_property
    def blank_gate(self) -> tuple[GraphTask, str] | None:
        """The first stop rule that compares an effect with a detectable one, without a figure."""
        rules = ((t, r) for t in self.plan.tasks for r in t.stop_rules)
        return next(
            ((t, r) for t, r in rules if _COMPARES.search(r) and not re.search(r"\d", r)), None
        )

    @property
    def unit(self) -> str:
        """What is counted, in the plural."""
        minimum = self.desk.minimum
        return (minimum and minimum.noun) or self.design.slots.get("units") or "units"

    @property
    def least_said(self) -> str:
        """Say that the number planned is only the least that the brief allows; "" where it is not."""
        least = self.desk.minimum
        planned = self.desk.at_start().sizing.get("given")
        if least is None or self.sizing.get("given") != planned:
            return ""
        return f", the least that {least.ledger_id} allows,"

    @cached_property
    def sizer(self) -> GraphTask | None:
        """The task that sizes the study."""
        return self.desk.sizer(self.plan)

    def adds(self, rule: str, name: str, **facts: object) -> str:
        """Return a text of a rule that goes into the plan."""
        return self.words[rule].adds[name].format(**facts)

    def assumed(self, *names: str) -> Iterator[tuple[str, str]]:
        """Yield id and value of the assumptions of those names."""
        for assumption in self.design.assumptions:
            name, _, value = assumption.text.partition(": ")
            if name in names and value:
                yield assumption.id, value

    def of_phase(self, *phases: str) -> tuple[GraphTask, ...]:
        """Return the plan's tasks of those phases, in its order."""
        return tuple(t for t in self.plan.tasks if t.phase in phases)

    def text(self, *fields: str) -> str:
        """Return what the plan's tasks say, without the lines that repeat the brief."""
        return "\n".join(line for task in self.plan.tasks for line in lines_of(task, *fields))

    def says(self, pattern: str) -> bool:
        """Whether any task says what the pattern finds."""
        return re.search(pattern, self.text(), re.IGNORECASE) is not None

    def before(self, task_id: str) -> frozenset[str]:
        """Return the tasks that must end before a task begins."""
        by_id = {t.id: t for t in self.plan.tasks}
        found: set[str] = set()
        waiting = list(by_id[task_id].depends_on)
        while waiting:
            one = waiting.pop()
            if one not in found:
                found.add(one)
                waiting += by_id[one].depends_on
        return frozenset(found)

    def plan_has(self, task_id: str) -> None:
        """Raise ValueError, which names the choices, unless the plan has a task of that id."""
        known = [t.id for t in self.plan.tasks]
        if task_id not in known:
            raise ValueError(f"there is no task {task_id!r}; the plan has {', '.join(known)}")

    def calling(self, kind: ResultKind) -> GraphTask | None:
        """Return the first task with a call that gives what a proposal needs of that *kind*."""
        tools = self.desk.material.library.tools
        return next(
            (t for t in self.plan.tasks if any(tools.give(r.name, kind) for r in t.tool_request)),
            None,
        )

    def amended(self, rule: str) -> str:
        """Return the id of the standing amendment of a rule; "" if there is none."""
        return next((a.id for a in self.board.standing if a.rule == rule), "")


_REPEATS = re.compile(r"^(?:[CSB]\d\d (?:is met|stays out of the work):|O\d+, as chosen:)")


def lines_of(task: GraphTask, *fields: str) -> Iterator[str]:
    """Yield what a task says, without the lines that repeat an item or a direction of the brief."""
    wanted = fields or ("title", "steps", "acceptance", "stop_rules")
    if "title" in wanted:
        yield task.title
    if "steps" in wanted:
        yield from (s for s in task.steps if not _REPEATS.match(s))
    if "acceptance" in wanted:
        yield from (a.text for a in task.acceptance if not _REPEATS.match(a.text))
    if "stop_rules" in wanted:
        yield from task.stop_rules


Rule = Callable[[Floor], Iterable[Finding]]


def whole(value: float | None) -> str:
    """Write a figure as a whole number."""
    return "–" if value is None else f"{value:,.0f}"


def fine(value: float | None) -> str:
    """Write a figure to three significant digits, as tools give effects."""
    return "–" if value is None else f"{value:.3g}"


def effect_of(value: float | None, sizing: Mapping[str, Any]) -> str:
    """Write an effect in its design's unit, in few words."""
    design = str(sizing.get("design", ""))
    if value is None:
        return "no effect at all"
    if said := _EFFECTS.get(design):
        return said.format(value=value)
    if design in _OF_POINTS:
        return f"a difference of {value * 100:.3g} percentage points"
    of = "within-pair difference" if design == "paired_means" else "difference"
    return f"a {of} of {value:.2f} standard deviations"


def basis_of(sizing: Mapping[str, Any]) -> str:
    """Say under which design and assumptions an effect was computed."""
    design = str(sizing.get("design", "")).replace("_", " ")
    sides = {1: "one", 2: "two"}[int(sizing.get("sides") or 2)]
    said = [
        design.replace("means", "means compared").replace("non inferiority", "non-inferiority of"),
        f"{sides}-sided {float(sizing.get('alpha', 0.05)):g}",
        f"{100 * float(sizing.get('power', 0.8)):g} % power",
    ]
    named = {
        "correlation": "correlation {:g}",
        "icc": "intracluster correlation {:g}",
        "base": "from a share of {:g}",
    }
    said += [text.format(float(sizing[key])) for key, text in named.items() if sizing.get(key)]
    return ", ".join(said)


_OF_POINTS = (
    "two_proportions", "one_proportion", "non_inferiority_proportions", "equivalence_proportions",
    "mcnemar",
)  # fmt: skip
_EFFECTS: Mapping[str, str] = {
    "correlation": "a correlation of {value:.2f}",
    "anova": "an effect of f = {value:.2f}",
    "survival": "a hazard ratio of {value:.2f}",
    "rates": "a ratio of rates of {value:.2f}",
    "area": "an area of {value:.2f}",
}


def per_group(sizing: Mapping[str, Any]) -> bool:
    """Whether the study's size is that of each of its groups."""
    return DESIGNS[sizing["design"]].unit == "per group" if sizing.get("design") else False


def counted_per(sizing: Mapping[str, Any]) -> str:
    """Return what the study's number is counted in."""
    return "per group" if per_group(sizing) else "in all"
