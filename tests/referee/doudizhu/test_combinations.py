"""The table of kinds: shapes, sizes, comparisons, and several readings of the same cards."""

from itertools import pairwise, product

import pytest

from dr_rd.referee.doudizhu.cards import DECK, RANKS, counted
from dr_rd.referee.doudizhu.combinations import (
    KICKED,
    LARGEST,
    Reading,
    Variants,
    beats,
    readings,
)
from dr_rd.referee.doudizhu.generator import plays
from tests.referee.doudizhu.games import LOOSE, answering, at, done, refusal, words

STRICT = Variants()


def read_as(cards: str, variants: Variants = STRICT) -> list[tuple[str, int, str]]:
    return [(r.kind, r.length, RANKS[r.rank]) for r in readings(words(cards), variants)]


LEGAL = [
    ("3", "single", 1, "3"),
    ("bj", "single", 1, "bj"),
    ("2 2", "pair", 1, "2"),
    ("K K K", "triplet", 1, "K"),
    ("K K K 3", "triplet with single", 1, "K"),
    ("2 2 2 bj", "triplet with single", 1, "2"),
    ("7 7 7 9 9", "triplet with pair", 1, "7"),
    ("10 J Q K A", "single chain", 5, "A"),
    ("3 4 5 6 7 8 9 10 J Q K A", "single chain", 12, "A"),
    ("3 3 4 4 5 5", "pair chain", 3, "5"),
    ("Q Q Q K K K", "airplane", 2, "K"),
    ("3 3 3 4 4 4 6 2", "airplane with singles", 2, "4"),
    ("3 3 3 4 4 4 6 6 2 2", "airplane with pairs", 2, "4"),
    ("5 5 5 5 3 bj", "four with two singles", 1, "5"),
    ("5 5 5 5 3 3 2 2", "four with two pairs", 1, "5"),
    ("9 9 9 9", "bomb", 1, "9"),
    ("sj bj", "rocket", 1, "bj"),
]


@pytest.mark.parametrize(("cards", "kind", "length", "rank"), LEGAL)
def test_each_kind_of_the_table_is_read(cards: str, kind: str, length: int, rank: str) -> None:
    assert read_as(cards) == [(kind, length, rank)]


@pytest.mark.parametrize(
    "cards",
    [
        "3 4",  # two cards of different ranks
        "3 3 4",
        "3 4 5 6",  # four in a row are too few
        "J Q K A 2",  # a chain ends with the ace
        "Q Q K K A A 2 2",
        "A A A 2 2 2",
        "K K K A A A 2 2 2 3 4 5",
        "3 3 4 4",  # two pairs in a row are too few
        "3 3 5 5 6 6",
        "3 3 3 sj bj",  # two jokers are no pair
        "3 3 3 4 4 4 5 5",  # kickers share a rank
        "3 3 3 4 4 4 sj bj",  # both jokers ride
        "3 3 3 3 sj bj",
        "3 3 3 3 4 4",
        "3 3 3 3 2 2 2 2",
        "3 3 3 3 4 4 4 5",  # a kicker has the rank of a triplet
        "3 3 3 5 5 5 7 8",  # triplets not in a row
        "3 3 3 3 4",
    ],
)
def test_what_is_in_no_row_of_the_table_is_refused(cards: str) -> None:
    assert read_as(cards) == []
    assert "is no combination" in refusal(at(cards), f"play {cards}")


def test_ranks_ascend_from_three_to_the_big_joker_and_suits_are_irrelevant() -> None:
    assert words("3 4 5 6 7 8 9 10 J Q K A 2 sj bj") == RANKS
    for low, high in pairwise(RANKS):
        (one,), (other,) = readings((low,), STRICT), readings((high,), STRICT)
        assert beats(other, one)
        assert not beats(one, other)


LONGEST = {
    "single chain": 12,
    "pair chain": 10,
    "airplane": 6,
    "airplane with singles": 5,
    "airplane with pairs": 4,
}


def test_the_longest_chains_within_twenty_cards_are_those_of_the_table() -> None:
    body = {"single chain": 1, "pair chain": 2}
    for kind, most in LONGEST.items():
        copies = body.get(kind, 3)
        kicker = KICKED[kind][1] if kind in KICKED else 0
        for length in (most, most + 1):
            chain = [rank for rank in RANKS[:length] for _ in range(copies)]
            # a thirteenth rank of a single chain is the 2, which no chain holds
            others = [rank for rank in RANKS[length : 2 * length] for _ in range(kicker)]
            found = [r for r in readings((*chain, *others), STRICT) if r.kind == kind]
            assert [r.length for r in found] == ([most] if length == most else [])
            assert length == most or kind == "single chain" or len(chain) + len(others) > LARGEST


