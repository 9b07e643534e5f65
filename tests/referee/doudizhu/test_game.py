"""A game from the deal to the last card, and what is seen of it."""

from collections import Counter

import pytest

from core.errors import CallerError
from core.rules import Move, RuleSet
from dr_rd.referee.doudizhu import RULES
from dr_rd.referee.doudizhu.cards import DECK
from dr_rd.referee.doudizhu.position import PLAYERS
from tests.referee.doudizhu.games import (
    answering,
    at,
    builtin,
    done,
    drawn,
    played,
    random_legal,
    refusal,
    started,
)


def test_deal_is_17_17_17_and_3_and_the_landlord_takes_the_bottom_cards_and_leads() -> None:
    position = started()
    assert [len(hand) for hand in position.hands] == [17, 17, 17]
    assert len(position.bottom) == 3
    landlord = position.turn
    after = done(position, "bid 3")
    assert [len(hand) for hand in after.hands] == [20 if n == landlord else 17 for n in range(3)]
    assert Counter(after.hands[landlord]) == Counter(position.hands[landlord] + position.bottom)
    assert (after.landlord, after.turn, after.table) == (landlord, landlord, None)


def test_first_bidder_is_random_and_seeded() -> None:
    assert {started(seed).player for seed in range(20)} == set(PLAYERS)
    assert started(7) == started(7)


def test_bids_are_1_to_3_each_higher_or_pass_and_three_ends_at_once() -> None:
    position = done(started(), "bid 2")
    assert [move.text for move in RULES.legal_moves(position)] == ["pass", "bid 3"]
    assert refusal(position, "bid 2") == "a bid of 2 is not higher than 2; bid more or pass"
    assert refusal(position, "bid 1") != ""
    assert refusal(position, "play 3") != ""
    assert done(position, "bid 3").status == "in_progress"
    bidder, third = position.player, done(started(), "pass", "bid 1").player
    assert bidder != third
    last = done(started(), "pass", "bid 1", "pass")
    assert last.status == "in_progress"
    assert last.role(last.turn) == "landlord"
    assert "the auction is over" in refusal(last, "bid 3")


def test_all_pass_is_a_redeal_and_redeals_are_capped() -> None:
    position = started(variants={"deals": 3})
    hands = [position.hands]
    for _ in range(2):
        position = done(position, "pass", "pass", "pass")
        hands.append(position.hands)
    assert position.deal == 3
    assert len(set(hands)) == 3
    position = done(position, "pass", "pass")
    assert "the last to speak bids" in refusal(position, "pass")
    assert [move.text for move in RULES.legal_moves(position)] == ["bid 1", "bid 2", "bid 3"]
    assert RULES.forced(position).text == "bid 1"
    log = RULES.view(done(position, "bid 1"), "")["action_log"]
    assert log.count("deal 2: nobody had bid") == 1


def test_bottom_cards_are_public_after_the_auction_and_not_before() -> None:
    position = started()
    for viewer in (*PLAYERS, ""):
        assert RULES.view(position, viewer)["landlord_extra_cards"] == []
        assert RULES.view(done(position, "bid 3"), viewer)["landlord_extra_cards"] == list(
            position.bottom
        )


def test_pass_is_illegal_when_leading() -> None:
    position = at("3 3 4")
    assert refusal(position, "pass") == "who leads may not pass; play cards"
    assert "pass" not in [move.text for move in RULES.legal_moves(position)]


def test_two_passes_clear_the_table_and_the_last_player_leads_any_kind() -> None:
    position = done(at("3 3 4 5"), "play 3 3", "pass")
    assert position.table is not None
    position = done(position, "pass")
    assert position.table is None
    assert position.player == "player_1"
    assert refusal(position, "play 4") == ""


def test_a_play_between_starts_the_passes_anew() -> None:
    position = answering("4 4 5", "3 3")
    position = done(position, "play 4 4", "pass")
    assert position.table is not None
    assert done(position, "pass").player == "player_2"


def test_first_empty_hand_wins_and_the_game_stops_at_once() -> None:
    position = done(at("3 3"), "play 3 3")
    outcome = RULES.outcome(position)
    assert outcome is not None
    assert outcome.winners == ("player_1",)
    assert outcome.side == "landlord"
    assert RULES.to_move(position) == ""
    assert RULES.legal_moves(position) == ()
    assert refusal(position, "play 4") == "the game is over"
    with pytest.raises(ValueError, match="not legal"):
        done(position, "pass")


def test_a_farmers_win_is_both_farmers() -> None:
    outcome = RULES.outcome(done(answering("4 4", "3 3"), "play 4 4"))
    assert outcome is not None
    assert outcome.winners == ("player_2", "player_3")
    assert outcome.side == "farmers"


def test_bombs_and_the_rocket_double_what_was_bid() -> None:
    position = done(at("5 5 5 5 sj bj 3"), "play 5 5 5 5", "pass", "pass", "play sj bj")
    outcome = RULES.outcome(done(position, "pass", "pass", "play 3"))
    assert outcome is not None
    assert outcome.facts["stake"] == 12


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("play 3 3 4 4 5 5", "play 3 3 4 4 5 5"),
        ("  PLAY 5 4, 3 3 4 5 ", "play 3 3 4 4 5 5"),
        ("play j q K a 10", "play 10 J Q K A"),
        ("pass", "pass"),
        ("Bid 2", "bid 2"),
    ],
)
def test_decision_grammar_is_play_and_cards_or_pass(text: str, canonical: str) -> None:
    assert RULES.read(text).text == canonical


