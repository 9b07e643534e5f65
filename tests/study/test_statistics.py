"""What a brief states for a sample size, as a value."""

import pytest
from pydantic import ValidationError

from dr_rd.study import Statistics


def test_nothing_is_stated_until_it_is():
    assert Statistics().model_dump(exclude_none=True) == {}


@pytest.mark.parametrize(
    "wrong",
    [
        {"alpha": 5},
        {"loss": 20},
        {"sides": 3},
        {"sd": 0},
        {"margin": -1},
        {"effect": float("nan")},
    ],
)
def test_figures_that_cannot_be_meant_are_refused(wrong):
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        Statistics(**wrong)
