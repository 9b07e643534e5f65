"""What a table came to: the finding first, what is asked, then who said what and what it does."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pydantic import Field, JsonValue

from core.graph.state import plan_digest
from core.messages import Message
from core.modes.panel import PanelState
from core.pluralize import pluralize
from core.values import Frozen, unsaid
from dr_rd.files import read_text
from dr_rd.findings import Finding, Measure, RunFindings
from dr_rd.modes.panel.board import Amendment, Ask, Board, Claimed, Pair, Plan
from dr_rd.modes.panel.figures import Desk
from dr_rd.modes.panel.scenario import Scenario
from dr_rd.templates import fill

ACCEPT, DECLINE = "accept", "decline"
"""A person's word on an amendment."""


class Come(Frozen):
    """What a plan comes to, with every amendment that stands."""

    percentile: str
    currency: str
    days: Pair
    money: Pair
    joint: Pair
    detectable: Pair
    held: Pair
    limit: float | None = None
    guessed: bool = Field(default=False, exclude_if=unsaid)
    """Whether guesses are in its money: of that only the change is then worth reading."""
    guesses_days: bool = Field(default=False, exclude_if=unsaid)
    """Whether the library guesses days in it."""
    plan_digest: str = ""
    """SHA-256 of the plan that was discussed."""

    @property
    def guesses(self) -> str:
        """What of it holds guesses, in words."""
        held = {"money": self.guessed, "days": self.guesses_days}
        return " and ".join(word for word, guessed in held.items() if guessed)


class PanelResult(Frozen):
    """What a panel came to, as result.json holds it."""

    topic: str
    finding: str
    """What it decides, in a sentence."""
    turn_queue: tuple[str, ...]
    labels: Mapping[str, str]
    rounds: int
    log: tuple[Message, ...]
    """Everything that was said, in order, by whom."""
    amendments: tuple[Amendment, ...] = ()
    asks: tuple[Ask, ...] = ()
    claimed: tuple[Claimed, ...] = ()
    comes_to: Come | None = Field(default=None, exclude_if=unsaid)
    """None at a table without a plan."""
    failed: tuple[str, ...] = ()
    """The seats that could not speak."""

    @property
    def standing(self) -> tuple[Amendment, ...]:
        """The amendments that are neither replaced nor declined."""
        return tuple(a for a in self.amendments if a.status in ("proposed", "accepted"))


def amended_plan(plan: Plan, amendments: Iterable[Amendment]) -> Plan:
    """Return the plan with all of the amendments, in their order."""
    for one in amendments:
        plan = plan.changed(one.changes)
    return plan


def result_of(
    state: PanelState, board: Board, scenario: Scenario, desk: Desk | None
) -> PanelResult:
    """Return what a table came to; *desk* is None where it had no plan."""
    del scenario
    found = PanelResult(
        topic=state.topic,
        finding="",
        turn_queue=state.turn_queue,
        labels=state.labels,
        rounds=state.rounds,
        log=state.ground_truth_log.messages,
        amendments=board.amendments,
        asks=board.asks,
        claimed=board.claimed,
        comes_to=_come(board, desk) if desk else None,
        failed=state.failed,
    )
    return found.model_copy(update={"finding": _finding(found)})


def _come(board: Board, desk: Desk) -> Come:
    start = desk.at_start()
    before, after = desk.figures(start), desk.figures(amended_plan(start, board.standing))
    return Come(
        percentile=desk.percentile,
        currency=desk.currency,
        days=Pair(before=before.days, after=after.days),
        money=Pair(before=before.money, after=after.money),
        joint=Pair(before=before.joint, after=after.joint),
        detectable=Pair(before=before.detectable, after=after.detectable),
        held=Pair(before=before.held, after=after.held),
        limit=desk.limit,
        guessed=desk.guessed,
        guesses_days=desk.guesses_days,
        plan_digest=plan_digest(start.tasks),
    )


_HEAVY = (
    "nothing_is_assigned", "sized_unlike_the_brief", "scale_sized_as_groups", "sized_for_another_test", "few_pairs", "too_dear", "too_few_for_the_effect", "number_of_the_direction", "few_assigned", "one_group_each", "share_sized_as_mean",
    "too_few_after_losses", "too_few_usable", "wait_not_in_the_days", "held_out_of_the_minimum",
    "comparison_not_sized", "before_it_is_approved", "several_chances", "estimate_over_a_threshold",
    "figure_not_piloted", "gate_without_a_figure",
)  # fmt: skip
"""The rules whose amendments decide most, the gravest first."""


def _finding(found: PanelResult) -> str:
    """Say in one sentence what the analyst should do."""
    standing, come = found.standing, found.comes_to
    if come is None:
        return f"{pluralize(len(found.log), 'entry', 'entries')} of {_seats(found)}."
    taken = [a for a in standing if a.status == "accepted"]
    if any(a.status == "declined" for a in found.amendments) and not standing:
        return "Every amendment was declined: the plan stands as it was."
    if not standing:
        open_ = "; what is asked below is still open" if found.asks else ", and none asks anything"
        return f"No seat would change the plan{open_}."
    known = {rule: place for place, rule in enumerate(_HEAVY)}
    first = min(taken or standing, key=lambda a: known.get(a.rule, len(known)))
    verb = "Taken over" if taken else "Take"
    rest = len(taken or standing) - 1
    others = f", with {pluralize(rest, 'other amendment')}" if rest else ""
    return f"{verb} {first.id} first{others}: {first.title}. {first.reason}{_price(come, one=not rest)}"


