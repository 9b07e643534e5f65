"""The decision that a proposal asks for, in a table that a board reads in a minute."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.graph.state import GraphTask
from core.pluralize import amount, noun, pluralize
from dr_rd.brief import Brief
from dr_rd.checks import Ledger, LedgerVerdict
from dr_rd.planning.design import Design
from dr_rd.planning.directions import Direction, settling_question, tied
from dr_rd.planning.methods import Method
from dr_rd.report.calls import Results
from dr_rd.report.conditions import SHARE_WITH_EVENT, Conditions
from dr_rd.report.expertise import Known, disputed, first_page, two_plans
from dr_rd.report.figures import numbers
from dr_rd.report.frontier import (
    frontier_of,
    measure,
    missing,
    open_effect,
    share_is_assumed,
    size_line,
    why,
)
from dr_rd.report.people import Effort, efforts
from dr_rd.report.terms import SURE, Terms
from dr_rd.schedule.calendar import WORKING_DAYS_A_MONTH
from dr_rd.templates import clipped
from dr_rd.tools.context import PlannedRisk

_HOPELESS = 0.2
"""Chance below which the plan as asked is not to be funded."""

_RISKS, _QUESTIONS, _CONDITIONS = 3, 3, 2

_LEVELS: Mapping[str, int] = {"low": 1, "medium": 2, "high": 3}

_LATER = 4
"""Questions of the method that stand behind the gates."""

_DIRECT = "does the budget pay staff, and at what rates"


@dataclass(frozen=True, slots=True)
class Decision:
    """What is decided on, as far as code can tell; rows come in the order in which they are read."""

    brief: Brief
    ledger: Ledger
    design: Design
    tasks: Sequence[GraphTask]
    calls: Results
    units: str
    """The word for what is sampled."""
    known: Sequence[Known] = ()
    """What models know beside the plan."""
    method: Method | None = None
    """What the plan is written from; None where nobody asks what is general to it."""

    def rows(self, verdicts: Sequence[LedgerVerdict]) -> list[tuple[str, str]]:
        """Return label and text of each row."""
        found = (
            ("Recommendation", f"**{self._verdict(verdicts)}** {self._because(verdicts)}"),
            ("Objections", self._objections),
            ("Question", clipped(self.brief.objective, 260)),
            ("Design", self._design()),
            ("Size, and what it can show", self._size()),
            ("Time", self._terms.time()),
            ("Money", self._terms.money()),
            ("Two plans", two_plans(self.design.compared)),
            ("Effort", self._effort()),
            ("Limits", _limits(verdicts, self._numbers)),
            ("Three risks", self._risks()),
            (
                "Answer first",
                "; ".join(self._questions(verdicts)) or "nothing that would change this",
            ),
        )
        return [(label, text) for label, text in found if text]

    @property
    def _numbers(self) -> str:
        """The numbers that the brief asks for or allows and this plan keeps, or does not."""
        held = list(numbers(self.ledger, self.design, self.calls))
        kept = [f"{n.bound.quantity.text} ({n.item.id})" for n in held if n.kept]
        broken = [f"{n.bound.quantity.text} ({n.item.id})" for n in held if not n.kept]
        said = f"kept by this plan in number: {', '.join(kept)}" if kept else ""
        not_kept = f"**not kept in number: {', '.join(broken)}**" if broken else ""
        return "; ".join(filter(None, (not_kept, said)))

    @property
    def _objections(self) -> str:
        return first_page(self.known)

    @property
    def _frontier(self) -> Mapping[str, Any] | None:
        return frontier_of(self.calls)

    @property
    def _chosen(self) -> Direction:
        return next(d for d in self.design.directions if d.id == self.design.chosen)

    @property
    def _unaffordable(self) -> bool:
        """Whether no number of units keeps the limits."""
        return self._frontier is not None and self._frontier["recommended"] is None

    @property
    def _terms(self) -> Terms:
        return Terms(self.design, self.tasks, self.calls, self.brief.risk_posture)

    @property
    def _conditions(self) -> Conditions:
        effort = sum(e.days for e in self._efforts)
        return Conditions(self.brief, self.design, self._terms, self.units, self.method, effort)

    def _verdict(self, verdicts: Sequence[LedgerVerdict]) -> str:
        worst = min(self._terms.decisive.values(), default=1.0)
        excluded = all(d.excluded for d in self.design.directions)
        if worst < _HOPELESS or excluded or self._unaffordable or self.design.impossible:
            return "Do not fund as asked."
        open_ = worst < SURE or any(v.verdict == "violated" for v in verdicts)
        doubted = bool(self._objections) or disputed(self.design.compared)
        return "Fund if:" if open_ or doubted or list(self._conditions) else "Fund."

    def _because(self, verdicts: Sequence[LedgerVerdict]) -> str:
        """Return the worst number, or what is to be answered, in a sentence."""
        if all(d.excluded for d in self.design.directions):
            return "Every direction that the brief names breaks one of its limits."
        if self.design.impossible:
            return f"{self.design.impossible[0]} [plan]."
        if self._frontier is not None and self._unaffordable:
            return why(self._frontier, self.units, self.design)
        names = {"budget": "budget", "deadline": "deadline", "date": "date"}
        if low := sorted((v, k) for k, v in self._terms.decisive.items() if v < SURE):
            share, key = low[0]
            odds = f"{share:.0%}".replace("%", " %") if share >= 0.01 else "below 1 %"
            if share < _HOPELESS:
                return f"The chance to keep the {names[key]} is {odds}{self._call()}."
            return (
                f"the {names[key]} is moved, or less is asked for: the chance to keep it is "
                f"{odds}{self._call()}."
            )
        broken = [v.id for v in verdicts if v.verdict == "violated"]
        if broken:
            return f"{' and '.join(broken)} is lifted, or the plan changed."
        if self._objections:
            return "the objections below are answered."
        if disputed(self.design.compared):
            return "the model's prices hold, which the library's do not bear out [plan]."
        if conditions := [c.text for c in self._conditions]:
            return f"{'; and '.join(conditions[:_CONDITIONS])}."
        kept = " and the ".join(names[k] for k in self._terms.decisive)
        return f"The {kept} is kept in at least four draws of five{self._call()}." if kept else ""

    def _call(self) -> str:
        schedule = self.calls.first("schedule")
        return f" [{schedule['id']}]" if schedule else ""

    def _design(self) -> str:
        chosen = self._chosen
        said = f"{self.design.method_title}"
        if chosen.excluded:
            return f"{said}; no direction can be recommended: each breaks a limit of the brief"
        because = chosen.strengths[0].rstrip(". ") if chosen.kinds and chosen.strengths else ""
        why_this = f" ({because[:1].lower()}{because[1:]})" if because else ""
        against = chosen.weaknesses[0].rstrip(". ") if chosen.scores["sound"] < 1 else ""
        but = f"; against it: {against[:1].lower()}{against[1:]}" if against else ""
        return f"{said}; {chosen.id}: {clipped(chosen.text, 200)}{why_this}{but}"

    def _size(self) -> str:
        size = self.calls.first("size")
        if size is None:
            return "" if self.brief.prescribed else missing(self.design, asks=False).rstrip(".")
        if self._frontier is not None:
            return size_line(self._frontier, self.units, self.design)
        out, unit = size["out"], self.units
        if out.get("given") and out.get("detectable") is not None:
            return (
                f"{amount(out['given'])} {unit} of the brief: "
                f"{measure(out)} of {abs(out['detectable']):g} "
                f"[{size['id']}]"
            )
        named = next((e.said for e in self.design.effects if e.taken), "")
        if named and len(out["rows"]) == 1 and not out.get("compared"):
            return (
                f"{amount(out['rows'][0]['per_group'])} {unit} in all for {named} [{size['id']}]"
            )
        rows = [f"{amount(r['per_group'])} for {r['effect']}" for r in out["rows"]]
        counted = self.design.sizing.get("unit", "")
        word = f"in {counted}" if counted else "in each group" if out.get("compared") else "in all"
        return f"{'; '.join(rows)} ({measure(out)}), {word} [{size['id']}]"

    @property
    def _efforts(self) -> tuple[Effort, ...]:
        return efforts(self.tasks, self.design)

    def _effort(self) -> str:
        days = sum(e.days for e in self._efforts)
        if not days:
            return ""
        months = f"{days / WORKING_DAYS_A_MONTH:.1f}"
        return f"{pluralize(round(days), 'person-day')} expected, {months} {noun(months, 'person-month')} [plan]"

    def _risks(self) -> str:
        shown = [r.text.rstrip(". ") for r in top_risks(self.design.risks, self.method)[:_RISKS]]
        return "; ".join(f"({n}) {text[:1].lower()}{text[1:]}" for n, text in enumerate(shown, 1))

    def later(self, verdicts: Iterable[LedgerVerdict]) -> Sequence[str]:
        """Return the method's questions for which the first page has no room."""
        first = max(0, _QUESTIONS - len(self._own_questions(verdicts)))
        return self.design.questions[first : first + _LATER]

    def _questions(self, verdicts: Iterable[LedgerVerdict]) -> list[str]:
        asked = [q.rstrip("?. ") for q in self.design.questions]
        told = [*self._own_questions(verdicts), *asked][:_QUESTIONS]
        return [clipped(q[:1].lower() + q[1:] if not q[:2].isupper() else q, 160) for q in told]

    def _own_questions(self, verdicts: Iterable[LedgerVerdict]) -> list[str]:
        """What this plan leaves open, whatever its method asks."""
        unclear = [f"is {v.id} kept: {v.reason}" for v in verdicts if v.verdict == "unclear"]
        quotes = (
            ["what do suppliers quote for what the library only guesses"]
            if self._conditions.on("quotes")
            else []
        )
        own = [_DIRECT] if self._conditions.on("staff") else []
        named = open_effect(self.design)
        size = (
            [self.design.unsized.asks]
            if self.design.unsized
            else [named.asks]
            if named and named.asks
            else [self._conditions.sought]
            if self._conditions.on("effect")
            else []
        )
        if share_is_assumed(self.design):
            size = [f"the {SHARE_WITH_EVENT}", *size]
        tie = [
            question
            for question in [settling_question(tied(self.design.directions, self.design.weights))]
            if question
        ]
        time = self._of_time()
        first, last = (time, []) if self.design.open_period else ([], time)
        return [*tie, *first, *own, *size, *quotes, *unclear, *last]

    def _of_time(self) -> list[str]:
        """What the brief leaves open of days and lengths, in one question."""
        asked = [] if self.design.start else ["on which day does the work begin"]
        if self.design.open_period:
            asked.append("how long does the study period last")
        return [", and ".join(asked)] if asked else []


