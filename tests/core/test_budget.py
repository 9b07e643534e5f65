"""No cap is passed, over however many sittings and however many ask at once."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.budget import Budget, CapHit, Spent, check_caps, spent
from core.clock import stamp
from core.errors import CallerError
from core.events import AttemptJudged, Booted, CallEnded, CallTried, Event, Row, RunPaused
from core.settings import Flags, read_flags
from core.testing import FakeClock, fake_call

_BOOT = Booted(pid=1, python="3.11")
_TRIED = CallTried(
    call_id="a", task_id="", purpose="p", endpoint="e", attempt=1, outcome="answered", elapsed_ms=5
)
_JUDGED = AttemptJudged(
    task_id="T01",
    attempt=1,
    score=None,
    verdict="pass",
    retry=False,
    rationale="",
    answer_digest="",
)


def ended(tokens: int | None, cost: float | None) -> CallEnded:
    return fake_call(prompt_tokens=tokens, cost_usd=cost)


def rows(*events: tuple[float, Event]) -> list[Row]:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    return [
        Row(seq=i, run_id="r1", ts=stamp(start + timedelta(seconds=at)), event=e, prev="", hash="")
        for i, (at, e) in enumerate(events)
    ]


@given(st.integers(1, 30), st.integers(0, 60))
def test_a_cap_of_n_lets_n_through(cap, asked):
    budget, let = Budget(Flags(MAX_CALLS=cap), FakeClock()), 0
    for _ in range(asked):
        try:
            budget.before_call()
        except CapHit:
            continue
        let += 1
    assert let == min(cap, asked) == budget.spent.calls


def test_no_cap_can_be_below_what_is_spent():
    check_caps(Flags(MAX_CALLS=2, MAX_WALL_S=60), Spent(calls=2, wall_s=59.5))
    with pytest.raises(CallerError, match=r"MAX_WALL_S=60 is less than the 90\.5 seconds .*=181"):
        check_caps(Flags(MAX_WALL_S=60), Spent(wall_s=90.5))


@pytest.mark.parametrize(
    ("flag", "spend"),
    [
        ("MAX_TOKENS=100", lambda b: b.spent_call(100, None)),
        ("MAX_COST_USD=2", lambda b: b.spent_call(None, 2.0)),
        ("MAX_COST_USD=0", lambda b: b.spent_call(None, 0.01)),
        ("MAX_CALLS=1", Budget.before_call),
    ],
)
def test_a_call_is_refused_once_its_cap_is_spent(flag, spend):
    budget = Budget(read_flags({}, [flag]), FakeClock(), run_id="r1")
    budget.before_call() if "CALLS" not in flag else None
    spend(budget)
    with pytest.raises(CapHit) as hit:
        budget.before_call()
    name = flag.split("=")[0]
    assert hit.value.event.cap == name
    assert f"the run reached {name}: " in str(hit.value)
    assert f"dr-rd resume r1 --set {name}=" in str(hit.value)


def test_what_nobody_knows_counts_as_nothing_and_stops_nothing():
    budget = Budget(Flags(MAX_COST_USD=0, MAX_TOKENS=1), FakeClock())
    for _ in range(5):
        budget.before_call()
        budget.spent_call(None, None)
    assert budget.spent == Spent(calls=5)


def test_time_stops_calls_and_attempts():
    clock = FakeClock()
    budget = Budget(Flags(MAX_WALL_S=60), clock)
    budget.before_call()
    clock.slept.append(61)
    for ask in (budget.before_call, budget.before_attempt):
        with pytest.raises(CapHit, match="MAX_WALL_S: 61 of 60 seconds"):
            ask()


def test_attempts_have_a_cap_of_their_own():
    budget = Budget(Flags(MAX_ATTEMPTS=2), FakeClock())
    budget.before_attempt()
    budget.before_attempt()
    budget.before_call()
    with pytest.raises(CapHit, match="2 of 2 attempts"):
        budget.before_attempt()


def test_earlier_sittings_count_and_pauses_do_not():
    past = rows(
        (0, _BOOT),
        (5, _TRIED),
        (10, ended(30, 0.5)),
        (20, RunPaused(reason="stopped")),
        (5000, _BOOT),
        (5003, _TRIED),
        (5004, _JUDGED),
        (5004, ended(None, None)),
    )
    assert spent(past) == Spent(calls=2, tokens=30, cost_usd=0.5, wall_s=24, attempts=1)
    with pytest.raises(CapHit, match="2 of 2 calls"):
        Budget(Flags(MAX_CALLS=2), FakeClock(), past).before_call()


def test_a_raised_cap_lets_the_run_go_on():
    past = rows((0, _BOOT), (1, _TRIED))
    Budget(Flags(MAX_CALLS=2), FakeClock(), past).before_call()


def test_the_remedy_is_a_setting_that_can_be_read_and_helps():
    for cap, over in (("MAX_CALLS", 0), ("MAX_COST_USD", 0), ("MAX_TOKENS", 7_000_000)):
        limit = getattr(Flags(), cap)
        remedy = str(CapHit(cap, limit, limit + over)).rsplit("--set ")[1]
        assert getattr(read_flags({}, [remedy]), cap) > limit + over
