"""Numbers in prose: what is counted, in what unit, and how it is bounded.

Every pattern looks at a bounded stretch of text, so reading takes time in proportion to length.
"""

from dr_rd.quantity.dates import day_of, without_day, without_year
from dr_rd.quantity.grammar import months, spelled
from dr_rd.quantity.reading import days_in, quantities
from dr_rd.quantity.scanning import numbers
from dr_rd.quantity.values import (
    DATE,
    TIME_UNITS,
    YEAR,
    Comparison,
    Number,
    Quantity,
    is_money,
)

__all__ = [
    "DATE",
    "TIME_UNITS",
    "YEAR",
    "Comparison",
    "Number",
    "Quantity",
    "day_of",
    "days_in",
    "is_money",
    "months",
    "numbers",
    "quantities",
    "spelled",
    "without_day",
    "without_year",
]
