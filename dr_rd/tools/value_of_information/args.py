"""The gates of a plan as tests: the days their task takes, against all that need not follow."""

from collections.abc import Mapping, Sequence

from core.graph.state import GraphTask
from dr_rd.tools.context import Arguments, CallContext


def arguments(context: CallContext) -> Sequence[Arguments]:
    """Rank every gate after a task that takes time."""
    tasks = {t.id: t for t in context.tasks}
    days = {k: t.duration_days.mean if t.duration_days else 0.0 for k, t in tasks.items()}
    tests = [
        {
            "id": g.id,
            "cost": round(days[g.after], 1),
            "probability_of_failure": g.probability,
            "cost_avoided": round(sum(days[k] for k in _spared(g.after, tasks)), 1),
        }
        for g in context.plan.gates
        if days.get(g.after)
    ]
    return [{"tests": tests, "currency": "days"}]


def _spared(key: str, tasks: Mapping[str, GraphTask]) -> set[str]:
    """Tasks that need not be done if the work ends after *key*: neither it nor what led to it."""
    done, waiting = set[str](), [key]
    while waiting:
        task = waiting.pop()
        if task not in done:
            done.add(task)
            waiting += tasks[task].depends_on
    return set(tasks) - done
