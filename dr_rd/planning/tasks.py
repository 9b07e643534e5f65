"""The tasks of a plan: one for each work package of its method, or those that somebody gave."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.errors import CallerError
from core.graph.state import Acceptance, GraphTask, checked
from dr_rd.brief import Brief, GivenTask
from dr_rd.planning.draft import Draft
from dr_rd.planning.library import Role
from dr_rd.planning.methods import Package, Parameter, Step
from dr_rd.planning.roles import fitting
from dr_rd.planning.ruling import Declared, LeftOut, ruled_out
from dr_rd.planning.steps import TechniqueStep, home, shared_out
from dr_rd.planning.waits import without

_LEAST_TESTS = 1
"""Tests that a task has; where fewer speak of the brief, general ones make them up."""


@dataclass(frozen=True, slots=True)
class PlannedTasks:
    """Tasks, without durations and costs of the library's, and what is known of their steps."""

    tasks: tuple[GraphTask, ...]
    declared: tuple[Declared, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


def plan_tasks(draft: Draft) -> PlannedTasks:
    """Write the tasks; of the library's steps those are left out that do what a limit rules out."""
    if draft.brief.prescribed:
        return PlannedTasks(tuple(_given_task(t, draft.library.roles) for t in draft.brief.tasks))
    planned = of_packages(draft)
    return replace(planned, tasks=merged(planned.tasks, draft.brief, draft.library.roles))


def merged(
    planned: tuple[GraphTask, ...], brief: Brief, roles: Sequence[Role]
) -> tuple[GraphTask, ...]:
    """Return *planned* tasks with those of *brief* merged in by their ids.

    A task of the brief changes what it says and leaves the rest; one with a new id is added. What
    waited for a task that is not kept waits for what that one waited for. Raises CallerError where
    the result is no plan, such as one that waits for a task that is not there.
    """
    if not brief.tasks:
        return planned
    given = {t.id: t for t in brief.tasks}
    kept = [t for t in planned if t.id in given or brief.tasks_mode == "merge"]
    known = {t.id for t in kept}
    waits = without({t.id: t.depends_on for t in planned}, {t.id for t in planned} - known)
    kept = [t.model_copy(update={"depends_on": waits[t.id]}) for t in kept]
    changed = [_changed(t, given[t.id], roles) if t.id in given else t for t in kept]
    if nameless := next((t.id for t in brief.tasks if t.id not in known and not t.title), ""):
        raise CallerError(
            f"the task {nameless!r} has no title, and the plan has no task of that id: it has "
            f"{', '.join(t.id for t in planned)}; name one of these, or give a title"
        )
    return checked((*changed, *(_given_task(t, roles) for t in brief.tasks if t.id not in known)))


def _changed(task: GraphTask, given: GivenTask, roles: Sequence[Role]) -> GraphTask:
    """A planned task with what the brief says of it."""
    said = {
        "title": given.title,
        "role": given.role and fitting(given, roles).id,
        "description": given.description,
        "depends_on": given.depends_on,
        "deliverable": given.deliverable,
        "acceptance": given.tests,
        "steps": given.steps,
        "tool_request": given.tools,
        "duration_days": given.days,
        "cost": given.cost,
        "source": given.title and given.source == "model" and given.source,
    }
    return task.model_copy(update={name: value for name, value in said.items() if value})


def of_packages(draft: Draft) -> PlannedTasks:
    """Write each package as a task, with the steps and checks of techniques that belong to it."""
    added = [t for t in draft.techniques if t.id not in draft.method.covers]
    extra = shared_out(added, draft.packages)
    ids = {p.id: f"T{n:02}" for n, p in enumerate(draft.packages, 1)}
    whole = draft.method.by_id
    waits = without({key: p.depends_on for key, p in whole.items()}, whole.keys() - ids.keys())
    tasks, declared, left_out = list[GraphTask](), list[Declared](), list[LeftOut]()
    for package in draft.packages:
        steps = _steps(draft, package, extra[package.id])  # first: assumptions are numbered so
        barred = {s.text: ruled_out(s.text, s.actions, draft.rulings) for s in steps}
        kept = [s for s in steps if barred[s.text] is None]
        before = tuple(ids[key] for key in waits[package.id])
        tasks.append(_of_package(draft, package, ids[package.id], before, kept))
        declared += [
            Declared(task_id=ids[package.id], text=s.text, actions=s.actions)
            for s in kept
            if s.actions
        ]
        left_out += [it for it in barred.values() if it]
    return PlannedTasks(tuple(tasks), tuple(declared), tuple(left_out))


def _of_package(
    draft: Draft, package: Package, key: str, before: tuple[str, ...], steps: Sequence[Step]
) -> GraphTask:
    say, all_ = draft.wording.say, draft.wording.all
    of, tests = draft.relevance, draft.relevance.kept(package.acceptance, str, _LEAST_TESTS)
    return GraphTask(
        id=key,
        role=package.role,
        title=say(package.title),
        description=say(package.purpose) if of.own(package.purpose) else "",
        depends_on=before,
        steps=tuple(s.text for s in steps),
        deliverable=say(package.deliverable),
        acceptance=tuple(Acceptance(text=t) for t in (*all_(tests), *_checks(draft, package))),
        stop_rules=tuple(
            say(g.kill)
            for g in draft.method.gates
            if g.after == package.id and not of.foreign(g.kill)
        ),
        phase=package.phase,
        source=f"{draft.method.id}/{package.id}",
    )


def _steps(draft: Draft, package: Package, extra: Sequence[TechniqueStep]) -> tuple[Step, ...]:
    """The steps of *package* and the *extra* ones; a report is closed by its own last step."""
    more = [_step_in_terms(draft, added.step, added.parameters) for added in extra]
    least = draft.method.general_steps
    kept = draft.relevance.kept(package.steps, lambda step: step.text, least)
    own = [_step_in_terms(draft, step, {}) for step in kept]
    if package.phase == "reporting" and own:
        return (*own[:-1], *more, own[-1])
    return (*own, *more)


def _step_in_terms(draft: Draft, step: Step, parameters: Mapping[str, Parameter]) -> Step:
    """A step in the brief's terms."""
    return step.model_copy(update={"text": draft.wording.say(step.text, parameters)})


def _checks(draft: Draft, package: Package) -> list[str]:
    """Acceptance tests of the techniques whose steps have their home in *package*."""
    found = []
    for technique in draft.techniques:
        phase, steps = list(technique.phases.items())[-1]
        if technique.check and home(phase, steps[-1].text, draft.packages).id == package.id:
            found.append(draft.wording.say(technique.check, technique.parameters))
    return found


def _given_task(task: GivenTask, roles: Sequence[Role]) -> GraphTask:
    return GraphTask(
        id=task.id,
        role=fitting(task, roles).id,
        title=task.title,
        description=task.description,
        depends_on=task.depends_on,
        deliverable=task.deliverable or f"What “{task.title}” gave, with the figures it rests on.",
        acceptance=task.tests,
        steps=task.steps or ((task.description,) if task.description else ()),
        tool_request=task.tools,
        duration_days=task.days,
        cost=task.cost,
        source=task.source,
    )
