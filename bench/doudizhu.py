"""Dou Dizhu: how strong the built-in player is, and whether the rules agree with themselves.

`python -m bench.doudizhu` prints the report; `--write` saves it as results/doudizhu.md, and
`--deals`, `--hands` and `--games` say how many. `--fit` prints what the auction's odds are fitted
to instead. Everything is seeded.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import astuple, dataclass
from itertools import product
from pathlib import Path
from random import Random
from resource import RUSAGE_CHILDREN, getrusage
from typing import TypeVar

import numpy as np

from core.clock import seeded
from core.rules import Move
from dr_rd.evaluation.agreement import wilson
from dr_rd.referee.doudizhu import RULES
from dr_rd.referee.doudizhu.cards import ACE, DECK, RANKS, Counts, cards_of, counted
from dr_rd.referee.doudizhu.combinations import Reading, Variants, beats, readings
from dr_rd.referee.doudizhu.generator import plays
from dr_rd.referee.doudizhu.hands import bombs, fewest_plays, rocket
from dr_rd.referee.doudizhu.position import BIDDING, LANDLORD, Position

RESULT = Path(__file__).parent / "results" / "doudizhu.md"

VARIANTS = tuple(
    Variants(kickers_repeat=repeat, jokers_ride=ride)
    for repeat, ride in product((False, True), repeat=2)
)

ALL_PARTS = 7
"""Cards of a hand up to which every part of it is held against the generator."""

SAMPLED = 12
"""Parts drawn of a larger hand."""

CHUNKS = 10

D = TypeVar("D", "Agreement", "Faults", "Won")

Chooser = Callable[[Position, Random], Move]


def builtin(position: Position, chance: Random) -> Move:
    return RULES.choose(position, chance)


def random_legal(position: Position, chance: Random) -> Move:
    return chance.choice(RULES.legal_moves(position))


def shedding(position: Position, chance: Random) -> Move:
    """Lead the most cards, answer with the lowest, and never pass where a play is legal."""
    del chance
    moves = [move for move in RULES.legal_moves(position) if move.text != "pass"]
    if not moves:
        return RULES.forced(position)
    return max(moves, key=lambda move: _shed(position, move.text.split()[1:]))


def _shed(position: Position, cards: list[str]) -> tuple[int, int]:
    return (0 if position.table else len(cards), -RANKS.index(cards[0]))


def play(seed: int, bidder: Chooser, landlord: Chooser, farmer: Chooser) -> Position:
    """Play one seeded deal to its end; *bidder* speaks for all in the auction."""
    chance = seeded(seed)("game")
    position = RULES.start({}, chance)
    while RULES.to_move(position):
        if position.status == BIDDING:
            choose = bidder
        else:
            choose = landlord if position.turn == position.landlord else farmer
        position = RULES.apply(position, choose(position, chance))
    return position


ROWS: Mapping[tuple[str, str, str], tuple[Chooser, Chooser, Chooser]] = {
    ("built-in bids", "landlord", "random legal"): (builtin, builtin, random_legal),
    ("built-in bids", "farmers", "random legal"): (builtin, random_legal, builtin),
    ("built-in bids", "landlord", "shedding"): (builtin, builtin, shedding),
    ("built-in bids", "farmers", "shedding"): (builtin, shedding, builtin),
    ("bids at random", "landlord", "random legal"): (random_legal, builtin, random_legal),
    ("bids at random", "farmers", "random legal"): (random_legal, random_legal, builtin),
    ("built-in bids", "landlord", "itself"): (builtin, builtin, builtin),
}
"""Auction, side of the built-in player and its opponent: who bids, is landlord, is a farmer."""


@dataclass(slots=True)
class Won:
    """How often the built-in player won."""

    deals: int = 0
    won: int = 0


def strength(row: tuple[str, str, str], seeds: range) -> Won:
    """Play the deals of those seeds as *row* says."""
    side = row[1]
    wins = [play(seed, *ROWS[row]).winner == side for seed in seeds]
    return Won(len(wins), sum(wins))


def _share(row: tuple[str, str, str], found: Won) -> str:
    auction, side, against = row
    low, high = wilson(found.won, found.deals)
    share = f"{found.won / found.deals:.1%} of {found.deals:,}"
    return f"| {auction} | {side} | {against} | {share} | {low:.1%} to {high:.1%} |"


@dataclass(slots=True)
class Agreement:
    """What was held against each other, and what differed."""

    hands: int = 0
    generated: int = 0
    parts: int = 0
    differ: int = 0


def agreement(numbers: range) -> Agreement:
    """Hold the generator against the validator's readings, both ways, over random hands."""
    found = Agreement()
    for number in numbers:
        chance = seeded(number)("hand")
        variants = VARIANTS[number % len(VARIANTS)]
        hand = _hand(chance, chance.randint(1, 20))
        table = _table(chance, variants) if number % 8 >= len(VARIANTS) else None
        made = plays(hand, variants, table)
        generated, parts = set(made), _parts(hand, chance)
        found.hands += 1
        found.generated += len(made)
        found.parts += len(parts)
        found.differ += len(made) - len(generated)
        found.differ += sum(not _legal(part, variants, table) for part in generated)
        found.differ += sum(
            _legal(part, variants, table) for part in parts if part not in generated
        )
    return found


