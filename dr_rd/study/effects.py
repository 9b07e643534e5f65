"""An effect that a brief names, in the measure that it names it in."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from core.values import Frozen

Measure = Literal[
    "difference", "standardised difference", "percent change", "percentage points", "odds ratio",
    "risk ratio", "rate ratio", "hazard ratio", "correlation", "explained variance", "cohen's f",
    "area", "reliability",
]  # fmt: skip
"""A difference is in the outcome's own unit; explained variance is eta squared or R squared; the area
is that under a ROC curve; reliability an intraclass correlation or kappa that is to be shown."""

Bound = Literal[">=", "<=", "="]


class Effect(Frozen):
    """An effect worth finding."""

    measure: Measure
    value: Annotated[float, Field(allow_inf_nan=False)]
    """As a fraction of a percent change, of points and of explained variance; a fall is negative."""
    bound: Bound = "="
    unit: str = ""
    """Of a difference."""
    reference: float | None = None
    """The value that it is to be told from: the area to beat, the reliability that is too low."""
    quote: str
    """In the brief's words."""

    @property
    def words(self) -> str:
        """The effect as a reader takes it in, with its bound: "a fall of at least 10 %"."""
        bound, size = _BOUNDS[self.bound], abs(self.value)
        if self.measure == "percent change":
            return f"a {'fall' if self.value < 0 else 'change'} of {bound}{100 * size:g} %"
        if self.measure == "percentage points":
            return f"{bound}{100 * size:g} percentage points"
        if self.measure == "explained variance":
            return f"{bound}{100 * size:g} % of the variance"
        if self.measure == "difference":
            return f"a difference of {bound}{size:g} {self.unit}".strip()
        article = "an" if self.measure[0] in "aeo" else "a"
        return f"{article} {self.measure} of {bound}{size:g}"


_BOUNDS: Mapping[Bound, str] = {">=": "at least ", "<=": "at most ", "=": ""}