def top_risks(risks: Iterable[PlannedRisk], method: Method | None = None) -> list[PlannedRisk]:
    """Return the risks, those of the greatest likelihood times impact first.

    With *method* those that hold for every study planned from it come after those of this one.
    """
    return sorted(
        risks,
        key=lambda r: (
            method is not None and is_general(r, method),
            -_LEVELS[r.likelihood] * _LEVELS[r.impact],
        ),
    )


def is_general(risk: PlannedRisk, method: Method) -> bool:
    """Whether a risk stands in *method* as it is, without a word of the study."""
    return any(risk.text == r.text and risk.sign == r.sign for r in method.risks)


def _limits(verdicts: Sequence[LedgerVerdict], numbers_kept: str = "") -> str:
    """Return how many items could be checked with what result, and what is open of the others."""
    if not verdicts:
        return "The brief names no limit, criterion or ban: the plan is held against none."
    by: dict[str, list[str]] = {}
    for v in verdicts:
        by.setdefault(v.verdict, []).append(v.id)
    kept, violated = by.get("met", []), by.get("violated", [])
    broken = f"broken: {', '.join(violated)}" if violated else "none broken"
    of = f"{len(kept) + len(violated)} of {pluralize(len(verdicts), 'item')} could be checked by the plan's own figures"
    by_plan = f"kept by this plan: {', '.join(kept)}" if kept else "none shown to be kept"
    checked = f"{of}: {by_plan}; {broken}" if kept or violated else of
    unclear = f"unclear: {', '.join(by['unclear'])}" if "unclear" in by else ""
    promised = (
        f"promised by a task and not shown: {len(by['promised'])}" if "promised" in by else ""
    )
    rest = len(by.get("not_shown", ())) + len(by.get("not_checkable", ()))
    open_ = f"nothing decides {rest}" if rest else ""
    if numbers_kept and not kept and not violated:
        checked = numbers_kept
    elif numbers_kept:
        checked = f"{checked}; {numbers_kept}"
    return "; ".join(filter(None, (checked, unclear, promised, open_)))
