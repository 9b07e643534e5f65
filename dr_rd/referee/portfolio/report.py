"""The result of a portfolio as it is written: what to grant, what each limit costs, what to ask."""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor
from typing import Any

from core.modes.referee.state import Played
from core.pluralize import joined, pluralize
from dr_rd.files import read_text
from dr_rd.plain import plain_values
from dr_rd.referee.offer import Report
from dr_rd.referee.portfolio.facts import PortfolioFacts, find_facts
from dr_rd.referee.portfolio.limits import breaks, quantity, used
from dr_rd.referee.portfolio.position import MONEY, Limit, Position, Setup, Workstream
from dr_rd.referee.portfolio.price import Price
from dr_rd.templates import fill

_SAME = 0.005
"""Share of its money by which two streams cost the same."""


def report(position: Position, played: Played) -> Report:
    """Return the report on a portfolio in which every stream has had its turn."""
    facts = find_facts(position, played)
    values = plain_values(_values(facts, played))
    text = fill(read_text("referee", "portfolio.md.j2"), values)
    return Report(text=text, finding=values["finding"], facts=facts.model_dump(mode="json"))


def _values(facts: PortfolioFacts, played: Played) -> dict[str, Any]:
    setup, optimum = facts.setup, facts.optimum
    told = _Told(facts)
    return {
        "finding": told.finding(),
        "asked": list(told.asked()),
        "streams": [_stream_row(facts, stream) for stream in setup.streams],
        "limits": [_limit_row(facts, limit) for limit in setup.limits],
        "moves": [m for m in _moves(played)],
        "refused": facts.refused,
        "forced": facts.forced,
        "played": _named(setup, facts.starts),
        "played_points": facts.points,
        "optimum": _named(setup, optimum.starts) if optimum else "",
        "optimum_points": optimum.points if optimum else None,
        "regret": facts.regret,
        "lost": told.lost(),
        "orders": told.orders(),
        "prices": list(told.prices()),
        "pairs": list(told.pairs()),
        "rules": list(told.rules()),
        "bound": told.bound(),
        "flips": list(told.flips()),
        "not_admitted": [e.model_dump() for e in setup.not_admitted],
        "notes": setup.notes,
        "noun": setup.noun.capitalize(),
        "all_in": optimum is not None and not told.kept_out,
        "horizon": f"{setup.horizon_days:,.0f} working days ({setup.horizon_from})",
        "currency": setup.currency,
        "order_from": setup.order_from,
        "period_days": f"{setup.period_days:g}",
        "span": f"{setup.periods[0]} to {setup.periods[-1]}",
    }


def _moves(played: Played) -> Iterator[dict[str, str]]:
    """Yield a row for each line of the log: who bid what, and what the referee said."""
    for message in played.log:
        if "refused" in message.marks:
            _, _, why = message.text.partition(": ")
            player = message.text.partition(" was refused")[0]
            yield {"who": player, "what": "refused", "why": why or "the bid could not be read"}
        else:
            forced = "forced" in message.marks
            by = "the referee moves for it" if forced else ""
            if "person" in message.marks:
                by = "a person's bid"
            yield {"who": message.author, "what": message.text, "why": by}


def _named(setup: Setup, starts: Mapping[str, int]) -> str:
    ordered = [s.id for s in setup.streams if s.id in starts]
    return ", ".join(f"{s} {setup.periods[starts[s]]}" for s in ordered) or "nothing"


def _stream_row(facts: PortfolioFacts, stream: Workstream) -> dict[str, str]:
    setup = facts.setup
    money = _money(stream)
    starts = facts.optimum.starts if facts.optimum else {}
    names = setup.periods
    return {
        "id": stream.id,
        "title": stream.title,
        "points": f"{stream.points:g}",
        "days": f"{stream.days:,.0f}",
        "money": quantity(money, setup.currency),
        "bid": names[facts.starts[stream.id]] if stream.id in facts.starts else "–",
        "best": names[starts[stream.id]] if stream.id in starts else "–",
    }


def _limit_row(facts: PortfolioFacts, limit: Limit) -> dict[str, str]:
    starts = facts.optimum.starts if facts.optimum else facts.starts
    taken = used(facts.setup, starts, limit.resource)
    amount = sum(taken) if limit.per == "total" else max(taken, default=0.0)
    return {
        "id": limit.id,
        "at_most": quantity(limit.at_most, limit.unit),
        "used": quantity(amount, limit.unit),
        "source": limit.source,
    }


