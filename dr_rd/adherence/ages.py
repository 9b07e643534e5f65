"""How long a thing had been there when it was looked at: the years from its opening to the data."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from dr_rd.adherence.reading import Stated
from dr_rd.quantity import DATE, YEAR
from dr_rd.text import cued

_MANY = 60
"""Years looked at; keeps reading linear."""


def lasted(stated: Sequence[Stated]) -> Iterator[Stated]:
    """The years from the latest opening that a text tells of to its earliest data."""
    years = [(s, y) for s in stated[:_MANY] if (y := _year(s))]
    begun = [(s, y) for s, y in years if cued("begun", s.breath()) and _kept(s)]
    looked = [y for s, y in years if cued("looked", s.breath()) and not cued("begun", s.breath())]
    if not begun or not looked:
        return
    last, year = max(begun, key=lambda pair: pair[1])
    value = min(looked) - year
    if value >= 0:
        update = {"low": value, "high": value, "unit": "year", "noun": "in operation",
                  "comparison": "stated", "text": f"{last.quantity.text}, {value:g} years before the data"}  # fmt: skip
        yield replace(last, quantity=last.quantity.model_copy(update=update), stance="affirmed")


def _year(stated: Stated) -> float:
    """The calendar year that a figure names; 0 for any other."""
    q = stated.quantity
    value = q.high if q.high is not None else q.low or 0
    if q.noun == DATE:
        return value // 10000
    return value if q.noun == YEAR else 0.0


def _kept(stated: Stated) -> bool:
    """Whether what opened then is part of the work: "none opened after 2009" says so of the rest."""
    out = cued("gone", stated.sentence.text) or cued("left_out", stated.sentence.text)
    return not out and stated.stance != "told"
