"""Consistency: what the text gives a name has one value throughout."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from core.scores import Score
from dr_rd.evaluation.labels import NamedQuantity
from dr_rd.evaluation.measure import converted
from dr_rd.evaluation.metrics.verdicts import Defect, faultless, too_short
from dr_rd.evaluation.subject import Subject
from dr_rd.quantity import DATE

_NEAR = 0.005
"""Relative difference that rounding makes."""


def consistency(subject: Subject) -> Score:
    """Return 1 if no named quantity has two values; each that has halves the score and more.

    It sees names and counts of what is recruited; whether a value is right it cannot see.
    """
    found = list(_contradictions(subject.named_quantities))
    if not found and (short := too_short("consistency", subject)):
        return short
    return faultless(
        "consistency", found, "no named quantity is stated with two values",
        "Decide which value holds and state it everywhere.",
    )  # fmt: skip


def _contradictions(stated: Sequence[NamedQuantity]) -> Iterator[Defect]:
    groups: dict[tuple[str, ...], list[NamedQuantity]] = defaultdict(list)
    for one in stated:
        groups[one.label].append(one)
    for group in groups.values():
        pairs = (p for p in combinations(group[:_MOST], 2) if _unlike(*p))
        if pair := next(pairs, None):
            a, b = pair
            why = f"“{a.quantity.text}” and “{b.quantity.text}” are said of one thing"
            yield Defect(f"{why}, first in “{a.sentence.text[:120]}”", b.sentence.text)


_MOST = 50
"""Statements of one name that are compared with each other."""


def _unlike(a: NamedQuantity, b: NamedQuantity) -> bool:
    """Whether two statements of one name cannot both hold."""
    one, other = converted(a.quantity, b.quantity.unit), b.quantity.low
    near = 0.0 if DATE in (a.quantity.noun, b.quantity.noun) else _NEAR
    if one is None or other is None or abs(one - other) <= near * max(abs(one), abs(other)):
        return False
    if a.whole and b.whole:
        return a.context <= b.context or b.context <= a.context
    near_by = a.sentence.heading == b.sentence.heading
    telling = len(a.label) > 1 and not a.context
    return a.context == b.context and (near_by or telling)
