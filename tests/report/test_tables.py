"""Tables of a proposal: what is shown, and what is only promised."""

import pytest

from dr_rd.checks import LedgerVerdict
from dr_rd.report.tables import counts, standing


def verdict(kind="constraint", quote="", reason="", found="met"):
    return LedgerVerdict(id="C01", kind=kind, text="x", verdict=found, reason=reason, quote=quote)


@pytest.mark.parametrize(
    ("found", "stands"),
    [
        (verdict(quote="C01: at most 30 sensors"), "promised"),
        (verdict(quote="| C01 | at most 30 sensors |"), "promised"),
        (verdict(quote="| C01: steady | x |", kind="ban"), "met"),
        (verdict(found="promised", quote="At most 30 sensors are bought."), "promised"),
        (verdict(quote="We buy 28 sensors.", reason="it states 28 sensors"), "met"),
        (
            verdict(kind="ban", found="not_shown", reason="nothing in the text does this"),
            "not_shown",
        ),
        (verdict(quote="C01: at most 30 sensors", found="violated"), "violated"),
    ],
)
def test_what_only_a_commitment_meets_is_promised(found, stands):
    assert standing(found) == stands


def test_items_are_counted_by_their_standing():
    found = counts([verdict(quote="C01: x"), verdict(), verdict(found="unclear")])
    assert found == {
        "met": 1,
        "promised": 1,
        "violated": 0,
        "unclear": 1,
        "not_shown": 0,
        "not_checkable": 0,
    }
