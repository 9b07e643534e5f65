"""A run of the compiled graph: its nodes, a person by questions, crashes, replay, leaks."""

import asyncio
import logging
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from core.decisions import decide, open_questions
from core.driving import Outcome, drive
from core.events import NodeEnded, QuestionAnswered, QuestionAsked, RoundClosed
from core.graph.build import draw_mermaid
from core.modes import find_mode
from core.modes.downselect.play import FALLBACK
from core.modes.downselect.views import restored
from core.modes.downselect.voices import FILLER
from core.replay import replay
from core.settings import Flags, RunOptions
from core.store import RunFolder, RunStore
from core.testing import FakeClock, FakeParts
from core.trace import read_events, verify
from dr_rd.report.bundle import exported
from tests.faults.forks import SCHEDULES, crashes, print_report, report, said_twice
from tests.modes.downselect.tables import (
    Scripted,
    ScriptedTable,
    Steady,
    Unreadable,
    table,
)

OPTIONS = RunOptions(mode="downselect", seed=3)


def parts(made: ScriptedTable, options: RunOptions = OPTIONS) -> FakeParts:
    return FakeParts((), options, make_content=lambda kit: made)


def begun(root: Path, options: RunOptions = OPTIONS) -> RunFolder:
    return RunStore(root).create("run", options, {"idea": "choose"})


def steady(people: int = 0, **rules: Any) -> ScriptedTable:
    return table({f"v{n}": Steady(f"v{n}") for n in (1, 2, 3)}, people, **rules)


def driven(folder: RunFolder, made: ScriptedTable, options: RunOptions = OPTIONS) -> Outcome:
    return asyncio.run(drive(folder, parts(made, options), FakeClock()))


def of(folder: RunFolder, kind: type) -> list[Any]:
    return [row.event for row in read_events(folder.trace_path) if isinstance(row.event, kind)]


def answer(folder: RunFolder) -> list[str]:
    """Answer whatever is open, as a person would."""
    asked = open_questions(tuple(read_events(folder.trace_path)), folder)
    for one in asked:
        q = one.question
        words = "I like the second." if q.kind == "take_turn" else q.answer_schema["enum"][0]
        decide(folder, find_mode("downselect"), q.id, words, by=q.who or "ann", clock=FakeClock())
    return [one.question.id for one in asked]


def lived(folder: RunFolder, made: ScriptedTable) -> Outcome:
    outcome = driven(folder, made)
    while outcome.status == "waiting":
        answer(folder)
        outcome = driven(folder, made)
    return outcome


def last_game(folder: RunFolder):
    return restored(of(folder, NodeEnded)[-1].state_digest, folder)


def test_the_graph_has_the_nodes_and_arrows_of_the_design() -> None:
    spec = find_mode("downselect").spec(Flags())
    assert (
        list(spec.nodes)
        == (
            "initialize_game discussion_phase ai_chat_agent voting_phase ai_vote_agent elimination "
            "check_win_condition new_round game_over"
        ).split()
    )
    arrows = {(a, b) for a in ("__start__", *spec.nodes) for b in spec.targets(a)}
    assert arrows == {
        ("__start__", "initialize_game"),
        ("initialize_game", "discussion_phase"),
        ("initialize_game", "game_over"),  # where the hard limits leave nothing to vote on
        ("discussion_phase", "ai_chat_agent"),
        ("ai_chat_agent", "ai_chat_agent"),
        ("ai_chat_agent", "voting_phase"),
        ("voting_phase", "ai_vote_agent"),
        ("ai_vote_agent", "ai_vote_agent"),
        ("ai_vote_agent", "elimination"),
        ("elimination", "check_win_condition"),
        ("check_win_condition", "new_round"),
        ("check_win_condition", "game_over"),
        ("new_round", "discussion_phase"),
        ("game_over", "__end__"),
    }
    assert "ai_vote_agent" in draw_mermaid(spec)


