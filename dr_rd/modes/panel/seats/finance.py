"""Money: what an amendment costs, what the risks take, which line decides the total."""

from collections.abc import Iterator

from core.graph.state import GraphTask, ThreePoint
from dr_rd.modes.panel.board import Amendment, Change, added, scaled
from dr_rd.modes.panel.floor import Finding, Floor, Rule, whole
from dr_rd.modes.panel.seats.statistician import resized

_RESIZING = ("too_few_for_the_effect", "too_few_after_losses", "too_few_usable")

_WIDE = 0.4
"""Share of the spread of all costs from which one line decides the total."""

_MATTERS = 5_000
"""Currency units below which the spread of a line is nobody's concern."""


def resizing(at: Floor) -> Amendment | None:
    """Return the amendment that changed the number of units, if one stands."""
    return next((a for a in at.board.standing if a.rule in _RESIZING), None)


def too_dear(at: Floor) -> Iterator[Finding]:
    """The number proposed breaks the limit once the risks are drawn with the costs."""
    amended, limit = resizing(at), at.desk.limit
    joint = at.desk.figures(at.plan).joint
    if amended is None or limit is None or joint is None or joint <= limit:
        return
    size = next(c for c in amended.changes if c.path.endswith(".given"))
    start = at.desk.at_start()
    least, most = float(str(size.old)), float(str(size.new))
    number = most
    while number > least and not _affords(at, number, limit):
        number -= 1
    if number <= least:
        yield Finding(
            "no_more_is_paid",
            {
                "other": amended.by, "asked": f"{most:g}", "unit": at.unit, "joint": whole(joint),
                "limit": whole(limit), "currency": at.desk.currency, "least": f"{least:g}",
            },
            rests_on=(amended.id,),
            answers=(amended.by,),
        )  # fmt: skip
        return
    base = Floor(at.desk, at.board, start, at.words)
    yield Finding(
        "too_dear",
        {
            "other": amended.by, "number": f"{number:g}", "asked": f"{most:g}", "unit": at.unit,
            "joint": whole(joint), "limit": whole(limit), "currency": at.desk.currency,
        },
        changes=resized(base, number),
        rests_on=(amended.id,),
        answers=(amended.by,),
        replaces=amended.id,
    )  # fmt: skip


def _affords(at: Floor, number: float, limit: float) -> bool:
    base = Floor(at.desk, at.board, at.desk.at_start(), at.words)
    joint = at.desk.figures(base.plan.changed(resized(base, number))).joint
    return joint is not None and joint <= limit


def line_not_grown(at: Floor) -> Iterator[Finding]:
    """More units were proposed, and a line that pays for visits to them grows with the months alone."""
    amended = resizing(at)
    lines = [t for t in at.desk.fixed_over_time(at.plan) if t.phase == "execution"]
    if amended is None or not lines:
        return
    size = next(c for c in amended.changes if c.path.endswith(".given"))
    factor = float(str(size.new)) / float(str(size.old))
    line = lines[0]
    yield Finding(
        "line_not_grown",
        {
            "other": amended.by, "task": line.id, "basis": at.desk.packages[line.id].cost.basis,
            "old": f"{float(str(size.old)):g}", "new": f"{float(str(size.new)):g}", "unit": at.unit,
            "before": whole(line.cost.mean if line.cost else 0),
            "after": whole(line.cost.mean * factor if line.cost else 0),
            "currency": at.desk.currency,
        },
        changes=(scaled(line, "cost", factor),),
        rests_on=(amended.id, line.id),
        answers=(amended.by,),
    )  # fmt: skip


def price_of_the_number(at: Floor) -> Iterator[Finding]:
    """What an amendment of the number costs, where nothing else was to be said of it."""
    amended = resizing(at)
    if amended is None or line_not_grown_applies(at):
        return
    money = amended.effect.money
    limit = at.desk.limit
    yield Finding(
        "price_of_the_number",
        {
            "other": amended.by, "id": amended.id, "before": whole(money.before),
            "after": whole(money.after), "currency": at.desk.currency,
            "percentile": at.desk.percentile,
            "more": f"{((money.after or 0) / (money.before or 1) - 1) * 100:.0f}",
            "limit": f"the limit is {whole(limit)}" if limit
            else "the brief names no limit, so that nobody has agreed to it",
        },
        answers=(amended.by,),
        rests_on=(amended.id,),
    )  # fmt: skip


def line_not_grown_applies(at: Floor) -> bool:
    """Whether finance has a change to make of the number rather than a price to name."""
    return any(t.phase == "execution" for t in at.desk.fixed_over_time(at.plan))


