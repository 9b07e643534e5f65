"""Who of the brief's people does which task, what it holds, and how much work it is."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.graph.state import GraphTask
from core.values import Frozen
from dr_rd.brief import Equipment, Person, Resources
from dr_rd.files import read_yaml
from dr_rd.planning.draft import Draft
from dr_rd.planning.estimates import Drivers, usual_days
from dr_rd.planning.given import NOTHING_GIVEN, given
from dr_rd.planning.library import Role
from dr_rd.planning.limits import money_limit
from dr_rd.planning.placement import own_words
from dr_rd.planning.signals import stems
from dr_rd.tools.context import Assignment

_HANDS_ON = ("pilot", "execution", "processing")
"""Phases whose tasks fall to somebody whose role says nothing of them."""

_HALF = 0.5
"""Share of a week below which nobody does all hands-on work, unless the brief says so."""

_EVERYWHERE = stems("work works working tasks everything")


class Efforts(Frozen):
    """How much work tasks are, and what people are called; `data/planning/effort.yaml`."""

    phases: Mapping[str, float]
    """Person-days for each working day of a task, by its phase."""
    period: float
    """The same for a task that lasts as long as the study period."""
    why: str
    people: Mapping[str, tuple[str, ...]]
    """Roles of the library by what a brief calls somebody."""

    def roles_of(self, called: str) -> tuple[str, ...]:
        """Return the roles of the library that somebody *called* so takes: by the last word that is known."""
        words = re.findall(r"[a-z]+", called.lower())[::-1]
        found = (self.people.get(w) or self.people.get(w.removesuffix("s")) for w in words)
        return next(filter(None, found), ())


def load_efforts() -> Efforts:
    """Read the table."""
    return Efforts.model_validate(read_yaml("planning", "effort.yaml"))


def assignments(
    draft: Draft, tasks: Sequence[GraphTask], efforts: Efforts, scales: Drivers
) -> tuple[Assignment, ...]:
    """Return who does each of *tasks*, with what, and its effort."""
    resources = draft.brief.resources or Resources()
    ids = {r.id for r in draft.library.roles}
    called = {t.id: t.role for t in draft.brief.tasks if t.role not in ids}
    texts = {t.id: _text(t, called.get(t.id, ""), draft.library.role(t.role)) for t in tasks}
    people = {p.role: p for p in resources.people}
    _, currency = money_limit(draft.ledger, draft.rates)
    by = _doers(draft, tasks, called, efforts)
    known = given(draft, tasks, currency, scales.units)
    efforts_of = {
        t.id: known.get(t.id, NOTHING_GIVEN).effort(
            usual_days(draft, t, scales), _effort(draft, t, efforts)
        )
        for t in tasks
    }
    efforts_of = _capped(efforts_of, by, tasks, people)
    found = tuple(
        Assignment(
            task_id=t.id,
            person=by.get(t.id, ""),
            role=by.get(t.id, "") or called.get(t.id, "") or draft.library.role(t.role).title,
            equipment=tuple(e.what for e in resources.equipment if _uses(t, e, texts[t.id])),
            effort=efforts_of[t.id],
            at_pace=known.get(t.id, NOTHING_GIVEN).strength > 0,
            **_paid(people.get(by.get(t.id, "")), efforts_of[t.id], resources, currency),
        )
        for t in tasks
    )
    draft.assumed.cite(_cited(efforts), efforts.why)
    if named := {
        p: [a.task_id for a in found if a.person == p] for p in dict.fromkeys(by.values())
    }:
        said = "; ".join(f"{person}: {', '.join(ids)}" for person, ids in named.items())
        draft.assumed.cite(
            f"who does what: {said}", "The brief names them, and not all their tasks."
        )
    return found


def _capped(
    efforts: Mapping[str, float],
    by: Mapping[str, str],
    tasks: Sequence[GraphTask],
    people: Mapping[str, Person],
) -> dict[str, float]:
    """Return the effort of each task, less where somebody has fewer days for all of theirs."""
    lasts = {t.id: t.duration_days.mean if t.duration_days else 0.0 for t in tasks}
    found = dict(efforts)
    for role, person in people.items():
        theirs = [task for task in efforts if by.get(task) == role]
        whole = sum(efforts[task] * lasts[task] for task in theirs)
        if person.days is not None and whole > person.days * person.count:
            share = person.days * person.count / whole
            found |= {task: round(share * efforts[task], 3) for task in theirs}
    return found


def _paid(
    person: Person | None, effort: float, resources: Resources, currency: str
) -> dict[str, Any]:
    """Return what a working day of a task costs in pay, in the plan's *currency* where that is known."""
    if person is None or person.day_rate is None or person.currency is None:
        return {}
    rate = effort * person.day_rate * (1 + resources.overhead)
    if person.currency != currency and person.currency in resources.exchange:
        return {"day_rate": rate * resources.exchange[person.currency], "currency": currency}
    return {"day_rate": rate, "currency": person.currency}


