"""People, animals and data: who must agree before, and what must not get out after."""

from collections.abc import Iterator

from dr_rd.modes.panel.board import Change
from dr_rd.modes.panel.floor import Finding, Floor, Rule

_TOUCHES = {
    "enrol-people": "enrols people",
    "enrol-minors": "enrols children",
    "survey-people": "surveys people",
    "interview-people": "interviews people",
    "take-human-samples": "takes samples from people",
    "catch-wildlife": "catches animals",
    "use-animals": "uses animals",
}


def before_it_is_approved(at: Floor) -> Iterator[Finding]:
    """A step that people or animals feel does not wait for the approval that the plan itself seeks."""
    approval = next(iter(at.of_phase("approvals")), None)
    known = {t.id: t for t in at.plan.tasks}
    for step in at.design.declared if approval else ():
        touched = next((_TOUCHES[a] for a in step.actions if a in _TOUCHES), "")
        task = known.get(step.task_id)
        if not touched or not approval or task is None or step.text not in task.steps:
            continue
        if task.phase not in ("sourcing", "pilot", "execution"):
            continue
        if task.id == approval.id or approval.id in at.before(task.id):
            continue
        yield Finding(
            "before_it_is_approved",
            {
                "task": task.id, "touched": touched, "approval": approval.id,
                "title": approval.title, "step": step.text.rstrip("."),
            },
            changes=(Change(path=f"tasks.{task.id}.depends_on", new=approval.id),),
            rests_on=(task.id, approval.id),
        )  # fmt: skip
        return


RULES: tuple[Rule, ...] = (before_it_is_approved,)
