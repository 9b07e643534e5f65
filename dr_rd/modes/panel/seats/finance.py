"""Money: what an amendment costs, what the risks take, which line decides the total."""

from collections.abc import Iterator, Mapping

from core.graph.state import GraphTask, ThreePoint
from core.pluralize import joined
from dr_rd.modes.panel.board import Amendment, Plan, added
from dr_rd.modes.panel.figures import guessed_range
from dr_rd.modes.panel.floor import Finding, Floor, Rule, whole
from dr_rd.modes.panel.reach import RESIZING, resized
from dr_rd.modes.panel.seats.hearing import sum_said
from dr_rd.planning.limits import least_day_rate

_WIDEST = 3
"""Guesses that are named."""

_CLOSE = 0.8
"""Share of the limit from which on costs and risks together need a reserve of their own."""


def resizing(at: Floor) -> Amendment | None:
    """Return the amendment that changed the number of units, if one stands."""
    return next((a for a in reversed(at.board.standing) if a.rule in RESIZING), None)


def sizes(at: Floor) -> tuple[str, ...]:
    """Return the amendments of the number that the plan's figures now rest on."""
    return tuple(a.id for a in at.board.standing if a.rule in (*RESIZING, "too_dear"))


def too_dear(at: Floor) -> Iterator[Finding]:
    """The number proposed breaks the limit, with the risks or by what is priced."""
    amended, limit = resizing(at), at.desk.limit
    spent = _spent(at, at.plan)
    if amended is None or limit is None or spent <= limit:
        return
    by = at.adds("too_dear", "prices" if at.desk.guessed else "risks")
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
                "other": amended.by, "asked": f"{most:g}", "unit": at.unit, "joint": whole(spent),
                "limit": whole(limit), "currency": at.desk.currency, "least": f"{least:g}", "by": by,
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
            "joint": whole(spent), "limit": whole(limit), "currency": at.desk.currency, "by": by,
        },
        changes=resized(base, number),
        rests_on=(amended.id,),
        answers=(amended.by,),
        replaces=amended.id,
    )  # fmt: skip


def _affords(at: Floor, number: float, limit: float) -> bool:
    base = Floor(at.desk, at.board, at.desk.at_start(), at.words)
    return _spent(at, base.plan.changed(resized(base, number))) <= limit


def _spent(at: Floor, plan: Plan) -> float:
    """Return what the limit must pay: with the plan's risks, or of guessed costs what is priced."""
    if at.desk.guessed:
        return at.desk.known(plan)
    return at.desk.figures(plan).joint or 0.0


def price_of_the_number(at: Floor) -> Iterator[Finding]:
    """What an amendment of the number costs, where nothing else was to be said of it."""
    amended = resizing(at)
    if amended is None:
        return
    money, days = amended.effect.money, amended.effect.days
    limit, guess = at.desk.limit, at.desk.guess(at.plan)
    price = at.adds(
        "price_of_the_number",
        "guessed" if guess else "priced",
        before=whole(money.before), after=whole(money.after), currency=at.desk.currency,
        more=f"{((money.after or 0) / (money.before or 1) - 1) * 100:.0f}",
        range=guessed_range(guess) if guess else "", percentile=at.desk.percentile,
    )  # fmt: skip
    yield Finding(
        "price_of_the_number",
        {
            "other": amended.by, "id": amended.id, "money": price,
            "days": f"{whole(days.before)} to {whole(days.after)} working days",
            "limit": f"the limit is {whole(limit)}" if limit
            else "the brief names no limit, so that nobody has agreed to it",
        },
        answers=(amended.by,),
        rests_on=(amended.id,),
    )  # fmt: skip


def guessed_not_priced(at: Floor) -> Iterator[Finding]:
    """A limit is set, and most of what it is to pay is the library's guess: quotes must say."""
    facts = {"priced": at.desk.priced(at.plan)}
    return _by_guess(at, "guessed_not_priced", at.desk.guesses(at.plan), facts)


