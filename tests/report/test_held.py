"""A plan's cost shows that a limit is kept only where the limit says nothing else."""

import pytest

from dr_rd.brief import Brief
from dr_rd.checks import build_ledger
from dr_rd.report.figures import held


class Computed:
    """A plan that costs 20,000 EUR."""

    def first(self, kind):
        out = {"at_confidence": 20_000, "currency": "EUR"}
        return {"out": out, "id": "budget-1"} if kind == "budget" else None


@pytest.mark.parametrize(
    ("limit", "verdict"),
    [
        ("budget under 50000 EUR", "met"),
        ("Sensors are not on bedside tables and the maximum grant is 50k EUR.", "unclear"),
        ("budget under 15000 EUR", "violated"),
    ],
)
def test_a_cost_alone_keeps_no_limit_that_also_rules_things_out(limit, verdict):
    brief = Brief(objective="Study sleep.", hard_constraints=(limit,))
    found = held(
        build_ledger(brief), brief, None, Computed()
    )  # no schedule, so no design is asked
    assert found["C01"].verdict == verdict