def _hand(chance: Random, size: int) -> Counts:
    """Draw a hand; every other one from few ranks, so that it holds chains and kickers."""
    if chance.random() < 0.5:
        return counted(chance.sample(DECK, size))
    low, wide = chance.randrange(10), chance.randint(3, 6)
    ranks = (*RANKS[low : low + wide], *chance.sample(RANKS, 3))
    near = [card for card in DECK if card in ranks]
    return counted(chance.sample(near, min(size, len(near))))


def _table(chance: Random, variants: Variants) -> Reading:
    other = plays(_hand(chance, 20), variants)
    return chance.choice(readings(cards_of(chance.choice(other)), variants))


def _parts(hand: Counts, chance: Random) -> set[Counts]:
    """Return every part of a small hand, or parts of a large one drawn with a row in them."""
    if sum(hand) <= ALL_PARTS:
        return set(product(*(range(many + 1) for many in hand)))
    return {_drawn(hand, chance) for _ in range(SAMPLED)}


def _drawn(hand: Counts, chance: Random) -> Counts:
    low, length, copies = chance.randrange(13), chance.randint(1, 7), chance.randint(1, 4)
    part = [0] * len(hand)
    for rank in range(low, min(low + length, len(hand))):
        part[rank] = min(copies, hand[rank])
    for _ in range(chance.choice((0, 0, 1, 2, length, length))):
        rank, many = chance.randrange(len(hand)), chance.choice((1, 1, 2))
        part[rank] = min(part[rank] + many, hand[rank])
    return tuple(part)


def _legal(part: Counts, variants: Variants, table: Reading | None) -> bool:
    found = readings(cards_of(part), variants)
    return any(table is None or beats(reading, table) for reading in found)


@dataclass(slots=True)
class Faults:
    """Games that were watched at every position, and what was wrong there."""

    games: int = 0
    moves: int = 0
    legal: int = 0
    faults: int = 0


def faults(seeds: range) -> Faults:
    """Play games by the built-in, the random and mixed players, and check every position."""
    found = Faults()
    for seed in seeds:
        setup = {"variants": VARIANTS[seed % len(VARIANTS)].model_dump()}
        chance = seeded(seed)("game")
        position = first = RULES.start(setup, chance)
        moves: list[str] = []
        seats = tuple(chance.choice((builtin, random_legal)) for _ in range(3))
        while RULES.to_move(position):
            legal = RULES.legal_moves(position)
            found.legal += len(legal)
            found.faults += sum(not RULES.validate(position, move).legal for move in legal)
            found.faults += not _conserved(position)
            move = seats[position.turn](position, chance)
            found.faults += move not in legal or RULES.forced(position) not in legal
            moves.append(move.text)
            position = RULES.apply(position, move)
        again = first
        for text in moves:
            again = RULES.apply(again, RULES.read(text))
        found.faults += again != position or not _conserved(position)
        found.faults += len(moves) > RULES.longest(first)
        found.games += 1
        found.moves += len(moves)
    return found


def _conserved(position: Position) -> bool:
    cards = [*position.played, *(card for hand in position.hands for card in hand)]
    bottom = position.bottom if position.status == BIDDING else ()
    return Counter((*cards, *bottom)) == Counter(DECK)


