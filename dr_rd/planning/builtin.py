"""Plans from the method library: pick a method, fit its work packages to the brief."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from core.counting import noun
from core.graph.state import Acceptance, GraphTask, ThreePoint, ToolRequest
from dr_rd.adherence import check
from dr_rd.brief import Brief, GivenTask
from dr_rd.ledger import Ledger, LedgerItem, Limit, is_budget
from dr_rd.planning.design import Cut, Design, LeftOut, PlannedGate, PlannedRisk
from dr_rd.planning.directions import Decision, Direction, Outline, assess, best, load_decision
from dr_rd.planning.estimates import (
    WORKING_DAYS_A_MONTH,
    Drivers,
    Line,
    Scaling,
    days,
    load_rates,
    money,
    money_limit,
    scale,
)
from dr_rd.planning.frame import Frame, Grammar, frame, load_grammar, months_in
from dr_rd.planning.library import (
    Library,
    Method,
    Package,
    Parameter,
    Risk,
    Technique,
    TechniqueRisk,
    Topic,
    load_library,
)
from dr_rd.planning.outlines import outline
from dr_rd.planning.ownership import Candidate, Topics, load_topics, owners
from dr_rd.planning.risks import RiskScale, load_scale
from dr_rd.planning.roles import fitting
from dr_rd.planning.ruling import ruled_out
from dr_rd.planning.shape import Places, kind_of, load_places, reshaped
from dr_rd.planning.signals import asked, find_techniques, phrase, rank_methods, stems
from dr_rd.planning.sizing import Asked, most_units, sizing
from dr_rd.planning.steps import home, shared_out
from dr_rd.planning.wording import Assumptions, Wording
from dr_rd.schedule.confidence import PERCENTILE, at_confidence
from dr_rd.schedule.cpm import critical_path, critical_path_times
from dr_rd.units import si

_MOST_TECHNIQUES = 12
"""Techniques a plan draws on; the best matches win."""

_RIVAL = 0.4
"""Share of the best method's points from which another is proposed as a direction."""

_GIVEN_DAYS = ThreePoint(low=5, mode=10, high=20)
"""Working days of a task that nobody has said how long it takes."""

_DEADLINE = re.compile(
    r"\b(?:deadline|(?:finish|complet|deliver|report|conclud|end)\w* (?:with)?in|"
    r"(?:project|work|whole|everything|total) (?:duration|length|must \w+) )",
    re.IGNORECASE,
)
"""A constraint that bounds the work as a whole, not its study period."""

_SHARED = ("power", "alpha", "attrition", "icc")
"""Parameters that mean the same in every file of the library."""

_Owned = tuple[Risk | TechniqueRisk, str, Mapping[str, Parameter]]
"""A risk, the id of the package that owns it, and the parameters its texts may name."""

_LOOKS: Mapping[str, Topic] = {"analyze_image": "measurement", "read_repo": "software"}
"""Tools that look into what the analyst gave, each with the topic of the task that looks."""

_MOST_CONVERSIONS = 5
"""Units of the brief that are converted; more is a table nobody reads."""

_Fits = Callable[[Package], bool]

_NOTHING = ThreePoint(low=0, mode=0, high=0)


@dataclass(frozen=True)
class Planner:
    """Everything that plans are made with; it holds no state of any one plan."""

    library: Library
    grammar: Grammar
    topics: Topics
    decision: Decision
    rates: Mapping[str, float]
    scale: RiskScale
    places: Places

    def design(
        self,
        brief: Brief,
        ledger: Ledger,
        *,
        documents: bool,
        pictures: bool = False,
        repository: bool = False,
    ) -> Design:
        """Design a plan for *brief*; the others tell what there is besides to look into."""
        given = {"search_documents": documents, "analyze_image": pictures, "read_repo": repository}
        return _Draft(
            self, brief, ledger, [name for name, is_given in given.items() if is_given]
        ).design()


def load_planner() -> Planner:
    """Read the library and the planner's tables."""
    return Planner(
        library=load_library(),
        grammar=load_grammar(),
        topics=load_topics(),
        decision=load_decision(),
        rates=load_rates(),
        scale=load_scale(),
        places=load_places(),
    )


