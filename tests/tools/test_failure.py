"""What a reader is told of a call that gave nothing."""

import pytest
from pydantic import ValidationError

from core.graph.state import ToolResult
from core.tool_router import _condensed
from dr_rd.tools import load_tools, sample_size


def failure(name, error):
    return load_tools().failure(ToolResult(id="T1-1", name=name, args={}, error=error))


def test_a_wrong_figure_is_told_with_what_it_should_be_and_where_to_give_it():
    with pytest.raises(ValidationError) as refused:
        sample_size.SampleSize(power=0.5, cluster_size=0.2)
    what, said = failure("sample_size", _condensed(sample_size.TOOL, refused.value))
    assert what == "The sample size"
    assert said == (
        "was not computed: the power should be greater than 0.5; the number of members in a group "
        "should be greater than or equal to 1. "
        "State it in the brief, or in the task that makes the calculation."
    )


def test_a_missing_figure_is_told_as_missing():
    error = "tool 'budget': limit: Field required; its arguments are lines, limit"
    assert failure("budget", error)[1].startswith("was not computed: the limit is missing.")


def test_what_a_tool_says_in_words_stays_as_it_is():
    assert failure("simulate", "the child was killed") == (
        "The simulation",
        "was not computed: the child was killed.",
    )


@pytest.mark.parametrize("name", ["lab.find", "read_repo"])
def test_a_tool_that_only_looks_is_named(name):
    assert failure(name, f"no tool {name!r}") == (name, f"gave no result: no tool {name!r}.")
