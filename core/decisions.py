"""What waits for people, and how their answers are taken: each once, checked before it is kept."""

from collections.abc import Iterable
from typing import Any

from pydantic import JsonValue

from core.approval import approval_question
from core.clock import Clock, stamp
from core.errors import CallerError, unknown
from core.events import (
    ApprovalAsked,
    PlanApproved,
    QuestionAnswered,
    QuestionAsked,
    Row,
    RunEnded,
)
from core.modes.spec import Mode
from core.questions import Decision, OpenQuestion, check_answer
from core.store import TRACE, RunFolder
from core.trace import read_events


def open_questions(rows: Iterable[Row], folder: RunFolder) -> tuple[OpenQuestion, ...]:
    """Return the questions that were asked and that nobody has answered, oldest first."""
    found: dict[str, OpenQuestion] = {}
    for row in rows:
        match row.event:
            case QuestionAsked(question=question, deadline=deadline):
                found[question.id] = OpenQuestion(
                    question=question, asked_at=row.ts, deadline=deadline
                )
            case QuestionAnswered(question_id=question_id):
                found.pop(question_id, None)
            case ApprovalAsked():  # how the first release asked
                question = approval_question()
                found[question.id] = OpenQuestion(question=question, asked_at=row.ts)
            case PlanApproved():
                found.pop(approval_question().id, None)
            case _:
                pass
    return tuple(q for q in found.values() if folder.decision(q.question.id) is None)


def decide(
    folder: RunFolder,
    mode: Mode[Any, Any],
    question_id: str,
    answer: JsonValue,
    *,
    by: str,
    clock: Clock,
) -> Decision:
    """Take a person's answer to an open question; the first answer stands.

    Raises CallerError if no such question is open, if *by* may not answer it, if the answer does
    not fit it, or if somebody was faster.
    """
    rows = tuple(read_events(folder.trace_path)) if folder.has(TRACE) else ()
    ended = bool(rows) and isinstance(rows[-1].event, RunEnded)
    asked = () if ended else open_questions(rows, folder)
    waiting = {found.question.id: found.question for found in asked}
    first = folder.decision(question_id)
    if question_id not in waiting and first is None:
        if not waiting:
            raise CallerError(f"run {folder.run_id!r} waits for no answer")
        raise unknown("question", question_id, waiting)
    if first is None:
        question = waiting[question_id]
        check_answer(question, answer, by)
        answer = mode.accept(folder, question, answer)
    return folder.decide(
        Decision(question_id=question_id, by=by, at=stamp(clock.now()), answer=answer)
    )
