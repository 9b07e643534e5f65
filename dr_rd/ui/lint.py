"""What is wrong, or doubtful, with a plan that is being edited, in sentences."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from core.graph.state import GraphTask
from core.values import Frozen
from dr_rd.report.preview import Preview

_TOGETHER = 1.0
"""Working days for which two tasks must run side by side before their person is overbooked."""


class Finding(Frozen):
    """One thing to look at."""

    grave: bool
    """Whether a limit is broken, or there is no plan; else it is worth a thought."""
    text: str


def findings(tasks: Sequence[GraphTask], seen: Preview) -> list[Finding]:
    """Return what to look at before *tasks* are approved, the gravest first."""
    if seen.problem:
        return [Finding(grave=True, text=seen.problem)]
    found = [*_totals(seen), *_guess(seen), *_broken(seen), *_loose(tasks), *_untested(tasks)]
    found += _overbooked(tasks, seen)
    return sorted(found, key=lambda f: not f.grave)


def _totals(seen: Preview) -> Iterator[Finding]:
    totals = (
        ("takes", seen.days, seen.limit_days, "working days", "the deadline leaves"),
        ("costs", seen.cost, seen.limit_cost, seen.currency, "the budget is"),
    )
    for verb, found, limit, unit, bound in totals:
        if limit is None or not found or (verb == "costs" and seen.guess):
            continue
        half, most = found.get("P50", 0.0), found.get("P80", 0.0)
        if most > limit:
            share = "P50" if half > limit else "P80"
            over = found[share] - limit
            yield Finding(
                grave=half > limit,
                text=f"it {verb} {found[share]:,.0f} {unit} at {share}, and {bound} {limit:,.0f}: "
                f"{over:,.0f} too many",
            )


def _guess(seen: Preview) -> Iterator[Finding]:
    """Say what a guess leaves open of the budget; only what is priced can break it."""
    if seen.guess is None or seen.limit_cost is None:
        return
    if seen.known > seen.limit_cost:
        over = seen.known - seen.limit_cost
        yield Finding(
            grave=True,
            text=f"what is priced costs {seen.known:,.0f} {seen.currency}, and the budget is "
            f"{seen.limit_cost:,.0f}: {over:,.0f} too many before anything guessed",
        )
    elif seen.known + seen.guess[0] > seen.limit_cost:
        least = seen.known + seen.guess[0]
        yield Finding(
            grave=True,
            text=f"what nobody has priced makes it {least:,.0f} {seen.currency} even by the "
            f"library's lowest guess, and the budget is {seen.limit_cost:,.0f}; type the prices "
            "that you know",
        )
    elif seen.known + seen.guess[1] > seen.limit_cost:
        low, high = seen.guess
        yield Finding(
            grave=False,
            text=f"nobody has priced what the library guesses at {low:,.0f} to {high:,.0f} "
            f"{seen.currency}, and the budget is {seen.limit_cost:,.0f}: a guess cannot say if it "
            "is kept; type the prices that you know",
        )


def _broken(seen: Preview) -> Iterator[Finding]:
    for verdict in seen.ledger:
        if verdict.verdict == "violated":
            yield Finding(
                grave=True, text=f"{verdict.id} “{verdict.text}” is broken: {verdict.reason}"
            )


def _loose(tasks: Sequence[GraphTask]) -> Iterator[Finding]:
    needed = {before for t in tasks for before in t.depends_on}
    for task in tasks:
        if len(tasks) > 1 and not task.depends_on and task.id not in needed:
            yield Finding(
                grave=False, text=f"{task.id} waits for nothing, and nothing waits for it"
            )


def _untested(tasks: Sequence[GraphTask]) -> Iterator[Finding]:
    for task in tasks:
        if task.deliverable and not task.acceptance:
            yield Finding(
                grave=False, text=f"{task.id} delivers something, and nothing says when it is done"
            )


def _overbooked(tasks: Sequence[GraphTask], seen: Preview) -> Iterator[Finding]:
    """Name each role that has two tasks at once: fine for two people, too much for one."""
    for role in dict.fromkeys(t.role for t in tasks):
        own = [t.id for t in tasks if t.role == role and t.id in seen.times]
        shared = [
            (days, one, other)
            for one, other in combinations(own, 2)
            if (days := _overlap(seen, one, other)) >= _TOGETHER
        ]
        if shared:
            days, one, other = max(shared)
            named = role.replace("-", " ")
            yield Finding(
                grave=False,
                text=f"{named} has {one} and {other} at once for {days:.0f} working days, too "
                "much for one person",
            )


def _overlap(seen: Preview, one: str, other: str) -> float:
    a, b = seen.times[one], seen.times[other]
    return min(a["finish"], b["finish"]) - max(a["start"], b["start"])