class _Told:
    """The sentences of a result."""

    def __init__(self, facts: PortfolioFacts) -> None:
        self.facts, self.setup = facts, facts.setup
        self.limits = {limit.id: limit for limit in facts.setup.limits}
        self.worth = [s for s in facts.setup.streams if s.points]

    @property
    def idle(self) -> list[str]:
        """The streams that would add nothing to the best portfolio, as all they serve is served."""
        optimum = self.facts.optimum
        return [
            s.id
            for s in self.worth
            if optimum and s.id not in optimum.starts and self.setup.idle(optimum.starts, s.id)
        ]

    @property
    def _alike(self) -> list[str]:
        """The idle streams that would do as well as one that is granted."""
        return [s for s in self.idle if self._twin(s)]

    @property
    def kept_out(self) -> list[str]:
        """The streams that would add points to the best portfolio, were there more of a limit."""
        optimum, idle = self.facts.optimum, self.idle
        starts = optimum.starts if optimum else {}
        return [s.id for s in self.worth if s.id not in starts and s.id not in idle]

    def finding(self) -> str:
        optimum = self.facts.optimum
        if optimum is None:
            kept = ", ".join(self.setup.keep)
            return f"The commitments to {kept} cannot all be kept: {self._why()}."
        chosen = [s.id for s in self.worth if s.id in optimum.starts]
        left, idle, alike = self.kept_out, self.idle, list[str]()
        if not chosen:
            return f"No {self.setup.noun} fits: {self._why()}."
        if idle and not left:
            alike = self._alike if len(chosen) == 1 else []
            either = " or ".join(sorted([*chosen, *alike])) if alike else joined(chosen)
            said = f"Grant {either}, {self._use()}"
            if alike:
                said += ": their points and money are the same, so nothing here sets them apart"
        elif not left:
            fit = "fit" if len(self.worth) > 1 else "fits"
            said = f"{self._all()} {fit}, {self._use()}"
        elif self._only_assumed(left):
            fit, offer = "fits" if len(chosen) == 1 else "fit", self._offer()
            said = (
                f"No limit that anybody set keeps a {self.setup.noun} out; with the "
                f"{self._assumed_what()} assumed here {joined(chosen)} {fit}, {self._use()}"
                + (f", and {offer}" if offer else "")
            )
        else:
            said = (
                f"The limits carry {joined(chosen)}, {self._use()}, and leave out {joined(left)}"
            )
            offer = self._offer()
            said += f"; {offer}" if offer else ""
            said += self._assumption(left)
        said += self._beside(chosen) + self._rivals([s for s in idle if s not in alike])
        if self.facts.regret:
            said += (
                f". Bidding in turn came to {self.facts.regret:g} points less: "
                f"{_named(self.setup, self.facts.starts)}"
            )
        return f"{said}."

    def _beside(self, chosen: Sequence[str]) -> str:
        """Say of each rival design that is granted beside a better one what it adds, for what."""
        rivals = [stream for s in chosen if (stream := self.setup.stream(s)).aims]
        first = max(rivals, key=lambda stream: stream.points, default=None)
        return "".join(
            f"; beside {first.id}, {stream.id} adds {self.setup.adds(chosen, stream.id):g} points "
            f"for {quantity(_money(stream), self.setup.currency)} of its own"
            for stream in rivals
            if first and stream is not first
        )

    def _rivals(self, idle: Sequence[str]) -> str:
        """Say of streams that add nothing which would do as well, and how far the others are behind."""
        alike = [s for s in idle if self._twin(s)]
        said = (
            f"; {joined(alike)} would do as well, for the same points and money" if alike else ""
        )
        return said + "".join(f"; {s}{self._behind(s)}" for s in idle if s not in alike)

    def _behind(self, stream_id: str) -> str:
        """Say why a rival design is not granted: a limit that it breaks alone, or its points."""
        setup, stream, optimum = self.setup, self.setup.stream(stream_id), self.facts.optimum
        common = {
            s: at for s, at in (optimum.starts if optimum else {}).items() if not self._counts(s)
        }
        broken = [breaks(setup, common, stream, at) for at in range(len(setup.periods))]
        if all(broken):
            least = min(broken, key=lambda found: (len(found), sum(b.over for b in found)))
            return f" would not fit even alone: {'; '.join(b.text for b in least)}"
        rivals = [setup.stream(s) for s in (optimum.starts if optimum else ()) if self._counts(s)]
        first = max((s for s in rivals if s.aims), key=lambda s: s.points)
        if len(rivals) > 1:
            return " is a rival design of what is granted and would add no point beside it"
        behind = round(first.points - stream.points, 2)
        if not behind:
            money = quantity(_money(stream), setup.currency)
            return f", a rival design, has as many points, for {money} of its own"
        why = f" ({stream.why})" if stream.why else ""
        return f", a rival design, is {pluralize(behind, 'point')} behind{why}"

    def _counts(self, stream_id: str) -> bool:
        """Whether a stream is worth something by itself."""
        return self.setup.stream(stream_id).points > 0

    def _twin(self, stream_id: str) -> str:
        """Return the granted stream of the same points, aims and money; "" if there is none."""
        optimum, stream = self.facts.optimum, self.setup.stream(stream_id)
        granted = [self.setup.stream(s) for s in (optimum.starts if optimum else ())]
        same = (
            other.id
            for other in granted
            if other.aims
            and (other.points, dict(other.aims)) == (stream.points, dict(stream.aims))
            and abs(_money(other) - _money(stream)) <= _SAME * _money(other)
        )
        return next(same, "")

    def _all(self) -> str:
        count = pluralize(len(self.worth), self.setup.noun)
        if len(self.worth) > 1:
            return f"All {count}"
        return f"{self.worth[0].id} is the only {self.setup.noun} that may bid, and it"

    def _use(self) -> str:
        """Say what the best portfolio costs, and of how much."""
        spent, optimum = 0.0, self.facts.optimum
        for stream in optimum.starts if optimum else ():
            spent += _money(self.setup.stream(stream))
        totals = [x for x in self.setup.limits if x.resource == MONEY and x.per == "total"]
        of = f" of {quantity(totals[0].at_most, totals[0].unit)}" if totals else ""
        shown = quantity(spent, "" if of else self.setup.currency)
        return f"for {shown}{of}"

    def _assumption(self, left: Sequence[str]) -> str:
        """Say where nothing that anybody set, but only an assumption, keeps something out."""
        free = self.facts.unassumed
        if free is None:
            return ""
        new = [s for s in left if s in free.starts]
        if not new:
            return ""
        return f". Only the {self._assumed_what()} assumed here keep {joined(new)} out"

    def _only_assumed(self, left: Sequence[str]) -> bool:
        free = self.facts.unassumed
        return free is not None and all(stream in free.starts for stream in left)

    def _assumed_what(self) -> str:
        people = any(limit.assumed for limit in self.setup.limits)
        return " and ".join(["people"] * people + ["end"] * self.setup.horizon_assumed)

    def _why(self) -> str:
        """Say what keeps the first stream of worth, or commitment, from every start."""
        ids = [*self.setup.keep, *(s.id for s in self.worth)]
        stream = self.setup.stream(ids[0])
        rest = {s.id: 0 for s in self.setup.streams if not s.points}
        tried = [
            broken
            for start in range(len(self.setup.periods))
            if (broken := breaks(self.setup, rest, stream, start))
        ]
        least = min(tried, key=lambda found: (len(found), sum(b.over for b in found)), default=())
        return f"{stream.id}: " + "; ".join(broken.text for broken in least)

    def _offer(self) -> str:
        """Say what the cheapest loosening of limits buys."""
        price = self._cheapest()
        if price is None:
            return ""
        return f"{self._more(price)} would carry {self._gained(price)} (+{price.gain:g} points)"

    def _cheapest(self) -> Price | None:
        found = self.facts.prices
        return found.least if found and found.least and found.least.gain > 0 else None

    def _more(self, price: Price) -> str:
        return joined([self._amount(key, by) for key, by in price.by.items()])

    def _amount(self, limit_id: str, by: float) -> str:
        """Write an amount of loosening, such as "4,182 GBP more in all"."""
        limit = self.limits[limit_id]
        size = _up(by, limit.unit)
        if limit.resource == MONEY:
            return f"{quantity(size, limit.unit)} more {limit.id.removeprefix(MONEY).strip()}"
        return f"{quantity(size, '').strip() if size % 1 == 0 else f'{size:,.1f}'} more {limit.id}"

    def _gained(self, price: Price) -> str:
        optimum = self.facts.optimum
        held = optimum.starts if optimum else {}
        new = [s for s in price.starts if s not in held]
        gone = [s for s in held if s not in price.starts]
        return joined(new) + (f" in place of {joined(gone)}" if gone else "")

    def asked(self) -> Iterator[str]:
        """Yield what the analyst is asked."""
        yield from self._asked_for_more()
        if alike := self._alike:
            even = joined(sorted({*alike, *map(self._twin, alike)}))
            yield (
                f"What sets {even} apart? Points and money are the same; a price, a length or "
                "points of your own in a scenario settle it."
            )
        yield from self._asked_of_the_next()
        yield from self._asked_of_a_second()
        money = [limit for limit in self.setup.limits if limit.resource == MONEY]
        if not money and self.facts.optimum and self.facts.optimum.starts:
            cost = self._use().removeprefix("for ")
            yield f"What may it cost? Nobody says; the best portfolio costs {cost}."
        longer = [p for p in self._rule_prices() if p.limits == ("deadline",) and p.gain > 0]
        if self.setup.horizon_assumed and longer:
            yield (
                "By when must all be done? Nobody says; one period more would be worth "
                f"{longer[0].gain:g} points."
            )
        for flip in sorted(self.facts.flips, key=lambda f: f.from_points - f.points)[:1]:
            place = f" in place of {joined(flip.instead_of)}" if flip.instead_of else ""
            yield (
                f"Are the points yours? {flip.stream} is in the best portfolio{place} from more "
                f"than {flip.from_points:g} points; it has {flip.points:g}."
            )

    def _asked_of_the_next(self) -> Iterator[str]:
        """Yield whether what puts the nearest rival of the same money behind is right."""
        optimum = self.facts.optimum
        rivals = [
            self.setup.stream(s) for s in (optimum.starts if optimum else ()) if self._counts(s)
        ]
        if len(rivals) != 1 or not rivals[0].aims:
            return
        (first,) = rivals
        near = [
            stream
            for stream in map(self.setup.stream, self.idle)
            if stream.why
            and stream.points < first.points
            and abs(_money(stream) - _money(first)) <= _SAME * _money(first)
        ]
        if near:
            stream = max(near, key=lambda s: s.points)
            yield (
                f"Is {stream.id} rightly behind {first.id}? It costs the same, and what puts it "
                f"{first.points - stream.points:g} points behind is this: {stream.why}."
            )

    def _asked_of_a_second(self) -> Iterator[str]:
        """Yield whether the first of several rivals could serve what another is granted for."""
        granted = self.facts.optimum.starts if self.facts.optimum else {}
        rivals = [stream for s in granted if (stream := self.setup.stream(s)).aims]
        first = max(rivals, key=lambda stream: stream.points, default=None)
        for stream in rivals:
            if first is None or stream is first:
                continue
            new = [a for a, points in stream.aims.items() if points > first.aims.get(a, 0.0)]
            money = quantity(_money(stream), self.setup.currency)
            yield (
                f"Could {first.id} serve {joined(new)} as well? That is all that {stream.id} adds "
                f"beside it, {self.setup.adds(granted, stream.id):g} points; if so, {money} stay "
                "unspent."
            )

    def _asked_for_more(self) -> Iterator[str]:
        price = self._cheapest()
        if price is None:
            return
        assumed = [self.limits[key] for key in price.by if self.limits[key].assumed]
        if len(assumed) < len(price.by):
            plural = len(price.by) > 1 or self.limits[next(iter(price.by))].resource != MONEY
            yield (
                f"{'Are' if plural else 'Is'} {self._more(price)} to be had? "
                f"It would carry {self._gained(price)}."
            )
            return
        pools = joined([limit.resource for limit in assumed])
        yield (
            f"How many people are there: {pools}? The limit is assumed; {self._more(price)} would "
            f"carry {self._gained(price)}."
        )

    def _rule_prices(self) -> Sequence[Price]:
        return self.facts.prices.rules if self.facts.prices else ()

    def lost(self) -> str:
        lost = self.facts.lost
        if lost is None or not self.facts.regret:
            return ""  # another portfolio of the same points loses nothing
        who = f"the referee's move for {lost.player}" if lost.forced else f"{lost.player}'s bid"
        return (
            f"Lost at {who}, {lost.action}: without it {lost.kept_out}, which is in the "
            "optimum, would have a start."
        )

    def orders(self) -> str:
        orders = self.facts.orders
        if orders.played < 2 or not self.facts.optimum:
            return ""
        if set(orders.regrets) == {"0"}:
            return f"In none of {orders.played} orders of bidding do the bidders lose anything."
        each = ", ".join(f"{regret} in {count}" for regret, count in orders.regrets.items())
        return (
            f"Over {orders.played} orders of bidding the regret is {each}; mean {orders.mean:g}: "
            "the order alone costs that."
        )

    def prices(self) -> Iterator[dict[str, str]]:
        found = self.facts.prices
        for price in found.limits if found else ():
            limit, least = price.limit, price.least
            buys = least is not None and least.gain > 0
            yield {
                "id": limit.id,
                "at_most": quantity(limit.at_most, limit.unit),
                "step": quantity(limit.step, limit.unit),
                "room": quantity(_down(price.room, limit.unit), limit.unit),
                "gain": f"{price.step.gain:+g}" if price.step.gain else "0",
                "least": self._amount_alone(limit, least) if least and buys else "never, alone",
                "buys": f"{self._gained(least)} (+{least.gain:g})" if least and buys else "",
                "dual": f"{price.dual * limit.step:.3g}"
                if price.dual * limit.step >= 0.01
                else "0",
            }

    def _amount_alone(self, limit: Limit, price: Price) -> str:
        more = _up(price.by.get(limit.id, 0.0), limit.unit)
        return f"{quantity(more, limit.unit)} more"

    def pairs(self) -> Iterator[str]:
        found = self.facts.prices
        if not found:
            return
        for price in found.pairs[:3]:
            both = " with ".join(self._amount(key, by) for key, by in price.by.items())
            yield f"{both} would carry {self._gained(price)} (+{price.gain:g}); neither does alone for less."
        for price in found.step_pairs[:3]:
            yield (
                f"One step of {' and one of '.join(price.limits)} together are worth "
                f"{price.gain:g} points, more than both alone."
            )
        if found.least and len(found.least.by) > 2:
            every = joined([self._amount(key, by) for key, by in found.least.by.items()])
            yield f"No pair is enough: it takes {every} together for {self._gained(found.least)}."

    def rules(self) -> Iterator[str]:
        for price in self._rule_prices():
            (name,) = price.limits
            what = "one period more" if name == "deadline" else f"without “{name}”"
            worth = f"{price.gain:+g} points" if price.gain else "nothing"
            yield f"{what[0].upper()}{what[1:]}: {worth}."

    def bound(self) -> str:
        found = self.facts.prices
        if not found or not found.relaxation or not self.setup.limits:
            return ""
        return (
            f"If workstreams could be granted in parts, {found.relaxation.points:.1f} points would "
            "be reached; the duals are taken there, and as packages are whole they only bound what "
            "a step can be worth."
        )

    def flips(self) -> Iterator[str]:
        for flip in self.facts.flips:
            place = f" in place of {joined(flip.instead_of)}" if flip.instead_of else ""
            yield (
                f"{flip.stream} ({flip.points:g} points) would be in the best portfolio{place} from "
                f"more than {flip.from_points:g}."
            )


def _money(stream: Workstream) -> float:
    return sum(stream.use.get(MONEY, ()))


def _up(amount: float, unit: str) -> float:
    """Round an amount up to what is asked for: whole money, a tenth of a day."""
    scale = 10.0 if unit == "days" else 1.0
    return ceil(amount * scale - 1e-4) / scale


def _down(amount: float, unit: str) -> float:
    """Round down what can be done without: whole money, a tenth of a day."""
    scale = 10.0 if unit == "days" else 1.0
    return floor(amount * scale + 1e-4) / scale
