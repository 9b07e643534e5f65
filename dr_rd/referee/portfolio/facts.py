"""What a portfolio comes to: its regret, where it was lost, what would flip it."""

from collections.abc import Iterator, Mapping
from itertools import islice, permutations
from math import factorial

from core.modes.referee.state import Played
from core.values import Frozen
from dr_rd.referee.portfolio.limits import open_starts
from dr_rd.referee.portfolio.position import Position, Setup
from dr_rd.referee.portfolio.price import Prices, prices
from dr_rd.referee.portfolio.program import Solution, best

_MOST_ORDERS = 120
"""Orders of bidding that are played, spread evenly over all that there are."""


class Flip(Frozen):
    """From how many points a stream that is left out would be in the best portfolio."""

    stream: str
    points: float
    from_points: float
    """It must be worth more than this."""
    instead_of: tuple[str, ...]
    """What it would take the place of."""


class Lost(Frozen):
    """The move at which the optimum became unreachable."""

    player: str
    action: str
    forced: bool
    kept_out: str
    """The stream of the optimum that has no start beside it."""


class Orders(Frozen):
    """What the built-in bidders come to in other orders."""

    played: int
    regrets: Mapping[str, int]
    """How many orders come to each regret, by the regret in points."""
    mean: float


class PortfolioFacts(Frozen):
    """What a portfolio comes to, for programs; the schema of its part of result.json."""

    setup: Setup
    starts: Mapping[str, int]
    """The period in which each granted stream starts, counted from 0."""
    points: float
    optimum: Solution | None
    """None if the commitments cannot be kept at all."""
    unassumed: Solution | None
    """The best portfolio under the limits that somebody set; None if it is no better."""
    regret: float
    """Points of the optimum that the bids did not come to."""
    lost: Lost | None
    prices: Prices | None
    flips: tuple[Flip, ...]
    orders: Orders
    refused: int
    """Decisions that were sent back."""
    forced: int
    """Moves that the referee made for a player."""


def find_facts(position: Position, played: Played) -> PortfolioFacts:
    """Return what the portfolio comes to."""
    setup = position.setup
    optimum = best(setup)
    points = position.points
    return PortfolioFacts(
        setup=setup,
        starts=position.starts,
        points=points,
        optimum=optimum,
        unassumed=_unassumed(setup, optimum) if optimum else None,
        regret=round(optimum.points - points, 6) if optimum else 0.0,
        lost=_lost(position, optimum, played) if optimum else None,
        prices=prices(setup, optimum) if optimum else None,
        flips=tuple(_flips(setup, optimum)) if optimum else (),
        orders=_orders(setup, optimum),
        refused=sum(turn.refused for turn in played.turns),
        forced=sum(turn.forced for turn in played.turns),
    )


def _unassumed(setup: Setup, optimum: Solution) -> Solution | None:
    limits = tuple(limit for limit in setup.limits if not limit.assumed)
    free = setup.model_copy(update={"limits": limits})
    if setup.horizon_assumed:
        later = tuple(f"{name} later" for name in setup.periods)
        free = free.model_copy(
            update={
                "periods": (*setup.periods, *later),
                "horizon_days": 2 * setup.horizon_days,
            }
        )
    found = best(free)
    return found if found and found.points > optimum.points else None


def _lost(position: Position, optimum: Solution, played: Played) -> Lost | None:
    """Return the first granted move without which a stream of the optimum had a legal start."""
    setup, granted = position.setup, position.starts
    missing = [setup.stream(s) for s in optimum.starts if s not in granted]
    for turn in played.turns:
        at = granted.get(turn.player)
        if at is None or optimum.starts.get(turn.player) == at:
            continue
        rest = {s: start for s, start in granted.items() if s != turn.player}
        for stream in missing:
            if stream.points and open_starts(setup, rest, stream):
                return Lost(
                    player=turn.player,
                    action=turn.action,
                    forced=turn.forced,
                    kept_out=stream.id,
                )
    return None


def _flips(setup: Setup, optimum: Solution) -> Iterator[Flip]:
    for stream in setup.streams:
        idle = setup.idle(optimum.starts, stream.id)
        if stream.id in optimum.starts or not stream.points or idle:
            continue
        kept = setup.model_copy(update={"keep": (*setup.keep, stream.id)})
        found = best(kept)
        if found:
            gone = tuple(
                s for s in optimum.starts if s not in found.starts and setup.stream(s).points
            )
            yield Flip(
                stream=stream.id,
                points=stream.points,
                from_points=stream.points + optimum.points - found.points,
                instead_of=gone,
            )


def _orders(setup: Setup, optimum: Solution | None) -> Orders:
    first = [s for s in setup.streams if not s.points]
    rest = [s for s in setup.streams if s.points]
    whole = factorial(len(rest))
    every = max(1, whole // _MOST_ORDERS)
    chosen = islice(permutations(rest), 0, every * min(whole, _MOST_ORDERS), every)
    top = optimum.points if optimum else 0.0
    orders = [setup.model_copy(update={"streams": (*first, *order)}) for order in chosen]
    regrets = [round(top - granted_in_turn(order).points, 6) for order in orders]
    counts = {f"{regret:g}": regrets.count(regret) for regret in sorted(set(regrets))}
    return Orders(
        played=len(regrets),
        regrets=counts,
        mean=round(sum(regrets) / len(regrets), 2) if regrets else 0.0,
    )


def granted_in_turn(setup: Setup) -> Position:
    """Return what built-in bidders come to: each in turn has its earliest legal start, or none."""
    position = Position(setup=setup)
    while position.bidder:
        stream = setup.stream(position.bidder)
        idle = setup.idle(position.starts, stream.id)
        found = () if idle else open_starts(setup, position.starts, stream)
        granted = {stream.id: found[0]} if found else {}
        position = position.model_copy(
            update={"starts": {**position.starts, **granted}, "turn": position.turn + 1}
        )
    return position
