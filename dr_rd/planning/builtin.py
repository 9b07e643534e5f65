"""Plans from the method library: pick a method, fit its work packages to the brief."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from core.graph.state import GraphTask
from dr_rd.brief import Brief
from dr_rd.checks import Ledger, last_days
from dr_rd.families import Ranker, load_ranker
from dr_rd.planning.arguments import conversions, counted, screening
from dr_rd.planning.calls import calls_declared, with_calls
from dr_rd.planning.choice import Choice, choose
from dr_rd.planning.design import Design, MainDates
from dr_rd.planning.directions import Decision, load_decision
from dr_rd.planning.doers import Doers, doers
from dr_rd.planning.draft import Draft, drafted
from dr_rd.planning.effects import named_effects
from dr_rd.planning.estimates import Drivers, anchored, estimated, main_days
from dr_rd.planning.frontier import least_days, with_frontier
from dr_rd.planning.gates import planned_gates
from dr_rd.planning.given import at_pace
from dr_rd.planning.grammar import Grammar, load_grammar
from dr_rd.planning.guesses import guesses_days
from dr_rd.planning.library import Library, load_library
from dr_rd.planning.limits import (
    deadline,
    deadline_words,
    is_late,
    last_day,
    lead,
    load_rates,
    most_units,
    not_kept,
    on_time,
)
from dr_rd.planning.methods import Sizing
from dr_rd.planning.outlines import outlined
from dr_rd.planning.ownership import Topics, load_topics, owned
from dr_rd.planning.remarks import outlasting, remarks_on
from dr_rd.planning.risks import RiskScale, load_scale, planned_risks
from dr_rd.planning.ruling import Declared, LeftOut, contradicted, objections
from dr_rd.planning.scaling import Scaling
from dr_rd.planning.staffing import Efforts, assignments, load_efforts
from dr_rd.planning.tasks import plan_tasks
from dr_rd.planning.topical import Topical, load_topical
from dr_rd.quantity import days_in
from dr_rd.study import Statistics
from dr_rd.tools.context import Assignment, MostUnits
from dr_rd.tools.schedule_risk.args import activities, scheduled
from dr_rd.tools.spec import Source

_LEAST_QUESTIONS = 2
"""Questions of a method that are asked; where fewer speak of the brief, general ones make them up."""


@dataclass(frozen=True)
class Planner:
    """Everything that plans are made with; it holds no state of any one plan."""

    library: Library
    grammar: Grammar
    topics: Topics
    decision: Decision
    rates: Mapping[str, float]
    scale: RiskScale
    efforts: Efforts
    topical: Topical
    ranker: Ranker

    def choose(self, brief: Brief) -> Choice:
        """Choose the method for *brief*, and say how sure that is."""
        return choose(brief, self.ranker, self.library)

    def design(
        self,
        brief: Brief,
        ledger: Ledger,
        *,
        documents: bool,
        pictures: bool = False,
        repository: bool = False,
        statistics: Statistics | None = None,
    ) -> Design:
        """Design a plan for *brief*; the others tell what there is besides to look into.

        *statistics* are the figures that were read in the brief; None where nobody read them.
        """
        looks: Mapping[Source, bool] = {
            "documents": documents,
            "pictures": pictures,
            "repository": repository,
        }
        draft = anchored(
            drafted(
                brief,
                ledger,
                library=self.library,
                rates=self.rates,
                given=tuple(source for source, is_given in looks.items() if is_given),
                grammar=self.grammar,
                choice=self.choose(brief),
                decision=self.decision,
                statistics=statistics,
                topical=self.topical,
            )
        )
        work = _work(draft, self)
        return _designed(_led(draft, work), work, self.scale)


def load_planner() -> Planner:
    """Read the library and the planner's tables."""
    return Planner(
        library=load_library(),
        grammar=load_grammar(),
        topics=load_topics(),
        decision=load_decision(),
        rates=load_rates(),
        scale=load_scale(),
        efforts=load_efforts(),
        topical=load_topical(),
        ranker=load_ranker(),
    )


