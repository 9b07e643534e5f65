"""Figures of a brief that no sample size can be computed with, and what stands in for them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from core.pluralize import amount

_BOUNDS: Mapping[str, tuple[str, str]] = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}
"""Kinds of faults, each with where its bound is kept and how it is said."""

_EFFECTS = "one that the design can have"

_LEAST = 1e-6
"""Bounds below it are said as 0."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A figure that is not used."""

    argument: str
    value: Any
    why: str
    """What it would have to be: "more than 0.5"."""


def usable(
    found: Mapping[str, Any], instead: Mapping[str, Any], params: type[BaseModel]
) -> tuple[dict[str, Any], tuple[Refused, ...]]:
    """Return the arguments of a calculation without those that its *params* refuse, and these.

    Of *instead* a refused one takes the value, where there is one.
    """
    kept, refused = dict(found), list[Refused]()
    while faults := _faults(kept, params):
        for argument, why in faults.items():
            refused.append(Refused(argument, kept.pop(argument), why))
            known = instead.get(argument)
            if known is not None and known != refused[-1].value:
                kept[argument] = known
    return kept, tuple(refused)


def _faults(arguments: Mapping[str, Any], params: type[BaseModel]) -> dict[str, str]:
    """The arguments that are refused, each with what it would have to be."""
    try:
        params.model_validate(arguments)
    except ValidationError as error:
        told = {str((*f["loc"], "effects")[0]): _wanted(f) for f in error.errors()}
        return {argument: why for argument, why in told.items() if argument in arguments}
    return {}


def _wanted(fault: Mapping[str, Any]) -> str:
    key, said = _BOUNDS.get(fault["type"], ("", ""))
    if not key:
        return _EFFECTS
    bound = fault["ctx"][key]
    return "more than 0" if key == "ge" and 0 < bound < _LEAST else f"{said} {amount(bound)}"
