"""Workstreams bid for the periods in which they start: one bid each, whole or not at all.

A player's own points and needs are its own until the end; what is granted, what is left of every
limit and the rules between streams are public.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from random import Random
from typing import Any

from pydantic import JsonValue, ValidationError

from core.errors import CallerError
from core.modes.referee.state import Played
from core.pluralize import pluralize
from core.rules import Move, RuleOutcome, RuleSet, Ruling
from core.values import Frozen
from dr_rd.files import read_yaml
from dr_rd.referee.offer import Offer, Report
from dr_rd.referee.portfolio.commission import commissioned, needs_offer
from dr_rd.referee.portfolio.limits import breaks, open_starts, quantity, used
from dr_rd.referee.portfolio.position import Limit, Position, Setup, Workstream

_START = re.compile(r"\s*start\s+(?:in\s+)?(\S.{0,40}?)\s*\.?\s*", re.IGNORECASE)
_PASS = re.compile(r"\s*pass\s*\.?\s*", re.IGNORECASE)
_PASSES = Move(text="pass")
_SHOWN = 60
"""Characters of a decision that cannot be read that its author is shown again."""


class Portfolio(RuleSet[Position]):
    """Bids for budget, people and time under hard limits."""

    id = "portfolio"
    title = "Portfolio under hard limits"
    position = Position

    def needs_offer(self, given: Mapping[str, JsonValue]) -> bool:
        """Whether a scenario leaves anything to be taken from plans or runs."""
        return needs_offer(given)

    def commission(
        self, offer: Offer | None, given: Mapping[str, JsonValue]
    ) -> Mapping[str, JsonValue]:
        """Return the setup of an offer, with what a scenario says in its place."""
        plain: Mapping[str, JsonValue] = commissioned(offer, given).model_dump(mode="json")
        return plain

    def start(self, setup: Mapping[str, JsonValue], chance: Random) -> Position:
        """Return the position before the first bid; nothing in it is left to chance."""
        del chance
        try:
            return Position(setup=Setup.model_validate(dict(setup)))
        except ValidationError as wrong:
            fault = wrong.errors()[0]
            place = ".".join(map(str, fault["loc"])) or "the setup"
            raise CallerError(
                f"the portfolio cannot be set up: {place}: {fault['msg']}"
            ) from wrong

    def players(self, position: Position) -> tuple[str, ...]:
        """Return the streams, in the order in which they bid."""
        return tuple(stream.id for stream in position.setup.streams)

    def to_move(self, position: Position) -> str:
        """Return the stream that bids next."""
        return position.bidder

    def legal_moves(self, position: Position) -> Sequence[Move]:
        """Return a move for each legal start, the earliest first, and the pass if it may."""
        if not position.bidder:
            return ()
        setup, stream = position.setup, position.setup.stream(position.bidder)
        starts = open_starts(setup, position.starts, stream)
        bids = tuple(_bid(setup.periods[start]) for start in starts)
        return bids if bids and stream.id in setup.keep else (*bids, _PASSES)

    def read(self, text: str) -> Move:
        """Read "start PERIOD" or "pass"."""
        if _PASS.fullmatch(text):
            return _PASSES
        if found := _START.fullmatch(text):
            return _bid(found[1])
        shown = " ".join(text.split())[:_SHOWN]
        raise CallerError(f"{shown!r} is no bid; write start and a period, or pass")

    def validate(self, position: Position, move: Move) -> Ruling:
        """Hold a bid against every limit, and name each that it breaks and by how much."""
        setup, bidder = position.setup, position.bidder
        if not bidder:
            return _refused("every workstream has had its turn")
        stream = setup.stream(bidder)
        start = _start(setup, move)
        if start is None and move.data:
            return _refused(
                f"{move.data.get('start')} is no period; they are {', '.join(setup.periods)}"
            )
        if start is None:
            kept = bidder in setup.keep and open_starts(setup, position.starts, stream)
            return (
                _refused(_words()["committed"].format(stream=bidder))
                if kept
                else Ruling(legal=True)
            )
        found = breaks(setup, position.starts, stream, start)
        if not found:
            return Ruling(legal=True)
        return _refused(
            "; ".join(broken.text for broken in found),
            {"breaks": [broken.model_dump(mode="json") for broken in found]},
        )

    def apply(self, position: Position, move: Move) -> Position:
        """Return the position after a legal bid."""
        ruling = self.validate(position, move)
        if not ruling.legal:
            raise ValueError(ruling.reason)
        start = _start(position.setup, move)
        granted = {} if start is None else {position.bidder: start}
        return position.model_copy(
            update={"starts": {**position.starts, **granted}, "turn": position.turn + 1}
        )

    def forced(self, position: Position) -> Move:
        """Return the earliest legal start, or the pass where there is none."""
        return self.legal_moves(position)[0]

    def choose(self, position: Position, chance: Random) -> Move:
        """Bid for the first period that the stream's own window allows; pass if it adds nothing."""
        del chance
        setup = position.setup
        if setup.idle(position.starts, position.bidder):
            return _PASSES
        wanted = min(setup.stream(position.bidder).earliest, len(setup.periods) - 1)
        return _bid(setup.periods[wanted])

    def choose_again(
        self, position: Position, refused: Sequence[tuple[Move, Ruling]], chance: Random
    ) -> Move:
        """Answer a refusal: the earliest start that breaks no limit, or pass."""
        del refused, chance
        return self.legal_moves(position)[0]

    def longest(self, position: Position) -> int:
        """Return how many streams have not had their turn."""
        return len(position.setup.streams) - position.turn

    def outcome(self, position: Position) -> RuleOutcome | None:
        """Return what was granted once every stream has had its turn."""
        if position.bidder:
            return None
        setup = position.setup
        granted = [s for s in setup.streams if s.id in position.starts]
        whole = setup.worth(stream.id for stream in setup.streams)
        named = ", ".join(f"{s.id} in {setup.periods[position.starts[s.id]]}" for s in granted)
        return RuleOutcome(
            winners=tuple(stream.id for stream in granted),
            summary=f"{len(granted)} of {pluralize(len(setup.streams), 'workstream')} granted"
            f"{f' ({named})' if named else ''}: {position.points:g} of {whole:g} points",
            facts={"starts": dict(position.starts), "points": position.points},
        )

    def view(self, position: Position, player: str) -> Mapping[str, JsonValue]:
        """Return what is public, and the player's own stream; at the end all of them."""
        setup = position.setup
        over = not position.bidder
        seen = [s for s in setup.streams if over or s.id == player]
        return {
            "title": setup.title,
            "periods": list(setup.periods),
            "to_move": position.bidder,
            "order": [stream.id for stream in setup.streams],
            "granted": {k: setup.periods[start] for k, start in position.starts.items()},
            "passed": [
                s.id for s in setup.streams[: position.turn] if s.id not in position.starts
            ],
            "counted": {**_counted(position)},
            "limits": [_limit_seen(position, limit) for limit in setup.limits],
            "rules": list(_rules(setup)),
            "streams": [stream.model_dump(mode="json") for stream in seen],
        }

    def describe(self, position: Position, player: str) -> str:
        """Return the rules in brief, what is public, and the player's own stream."""
        setup = position.setup
        lines = [_words()["rules"], "", f"Periods, in order: {', '.join(setup.periods)}."]
        lines += [f"- {line}" for line in (*map(_limit_words, setup.limits), *_rules(setup))]
        lines += ["", "Left of each limit:"]
        lines += [f"- {_left_words(position, limit)}" for limit in setup.limits]
        granted = [f"{k} in {setup.periods[at]}" for k, at in position.starts.items()]
        lines += ["", f"Granted: {', '.join(granted) or 'nothing yet'}."]
        if counted := _counted(position):
            shown = ", ".join(f"{aim} ({points:.4g})" for aim, points in counted.items())
            lines += [f"What these serve already, in points, and counts once: {shown}."]
        if player in self.players(position):
            lines += ["", f"You are {player}.", *_stream_words(setup, setup.stream(player))]
        return "\n".join(lines) + "\n"

    def report(self, position: Frozen, played: Played) -> Report:
        """Return the outcome against the optimum, and what each limit costs."""
        # imported here: only a run that ends needs the solver, which takes a sixth of a second
        from dr_rd.referee.portfolio.report import report  # noqa: PLC0415

        if not isinstance(position, Position):
            raise AssertionError(f"{type(position).__name__} is no position of a portfolio")
        return report(position, played)


