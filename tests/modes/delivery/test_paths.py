"""Whole deliveries with scripted stages: with and without architect, rework, escalation, people."""

from pathlib import Path

import pytest

from core.decisions import decide, open_questions
from core.errors import CallerError, TaskError
from core.events import MessageAdded, QuestionAnswered, QuestionAsked, RouteTaken, WorkflowStarted
from core.modes import find_mode
from core.modes.delivery import Ask, Block, Config, Option, Update
from core.replay import replay
from core.runs import RunService
from core.store import RunFolder, RunStore
from core.testing import FakeClock
from core.trace import read_events, verify
from tests.modes.delivery.script import (
    BLOCKED,
    FINE,
    LOST,
    OPTIONS,
    Script,
    answer,
    begun,
    driven,
    last_state,
    nodes,
    of,
    parts,
    routes,
)

ROOT = Path(__file__).parents[3]
ARCHITECT = {"pm": [Update(said="three tasks share a choice", needs_architecture=True)]}
STUCK = Update(said="the money is not said", escalate_to_human=True)
SCOPE = Ask(
    id="money",
    text="Does the limit pay staff?",
    options=(
        Option(answer="no", does="the limit holds"),
        Option(answer="rework", does="dev prices staff", leads="rework"),
        Option(answer="stop", does="it ends here", leads="end"),
    ),
    known={"headroom": 3564},
    tried=("size 8 to 12",),
    blocks=("T05",),
    meanwhile=("T01", "T02"),
)
ASKED = LOST.model_copy(update={"asks": (SCOPE,)})