def reserve_outside(at: Floor) -> Iterator[Finding]:
    """The budget is held against the costs alone, though the plan's own risks cost money too."""
    figures, limit = at.desk.figures(at.plan), at.desk.limit
    task = _spends(at)
    if limit is None or figures.joint is None or task is None:
        return
    reserve = figures.joint - figures.money
    worst = max(at.design.risks, key=lambda r: r.probability * r.share.mean, default=None)
    if reserve <= 0 or worst is None:
        return
    facts = {
        "money": whole(figures.money), "joint": whole(figures.joint), "limit": whole(limit),
        "reserve": whole(_rounded(reserve)), "percentile": at.desk.percentile,
        "currency": at.desk.currency, "kept": f"{100 * (figures.kept or 0):.0f}",
        "count": len(at.design.risks), "others": len(at.design.risks) - 1, "worst": worst.id, "owner": worst.task_id,
        "words": worst.text.rstrip("."), "left": whole(limit - figures.joint), "task": task.id,
    }  # fmt: skip
    yield Finding(
        "reserve_outside",
        facts,
        changes=(added(task, "acceptance", at.adds("reserve_outside", "test", **facts)),),
        rests_on=(worst.id, task.id, *_limit_items(at)),
    )


def _rounded(value: float) -> float:
    return round(value / 100) * 100 or 100


def _limit_items(at: Floor) -> tuple[str, ...]:
    return tuple(v for v in at.desk.figures(at.plan).verdicts if at.desk.limit and _money(at, v))


def _money(at: Floor, item_id: str) -> bool:
    item = at.desk.material.ledger.item(item_id)
    return item.whole and any(
        getattr(getattr(c, "quantity", None), "unit", "") == at.desk.currency for c in item.checks
    )


def _spends(at: Floor) -> GraphTask | None:
    """Return the task that watches the money."""
    return next(
        (t for t in at.plan.tasks if any(r.name == "budget" for r in t.tool_request)), None
    )


def widest_line(at: Floor) -> Iterator[Finding]:
    """One line holds most of what is unknown of the total: a quotation settles it."""
    task = _spends(at)
    priced = [t for t in at.plan.tasks if t.cost and t.cost.high > t.cost.low]
    total = sum(_spread(t.cost) for t in priced if t.cost)
    wide = max(priced, key=lambda t: _spread(t.cost), default=None)
    if task is None or wide is None or wide.cost is None or not total:
        return
    share, span = _spread(wide.cost) / total, wide.cost.high - wide.cost.low
    if share < _WIDE or span < _MATTERS:
        return
    settled = wide.cost.mode
    fixed = Change(
        path=f"tasks.{wide.id}.cost", new={"low": settled, "mode": settled, "high": settled}
    )
    then = at.desk.figures(at.plan.changed([fixed])).money
    now = at.desk.figures(at.plan).money
    basis = at.desk.packages[wide.id].cost.basis if wide.id in at.desk.packages else wide.title
    facts = {
        "task": wide.id, "low": whole(wide.cost.low), "high": whole(wide.cost.high),
        "mode": whole(settled), "share": f"{100 * share:.0f}", "basis": basis,
        "now": whole(now), "then": whole(then), "percentile": at.desk.percentile,
        "currency": at.desk.currency, "where": task.id,
    }  # fmt: skip
    yield Finding(
        "widest_line",
        facts,
        changes=(added(task, "steps", at.adds("widest_line", "step", **facts)),),
        rests_on=(wide.id, task.id),
    )


def _spread(cost: ThreePoint | None) -> float:
    return (cost.mean - cost.low) * (cost.high - cost.mean) / 7 if cost else 0.0


def staff_outside(at: Floor) -> Iterator[Finding]:
    """The costs are direct ones: whether the limit also pays the people who work, nobody says."""
    limit, figures = at.desk.limit, at.desk.figures(at.plan)
    worked = [
        t for t in at.plan.tasks if t.duration_days and t.duration_days.high > t.duration_days.low
    ]
    days = sum(t.duration_days.mean for t in worked if t.duration_days)
    left = (limit - (figures.joint or figures.money)) if limit else 0
    if limit and left > 0 and days:
        yield Finding(
            "staff_outside",
            {
                "limit": whole(limit), "currency": at.desk.currency, "days": whole(days),
                "left": whole(left), "rate": whole(left / days),
            },
            rests_on=_limit_items(at),
        )  # fmt: skip


RULES: tuple[Rule, ...] = (
    too_dear,
    line_not_grown,
    price_of_the_number,
    reserve_outside,
    widest_line,
    staff_outside,
)
