"""The analyst's question: objective, limits, criteria, directions, bans."""

from typing import Literal

from core.values import Frozen


class GivenTask(Frozen):
    """A task that the brief itself prescribes."""

    id: str
    title: str
    role: str = ""
    description: str = ""
    depends_on: tuple[str, ...] = ()
    deliverable: str = ""
    acceptance: tuple[str, ...] = ()


class Brief(Frozen):
    """What the analyst asks."""

    id: str = "brief"
    domain: str = ""
    objective: str
    hard_constraints: tuple[str, ...] = ()
    success_criteria: tuple[str, ...] = ()
    plausible_directions: tuple[str, ...] = ()
    banned_moves: tuple[str, ...] = ()
    risk_posture: Literal["low", "medium", "high"] = "medium"
    budget: str = ""
    deadline: str = ""
    tasks: tuple[GivenTask, ...] = ()
