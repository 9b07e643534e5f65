"""People, animals and data: who must agree before, and what must not get out after."""

from collections.abc import Iterator

from core.graph.state import GraphTask
from dr_rd.modes.panel.board import Change, added
from dr_rd.modes.panel.floor import Finding, Floor, Rule

_TOUCHES = {
    "enrol-minors": "enrols children",
    "take-human-samples": "takes samples from people",
    "enrol-people": "enrols people",
    "survey-people": "surveys people",
    "interview-people": "interviews people",
    "use-animals": "uses animals",
    "catch-wildlife": "catches animals",
}
"""What a step does to people and animals, what touches them most first."""


def before_it_is_approved(at: Floor) -> Iterator[Finding]:
    """A step that people or animals feel does not wait for the approval that the plan itself seeks."""
    approval = next(iter(at.of_phase("approvals")), None)
    for task in at.of_phase("sourcing", "pilot", "execution") if approval else ():
        touching = _touching(at, task)
        if not approval or not touching or approval.id in at.before(task.id):
            continue
        action, step = touching[0]
        # where the first step is held up, or there is no other, the whole task waits
        other = step != task.steps[0] and len(task.steps) > len({s for _, s in touching})
        facts = {
            "task": task.id, "touched": _TOUCHES[action], "approval": approval.id,
            "step": step.rstrip("."),
        }  # fmt: skip
        alone = at.adds("before_it_is_approved", "alone" if other else "all", **facts)
        one_step = added(task, "acceptance", at.adds("before_it_is_approved", "test", **facts))
        whole_task = Change(path=f"tasks.{task.id}.depends_on", new=approval.id)
        yield Finding(
            "before_it_is_approved",
            {**facts, "rest": alone},
            changes=(one_step if other else whole_task,),
            rests_on=(task.id, approval.id),
        )
        return


def _touching(at: Floor, task: GraphTask) -> list[tuple[str, str]]:
    """Return what a task does to people and animals with the steps that do it, the gravest first."""
    order = list(_TOUCHES)
    found = [
        (action, d.text)
        for d in at.design.declared if d.task_id == task.id and d.text in task.steps
        for action in d.actions if action in _TOUCHES
    ]  # fmt: skip
    return sorted(found, key=lambda pair: order.index(pair[0]))


RULES: tuple[Rule, ...] = (before_it_is_approved,)
