"""The decision that a proposal asks for, in a table that a board reads in a minute."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.graph.state import GraphTask
from core.pluralize import amount, length, noun, pluralize
from dr_rd.brief import Brief
from dr_rd.checks import Ledger, LedgerVerdict
from dr_rd.families import GENERIC
from dr_rd.planning.design import GENERIC_METHOD, Design
from dr_rd.planning.directions import Direction, settling_question, tied
from dr_rd.planning.methods import Method
from dr_rd.report.calls import Results
from dr_rd.report.expertise import Known, disputed, first_page, two_plans
from dr_rd.report.figures import numbers
from dr_rd.report.frontier import (
    frontier_of,
    measure,
    missing,
    open_effect,
    settled_by,
    share_is_assumed,
    short_of,
    size_line,
    why,
)
from dr_rd.report.limits import guess_is_foreign, time_is_open
from dr_rd.report.people import Effort, breaking_rate, efforts
from dr_rd.schedule.calendar import WORKING_DAYS_A_MONTH
from dr_rd.schedule.confidence import PERCENTILE
from dr_rd.templates import clipped
from dr_rd.tools.context import PlannedRisk

_SURE = 0.8
"""Chance of keeping a limit from which nobody need ask how it is to be kept."""

_HOPELESS = 0.2
"""Chance below which the plan as asked is not to be funded."""

_RISKS, _QUESTIONS, _CONDITIONS = 3, 3, 2

_LEVELS: Mapping[str, int] = {"low": 1, "medium": 2, "high": 3}

_SHARE_WITH_EVENT = "share that has the event within the follow-up, which is assumed here"

_LATER = 4
"""Questions of the method that stand behind the gates."""

_SMALLEST = "the smallest effect worth having"

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
            ("Time", self._time()),
            ("Money", self._money()),
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
    def _chances(self) -> Mapping[str, float]:
        schedule = self.calls.first("schedule")
        found: Mapping[str, float] = schedule["out"].get("chances", {}) if schedule else {}
        return {k: v for k, v in found.items() if k != "both"}

    @property
    def _decisive(self) -> Mapping[str, float]:
        """The chances that more than the library's guesses decide."""
        if not time_is_open(self.design):
            return self._chances
        return {k: v for k, v in self._chances.items() if k == "budget"}

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

    def _verdict(self, verdicts: Sequence[LedgerVerdict]) -> str:
        worst = min(self._decisive.values(), default=1.0)
        excluded = all(d.excluded for d in self.design.directions)
        if worst < _HOPELESS or excluded or self._unaffordable or self.design.impossible:
            return "Do not fund as asked."
        open_ = worst < _SURE or any(v.verdict == "violated" for v in verdicts)
        doubted = bool(self._objections) or disputed(self.design.compared)
        return "Fund if:" if open_ or doubted or any(self._missing()) else "Fund."

    def _because(self, verdicts: Sequence[LedgerVerdict]) -> str:
        """Return the worst number, or what is to be answered, in a sentence."""
        if all(d.excluded for d in self.design.directions):
            return "Every direction that the brief names breaks one of its limits."
        if self.design.impossible:
            return f"{self.design.impossible[0]} [plan]."
        if self._frontier is not None and self._unaffordable:
            return why(self._frontier, self.units, self.design)
        names = {"budget": "budget", "deadline": "deadline", "date": "date"}
        if low := sorted((v, k) for k, v in self._decisive.items() if v < _SURE):
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
        if missing := list(self._missing()):
            return f"{'; and '.join(missing[:_CONDITIONS])}."
        kept = " and the ".join(names[k] for k in self._decisive)
        return f"The {kept} is kept in at least four draws of five{self._call()}." if kept else ""

    @property
    def _percentiles(self) -> tuple[str, ...]:
        """The middle, and what the risk posture plans by."""
        share = round(PERCENTILE[self.brief.risk_posture] * 100)
        return tuple(dict.fromkeys(("P50", f"P{share}")))

    def _call(self) -> str:
        schedule = self.calls.first("schedule")
        return f" [{schedule['id']}]" if schedule else ""

    def _missing(self) -> Iterator[str]:
        """What nobody said and the recommendation turns on."""
        found, resources = self._frontier, self.brief.resources
        if self.design.method_id == GENERIC_METHOD and self.brief.family != GENERIC:
            yield f"it is settled which design is meant{self._considered()}: planned is a generic study, whose first step is to choose one"
        elif self.design.considered:
            yield f"it is settled which design is meant{self._considered()}"
        yield from (
            f"it is shown that {r.condition} ({r.id})" for r in self.design.risks if r.condition
        )
        if found is not None and found["why"] == "falls short":
            yield short_of(found, self.units)
        yield from self._missing_of_time()
        budget = self.calls.first("budget")
        if budget is not None and self._is_open(budget["out"]):
            out = budget["out"]
            left = f"{amount(out['limit'] - out['known'])} {out['currency']} [{budget['id']}]"
            if guess_is_foreign(out):
                yield f"quotes for what nobody priced fit into {left}"
            else:
                yield (
                    f"quotes for what the library guesses ({amount(out['guess_low'])} to "
                    f"{amount(out['guess_high'])}) fit into {left}"
                )
        staffed = any(a.day_rate for a in self.design.staffing)
        direct = resources is not None and resources.covers == "direct"
        if self.design.scaling.limit is not None and not staffed and not direct:
            yield f"it is settled whether the budget pays staff{self._breaking_rate()}"
        yield from self._missing_of_size()
        if not self._chances and self.design.scaling.limit is None:
            yield "somebody says what it may cost and by when: no figure here is held against a limit"

    def _missing_of_time(self) -> Iterator[str]:
        least, limit = self.design.least_days, self.design.deadline_days
        late = [v for k, v in self._chances.items() if k in ("deadline", "date") and v < _SURE]
        if least is None or limit is None or not late or not time_is_open(self.design):
            return
        yield (
            f"the team shows that all else fits into the {amount(round(limit - least))} working days which "
            f"the brief's own times leave of {amount(round(limit))} [plan]: the library guesses more"
        )

    def _missing_of_size(self) -> Iterator[str]:
        size, named = self.calls.first("size"), open_effect(self.design)
        if share_is_assumed(self.design):
            yield f"somebody gives the {_SHARE_WITH_EVENT}: the size follows from it"
        if self.design.unsized:
            yield f"it is shown what {self.design.chosen} can detect, as the row on the size says"
        elif named:
            yield settled_by(named)
        elif size and len(size["out"].get("rows", ())) > 1:
            yield f"somebody names {self._sought()}: the size follows from it"
        elif size is None and self.method is not None and self.method.sizing is not None:
            yield f"somebody says how many {self.units} are to be had and what they are to show: no size is known"

    def _sought(self) -> str:
        """What nobody named and the size is for: an effect worth having, or a margin."""
        outcome = self.design.slots.get("outcome", "")
        if str(self.design.sizing.get("design", "")).startswith("non_inferiority"):
            return "the margin, that is how much worse still counts as no worse"
        if str(self.design.sizing.get("design", "")).startswith("equivalence"):
            return "the margin, that is how far apart still counts as the same"
        return f"the smallest change in {outcome} worth having" if outcome else _SMALLEST

    def _considered(self) -> str:
        """The designs that stand closest: " (laboratory experiment, survey or cohort study)"."""
        *most, last = [m.design for m in self.design.considered] or [""]
        return f" ({', '.join(most)} or {last})" if most else ""

    @staticmethod
    def _is_open(out: Mapping[str, Any]) -> bool:
        """Whether guesses decide if the limit on money is kept."""
        return "limit" in out and "fits" not in out

    def _breaking_rate(self) -> str:
        """The day rate at which the budget no longer pays the staff as well."""
        budget, limit = self.calls.first("budget"), self.design.scaling.limit
        days = sum(e.days for e in self._efforts)
        if budget is None or limit is None or days <= 0 or "guess_high" in budget["out"]:
            return ""
        rate = breaking_rate(limit, budget["out"]["at_confidence"], days)
        if rate <= 0:
            return ""
        return f": above {amount(rate)} {self.design.scaling.currency} a day it cannot [plan]"

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
        word = "in each group" if out.get("compared") else "in all"
        return f"{'; '.join(rows)} ({measure(out)}), {word} [{size['id']}]"

    def _time(self) -> str:
        schedule = self.calls.first("schedule")
        if schedule is None:
            return ""
        out, start = schedule["out"], self.design.start
        days = out["days"]
        if start and "dates" in out:
            ends = " or ".join(f"{out['dates'][k]} ({k})" for k in self._percentiles)
            main = next(iter(self.design.not_before.values()), None)
            dated = (
                f", the main work from {main.isoformat()} as the brief dates it" if main else ""
            )
            said = f"{start.isoformat()} to {ends}{dated}"
        else:
            said = ", ".join(
                f"{length(days[k], out['days_a_month'])} ({k})" for k in self._percentiles
            )
        chance = next((v for k, v in self._chances.items() if k in ("deadline", "date")), None)
        end = (
            self.design.last_day.isoformat()
            if self.design.last_day
            else self.design.deadline_words
        )
        kept = (
            f"by {end or 'the deadline'} with a chance of {_share(chance)}{self._guessed_time()}"
            if chance is not None
            else "this reading found no last day and no length of the whole work"
        )
        return f"{said}{self._open_period()}; {kept} [{schedule['id']}]"

    def _guessed_time(self) -> str:
        """What of the days is the brief's, where the library guesses the others."""
        least, limit = self.design.least_days, self.design.deadline_days
        if least is None or limit is None:
            return ""
        own = f"the brief's own times take {amount(round(least))} of {amount(round(limit))} working days"
        return f" by the library's guess; {own}" if least else " by the library's guess"

    def _open_period(self) -> str:
        """What is taken for a study period of which the brief does not say how long it is."""
        if (period := self.design.open_period) is None:
            return ""
        return (
            f", with {amount(period.low)} to {amount(period.high)} working days for a study period "
            "whose length the brief does not name"
        )

    def _money(self) -> str:
        budget, schedule = self.calls.first("budget"), self.calls.first("schedule")
        if budget is None:
            return ""
        out, scaling = budget["out"], self.design.scaling
        staff = "with staff" if out.get("staff") else "without staff"
        if not any(t.cost and t.cost.high for t in self.tasks) and not out.get("staff"):
            return "nobody gave a price"
        if "guess_high" in out:
            return self._guess(out, staff, budget["id"])
        cost = schedule["out"]["cost"] if schedule else {"P50": out["total_expected"]}
        each = [f"{amount(cost[k])} ({k})" for k in self._percentiles if k in cost]
        said = f"{', '.join(each)} {scaling.currency} {staff}"
        if scaling.limit is None:
            return f"{said}; the brief sets no limit [{budget['id']}]"
        chance = self._chances.get("budget")
        odds = f", kept with a chance of {_share(chance)}" if chance is not None else ""
        return f"{said}, of {amount(scaling.limit)}{odds} [{budget['id']}]"

    def _guess(self, out: Mapping[str, Any], staff: str, call: str) -> str:
        """What is known of the money, and between which the library guesses the rest."""
        known = f"{amount(out['known'])} {out['currency']} priced {staff}" if out["known"] else ""
        if guess_is_foreign(out):
            left = f"{amount(out['limit'] - out['known'])} {out['currency']}"
            priced = f"{known}, of {amount(out['limit'])}: {left}" if known else left
            return (
                f"{priced} are left for what nobody priced; the library's guess for studies of this kind "
                f"is above that and says nothing of this one [{call}]"
            )
        rest = (
            f"{amount(out['guess_low'])} to {amount(out['guess_high'])} {out['currency']} by the "
            f"library's one-digit guess{'' if known else ', ' + staff}"
        )
        said = ", and ".join(filter(None, (known, rest)))
        if known:
            said += f": in all {amount(out['all_low'])} to {amount(out['all_high'])}"
        if "limit" not in out:
            return f"{said}; the brief sets no limit [{call}]"
        held = (
            "broken by what is priced alone"
            if "fits" in out
            else "within it even at the high end of the guess, which quotes must bear out"
            if out["known"] + out["guess_high"] <= out["limit"]
            else "a guess cannot say if it is kept"
        )
        return f"{said}, of {amount(out['limit'])}: {held} [{call}]"

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
            if any("quotes for" in m for m in self._missing())
            else []
        )
        own = [_DIRECT] if any("pays staff" in m for m in self._missing()) else []
        named = open_effect(self.design)
        size = (
            [self.design.unsized.asks]
            if self.design.unsized
            else [named.asks]
            if named and named.asks
            else [self._sought()]
            if any("somebody names" in m for m in self._missing())
            else []
        )
        if share_is_assumed(self.design):
            size = [f"the {_SHARE_WITH_EVENT}", *size]
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


def _share(chance: float) -> str:
    if chance >= 0.995:
        return "nearly 100 %"
    return "below 1 %" if chance < 0.01 else f"{chance:.0%}".replace("%", " %")