def _doers(
    draft: Draft, tasks: Sequence[GraphTask], called: Mapping[str, str], efforts: Efforts
) -> dict[str, str]:
    """Return who of the brief's people does which task, by its id.

    Of several the one whose work the task's words name most; the main work is done by those whose
    pace it goes at.
    """
    people = draft.brief.resources.people if draft.brief.resources else ()
    works = {t.id: _work_of(draft, t, called.get(t.id, "")) for t in tasks}
    most: dict[str, int] = {}
    by: dict[str, str] = {}
    for person in people:
        for task, shared in _tasks_of(person, tasks, called, works, efforts).items():
            if shared > most.get(task, -1):
                most[task], by[task] = shared, person.role
    main = draft.source_of(draft.main) if draft.main and draft.pace and draft.pace.by else None
    return by | {t.id: draft.pace.by for t in tasks if draft.pace and main and t.source == main}


def _work_of(draft: Draft, task: GraphTask, called: str) -> frozenset[str]:
    """What tells who does a task; of a task of the library in its own words alone."""
    package = draft.sources.get(task.source)
    if package is None:
        return _text(task, called, draft.library.role(task.role))
    return own_words(called, package.title, package.purpose, package.deliverable)


def _tasks_of(
    person: Person,
    tasks: Iterable[GraphTask],
    called: Mapping[str, str],
    works: Mapping[str, frozenset[str]],
    efforts: Efforts,
) -> dict[str, int]:
    """The tasks that *person* does, by how many words tell it: by what they do, else by what they are called."""
    does, own = stems(" ".join(person.does)) - _EVERYWHERE, stems(person.role)
    named = {t.id: 2 * len(own & stems(called.get(t.id, ""))) for t in tasks}
    named = {task: n + len(does & works[task]) for task, n in named.items()}
    if found := {task: n for task, n in named.items() if n}:
        return found
    known = efforts.roles_of(person.role)
    if listed := {t.id: 0 for t in tasks if not called.get(t.id) and t.role in known}:
        return listed
    return {t.id: 0 for t in tasks if t.phase in _HANDS_ON} if person.share >= _HALF else {}


def _text(task: GraphTask, called: str, role: Role) -> frozenset[str]:
    """What tells the work of a task; the library's role only where nobody names another."""
    who = called or f"{role.title} {role.field}"
    return stems(" ".join((who, task.title, task.description, task.deliverable)))


def _uses(task: GraphTask, thing: Equipment, words: frozenset[str]) -> bool:
    """Whether a task is done with *thing*: its words name it, or it is hands-on work of the plan."""
    own = stems(thing.what)
    return bool(own) and own <= words | stems(" ".join(task.steps))


def _effort(draft: Draft, task: GraphTask, efforts: Efforts) -> float:
    package = draft.sources.get(task.source)
    if package and package.duration.driver == "horizon":
        return efforts.period
    return efforts.phases.get(task.phase, 1.0)


def _cited(efforts: Efforts) -> str:
    shares = {k: v for k, v in efforts.phases.items() if v != 1} | {
        "the study period": efforts.period
    }
    said = ", ".join(f"{v:g} in {k}" for k, v in shares.items())
    return f"person-days of work for each working day of a task: 1, but {said}"
