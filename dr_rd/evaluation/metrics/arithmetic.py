"""Arithmetic of a text's own tables: budgets add up, tasks start after what they wait for."""

import re
from collections.abc import Iterator

from core.scores import Score
from dr_rd.evaluation.metrics.verdicts import not_applicable, share
from dr_rd.evaluation.subject import Subject
from dr_rd.evaluation.tables import Table, amounts, tables

_TOTAL = re.compile(r"^\W*(?:grand |sub)?total", re.IGNORECASE)
_ROUNDING = 0.51
"""How far each line of a sum may be off from rounding."""


def budget(subject: Subject) -> Score:
    """Share of the totals that are the sum of their column."""
    sums = [s for t in tables(subject.text) for s in _sums(t)]
    if not sums:
        return not_applicable("budget", "the text has no table with a total")
    wrong = [
        f"{head} adds up to {added:,.0f}, its total says {said:,.0f}"
        for head, added, said, lines in sums
        if abs(added - said) > _ROUNDING * lines
    ]
    return share(
        "budget", len(sums) - len(wrong), len(sums), "totals are the sum of their lines", wrong,
        "Add these columns up again.",
    )  # fmt: skip


def schedule(subject: Subject) -> Score:
    """Share of the dependencies that exist and end before what waits for them starts."""
    checks = [c for t in tables(subject.text) for c in _waits(t)]
    if not checks:
        return not_applicable("schedule", "the text has no table of tasks with start and finish")
    wrong = [c for c in checks if c]
    return share(
        "schedule", len(checks) - len(wrong), len(checks), "dependencies are kept", wrong,
        "Move these tasks behind what they wait for.",
    )  # fmt: skip


def _sums(table: Table) -> Iterator[tuple[str, float, float, int]]:
    """Head, sum, stated total and number of lines of each column that has a total."""
    last = next((r for r in table.rows if _TOTAL.match(r[0])), None)
    if last is None:
        return
    lines = table.rows[: table.rows.index(last)]
    for n, head in enumerate(table.head[1:], 1):
        said = amounts(last[n])
        column = [a[0] for r in lines if len(a := amounts(r[n])) == 1]
        if len(said) == 1 and column:
            yield head, sum(column), said[0], len(column)


def _waits(table: Table) -> Iterator[str]:
    """For each dependency what is wrong with it, "" if nothing."""
    waits = table.column("depends", "after", "predecessor", "waits")
    start, finish = table.column("start"), table.column("finish", "end")
    if waits is None or start is None or finish is None:
        return
    times = {r[0].split(" ")[0]: (amounts(r[start]), amounts(r[finish])) for r in table.rows}
    for row in table.rows:
        name = row[0].split(" ")[0]
        for before in re.findall(r"[A-Za-z]+[\w-]*\d+", row[waits]):
            if before not in times:
                yield f"{name} waits for {before}, which is not in the table"
            elif times[before][1] and times[name][0] and times[name][0][0] < times[before][1][0]:
                yield f"{name} starts before {before} ends"
            else:
                yield ""
