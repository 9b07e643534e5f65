"""Questions to people: asked once, answered once, by whom they are put to, in time or by default."""

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from core.approval import approval_question
from core.decisions import decide, open_questions
from core.driving import Outcome, drive
from core.errors import CallerError, Waiting
from core.events import ApprovalAsked, PlanApproved, PlanProposed, QuestionAnswered, QuestionAsked
from core.graph.files import notes, read_plan
from core.graph.state import GraphState, GraphTask
from core.modes import find_mode
from core.questions import Question, answer_from_text, check_answer, check_question
from core.replay import replay
from core.settings import Flags, RunOptions
from core.store import RunFolder, RunStore
from core.testing import FakeClock, FakeParts, fake_task
from core.trace import Trace, read_events, verify

PLAN = (fake_task("T1"), fake_task("T2", "T1"))
SHORTER = (fake_task("T1"),)
VOTE = Question(
    id="vote-1", kind="vote", text="Which one goes?", answer_schema={"enum": ["A", "B"]}
)


async def heeds_notes(state: GraphState) -> tuple[GraphTask, ...]:
    return SHORTER if state.sent_back else PLAN


@dataclass
class Asked:
    """A run of a plan that a person must approve, one way."""

    root: Path
    mode: str = "graph"
    clock: FakeClock = field(default_factory=FakeClock)

    def __post_init__(self) -> None:
        flags = Flags(APPROVAL_REQUIRED=True)
        self.options = RunOptions(mode=self.mode, flags=flags)
        self.folder = RunStore(self.root).create("run", self.options, {"idea": "bake"})
        self.parts = self.made(self.folder)

    def made(self, folder: RunFolder) -> FakeParts:
        return FakeParts(PLAN, self.options, planner=heeds_notes)

    def go(self) -> Outcome:
        return asyncio.run(drive(self.folder, self.parts, self.clock))

    def answer(self, question_id: str, answer: Any, by: str = "ann") -> None:
        mode = find_mode(self.mode)
        decide(self.folder, mode, question_id, answer, by=by, clock=self.clock)

    def of(self, kind: type) -> list[Any]:
        rows = read_events(self.folder.trace_path)
        return [row.event for row in rows if isinstance(row.event, kind)]

    def waiting_for(self) -> list[str]:
        rows = tuple(read_events(self.folder.trace_path))
        return [asked.question.id for asked in open_questions(rows, self.folder)]


every_mode = pytest.mark.parametrize("mode", ["graph", "classic"])


@every_mode
def test_a_plan_that_is_sent_back_is_planned_again_with_the_note(
    tmp_path: Path, mode: str
) -> None:
    run = Asked(tmp_path, mode)
    assert run.go().status == "waiting"
    assert run.waiting_for() == ["approve-plan"]
    run.answer("approve-plan", {"verdict": "send_back", "note": "One task will do."})
    assert run.go().status == "waiting"
    assert run.waiting_for() == ["approve-plan-2"]
    assert notes(run.folder) == ("One task will do.",)
    run.answer("approve-plan-2", "approve", by="bob")
    assert run.go().status == "finished"
    plan = read_plan(run.folder)
    assert plan
    assert plan.tasks == SHORTER
    assert [event.tasks for event in run.of(PlanProposed)] == [2, 1]
    assert [(e.by, e.edited) for e in run.of(PlanApproved)] == [("bob", False)]
    assert [e.by for e in run.of(QuestionAnswered)] == ["ann", "bob"]
    assert run.parts.worked == [("T1", 1)]
    assert verify(run.folder.path).problems == ()
    found = replay(run.folder.path, run.made, tmp_path / "again")
    assert found.first_difference == ""


@every_mode
def test_a_run_stopped_at_its_plan_ends_with_what_there_is(tmp_path: Path, mode: str) -> None:
    run = Asked(tmp_path, mode)
    run.go()
    run.answer("approve-plan", {"verdict": "stop", "note": "Too dear."})
    outcome = run.go()
    assert (outcome.status, outcome.exit_code) == ("stopped", 4)
    assert "ann" in outcome.reason
    assert run.parts.worked == []
    assert "Too dear." in run.folder.read_text("proposal.md")
    assert verify(run.folder.path).problems == ()
    assert run.go().status == "stopped"
    assert replay(run.folder.path, run.made, tmp_path / "again").first_difference == ""


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("maybe", "neither of: one of approve, stop"),
        ({"verdict": "nope"}, r"verdict: 'nope' is not one of \['approve', 'send_back', 'stop'\]"),
        ({"verdict": "send_back"}, "does not fit: 'note' is a required property"),
        ({"verdict": "send_back", "note": " "}, "does not fit: note: ' ' does not match"),
        ({"verdict": "send_back", "note": "\udcff"}, "kept as JSON .* use plain text"),
        ({"verdict": "approve", "tasks": []}, r"does not fit: tasks: \[\] should be non-empty"),
        ({"verdict": "approve", "tasks": [{"id": "T1"}]}, "the edited plan cannot be read"),
        (
            {"verdict": "approve", "tasks": [fake_task("T1", "T9").model_dump(mode="json")]},
            "no task of this plan",
        ),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_and_the_question_stays(
    tmp_path: Path, answer: Any, told: str
) -> None:
    run = Asked(tmp_path)
    run.go()
    with pytest.raises(CallerError, match=told) as refused:
        run.answer("approve-plan", answer)
    assert "\n" not in str(refused.value)
    assert run.waiting_for() == ["approve-plan"]
    run.answer("approve-plan", "approve")
    assert run.go().status == "finished"


