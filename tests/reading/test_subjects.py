"""What a study counts, measures and compares with."""

import pytest

from dr_rd.reading import Given, Reader, load_taggers, understood
from dr_rd.reading.subjects import comparator_of, outcome_of


def unit(text: str) -> str | None:
    return understood(Given(text, None, "brief"), Reader(load_taggers())).study.unit


@pytest.mark.parametrize(
    ("text", "noun"),
    [
        ("Estimate the share of old and new street lamps that flicker, within plus or minus 3 percentage points. The list has 800 lamps.", "lamps"),
        ("Does salt raise the yield? Power 80 %. The standard deviation between beds is 4 kg; we manage 12 beds a day.", "beds"),
        ("Estimate the share of street lamps that flicker within plus or minus 3 percentage points.", None),
        ("We want to know whether rye helps bees find their way home.", None),
    ],
)  # fmt: skip
def test_a_unit_is_told_where_two_places_agree(text, noun):
    assert unit(text) == noun


@pytest.mark.parametrize(
    ("objective", "comparator", "outcome"),
    [
        ("Does a rinse reduce wilted heads compared with the dry box in shops?", "dry box", "wilted heads"),
        ("Is a net not worse than the thread that all use?", "thread", None),
        ("Whether moss lasts longer than 10 days", None, None),
        ("Does moss keep the bed moist?", None, None),
    ],
)  # fmt: skip
def test_what_is_compared_and_what_is_changed(objective, comparator, outcome):
    assert (comparator_of(objective), outcome_of(objective)) == (comparator, outcome)
