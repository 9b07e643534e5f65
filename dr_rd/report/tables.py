"""Tables of a proposal: the ledger, the work plan, what moves the totals."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from core.graph.state import GraphTask, ThreePoint
from core.pluralize import amount
from dr_rd.checks import LedgerVerdict, Verdict
from dr_rd.planning.guesses import is_guess
from dr_rd.planning.library import Library
from dr_rd.report.grounds import owners_of
from dr_rd.report.people import person_days
from dr_rd.templates import clipped
from dr_rd.tools.context import Assignment

_BARS = 8
"""Rows of the tornado."""


def ledger_rows(
    tasks: Iterable[GraphTask], verdicts: Sequence[LedgerVerdict]
) -> list[dict[str, str]]:
    """Return each item of the ledger with its owner, its verdict and what shows it."""
    owner = owners_of(tasks)
    return [
        {
            "id": v.id,
            "kind": v.kind,
            "text": v.text,
            "owner": owner.get(v.id, "no task yet"),
            "verdict": standing(v),
            "shown": _evidence(v, owner.get(v.id, "")),
            "why": v.reason,
        }
        for v in verdicts
    ]


def standing(verdict: LedgerVerdict) -> str:
    """Return a verdict as a reader needs it: "promised" where a task's commitment alone meets an item."""
    return "promised" if verdict.verdict == "met" and _committed(verdict) else verdict.verdict


def _committed(verdict: LedgerVerdict) -> bool:
    """Whether what is quoted only says the item again, in a list or a table."""
    row = " | " in verdict.quote
    return verdict.kind != "ban" and (verdict.quote.startswith(f"{verdict.id}:") or row)


def _evidence(verdict: LedgerVerdict, owner: str) -> str:
    """What shows the verdict: a passage, a task's commitment, or why nothing does."""
    if _committed(verdict):
        return f"the commitment of {owner}" if owner else "a commitment of the text"
    if verdict.quote:
        return f"“{clipped(verdict.quote.replace('**', ''))}”"
    return verdict.reason


def counts(verdicts: Iterable[LedgerVerdict]) -> dict[str, int]:
    """Return how many items there are of each standing."""
    found = Counter(map(standing, verdicts))
    return {k: found[k] for k in get_args(Verdict)}


def plan_rows(
    tasks: Iterable[GraphTask],
    library: Library,
    schedule: Mapping[str, Any] | None,
    staffing: Iterable[Assignment] = (),
) -> list[dict[str, str]]:
    """Return each task with its estimates, who does it, and its place in time as *schedule* says."""
    out, tasks = schedule["out"] if schedule else {}, list(tasks)
    own = [_own_test(t, library) for t in tasks]
    # where few have one of their own, those of every such study say more than nothing
    few = 4 * sum(map(bool, own)) < len(own)
    times, by = out.get("times", {}), {a.task_id: a for a in staffing}
    return [
        {
            "id": t.id,
            "title": t.title,
            "role": library.role(t.role).title,
            "who": by[t.id].role if t.id in by else library.role(t.role).title,
            "work": amount(round(person_days(t, by[t.id]))) if t.id in by else "–",
            "when": _when(t.id, out),
            "done": clipped(test or (_any_test(t) if few else "–"), _LONGEST_TEST),
            "depends_on": ", ".join(t.depends_on) or "–",
            "days": _span(t.duration_days),
            "cost": _span(t.cost) if t.cost is None or t.cost.high else "none",
            "price": _price(t),
            **{
                k: str(times[t.id][k]) if t.id in times else "–"
                for k in ("start", "finish", "slack")
            },
        }
        for t, test in zip(tasks, own, strict=True)
    ]


def cost_lines(
    tasks: Iterable[GraphTask], library: Library, units: str, count: float
) -> list[str]:
    """Return what the dearest tasks are paid for: what, how many of it, and the price or its guess."""
    found: list[tuple[float, str]] = []
    for task in tasks:
        method_id, _, package_id = task.source.partition("/")
        method = next((m for m in library.methods if m.id == method_id), None)
        if task.cost is None or not task.cost.high or not method or package_id not in method.by_id:
            continue
        cost = method.by_id[package_id].cost
        number = f", {amount(count)} {units}" if cost.driver == "units" and count else ""
        price = (
            f"{amount(task.cost.low)} to {amount(task.cost.high)}"
            if is_guess(task)
            else f"{amount(task.cost.mean)}, given"
        )
        found.append((task.cost.high, f"{task.id} {cost.basis}{number} ({price})"))
    largest = sorted(found, key=lambda line: -line[0])[:_LINES]
    return [said for line in found if line in largest for said in line[1:]]


_LINES = 5
"""Cost lines in the budget, the largest; the annex holds them all."""


_LONGEST_TEST = 110
"""Characters of the test by which a task is known to be done, in a table."""


def _own_test(task: GraphTask, library: Library) -> str:
    """The first test of a task that is not that of every study of its kind; "" where it has none."""
    general = _general_tests(task, library)
    tests = (a.text for a in task.acceptance if not a.ledger_ids)
    return next((text for text in tests if text not in general), "")


def _any_test(task: GraphTask) -> str:
    """The first test of a task, or its deliverable where it has none."""
    tests = (a.text for a in task.acceptance if not a.ledger_ids)
    return next(tests, task.deliverable) or "–"


def _general_tests(task: GraphTask, library: Library) -> frozenset[str]:
    """The tests that the method has for a task without a word of the study."""
    method_id, _, package_id = task.source.partition("/")
    methods = [m for m in library.methods if m.id == method_id]
    return frozenset(
        t for m in methods if package_id in m.by_id for t in m.by_id[package_id].acceptance
    )


def _when(task_id: str, out: Mapping[str, Any]) -> str:
    """Return when a task is done: by dates, with the P80 of its end, else by working days."""
    if day := out.get("task_dates", {}).get(task_id):
        return f"{day['start']} to {day['finish']} ({day['P80']})"
    if at := out.get("times", {}).get(task_id):
        return f"{at['start']} to {at['finish']}"
    return "–"


def _price(task: GraphTask) -> str:
    """Return what a task costs: a price, or between what the library guesses."""
    if task.cost is None or not task.cost.high:
        return "none"
    if not is_guess(task):
        return amount(task.cost.mean)
    return f"guessed {amount(task.cost.low)} to {amount(task.cost.high)}"


def _span(points: ThreePoint | None) -> str:
    if points is None:
        return "–"
    return " / ".join(amount(v) for v in (points.low, points.mode, points.high))


def tornado(
    schedule: Mapping[str, Any] | None, tasks: Iterable[GraphTask]
) -> list[dict[str, str]]:
    """Return the tasks that move the duration or the cost, strongest first."""
    if schedule is None:
        return []
    out, titles = schedule["out"], {t.id: t.title for t in tasks}
    bars = {k: {b["id"]: b["correlation"] for b in out["tornado"][k]} for k in ("days", "cost")}
    names = dict.fromkeys([*bars["days"], *bars["cost"]])
    ranked = sorted(names, key=lambda n: -max(abs(b.get(n, 0)) for b in bars.values()))
    return [
        {"id": n, "title": titles.get(n, "")}
        | {k: str(b[n]) if n in b else "–" for k, b in bars.items()}
        for n in ranked[:_BARS]
    ]