def pay_for_guessed_days(at: Floor) -> Iterator[Finding]:
    """A limit is set, and the rates of people are paid for days that the library guesses."""
    facts = {"known": whole(at.desk.known(at.plan))}
    return _by_guess(at, "pay_for_guessed_days", at.desk.guessed_pay(at.plan), facts)


def _by_guess(
    at: Floor, rule: str, guesses: Mapping[str, ThreePoint], more: Mapping[str, str]
) -> Iterator[Finding]:
    """Say of *guesses* of money, the widest first, that they decide whether a limit is kept."""
    limit, task = at.desk.limit, _spends(at)
    if not guesses or limit is None or task is None:
        return
    widest = list(guesses)[:_WIDEST]
    facts = {
        **more, "currency": at.desk.currency, "task": task.id, "limit": whole(limit),
        "range": guessed_range(*guesses.values()), "ids": joined(widest),
        "named": joined([f"{k} ({guessed_range(guesses[k])})" for k in widest]),
    }  # fmt: skip
    yield Finding(
        rule,
        facts,
        changes=(added(task, "acceptance", at.adds(rule, "test", **facts)),),
        rests_on=(task.id, *_limit_items(at)),
    )


def reserve_outside(at: Floor) -> Iterator[Finding]:
    """The budget is held against the costs alone, though the plan's own risks cost money too."""
    figures, limit = at.desk.figures(at.plan), at.desk.limit
    task = _spends(at)
    if limit is None or figures.joint is None or task is None:
        return
    reserve = figures.joint - figures.money
    worst = max(at.design.risks, key=lambda r: r.probability * r.share.mean, default=None)
    if reserve <= 0 or worst is None or not _CLOSE * limit < figures.joint <= limit:
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
        rests_on=(worst.id, task.id, *_limit_items(at), *sizes(at)),
    )


def over_with_risks(at: Floor) -> Iterator[Finding]:
    """The costs keep the limit and the risks break it: a reserve inside it is not to be had."""
    figures, limit = at.desk.figures(at.plan), at.desk.limit
    if limit is None or figures.joint is None or not figures.money <= limit < figures.joint:
        return
    facts = {
        "money": whole(figures.money), "joint": whole(figures.joint), "limit": whole(limit),
        "over": whole(figures.joint - limit), "percentile": at.desk.percentile,
        "currency": at.desk.currency, "count": len(at.design.risks),
    }  # fmt: skip
    yield Finding("over_with_risks", facts, rests_on=_limit_items(at))


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
    return at.calling("budget")


def staff_outside(at: Floor) -> Iterator[Finding]:
    """The costs are direct ones: whether the limit also pays the people who work, nobody says."""
    if at.desk.material.staff_settled:
        return
    limit, figures = at.desk.limit, at.desk.figures(at.plan)
    worked = [
        t for t in at.plan.tasks if t.duration_days and t.duration_days.high > t.duration_days.low
    ]
    days = sum(t.duration_days.mean for t in worked if t.duration_days)
    guessed = at.desk.guessed
    taken = at.desk.known(at.plan) if guessed else figures.joint or figures.money
    left = limit - taken if limit else 0
    if limit and left > 0 and days and left / days < least_day_rate(at.desk.currency):
        yield Finding(
            "staff_outside",
            {
                "limit": whole(limit), "currency": at.desk.currency, "days": whole(days),
                "left": whole(left), "rate": whole(left / days),
                "after": at.adds("staff_outside", "prices" if guessed else "costs"),
                "else": at.adds("staff_outside", "open" if guessed else "fits"),
            },
            rests_on=_limit_items(at),
        )  # fmt: skip


RULES: tuple[Rule, ...] = (
    sum_said,
    too_dear,
    price_of_the_number,
    guessed_not_priced,
    pay_for_guessed_days,
    reserve_outside,
    over_with_risks,
    staff_outside,
)
