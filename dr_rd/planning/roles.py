"""Which role of the library does a task that the library did not write."""

from collections.abc import Sequence
from difflib import get_close_matches

from dr_rd.brief import GivenTask
from dr_rd.planning.library import Role
from dr_rd.planning.signals import stems

_CERTAIN = 0.85
"""Likeness from which a name is a slip of the pen; below it, it may be another role's."""


def find_role(name: str, roles: Sequence[Role]) -> Role | None:
    """Return the role that *name* stands for, by its id or title or all but so written."""
    spelled = {spelling: r for r in roles for spelling in (_spelled(r.id), _spelled(r.title))}
    near = get_close_matches(_spelled(name), spelled, n=1, cutoff=_CERTAIN)
    return spelled[near[0]] if near else None


def fitting(task: GivenTask, roles: Sequence[Role]) -> Role:
    """Return the role that *task* names, or whose description has most in common with it."""
    words = stems(f"{task.role} {task.title} {task.description}")
    return find_role(task.role, roles) or max(
        roles, key=lambda r: len(words & stems(f"{r.title} {r.field} {r.text}"))
    )


def _spelled(name: str) -> str:
    return name.strip().lower().replace(" ", "-").replace("_", "-")
