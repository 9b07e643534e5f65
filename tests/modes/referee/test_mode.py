"""Each box of refereed moves: the graph, illegal decisions, bounded retries, views, a kill anywhere."""

import asyncio
import json
import logging
import re
from pathlib import Path

import pytest

from core.decisions import decide, open_questions
from core.driving import Outcome, drive
from core.errors import CallerError
from core.events import MessageAdded, NodeEnded, QuestionAsked
from core.graph.build import draw_mermaid
from core.modes import find_mode
from core.modes.referee.state import ONLOOKER, Game
from core.replay import replay
from core.settings import Flags
from core.store import RunFolder
from core.testing import FakeClock
from core.trace import read_events, verify
from tests.faults.forks import SCHEDULES, crashes, print_report, report, said_twice
from tests.modes.referee.tables import begun, driven, parts, positions


def of(folder: RunFolder, kind: type) -> list:
    return [row.event for row in read_events(folder.trace_path) if isinstance(row.event, kind)]


def test_graph_is_start_player_decision_then_continue_or_end() -> None:
    spec = find_mode("referee").spec(Flags())
    assert list(spec.nodes) == ["start_game", "player_agent", "process_decision", "end_game"]
    assert spec.edges == (
        ("__start__", "start_game"),
        ("start_game", "player_agent"),
        ("player_agent", "process_decision"),
        ("end_game", "__end__"),
    )
    _, leads = spec.choices["process_decision"]
    assert leads == ("player_agent", "end_game")
    picture = draw_mermaid(spec)
    assert "process_decision -.-> player_agent" in picture
    assert "process_decision -.-> end_game" in picture


def test_state_has_the_fields_of_the_design() -> None:
    assert {
        "game",
        "current_player_id",
        "messages",
        "turn_history",
        "game_over",
        "winner",
        "last_valid_move",
        "invalid_move_feedback",
    } <= set(Game.model_fields)


