"""Checking takes work in proportion to length, whatever a text is made of.

What is counted is calls, which are the same on every machine; `bench.metrics_bench` has the seconds.
"""

import sys
from collections.abc import Callable

import pytest

from dr_rd.evaluation.metrics import METRICS
from tests.metamorphic.plans import plans

KINDS = {
    "money": "We pay 12,000 EUR for T1. ",
    "rising money": "",
    "ranges": "5-7 weeks ",
    "times": "We meet at 9:30 am. ",
    "tolerances": "± 5 ",
    "sizes": "n = 40 ",
    "counts": "40 patients and ",
    "each": "40 patients in each arm, ",
    "prices": "5 EUR for each of 40 cups. ",
    "labels": "Sites: 4\n",
    "dates": "3 March 2027, ",
    "shares": "40 % ",
    "rates": "40 samples a day. ",
}
LENGTH = 4000
MOST = 2.3
"""How much more work twice the text may be."""


def of_kind(kind: str, length: int) -> str:
    """A text of one kind of figure; "rising money" states ever larger sums."""
    if kind == "rising money":
        sums = (f"We pay {1000 + 7 * n * n} EUR more. " for n in range(length // 20))
        return "".join(sums)[:length]
    unit = KINDS[kind]
    return (unit * (length // len(unit) + 1))[:length]


def calls(work: Callable[[], object]) -> int:
    """How many functions are called, in Python and in C, while *work* is done."""
    count = 0

    def seen(_frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", KINDS)
def test_twice_the_text_is_about_twice_the_work(kind):
    plan = plans()["lake-phosphorus"]
    whole = plan.subject(plan.text)
    for metric in METRICS.values():
        metric(whole)  # what is loaded once is loaded
    work = []
    for length in (LENGTH, 2 * LENGTH):
        subject = plan.subject(of_kind(kind, length))
        work.append(calls(lambda s=subject: [metric(s) for metric in METRICS.values()]))
    assert work[1] <= MOST * work[0], work
