"""The ranking, what would turn it over, and options that may not be chosen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from dr_rd.tools.decision_matrix import DecisionMatrix, decision_matrix


def weighed(options, weights, excluded=(), **more):
    given_ = [
        {"id": k, "scores": s, "excluded": "breaks C01" if k in excluded else ""}
        for k, s in options.items()
    ]
    return decision_matrix(DecisionMatrix(options=given_, weights=weights, **more))


TWO = {"a": {"x": 1, "y": 0}, "b": {"x": 0, "y": 1}}


def test_the_ranking_and_the_smallest_change_of_a_weight_that_turns_it():
    found = weighed(TWO, {"x": 3, "y": 2})
    assert found["ranking"] == ["a", "b"]
    assert found["margin"] == pytest.approx(0.2)
    assert found["flips"][0] == {"criterion": "x", "from": 0.6, "to": 0.5, "then": "b"}


def test_two_options_with_one_merit_each_lead_half_of_all_weights():
    assert weighed(TWO, {"x": 0.6, "y": 0.4})["leads"]["a"] == pytest.approx(0.5, abs=0.02)


def test_of_three_criteria_a_lead_in_one_is_the_volume_of_its_corner():
    """With 1, 0, 0 against 0, 1, 1 the first leads where its weight is above a half: a quarter."""
    options = {"a": {"x": 1, "y": 0, "z": 0}, "b": {"x": 0, "y": 1, "z": 1}}
    found = weighed(options, {"x": 2, "y": 1, "z": 1}, draws=100_000)
    assert found["leads"]["a"] == pytest.approx(0.25, abs=0.01)


def test_an_option_better_in_everything_leads_always_and_nothing_turns_it():
    found = weighed({"a": {"x": 1, "y": 0.9}, "b": {"x": 0.5, "y": 0.5}}, {"x": 1, "y": 1})
    assert found["leads"] == {"a": 1.0, "b": 0.0}
    assert found["flips"] == []


def test_an_excluded_option_is_not_ranked_whatever_it_scores():
    options = {"decoy": {"x": 1}, "sound": {"x": 0.4}}
    found = weighed(options, {"x": 1}, excluded=("decoy",))
    assert found["ranking"] == ["sound"]
    assert found["excluded"] == {"decoy": "breaks C01"}
    assert found["margin"] is None


def test_with_every_option_excluded_nothing_is_ranked():
    found = weighed(TWO, {"x": 1, "y": 1}, excluded=("a", "b"))
    assert (found["ranking"], found["leads"]) == ([], {})


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([{"id": "a", "scores": {}}], "'a' has no score for 'x'"),
        ([{"id": "a", "scores": {"x": 1}}] * 2, "two options have the id 'a'"),
        ([{"id": "a", "scores": {"x": 2}}], "less than or equal to 1"),
    ],
)
def test_options_that_cannot_be_weighed_are_refused(options, says):
    with pytest.raises(ValidationError, match=says):
        DecisionMatrix(options=options, weights={"x": 1})


SHARES = st.lists(st.floats(0, 1), min_size=3, max_size=3)


@given(
    st.lists(SHARES, min_size=2, max_size=5), st.lists(st.floats(0.1, 1), min_size=3, max_size=3)
)
def test_at_the_weight_of_a_flip_the_two_options_tie(rows, given_weights):
    names = ["x", "y", "z"]
    options = {f"o{n}": dict(zip(names, row, strict=True)) for n, row in enumerate(rows)}
    weights = dict(zip(names, given_weights, strict=True))
    found = weighed(options, weights, draws=100)
    whole, first = sum(given_weights), options[found["ranking"][0]]
    for flip in found["flips"]:
        rest = (1 - flip["to"]) / (1 - weights[flip["criterion"]] / whole)
        then = {
            k: flip["to"] if k == flip["criterion"] else w / whole * rest
            for k, w in weights.items()
        }
        other = options[flip["then"]]
        gap = sum(then[k] * (first[k] - other[k]) for k in names)
        assert gap == pytest.approx(0, abs=0.003)