def test_it_goes_round_by_round_until_k_remain(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    assert driven(folder, steady()).status == "finished"
    nodes = [e.node for e in of(folder, NodeEnded)]
    assert nodes[0] == "initialize_game" and nodes[-1] == "game_over"
    assert nodes.count("elimination") == 2 and nodes.count("new_round") == 1
    assert [e.out for e in of(folder, RoundClosed)] == ["Option C", "Option B"]
    assert verify(folder.path).problems == ()
    game = last_game(folder)
    assert len(game.left) == 1
    assert sorted((b.round, b.voter) for b in game.ballots) == [
        (r, f"v{n}") for r in (1, 2) for n in (1, 2, 3)
    ]


def test_a_vote_names_a_label_and_is_mapped_back_to_the_real_id(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    driven(folder, table({f"v{n}": Scripted(votes=["Option B"]) for n in (1, 2, 3)}, keep=2))
    game = last_game(folder)
    [target] = {b.target for b in game.ballots}
    assert target in game.options and game.label(target) == "Option B"
    assert game.options[target].eliminated


def test_discussion_ends_when_nobody_is_pending(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    driven(folder, table({f"v{n}": Scripted(lines=["once"]) for n in (1, 2, 3)}, keep=2))
    game = last_game(folder)
    assert len(game.chat_history) == 3 < game.rules.messages_a_round + 1
    assert game.pending_ai_messages == ()
    assert game.now < game.rules.discussion_s  # well before the timer


def test_no_one_speaks_twice_running_and_messages_of_a_round_are_bounded(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    driven(
        folder, table({f"v{n}": Scripted(lines=["x"] * 50) for n in (1, 2, 3)}, messages_a_round=7)
    )
    said = [m for m in last_game(folder).chat_history.messages if m.round == 1]
    assert len(said) == 7
    assert all(a.author != b.author for a, b in pairwise(said))


def test_a_decision_sees_the_last_eight_messages_share_last_speaker_and_quiet_time(
    tmp_path: Path,
) -> None:
    folder = begun(tmp_path)
    voices = {f"v{n}": Scripted(lines=["x"] * 50) for n in (1, 2, 3)}
    driven(folder, table(voices, messages_a_round=12))
    looks = [look for v in voices.values() for kind, look in v.seen if kind == "wish"]
    assert max(len(look.lines) for look in looks) == 8
    assert all(look.last_speaker != look.you for look in looks)
    assert any(look.quiet_s == 0 for look in looks) and any(0 < look.share < 1 for look in looks)


def unreadable() -> ScriptedTable:
    return table({f"v{n}": Unreadable(lines=["x"] * 9) for n in (1, 2, 3)}, keep=2)


def test_a_decision_that_cannot_be_read_falls_back_to_a_seeded_chance(tmp_path: Path) -> None:
    spoke = 0
    for seed in range(2):
        options = RunOptions(mode="downselect", seed=seed)
        folder = begun(tmp_path / str(seed), options)
        driven(folder, unreadable(), options)
        game = last_game(folder)
        assert all("30% by chance" in w.reason for w in game.wishes if "last" not in w.reason)
        again = begun(tmp_path / f"{seed}b", options)
        driven(again, unreadable(), options)
        assert last_game(again).wishes == game.wishes
        spoke += sum(w.should_respond for w in game.wishes)
        total = len(game.wishes)
    assert FALLBACK == 0.3 and spoke > 0
    assert total


def test_words_that_fail_become_a_filler_that_is_flagged(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    driven(folder, table({"v1": Scripted(lines=["?"]), "v2": Scripted(), "v3": Scripted()}))
    [said] = last_game(folder).chat_history.messages
    assert (said.text, said.marks) == (FILLER, ("filler",))


def test_an_illegal_vote_is_asked_again_at_most_three_times_and_then_drawn(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    good = Scripted(votes=["Player 9", "?", "Option B"])
    bad = Scripted(votes=["nobody"])
    driven(folder, table({"v1": good, "v2": bad, "v3": Scripted()}, keep=2))
    game = last_game(folder)
    ballots = {b.voter: b for b in game.ballots}
    assert ballots["v1"].tries == 3 and game.label(ballots["v1"].target) == "Option B"
    assert good.refusals == ["", "'Player 9' is nobody you can vote against", "no ballot"]
    assert ballots["v2"].marks == ("by chance",) and ballots["v2"].target in game.options
    assert bad.voted == 3


def test_silence_gives_one_proactive_turn_in_a_run(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    shy = Scripted(lines=["well"], wishes=[False, True])
    driven(folder, table({"v1": shy, "v2": Scripted(), "v3": Scripted()}, keep=2))
    wishes = [look for kind, look in shy.seen if kind == "wish"]
    assert [w.proactive for w in wishes] == [False, True]
    assert wishes[1].quiet_s >= 10
    assert len(last_game(folder).chat_history) == 1


def test_cool_down_passes_between_messages_of_voices(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    driven(folder, steady(keep=2))
    times = [
        restored(e.state_digest, folder).last_message_time
        for e in of(folder, NodeEnded)
        if e.node == "ai_chat_agent"
    ]
    gaps = [b - a for a, b in pairwise(times) if b != a]
    assert len(gaps) == 2 and min(gaps) >= 10


def test_a_person_takes_part_by_question_under_a_label_that_no_question_tells(
    tmp_path: Path,
) -> None:
    folder, made = begun(tmp_path), steady(people=1)
    assert driven(folder, made).status == "waiting"
    assert answer(folder) == ["say-1-1"]
    assert driven(folder, made).status == "waiting"
    assert answer(folder) == ["vote-1-1"]
    assert lived(folder, made).status == "finished"
    game = last_game(folder)
    mine = [m for m in game.chat_history.messages if m.author == game.label("p1")]
    assert [m.text for m in mine] == ["I like the second."] * 2
    assert [b.target for b in game.ballots if b.voter == "p1"]
    for event in of(folder, QuestionAsked):
        assert game.label("p1") not in event.question.text
        assert not {"role", "ballots"} & set(event.question.context)
    assert len(of(folder, QuestionAnswered)) == 4


def test_a_person_may_pass_and_abstain_and_its_time_may_run_out(tmp_path: Path) -> None:
    folder, made = begun(tmp_path), steady(people=1, keep=2)
    late = made.opening.model_copy(update={"within_s": 30.0})
    made = ScriptedTable(made.voices, late)
    clock = FakeClock()
    for _ in range(4):
        outcome = asyncio.run(drive(folder, parts(made), clock))
        clock.slept.append(31.0)
    assert outcome.status == "finished"
    game = last_game(folder)
    assert all(b.voter != "p1" for b in game.ballots)


def leaky_words(folder: RunFolder) -> tuple[str, ...]:
    return ("SECRET-", "secret-role", "Secret Title")


def test_nothing_that_is_written_shown_or_logged_reveals_a_secret_before_the_end(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder, made = begun(tmp_path), steady(people=1)
    with caplog.at_level(logging.DEBUG):
        driven(folder, made)
        answer(folder)
        driven(folder, made)
        answer(folder)
        driven(folder, made)  # the second round waits for the person
    words = leaky_words(folder)
    for path in folder.path.rglob("*"):
        if path.is_file():
            held = path.read_bytes().decode("utf-8", "replace")
            assert not [w for w in words if w in held], path.name
    run = parts(made)
    page = find_mode("downselect").view(folder, list(read_events(folder.trace_path)))
    bundle = exported(folder, run, "zip")
    shown = (
        exported(folder, run, "md").decode()
        + page.model_dump_json()
        + caplog.text
        + bundle.decode("latin-1")
    )
    assert not [w for w in words if w in shown]
    assert page.my_ballot is None and page.revealed is None
    lived(folder, made)
    assert "SECRET-" in folder.read_text("result.md")


def test_what_a_voice_is_shown_holds_labels_only(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    voices = {f"v{n}": Scripted(lines=["x"]) for n in (1, 2, 3)}
    driven(folder, table(voices))
    for voice in voices.values():
        for _, look in voice.seen:
            held = look.model_dump_json()
            assert not [w for w in leaky_words(folder) if w in held]


def test_it_is_replayed_byte_for_byte(tmp_path: Path) -> None:
    folder, made = begun(tmp_path / "audits"), steady(people=1)
    lived(folder, made)
    found = replay(folder.path, lambda again: parts(made, again.options()), tmp_path / "again")
    assert found.first_difference == ""
    assert found.identical


def test_the_same_seed_gives_the_same_game_and_another_seed_another(tmp_path: Path) -> None:
    texts = []
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        options = RunOptions(mode="downselect", seed=seed)
        folder = begun(tmp_path / name, options)
        driven(folder, steady(), options)
        texts.append(folder.read_text("result.md"))
    assert texts[0] == texts[1] != texts[2]


def test_a_game_between_participants_runs_in_the_same_graph(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    made = table(
        {f"v{n}": Steady(f"v{n}") for n in range(1, 5)}, 1, vote_for="players", rounds_to_win=2
    )
    assert lived(folder, made).status == "finished"
    game = last_game(folder)
    assert game.winner in ("human", "ai")
    assert game.topic in ("rain", "snow", "fog")
    assert all(b.target != b.voter for b in game.ballots)


SMALL = table({"v1": Steady("v1")}, 1, keep=2, messages_a_round=1)


def faults(folder: RunFolder, whole: RunFolder) -> list[str]:
    outcome = lived(folder, SMALL)
    proof = verify(folder.path)
    checks = {
        f"status {outcome.status}": outcome.status == "finished",
        "another result": folder.read_text("result.md") == whole.read_text("result.md"),
        f"verify: {proof.problems}": proof.ok,
        "said twice": not said_twice(folder.trace_path),
    }
    return [fault for fault, fine in checks.items() if not fine]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_killed_at_every_node_and_event_it_goes_on_to_the_same_end(schedule: str) -> None:
    found = report("tests.modes.downselect.test_run", schedule)
    assert found["faults"] == []
    assert found["kills"] == len(found["points"]) > (60 if schedule == "every" else 20)
    assert "before result.json" in found["points"]


if __name__ == "__main__":
    print_report(lambda schedule: crashes(schedule, begun, lambda run: lived(run, SMALL), faults))
