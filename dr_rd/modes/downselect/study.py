"""How firm a down-select is: the same game over many seeds, without a voter, without a fact."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain

from core.clock import RandomFor, seeded
from core.modes.downselect.counts import borda, dropped
from core.modes.downselect.play import rotated, speaking_order
from core.values import Frozen
from dr_rd.modes.downselect.panel import Fact, Panel, Voter, balanced, graded

SEEDS = 200
"""Seeds of a headline figure."""
_FEWER = 40
"""Seeds of one of many questions."""
_LOOSE = 30.0
"""How firmly drawn weights keep to a voter's own: the Dirichlet's parameter is this times each."""
_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)
"""Further shares of weight that are tried."""
_CLEAR = 0.75
"""Share of games from which another option is said to be kept; of forty even games one in a
thousand draws so many."""
_GAINED = 0.4
"""By which share of games it must be kept more often than before."""

Kept = tuple[str, ...]
"""What remains, in the order of ids."""
Fixed = Mapping[str, Sequence[str]]
"""Whom a person votes against, in order; by the person's id."""


class Played(Frozen):
    """One simulated game."""

    kept: Kept
    out: tuple[str, ...]
    """What went, in the order of going."""
    by_chance: bool
    """Whether anything in it was drawn: if not, every seed's game is this one."""


class Firmness(Frozen):
    """How often each set remains."""

    question: str
    counts: Mapping[str, int]
    """By what is kept, ids joined by " + "."""
    of: int

    @property
    def usual(self) -> str:
        """What remains most often."""
        return max(sorted(self.counts), key=lambda k: self.counts[k])

    def share(self, kept: str) -> float:
        """Return in which share of the games that is what remains."""
        return self.counts.get(kept, 0) / self.of


def simulated(
    panel: Panel,
    seed: int,
    *,
    keep: int,
    messages: int,
    told: Sequence[str] = (),
    mute: Sequence[str] = (),
    fixed: Fixed | None = None,
) -> Played:
    """Play the game of built-in voters by the rules of the engine, in a third of a millisecond.

    Args:
        panel: Who weighs what.
        seed: The run's seed.
        keep: How many options remain.
        messages: The most messages of a round.
        told: Facts that are known to all from the start.
        mute: Voters who neither speak nor vote.
        fixed: People's ballots.

    """
    chance, people = seeded(seed), fixed or {}
    voters = [v for v in panel.voters if v not in mute]
    left, known, out, number = sorted(panel.options), list(told), list[str](), 0
    by_chance = False
    while len(left) > keep:
        number += 1
        known, ordered = _discussed(
            panel, chance, number, [*voters, *people], left, known, messages
        )
        scores = {v: panel.scores(v, known, left) for v in voters}
        tied = {v for v in voters if len(set(graded(scores[v]).values())) < len(left)}
        ranks = {
            v: panel.ranking(
                scores[v], panel.whims(v, chance) if v in tied else dict.fromkeys(left, 0)
            )
            for v in voters
        }
        against = [r[-1] for r in ranks.values()]
        against += [t for p in people.values() if (t := next((o for o in p if o in left), ""))]
        gone, rule = dropped(Counter(against), borda(ranks.values(), left), left, chance, number)
        by_chance |= ordered or bool(tied) or rule == "drawn by the seed"
        left.remove(gone)
        out.append(gone)
    return Played(kept=tuple(left), out=tuple(out), by_chance=by_chance)


def _discussed(
    panel: Panel,
    chance: RandomFor,
    number: int,
    seats: Sequence[str],
    left: Sequence[str],
    known: Sequence[str],
    messages: int,
) -> tuple[list[str], bool]:
    """Return what is known after a round's talk, and whether that hangs on the order of speaking.

    Where nobody has more than one thing to say and all of it finds room, it does not.
    """
    unsaid = [panel.separating_unsaid(v, known, left) for v in seats if v in panel.voters]
    if max(map(len, unsaid), default=0) <= 1 and sum(map(len, unsaid)) <= messages:
        return [*known, *chain(*unsaid)], False
    order, told = speaking_order(chance, number, seats), list(known)
    pending, said = list(order), 0
    while pending and said < messages:
        voter = pending.pop(0)
        key = panel.unsaid(voter, told, left) if voter in panel.voters else ""
        if key:
            told.append(key)
            said += 1
            pending = list(rotated(order, voter))
    return told, True


