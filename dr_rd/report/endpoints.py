"""Endpoints and analysis: of each success criterion how it is measured, estimated and decided, and by when."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from pydantic import Field

from core.graph.state import GraphTask
from core.values import Frozen
from dr_rd.brief import Brief
from dr_rd.checks import Ledger, LedgerItem
from dr_rd.files import read_yaml
from dr_rd.planning.design import Design
from dr_rd.planning.designs import holds_others
from dr_rd.planning.layouts import tries
from dr_rd.quantity import DATE, TIME_UNITS, YEAR, Quantity, quantities
from dr_rd.report.content import content_stems
from dr_rd.report.grounds import owners_of
from dr_rd.templates import clipped

_BOUNDS = ("at_least", "at_most", "less_than", "more_than")
_BY_COUNT = "no estimate: counted in the record"
_TOLD = 2
"""Points of likeness from which a task yields what a criterion asks to be shown."""
_OF_TRIES = ("share", "accuracy", "mean")
_YIELDING = ("execution", "processing", "analysis", "robustness")
_ANALYSING = ("analysis", "processing", "robustness")
_SHARED = 3
"""Content words that a step of the plan must share with a criterion to answer it."""


_LONG = 150
"""Characters of a step in the table; the annex holds it whole."""


class Found(Frozen):
    """Something that patterns find."""

    id: str
    patterns: tuple[str, ...] = Field(min_length=1)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """All of them as one."""
        return re.compile("|".join(self.patterns), re.IGNORECASE)


class Checked(Frozen):
    """A check beside the main estimate."""

    patterns: tuple[str, ...] = Field(min_length=1)
    does: str
    passed: str = ""
    """"" where the criterion itself says it."""
    sized: bool = False
    """Whether the sample size answers it, before any data."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """All of them as one."""
        return re.compile("|".join(self.patterns), re.IGNORECASE)


class Analyses(Frozen):
    """`data/report/endpoints.yaml`."""

    measures: tuple[Found, ...]
    comparisons: tuple[Found, ...]
    of_sizing: Mapping[str, str]
    """The comparison that each design of a sample size makes."""
    estimators: Mapping[str, Mapping[str, str]]
    """By measure and comparison; "any" where the comparison changes nothing."""
    checks: tuple[Checked, ...]
    named: str
    every: str
    valued: str
    bounded: str
    tested: str
    relative: str
    no_worse: str
    directed: str
    reports: str
    main: str
    beforehand: str
    shown: str
    no_way: str
    linked: tuple[str, ...]
    how: tuple[str, ...]

    def finds(self, what: str, text: str) -> re.Match[str] | None:
        """Return where *text* has the wording called *what*."""
        return re.search(getattr(self, what), text, re.IGNORECASE)


@cache
def load_analyses() -> Analyses:
    """Read the table of measures, estimators and rules."""
    return Analyses.model_validate(read_yaml("report", "endpoints.yaml"))


class Endpoint(Frozen):
    """One criterion with what answers it."""

    id: str
    text: str
    how: str
    """How it is measured; an open question where nobody says it."""
    answer: str
    """The estimator, or what is shown instead."""
    rule: str
    by: str
    """The task that answers it."""


@dataclass(frozen=True, slots=True)
class Endpoints:
    """The success criteria of a brief with what answers them in its plan."""

    brief: Brief
    ledger: Ledger
    design: Design
    compared: bool = False
    """Whether the brief names something to compare with."""
    data: str = ""
    """The item that names the data which values are taken from; "" where none does."""

    def rows(self) -> tuple[Endpoint, ...]:
        """Return the criteria in their order."""
        criteria = [i for i in self.ledger.items if i.kind == "criterion"]
        valued = any(map(self._is_main, criteria))
        return (*(() if valued else self._objective()), *map(self._row, criteria))

    def _is_main(self, item: LedgerItem) -> bool:
        """Whether a criterion asks for the effect on the outcome, and not for a check beside it."""
        known, text = load_analyses(), item.text
        if any(c.pattern.search(text) for c in known.checks):
            return False
        if not _asks_for_a_value(text, next(_bounds(text), None)):
            return False
        about = content_stems(self.design.slots.get("outcome", "")) & content_stems(text)
        reached = next(_bounds(text), None) is not None and known.finds("directed", text)
        return bool(about or reached or known.finds("main", text))

    def _objective(self) -> Iterator[Endpoint]:
        """What the objective itself asks for, where no criterion asks for a value."""
        slots = self.design.slots
        if not (outcome := slots.get("outcome")):
            return
        item = LedgerItem(id="Objective", kind="criterion", text=outcome)
        answer = self._estimator(item, None)
        rule = self._held_against()
        yield Endpoint(
            id=item.id,
            text=outcome,
            how=slots.get("measure") or self._how(item, main=True),
            answer=self._at_level(self.brief.objective, answer),
            rule=self._at_level(self.brief.objective, rule),
            by=self._last("analysis", "execution"),
        )

    def _held_against(self) -> str:
        """What the main interval is held against: the effect that the brief names, if it names one."""
        named = [e.said for e in self.design.effects]
        if not named:
            return _UNMARKED
        return f"the interval is held against {named[0]}, which the brief names"

    def _row(self, item: LedgerItem) -> Endpoint:
        known, text = load_analyses(), item.text
        check = next((c for c in known.checks if c.pattern.search(text)), None)
        bound = next(_bounds(text), None)
        if check:
            rule = check.passed or _rule(text, bound, check.does)
            how, answer, by = "–", check.does, self._last("robustness", "analysis")
            by = (self._sizing or by) if check.sized else by
        elif not _asks_for_a_value(text, bound):
            how, answer, rule, by = self._as_shown(item)
        else:
            how, answer = self._how(item), self._estimator(item, bound)
            rule, by = _rule(text, bound, answer), self._last("analysis", "execution")
            answer = _BY_COUNT if rule.startswith("counted") else answer
        if step := self._step(item):
            answer = f"{answer}; {step}" if answer != "–" else step
        answer, rule = self._at_level(text, answer), self._at_level(text, rule)
        return Endpoint(id=item.id, text=text, how=how, answer=answer, rule=rule, by=by)

    def _at_level(self, text: str, said: str) -> str:
        """What is said of an interval, at the level that *text* names; at none where nothing is sized."""
        if level := _LEVEL.search(text):
            return said.replace("95 %", f"{level[1]} %")
        return said if self.design.sizing else said.replace("95 % ", "")

    def _as_shown(self, item: LedgerItem) -> tuple[str, str, str, str]:
        """What a criterion without a value asks for: the record of a task."""
        owner = self._evidence(item)
        return (
            "–",
            "no estimate: shown by the record",
            f"met if {owner} shows it without a gap",
            owner,
        )

    def _evidence(self, item: LedgerItem) -> str:
        """The task that yields what a criterion asks to be shown; without one the last that reports.

        Whatever prepares it, nothing is met before it is there: a task that only plans yields none.
        """
        slots, best = self.design.slots, (0, 0, "")
        everywhere = content_stems(f"{slots.get('outcome', '')} {slots.get('treatment', '')}")
        words = content_stems(item.text) - everywhere or content_stems(item.text)
        early = load_analyses().finds("beforehand", item.text)
        for place, task in enumerate(self.design.tasks):
            if early or task.phase in _YIELDING:
                title = words & content_stems(f"{task.title} {task.deliverable}")
                steps = words & content_stems(" ".join(task.steps))
                best = max(best, (2 * len(title) + len(steps - title), place, task.id))
        last = self._last("reporting")
        if best[0] >= _TOLD:
            return best[2]
        owner = owners_of(self.design.tasks).get(item.id, "")
        order = [task.id for task in self.design.tasks]
        known = owner and order.index(owner) >= order.index(self._last("execution"))
        return owner if known else last

    @property
    def _sizing(self) -> str:
        """The task in which the sample size is computed; "" where none does."""
        calls = ((t.id, r.name) for t in self.design.tasks for r in t.tool_request)
        return next((key for key, name in calls if name == "sample_size"), "")

    def _how(self, item: LedgerItem, *, main: bool = False) -> str:
        """How the value is taken: as the criterion says, or a limit on the same thing."""
        if said := _measured_by(item.text):
            return said
        if said := self._linked(item):
            return said
        if self.data:
            return f"from the data of {self.data}"
        if load_analyses().finds("named", item.text) and not main:
            return "–"
        if said := self._elsewhere(item):
            return said
        outcome = content_stems(self.design.slots.get("outcome", ""))
        known, text = load_analyses(), item.text
        own = any(known.finds(w, text) for w in ("no_worse", "directed")) or any(_bounds(text))
        if not main and not own and outcome and not outcome & content_stems(text):
            return "–"
        return "**open:** by which instrument or procedure? this reading found none"

    def _linked(self, item: LedgerItem) -> str:
        """How a limit that shares most words with *item* says that it is measured; "" without one.

        What is told right from wrong is held against the reference standard, whatever its words.
        """
        words, told = content_stems(item.text), _measure(item.text) == "accuracy"
        found: list[tuple[int, str, str]] = []
        for other in self.ledger.items:
            if other.kind != "constraint":
                continue
            shared = len(words & content_stems(other.text)) + (told and "standard" in other.text)
            said = (re.search(p, other.text, re.IGNORECASE) for p in load_analyses().linked)
            if shared and (how := next((m["how"] for m in said if m), "")):
                found.append((shared, how.strip(" ."), other.id))
        if not found:
            return ""
        _, how, mark = max(found)
        return f"{how} [{mark}]"

    def _elsewhere(self, item: LedgerItem) -> str:
        """How a line of another kind that shares words with *item* says that it is measured; else ""."""
        slots, own = self.design.slots, content_stems(item.text)
        outcome = content_stems(slots.get("outcome", ""))
        words = outcome if own & outcome else own - content_stems(slots.get("treatment", ""))
        if words is outcome and (measure := slots.get("measure")):
            return measure
        chosen = next(d for d in self.design.directions if d.id == self.design.chosen)
        lines = [
            (i.text, i.id) for i in self.ledger.items if i.kind in ("criterion", "constraint")
        ]
        near = [(t, m) for t, m in lines if m != item.id and words & content_stems(t)]
        named = [(chosen.text, chosen.id)] if chosen.given and words is outcome else []
        for text, mark in (*near, *named):
            if said := _linked_in(text) or _measured_by(text):
                return f"{said} [{mark}]"
        standards = ((re.search(_STANDARD, text), mark) for text, mark in lines)
        return next((f"{m[0].strip()} [{mark}]" for m, mark in standards if m), "")

    def _estimator(self, item: LedgerItem, bound: Quantity | None) -> str:
        known = load_analyses()
        if found := known.finds("named", item.text):
            return f"{found[0]}, as the criterion asks, with its 95 % interval"
        of = known.estimators[self._measure_of(item)]
        level = bound is not None and not known.finds("relative", item.text)
        units, key = self.design.slots.get("units", ""), "single" if level else self._comparison
        if tries(self.brief) and _measure(self.brief.objective) in _OF_TRIES:
            return known.estimators["tried"]["any"].format(units=units or "units")
        said = of.get("any") or of.get(key) or known.estimators["mean"][key]
        if self.design.sizing.get("design") == "survival_by_exposure":
            said = known.estimators["hazard"]["any"]
        grouped = "cluster_size" in self.design.sizing or holds_others(units)
        return f"{said}; {units} as random effect" if grouped and units else said

    def _measure_of(self, item: LedgerItem) -> str:
        """What kind of value a criterion asks for: by its own words, or those of the outcome."""
        found, outcome = _measure(item.text), self.design.slots.get("outcome", "")
        same = item.text == outcome or content_stems(outcome) & content_stems(item.text)
        return _measure(outcome) if found == "mean" and same else found

    @property
    def _comparison(self) -> str:
        return comparison(self.brief, self.design) or ("groups" if self.compared else "single")

    def _step(self, item: LedgerItem) -> str:
        """The step of the plan that speaks most to the criterion, with its task."""
        words, best = content_stems(item.text), (0, "", "")
        for task in self._analysing:
            for step in task.steps:
                shared = len(words & content_stems(step))
                best = max(best, (shared, task.id, step), key=lambda b: b[0])
        return f"{best[1]}: {clipped(best[2].rstrip('.'), _LONG)}" if best[0] >= _SHARED else ""

    @property
    def _analysing(self) -> Iterator[GraphTask]:
        return (t for t in self.design.tasks if t.phase in _ANALYSING)

    def _last(self, *phases: str) -> str:
        """The last task of the first of *phases* that the plan has; else its last task."""
        for phase in phases:
            if found := [t.id for t in self.design.tasks if t.phase == phase]:
                return found[-1]
        return self.design.tasks[-1].id


_LEVEL = re.compile(r"\b(\d\d) ?(?:%|per ?cent) (?:confidence |credible )?interval", re.IGNORECASE)


def _measure(text: str) -> str:
    """What kind of value a criterion asks for."""
    return next((m.id for m in load_analyses().measures if m.pattern.search(text)), "mean")


def comparison(brief: Brief, design: Design) -> str:
    """Return what is compared, by the brief's words or else by the design of the sample size.

    "" where neither says it.
    """
    known = load_analyses()
    chosen = next((d.text for d in design.directions if d.id == design.chosen and d.given), "")
    text = "\n".join((chosen, brief.objective, *brief.hard_constraints))
    sized = str(design.sizing.get("design", ""))
    if sized in _TELLING:
        return known.of_sizing[sized]
    found = next((c.id for c in known.comparisons if c.pattern.search(text)), "")
    return found or known.of_sizing.get(str(design.sizing.get("design", "")), "")


_TELLING = ("correlation", "interaction", "survival_by_exposure", "anova", "paired_means")
"""Sizes that say what is compared more surely than a word of the brief."""


def _asks_for_a_value(text: str, bound: Quantity | None) -> bool:
    """Whether a criterion is answered by an estimate, and not by the record of what was done."""
    known = load_analyses()
    if re.match(known.valued, text, re.IGNORECASE):
        return True
    opened = re.match(known.shown, text, re.IGNORECASE)
    if opened or known.finds("every", text):
        return False
    wording = any(
        known.finds(w, text) for w in ("valued", "tested", "directed", "no_worse", "named")
    )
    measured = any(m.pattern.search(text) for m in known.measures)
    if bound is not None or measured or _measured_by(text):
        return True
    return wording and not known.finds("shown", text)


def _bounds(text: str) -> Iterator[Quantity]:
    """The bounds on a value; a length of time, a year and the confidence of an interval are none."""
    for found in quantities(text):
        timed = found.noun in (DATE, YEAR) or (found.unit in TIME_UNITS and not found.noun)
        lone = re.match(
            r"[^\w]*(?:percent |% )?(?:confidence |credible )?interval", text[found.end :]
        )
        defines = _DEFINES.search(text[: found.start]) and "than" in found.comparison
        if (
            not defines
            and found.comparison in _BOUNDS
            and not lone
            and not (timed and _WHEN.search(text[: found.start]))
        ):
            yield found


_DEFINES = re.compile(
    r"\b(?:share|proportion|percentage|number|minutes|hours|days|time)\b[^,;]*$", re.IGNORECASE
)
"""What a bound belongs to that only says what is counted: the share of minutes above it."""
_WHEN = re.compile(
    r"\b(?:in|within|over|during|for|after|before)(?: the)?(?: first| last)? ?$", re.IGNORECASE
)


_UNMARKED = "no pass mark is named: the interval is the answer"


def _rule(text: str, bound: Quantity | None, answer: str) -> str:
    known = load_analyses()
    if bound is not None and known.finds("bounded", text):
        return "as the criterion words it: estimate and interval are each held against its figure"
    if known.finds("tested", text):
        return (
            "met if the test rejects at the level it names; estimate and interval stand beside it"
        )
    if (
        bound is not None
        and not bound.unit
        and not re.search(r"%|per ?cent|points?\b", bound.text)
        and float(bound.low or bound.high or 0).is_integer()
        and bound.noun
    ):
        return f"counted: met with {bound.text}"
    if bound is not None:
        return f"met if the 95 % interval lies wholly {_side(bound)}, not met if wholly on the other side, else undecided"
    if worse := known.finds("no_worse", text):
        return f"**open:** by how much may it differ and still count as “{worse[0].lower()}”? this reading found no margin"
    if known.finds("directed", text) and not re.match(known.reports, text, re.IGNORECASE):
        return "met if the whole interval lies in the direction that it names; by how much it must, the brief does not say"
    if "interval" in answer:
        return _UNMARKED
    return "answered by what is reported"


_SIDES = {
    "at_least": "at or above",
    "more_than": "above",
    "at_most": "at or below",
    "less_than": "below",
}
_VALUE = re.compile(r"\d[\d.,]*\d|\d")


def _side(bound: Quantity) -> str:
    """The side of the bound on which a value is to lie: "at or above 1 point"."""
    start = _VALUE.search(bound.text)
    said = bound.text[start.start() :] if start else bound.text
    words = said.split()
    unit = words if "per" in words else words[: 3 if "percentage" in words[1:2] else 2]
    if unit[1:] == ["percentage"]:
        unit = [*unit, "points"]
    return f"{_SIDES[bound.comparison]} {' '.join(unit)}"


def _measured_by(text: str) -> str:
    """How a line says that a value is taken; "" where it does not."""
    known = load_analyses()
    said = (re.search(pattern, text, re.IGNORECASE) for pattern in known.how)
    ways = (found["how"].strip(" .") for found in said if found)
    return next((way for way in ways if not _is_no_way(way)), "")


def _is_no_way(way: str) -> bool:
    """Whether a few words behind "by" are no instrument: who does it, or for which part."""
    return len(way.split()) <= _FEW and load_analyses().finds("no_way", way) is not None


_FEW = 4


def _linked_in(text: str) -> str:
    """How a limit says that something is measured; "" where it does not."""
    linked = (re.search(p, text, re.IGNORECASE) for p in load_analyses().linked)
    found = next((m["how"].strip(" .") for m in linked if m), "")
    return "" if _is_no_way(found) else found


_STANDARD = re.compile(
    r"\b(?:[\w-]+ ){0,2}(?:test|method|assay)(?: \w+)? (?:after|to|according to) [A-Z]{2,}[\w -]*\d"
)
