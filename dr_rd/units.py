"""Units as people write them: read safely, with currencies, and as numbers to convert by."""

import re
from dataclasses import dataclass
from functools import cache
from tokenize import TokenError
from typing import TYPE_CHECKING, Annotated, cast

from pydantic import Field

from core.errors import TaskError, nearest

if TYPE_CHECKING:
    import pint

    Unit = pint.Unit
else:  # pint takes a second to import, and many texts name no unit
    Unit = object

CURRENCIES = tuple(
    "AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KES "
    "KRW MAD MXN MYR NGN NOK NZD PEN PHP PKR PLN RON RUB SAR SEK SGD THB TRY TWD UAH USD VND "
    "ZAR".split()
)
"""ISO 4217 codes; each is a dimension of its own, for a rate between two is an input."""

PLAIN = "a plain number"
"""What a share measures, and a unit that is none."""
_LONGEST = 80
UnitText = Annotated[str, Field(max_length=_LONGEST)]
_SMALLEST = 1e-100
"""Factor between a unit and its base that leaves room to compute."""
_TOKEN = re.compile(
    r"\s+|(?:\*\*|\^)\s*-?\d{1,2}(?:\.\d{1,4})?(?!\s*\*\*|\s*\^|[\d.])"
    r"|1(?![\d.])|[^\W\d]\w*|[µΩ°Å%()/*·.]"
)
"""Names, products and small powers: no number stands where it could be raised to another."""


@dataclass(frozen=True, slots=True)
class LinearMap:
    """The straight line from one unit to another: ``other = scale * value + offset``."""

    scale: float
    offset: float

    def at(self, value: float) -> float:
        """Return *value* in the other unit."""
        return self.scale * value + self.offset


@cache
def _registry() -> "pint.UnitRegistry[float]":
    import pint  # noqa: PLC0415 - as above

    registry: pint.UnitRegistry[float] = pint.UnitRegistry()
    for code in CURRENCIES:
        registry.define(f"{code} = [currency_{code}]")
    return registry


def read_unit(text: str) -> Unit:
    """Read a unit such as "kg/m**3", "degC", "%" or "GBP/day"; "" is a plain number.

    Raises:
        TaskError: It is none, or reading it could take for ever.

    """
    if len(text) > _LONGEST or not _is_plain(text):
        raise TaskError(
            f"unit {text[:_LONGEST]!r} is not written as units are; write it like 'kg/m**3', "
            "with powers below 100"
        )
    import pint  # noqa: PLC0415 - as above

    try:
        unit = _registry().parse_units(text)
        factor = cast(float, _registry().get_base_units(unit)[0])
    except pint.UndefinedUnitError as error:
        raise TaskError(_unknown(text, error)) from error
    except (pint.PintError, *_UNREADABLE) as error:
        raise TaskError(f"unit {text!r} cannot be read; write it like 'kg/m**3'") from error
    if not _SMALLEST < factor < 1 / _SMALLEST:
        raise TaskError(f"unit {text!r} is too far from the base units to compute with")
    return unit


_UNREADABLE = (
    TokenError, SyntaxError, ValueError, TypeError, LookupError, ArithmeticError, AttributeError,
    AssertionError,
)  # fmt: skip
"""What, besides its own errors, pint and the tokenizer in it raise on text that is no unit."""


def _is_plain(text: str) -> bool:
    place = 0
    while place < len(text):
        token = _TOKEN.match(text, place)
        if not token:
            return False
        place = token.end()
    return True


def _unknown(text: str, error: "pint.UndefinedUnitError") -> str:
    name = str(error.unit_names)
    hint = nearest(name, (*dir(_registry()), *CURRENCIES))
    return f"unit {text!r} is not known{hint}; things that are counted have the unit 'count'"


def line(unit: Unit, other: Unit) -> LinearMap:
    """Return how values in *unit* become values in *other*.

    Raises:
        TaskError: They are of different dimensions, or one of them is logarithmic.

    """
    if unit.dimensionality != other.dimensionality:
        raise TaskError(
            f"'{unit}' measures {dimension(unit)} and '{other}' measures {dimension(other)}: "
            "one cannot be converted into the other"
        )
    one, two, three = (_in(other, v, unit) for v in (1.0, 2.0, 3.0))  # 0 has no logarithm
    if abs((three - two) - (two - one)) > 1e-9 * max(abs(one), abs(two), abs(three)):
        raise TaskError(f"'{unit}' or '{other}' is logarithmic; give the value in a linear unit")
    zero = _in(other, 0.0, unit)
    return LinearMap(one - zero, zero)


def _in(other: Unit, value: float, unit: Unit) -> float:
    return _registry().Quantity(value, unit).to(other).magnitude


def base(unit: Unit) -> Unit:
    """Return *unit* in the base units of the SI, such as kelvin for degC."""
    return cast(Unit, _registry().get_base_units(unit)[1])


def times(a: Unit, b: Unit) -> Unit:
    """Return the unit of a product."""
    return cast(Unit, a * b)


def raised(unit: Unit, power: float) -> Unit:
    """Return *unit* to a power."""
    return cast(Unit, unit**power)


def dimension(unit: Unit) -> str:
    """Return what *unit* measures, as "length / time ** 2"; PLAIN for none."""
    shown = str(unit.dimensionality).replace("[", "").replace("]", "")
    return PLAIN if shown == "dimensionless" else shown.replace("currency_", "")
