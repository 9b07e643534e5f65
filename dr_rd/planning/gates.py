"""The gates of a plan: where its work is continued, changed or stopped."""

from collections.abc import Sequence

from core.graph.state import GraphTask
from dr_rd.planning.doers import Doers
from dr_rd.planning.draft import Draft
from dr_rd.planning.risks import RiskScale
from dr_rd.tools.context import PlannedGate, PlannedRisk


def planned_gates(
    draft: Draft,
    tasks: Sequence[GraphTask],
    by: Doers,
    risks: Sequence[PlannedRisk],
    scale: RiskScale,
) -> tuple[PlannedGate, ...]:
    """Put the method's gates after the tasks that do their packages' work, *by*.

    A risk that would leave the study without an answer has a gate of its own.
    """
    say, all_ = draft.wording.say, draft.wording.all
    afters = [by.get(g.after, tasks[-1].id) for g in draft.method.gates]
    of_method = tuple(
        PlannedGate(
            id=f"G{n}",
            after=after,
            question=say(g.question),
            must_meet=all_(draft.relevance.kept(g.must_meet, str, 1)),
            kill=say(g.kill),
            probability=max(
                (r.probability for r in risks if r.task_id == after),
                default=scale.likelihood["low"],
            ),
        )
        for n, (g, after) in enumerate(zip(draft.method.gates, afters, strict=True), 1)
    )
    stopping = tuple(
        PlannedGate(
            id=f"G{n}",
            after=r.task_id,
            question="Can the study answer at all?",
            must_meet=(f"{r.condition[:1].upper()}{r.condition[1:]}.",),
            kill=r.sign,
            probability=r.probability,
        )
        for n, r in enumerate((r for r in risks if r.condition), len(of_method) + 1)
    )
    return (*of_method, *stopping)