class Study:
    """Questions to one down-select.

    Args:
        panel: Who weighs what.
        keep: How many options remain.
        messages: The most messages of a round.
        people: People's ballots, which stay as they were cast.

    """

    def __init__(self, panel: Panel, *, keep: int, messages: int, people: Fixed) -> None:
        self._panel, self._keep, self._messages, self._people = panel, keep, messages, people

    def over_seeds(self) -> Firmness:
        """Ask what remains over the seeds: labels, order and draws differ, weights do not."""
        return self._asked("seeds alone", self._panel)

    def over_weights(self) -> Firmness:
        """Ask what remains if every voter's weights are drawn anew around its own."""
        drawn = [self._game(_jittered(self._panel, seed), seed) for seed in range(SEEDS)]
        return _counted("weights drawn anew", drawn)

    def without_vote(self, voter: str) -> Firmness:
        """Ask what remains if one voter does not vote, and its facts are said all the same."""
        held = self._panel.held.get(voter, ())
        return self._asked(f"without the vote of {voter}", self._panel, told=held, mute=(voter,))

    def without(self, voter: str) -> Firmness:
        """Ask what remains if one voter is not there, and nobody brings its facts."""
        return self._asked(f"without {voter} and its facts", self._panel, mute=(voter,))

    def overturned(self, kept: str) -> Iterator[tuple[str, str, Firmness]]:
        """Yield each fact against one option that keeps another than *kept* if it does not hold."""
        for key, criterion in self._panel.criteria.items():
            best = max(f.value for f in criterion.facts.values())
            for option, fact in criterion.facts.items():
                if fact.value < best:
                    better = fact.model_copy(update={"value": best})
                    found = self._few(_with_fact(self._panel, key, option, better))
                    if self._flips(found, kept):
                        yield key, option, found

    def weighed_more(self, kept: str) -> Iterator[tuple[str, float, Firmness]]:
        """Yield for each criterion the least further share of weight that keeps another."""
        for key in self._panel.criteria:
            for share in _SHARES:
                found = self._few(_weighed(self._panel, key, share))
                if self._flips(found, kept):
                    yield key, share, found
                    break

    def _flips(self, found: Firmness, kept: str) -> bool:
        """Whether another set than *kept* remains clearly, and clearly more often than it did.

        Where ballots tie, what remains most often is a draw; a draw that falls the other way is
        no flip.
        """
        now, before = found.share(found.usual), self._usual.share(found.usual)
        return found.usual != kept and now >= _CLEAR and now - before >= _GAINED

    @cached_property
    def _usual(self) -> Firmness:
        return self._few(self._panel)

    def _few(self, panel: Panel) -> Firmness:
        return self._asked("", panel, seeds=_FEWER)

    def _asked(
        self,
        question: str,
        panel: Panel,
        *,
        told: Sequence[str] = (),
        mute: Sequence[str] = (),
        seeds: int = SEEDS,
    ) -> Firmness:
        """Count what remains over so many seeds; one game will do where nothing is drawn in it."""
        first = self._game(panel, 0, told=told, mute=mute)
        if not first.by_chance:
            return _counted(question, [first] * seeds)
        others = (self._game(panel, seed, told=told, mute=mute) for seed in range(1, seeds))
        return _counted(question, [first, *others])

    def _game(
        self, panel: Panel, seed: int, *, told: Sequence[str] = (), mute: Sequence[str] = ()
    ) -> Played:
        return simulated(
            panel,
            seed,
            keep=self._keep,
            messages=self._messages,
            told=told,
            mute=mute,
            fixed={p: b for p, b in self._people.items() if p not in mute},
        )


def _counted(question: str, games: Sequence[Played]) -> Firmness:
    counts = Counter(" + ".join(game.kept) for game in games)
    return Firmness(question=question, counts=dict(counts.most_common()), of=len(games))


def _with_fact(panel: Panel, key: str, option: str, fact: Fact) -> Panel:
    criterion = panel.criteria[key]
    facts = {**criterion.facts, option: fact}
    moved = criterion.model_copy(update={"facts": facts})
    return Panel(
        options=panel.options, criteria={**panel.criteria, key: moved}, voters=panel.voters
    )


def _reweighed(panel: Panel, weights: Callable[[Voter], Mapping[str, float]]) -> Panel:
    voters = {
        v.id: v.model_copy(update={"weights": balanced(weights(v), list(panel.criteria))})
        for v in panel.voters.values()
    }
    return Panel(options=panel.options, criteria=panel.criteria, voters=voters)


def _weighed(panel: Panel, key: str, share: float) -> Panel:
    """Return the panel with all voters giving *key* a further share of their weight."""
    return _reweighed(
        panel,
        lambda v: {
            k: w * (1 - share) + (share if k == key else 0.0)
            for k, w in {**dict.fromkeys(panel.criteria, 0.0), **v.weights}.items()
        },
    )


def _jittered(panel: Panel, seed: int) -> Panel:
    """Return the panel with weights drawn from a Dirichlet around each voter's own."""
    chance: random.Random = seeded(seed)("weights")
    return _reweighed(
        panel,
        lambda v: {
            k: chance.gammavariate(_LOOSE * w, 1.0) if w else 0.0 for k, w in v.weights.items()
        },
    )
