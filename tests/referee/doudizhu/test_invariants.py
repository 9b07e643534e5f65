"""What holds in every game, whoever plays it: cards, replay, seeds, generator and validator."""

from collections import Counter
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dr_rd.referee.doudizhu import RULES
from dr_rd.referee.doudizhu.cards import DECK, Counts, cards_of, counted
from dr_rd.referee.doudizhu.combinations import Reading, Variants, beats, readings
from dr_rd.referee.doudizhu.generator import plays
from tests.referee.doudizhu.games import (
    LOOSE,
    Chooser,
    builtin,
    drawn,
    played,
    random_legal,
    started,
)

SEEDS = st.integers(0, 2**32)
VARIANTS = st.builds(Variants, kickers_repeat=st.booleans(), jokers_ride=st.booleans())
CHOOSERS = st.sampled_from([builtin, random_legal])
DECK_ONCE = Counter(DECK)


@settings(max_examples=25)
@given(SEEDS, VARIANTS, CHOOSERS)
def test_54_cards_are_conserved_and_every_move_is_legal_again_on_replay(
    seed: int, variants: Variants, choose: Chooser
) -> None:
    setup = {"variants": variants.model_dump()}
    positions, moves = played(started(seed, **setup), drawn(seed), choose)
    for position in positions:
        dealt = Counter(position.played + sum(position.hands, ()))
        if position.status == "bidding":
            dealt += Counter(position.bottom)
        assert dealt == DECK_ONCE
    again = started(seed, **setup)
    for position, move in zip(positions, moves, strict=False):
        assert again == position
        assert RULES.validate(again, RULES.read(move.text)).legal
        again = RULES.apply(again, move)
    assert again == positions[-1]
    assert RULES.outcome(again) is not None
    assert len(moves) <= RULES.longest(positions[0])


@settings(max_examples=5)
@given(SEEDS, CHOOSERS)
def test_the_same_seed_is_the_same_game(seed: int, choose: Chooser) -> None:
    first, second = (played(started(seed), drawn(seed), choose) for _ in range(2))
    assert first == second


def parts(hand: Counts) -> set[Counts]:
    """Return every set of cards that *hand* holds, by rank."""
    return set(product(*(range(many + 1) for many in hand)))


@st.composite
def hands(draw: st.DrawFn, most: int) -> Counts:
    """Draw a hand of few ranks, so that it holds chains and kickers."""
    low = draw(st.integers(0, 11))
    near = [card for card in DECK if low <= _place(card) <= low + 4 or card in ("2", "sj", "bj")]
    size = draw(st.integers(1, min(most, len(near))))
    return counted(draw(st.permutations(near))[:size])


def _place(card: str) -> int:
    return counted((card,)).index(1)


@given(hands(most=9), VARIANTS)
def test_generator_and_validator_agree_on_every_part_of_a_hand(
    hand: Counts, variants: Variants
) -> None:
    legal = {part for part in parts(hand) if readings(cards_of(part), variants)}
    assert set(plays(hand, variants)) == legal


@given(hands(most=9), hands(most=12), VARIANTS, st.randoms())
def test_generator_and_validator_agree_on_what_beats_a_table(
    hand: Counts, other: Counts, variants: Variants, chance: Random
) -> None:
    table = chance.choice(readings(cards_of(chance.choice(plays(other, variants))), variants))
    legal = {part for part in parts(hand) if _beats(part, table, variants)}
    assert set(plays(hand, variants, table)) == legal


def _beats(part: Counts, table: Reading, variants: Variants) -> bool:
    return any(beats(reading, table) for reading in readings(cards_of(part), variants))


@pytest.mark.parametrize("variants", [Variants(), LOOSE])
def test_what_the_generator_makes_of_whole_hands_has_a_reading(variants: Variants) -> None:
    chance = drawn(1)
    for _ in range(60):
        hand = counted(chance.sample(DECK, 20))
        found = plays(hand, variants)
        assert len(set(found)) == len(found)
        assert all(readings(cards_of(play), variants) for play in found)


def test_the_legal_moves_are_the_ones_that_validate() -> None:
    positions, _ = played(started(21), drawn(21), random_legal)
    for position in positions[:-1]:
        moves = RULES.legal_moves(position)
        assert len({move.text for move in moves}) == len(moves) > 0
        assert all(RULES.validate(position, move).legal for move in moves)
        assert RULES.forced(position) in moves
        assert RULES.choose(position, drawn(1)) in moves
