"""A design family that a document names on a line of its own."""

import pytest

from dr_rd.reading import parse_brief

BRIEF = """Find out whether shade nets keep saplings alive.

- Two gardeners
Constraints:
- At most 4,000 EUR
- Report by 1 March 2028

{line}
"""


@pytest.mark.parametrize(
    "line", ["family: field_trial", "Design family: Field trial", "**Family:** field-trial."]
)
def test_a_line_names_the_family(line):
    brief = parse_brief(BRIEF.format(line=line))
    assert brief.family == "field_trial"
    assert brief.objective == "Find out whether shade nets keep saplings alive."


@pytest.mark.parametrize("line", ["Family: two adults and three children", ""])
def test_another_family_is_none(line):
    assert parse_brief(BRIEF.format(line=line)).family == ""


def test_a_label_right_below_a_list_opens_its_own(line="family: field_trial"):
    brief = parse_brief(BRIEF.format(line=line))
    assert (brief.budget, brief.deadline) == ("4,000 EUR", "2028-03-01")
