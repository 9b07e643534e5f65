"""Circles: what a text gives by its radius where a limit is of the diameter, or the other way."""

import re
from dataclasses import replace

from dr_rd.adherence.bounds import same_unit
from dr_rd.adherence.reading import Stated
from dr_rd.ledger import Limit
from dr_rd.quantity import Quantity

_RADIUS = r"radi(?:us|i)\b"
_DIAMETER = r"(?:diameters?|across|wide|end\sto\send)\b"
_ROUND = r"(?:circles?|discs?|disks?|buffers?)\b"
_AFTER = re.compile(
    rf"[\s-](?:in\s)?(?:(?P<radius>{_RADIUS})|(?P<diameter>{_DIAMETER})|(?P<round>{_ROUND}))",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    rf"\b(?:(?P<radius>{_RADIUS}|(?-i:r))|(?P<diameter>{_DIAMETER})|(?P<round>{_ROUND}))\s(?:is\s|of\s|=\s|at\s|about\s|only\s){{0,3}}$",
    re.IGNORECASE,
)
"""What stands right after a length, or right before it, and says what it is the length of."""
_ABOUT = re.compile(
    r"\s(?:(?:around|round|about)\s(?:each|every|the|its|a|all)|(?:from|of)\s(?:each|every))\b"
)
_OUT_TO = re.compile(r"\b(?:out to|as far as)\s(?:about\s)?$")
_APART = re.compile(r"\s(?:apart|from\s(?:each other|one another))\b")


def is_across(found: Limit) -> bool:
    """Whether a limit is of a radius or of a diameter."""
    return found.quantity.unit != "" and found.quantity.noun in ("radius", "diameter")


def as_bounded(stated: Stated, found: Limit) -> Stated | None:
    """A figure as that of the radius, or of the diameter, that a limit is of; None for what is none.

    Where a limit fixes how far something is looked at, "within 500 m" looks as far as that.
    """
    bound, q = found.quantity, stated.quantity
    if not q.unit:
        return stated
    if bound.comparison == "exactly":
        if not _circling(stated) or not _near(q, bound):
            return None
        q = _reach(q)
    said = _told(stated)
    if said in ("radius", "diameter") and bound.noun != said:
        q = _times(2.0 if said == "radius" else 0.5, q)
    return replace(stated, quantity=q)


def _told(stated: Stated) -> str:
    """Whether a length is told as a "radius", a "diameter" or of something "round"; "" where it is not."""
    found = _AFTER.match(_tail(stated)) or _BEFORE.search(stated.lead)
    return found.lastgroup or "" if found else ""


def _tail(stated: Stated) -> str:
    """The text after the digits and their unit: the noun may be the word that tells."""
    q = stated.quantity
    at = q.text.find(q.noun) if q.noun and stated.named else -1
    return f" {q.text[at:]}{stated.after}" if at >= 0 else stated.after


def _circling(stated: Stated) -> bool:
    """Whether a length is how far something is looked at about a place."""
    if _APART.match(stated.after):
        return False
    reaching = stated.quantity.comparison == "at_most" or _OUT_TO.search(stated.lead)
    return bool(reaching or _ABOUT.match(stated.after) or _told(stated))


_ORDER = 10
"""Times as far, or as near, from which a length is of something else."""


def _near(q: Quantity, bound: Quantity) -> bool:
    alike = same_unit(q, bound)
    value = (alike.high or alike.low or 0) if alike else 0
    return (bound.low or 0) / _ORDER <= value <= (bound.high or 0) * _ORDER


def _reach(q: Quantity) -> Quantity:
    if q.comparison != "at_most":
        return q
    return q.model_copy(update={"comparison": "stated", "low": q.high})


def _times(factor: float, q: Quantity) -> Quantity:
    low, high = (None if v is None else factor * v for v in (q.low, q.high))
    return q.model_copy(update={"low": low, "high": high})
