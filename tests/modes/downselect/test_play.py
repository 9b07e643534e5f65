"""The moves and the counts: phases, ballots, ties, wins, and who may do what when."""

import pytest

from core.clock import seeded
from core.modes.downselect import play
from core.modes.downselect.counts import (
    borda,
    close_round,
    condorcet,
    pairwise,
    points_of,
)
from core.modes.downselect.state import (
    SECRET,
    Ballot,
    Game,
    Refused,
    key_of,
    opened,
    sealed,
)
from tests.modes.downselect.tables import game

CHANCE = seeded(0)


def talking(**given) -> Game:
    return play.open_discussion(play.begin_round(game(**given)), CHANCE)


def voting(**given) -> Game:
    return play.open_voting(talking(**given))


def against(at: Game, **votes: str) -> Game:
    for voter, target in votes.items():
        at = play.with_ballot(at, Ballot(round=at.round, voter=voter, target=target))
    return at


def test_state_has_the_fields_of_the_design() -> None:
    named = """room_code round phase num_ai_players players chat_history topic votes
    ai_personalities pseudonym_map human_external_name last_message_time round_start_time winner
    eliminated_player pending_ai_messages pending_ai_votes broadcast_queue""".split()
    assert set(named) <= set(Game.model_fields)
    assert {"id", "role", "eliminated", "personality"} <= set(
        next(iter(game().players.values())).model_fields_set | {"eliminated"}
    )


def test_options_and_participants_share_one_shuffled_neutral_namespace_without_collisions() -> (
    None
):
    seen = set()
    for seed in range(20):
        dealt = game(voices=4, people=1, seed=seed)
        labels = list(dealt.pseudonym_map.values())
        assert len(set(labels)) == len(labels) == 8
        assert {v.split()[0] for v in labels} == {"Player", "Option"}
        seen.add(dealt.label("p1"))
    assert len(seen) > 2  # the person is not always the same player


def test_phases_are_strictly_ordered() -> None:
    with pytest.raises(Refused, match="counted once"):
        play.eliminate(talking(), CHANCE)
    with pytest.raises(Refused, match="opened once"):
        play.open_voting(voting())
    done = play.eliminate(against(voting(), v1="SECRET-1"), CHANCE)
    assert done.phase == "elimination"
    with pytest.raises(Refused):
        play.eliminate(done, CHANCE)


def test_messages_outside_discussion_are_refused_with_a_reason() -> None:
    with pytest.raises(Refused, match="game is in voting: messages are taken only"):
        play.with_message(voting(), "v1", "late")


def test_votes_outside_voting_are_refused_with_a_reason() -> None:
    with pytest.raises(Refused, match="game is in discussion: ballots are taken only"):
        against(talking(), v1="SECRET-1")


def test_one_vote_per_player() -> None:
    with pytest.raises(Refused, match="is in already; each has one"):
        against(against(voting(), v1="SECRET-1"), v1="SECRET-2")


def test_eliminated_cannot_vote_be_voted_or_speak() -> None:
    at = against(voting(voices=4, vote_for="players"), v1="v2", v3="v2", v4="v2")
    at = play.begin_round(play.eliminate(at, CHANCE))
    at = play.open_discussion(at, CHANCE)
    with pytest.raises(Refused, match="out of the game and speak"):
        play.with_message(at, "v2", "still here")
    at = play.open_voting(at)
    with pytest.raises(Refused, match="out of the game and vote"):
        against(at, v2="v1")
    with pytest.raises(Refused, match="nothing you can vote against"):
        against(at, v1="v2")


def test_nobody_votes_against_itself() -> None:
    at = voting(vote_for="players")
    assert "v1" not in at.targets("v1")
    with pytest.raises(Refused, match="choose from"):
        against(at, v1="v1")


def test_discussion_ends_by_timer() -> None:
    at = talking()
    assert not play.due(at.model_copy(update={"now": 179.9}))
    assert play.due(at.model_copy(update={"now": 180.0}))


def test_voting_ends_by_timer_or_when_all_active_have_voted() -> None:
    at = voting()
    assert play.due(at.model_copy(update={"now": 60.0}))
    assert not play.due(at)
    assert play.due(against(at, v1="SECRET-1", v2="SECRET-1", v3="SECRET-2"))


def test_most_votes_are_eliminated() -> None:
    done = play.eliminate(against(voting(), v1="SECRET-2", v2="SECRET-2", v3="SECRET-1"), CHANCE)
    assert done.options["SECRET-2"].eliminated
    assert done.closed[-1].rule == "most ballots"
    assert done.eliminated_player == done.label("SECRET-2")


def ranked(*ranking: str, voter: str) -> Ballot:
    return Ballot(round=1, voter=voter, target=ranking[-1], ranking=ranking)