def _bid(period: str) -> Move:
    return Move(text=f"start {period}", data={"start": period})


def _start(setup: Setup, move: Move) -> int | None:
    """Return the number of the period that a move names; None if it names none."""
    wanted = str(move.data.get("start", "")).casefold()
    names = [name.casefold() for name in setup.periods]
    return names.index(wanted) if wanted in names else None


def _refused(reason: str, facts: Mapping[str, Any] | None = None) -> Ruling:
    return Ruling(legal=False, reason=reason, public=reason, facts=facts or {})


def _counted(position: Position) -> dict[str, float]:
    """Return the points of each aim that a granted stream serves; public, as they count once."""
    found: dict[str, float] = {}
    for stream_id in position.starts:
        for aim, points in position.setup.stream(stream_id).aims.items():
            found[aim] = max(points, found.get(aim, 0.0))
    return found


def _limit_words(limit: Limit) -> str:
    per = "in each period" if limit.per == "period" else "in all"
    return f"{limit.resource}: at most {quantity(limit.at_most, limit.unit)} {per}"


def _left_words(position: Position, limit: Limit) -> str:
    taken = used(position.setup, position.starts, limit.resource)
    if limit.per == "total":
        left = limit.at_most - _taken_in_all(position, limit)
        return f"{limit.resource} in all: {quantity(left, limit.unit)}"
    each = (
        f"{name} {quantity(limit.at_most - t, limit.unit)}"
        for name, t in zip(position.setup.periods, taken, strict=True)
    )
    return f"{limit.resource}: {', '.join(each)}"


