"""What each limit costs: the program solved again with it loosened, alone and in pairs."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from core.values import Frozen
from dr_rd.referee.portfolio.position import Limit, Setup
from dr_rd.referee.portfolio.program import (
    Relaxation,
    Solution,
    best,
    least_loosening,
    relaxation,
    room,
)

_BEARABLE = 1.0
"""A limit that would have to be loosened by more than this share of itself is another project."""

_MOST_PAIRS = 60


class Price(Frozen):
    """What loosening a limit, or leaving out a rule, buys."""

    limits: tuple[str, ...]
    by: Mapping[str, float] = {}
    """By how much each is loosened, in its unit; empty where a rule is left out."""
    points: float
    """What the best portfolio is then worth."""
    gain: float
    """How much more that is."""
    starts: Mapping[str, int] = {}
    """The portfolio."""


class LimitPrice(Frozen):
    """What one limit costs."""

    limit: Limit
    step: Price
    """One step of loosening."""
    least: Price | None
    """The least loosening of this limit alone that buys anything; None if none does."""
    room: float
    """By how much it can fall, alone, before points are lost."""
    dual: float
    """What the relaxation says of one unit: a bound, as packages are whole."""


class Prices(Frozen):
    """What all limits and rules cost."""

    limits: tuple[LimitPrice, ...]
    pairs: tuple[Price, ...]
    """Pairs of limits that buy together, for less, what neither buys alone; cheapest first."""
    step_pairs: tuple[Price, ...]
    """Pairs that buy more by one step of each than both steps buy alone."""
    least: Price | None
    """The least loosening of any limits together, as a sum of shares, that buys anything."""
    rules: tuple[Price, ...]
    """Rules between streams, windows, commitments and the deadline, each left out once."""
    relaxation: Relaxation | None


def prices(setup: Setup, optimum: Solution) -> Prices:
    """Return what each limit and rule costs at the *optimum*."""
    relaxed = relaxation(setup)
    duals = relaxed.per_unit if relaxed else {}
    singles = tuple(
        LimitPrice(
            limit=limit,
            step=_loosened(setup, {limit.id: limit.step}, optimum),
            least=_least(setup, (limit,), optimum),
            room=room(setup, limit, optimum.points),
            dual=duals.get(limit.id, 0.0),
        )
        for limit in setup.limits
    )
    return Prices(
        limits=singles,
        pairs=tuple(_pairs(setup, singles, optimum)),
        least=_least(setup, setup.limits, optimum) if setup.limits else None,
        step_pairs=tuple(_step_pairs(setup, singles, optimum)),
        rules=tuple(_rules(setup, optimum)),
        relaxation=relaxed,
    )


def loosened(setup: Setup, by: Mapping[str, float]) -> Setup:
    """Return the setup with more of some limits."""
    limits = tuple(
        limit.model_copy(update={"at_most": limit.at_most + by.get(limit.id, 0.0)})
        for limit in setup.limits
    )
    return setup.model_copy(update={"limits": limits})


def _loosened(setup: Setup, by: Mapping[str, float], optimum: Solution) -> Price:
    found = best(loosened(setup, by)) or optimum
    return Price(
        limits=tuple(by),
        by=by,
        points=found.points,
        gain=found.points - optimum.points,
        starts=found.starts,
    )


def _least(setup: Setup, limits: Sequence[Limit], optimum: Solution) -> Price | None:
    found = least_loosening(setup, limits, optimum.points)
    if found is None:
        return None
    by = {key: amount * (1 + 1e-9) for key, amount in found.items() if amount > 1e-6}
    if _share(setup, by) > _BEARABLE * len(by):
        return None
    return _loosened(setup, by, optimum)


def _share(setup: Setup, by: Mapping[str, float]) -> float:
    """Return the sum of the shares by which limits are loosened."""
    at_most = {limit.id: limit.at_most for limit in setup.limits}
    return sum(amount / max(at_most[key], 1e-9) for key, amount in by.items())


def _pairs(setup: Setup, singles: Sequence[LimitPrice], optimum: Solution) -> Iterator[Price]:
    alone = {p.limit.id: _share(setup, p.least.by) for p in singles if p.least}
    found = []
    for pair in list(combinations([p.limit for p in singles], 2))[:_MOST_PAIRS]:
        price = _least(setup, pair, optimum)
        cheapest = min((alone[limit.id] for limit in pair if limit.id in alone), default=None)
        if price is None or len(price.by) < len(pair):
            continue
        share = _share(setup, price.by)
        if cheapest is None or share < cheapest:
            found.append((share, price))
    yield from (price for _, price in sorted(found, key=lambda pair: pair[0]))


def _step_pairs(setup: Setup, singles: Sequence[LimitPrice], optimum: Solution) -> Iterator[Price]:
    for one, other in list(combinations(singles, 2))[:_MOST_PAIRS]:
        by = {one.limit.id: one.limit.step, other.limit.id: other.limit.step}
        both = _loosened(setup, by, optimum)
        if both.gain > one.step.gain + other.step.gain + 1e-6:
            yield both


def _rules(setup: Setup, optimum: Solution) -> Iterator[Price]:
    names = [
        *(f"{a.stream} after {a.after}" for a in setup.after if a.lag),
        *(f"{' and '.join(a.streams)} apart" for a in setup.apart),
        *(f"window of {s.id}" for s in setup.streams if s.earliest or s.latest is not None),
        *(f"commitment to {kept}" for kept in setup.keep),
    ]
    for name in names:
        found = best(setup, {name}) or optimum
        yield _rule_price(name, found, optimum)
    longer = setup.model_copy(
        update={
            "periods": (*setup.periods, "one more"),
            "horizon_days": setup.horizon_days + setup.period_days,
        }
    )
    yield _rule_price("deadline", best(longer) or optimum, optimum)


def _rule_price(name: str, found: Solution, optimum: Solution) -> Price:
    return Price(
        limits=(name,),
        points=found.points,
        gain=found.points - optimum.points,
        starts=found.starts,
    )