def _price(come: Come, *, one: bool) -> str:
    who, take = ("It", "takes") if one else ("Together they", "take")
    parts = list[tuple[str, bool]]()
    if come.money.before != come.money.after:
        money = f"{_n(come.money.before)} → {_n(come.money.after)} {come.currency}"
        parts.append((f"{_more(come.money)} money" if come.guessed else money, come.guessed))
    if come.days.before != come.days.after:
        days = f"{_n(come.days.before)} → {_n(come.days.after)} working days"
        parts.append((days, come.guesses_days))
    if not parts:
        return f" {who} {'costs' if one else 'cost'} neither money nor days."
    return f" {who} {take} {_by_guess(parts)} ({come.percentile})."


def _by_guess(parts: Sequence[tuple[str, bool]]) -> str:
    """Join figures, and say of each whether guesses are in it."""
    if len(parts) > 1 and all(guessed for _, guessed in parts):
        return f"{' and '.join(said for said, _ in parts)}, both partly by guess"
    return " and ".join(
        f"{said}, partly by guess," if guessed else said for said, guessed in parts
    ).rstrip(",")


def _seats(found: PanelResult) -> str:
    return ", ".join(found.labels.get(seat, seat) for seat in found.turn_queue)


def _n(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"


def _share(pair: Pair) -> str:
    """Return by what part a figure changes: of a guess that is all there is to say."""
    part = (pair.after or 0) / pair.before - 1 if pair.before else 0.0
    return f"{part:+.0%}".replace("%", " %") if part else "0"


def _more(pair: Pair) -> str:
    return f"{_share(pair).lstrip('+-')} {'more' if (pair.after or 0) > (pair.before or 0) else 'less'}"


def _pair(pair: Pair, form: str = ",.0f") -> str:
    if pair.before is None and pair.after is None:
        return "–"
    if pair.before == pair.after:
        return f"{pair.after:{form}} (as before)" if form != ",.0f" else "0"
    before = "–" if pair.before is None else f"{pair.before:{form}}"
    after = "–" if pair.after is None else f"{pair.after:{form}}"
    return f"{before} → {after}"


def _change(one: Amendment) -> str:
    return "; ".join(f"`{c.path}`: {_value(c.old)} → {_value(c.new)}" for c in one.changes)


def _value(value: JsonValue) -> str:
    if value is None:
        return "–"
    if isinstance(value, Mapping):
        return " / ".join(f"{v:g}" for v in value.values() if isinstance(v, int | float))
    if isinstance(value, float):
        return f"{value:g}"
    return f"“{value}”" if isinstance(value, str) and " " in value else str(value)


def render(found: PanelResult) -> str:
    """Write a result as Markdown."""
    guessed = found.comes_to is not None and found.comes_to.guessed
    rows = [
        {
            "id": a.id,
            "by": found.labels.get(a.by, a.by),
            "title": a.title,
            "changes": _change(a),
            "reason": a.reason,
            "rests_on": ", ".join(a.rests_on),
            "for": ", ".join(a.support) or "–",
            "against": ", ".join(a.oppose) or "–",
            "days": _pair(a.effect.days),
            "money": _share(a.effect.money) if guessed else _pair(a.effect.money),
            "joint": _pair(a.effect.joint),
            "detectable": _pair(a.effect.detectable, ".3g") if not a.effect.why_null else "–",
            "held": _pair(a.effect.held, ".2f"),
            "ledger": "; ".join(f"{k} {b} → {n}" for k, (b, n) in a.effect.ledger.items()) or "–",
            "status": a.status if a.status != "replaced" else f"replaced by {a.replaced_by}",
            "stands": a.status in ("proposed", "accepted"),
        }
        for a in found.amendments
    ]
    nulls = list(dict.fromkeys(a.effect.why_null for a in found.amendments if a.effect.why_null))
    values = {"found": found, "rows": rows, "come": found.comes_to, "nulls": nulls, "n": _n}
    return fill(read_text("panel", "result.md.j2"), values)


_FIGURE = re.compile(r"(?<![A-Za-z\d])\d[\d,.]*")
"""A figure in a question, which differs between seeds where the question does not."""


def findings(result: PanelResult) -> RunFindings:
    """Return what a table found, for a comparison with runs of other modes."""
    changes = tuple(
        Finding(key=a.changes[0].path, text=f"{a.title}: {a.reason}") for a in result.standing
    )
    asks = tuple(
        Finding(key=f"asks: {_FIGURE.sub('#', ask.text)}", text=f"{ask.text} {ask.does}")
        for ask in result.asks
    )
    return RunFindings(measures=tuple(_measures(result)), findings=(*changes, *asks))


def _measures(result: PanelResult) -> Iterator[Measure]:
    come = result.comes_to
    yield Measure(name="amendments", value=len(result.standing))
    if come and come.days.after is not None:
        yield Measure(
            name=f"duration with all amendments, {come.percentile}",
            value=come.days.after,
            unit="working days",
        )
    if come and come.money.after is not None and not come.guessed:
        yield Measure(
            name="cost at the plan's confidence, with all amendments",
            value=come.money.after,
            unit=come.currency,
        )
