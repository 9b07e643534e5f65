"""A run that goes on from another one: its plan, and of its answers those that still hold.

A person has a task done again, or corrects a claim. What rests on that is done again, too; all
else is taken over. The first run stays as it is, and the second says on what it builds.
"""

from collections.abc import Iterable, Mapping, Sequence

from core.errors import CallerError, unknown
from core.graph.files import planned_tasks, read_answers
from core.graph.state import Answer, Claim, GraphTask
from core.store import RunFolder
from core.values import Frozen

REVISION = "revision.json"


class Redo(Frozen):
    """A task that is to be done again."""

    task_id: str
    note: str = ""
    """What its agent is to heed."""


class ClaimEdit(Frozen):
    """A claim in other words, which are the person's."""

    task_id: str
    number: int
    """The claim's place in its answer, from 1."""
    text: str


class Revision(Frozen):
    """What a run takes over from another one, and what it does again."""

    of_run: str
    """The other run's id."""
    by: str
    at: str
    """When it was asked for, in UTC."""
    tasks: tuple[GraphTask, ...]
    """The plan, which is not approved again."""
    answers: Mapping[str, Answer]
    """The answers that hold, by task; edited claims are in them."""
    redo: tuple[Redo, ...] = ()
    edits: tuple[ClaimEdit, ...] = ()

    @property
    def notes(self) -> Mapping[str, str]:
        """What agents are to heed, by task."""
        return {redo.task_id: redo.note for redo in self.redo if redo.note}


def revise(
    folder: RunFolder,
    *,
    by: str,
    at: str,
    redo: Sequence[Redo] = (),
    edits: Sequence[ClaimEdit] = (),
) -> Revision:
    """Return the revision of a run that has a plan.

    Raises CallerError if a task or a claim is not there, or if nothing is asked for.
    """
    tasks = planned_tasks(folder)
    if not tasks:
        raise CallerError(f"run {folder.run_id!r} has no plan yet; there is nothing to do again")
    if not redo and not edits:
        raise CallerError("nothing is to change; name a task to do again or a claim to edit")
    answers = read_answers(folder, tasks)
    for edit in edits:
        answers[edit.task_id] = _edited(edit, answers, by)
    named = {item.task_id for item in redo}
    _check_known(named, tasks)
    stale = named | _dependents(named | {edit.task_id for edit in edits}, tasks)
    return Revision(
        of_run=folder.run_id,
        by=by,
        at=at,
        tasks=tasks,
        answers={i: a for i, a in answers.items() if i not in stale and a.usable},
        redo=tuple(redo),
        edits=tuple(edits),
    )


def amend(
    of_run: str,
    *,
    by: str,
    at: str,
    old: Sequence[GraphTask],
    new: tuple[GraphTask, ...],
    answers: Mapping[str, Answer],
    also: Iterable[str] = (),
) -> Revision:
    """Return the revision that works a *new* plan in place of an *old* one.

    The *answers* to the old one are kept where neither the task has changed nor one it builds on;
    *also*: tasks that read the same and rest on something else.
    """
    before = {task.id: task for task in old}
    changed = {*also, *(task.id for task in new if before.get(task.id) != task)}
    stale = changed | _dependents(changed, new)
    kept = {t.id: answers[t.id] for t in new if t.id in answers and t.id not in stale}
    return Revision(
        of_run=of_run,
        by=by,
        at=at,
        tasks=new,
        answers={task_id: answer for task_id, answer in kept.items() if answer.usable},
    )


def read_revision(folder: RunFolder) -> Revision | None:
    """Return on what a run builds, or None if it began from its brief alone."""
    return folder.read(Revision, REVISION) if folder.has(REVISION) else None


def _check_known(named: Iterable[str], tasks: Sequence[GraphTask]) -> None:
    known = [task.id for task in tasks]
    for task_id in named:
        if task_id not in known:
            raise unknown("task", task_id, known)


def _dependents(changed: set[str], tasks: Sequence[GraphTask]) -> set[str]:
    """Return the tasks that build on one of the *changed*, directly or not."""
    found: set[str] = set()
    while more := {
        t.id for t in tasks if t.id not in found and (changed | found) & set(t.depends_on)
    }:
        found |= more
    return found


def _edited(edit: ClaimEdit, answers: Mapping[str, Answer], by: str) -> Answer:
    """Return the answer with the claim in the person's words, which nobody has judged yet."""
    if edit.task_id not in answers:
        raise unknown("answered task", edit.task_id, answers)
    answer, text = answers[edit.task_id], edit.text.strip()
    if not 1 <= edit.number <= len(answer.claims):
        raise CallerError(
            f"task {edit.task_id!r} has claims 1 to {len(answer.claims)}, "
            f"but number {edit.number} is to be edited; name one of them"
        )
    if not text:
        raise CallerError(f"claim {edit.number} of task {edit.task_id!r} needs some words")
    old = answer.claims[edit.number - 1]
    new = Claim(kind="assumption", text=text, source=f"said by {by}")
    claims = (*answer.claims[: edit.number - 1], new, *answer.claims[edit.number :])
    content = answer.content.replace(old.text, text)
    return answer.model_copy(update={"claims": claims, "content": content, "evaluation": None})
