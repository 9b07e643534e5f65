"""The tasks of a plan: one for each work package of its method, or those that somebody gave."""

from collections.abc import Mapping, Sequence

from core.graph.state import Acceptance, GraphTask
from dr_rd.brief import GivenTask
from dr_rd.planning.draft import Draft
from dr_rd.planning.library import Package, Role
from dr_rd.planning.roles import fitting
from dr_rd.planning.ruling import LeftOut, sifted
from dr_rd.planning.steps import Step, home, shared_out


def plan_tasks(draft: Draft) -> tuple[tuple[GraphTask, ...], tuple[LeftOut, ...]]:
    """Return the tasks, without durations and costs of the library's, and what they go without.

    Of the library's own sentences, those that break a limit of the brief are left out.
    """
    if draft.brief.tasks:
        return tuple(_given_task(t, draft.library.roles) for t in draft.brief.tasks), ()
    kept = [_lawful(task, draft) for task in of_packages(draft)]
    return tuple(task for task, _ in kept), tuple(it for _, left in kept for it in left)


def of_packages(draft: Draft) -> tuple[GraphTask, ...]:
    """Write each package as a task, with the steps and checks of techniques that belong to it."""
    added = [t for t in draft.techniques if t.id not in draft.method.covers]
    extra = shared_out(added, draft.packages)
    ids = {p.id: f"T{n:02}" for n, p in enumerate(draft.packages, 1)}
    return tuple(_of_package(draft, p, ids, extra[p.id]) for p in draft.packages)


def _of_package(
    draft: Draft, package: Package, ids: Mapping[str, str], extra: Sequence[Step]
) -> GraphTask:
    steps = _steps(draft, package, extra)  # first: assumptions are numbered as they are cited
    say, all_ = draft.wording.say, draft.wording.all
    return GraphTask(
        id=ids[package.id],
        role=package.role,
        title=say(package.title),
        description=say(package.purpose),
        depends_on=_waits(draft, package, ids),
        steps=steps,
        deliverable=say(package.deliverable),
        acceptance=tuple(
            Acceptance(text=t) for t in (*all_(package.acceptance), *_checks(draft, package))
        ),
        stop_rules=tuple(say(g.kill) for g in draft.method.gates if g.after == package.id),
        phase=package.phase,
        source=f"{draft.method.id}/{package.id}",
    )


def _steps(draft: Draft, package: Package, extra: Sequence[Step]) -> tuple[str, ...]:
    """The steps of *package* and the *extra* ones; a report is closed by its own last step."""
    more = [draft.wording.say(s.text, s.parameters) for s in extra]
    own = draft.wording.all(package.steps)
    if package.phase == "reporting":
        return (*own[:-1], *more, own[-1])
    return (*own, *more)


def _waits(draft: Draft, package: Package, ids: Mapping[str, str]) -> tuple[str, ...]:
    """Tasks waited for; where one is not in this plan, those that it waits for instead."""
    waits: list[str] = []
    for before in package.depends_on:
        if before in ids:
            waits.append(ids[before])
        else:
            waits += _waits(draft, draft.method.by_id[before], ids)
    return tuple(dict.fromkeys(waits))


def _checks(draft: Draft, package: Package) -> list[str]:
    """Acceptance tests of the techniques whose steps have their home in *package*."""
    found = []
    for technique in draft.techniques:
        phase, texts = list(technique.phases.items())[-1]
        if technique.check and home(phase, texts[-1], draft.packages).id == package.id:
            found.append(draft.wording.say(technique.check, technique.parameters))
    return found


def _lawful(task: GraphTask, draft: Draft) -> tuple[GraphTask, tuple[LeftOut, ...]]:
    """*task* without the steps and tests that break a limit, and these."""
    steps, left = sifted(task.steps, draft.ledger)
    tests, more = sifted([a.text for a in task.acceptance], draft.ledger)
    kept = tuple(Acceptance(text=text) for text in tests)
    return task.model_copy(update={"steps": steps, "acceptance": kept}), (*left, *more)


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
