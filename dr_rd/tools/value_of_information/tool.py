"""Which cheap test to run first, and how firm that order is."""

from itertools import pairwise

from pydantic import Field, JsonValue, model_validator

from core.tool_router import Tool
from core.values import Frozen, repeated


class Test(Frozen):
    """A test that can end the work early, before more is spent on it."""

    __test__ = False  # not a test of this program

    id: str = Field(min_length=1, max_length=80)
    cost: float = Field(gt=0, le=1e12, description="Of running it, in the currency.")
    probability_of_failure: float = Field(
        ge=0, le=1, description="Chance that what it tests does not hold."
    )
    cost_avoided: float = Field(
        ge=0, le=1e12, description="What need not be spent if that is known now."
    )
    detection: float = Field(
        default=1, gt=0, le=1, description="Chance that the test shows a failure that is there."
    )

    @property
    def stake(self) -> float:
        """What a failure would save, were it certain."""
        return self.detection * self.cost_avoided

    @property
    def ratio(self) -> float:
        """Expected cost avoided for one unit spent."""
        return self.probability_of_failure * self.stake / self.cost

    @property
    def saving(self) -> float:
        """Expected cost avoided, less what the test costs."""
        return self.probability_of_failure * self.stake - self.cost

    def probability_at(self, ratio: float) -> float | None:
        """Return the probability of failure that gives *ratio*; None where none does."""
        if self.stake == 0 or ratio * self.cost > self.stake:
            return None
        return ratio * self.cost / self.stake


class ValueOfInformation(Frozen):
    """What is compared; the tests' outcomes are independent of each other."""

    tests: tuple[Test, ...] = Field(min_length=1, max_length=100)
    currency: str = Field(min_length=1, max_length=10)

    @model_validator(mode="after")
    def _distinct(self) -> "ValueOfInformation":
        if (key := repeated(t.id for t in self.tests)) is not None:
            raise ValueError(f"two tests have the id {key!r}")
        return self


def value_of_information(params: ValueOfInformation) -> JsonValue:
    """Rank by probability of failure × detection × cost avoided ÷ cost; ties keep their order.

    Where all tests avoid the same cost, this order has the least expected cost of testing until
    something fails (Mitten 1960, Manage. Sci. 6, 265-276). Each row gives the probability of
    failure at which the test pays for itself, and the order tells at which probability each pair
    of neighbours changes places.
    """
    ranked = sorted(params.tests, key=lambda t: -t.ratio)
    return {
        "currency": params.currency,
        "ranking": [t.id for t in ranked],
        "first": ranked[0].id if ranked[0].saving > 0 else None,
        "tests": [_row(t) for t in ranked],
        "flips": [_flip(a, b) for a, b in pairwise(ranked)],
    }


def _row(test: Test) -> dict[str, JsonValue]:
    return {
        "id": test.id,
        "ratio": _six(test.ratio),
        "expected_saving": _six(test.saving),
        "worth_its_cost": test.saving > 0,
        "pays_from_probability": _six(test.probability_at(1.0)),
        "probability_of_failure": test.probability_of_failure,
        "cost": test.cost,
        "cost_avoided": test.cost_avoided,
        "detection": test.detection,
    }


def _flip(ahead: Test, behind: Test) -> dict[str, JsonValue]:
    """When two neighbours change places; None means at no probability."""
    return {
        "ahead": ahead.id,
        "behind": behind.id,
        "if_ahead_falls_below": _six(ahead.probability_at(behind.ratio)),
        "if_behind_rises_above": _six(behind.probability_at(ahead.ratio)),
    }


def _six(value: float | None) -> float | None:
    """Round to six significant digits: estimates have fewer."""
    return None if value is None else float(f"{value:.6g}")


TOOL = Tool(
    name="value_of_information",
    description="Which cheap test to run first: expected cost avoided for each unit spent, the "
    "expected saving, and the probabilities at which the order changes.",
    params=ValueOfInformation,
    run=value_of_information,
    of_plan=True,
)
