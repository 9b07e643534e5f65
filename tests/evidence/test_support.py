"""Support: claims beside passages, and laws that hold whatever is claimed."""

from collections import Counter
from pathlib import Path
from typing import get_args

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dr_rd.evaluation.agreement import wilson
from dr_rd.evidence.support import Verdict, support

DATA = Path(__file__).parents[1] / "data" / "support"
VERDICTS = [v for v in get_args(Verdict) if v != "unchecked"]  # of assumptions, which cite nothing
PASSAGE = "The kiln reaches 1,200 C in 3 hours. The glaze does not crack."


def cases(name):
    listed = yaml.safe_load((DATA / f"{name}.yaml").read_text("utf-8"))
    return [
        (verdict, claim, case["passage"])
        for case in listed
        for pair in case["claims"]
        for verdict, claim in pair.items()
    ]


CASES = cases("tuning")


def shown(right, of):
    low, high = wilson(right, of)
    return f"{right / of:.3f} [{low:.3f}, {high:.3f}]"


def judged(name):
    """Count what was said of each true verdict, and print the table."""
    found = Counter((true, support(claim, text).verdict) for true, claim, text in cases(name))
    print(f"\n{name}", *table(found), sep="\n")  # noqa: T201 - shown by pytest -s
    return found


def table(found):
    yield f"{'true | said':>14} {' '.join(VERDICTS)}"
    for true in VERDICTS:
        row = [found[true, said] for said in VERDICTS]
        yield f"{true:>14} {row} recall {shown(found[true, true], sum(row))}"
    for said in VERDICTS:
        if called := sum(found[true, said] for true in VERDICTS):
            yield f"{said:>14} precision {shown(found[said, said], called)}"
    yield f"agreement {shown(sum(found[v, v] for v in VERDICTS), found.total())}"


@pytest.mark.parametrize(
    ("name", "size", "agreement"), [("tuning", 228, 226), ("held_out", 131, 120)]
)
def test_verdicts_agree_with_a_careful_reader_as_often_as_was_measured(name, size, agreement):
    found = judged(name)
    assert found.total() >= size
    assert sum(found[v, v] for v in VERDICTS) >= agreement


@pytest.mark.parametrize("name", ["tuning", "held_out"])
def test_a_false_claim_is_never_called_supported_nor_a_true_one_contradicted(name):
    found = judged(name)
    assert not [k for k, n in found.items() if n and k[1] == "supported" and k[0] != "supported"]
    assert not [k for k, n in found.items() if n and k[1] == "contradicted" and k[0] != k[1]]


def test_the_interval_is_that_of_a_worked_example():
    assert shown(8, 10) == "0.800 [0.490, 0.943]"


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