def test_the_same_cards_are_read_in_every_way() -> None:
    assert read_as("3 3 3 3 2 2 2 2", LOOSE) == [
        ("four with two pairs", 1, "2"),
        ("four with two pairs", 1, "3"),
    ]
    assert read_as("3 3 3 4 4 4 5 5 5 6 6 6", LOOSE) == [
        ("airplane", 4, "6"),
        ("airplane with singles", 3, "6"),
        ("airplane with singles", 3, "5"),
    ]
    assert read_as("3 3 3 4 4 4 5 5 5 6 6 6") == [("airplane", 4, "6")]


def test_a_play_is_legal_if_any_reading_beats_the_table_and_stands_as_that_one() -> None:
    hand = "4 4 4 5 5 5 6 6 6 7 7 7"
    for table, stands in (
        ("3 3 3 4 4 4 5 5 5 8 9 10", "airplane with singles"),
        ("3 3 3 4 4 4 5 5 5 6 6 6", "airplane"),
    ):
        position = answering(hand, table, variants=LOOSE.model_dump())
        position = done(position, f"play {hand}")
        assert position.table is not None
        assert (position.table.kind, position.table.rank) == (stands, "7")
    position = answering(hand, "3 3 3 4 4 4 5 5 5 8 9 10")
    assert "does not beat airplane with singles of 3 up to 5" in refusal(position, f"play {hand}")


def test_variant_kickers_may_repeat_a_rank_is_a_switch() -> None:
    play = "3 3 3 4 4 4 5 5"
    assert refusal(at(f"{play} 6", variants={"kickers_repeat": True}), f"play {play}") == ""
    assert refusal(at(f"{play} 6"), f"play {play}") != ""


def test_variant_both_jokers_may_ride_is_a_switch() -> None:
    play = "5 5 5 5 sj bj"
    assert refusal(at(f"{play} 6", variants={"jokers_ride": True}), f"play {play}") == ""
    assert refusal(at(f"{play} 6"), f"play {play}") != ""


def test_four_with_kickers_is_no_bomb() -> None:
    position = answering("5 5 5 5 6 7", "9 9")
    assert "does not beat pair of 9" in refusal(position, "play 5 5 5 5 6 7")
    assert refusal(position, "play 5 5 5 5") == ""


def test_a_bomb_beats_all_but_a_higher_bomb_and_the_rocket_which_beats_everything() -> None:
    bombs = [Reading("bomb", 1, rank) for rank in range(13)]
    rocket = Reading("rocket", 1, 14)
    others = [reading for cards, *_ in LEGAL[:-2] for reading in readings(words(cards), STRICT)]
    for bomb, other in product(bombs, others):
        assert beats(bomb, other)
        assert not beats(other, bomb)
    for one, other in product(bombs, bombs):
        assert beats(one, other) == (one.rank > other.rank)
    for other in (*others, *bombs):
        assert beats(rocket, other)
        assert not beats(other, rocket)


def test_another_play_must_match_kind_and_length_and_be_strictly_higher() -> None:
    kinds = [reading for cards, *_ in LEGAL[:-2] for reading in readings(words(cards), STRICT)]
    for one, other in product(kinds, kinds):
        same = (one.kind, one.length) == (other.kind, other.length)
        assert beats(one, other) == (same and one.rank > other.rank)
    position = answering("6 7 8 9 10 J Q Q Q Q 2", "4 5 6 7 8")
    assert refusal(position, "play 6 7 8 9 10") == ""
    assert "the same kind and length" in refusal(position, "play 6 7 8 9 10 J")
    assert "a rank above 8 is needed" in refusal(
        answering("4 5 6 7 8", "4 5 6 7 8"), "play 4 5 6 7 8"
    )


def test_what_is_played_must_be_in_hand_and_the_reason_counts() -> None:
    position = answering("J Q K", "5 5")
    assert refusal(position, "play J J") == "you play 2 × J and hold 1"
    found = position.variants
    assert counted(("J", "J")) not in plays(counted(position.hands[1]), found)


def test_a_full_deck_has_as_many_higher_airplanes_as_another_program_counts() -> None:
    """77 by the documentation of the crate dou_dizhu 0.2 (docs.rs), which follows Pagat's rules."""
    (table,) = readings(words("Q Q Q K K K 3 4"), STRICT)
    found = plays(counted(DECK), STRICT, table)
    assert sum(sum(play) == 8 for play in found) == 77
