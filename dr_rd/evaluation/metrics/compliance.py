"""Compliance with the ledger: nothing forbidden is planned, and what is asked is stated."""

from collections.abc import Sequence

from core.pluralize import noun, pluralize
from core.scores import Score, Status
from dr_rd.checks import LedgerVerdict, check
from dr_rd.evaluation.metrics.verdicts import not_applicable, too_short
from dr_rd.evaluation.subject import Subject


def compliance(subject: Subject) -> Score:
    """One violation is 0; otherwise each checkable item counts 1 if met or promised, half if it is open.

    A ban of which nothing was found counts as kept.
    A whole text of a few words meets nothing. A task answers only for the items it owns; a whole text answers for all.
    """
    if subject.ledger is None:
        return not_applicable("compliance", "no brief was given to hold the text against")
    verdicts = subject.verdicts
    if verdicts is None:
        verdicts = check(subject.ledger, subject.visible)
        breaks = tuple(v.id for v in verdicts if _oversteps(v))
    else:
        breaks = tuple(v.id for v in verdicts if v.verdict == "violated")
    return _compliance_score(verdicts, subject).model_copy(update={"breaks": breaks})


def _open(verdict: LedgerVerdict) -> bool:
    """Whether somebody has yet to say if an item is kept; a ban of which nothing is found is."""
    unshown = verdict.verdict == "not_shown" and verdict.kind != "ban"
    return verdict.verdict == "unclear" or unshown


def _oversteps(verdict: LedgerVerdict) -> bool:
    """Whether the text breaks an item, or may have added what is banned."""
    unsure = verdict.kind == "ban" and verdict.verdict == "unclear" and bool(verdict.quote)
    return verdict.verdict == "violated" or unsure


def _compliance_score(verdicts: Sequence[LedgerVerdict], subject: Subject) -> Score:
    if subject.task is None and (short := too_short("compliance", subject)):
        return short.model_copy(update={"status": Status.SCORED, "score": 0.0})
    if broken := [v for v in verdicts if v.verdict == "violated"]:
        return _violation_score(broken)
    mine = _owned_verdicts(verdicts, subject)
    checkable = [v for v in mine if v.verdict != "not_checkable"]
    if not checkable:
        return not_applicable("compliance", "it answers for no ledger item that code can check")
    unclear = [v for v in checkable if _open(v)]
    named = f": {'; '.join(f'{v.id} {v.reason}' for v in unclear)}" if unclear else ""
    return Score(
        key="compliance",
        score=round(1 - len(unclear) / (2 * len(checkable)), 4),
        rationale=f"{len(checkable) - len(unclear)} of {pluralize(len(checkable), 'item')} {noun(len(checkable) - len(unclear), 'is', 'are')} met as far as the text shows{named}",
        fix_hint=f"State how {', '.join(v.id for v in unclear)} is met." if unclear else "",
    )


def _violation_score(broken: Sequence[LedgerVerdict]) -> Score:
    first = broken[0]
    return Score(
        key="compliance",
        score=0.0,
        rationale=f"{len(broken)} ledger items are broken, first {first.id}: {first.reason}",
        fix_hint=f"Take out what breaks {', '.join(v.id for v in broken)}.",
        quotes=tuple(v.quote for v in broken if v.quote),
        breaks=tuple(v.id for v in broken),
    )


def _owned_verdicts(verdicts: Sequence[LedgerVerdict], subject: Subject) -> list[LedgerVerdict]:
    if subject.task is None:
        return list(verdicts)
    mine = {i for a in subject.task.acceptance for i in a.ledger_ids}
    return [v for v in verdicts if v.id in mine]