@pytest.mark.parametrize(
    "text", ["", "play", "pass 3", "bid 4", "bid", "I play 3", "play 1", "play 33", "bid two", "3"]
)
def test_what_is_outside_the_grammar_is_refused_with_the_grammar(text: str) -> None:
    position = at("3 3 4")
    with pytest.raises(CallerError, match="play 3 3 4 4 5 5"):
        RULES.read(text)
    ruling = RULES.validate(position, Move(text=text))
    assert not ruling.legal
    assert "play 3 3 4 4 5 5" in ruling.reason


def test_an_illegal_decision_leaves_the_state_unchanged() -> None:
    position = at("3 3 4")
    before = position.model_dump_json()
    for text in ("pass", "play 3 4", "play 2", "bid 1"):
        assert refusal(position, text)
        with pytest.raises(ValueError, match="not legal"):
            done(position, text)
    assert position.model_dump_json() == before
    assert RULES.to_move(position) == "player_1"


def test_the_forced_move_is_a_pass_or_the_lowest_legal_lead() -> None:
    lead = at("4 4 9")
    assert RULES.forced(lead).text == "play 4"
    assert RULES.forced(done(lead, "play 4 4")).text == "pass"
    assert RULES.forced(started()).text == "pass"


def test_every_forced_move_is_legal_to_the_end() -> None:
    positions, moves = played(started(3), drawn(3), lambda p, _: RULES.forced(p))
    assert RULES.outcome(positions[-1]) is not None
    assert len(moves) <= RULES.longest(positions[0])


def test_a_refusal_tells_the_others_nothing_of_the_hand() -> None:
    ruling = RULES.validate(answering("J Q", "5 5"), RULES.read("play J J"))
    assert ruling.public == ""


@pytest.mark.parametrize("choose", [builtin, random_legal])
def test_no_view_and_no_prompt_holds_a_hand_but_the_players_own(choose) -> None:
    positions, _ = played(started(11), drawn(11), choose)
    for position in positions:
        for viewer in (*PLAYERS, ""):
            shown = {p["id"]: p["hand"] for p in RULES.view(position, viewer)["players"]}
            own = {viewer: list(position.hands[PLAYERS.index(viewer)])} if viewer else {}
            assert shown == {player: own.get(player) for player in PLAYERS}


def test_views_and_prompts_are_the_same_whoever_holds_the_hidden_cards() -> None:
    """What a player is shown depends on no hidden card: two others may swap their hands."""
    positions, _ = played(started(12), drawn(12), builtin)
    swapped = 0
    for position in positions:
        first, second, third = position.hands
        if len(second) != len(third) or position.winner:
            continue
        other = position.model_copy(update={"hands": (first, third, second), "seed": 0})
        swapped += second != third
        for viewer in ("player_1", ""):
            assert RULES.view(other, viewer) == RULES.view(position, viewer)
        assert RULES.describe(other, "player_1") == RULES.describe(position, "player_1")
        if position.player == "player_1":
            assert RULES.choose(other, drawn(1)) == RULES.choose(position, drawn(1))
    assert swapped > 3


def test_the_prompt_holds_what_is_public_and_the_own_hand() -> None:
    position = done(started(5), "bid 3")
    position = done(position, f"play {position.hands[position.turn][0]}")
    text = RULES.describe(position, position.player)
    assert f"Your hand: {' '.join(position.hands[position.turn])}\n" in text
    assert f"played: {' '.join(position.bottom)}." in text
    assert "landlord: 19 cards" in text
    assert "bid 3" in text
    assert "To beat: " in text
    with pytest.raises(CallerError, match="unknown player"):
        RULES.describe(position, "")
    with pytest.raises(CallerError, match="unknown viewer"):
        RULES.view(position, "player_4")


def test_the_snapshot_has_the_fields_that_a_page_polls() -> None:
    position = done(started(5), "bid 3")
    card = position.hands[position.turn][0]
    landlord = position.player
    seen = RULES.view(done(position, f"play {card}", "pass"), "")
    assert seen["game_status"] == "in_progress"
    assert seen["last_move"] == {
        "player_id": landlord,
        "move_type": "single",
        "cards_played": [card],
    }
    (turn,) = [p for p in seen["players"] if p["is_turn"]]
    assert turn["id"] == seen["turn_player_id"]
    assert set(turn) == {"id", "name", "role", "hand", "hand_count", "is_turn"}
    assert sorted(p["role"] for p in seen["players"]) == ["farmer", "farmer", "landlord"]
    assert seen["action_log"] == [
        f"{landlord}: bid 3",
        f"{landlord}: {card}",
        f"{PLAYERS[(position.turn + 1) % 3]}: pass",
    ]
    assert seen["winner"] is None


def test_the_rules_are_a_rule_set_that_says_what_is_wrong_in_a_setup() -> None:
    assert isinstance(RULES, RuleSet)
    assert RULES.players(started()) == PLAYERS
    with pytest.raises(CallerError, match="kickers_repeat"):
        started(variants={"wild": True})
    assert RULES.view(started(names=["A", "B", "C"]), "")["players"][2]["name"] == "C"


def test_a_position_survives_the_record() -> None:
    positions, _ = played(started(4), drawn(4), builtin)
    for position in positions[::7]:
        assert RULES.position.model_validate(position.model_dump(mode="json")) == position
    assert Counter(DECK) == Counter(positions[-1].played + sum(positions[-1].hands, ()))