@dataclass(frozen=True, slots=True)
class _Work:
    """What is done in a plan, by whom, and what it takes."""

    tasks: tuple[GraphTask, ...]
    by: Doers
    sized: Mapping[str, Any]
    """Arguments of the sample size."""
    scales: Drivers
    scaling: Scaling
    unowned: tuple[str, ...]
    converted: tuple[dict[str, Any], ...]
    declared: tuple[Declared, ...]
    left_out: tuple[LeftOut, ...]
    staffing: tuple[Assignment, ...]


def _work(draft: Draft, planner: Planner) -> _Work:
    """Write the tasks: first their words, then their figures, their items and their calls."""
    planned = plan_tasks(draft)
    sized, scales = with_frontier(draft, planned.tasks, planner.efforts)
    tasks, scaling = estimated(draft, planned.tasks, scales)
    if paced := at_pace(draft, scales.units):
        draft.assumed.cite(
            paced, "The brief gives the pace, or how long one takes and who does it."
        )
    by = doers(draft, tasks)
    tasks, unowned = owned(tasks, draft.ledger, draft.packages, by, planner.topics)
    converted = conversions(draft.ledger, planner.rates)
    has_size = bool(sized) or (draft.brief.prescribed and draft.sizing is not None)
    tasks, not_called = with_calls(draft, tasks, conversions=bool(converted), sized=has_size)
    return _Work(
        tasks=tasks,
        by=by,
        sized=sized,
        scales=scales,
        scaling=scaling,
        unowned=unowned,
        converted=converted,
        declared=(*planned.declared, *calls_declared(tasks, draft.library.tools)),
        left_out=(*planned.left_out, *not_called),
        staffing=assignments(draft, tasks, planner.efforts, scales),
    )


def _led(draft: Draft, work: _Work) -> Draft:
    """Return *draft* with what goes before its main work as people and equipment let it go."""
    if draft.anchor is None:
        return draft
    dated = f"{draft.method.id}/{draft.anchor.package}"
    main = [t.id for t in work.tasks if t.source == dated]
    planned = activities(work.tasks, {a.task_id: a for a in work.staffing})
    days = lead(planned, main, scheduled(draft.brief.resources), draft.confidence)
    return replace(draft, anchor=draft.anchor.model_copy(update={"lead": days}))


def _designed(draft: Draft, work: _Work, scale: RiskScale) -> Design:
    """Put everything around the tasks; assumptions are numbered in the order of these lines."""
    method, ledger, said, tasks = draft.method, draft.ledger, draft.wording, work.tasks
    taken = draft.library.tools.needs(r for t in tasks for r in t.tool_request)
    rule = draft.sizing if "sizing" in taken else None
    sized = work.sized if rule else {}
    screened = screening(draft) if "screening" in taken else {}
    risks = planned_risks(draft, tasks, work.by, scale)
    for fact in draft.facts:
        draft.assumed.cite(*fact)
    opposed = contradicted(method, tasks, draft.rulings)
    start, closed = draft.start, draft.brief.closed_days
    allowed = deadline(ledger, start, closed)
    planned = activities(tasks, {a.task_id: a for a in work.staffing})
    held = scheduled(draft.brief.resources)
    kept = on_time(planned, held, allowed, draft.confidence)
    least = least_days(draft, tasks, work.staffing, work.scales) if guesses_days(tasks) else None
    dates, of_main = _main_dates(draft, work), main_days(draft, tasks, work.scales)
    late = is_late(least, allowed) if least is not None else not kept
    return Design(
        method_id=method.id,
        method_title=method.title,
        method_summary=method.summary,
        ranking=draft.ranking,
        considered=draft.choice.considered,
        slots=draft.frame.slots(),
        directions=outlined(draft, tasks),
        chosen=draft.chosen.id,
        weights=draft.weights,
        sizing=sized,
        unsized=draft.unsized,
        effects=named_effects(
            draft.words.study.effects,
            draft.statistics,
            sized,
            draft.frame.slots() if sized else {},
        ),
        per=draft.frame.per,
        most_units=_most_units(draft, rule, sized) if rule and sized else None,
        screening=screened,
        conversions=work.converted,
        tasks=tasks,
        unowned=work.unowned,
        scaling=work.scaling,
        months=work.scales.months,
        open_period=work.scales.open,
        grows=draft.pace is not None,
        deadline_days=allowed,
        deadline_words=deadline_words(ledger, start, closed),
        last_day=last_day(ledger, start),
        staffing=work.staffing,
        on_time=kept,
        risks=risks,
        gates=planned_gates(draft, tasks, work.by, risks, scale),
        questions=_questions(draft),
        demands={k: said.say(v) for k, v in method.demands.items()},
        strengths=said.all(method.strengths),
        weaknesses=said.all(method.weaknesses),
        techniques=tuple(t.title for t in draft.techniques),
        references=tuple(dict.fromkeys(r for t in draft.techniques for r in t.references)),
        names=(*method.names, *(n for t in draft.techniques for n in t.names)),
        assumptions=draft.assumed.all(),
        rulings=draft.rulings,
        declared=work.declared,
        contradicted=opposed,
        left_out=(*draft.left_out, *work.left_out),
        not_kept=not_kept(ledger, work.scaling, late=late, start=start, closed=closed),
        start=start,
        not_before=_not_before(draft, tasks),
        main_dates=dates,
        least_days=least,
        impossible=draft.impossible,
        remarks=(
            *draft.choice.remarks,
            *remarks_on(draft.brief, ledger),
            *objections(opposed, draft.rulings),
            *outlasting(draft, planned, held, start, of_main, dates.last if dates else None),
        ),
    )