def test_an_unchanged_plan_is_no_edit(tmp_path: Path) -> None:
    run = Asked(tmp_path)
    run.go()
    same = [task.model_dump(mode="json") for task in PLAN]
    run.answer("approve-plan", {"verdict": "approve", "tasks": same})
    run.go()
    assert [e.edited for e in run.of(PlanApproved)] == [False]


def test_another_question_than_the_open_one_is_named_with_the_open_ones(tmp_path: Path) -> None:
    run = Asked(tmp_path)
    run.go()
    with pytest.raises(CallerError, match=r"unknown question 'approve'.*approve-plan"):
        run.answer("approve", "approve")


def test_only_the_person_it_is_put_to_may_answer() -> None:
    mine = VOTE.model_copy(update={"who": "ann"})
    check_answer(mine, "A", "ann")
    with pytest.raises(CallerError, match="is put to 'ann', not to 'bob'"):
        check_answer(mine, "A", "bob")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("approve", "approve"),
        ('"A"', "A"),
        ("3", 3),
        ('{"a": [1]}', {"a": [1]}),
        ("{oops", "{oops"),
    ],
)
def test_an_answer_is_typed_as_json_or_as_itself(text: str, value: Any) -> None:
    assert answer_from_text(text) == value


def kit_of(folder: RunFolder, trace: Trace, clock: FakeClock) -> Any:
    return FakeParts(PLAN, RunOptions()).kit(folder, trace.record, clock)


def test_all_questions_are_open_at_once(tmp_path: Path) -> None:
    clock, folder = FakeClock(), RunStore(tmp_path).create("run", RunOptions(), {"idea": "x"})
    other = VOTE.model_copy(update={"id": "vote-2"})
    with Trace(folder.trace_path, "run", clock) as trace:
        kit = kit_of(folder, trace, clock)
        with pytest.raises(Waiting):
            kit.ask(VOTE, other)
        opened = open_questions(trace.rows, folder)
        assert [asked.question.id for asked in opened] == ["vote-1", "vote-2"]
        mode = find_mode("graph")
        decide(folder, mode, "vote-2", "B", by="bob", clock=clock)
        with pytest.raises(Waiting):
            kit.ask(VOTE, other)
        decide(folder, mode, "vote-1", "A", by="ann", clock=clock)
        assert [decision.answer for decision in kit.ask(VOTE, other)] == ["A", "B"]
        asked = [r.event for r in trace.rows if isinstance(r.event, QuestionAsked)]
        assert len(asked) == 2


def test_two_questions_of_one_id_are_a_fault_of_whoever_asks_them(tmp_path: Path) -> None:
    clock, folder = FakeClock(), RunStore(tmp_path).create("run", RunOptions(), {"idea": "x"})
    with Trace(folder.trace_path, "run", clock) as trace:
        kit = kit_of(folder, trace, clock)
        with pytest.raises(ValueError, match="two questions have the id 'vote-1'; give each one"):
            kit.ask(VOTE, VOTE.model_copy(update={"text": "Which one stays?"}))
        broken = VOTE.model_copy(update={"answer_schema": {"type": "strin"}})
        with pytest.raises(ValueError, match="'vote-1' is no JSON schema: 'strin'"):
            kit.ask(broken)
        assert not trace.rows  # nothing is asked that nobody could answer


def test_a_default_that_is_no_answer_is_refused() -> None:
    with pytest.raises(ValueError, match="deadline of question 'vote-1', None, does not fit"):
        check_question(VOTE.model_copy(update={"within_s": 60.0}))


def test_at_its_deadline_a_question_takes_its_default_and_the_late_are_told(
    tmp_path: Path,
) -> None:
    clock, folder = FakeClock(), RunStore(tmp_path).create("run", RunOptions(), {"idea": "x"})
    timed = VOTE.model_copy(update={"within_s": 60.0, "otherwise": "B"})
    with Trace(folder.trace_path, "run", clock) as trace:
        kit = kit_of(folder, trace, clock)
        with pytest.raises(Waiting):
            kit.ask(timed)
        clock.start += timedelta(seconds=30)
        with pytest.raises(Waiting):
            kit.ask(timed)
        clock.start += timedelta(seconds=31)
        [decision] = kit.ask(timed)
        assert (decision.by, decision.answer) == ("deadline", "B")
        with pytest.raises(CallerError, match="already answered by 'deadline'"):
            decide(folder, find_mode("graph"), "vote-1", "A", by="ann", clock=clock)


@pytest.mark.parametrize("empty", ["", 0, False, []])
def test_an_empty_default_is_an_answer_and_is_kept(empty) -> None:
    timed = VOTE.model_copy(update={"within_s": 60.0, "otherwise": empty})
    assert type(VOTE).model_validate_json(timed.model_dump_json()) == timed
    assert "otherwise" not in VOTE.model_dump(mode="json")


def test_a_run_that_waits_since_the_first_release_can_be_answered(tmp_path: Path) -> None:
    run = Asked(tmp_path)
    with Trace(run.folder.trace_path, "run", run.clock) as trace:
        trace.record(ApprovalAsked(plan_digest=""))
    assert run.waiting_for() == [approval_question().id]
    run.answer("approve-plan", "approve")
    assert run.waiting_for() == []
