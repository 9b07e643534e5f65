"""What a reader is told of a call that gave nothing."""

import pytest
from pydantic import ValidationError

from core.tool_router import _condensed
from dr_rd.tools import sample_size
from dr_rd.tools.failing import failing


def test_a_wrong_figure_is_told_with_what_it_should_be_and_where_to_give_it():
    with pytest.raises(ValidationError) as refused:
        sample_size.SampleSize(power=0.5, cluster_size=0.2)
    what, said = failing("sample_size", _condensed(sample_size.TOOL, refused.value))
    assert what == "The sample size"
    assert said == (
        "was not computed: the power should be greater than 0.5; the number of members in a group "
        "should be greater than or equal to 1. "
        "State it in the brief, or in the task that makes the calculation."
    )


def test_a_missing_figure_is_told_as_missing():
    error = "tool 'budget': limit: Field required; its arguments are lines, limit"
    assert failing("budget", error)[1].startswith("was not computed: the limit is missing.")


def test_what_a_tool_says_in_words_stays_as_it_is():
    assert failing("simulate", "the child was killed") == (
        "The simulation",
        "was not computed: the child was killed.",
    )


def test_a_tool_that_only_looks_is_named():
    assert failing("lab.find", "no tool 'lab.find'") == (
        "lab.find",
        "gave no result: no tool 'lab.find'.",
    )