def fit(deals: int) -> Iterator[str]:
    """Regress who wins on the first bidder's 17 cards, made landlord whatever they are."""
    rows, won_by = [], []
    for seed in range(5_000, 5_000 + deals):  # not those that the strength is measured on
        position = RULES.start({}, seeded(seed)("game"))
        hand = counted(position.hands[position.turn])
        rows.append([1, fewest_plays(hand), *hand[ACE:], bombs(hand), rocket(hand)])
        position = RULES.apply(position, RULES.read("bid 3"))
        while RULES.to_move(position):
            position = RULES.apply(position, builtin(position, seeded(seed)("play")))
        won_by.append(position.winner == LANDLORD)
    features, wins = np.array(rows, float), np.array(won_by, float)
    weights = np.zeros(features.shape[1])
    for _ in range(25):  # Newton's steps
        odds = 1 / (1 + np.exp(-features @ weights))
        curvature = (features * (odds * (1 - odds))[:, None]).T @ features
        weights += np.linalg.solve(curvature, features.T @ (wins - odds))
    errors = np.sqrt(np.diag(np.linalg.inv(curvature)))
    names = ("at all", "play", "A", "2", "sj", "bj", "bomb", "rocket")
    for name, weight, error in zip(names, weights, errors, strict=True):
        yield f"{name:8} {weight:6.2f} ± {error:.2f}"


def chunks(many: int) -> list[range]:
    """Return the numbers up to *many* in parts of equal size, for one process each."""
    size = -(-many // CHUNKS)
    return [range(low, min(low + size, many)) for low in range(0, many, size)]


def summed(found: Iterable[D], kind: type[D]) -> D:
    """Return the counts of all processes together."""
    each = [astuple(counts) for counts in found]
    return kind(*map(sum, zip(*each, strict=True)))


def report(deals: int, hands: int, games: int, jobs: int) -> Iterator[str]:
    with ProcessPoolExecutor(jobs) as pool:
        rows = {
            row: [pool.submit(strength, row, seeds) for seeds in chunks(deals)] for row in ROWS
        }
        parts = [pool.submit(agreement, numbers) for numbers in chunks(hands)]
        games_played = [pool.submit(faults, seeds) for seeds in chunks(games)]
    found = summed((part.result() for part in parts), Agreement)
    seen = summed((part.result() for part in games_played), Faults)
    used = getrusage(RUSAGE_CHILDREN)
    yield "# Dou Dizhu: the built-in player and the rules"
    yield ""
    yield f"Each row plays the same {deals:,} seeded deals (seeds from 0), strictest variants. The side"
    yield "named is played by the built-in player in all its seats, the other side by the opponent;"
    yield "the auction decides who is landlord. *Random legal* draws evenly from the legal moves, the"
    yield "pass among them; *shedding* leads the most cards, answers with the lowest and never passes"
    yield "by choice. The interval is Wilson's for the share, which is the spread over deals."
    yield ""
    yield "| auction by | built-in player as | against | won | 95 % interval |"
    yield "|---|---|---|---|---|"
    for row, wins in rows.items():
        yield _share(row, summed((part.result() for part in wins), Won))
    yield ""
    yield "## Generator and validator"
    yield ""
    yield f"{found.hands:,} random hands of 1 to 20 cards, half of them on a table to beat, under the"
    yield f"four variants in turn: {found.generated:,} generated plays were read back, and"
    yield f"{found.parts:,} parts of the hands (all parts up to {ALL_PARTS} cards, {SAMPLED} drawn ones"
    yield f"of a larger hand) were looked for among them. Differences: {found.differ}."
    yield ""
    yield "## Games"
    yield ""
    yield f"{seen.games:,} games, seats drawn between the built-in and the random player, variants in"
    yield f"turn: {seen.moves:,} moves made, {seen.legal:,} legal moves validated, 54 cards counted at"
    yield f"every position, every game replayed from its moves. Rule faults: {seen.faults}."
    yield ""
    yield f"The whole report took {used.ru_utime + used.ru_stime:.0f} s of CPU."


def main(args: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--deals", type=int, default=1_000)
    parser.add_argument("--hands", type=int, default=100_000)
    parser.add_argument("--games", type=int, default=1_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--fit", action="store_true")
    chosen = parser.parse_args(args)
    if chosen.fit:
        print("\n".join(fit(2_500)))
        return
    text = "\n".join(report(chosen.deals, chosen.hands, chosen.games, chosen.jobs)) + "\n"
    print(text)
    if chosen.write:
        RESULT.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
