"""How metrics write their scores down."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.scores import Score, Status
from dr_rd.evaluation.subject import Subject

_SHOWN = 3
"""Faults a reason names; the rest is counted."""

_LEAST = 30
"""Words below which the absence of faults says nothing."""

_QUOTED = 160
"""Characters of a quote that a reason repeats."""


@dataclass(frozen=True, slots=True)
class Defect:
    """Something wrong, and the words that show it."""

    why: str
    quote: str = ""


def not_applicable(key: str, why: str) -> Score:
    """Return the score of a metric that has nothing to measure."""
    return Score(key=key, status=Status.NOT_APPLICABLE, rationale=why)


def too_short(key: str, subject: Subject) -> Score | None:
    """Return "not applicable" for a text in which the absence of faults says nothing."""
    if subject.length >= _LEAST:
        return None
    return not_applicable(
        key, f"the text has {subject.length} words, too few to be judged by this"
    )


def share(
    key: str,
    good: float,
    of: int,
    what: str,
    faults: Iterable[str],
    hint: str,
    quotes: Iterable[str] = (),
) -> Score:
    """Return the share of *of* things that are good, with the first faults named."""
    named = _joined_names(list(faults))
    return Score(
        key=key,
        score=round(good / of, 4),
        rationale=f"{good:g} of {of} {what}{named}",
        fix_hint=hint if good < of else "",
        quotes=_quotes(quotes),
    )


def faultless(key: str, faults: Sequence[Defect], clean: str, hint: str) -> Score:
    """Return 1 without faults, 1/2 with one, 1/3 with two: no length of text makes up for them."""
    if not faults:
        return Score(key=key, score=1.0, rationale=clean)
    first = faults[0]
    said = f", in “{first.quote[:_QUOTED]}”" if first.quote else ""
    more = f"; and {len(faults) - 1} more" if len(faults) > 1 else ""
    return Score(
        key=key,
        score=round(1 / (1 + len(faults)), 4),
        rationale=f"{first.why}{said}{more}",
        fix_hint=hint,
        quotes=_quotes(f.quote for f in faults),
    )


def _quotes(quotes: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(q for q in quotes if q))[:_SHOWN]


def _joined_names(listed: Sequence[str]) -> str:
    more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    return f": {'; '.join(listed[:_SHOWN])}{more}" if listed else ""
