"""What models know beside their plan and their answers, where a reader finds it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.graph.state import Answer, GraphState
from core.pluralize import amount
from core.values import Frozen
from dr_rd.planning.design import Design, PlanFigures, PlansCompared
from dr_rd.planning.expertise import Expertise, Objection
from dr_rd.templates import clipped, quoted, render

_FIRST_PAGE = 3
"""Objections for which the first page has room."""

_LONG = 260
"""Characters of one on the first page."""


class Known(Frozen):
    """What one model knows of the plan or of one task."""

    place: str
    """The task; "" for the plan."""
    by: str
    """The model."""
    expertise: Expertise
    findings: tuple[Mapping[str, Any], ...] = ()
    """Its findings as rows: the claim, what it rests on, how surely, what would change it."""
    left_out: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """Say whose it is."""
        return f"{self.place or 'The plan'}, as {quoted(self.by)} knows it"


def known(design: Design, state: GraphState) -> tuple[Known, ...]:
    """Return what models know, that of the plan first."""
    whole = design.expertise
    found = [Known(place="", by=design.planned_by, expertise=whole)] if whole else []
    answers = (state.answers[t.id] for t in state.tasks if t.id in state.answers)
    return (*found, *(k for a in answers if (k := _of_answer(a))))


def _of_answer(answer: Answer) -> Known | None:
    said: Mapping[str, Any] = answer.expertise
    if not (said or answer.left_out):
        return None
    return Known(
        place=answer.task_id,
        by=said.get("by", "the model"),
        expertise=Expertise.model_validate(said.get("knows", {})),
        findings=tuple(said.get("findings", ())),
        left_out=answer.left_out,
    )


def _objections(them: Sequence[Known]) -> Iterator[tuple[Known, Objection]]:
    for one in them:
        yield from ((one, it) for it in one.expertise.objections)


def first_page(them: Sequence[Known]) -> str:
    """Return the objections to the brief in a cell, the surest first; "" where there are none."""
    order = {"high": 0, "medium": 1, "": 2, "low": 3}
    found = sorted(_objections(them), key=lambda pair: order[pair[1].confidence])
    if not found:
        return ""
    said = [
        f"({n}) “{clipped(it.text, _LONG)}” ({', '.join((quoted(one.by), *_sure(it)))})"
        for n, (one, it) in enumerate(found[:_FIRST_PAGE], 1)
    ]
    more = len(found) - len(said)
    rest = f"; {more} more in the annex" if more else ""
    return f"{'; '.join(said)}{rest}. Nobody has checked them"


def _sure(objection: Objection) -> Iterator[str]:
    if objection.confidence:
        yield f"{objection.confidence} confidence"


def two_plans(compared: PlansCompared | None) -> str:
    """Return the library's figures beside the model's with the difference; "" without a model's."""
    if compared is None:
        return ""
    ours, theirs = compared.library, compared.model
    told = [
        f"cost {amount(theirs.cost)} {compared.currency}{_by_library(compared)}",
        f"time {theirs.days:g} working days, by the library {ours.days:g} "
        f"({_difference(theirs.days - ours.days)})",
    ]
    told += _samples(theirs, ours)
    if compared.limit is not None and theirs.fits is not None and ours.fits != theirs.fits:
        told.append(_parted(compared))
    return "; ".join(told) + " [plan]"


def _by_library(compared: PlansCompared) -> str:
    """Return the library's costs beside the model's: as a range where the library only guesses."""
    ours, percentile = compared.library, f"P{compared.percentile}"
    if ours.guess_high:
        return (
            f" ({percentile}), guessed by the library at {amount(ours.guess_low)} to "
            f"{amount(ours.guess_high)}"
        )
    apart = _difference(compared.model.cost - ours.cost)
    return f", by the library {amount(ours.cost)} ({percentile}; {apart})"


def disputed(compared: PlansCompared | None) -> bool:
    """Whether the library's check finds the limit broken where the model's figures keep it."""
    if compared is None or compared.limit is None:
        return False
    return compared.model.fits is True and compared.library.fits is False


def _parted(compared: PlansCompared) -> str:
    """Say whose figures keep the limit and whose do not."""
    ours, limit = compared.library, f"{amount(compared.limit or 0)} {compared.currency}"
    if ours.fits is None:
        kept = "keep" if compared.model.fits else "break"
        return f"**the model's figures {kept} the limit of {limit}, the library's guess leaves it open**"
    if not compared.model.fits:
        return f"**the library's figures keep the limit of {limit}, the model's do not**"
    paid = compared.affordable_units
    pays = "" if paid is None else f": it pays for {amount(paid)} of {amount(ours.units or 0)}"
    return f"**the model's figures keep the limit of {limit}, the library's do not{pays}**"


def _samples(theirs: PlanFigures, ours: PlanFigures) -> Iterator[str]:
    if theirs.units and ours.units:
        apart = _difference(theirs.units - ours.units)
        yield f"sample {amount(theirs.units)}, by the library {amount(ours.units)} ({apart})"


def _difference(value: float) -> str:
    if not value:
        return "no difference"
    return f"{amount(abs(value))} {'more' if value > 0 else 'less'}"


def section(design: Design, them: Sequence[Known]) -> str:
    """Return all of it as a part of the proposal; "" where there is nothing."""
    if not (them or design.changes):
        return ""
    return render("known.md.j2", {"known": them, "changes": design.changes})
