"""Changes that a text tells of, as shares of what was."""

import pytest

from dr_rd.changes import changes


@pytest.mark.parametrize(
    ("text", "way", "low", "high"),
    [
        ("energy use down by 20 %", "down", 0.2, 0.2),
        ("20 % less energy use", "down", 0.2, 0.2),
        ("a 20 percent reduction in energy use", "down", 0.2, 0.2),
        ("a reduction of 15-25 %", "down", 0.15, 0.25),
        ("waiting falls by a third", "down", 0.3333, 0.3333),
        ("halve the cost", "down", 0.5, 0.5),
        ("double the throughput", "up", 1, 1),
        ("yield is tripled", "up", 2, 2),
        ("increase yield by at least 15 %", "up", 0.15, None),
        ("yield will be increased by up to 15 %", "up", None, 0.15),
        ("yield is up 12,5 %", "up", 0.125, 0.125),
    ],
)
def test_a_change_is_read_with_its_way_and_its_share(text, way, low, high):
    (found,) = changes(text)
    assert (found.way, found.share.low, found.share.high) == (way, low, high)
    assert text[found.share.start : found.share.end] == found.share.text


@pytest.mark.parametrize(
    "text",
    ["energy use was reduced by 20 %", "we reduced it by 20 %", "20 % of the patients drop out",
     "more than 20 % of them", "up to 20 % are lost", "a double-blind trial", "measured twice a day",
     "a 20 % share of wind", "5 percentage points less"],
)  # fmt: skip
def test_what_was_or_only_looks_like_a_change_is_none(text):
    assert not tuple(changes(text))