def test_game_is_played_to_its_end_and_its_record_holds(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    assert driven(folder).status == "finished"
    last = positions(folder)[-1]
    assert last.game_over
    assert last.winner
    assert len(last.turn_history) == 6
    assert verify(folder.path).problems == ()
    assert folder.read_json("result.json")["forced"] == 0
    assert [e.node for e in of(folder, NodeEnded)][-1] == "end_game"


@pytest.mark.parametrize("wrong", ["play 999", "I would rather not.", "", "play", "PLAY\n; drop"])
def test_illegal_or_unparsable_decision_leaves_the_state_and_asks_the_same_player(
    tmp_path: Path, wrong: str
) -> None:
    heard = []

    def script(player, number, refused):
        heard.append((player, number, len(refused)))
        return wrong if (number, len(refused)) == (2, 0) else None

    folder = begun(tmp_path)
    assert driven(folder, script=script).status == "finished"
    before, refused, after = positions(folder)[1:4]
    same = ("game", "views", "current_player_id", "turn_history", "last_valid_move")
    assert all(getattr(before, name) == getattr(refused, name) for name in same)
    assert refused.invalid_move_feedback
    assert refused.refused[0].text == wrong
    player = before.current_player_id
    assert [h for h in heard if h[1] == 2] == [(player, 2, 0), (player, 2, 1)]
    assert after.invalid_move_feedback == ""
    assert after.refused == ()
    assert after.turn_history[-1].player == player
    assert after.turn_history[-1].refused == 1
    assert after.last_valid_move.text == after.turn_history[-1].action
    assert after.current_player_id


def test_reason_goes_back_to_the_player_in_the_next_asking(tmp_path: Path) -> None:
    reasons = []

    def script(player, number, refused):
        reasons.extend(r.ruling.reason for r in refused)
        return "play 999" if number == 1 and not refused else None

    driven(begun(tmp_path), script=script)
    assert len(reasons) == 1
    assert reasons[0].startswith("you do not hold 999; you hold ")


@pytest.mark.parametrize("retries", [0, 1, 3])
def test_bounded_retries_then_a_forced_legal_move_counted_in_the_log(
    tmp_path: Path, retries: int
) -> None:
    tries = []

    def script(player, number, refused):
        tries.append((player, number))
        return "nonsense" if player == "ann" else None

    folder = begun(tmp_path)
    assert driven(folder, script=script, retries=retries).status == "finished"
    last = positions(folder)[-1]
    hers = [turn for turn in last.turn_history if turn.player == "ann"]
    assert [turn.forced for turn in hers] == [True] * 3
    assert [turn.refused for turn in hers] == [retries + 1] * 3
    assert sum(player == "ann" for player, _ in tries) == 3 * (retries + 1)
    marked = [m for m in last.messages.messages if "forced" in m.marks]
    assert len(marked) == 3
    assert folder.read_json("result.json")["forced"] == 3


def test_every_node_returns_a_new_state_and_same_seed_gives_the_same_game(tmp_path: Path) -> None:
    first, second = begun(tmp_path / "a"), begun(tmp_path / "b")
    driven(first)
    driven(second)
    assert positions(first) == positions(second)
    starts = positions(first)[0]
    assert starts.turn_history == ()
    assert len(starts.game["hands"]["ann"]) == 3


def leaves(value) -> list:
    """Return every plain value within a JSON value."""
    if isinstance(value, dict):
        return [leaf for own in value.values() for leaf in leaves(own)]
    return [leaf for own in value for leaf in leaves(own)] if isinstance(value, list) else [value]


def test_hidden_cards_are_in_no_other_view_event_log_or_snapshot(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def script(player, number, refused):
        return "play 999" if not refused else None

    folder = begun(tmp_path)
    with caplog.at_level(logging.DEBUG):
        driven(folder, script=script)
    assert not re.search(r"\b10[1-6]\b|you hold", caplog.text)
    rows = list(read_events(folder.trace_path))
    for state in positions(folder):
        hands = state.game["hands"]
        for viewer, view in state.views.items():
            hidden = {c for player, hand in hands.items() if player != viewer for c in hand}
            assert not hidden & set(leaves(view)), viewer
        assert state.views[ONLOOKER]["hand"] == []
    played = [turn.action for turn in positions(folder)[-1].turn_history]
    # what a card is called in a line of the trace or the log, it was played by then
    seen: list[str] = []
    for row in rows:
        if isinstance(row.event, MessageAdded):
            seen.append(row.event.opening)
            assert "you hold" not in row.event.opening
    assert [line for line in seen if line.startswith("play")] == played
    assert sum(line.endswith("was refused") for line in seen) == 6
    plain = [r.event.model_dump_json() for r in rows if not isinstance(r.event, MessageAdded)]
    cards = [str(card) for card in range(101, 107)]
    digests = ("digest", "hash")
    for line in plain:
        said = {k: v for k, v in json.loads(line).items() if not any(d in k for d in digests)}
        assert not any(card in json.dumps(said.get("text", "")) for card in cards)
    view = find_mode("referee").view(folder, rows[: len(rows) // 2])
    assert view.table["hand"] == []


def test_person_holds_a_seat_and_sees_their_own_view_only(tmp_path: Path) -> None:
    folder, people = begun(tmp_path), {"bob": "carol"}
    wrong = ["play 999"]
    texts = []
    while driven(folder, people=people).status == "waiting":
        rows = tuple(read_events(folder.trace_path))
        [asked] = open_questions(rows, folder)
        question, state = asked.question, positions(folder)[-1]
        assert question.kind == "take_turn"
        assert question.who == "carol"
        theirs = set(state.game["hands"]["ann"])
        assert not theirs & set(leaves(question.context["view"]))
        assert not any(str(card) in json.dumps(question.context) for card in theirs)
        texts.append(question.text)
        answer = wrong.pop() if wrong else question.context["legal"][0]
        with pytest.raises(CallerError, match="put to 'carol'"):
            decide(folder, find_mode("referee"), question.id, answer, by="ann", clock=FakeClock())
        decide(folder, find_mode("referee"), question.id, answer, by="carol", clock=FakeClock())
    assert len(of(folder, QuestionAsked)) == 4  # three turns, one of them twice
    assert sum("refused" in text for text in texts) == 1
    assert not any("hold" in text for text in texts)
    last = positions(folder)[-1]
    assert [m.author for m in last.messages.messages if "person" in m.marks][-1] == "bob"
    assert folder.read_text("result.md").startswith("# ")


def test_every_state_is_as_its_file_has_it(tmp_path) -> None:
    folder = begun(tmp_path)
    driven(folder)
    for state in positions(folder):
        kept = json.dumps(state.game, sort_keys=True)
        assert json.dumps(state.game) == kept


def test_person_in_a_seat_that_is_none_is_refused_with_the_seats(tmp_path: Path) -> None:
    with pytest.raises(CallerError, match=r"no seat is called 'zoe'.*ann, bob"):
        driven(begun(tmp_path), people={"zoe": ""})


def test_what_there_is_can_be_read_while_a_person_is_waited_for(tmp_path: Path) -> None:
    folder, table = begun(tmp_path), parts(people={"bob": ""})
    asyncio.run(drive(folder, table, FakeClock()))
    text = table.mode.partial_result(folder, table, "waiting for bob")
    assert text.startswith("# Unfinished. waiting for bob")
    assert "[ann]: play " in text
    assert table.mode.remaining(folder) == "1 move made"


def test_run_is_replayed_byte_for_byte(tmp_path: Path) -> None:
    folder = begun(tmp_path / "audits")
    said = {"script": _wrong_once}
    driven(folder, **said)
    found = replay(folder.path, lambda again: parts(**said), tmp_path / "again")
    assert found.first_difference == ""
    assert found.identical


def _wrong_once(player, number, refused):
    return "play 999" if number == 2 and not refused else None


def lived(folder: RunFolder) -> Outcome:
    """Drive a run of one trick to its end, a person in one seat."""
    said = {"people": {"bob": ""}, "script": _wrong_at_first, "cards": 1}
    outcome = driven(folder, **said)
    while outcome.status == "waiting":
        for asked in open_questions(tuple(read_events(folder.trace_path)), folder):
            answer = asked.question.context["legal"][0]
            decide(
                folder, find_mode("referee"), asked.question.id, answer, by="me", clock=FakeClock()
            )
        outcome = driven(folder, **said)
    return outcome


def _wrong_at_first(player, number, refused):
    return "nonsense" if number == 1 and not refused else None


def faults(folder: RunFolder, whole: RunFolder) -> list[str]:
    outcome = lived(folder)
    proof = verify(folder.path)
    checks = {
        f"status {outcome.status}": outcome.status == "finished",
        "another result": folder.read_text("result.md") == whole.read_text("result.md"),
        f"verify: {proof.problems}": proof.ok,
        "said twice": not said_twice(folder.trace_path),
    }
    return [fault for fault, fine in checks.items() if not fine]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_killed_anywhere_it_goes_on_to_the_same_end(schedule: str) -> None:
    found = report("tests.modes.referee.test_mode", schedule)
    assert found["kills"] == len(found["points"]) > (50 if schedule == "every" else 18)
    assert found["faults"] == []
    assert "before aput" in found["points"]


if __name__ == "__main__":
    print_report(lambda schedule: crashes(schedule, begun, lived, faults))
