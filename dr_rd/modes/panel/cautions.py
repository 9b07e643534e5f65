"""Checks that are data: what a plan of some kind must say, and what is added where it does not."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from string import Formatter
from typing import Literal

from pydantic import Field, field_validator

from core.graph.state import GraphTask
from core.values import Frozen
from dr_rd.files import read_yaml
from dr_rd.modes.panel.board import added
from dr_rd.modes.panel.floor import Finding, Floor, Rule, Wording

FIELDS = ("item", "words", "where", "unit", "task")
"""What the texts of a check may name."""


def check_fields(text: str, names: Sequence[str]) -> None:
    """Raise ValueError unless each field of *text* is one of *names* and no more.

    An attribute, a conversion or a width would reach into a value, or write gigabytes.
    """
    try:
        parts = list(Formatter().parse(text))
    except ValueError as wrong:
        raise ValueError(
            f"{text!r} has a brace that opens no field: write {{{{ or }}}}"
        ) from wrong
    for _, name, spec, conversion in parts:
        if name is not None and (name not in names or spec or conversion):
            choices = ", ".join(names)
            raise ValueError(f"{text!r} has a field that is none; use {choices}, each in braces")


class Caution(Frozen):
    """One check, with the change that answers it."""

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    brief: str = ""
    """A pattern that the brief's objective or limits must show; "" for any brief."""
    plan: str = ""
    """A pattern that the plan must show; "" for any plan."""
    takes: tuple[str, ...] = ()
    """Declared actions of which the plan must take one; () for any plan."""
    unless: str
    """A pattern by which the plan shows that it is done already."""
    phase: tuple[str, ...]
    """Where the change belongs: the first task of the first of these phases that the plan has."""
    field: Literal["steps", "acceptance", "stop_rules"] = "steps"
    add: str
    """What is added."""
    say: str
    title: str
    reason: str

    @field_validator("brief", "plan", "unless")
    @classmethod
    def _pattern(cls, pattern: str) -> str:
        try:
            re.compile(pattern)
        except re.error as wrong:
            raise ValueError(f"{pattern!r} is no regular expression ({wrong})") from wrong
        return pattern

    @field_validator("add", "say", "title", "reason")
    @classmethod
    def _named(cls, text: str) -> str:
        check_fields(text, FIELDS)
        return text

    @property
    def wording(self) -> Wording:
        """What is said where it holds."""
        return Wording(say=self.say, title=self.title, reason=self.reason)


@cache
def load_cautions(seat: str) -> tuple[Caution, ...]:
    """Read the checks that a built-in seat makes beside its rules."""
    found = read_yaml("panel", "cautions.yaml").get(seat, ())
    return tuple(Caution.model_validate(entry) for entry in found)


def cautioned(cautions: Iterable[Caution]) -> tuple[Rule, ...]:
    """Return the rules that the checks are."""
    return tuple(_rule(caution) for caution in cautions)


def worded(cautions: Iterable[Caution]) -> Mapping[str, Wording]:
    """Return what is said where each check holds."""
    return {caution.id: caution.wording for caution in cautions}


def _rule(caution: Caution) -> Rule:
    def rule(at: Floor) -> Iterator[Finding]:
        shown = _shown(caution, at)
        task = _place(caution, at, shown["where"]) if shown else None
        if shown is None or task is None or at.says(caution.unless):
            return
        facts = {**shown, "task": task.id}
        yield Finding(
            caution.id,
            facts,
            changes=(added(task, caution.field, caution.add.format(**facts)),),
            rests_on=tuple(v for k, v in facts.items() if k in ("item", "where") and v),
        )

    return rule


def _shown(caution: Caution, at: Floor) -> dict[str, str] | None:
    """Return where brief and plan show what the check is about; None where one does not."""
    facts = {"item": "", "words": "", "where": "", "unit": at.unit}
    if caution.brief:
        brief = at.desk.material.brief
        asked = (
            ("objective", brief.objective),
            *((i.id, i.text) for i in at.items if i.kind != "ban"),
        )
        found = next(((k, m[0]) for k, t in asked for m in [_search(caution.brief, t)] if m), None)
        if found is None:
            return None
        facts |= {"item": found[0], "words": found[1]}
    if caution.plan:
        where = next((t.id for t in at.plan.tasks if _search(caution.plan, _text(t))), None)
        if where is None:
            return None
        facts["where"] = where
    if caution.takes:
        known = {t.id for t in at.plan.tasks}
        doers = [
            d.task_id for d in at.design.declared
            if d.task_id in known and set(d.actions) & set(caution.takes)
        ]  # fmt: skip
        if not doers:
            return None
        here = {t.id for t in at.of_phase(*caution.phase)}
        facts["where"] = facts["where"] or next((d for d in doers if d in here), doers[0])
    return facts


def _search(pattern: str, text: str) -> re.Match[str] | None:
    return re.search(pattern, text, re.IGNORECASE)


def _text(task: GraphTask) -> str:
    return "\n".join((task.title, *task.steps, *(a.text for a in task.acceptance)))


def _place(caution: Caution, at: Floor, where: str) -> GraphTask | None:
    """Return the task that shows what the check is about, or else the first of its phases."""
    found = [t for phase in caution.phase for t in at.of_phase(phase)]
    return next((t for t in found if t.id == where), next(iter(found), None))