def _not_before(draft: Draft, tasks: Iterable[GraphTask]) -> Mapping[str, date]:
    """The day on which the main work can begin, by its task, where the brief dates it."""
    dated = f"{draft.method.id}/{draft.anchor.package}" if draft.anchor else ""
    return {t.id: draft.anchor.day for t in tasks if draft.anchor and t.source == dated}


def _main_dates(draft: Draft, work: _Work) -> MainDates | None:
    """When the main work is done, where nothing of its length is a guess.

    Not where it waits for somebody or something part of the week: its working days are then no days
    of the calendar.
    """
    days, dated = main_days(draft, work.tasks, work.scales), _not_before(draft, work.tasks)
    main = next((t for t in work.tasks if t.id in dated), None)
    if draft.anchor is None or main is None or main.duration_days is None or not days:
        return None
    guessed = round(main.duration_days.high - days, 3) > 0
    if guessed or _waits_for_a_share(draft, main, work.staffing):
        return None
    first, last = draft.anchor.day, draft.anchor.last_day(days, draft.brief.closed_days)
    ends = {end.item.id: end.day for end in last_days(draft.ledger)}
    kept = [
        item.id
        for item in draft.ledger.items
        if item.kind == "constraint" and (named := days_in(item.text))
        if all(draft.dates_main_work(item.text, day) for day in named)
        if last <= ends.get(item.id, date.max)
    ]
    return MainDates(first=first, last=last, kept=tuple(kept))


def _waits_for_a_share(draft: Draft, main: GraphTask, staffing: Iterable[Assignment]) -> bool:
    """Whether the schedule stretches the main work over what it holds for a part of the week."""
    (planned,) = activities([main], {a.task_id: a for a in staffing})
    held = [r for r in scheduled(draft.brief.resources) if r.id in planned.needs]
    return any(r.share < 1 or r.calendar for r in held)


def _most_units(draft: Draft, rule: Sizing, sized: Mapping[str, Any]) -> MostUnits | None:
    """What the brief allows of what the sample size counts: groups, or those whom they hold."""
    cap = most_units(draft.ledger, counted(draft, rule))
    in_groups = draft.frame.groups is not None and "cluster_size" in sized
    return cap.model_copy(update={"groups": in_groups}) if cap else None


def _questions(draft: Draft) -> tuple[str, ...]:
    say = draft.wording.say
    kept = draft.relevance.kept(draft.method.questions, str, _LEAST_QUESTIONS)
    asked_by = [say(t.question, t.parameters) for t in draft.techniques if t.question]
    return (*draft.wording.all(kept), *asked_by)
