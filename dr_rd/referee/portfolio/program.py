"""The portfolio as an integer program: a variable for each start that a workstream may have.

HiGHS solves it (Huangfu and Hall 2018), on one thread, so that the same setup has the same answer.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

import highspy

from core.values import Frozen
from dr_rd.referee.portfolio.position import MONEY, After, Apart, Limit, Setup, Workstream

_EARLIER = 1e-4
"""Points that a start is worth less for each period it is later: ties go to the earliest."""

_CHEAPER = 1e-3
"""Points that the dearest stream is worth less than one that costs nothing, and all others in
proportion: ties go to the cheapest, and what adds nothing stays out."""

_MORE = 0.01
"""Points by which a portfolio must be better to count as better."""

Start = tuple[str, int]
Share = tuple[str, str]
"""A stream and an aim that it serves."""
Row = tuple[dict[int, float], float, str]
"""Coefficients by variable, what their sum is at most, and the limit's name."""


class Solution(Frozen):
    """The best portfolio under some limits."""

    starts: Mapping[str, int]
    points: float


class Relaxation(Frozen):
    """The bound that the program has without whole numbers, with the duals of its limits."""

    points: float
    per_unit: Mapping[str, float]
    """What one unit more of a limit would be worth there, by limit."""


def best(setup: Setup, without: Collection[str] = ()) -> Solution | None:
    """Return the best portfolio, or None if the commitments cannot all be kept.

    *without* names rules and limits that are left out.
    """
    program = _Program(setup, without)
    found = program.solved()
    return program.solution(found) if found else None


def relaxation(setup: Setup) -> Relaxation | None:
    """Return the bound of the linear relaxation; None if not even that can be met."""
    program = _Program(setup, ())
    solver = program.solver(whole=False)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    per_unit: dict[str, float] = {}
    limits = {limit.id for limit in setup.limits}
    duals = solver.getSolution().row_dual
    for (_, _, name), dual in zip(program.rows, duals, strict=True):
        if name in limits:
            per_unit[name] = per_unit.get(name, 0.0) + abs(dual)
    return Relaxation(points=-solver.getObjectiveValue(), per_unit=per_unit)


def room(setup: Setup, limit: Limit, points: float) -> float:
    """Return by how much *limit* can fall before a portfolio of so many *points* is out of reach."""
    program = _Program(setup, (), loose=(limit,), above=points - 2 * _MORE, lowest=-limit.at_most)
    found = program.solved()
    return max(0.0, -found[program.slack(limit)]) if found else 0.0


def least_loosening(
    setup: Setup, limits: Sequence[Limit], above: float
) -> Mapping[str, float] | None:
    """Return the least by which *limits* are loosened, as shares of them, for more than *above*.

    Together they are loosened so that the sum of the shares is least; None if no loosening of
    those alone makes the portfolio better.
    """
    program = _Program(setup, (), loose=limits, above=above)
    found = program.solved()
    if not found:
        return None
    return {limit.id: found[program.slack(limit)] for limit in limits}