def _taken_in_all(position: Position, limit: Limit) -> float:
    streams = (position.setup.stream(key) for key in position.starts)
    return sum(sum(stream.use.get(limit.resource, ())) for stream in streams)


def _limit_seen(position: Position, limit: Limit) -> dict[str, Any]:
    taken = used(position.setup, position.starts, limit.resource)
    return {
        "limit": limit.id,
        "per": limit.per,
        "at_most": limit.at_most,
        "unit": limit.unit,
        "used": [_taken_in_all(position, limit)] if limit.per == "total" else list(taken),
    }


def _rules(setup: Setup) -> list[str]:
    """Return the rules between streams, a sentence each."""
    found = [f"{a.stream} starts {_lag(a.lag)} {a.after}" for a in setup.after]
    found += [
        f"{' and '.join(a.streams)} never "
        f"{'run in one period' if a.when == 'together' else 'both'}"
        for a in setup.apart
    ]
    return found + [f"no bid may leave {kept} without a start" for kept in setup.keep]


def _lag(periods: int) -> str:
    return f"at least {pluralize(periods, 'period')} after" if periods else "no earlier than"


def _stream_words(setup: Setup, stream: Workstream) -> list[str]:
    needs = (
        f"- {resource}: {', '.join(f'{amount:,.1f}' for amount in amounts)}, by period from its start"
        for resource, amounts in stream.use.items()
    )
    last = len(setup.periods) - 1 if stream.latest is None else stream.latest
    span = f"{setup.periods[stream.earliest]} to {setup.periods[last]}"
    aims = (f"- {points:.4g} points for {aim}" for aim, points in stream.aims.items())
    return [
        f"{stream.title}: {stream.points:g} points, {stream.days:,.0f} working days, "
        f"to start from {span}.",
        *aims,
        *needs,
    ]


@cache
def _words() -> Mapping[str, str]:
    found: Mapping[str, str] = read_yaml("referee", "portfolio.yaml")
    return found


RULES = Portfolio()
"""The rule set, as the registry finds it."""