class _Draft:
    """One plan in the making: what is known of it before its tasks are written."""

    def __init__(
        self, planner: Planner, brief: Brief, ledger: Ledger, given: Collection[str]
    ) -> None:
        library = planner.library
        self.planner, self.brief, self.ledger = planner, brief, ledger
        self.given = given
        self.frame: Frame = frame(brief, planner.grammar)
        kind = kind_of(self.frame)
        text = "\n".join([asked(brief), *brief.plausible_directions])
        self.ranking = reshaped(rank_methods(brief, library), library, kind, text, planner.places)
        self.method = library.method(self.ranking[0].id)
        self.assumed = Assumptions()
        self.wording = Wording(self.frame.short(), self.method.fallbacks, self.assumed)
        self.left_out: list[LeftOut] = []
        self.directions = self._directions()
        self.weights = planner.decision.weights[brief.risk_posture]
        self.chosen = best(self.directions, self.weights)
        self.techniques = self._techniques()
        self.packages = self._packages()

    def design(self) -> Design:
        """Write the tasks and everything around them."""
        drafts = self._given() if self.brief.tasks else self._from_packages()
        drivers = self._drivers()
        tasks, scaling = self._estimated(drafts, drivers)
        tasks, unowned = self._owned(tasks)
        tasks = self._with_tools(tasks)
        method = self.method
        sized = self._sizing(tasks, scaling)
        screened = self._screening(tasks)
        risks = self._risks(tasks)
        return Design(
            method_id=method.id,
            method_title=method.title,
            method_summary=method.summary,
            ranking=self.ranking,
            slots=self.frame.slots(),
            directions=self._outlined(tasks),
            chosen=self.chosen.id,
            weights=self.weights,
            sizing=sized,
            most_units=most_units(self.ledger, self._counted()) if sized else None,
            screening=screened,
            conversions=self._conversions,
            cuts=self._cuts(scaling, tasks),
            tasks=tasks,
            unowned=unowned,
            scaling=scaling,
            months=drivers.months,
            deadline_days=self._deadline(),
            on_time=self._on_time(tasks),
            risks=risks,
            gates=self._gates(tasks, risks),
            questions=self._questions(),
            demands={k: self._say(v) for k, v in method.demands.items()},
            strengths=self._all(method.strengths),
            weaknesses=self._all(method.weaknesses),
            techniques=tuple(t.title for t in self.techniques),
            references=tuple(dict.fromkeys(r for t in self.techniques for r in t.references)),
            names=(*method.names, *(n for t in self.techniques for n in t.names)),
            assumptions=self.assumed.all(),
            left_out=tuple(self.left_out),
            not_kept=self._not_kept(tasks, scaling),
        )

    # --- what the plan is made of

    def _directions(self) -> tuple[Direction, ...]:
        top = self.ranking[0].score
        fitting = [m for m in self.ranking[1:3] if m.score >= max(1.0, _RIVAL * top)]
        proposed = [f"{m.title} for {self._topic()}" for m in (self.ranking[0], *fitting)]
        planner = self.planner
        return assess(self.brief, proposed, self.ledger, planner.library, planner.decision)

    def _outlined(self, tasks: Sequence[GraphTask]) -> tuple[Direction, ...]:
        """The directions with what each would take; nobody can tell it of tasks that were given."""
        if self.brief.tasks:
            return self.directions
        return tuple(
            d if d.excluded else d.model_copy(update={"outline": self._outline(n, tasks)})
            for n, d in enumerate(self.directions)
        )

    def _outline(self, place: int, tasks: Sequence[GraphTask]) -> Outline:
        direction = self.directions[place]
        if direction.id == self.chosen.id:
            return outline(tasks, self.method.title, ())
        match = self.ranking[0 if direction.given else place]
        other = self._as_if(direction, self.planner.library.method(match.id))
        estimated, _ = other._estimated(other._from_packages(), other._drivers())
        there = {t.id for t in self.techniques}
        own = [
            t for t in other.techniques if t.title in direction.techniques and t.id not in there
        ]
        return outline(estimated, match.title, own)

    def _as_if(self, direction: Direction, method: Method) -> "_Draft":
        """Return this draft as it would be if another direction were chosen."""
        other = copy(self)
        other.chosen, other.method, other.left_out = direction, method, []
        other.assumed = Assumptions()
        other.wording = Wording(self.frame.short(), method.fallbacks, other.assumed)
        other.techniques = other._techniques()
        other.packages = other._packages()
        return other

    def _topic(self) -> str:
        return self.frame.topic or self.brief.objective

    def _techniques(self) -> tuple[Technique, ...]:
        chosen = self.chosen.text if self.chosen.given else ""
        found = find_techniques(f"{asked(self.brief)}\n{chosen}", self.planner.library)
        return tuple(t for t in found if self._open(t))[:_MOST_TECHNIQUES]

    def _open(self, technique: Technique) -> bool:
        """Whether no ban rules out what *technique* rests on; if one does, note it."""
        ban = ruled_out(technique, self.ledger)
        if ban:
            self.left_out.append(LeftOut(text=f"technique: {technique.title}", ledger_id=ban))
        return not ban

    def _packages(self) -> tuple[Package, ...]:
        text = f"{asked(self.brief)}\n{self.chosen.text}"
        return tuple(
            p
            for p in self.method.packages
            if not p.needs or any(phrase(w).search(text) for w in p.needs)
        )

    # --- words

    def _say(self, text: str, parameters: Mapping[str, Parameter] | None = None) -> str:
        """Fill *text*; one plan has one power and one alpha, the method's."""
        mine = self.method.parameters
        shared = {k: p for k, p in mine.items() if k in _SHARED}
        return self.wording.say(text, {**mine, **(parameters or {}), **shared})

    def _all(self, texts: Iterable[str]) -> tuple[str, ...]:
        return tuple(self._say(t) for t in texts)

    def _allowed(self, text: str) -> bool:
        """Whether the brief's limits let *text* be part of the plan; if not, note it."""
        broken = [v.id for v in check(self.ledger, text) if v.verdict == "violated"]
        if broken:
            self.left_out.append(LeftOut(text=text, ledger_id=broken[0]))
        return not broken

    # --- tasks

    def _from_packages(self) -> tuple[GraphTask, ...]:
        added = [t for t in self.techniques if t.id not in self.method.covers]
        extra = shared_out(added, self.packages)
        ids = {p.id: f"T{n:02}" for n, p in enumerate(self.packages, 1)}
        return tuple(
            self._task(p, ids, [self._say(s.text, s.parameters) for s in extra[p.id]])
            for p in self.packages
        )

    def _task(self, package: Package, ids: Mapping[str, str], extra: list[str]) -> GraphTask:
        steps = [self._say(s) for s in package.steps]
        closing = steps.pop() if package.phase == "reporting" else None
        steps += [*extra, *([closing] if closing else [])]
        return GraphTask(
            id=ids[package.id],
            role=package.role,
            title=self._say(package.title),
            description=self._say(package.purpose),
            depends_on=self._waits(package, ids),
            steps=tuple(s for s in steps if self._allowed(s)),
            deliverable=self._say(package.deliverable),
            acceptance=tuple(
                Acceptance(text=t)
                for t in (*self._all(package.acceptance), *self._checks(package))
                if self._allowed(t)
            ),
            stop_rules=tuple(
                self._say(g.kill) for g in self.method.gates if g.after == package.id
            ),
            phase=package.phase,
            source=f"{self.method.id}/{package.id}",
        )

    def _waits(self, package: Package, ids: Mapping[str, str]) -> tuple[str, ...]:
        """Tasks waited for; where one is not in this plan, those that it waits for instead."""
        waits: list[str] = []
        for before in package.depends_on:
            if before in ids:
                waits.append(ids[before])
            else:
                waits += self._waits(self.method.by_id[before], ids)
        return tuple(dict.fromkeys(waits))

    def _checks(self, package: Package) -> list[str]:
        """Acceptance tests of the techniques whose steps have their home in *package*."""
        found = []
        for technique in self.techniques:
            phase, texts = list(technique.phases.items())[-1]
            if technique.check and home(phase, texts[-1], self.packages).id == package.id:
                found.append(self._say(technique.check, technique.parameters))
        return found

    def _given(self) -> tuple[GraphTask, ...]:
        return tuple(self._given_task(t) for t in self.brief.tasks)

    def _given_task(self, task: GivenTask) -> GraphTask:
        return GraphTask(
            id=task.id,
            role=fitting(task, self.planner.library.roles).id,
            title=task.title,
            description=task.description,
            depends_on=task.depends_on,
            deliverable=task.deliverable
            or f"What “{task.title}” gave, with the figures it rests on.",
            acceptance=task.tests,
            steps=task.steps or ((task.description,) if task.description else ()),
            tool_request=task.tools,
            duration_days=task.days,
            cost=task.cost,
            source=task.source,
        )

    # --- figures

    def _drivers(self) -> Drivers:
        units = self.frame.count or float(self.method.default_units)
        months = self.frame.months or self.method.default_months
        if self.frame.count is None:
            words = f"{units:g} {self.wording.slot('units')} in the estimates"
            self.assumed.cite(words, "The brief does not say how many; costs scale with it.")
        if self.frame.months is None:
            shown = f"{months:g}"
            words = f"{shown} {noun(shown, 'month')} of study period in the estimates"
            why = "The brief does not say how long; only tasks as long as the study use it."
            if any(p.duration.driver == "horizon" for p in self.packages):
                self.assumed.cite(words, why)
        return Drivers(units=units, months=months, rate=self._rate())

    def _deadlines(self) -> dict[str, float]:
        """Working days that the deadline, or a constraint that sets one, allows, by ledger id."""
        found = {
            i.id: months_in(i.text)
            for i in self.ledger.items
            if i.kind == "constraint" and (_DEADLINE.search(i.text) or i.whole)
        }
        return {k: float(round(m * WORKING_DAYS_A_MONTH)) for k, m in found.items() if m}

    def _deadline(self) -> float | None:
        return min(self._deadlines().values(), default=None)

    def _on_time(self, tasks: Sequence[GraphTask]) -> bool:
        limit = self._deadline()
        if limit is None:
            return True
        days = {t.id: t.duration_days or _NOTHING for t in tasks}
        network = {t.id: t.depends_on for t in tasks}
        times = critical_path_times(network, {k: d.mean for k, d in days.items()})
        path = [days[k] for k in critical_path(network, times)]
        return at_confidence(path, PERCENTILE[self.brief.risk_posture]) <= limit

    def _not_kept(self, tasks: Sequence[GraphTask], scaling: Scaling) -> tuple[str, ...]:
        bounds = [(i, c) for i in self.ledger.items for c in i.checks if is_budget(c)]
        spent = scaling.currency if not scaling.fits else ""
        money = [i.id for i, c in bounds if c.quantity.unit == spent]
        time = [] if self._on_time(tasks) else list(self._deadlines())
        return (*dict.fromkeys([*money, *time]),)

    def _rate(self) -> float:
        return float(self.planner.rates[money_limit(self.ledger, self.planner.rates)[1]])

    def _estimated(
        self, drafts: tuple[GraphTask, ...], drivers: Drivers
    ) -> tuple[tuple[GraphTask, ...], Scaling]:
        limit, currency = money_limit(self.ledger, self.planner.rates)
        self._cite_guesses(drafts, currency)
        by_source = {f"{self.method.id}/{p.id}": p for p in self.packages}
        lines = [self._line(t, by_source.get(t.source), drivers) for t in drafts]
        scaling = scale(
            lines,
            limit=limit,
            share=PERCENTILE[self.brief.risk_posture],
            units=drivers.units,
            currency=currency,
        )
        tasks = tuple(
            t.model_copy(
                update={
                    "cost": line.cut(scaling.cut),
                    "duration_days": self._days(t, by_source.get(t.source), drivers),
                }
            )
            for t, line in zip(drafts, lines, strict=True)
        )
        return tasks, scaling

    def _line(self, task: GraphTask, package: Package | None, drivers: Drivers) -> Line:
        if package is None:
            return Line(key=task.id, full=task.cost or _NOTHING, elastic=0, per_unit=False)
        return Line(
            key=task.id,
            full=money(package.cost, drivers),
            elastic=package.cost.elastic,
            per_unit=package.cost.driver == "units",
        )

    def _days(self, task: GraphTask, package: Package | None, drivers: Drivers) -> ThreePoint:
        if package:
            return days(package.duration, drivers)
        if task.duration_days is None:
            self.assumed.cite(
                f"{_three(_GIVEN_DAYS)} working days (low, likely, high) for each task that comes "
                "without a duration",
                f"The {task.source} gives no durations for them.",
            )
        return task.duration_days or _GIVEN_DAYS

    def _cite_guesses(self, tasks: Iterable[GraphTask], currency: str) -> None:
        """Say what a model takes its tasks to last and to cost: nobody has checked it."""
        for task in tasks:
            known = [(task.duration_days, "working days"), (task.cost, currency)]
            said = [f"{_three(points)} {unit}" for points, unit in known if points]
            if said and task.source == "model":
                self.assumed.cite(
                    f"{task.id}: {'; '.join(said)} (low, likely, high)",
                    "The model that planned the task took it so; nobody has checked it.",
                )

    # --- who answers for what

    def _owned(
        self, tasks: tuple[GraphTask, ...]
    ) -> tuple[tuple[GraphTask, ...], tuple[str, ...]]:
        said = {i: t.id for t in reversed(tasks) for a in t.acceptance for i in a.ledger_ids}
        rest = [i for i in self.ledger.items if i.id not in said]
        found = owners(rest, self._candidates(tasks), self.planner.topics)
        owned = {**said, **found}
        unowned = tuple(i.id for i in self.ledger.items if i.id not in owned)
        return tuple(self._with_items(t, owned) for t in tasks), unowned

    def _candidates(self, tasks: Sequence[GraphTask]) -> list[Candidate]:
        """Each task with the topics of the packages whose work it does."""
        topics: dict[str, dict[str, None]] = {t.id: {} for t in tasks}
        doers = self._doers(tasks)
        for package in self.packages:
            topics[doers[package.id]] |= dict.fromkeys(package.owns)
        return [Candidate(t.id, tuple(topics[t.id]), _text(t)) for t in tasks]

    def _with_items(self, task: GraphTask, owned: Mapping[str, str]) -> GraphTask:
        mine = [i for i in self.ledger.items if owned.get(i.id) == task.id]
        added = tuple(Acceptance(text=_promise(i), ledger_ids=(i.id,)) for i in mine)
        return task.model_copy(update={"acceptance": task.acceptance + added})

    def _with_tools(self, tasks: tuple[GraphTask, ...]) -> tuple[GraphTask, ...]:
        first = self._first_for(tasks)
        last = self._first_for(tasks[::-1])
        wanted = {
            "decision_matrix": first("decision_matrix", lambda p: p.decides),
            "budget": last("budget", _owns("budget")),
            "schedule_risk": last("schedule_risk", _owns("schedule")),
        }
        if "search_documents" in self.given:
            wanted["evidence_table"] = first("evidence_table", lambda _: False)
        for name, topic in _LOOKS.items():
            if name in self.given:
                wanted[name] = first(name, _owns(topic))
        if not self.brief.tasks:
            wanted |= self._of_packages(tasks)
        if tasks[0].source == "model":
            tasks = self._sparing(tasks)
        if not self.brief.tasks or tasks[0].source == "model":
            wanted |= self._of_design(tasks)
        left_open = {r.name for t in tasks for r in t.tool_request if not r.args}
        wanted = {name: owner for name, owner in wanted.items() if name not in left_open}
        return tuple(
            t.model_copy(update={"tool_request": t.tool_request + self._requests(t, wanted)})
            for t in tasks
        )

    def _of_packages(self, tasks: tuple[GraphTask, ...]) -> dict[str, str | None]:
        """Tools that only a method's packages ask for, each with the task that calls it."""
        first = self._first_for(tasks)
        has = self._fillable(tasks)
        named = dict.fromkeys(n for p in self.packages for n in p.tools if has.get(n, True))
        return {n: first(n, lambda p, n=n: n in p.tools) for n in named}  # type: ignore[misc]

    def _of_design(self, tasks: tuple[GraphTask, ...]) -> dict[str, str | None]:
        """Tools that turn the design's figures into answers, each with the task that calls it."""
        first, wanted = self._first_for(tasks), dict[str, str | None]()
        if any("sample_size" in p.satisfies for p in self.packages):
            wanted["sample_size"] = first("sample_size", lambda p: "sample_size" in p.satisfies)
        if self._fillable(tasks)["risk_register"]:
            wanted["risk_register"] = first("risk_register", _owns("budget"))
        wanted["value_of_information"] = first("value_of_information", _owns("schedule"))
        return wanted

    def _fillable(self, tasks: Sequence[GraphTask]) -> dict[str, bool]:
        """Whether there is something to call a tool with; those not named always have it."""
        return {
            "unit_convert": bool(self._conversions),
            "simulate": self.method.screening is not None,
            "risk_register": any(t.cost and t.cost.mean for t in tasks),
            "evidence_table": "search_documents" in self.given,
            **{n: n in self.given for n in ("search_documents", *_LOOKS)},
        }

    def _sparing(self, tasks: Sequence[GraphTask]) -> tuple[GraphTask, ...]:
        """Leave out calls of a model's tasks that nothing fills, or that another task makes.

        A model names tools without arguments: but for a search, such a call is the same anywhere.
        """
        has, made, kept = self._fillable(tasks), set[str](), list[GraphTask]()
        for task in tasks:
            asked = [r for r in task.tool_request if has.get(r.name, True) and r.name not in made]
            made |= {r.name for r in asked} - {"search_documents"}
            kept.append(task.model_copy(update={"tool_request": tuple(asked)}))
        return tuple(kept)

    def _first_for(self, tasks: Sequence[GraphTask]) -> Callable[[str, _Fits], str | None]:
        """Pick for a tool the first task that fits, else the first; its role may call it."""

        def first(tool: str, fits: _Fits) -> str | None:
            roles = self.planner.library
            open_ = [t for t in tasks if tool in roles.role(t.role).tools]
            fitting = self._from([p for p in self.packages if fits(p)], open_)
            return next((t.id for t in [*fitting, *open_]), None)

        return first

    def _from(self, packages: Iterable[Package], tasks: Iterable[GraphTask]) -> list[GraphTask]:
        sources = {f"{self.method.id}/{p.id}" for p in packages}
        return [t for t in tasks if t.source in sources]

    def _screening(self, tasks: Sequence[GraphTask]) -> dict[str, Any]:
        """Arguments of the simulation; none where no task makes it."""
        model = self.method.screening
        if model is None or not any(r.name == "simulate" for t in tasks for r in t.tool_request):
            return {}
        ranges = [f"{i['name'].replace('_', ' ')} {_figures(i)}" for i in model.inputs]
        self.assumed.cite(f"screening model: {'; '.join(ranges)}", model.why)
        return {"inputs": list(model.inputs), "formulas": list(model.formulas)}

    @cached_property
    def _conversions(self) -> tuple[dict[str, Any], ...]:
        """Arguments that turn the brief's units into those of the SI."""
        found = [
            {"value": value, "from": q.unit, "to": target}
            for item in self.ledger.items
            for c in item.checks
            if isinstance(c, Limit) and item.kind != "ban"
            for q in [c.quantity]
            for value in dict.fromkeys((q.low, q.high))
            if value is not None and q.unit not in self.planner.rates
            for target in [si(q.unit)]
            if target
        ]
        return tuple({str(f): f for f in found}.values())[:_MOST_CONVERSIONS]

    def _cuts(self, scaling: Scaling, tasks: Sequence[GraphTask]) -> tuple[Cut, ...]:
        by_source = {f"{self.method.id}/{p.id}": p for p in self.packages}
        sources = {t.id: t.source for t in tasks}
        return tuple(
            Cut(task_id=key, amount=saved, of=by_source[sources[key]].cost.basis)
            for key, saved in scaling.given_up.items()
        )

    def _sizing(self, tasks: Sequence[GraphTask], scaling: Scaling) -> dict[str, Any]:
        """Arguments of the sample-size call; none where no task makes it."""
        if not any(r.name == "sample_size" for t in tasks for r in t.tool_request):
            return {}
        known = Asked(
            brief=self.brief,
            method=self.method,
            direction=self.chosen.text,
            slots=self.frame.slots(),
            units=scaling.units,
        )
        return sizing(known, self.assumed)

    def _counted(self) -> str:
        """What the sample-size calculation counts; where the brief does not say, what it is about."""
        return self.method.sizing.counts or self.frame.units or self.brief.objective

    def _requests(
        self, task: GraphTask, wanted: Mapping[str, str | None]
    ) -> tuple[ToolRequest, ...]:
        names = [name for name, owner in wanted.items() if owner == task.id]
        searches = any(r.name == "search_documents" and not r.args for r in task.tool_request)
        if "search_documents" in self.given and not searches:
            names.append("search_documents")
        return tuple(ToolRequest(name=n) for n in names)

    # --- what surrounds the tasks

    def _doers(self, tasks: Sequence[GraphTask]) -> dict[str, str]:
        """Id of the task that does each package's work.

        Of tasks that the library did not write, the one that has most words in common with the
        package, or else stands where the package does.
        """
        by_source = {t.source: t.id for t in tasks}
        last = max(1, len(self.packages) - 1)
        return {
            p.id: by_source.get(f"{self.method.id}/{p.id}") or _like(p, n / last, tasks)
            for n, p in enumerate(self.packages)
        }

    def _risks(self, tasks: Sequence[GraphTask]) -> tuple[PlannedRisk, ...]:
        doers = self._doers(tasks)
        found: list[_Owned] = [(r, r.package, {}) for r in self.method.risks]
        for technique in self.techniques:
            if technique.risk:
                risk = technique.risk
                package = home(risk.package, risk.text, self.packages)
                found.append((risk, package.id, technique.parameters))
        told = [
            (r, owner, ps) for r, owner, ps in found if self._allowed(self._say(r.mitigation, ps))
        ]
        planned = tuple(
            PlannedRisk(
                id=f"R{n}",
                text=self._say(r.text, ps),
                sign=self._say(r.sign, ps),
                mitigation=self._say(r.mitigation, ps),
                task_id=doers.get(owner, tasks[0].id),
                likelihood=r.likelihood,
                impact=r.impact,
                probability=self.planner.scale.likelihood[r.likelihood],
                share=self.planner.scale.impact[r.impact],
            )
            for n, (r, owner, ps) in enumerate(told, 1)
        )
        self.assumed.cite(*self.planner.scale.said())
        return planned

    def _gates(
        self, tasks: Sequence[GraphTask], risks: Sequence[PlannedRisk]
    ) -> tuple[PlannedGate, ...]:
        doers = self._doers(tasks)
        afters = [doers.get(g.after, tasks[-1].id) for g in self.method.gates]
        return tuple(
            PlannedGate(
                id=f"G{n}",
                after=after,
                question=self._say(g.question),
                must_meet=self._all(g.must_meet),
                kill=self._say(g.kill),
                probability=max(
                    (r.probability for r in risks if r.task_id == after),
                    default=self.planner.scale.likelihood["low"],
                ),
            )
            for n, (g, after) in enumerate(zip(self.method.gates, afters, strict=True), 1)
        )

    def _questions(self) -> tuple[str, ...]:
        asked_by = [self._say(t.question, t.parameters) for t in self.techniques if t.question]
        return (*self._all(self.method.questions), *asked_by)