class _Program:
    def __init__(
        self,
        setup: Setup,
        without: Collection[str],
        loose: Sequence[Limit] = (),
        above: float | None = None,
        lowest: float = 0.0,
    ) -> None:
        self.lowest = lowest
        self.setup, self.without, self.loose, self.above = setup, without, loose, above
        self.starts: list[Start] = [
            (stream.id, at) for stream in setup.streams for at in self._may_start(stream)
        ]
        self._of: dict[str, list[int]] = {stream.id: [] for stream in setup.streams}
        for place, (stream_id, _) in enumerate(self.starts):
            self._of[stream_id].append(place)
        self.shares: list[Share] = [(s.id, aim) for s in setup.streams for aim in s.aims]
        self._dearest = max((self._money(s) for s in setup.streams), default=0.0) or 1.0
        self.rows = [
            *self._one_start(),
            *self._counted_once(),
            *self._amounts(),
            *self._between(),
            *self._better(),
        ]

    def slack(self, limit: Limit) -> int:
        """Return the place of the variable that loosens *limit*."""
        return len(self.starts) + [loose.id for loose in self.loose].index(limit.id)

    def solver(self, *, whole: bool) -> highspy.Highs:
        """Return the solver with the program in it."""
        solver = highspy.Highs()
        for option, value in (("output_flag", False), ("threads", 1), ("mip_rel_gap", 0.0)):
            solver.setOptionValue(option, value)
        first, past = len(self.starts), len(self.starts) + len(self.loose)
        for place, cost in enumerate(self._costs()):
            loose = first <= place < past
            low, high = (self.lowest, highspy.kHighsInf) if loose else (0.0, 1.0)
            solver.addCol(cost, low, high, 0, [], [])
            if whole and place < first:  # which stream an aim counts for is whole by itself
                solver.changeColIntegrality(place, highspy.HighsVarType.kInteger)
        for coefficients, most, _ in self.rows:
            places, values = list(coefficients), list(coefficients.values())
            solver.addRow(-highspy.kHighsInf, most, len(places), places, values)
        return solver

    def solved(self) -> list[float]:
        """Return the values of the variables, none if nothing fits."""
        solver = self.solver(whole=True)
        solver.run()
        if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return []
        return list(solver.getSolution().col_value)

    def solution(self, values: Sequence[float]) -> Solution:
        """Return the portfolio that the variables stand for."""
        chosen = {s: at for (s, at), v in zip(self.starts, values, strict=False) if v > 0.5}
        return Solution(starts=chosen, points=self.setup.worth(chosen))

    def _costs(self) -> Iterator[float]:
        """Yield what a unit of each variable costs: of starts, of loosening, of aims."""
        for start in self.starts:
            yield self._late(start) - (0.0 if self.above is not None else self._own(start[0]))
        for limit in self.loose:
            yield 0.0 if self.above is None else 1 / max(limit.at_most, 1e-9)
        for share in self.shares:
            yield 0.0 if self.above is not None else -self._points(share)

    def _late(self, start: Start) -> float:
        """Return what parts portfolios of the same points, far less than any point."""
        if self.above is not None:
            return _EARLIER * _EARLIER
        stream = self.setup.stream(start[0])
        return _EARLIER * (start[1] + 1) + _CHEAPER * self._money(stream) / self._dearest

    def _own(self, stream_id: str) -> float:
        """Return the points that a stream has whatever else is granted."""
        stream = self.setup.stream(stream_id)
        return 0.0 if stream.aims else stream.points

    def _points(self, share: Share) -> float:
        return self.setup.stream(share[0]).aims[share[1]]

    def _money(self, stream: Workstream) -> float:
        return sum(stream.use.get(MONEY, ()))

    def _counted_once(self) -> Iterator[Row]:
        """Let an aim count for a stream that is granted, and for one alone."""
        first = len(self.starts) + len(self.loose)
        of: dict[str, dict[int, float]] = {}
        for place, (stream_id, aim) in enumerate(self.shares, first):
            of.setdefault(aim, {})[place] = 1.0
            yield {place: 1.0, **dict.fromkeys(self._of[stream_id], -1.0)}, 0.0, f"aim {aim}"
        for aim, row in of.items():
            yield row, 1.0, f"aim {aim} once"

    def _may_start(self, stream: Workstream) -> Iterator[int]:
        setup = self.setup
        held = f"window of {stream.id}" not in self.without
        last = len(setup.periods) - 1 if stream.latest is None else stream.latest
        for at in range(len(setup.periods)):
            inside = not held or stream.earliest <= at <= last
            if inside and at * setup.period_days + stream.days <= setup.horizon_days + 1e-6:
                yield at

    def _one_start(self) -> Iterator[Row]:
        for stream in self.setup.streams:
            name = f"commitment to {stream.id}"
            yield dict.fromkeys(self._of[stream.id], 1.0), 1.0, f"one start of {stream.id}"
            if stream.id in self.setup.keep and name not in self.without:
                yield dict.fromkeys(self._of[stream.id], -1.0), -1.0, name

    def _amounts(self) -> Iterator[Row]:
        for limit in self.setup.limits:
            if limit.id in self.without:
                continue
            periods = range(len(self.setup.periods)) if limit.per == "period" else (None,)
            for period in periods:
                row = {
                    n: v for n, s in enumerate(self.starts) if (v := self._use(limit, s, period))
                }
                if row:
                    extra = {self.slack(limit): -1.0} if limit in self.loose else {}
                    yield {**row, **extra}, limit.at_most, limit.id

    def _use(self, limit: Limit, start: Start, period: int | None) -> float:
        stream = self.setup.stream(start[0])
        if period is None:
            return sum(stream.use.get(limit.resource, ()))
        return self.setup.use_in(limit.resource, stream, start[1], period)

    def _between(self) -> Iterator[Row]:
        for after in self.setup.after:
            if f"{after.stream} after {after.after}" not in self.without:
                yield from self._after(after)
        for apart in self.setup.apart:
            if f"{' and '.join(apart.streams)} apart" not in self.without:
                yield from self._apart(apart)

    def _after(self, rule: After) -> Iterator[Row]:
        name = f"{rule.stream} after {rule.after}"
        for period in range(len(self.setup.periods)):
            row = {n: 1.0 for n in self._of[rule.stream] if self.starts[n][1] <= period}
            first = period - rule.lag
            row |= {n: -1.0 for n in self._of[rule.after] if self.starts[n][1] <= first}
            yield row, 0.0, name

    def _apart(self, rule: Apart) -> Iterator[Row]:
        name = f"{' and '.join(rule.streams)} apart"
        if rule.when == "ever":
            yield {n: 1.0 for s in rule.streams for n in self._of[s]}, 1.0, name
            return
        for period in range(len(self.setup.periods)):
            running = {
                n: 1.0
                for s in rule.streams
                for n in self._of[s]
                if period in self.setup.covers(self.setup.stream(s), self.starts[n][1])
            }
            yield running, 1.0, name

    def _better(self) -> Iterator[Row]:
        if self.above is not None:
            first = len(self.starts) + len(self.loose)
            row = {n: -self._own(s) for n, (s, _) in enumerate(self.starts)}
            row |= {n: -self._points(share) for n, share in enumerate(self.shares, first)}
            yield row, -(self.above + _MORE), "better"
