"""What a run will take is told before it, from the plan's shape, and an unknown price is unknown."""

import pytest

from core.settings import Flags
from core.testing import fake_task
from dr_rd.models.served.effort import estimate
from dr_rd.models.served.endpoint import PURPOSES
from dr_rd.models.served.prices import Rate

RATE = Rate(models=("m",), input_usd=1, output_usd=4, source="a test")
PLAN = [fake_task(f"T{n}") for n in range(5)]


def told(tasks=PLAN, rate=lambda purpose: RATE, *, planned=True, purposes=PURPOSES, **flags):
    return estimate(tasks, Flags(**flags), rate, planned=planned, purposes=purposes)


def test_an_estimate_has_its_bounds_in_order_and_grows_with_the_plan():
    small, large = told(PLAN[:1]), told()
    for found in (small, large):
        for points in (found.calls, found.prompt_tokens, found.reply_tokens, found.cost_usd):
            assert 0 < points.low < points.mode < points.high or points is found.calls
    assert large.calls.mode == small.calls.mode + 4
    assert large.cost_usd.mode > small.cost_usd.mode


def test_the_cost_is_that_of_the_tokens():
    found = told()
    tokens = found.prompt_tokens.mode, found.reply_tokens.mode
    assert found.cost_usd.mode == pytest.approx((tokens[0] + 4 * tokens[1]) / 1e6)


def test_retries_raise_the_upper_bound_alone():
    none, some = told(MAX_RETRIES=0), told(MAX_RETRIES=3)
    assert (none.calls.low, none.calls.mode) == (some.calls.low, some.calls.mode)
    assert some.calls.high == none.calls.high + 3 * 2 * len(PLAN)


def test_a_plan_to_be_made_and_the_critique_take_calls_of_their_own():
    assert told(planned=False).calls.mode == told().calls.mode + 1
    assert told(CRITIQUE_ENABLED=False).calls.mode == told().calls.mode - 1
    assert told(purposes=("plan", "work", "write")) == told(CRITIQUE_ENABLED=False)
    assert told(purposes=("work",)).calls.mode == len(PLAN)


def test_one_unknown_price_makes_the_cost_unknown_and_never_nothing():
    def rate(purpose):
        return None if purpose == "judge" else RATE

    found = told(rate=rate)
    assert found.cost_usd is None
    assert found.sentence.endswith("cost: unknown.")
    assert told(rate=rate, CRITIQUE_ENABLED=False).cost_usd is not None


def test_a_local_model_costs_nothing_and_the_sentence_says_how_much_is_asked():
    free = Rate(models=("m",), input_usd=0, output_usd=0, source="local server")
    sentence = told(rate=lambda purpose: free).sentence
    assert sentence.startswith("About 8 calls (7 to ")
    assert sentence.endswith("cost: 0.00 US dollars.")