def _owns(topic: Topic) -> _Fits:
    return lambda package: topic in package.owns


def _like(package: Package, place: float, tasks: Sequence[GraphTask]) -> str:
    """Id of the task most like *package*, which stands at *place* (0 first, 1 last) of its plan."""
    words = stems(" ".join([package.title, package.purpose, *package.steps]))

    def likeness(number: int) -> tuple[int, float]:
        shared = len(words & stems(_text(tasks[number])))
        return shared, -abs(number - place * (len(tasks) - 1))

    return tasks[max(range(len(tasks)), key=likeness)].id


def _text(task: GraphTask) -> str:
    return " ".join([task.title, task.description, task.deliverable, *task.steps])


def _three(points: ThreePoint) -> str:
    return f"{points.low:g}, {points.mode:g} and {points.high:g}"


def _figures(given: Mapping[str, Any]) -> str:
    """The numbers of an input's distribution, in its own order."""
    numbers = [f"{v:g}" for v in given["distribution"].values() if isinstance(v, int | float)]
    return ", ".join(numbers)


def _promise(item: LedgerItem) -> str:
    """What a task promises of an item it owns."""
    if item.kind == "ban":
        return f"{item.id} stays out of the work: “{item.text}”"
    return f"{item.id} is met: “{item.text}”"