def test_without_architect_it_goes_straight_to_dev(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    assert driven(folder, Script()).status == "finished"
    assert nodes(folder) == ["analyst", "pm", "dev", "tea", "close"]
    assert verify(folder.path).problems == ()


def test_with_architect_it_goes_there_first(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    driven(folder, Script(ARCHITECT))
    assert nodes(folder) == ["analyst", "pm", "architect", "dev", "tea", "close"]


def test_one_rework_clears_the_gate_when_the_fix_starts(tmp_path: Path) -> None:
    folder, script = begun(tmp_path), Script({"tea": [BLOCKED, FINE]})
    assert driven(folder, script).status == "finished"
    assert nodes(folder) == ["analyst", "pm", "dev", "tea", "dev", "tea", "close"]
    second = [state for name, state in script.seen if name == "dev"][1]
    assert (second.gate_blocked, second.round) == (False, 1)
    assert second.blocks == BLOCKED.blocks  # what it is to mend


def test_rework_is_bounded_and_exhausted_goes_to_a_person(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    outcome = driven(folder, Script({"tea": [BLOCKED]}))
    assert (outcome.status, outcome.exit_code) == ("waiting", 4)
    assert nodes(folder).count("dev") == 3
    [asked] = of(folder, QuestionAsked)
    assert asked.question.kind == "unblock"
    assert "rework is used up, 2 of 2 rounds used" in asked.question.text


def test_nothing_mendable_stops_the_loop_at_once_and_asks(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    assert driven(folder, Script({"tea": [ASKED]})).exit_code == 4
    assert nodes(folder).count("dev") == 1
    [asked] = of(folder, QuestionAsked)
    assert asked.question.id == "money"
    assert asked.question.context == {
        "known": {"headroom": 3564},
        "answers": {
            "no": "the limit holds",
            "rework": "dev prices staff",
            "stop": "it ends here",
        },
        "tried": ["size 8 to 12"],
        "blocks": ["T05"],
        "meanwhile": ["T01", "T02"],
    }
    assert folder.read_text("result.md").startswith("# no-go")  # it can be read meanwhile


@pytest.mark.parametrize("stage", ["analyst", "pm", "architect", "dev", "tea"])
def test_any_stage_that_is_stuck_waits_for_a_person_and_goes_on(
    stage: str, tmp_path: Path
) -> None:
    says = {**ARCHITECT, stage: [STUCK.model_copy(update={"needs_architecture": True}), FINE]}
    if stage != "tea":
        says[stage] = [STUCK.model_copy(update={"needs_architecture": True})]
    folder, script = begun(tmp_path), Script(says)
    assert driven(folder, script).status == "waiting"
    assert nodes(folder)[-1] == stage
    answer(folder, "again" if stage == "tea" else "go-on")
    assert driven(folder, script).status == "finished"
    assert not last_state(folder).escalate_to_human
    assert nodes(folder)[-2:] == ["tea", "close"]


def test_a_person_ends_it(tmp_path: Path) -> None:
    folder, script = begun(tmp_path), Script({"tea": [ASKED]})
    driven(folder, script)
    answer(folder, "stop")
    outcome = driven(folder, script)
    assert (outcome.status, outcome.exit_code) == ("failed_gate", 3)
    assert routes(folder)[-2:] == [("escalate", "close"), ("close", "__end__")]


def test_a_person_grants_all_rounds_anew(tmp_path: Path) -> None:
    folder, script = begun(tmp_path), Script({"tea": [ASKED, FINE]})
    driven(folder, script)
    answer(folder, "rework")
    assert driven(folder, script).status == "finished"
    assert nodes(folder)[-4:] == ["escalate", "dev", "tea", "close"]


def test_an_answer_is_judged_by_the_gate_and_not_asked_again(tmp_path: Path) -> None:
    folder, script = begun(tmp_path), Script({"tea": [ASKED]})
    driven(folder, script)
    answer(folder, "no")
    assert driven(folder, script).status == "failed_gate"  # the block stays: it says so, and ends
    assert script.seen[-1][1].settled == {"money": "no"}
    assert len(of(folder, QuestionAsked)) == len(of(folder, QuestionAnswered)) == 1


def test_unattended_it_ends_with_what_is_open(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    script = Script({"tea": [ASKED]}, Config(when_stuck="report"))
    assert driven(folder, script).exit_code == 3
    assert of(folder, QuestionAsked) == []
    assert "no figure" in folder.read_text("result.md")


def test_messages_accumulate_in_order_with_their_author(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    driven(folder, Script({"tea": [BLOCKED, FINE]}))
    said = last_state(folder).messages.messages
    assert [m.author for m in said] == ["analyst", "pm", "dev", "tea", "dev", "tea"]
    assert [m.round for m in said] == [0, 0, 0, 0, 1, 1]
    assert [e.number for e in of(folder, MessageAdded)] == [1, 2, 3, 4, 5, 6]


def test_what_a_stage_leaves_reaches_the_next_ones(tmp_path: Path) -> None:
    script = Script({"analyst": [Update(said="x", handoff={"requirements": 3})]})
    driven(begun(tmp_path), script)
    name, state = script.seen[1]
    assert (name, state.handoff_context) == ("pm", {"analyst": {"requirements": 3}})
    assert state.current_agent == "analyst"


def test_each_route_is_on_record_with_destination_and_reason(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    driven(folder, Script({"tea": [BLOCKED, FINE]}))
    [started] = of(folder, WorkflowStarted)
    assert (started.thread_id, started.entry) == ("run", "analyst")
    found = of(folder, RouteTaken)
    assert [(e.source, e.destination) for e in found] == routes(folder)
    assert all(e.reason for e in found)
    assert [e.number for e in found] == list(range(1, len(found) + 1))
    assert "b1" not in found[3].reason and "1 mendable" in found[3].reason


def test_a_stage_that_fails_is_marked_and_a_person_decides(tmp_path: Path) -> None:
    script = Script({"pm": [TaskError("the model gave nothing"), Update(said="now it did")]})
    folder = begun(tmp_path)
    assert driven(folder, script).status == "waiting"
    failed = last_state(folder).messages.messages[-1]
    assert (failed.marks, failed.text) == (("failed",), "pm failed: the model gave nothing")
    answer(folder, "go-on")
    assert driven(folder, script).status == "finished"


def test_the_entry_can_be_another_stage(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    driven(folder, Script(config=Config(entry="dev")))
    assert nodes(folder) == ["dev", "tea", "close"]


def test_stages_can_be_injected_and_put_in_another_order(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    config = Config(stages=("analyst", "spare", "dev", "tea"))
    driven(folder, Script(config=config))
    assert nodes(folder) == ["analyst", "spare", "dev", "tea", "close"]


def test_of_two_people_one_answer_counts_and_the_other_is_told(tmp_path: Path) -> None:
    folder, script = begun(tmp_path), Script({"tea": [ASKED]})
    driven(folder, script)
    answer(folder, "no", by="ann")
    with pytest.raises(CallerError, match="ann"):
        decide(folder, find_mode("delivery"), "money", "stop", by="bob", clock=FakeClock())
    driven(folder, script)
    assert last_state(folder).settled == {"money": "no"}


def test_an_answer_that_is_none_of_the_choices_is_refused(tmp_path: Path) -> None:
    folder, script = begun(tmp_path), Script({"tea": [ASKED]})
    driven(folder, script)
    with pytest.raises(CallerError, match="does not fit"):
        answer(folder, "perhaps")
    assert len(open_questions(tuple(read_events(folder.trace_path)), folder)) == 1


def test_an_unsent_draft_leaves_no_trace(tmp_path: Path) -> None:
    folder, script = begun(tmp_path), Script({"tea": [ASKED]})
    driven(folder, script)
    with pytest.raises(CallerError):
        answer(folder, "my secret draft 4711")
    written = [p.read_bytes() for p in folder.path.rglob("*") if p.is_file()]
    assert not any(b"secret draft" in data for data in written)


def test_it_is_answered_through_the_service_and_seen_while_it_waits(tmp_path: Path) -> None:
    script = Script({"tea": [ASKED]})
    service = RunService(RunStore(tmp_path), lambda folder: parts(script), FakeClock())
    run_id = service.start(OPTIONS, {"idea": "bread"})
    assert service.wait(run_id, 30).status == "waiting"
    look = service.snapshot(run_id)
    assert look.view.state.gate_blocked
    assert [q.question.id for q in look.questions] == ["money"]
    service.answer(run_id, "money", "stop", by="ann")
    assert service.wait(run_id, 30).status == "failed_gate"
    service.close()


def test_what_there_is_can_be_read_while_it_waits(tmp_path: Path) -> None:
    folder, script = begun(tmp_path), Script({"analyst": [STUCK]})
    driven(folder, script)
    made = parts(script)
    assert "the money is not said" in made.mode.partial_result(folder, made, "waiting")


def test_it_is_replayed_byte_for_byte(tmp_path: Path) -> None:
    folder, script = begun(tmp_path), Script({**ARCHITECT, "tea": [BLOCKED, ASKED, FINE]})
    driven(folder, script)
    answer(folder, "no")
    assert driven(folder, script).status == "finished"
    found = replay(folder.path, lambda again: parts(script), tmp_path / "again")
    assert found.first_difference == ""
    assert found.identical


def test_a_loop_without_end_is_cut_off_by_the_step_limit_only_if_people_feed_it(
    tmp_path: Path,
) -> None:
    endless = Update(said="x", blocks=(Block(id="b", text="never", mendable=True),))
    folder, script = begun(tmp_path), Script({"tea": [endless]}, Config(rework_rounds=0))
    for _ in range(5):
        assert driven(folder, script).status == "waiting"
        answer(folder, "rework")
    assert len(of(folder, QuestionAsked)) == 5


def test_checkpointing_disabled_writes_none_and_still_ends(tmp_path: Path) -> None:
    script = Script({"tea": [ASKED, FINE]}, Config(enable_checkpointing=False))
    folder = begun(tmp_path)
    assert driven(folder, script).status == "waiting"
    assert not (folder.path / "checkpoint.sqlite").exists()
    answer(folder, "no")
    assert driven(folder, script).status == "finished"
    assert len(of(folder, MessageAdded)) == 6
    assert not (folder.path / "checkpoint.sqlite").exists()


def test_finished_stages_are_not_done_again_after_a_restart(tmp_path: Path) -> None:
    folder, script = begun(tmp_path), Script({"tea": [ASKED, FINE]})
    driven(folder, script)
    answer(folder, "no")
    later = Script(script.says)  # as another process would have it
    driven(RunFolder(folder.path), later)
    assert [name for name, _ in later.seen] == ["tea"]


def test_two_threads_are_isolated(tmp_path: Path) -> None:
    one, two = begun(tmp_path, "one"), begun(tmp_path, "two")
    driven(one, Script({"tea": [ASKED]}))
    driven(two, Script())
    assert (last_state(one).gate_blocked, last_state(two).gate_blocked) == (True, False)
    assert {event.thread_id for event in of(one, WorkflowStarted)} == {"one"}
