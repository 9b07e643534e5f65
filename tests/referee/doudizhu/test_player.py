"""The built-in player: fair by its view, and better than chance on both sides."""

from dr_rd.referee.doudizhu import RULES
from dr_rd.referee.doudizhu.player import decide
from dr_rd.referee.doudizhu.position import PLAYERS
from tests.referee.doudizhu.games import (
    answering,
    at,
    builtin,
    done,
    drawn,
    played,
    random_legal,
    started,
)


def won(seed: int, side: str) -> bool:
    """Whether the built-in player wins on that side, the others playing at random."""

    def choose(position, chance):
        own = "farmers" if position.turn != position.landlord else "landlord"
        ours = position.status == "bidding" or own == side
        return (builtin if ours else random_legal)(position, chance)

    positions, _ = played(started(seed), drawn(seed), choose)
    return positions[-1].winner == side


def test_it_beats_a_random_legal_player_on_either_side() -> None:
    """A sample of what bench/doudizhu.py measures on 1,000 deals."""
    for side in ("landlord", "farmers"):
        assert sum(won(seed, side) for seed in range(60)) >= 51, side


def test_it_decides_on_its_view_alone() -> None:
    position = done(started(3), "bid 3")
    move = RULES.choose(position, drawn(1))
    assert move == decide(RULES.view(position, position.player))


def test_it_plays_its_last_cards() -> None:
    assert RULES.choose(answering("9 9", "5 5"), drawn(1)).text == "play 9 9"
    assert RULES.choose(at("4 4 4 9 9"), drawn(1)).text == "play 4 4 4 9 9"


def test_it_leads_what_nobody_can_beat_before_its_last_cards() -> None:
    assert RULES.choose(at("4 4 sj bj"), drawn(1)).text == "play sj bj"


def test_a_farmer_leaves_the_other_farmers_high_play_alone() -> None:
    position = answering("Q Q 4", "5 5")
    position = done(position, "play Q Q")
    hands = (position.hands[0], position.hands[1], ("3", "6", "8", "K", "K"))
    position = position.model_copy(update={"hands": hands})
    assert position.player == PLAYERS[2]
    assert RULES.choose(position, drawn(1)).text == "pass"


def test_it_does_not_lead_a_single_to_an_enemy_with_one_card() -> None:
    position = at("4 6 6 9 9 J")
    hands = (position.hands[0], ("A",), position.hands[2])
    move = RULES.choose(position.model_copy(update={"hands": hands}), drawn(1))
    assert len(move.data["cards"]) == 2


def test_it_bids_on_a_strong_hand_and_passes_on_a_weak_one() -> None:
    position = started().model_copy(update={"turn": 0})
    strong = tuple("3 4 5 6 7 8 9 9 9 9 A A 2 2 2 sj bj".split())
    weak = tuple("3 3 4 5 5 6 8 8 9 10 10 J J Q K K K".split())
    for hand, text in ((strong, "bid 3"), (weak, "pass")):
        hands = (hand, *position.hands[1:])
        assert RULES.choose(position.model_copy(update={"hands": hands}), drawn(1)).text == text