def test_a_tie_goes_to_the_lower_borda_sum_and_then_to_a_draw_by_the_seed() -> None:
    ballots = [ranked("c", "a", "b", voter="x"), ranked("c", "b", "a", voter="y")]
    assert close_round(1, ballots, "abc", CHANCE).rule == "drawn by the seed"
    more = [
        *ballots,
        ranked("a", "b", "c", voter="z"),
        ranked("a", "c", "b", voter="w"),
        ranked("c", "b", "a", voter="q"),
    ]
    done = close_round(1, more, "abc", CHANCE)
    assert (done.drops, done.rule) == ({"a": 2, "b": 2, "c": 1}, "lower Borda sum")
    assert done.out == "b" and done.borda == {"a": 5, "b": 3, "c": 7}
    drawn = {close_round(1, ballots, "abc", seeded(s)).out for s in range(20)}
    assert drawn == {"a", "b"}  # by seed, and only among those that tie
    assert len({close_round(1, ballots, "abc", seeded(3)).out for _ in range(5)}) == 1


def test_without_any_ballot_all_tie_and_the_seed_draws() -> None:
    done = close_round(1, [], "abc", CHANCE)
    assert done.rule == "drawn by the seed"
    assert {close_round(1, [], "abc", seeded(s)).out for s in range(30)} == {"a", "b", "c"}


def test_role_is_revealed_only_at_elimination() -> None:
    at = against(voting(voices=4, people=1, vote_for="players"), v1="v2", v3="v2", p1="v2")
    told = [b for b in at.broadcast_queue if "role" in b.data]
    assert not told
    after = play.eliminate(at, CHANCE)
    out = [b for b in after.broadcast_queue if b.event == "elimination"]
    assert out[0].data["role"] == "ai" and out[0].data["out"] == at.label("v2")


def test_human_eliminated_means_the_voices_win() -> None:
    at = against(voting(voices=4, people=1, vote_for="players"), v1="p1", v2="p1", v3="p1")
    assert play.check_win(play.eliminate(at, CHANCE)).winner == "ai"


def test_enough_voices_out_means_the_human_wins_else_another_round_topic_and_no_votes() -> None:
    given = {"voices": 5, "people": 1, "vote_for": "players", "rounds_to_win": 2}
    at = against(voting(**given), v1="v2", p1="v2")
    at = play.check_win(play.eliminate(at, CHANCE))
    assert at.winner is None
    fresh = play.begin_round(at)
    assert (fresh.round, fresh.votes, fresh.topic) == (2, {}, "snow")
    assert fresh.topic != at.topic
    at = play.open_voting(play.open_discussion(fresh, CHANCE))
    at = play.check_win(play.eliminate(against(at, p1="v3"), CHANCE))
    assert at.winner == "human"


def test_options_go_until_k_remain() -> None:
    at = play.check_win(play.eliminate(against(voting(keep=2), v1="SECRET-1"), CHANCE))
    assert at.winner == "none" and len(at.left) == 2


def test_broadcasts_have_the_events_of_the_design_in_order() -> None:
    at = against(voting(voices=3), v1="SECRET-1", v2="SECRET-1", v3="SECRET-1")
    at = play.begin_round(play.check_win(play.eliminate(at, CHANCE)))
    at = play.reveal(play.open_discussion(at, CHANCE))
    names = [b.event for b in at.broadcast_queue]
    assert (
        names
        == (
            "player_list topic phase phase voted voted voted phase elimination "
            "new_round player_list topic phase phase game_over"
        ).split()
    )


def test_secrets_are_sealed_in_what_is_written_until_the_game_is_over() -> None:
    at = against(voting(people=1), v1="SECRET-1", p1="SECRET-3")
    written = at.model_dump_json()
    assert not set(SECRET) & set(at.model_dump(mode="json"))
    for word in ("secret-role", "Secret Title", "SECRET-", "ann1", "human"):
        assert word not in written
    assert at.key not in written
    over = play.reveal(play.check_win(play.eliminate(at, CHANCE))).model_dump_json()
    assert "SECRET-1" in over and "sealed" not in over


def test_what_was_sealed_is_opened_with_the_same_key_only() -> None:
    text = sealed({"a": ["x"]}, key_of(1))
    assert opened(text, key_of(1)) == {"a": ["x"]}
    with pytest.raises(UnicodeDecodeError):
        opened(text, key_of(2))


def test_borda_and_condorcet_are_counted() -> None:
    ranks = ["abc", "abc", "bca"]
    assert borda(ranks, "abc") == {"a": 4, "b": 4, "c": 1}
    assert condorcet(pairwise(graded(*ranks), "abc"), "abc") == "a"
    assert condorcet(pairwise(graded("abc", "bca", "cab"), "abc"), "abc") is None


def graded(*rankings: str) -> list[dict[str, int]]:
    return [{option: -place for place, option in enumerate(r)} for r in rankings]


def test_what_nobody_sets_apart_beats_nobody_and_has_no_points() -> None:
    even = pairwise([{"a": 3, "b": 3, "c": 1}] * 2, "abc")
    assert even == {("a", "b"): (0, 0), ("a", "c"): (2, 0), ("b", "c"): (2, 0)}
    assert condorcet(even, "abc") is None
    assert points_of(even, "abc") == {"a": 2, "b": 2, "c": 0}
