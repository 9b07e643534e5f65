"""Support: claims beside passages, and laws that hold whatever is claimed."""

from collections import Counter
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dr_rd.evidence.support import support


def cases(name):
    listed = yaml.safe_load((Path(__file__).parent / "data" / name).read_text("utf-8"))
    return [
        (verdict, claim, case["passage"])
        for case in listed
        for pair in case["claims"]
        for verdict, claim in pair.items()
    ]


CASES = cases("support.yaml")
PASSAGE = "The kiln reaches 1,200 C in 3 hours. The glaze does not crack."


def test_the_labelled_set_is_large_enough():
    assert len(CASES) >= 60


def test_verdicts_agree_with_a_careful_reader():
    wrong = [c for c in CASES if support(c[1], c[2]).verdict != c[0]]
    assert len(wrong) <= 0.08 * len(CASES), wrong


def test_claims_the_rules_were_not_written_on_get_the_figure_that_was_measured():
    held_out = cases("support_held_out.yaml")
    right = sum(support(claim, passage).verdict == verdict for verdict, claim, passage in held_out)
    assert right >= 17  # of 20; the three misses are calls of "partly" or "supported"


def test_a_false_claim_is_hardly_ever_called_supported():
    passed = [
        c for c in CASES if c[0] != "supported" and support(c[1], c[2]).verdict == "supported"
    ]
    assert len(passed) <= 1, passed


def test_contradicted_is_said_with_high_precision():
    said = Counter(c[0] for c in CASES if support(c[1], c[2]).verdict == "contradicted")
    assert said["contradicted"] >= 0.95 * said.total()


@pytest.mark.parametrize("status", ["superseded", "draft", "archive"])
def test_a_document_that_is_not_live_supports_in_part_and_refutes_nothing(status):
    assert support("The kiln reaches 1,200 C.", PASSAGE, status).verdict == "partly"
    assert support("The glaze does crack.", PASSAGE).verdict == "contradicted"
    assert support("The glaze does crack.", PASSAGE, status).verdict == "unsupported"


def test_the_reason_names_both_values():
    found = support("The kiln reaches 1,300 C in 3 hours.", PASSAGE)
    assert found.verdict == "contradicted"
    assert "1,300 C" in found.reason and "1,200 C" in found.reason


def test_a_quotation_survives_line_breaks_and_typographic_quotes():
    passage = "The glaze does\nnot crack,\nsays the potter."
    assert (
        support("It says “the glaze does not crack” of the glaze.", passage).verdict
        != "unsupported"
    )


@given(st.sampled_from(["\r\n", "\n", "  ", "\u00a0", "\t"]))
def test_white_space_does_not_change_a_verdict(space):
    for verdict, claim, passage in CASES[:20]:
        spaced = passage.replace(" ", space)
        assert support(claim, spaced).verdict == support(claim, passage).verdict, (verdict, claim)


@given(st.sampled_from(CASES))
def test_a_passage_never_contradicts_itself(case):
    assert support(case[2], case[2]).verdict in ("supported", "not_checkable")


@given(st.text(max_size=80), st.text(max_size=200))
def test_any_text_gets_a_verdict_and_a_reason(claim, passage):
    assert support(claim, passage).reason
