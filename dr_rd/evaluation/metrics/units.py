"""Units: what is measured has units that measure it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise

from core.scores import Score
from dr_rd.conversion import dimension_of
from dr_rd.evaluation.cues import cue
from dr_rd.evaluation.labels import NamedQuantity
from dr_rd.evaluation.measure import converted
from dr_rd.evaluation.metrics.verdicts import Defect, faultless, too_short
from dr_rd.evaluation.sentences import Segment
from dr_rd.evaluation.subject import Subject
from dr_rd.files import read_yaml
from dr_rd.quantity import Quantity
from dr_rd.text import stem
from dr_rd.units import PLAIN

_HINT = "Give these quantities in units of what is measured."
_SAME = 0.02
"""Relative difference that rounding of a converted value makes."""
_SOFT = 0.1
"""The same for calendar units, which are not of one length."""
_CALENDAR = frozenset({"day", "week", "month", "year", "hour"})


def units(subject: Subject) -> Score:
    """Return 1 if no quantity contradicts its name or itself in what its unit measures.

    It knows only what the text or the list of properties names.
    """
    own = subject.named_quantities
    asked = Subject(text=subject.brief_text).named_quantities if subject.brief else ()
    found = [*_contradictions((*asked, *own), own), *_misfits(own), *_restated(subject)]
    if not found and (short := too_short("units", subject)):
        return short
    return faultless("units", found, "no unit contradicts what it measures", _HINT)


def _contradictions(
    stated: tuple[NamedQuantity, ...], own: tuple[NamedQuantity, ...]
) -> Iterator[Defect]:
    """Names that are given in units of different dimensions."""
    seen: dict[tuple[str, ...], dict[_Kind, NamedQuantity]] = defaultdict(dict)
    mine: frozenset[NamedQuantity] = frozenset()
    for one in stated:
        kind = (_measures(one.quantity), one.whole, one.context)
        if kind[0] is None:
            continue
        other = next((o for k, o in seen[one.label].items() if _apart(k, kind)), None)
        if other is not None:
            mine = mine or frozenset(own)
        if other is not None and one in mine:
            why = (
                f"one quantity is stated as “{other.quantity.text}” and as “{one.quantity.text}”, "
                f"which measure {_measures(other.quantity)} and {kind[0]}"
            )
            yield Defect(why, one.sentence.text)
        seen[one.label].setdefault(kind, one)


_Kind = tuple[str | None, bool, frozenset[str]]
"""What a statement measures, whether it is of the whole study, and in what context it stands."""


def _apart(a: _Kind, b: _Kind) -> bool:
    return a[0] != b[0] and (a[1] or a[2] <= b[2] or b[2] <= a[2])


def _measures(quantity: Quantity) -> str | None:
    """The dimension of a unit; shares and bare numbers say none."""
    found = dimension_of(quantity.unit)
    return None if found == PLAIN else found


def _misfits(stated: tuple[NamedQuantity, ...]) -> Iterator[Defect]:
    """Properties, such as a temperature, in units that do not measure them."""
    for one in stated:
        wanted = next((_properties()[w] for w in one.label[-1:] if w in _properties()), None)
        given = _measures(one.quantity)
        if wanted and given and given not in wanted:
            why = f"“{one.quantity.text}” measures {given}, not what the sentence names"
            yield Defect(why, one.sentence.text)


@cache
def _properties() -> Mapping[str, frozenset[str]]:
    """For the stem of each property, the dimensions that its units may have."""
    raw: Mapping[str, Mapping[str, list[str]]] = read_yaml("language", "properties.yaml")
    return {
        stem(word): frozenset(
            measured for unit in group["units"] if (measured := dimension_of(unit))
        )
        for group in raw.values()
        for word in group["words"]
    }


def _restated(subject: Subject) -> Iterator[Defect]:
    """Values given again in parentheses in another unit: "4 weeks (28 days)"."""
    for sentence in subject.sentences:
        for a, b in pairwise(sentence.quantities):
            between = sentence.text[a.end - sentence.start : b.start - sentence.start]
            after = sentence.after(b)[:1]
            if between.strip() not in ("(", "(=", "(i.e.", "(about", "(or") or after != ")":
                continue
            if (
                b.noun not in ("", a.noun)
                or a.unit == b.unit
                or not a.unit
                or not b.unit
                or a.low != a.high
                or b.low != b.high
            ):
                continue
            yield from _unequal(a, b, sentence)


def _unequal(a: Quantity, b: Quantity, sentence: Segment) -> Iterator[Defect]:
    value = converted(a, b.unit)
    if value is None or b.low is None or cue("working_days").search(sentence.text):
        return
    near = _SOFT if {a.unit, b.unit} <= _CALENDAR else _SAME
    if abs(value - b.low) > near * max(abs(value), abs(b.low)):
        yield Defect(f"“{a.text}” is {value:.3g} {b.unit}s, not “{b.text}”", sentence.text)
