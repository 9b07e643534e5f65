"""How metrics write their scores down."""

from collections.abc import Iterable

from core.scores import Score, Status

_SHOWN = 3
"""Faults a reason names; the rest is counted."""


def not_applicable(key: str, why: str) -> Score:
    """Return the score of a metric that has nothing to measure."""
    return Score(key=key, status=Status.NOT_APPLICABLE, rationale=why)


def share(key: str, good: int, of: int, what: str, faults: Iterable[str], hint: str) -> Score:
    """Return the share of *of* things that are good, with the first faults named."""
    listed = list(faults)
    more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    named = f": {'; '.join(listed[:_SHOWN])}{more}" if listed else ""
    return Score(
        key=key,
        score=round(good / of, 4),
        rationale=f"{good} of {of} {what}{named}",
        fix_hint=hint if good < of else "",
    )
