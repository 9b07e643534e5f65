"""What a run of tasks keeps in its folder: the plan, the answers, the proposal's scorecard."""

import json
from collections.abc import Iterable, Iterator, Sequence

from pydantic import Field

from core.approval import Approval, approval_id, read_approval
from core.graph.state import Answer, GraphTask
from core.questions import Decision
from core.scores import Scorecard
from core.store import RunFolder, readable
from core.values import Frozen, unsaid

PLAN, PROPOSAL, SCORECARD = "plan.json", "proposal.md", "scorecard.json"

LEGACY_DECISION = "decision.json"
"""Where the first release kept a person's approval."""


class PlanRecord(Frozen):
    """The plan to execute, as plan.json holds it."""

    digest: str
    """SHA-256 of the tasks."""
    proposed: str
    """SHA-256 of the tasks as they were proposed, kept as an artifact."""
    tasks: tuple[GraphTask, ...]
    sent_back: int = Field(default=0, ge=0, exclude_if=unsaid)
    """How many plans a person had sent back before this one was made."""


class LegacyDecision(Frozen):
    """A person's approval as the first release wrote it."""

    by: str
    at: str
    tasks: tuple[GraphTask, ...] | None = None


class Settled(Frozen):
    """A person's word on a plan."""

    by: str
    at: str
    approval: Approval
    tasks: tuple[GraphTask, ...] | None = None
    """The plan as the person edited it; None as it was proposed."""


def write_plan(
    folder: RunFolder, tasks: tuple[GraphTask, ...], *, sent_back: int | None = None
) -> PlanRecord:
    """Make *tasks* the plan to execute.

    What was proposed first stays named in it, unless it is a new proposal, made after
    *sent_back* others.
    """
    name = folder.keep([task.model_dump(mode="json") for task in tasks])
    earlier = read_plan(folder) if sent_back is None else None
    plan = PlanRecord(
        digest=name,
        proposed=earlier.proposed if earlier else name,
        tasks=tasks,
        sent_back=earlier.sent_back if earlier else sent_back or 0,
    )
    folder.write_json(PLAN, plan)
    return plan


def read_plan(folder: RunFolder) -> PlanRecord | None:
    """Return the plan to execute, or None if there is none yet."""
    return folder.read(PlanRecord, PLAN) if folder.has(PLAN) else None


def planned_tasks(folder: RunFolder) -> tuple[GraphTask, ...]:
    """Return the tasks of the plan to execute; none if there is no plan yet."""
    plan = read_plan(folder)
    return plan.tasks if plan else ()


def write_answer(folder: RunFolder, answer: Answer) -> None:
    """Make *answer* the final one of its task; its artifact is what a commit makes safe."""
    folder.write_derived("answers", f"{answer.task_id}.json", readable(answer).encode())


def restore_answer(folder: RunFolder, task_id: str, name: str) -> None:
    """Write an answer anew from the artifact of that name, or that from it, where one is not whole.

    A power cut can take a file, or its end, whose line in the trace it leaves.
    """
    try:
        answer = json.loads(folder.read_bytes(f"answers/{task_id}.json"))
    except ValueError:  # what is JSON and something else was changed, not lost
        write_answer(folder, Answer.model_validate(folder.kept(name)))
    else:
        folder.restore_artifact(answer, name)


def restore_plan(folder: RunFolder, proposed: Sequence[str], name: str) -> None:
    """Write the plan anew from the artifact of that name, or that from it, as for an answer.

    *proposed* are the plans that were proposed so far, by digest; *name* may be one of them.
    """
    try:
        plan = json.loads(folder.read_bytes(PLAN))
    except ValueError:
        tasks = tuple(GraphTask.model_validate(task) for task in folder.kept(name))
        sent_back = len(proposed) - 1
        folder.write_json(
            PLAN,
            PlanRecord(digest=name, proposed=proposed[-1], tasks=tasks, sent_back=sent_back),
        )
    else:
        held = plan.get("tasks") if isinstance(plan, dict) else None
        for known in {name, *proposed}:
            folder.restore_artifact(held, known)


def failed_tasks(folder: RunFolder) -> tuple[str, ...]:
    """Return the tasks that failed, in the plan's order."""
    answers = read_answers(folder, planned_tasks(folder))
    return tuple(task_id for task_id, answer in answers.items() if answer.status == "failed")


def read_answers(folder: RunFolder, tasks: Iterable[GraphTask]) -> dict[str, Answer]:
    """Return the final answers there are, in the order of *tasks*."""
    found = ((task.id, read_answer(folder, task.id)) for task in tasks)
    return {task_id: answer for task_id, answer in found if answer}


def read_answer(folder: RunFolder, task_id: str) -> Answer | None:
    """Return the final answer of a task, or None if it has none yet."""
    name = f"answers/{task_id}.json"
    return folder.read(Answer, name) if folder.has(name) else None


def read_scorecard(folder: RunFolder) -> Scorecard | None:
    """Return the proposal's scorecard, or None if it was not judged."""
    return folder.read(Scorecard, SCORECARD) if folder.has(SCORECARD) else None


def read_settled(folder: RunFolder, sent_back: int = 0) -> Settled | None:
    """Return a person's word on the plan made after so many others, or None if there is none."""
    if not sent_back and folder.has(LEGACY_DECISION):
        old = folder.read(LegacyDecision, LEGACY_DECISION)
        approval = Approval(verdict="approve")
        return Settled(by=old.by, at=old.at, approval=approval, tasks=old.tasks)
    decision = folder.decision(approval_id(sent_back))
    return settled(decision) if decision else None


def settled(decision: Decision) -> Settled:
    """Read a decision on a plan."""
    approval = read_approval(decision.answer)
    tasks = tuple(GraphTask.model_validate(t) for t in approval.tasks) if approval.tasks else None
    return Settled(by=decision.by, at=decision.at, approval=approval, tasks=tasks)


def all_settled(folder: RunFolder) -> Iterator[Settled]:
    """Yield a person's words on the run's plans, in their order."""
    sent_back = 0
    while found := read_settled(folder, sent_back):
        yield found
        if found.approval.verdict != "send_back":
            return
        sent_back += 1


def notes(folder: RunFolder) -> tuple[str, ...]:
    """Return what people wrote when they sent plans back, in their order."""
    words = (found.approval for found in all_settled(folder))
    return tuple(approval.note for approval in words if approval.verdict == "send_back")
