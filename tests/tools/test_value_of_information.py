"""Which test first: against enumeration of the orders, and worked by hand."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from dr_rd.tools.value_of_information import ValueOfInformation, value_of_information

ASSAY = {"id": "assay", "cost": 1000, "probability_of_failure": 0.3, "cost_avoided": 20_000}
PATENT = {"id": "patent", "cost": 500, "probability_of_failure": 0.1, "cost_avoided": 40_000}


def found(*tests):
    return value_of_information(ValueOfInformation(tests=tests, currency="EUR"))


def test_the_order_the_savings_and_where_they_turn_by_hand():
    """Assay 0.3 * 20000 / 1000 = 6; patent 0.1 * 40000 / 500 = 8."""
    answer = found(ASSAY, PATENT)
    assert answer["ranking"] == ["patent", "assay"]
    assert answer["first"] == "patent"
    assert [t["ratio"] for t in answer["tests"]] == [8, 6]
    assert [t["expected_saving"] for t in answer["tests"]] == [3500, 5000]
    assert [t["pays_from_probability"] for t in answer["tests"]] == [0.0125, 0.05]
    assert answer["flips"] == [
        {"ahead": "patent", "behind": "assay",
         "if_ahead_falls_below": 0.075, "if_behind_rises_above": 0.4}
    ]  # fmt: skip


def test_a_test_that_may_miss_the_failure_is_worth_less():
    assert found({**PATENT, "detection": 0.5}, ASSAY)["ranking"] == ["assay", "patent"]


def test_no_test_comes_first_where_none_is_worth_its_cost():
    answer = found({**ASSAY, "cost": 7000}, {**PATENT, "cost_avoided": 0})
    assert answer["first"] is None
    assert not any(t["worth_its_cost"] for t in answer["tests"])
    assert answer["tests"][1]["pays_from_probability"] is None


def test_an_order_that_no_probability_turns_says_so():
    flip = found(ASSAY, {**PATENT, "cost": 30_000})["flips"][0]
    assert flip["if_behind_rises_above"] is None


@given(st.floats(0.01, 1), st.floats(0.01, 1))
def test_past_the_flipping_probability_the_order_is_turned(first, second):
    tests = {
        "assay": {**ASSAY, "probability_of_failure": first},
        "patent": {**PATENT, "probability_of_failure": second},
    }
    flip = found(*tests.values())["flips"][0]
    turning = flip["if_ahead_falls_below"]
    below = {**tests[flip["ahead"]], "probability_of_failure": turning * 0.999}
    above = {**below, "probability_of_failure": min(1, turning * 1.001)}
    other = tests[flip["behind"]]
    assert found(below, other)["ranking"][0] == flip["behind"]
    assert turning * 1.001 > 1 or found(above, other)["ranking"][0] == flip["ahead"]


@given(st.lists(st.tuples(st.floats(1, 100), st.floats(0.01, 0.99)), min_size=1, max_size=5))
def test_the_order_has_the_least_expected_cost_of_all_orders(pairs):
    """Mitten (1960): tests in turn until one fails, each avoiding the same cost."""
    tests = {
        str(i): {"id": str(i), "cost": c, "probability_of_failure": p, "cost_avoided": 1000}
        for i, (c, p) in enumerate(pairs)
    }

    def expected(order):
        cost, reached = 0.0, 1.0
        for name in order:
            cost += reached * tests[name]["cost"]
            reached *= 1 - tests[name]["probability_of_failure"]
        return cost

    best = min(map(expected, permutations(tests)))
    assert expected(found(*tests.values())["ranking"]) == pytest.approx(best)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"cost": 0}, "greater than 0"),
        ({"probability_of_failure": 1.1}, "less than or equal to 1"),
        ({"cost_avoided": float("nan")}, "cost_avoided"),
        ({"hint": "x"}, "Extra inputs"),
        ({"id": "patent"}, "two tests have the id 'patent'"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(changes, told):
    with pytest.raises(ValidationError, match=told):
        found({**ASSAY, **changes}, PATENT)
