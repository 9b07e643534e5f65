"""Which tasks of a plan must be worked again although they read as before: what they rest on changed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from core.graph.state import GraphTask
from dr_rd.brief import Brief
from dr_rd.checks import Ledger, build_ledger
from dr_rd.planning.context import call_context
from dr_rd.planning.design import Design
from dr_rd.planning.doers import task_text
from dr_rd.planning.library import Library

_ASSUMED = re.compile(r"\[(A\d+)\]")


@dataclass(frozen=True, slots=True)
class PlannedWork:
    """A plan with what it was made for."""

    brief: Brief
    design: Design
    tasks: tuple[GraphTask, ...]


def reworked(
    before: PlannedWork, after: PlannedWork, library: Library, seed: int
) -> tuple[str, ...]:
    """Return the ids of the tasks of *after* whose calls, limits or assumptions are not as *before*."""
    grounds = [_grounds(work, library, seed) for work in (before, after)]
    return tuple(t.id for t in after.tasks if grounds[0].get(t.id) != grounds[1][t.id])


def _grounds(work: PlannedWork, library: Library, seed: int) -> dict[str, Any]:
    """What each task rests on beside its own words."""
    ledger = build_ledger(work.brief)
    return {t.id: list(_grounds_of(t, work, ledger, library, seed)) for t in work.tasks}


def _grounds_of(
    task: GraphTask, work: PlannedWork, ledger: Ledger, library: Library, seed: int
) -> Iterator[object]:
    context = call_context(
        work.design,
        library,
        brief=work.brief,
        ledger=ledger,
        tasks=work.tasks,
        task=task,
        seed=seed,
    )
    for call in task.tool_request:
        spec = library.tools.by_name.get(call.name)
        yield call.name, call.args or (spec and list(spec.arguments(context)))
    mine = {i for a in task.acceptance for i in a.ledger_ids}
    yield sorted(mine & {*work.design.not_kept})
    yield [i.text for i in ledger.items if i.id in mine]
    cited = set(_ASSUMED.findall(_words(task)))
    yield [a.text for a in work.design.assumptions if a.id in cited]


def _words(task: GraphTask) -> str:
    return " ".join((task_text(task), *(a.text for a in task.acceptance)))
