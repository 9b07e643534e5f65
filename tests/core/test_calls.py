"""A call ends by its deadline, after so many requests at most, and is on record either way."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from heapq import heappop, heappush

import anyio
import anyio.lowlevel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.breakers import Breakers
from core.budget import Budget, CapHit
from core.calls import Caller, Policy, Recall, past_calls, stuck_calls
from core.clock import seeded, stamp
from core.errors import Stopped, TaskError
from core.events import Booted, BreakerMoved, CallEnded, CallTried, Row
from core.redaction import MARK, Redactor
from core.requests import Fault, Incomplete, Reply, Request, ToolCall
from core.settings import Flags
from core.testing import FakeClock
from core.values import digest
from tests.virtual import virtually

_KEY = "the-key-in-use-42"
_DOWN = Fault("transient", "the server answers 503", status=503)


class VirtualClock(FakeClock):
    """Time that jumps to the next waking whenever nobody can go on."""

    def __init__(self) -> None:
        super().__init__()
        self.at, self._asleep = 0.0, []

    def monotonic(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        woken = anyio.Event()
        heappush(self._asleep, (self.at + seconds, len(self.slept), woken))
        self.slept.append(seconds)
        await woken.wait()

    @asynccontextmanager
    async def running(self):
        async with anyio.create_task_group() as group:
            group.start_soon(self._run)
            yield
            group.cancel_scope.cancel()

    async def _run(self) -> None:
        while True:
            await anyio.wait_all_tasks_blocked()
            if not self._asleep:
                await anyio.lowlevel.checkpoint()
                continue
            self.at, _, woken = heappop(self._asleep)
            woken.set()


class Server:
    """Answers by a script: faults are raised, replies given; the last entry repeats."""

    def __init__(self, *script: Fault | Reply | Callable[[Request], Reply]) -> None:
        self.script, self.asked = list(script), []

    async def __call__(self, request: Request) -> Reply:
        self.asked.append(request)
        await anyio.lowlevel.checkpoint()
        entry = self.script[min(len(self.asked), len(self.script)) - 1]
        if isinstance(entry, Fault):
            raise entry
        return entry(request) if callable(entry) else entry


class Desk:
    """A caller with its surroundings."""

    def __init__(self, send: Callable[[Request], Awaitable[Reply]], **parts) -> None:
        self.send, self.events, self.artifacts = send, [], {}
        self.clock = parts.pop("clock", None) or FakeClock()
        self.budget = Budget(parts.pop("flags", Flags()), self.clock)
        defaults = {"random": seeded(1), "breakers": Breakers(), "redactor": Redactor([_KEY])}
        self.caller = Caller(
            send,
            record=self.events.append,
            keep=self.keep,
            clock=self.clock,
            budget=self.budget,
            **{**defaults, **parts},
        )

    def keep(self, value) -> str:
        self.artifacts[digest(value)] = value
        return digest(value)

    def ask(self, *requests: Request):
        return asyncio.run(self._all(requests or (ask(),)))

    def ask_from(self, spent_s: float):
        """Ask when so much of the run's time is spent, in time that the event loop jumps over."""

        async def timed():
            loop = asyncio.get_running_loop()
            self.clock.monotonic = lambda: spent_s + loop.time()
            await self.caller.call(ask())

        virtually(timed)

    async def _all(self, requests):
        for request in requests:
            reply = await self.caller.call(request)
        return reply

    def of(self, kind):
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def rows(self) -> list[Row]:
        return rows(Booted(pid=1, python="3"), *self.events)


def rows(*events) -> list[Row]:
    ts = stamp(datetime(2026, 1, 1, tzinfo=UTC))
    return [
        Row(seq=i, run_id="r", ts=ts, event=event, prev="", hash="")
        for i, event in enumerate(events)
    ]


def ask(text: str = "hi", task_id: str = "T01", **fields) -> Request:
    body = {"messages": [{"role": "user", "content": text}]}
    return Request("answer", task_id, "m", "http://127.0.0.1:1", body, **fields)


def say(text: str = "yes", **fields) -> Reply:
    return Reply(
        text=text, **{"finish": "stop", "prompt_tokens": 3, "completion_tokens": 2, **fields}
    )


# ---------------------------------------------------------------------- tries and their waits


def test_an_answer_is_returned_and_on_record_with_what_was_asked():
    desk = Desk(Server(say()), price=lambda request, reply: 0.5)
    assert desk.ask() == say()
    tried, ended = desk.events
    assert (tried.outcome, tried.attempt, tried.call_id) == ("answered", 1, "T01-call-1")
    assert (ended.ok, ended.tries, ended.cost_usd) == (True, 1, 0.5)
    assert desk.artifacts[ended.request_digest] == ask().json
    assert Reply.model_validate(desk.artifacts[ended.reply_digest]) == say()
    spent = desk.budget.spent
    assert (spent.calls, spent.tokens, spent.cost_usd) == (1, 5, 0.5)


def test_an_unknown_price_and_unknown_tokens_stay_unknown():
    desk = Desk(Server(say(prompt_tokens=None, completion_tokens=None)))
    desk.ask()
    ended = desk.of(CallEnded)[0]
    assert ended.cost_usd is ended.prompt_tokens is ended.completion_tokens is None


def test_a_transient_fault_is_tried_again_after_a_drawn_wait():
    desk = Desk(Server(_DOWN, _DOWN, say()))
    assert desk.ask() == say()
    first, second = desk.clock.slept
    assert 0 < first < Policy().bound_s(1)
    assert 0 < second < Policy().bound_s(2)
    assert [tried.wait_ms for tried in desk.of(CallTried)] == [
        *(round(wait * 1000) for wait in desk.clock.slept),
        0,
    ]
    again = Desk(Server(_DOWN, _DOWN, say()))
    again.ask()
    assert again.clock.slept == desk.clock.slept
    other = Desk(Server(_DOWN, _DOWN, say()), random=seeded(2))
    other.ask()
    assert other.clock.slept != desk.clock.slept


@given(st.lists(st.sampled_from(["down", "permanent", "ok", "empty"]), min_size=1, max_size=6))
def test_no_call_makes_more_requests_than_it_may(script):
    entries = {
        "down": _DOWN,
        "permanent": Fault("permanent", "no"),
        "ok": say(),
        "empty": say(""),
    }
    server = Server(*(entries[name] for name in script))
    desk = Desk(server)
    with suppress(TaskError, Stopped):
        desk.ask()
    assert len(server.asked) <= 3
    assert len(server.asked) == len(desk.of(CallTried)) == desk.of(CallEnded)[0].tries


def test_a_server_that_stays_down_pauses_the_run_in_one_sentence():
    desk = Desk(Server(_DOWN))
    said = r"^the server does not answer: the server answers 503 \(after 3 tries\); resume when it does$"
    with pytest.raises(Stopped, match=said):
        desk.ask()
    ended = desk.of(CallEnded)[0]
    assert (ended.ok, ended.paused, ended.tries, ended.reply_digest) == (False, True, 3, "")


def test_what_paused_the_run_before_fails_its_task_while_the_server_answers_others():
    def sick(request):
        if "sick" in str(request.body):
            raise _DOWN
        return say()

    first = Desk(Server(sick))
    with pytest.raises(Stopped):
        first.ask(ask("well", "T02"), ask("sick"))
    stuck = stuck_calls(first.rows)
    alone = Desk(Server(sick), stuck=stuck)
    with pytest.raises(Stopped, match="does not answer"):
        alone.ask(ask("well", "T02"), ask("sick"))  # nobody was answered since

    async def beside(desk):
        async with anyio.create_task_group() as group:
            group.start_soon(desk.caller.call, ask("well", "T02"))
            with pytest.raises(TaskError, match=r"after 3 tries\), while others are answered"):
                await desk.caller.call(ask("sick"))

    asyncio.run(beside(Desk(Server(sick), stuck=stuck)))


def test_a_wait_that_is_asked_for_and_obeyed_is_no_try():
    busy = Fault("transient", "busy", status=429, retry_after_s=2)
    desk = Desk(server := Server(*[busy] * 5, _DOWN, _DOWN, say()))
    assert desk.ask() == say()
    assert len(server.asked) == 8
    assert desk.of(BreakerMoved) == []
    rude = Fault("transient", "busy", status=429, retry_after_s=0.01)  # it could ask without end
    with pytest.raises(Stopped, match=r"after 3 tries"):
        Desk(Server(rude)).ask()


def test_a_permanent_fault_is_one_request_and_fails_the_task():
    desk = Desk(server := Server(Fault("permanent", "the request is too long", status=400)))
    with pytest.raises(TaskError, match="too long"):
        desk.ask()
    assert len(server.asked) == 1
    assert desk.of(CallTried)[0].status == 400


def test_another_wording_is_tried_at_once_and_is_no_retry():
    refused = Fault("permanent", "no schema; asked by words", status=400, again=True)
    answer = say(asked="by words")
    desk = Desk(server := Server(refused, refused, refused, _DOWN, _DOWN, answer))
    assert desk.ask() == answer
    assert len(server.asked) == 6
    assert [tried.wait_ms > 0 for tried in desk.of(CallTried)] == [False] * 3 + [True] * 2 + [
        False
    ]
    assert [(ended.tries, ended.asked) for ended in desk.of(CallEnded)] == [(6, "by words")]


def test_wordings_come_to_an_end():
    refused = Fault("permanent", "no schema", status=400, again=True)
    desk = Desk(server := Server(refused))
    with pytest.raises(TaskError, match="no schema"):
        desk.ask()
    assert len(server.asked) == 5


def test_what_meets_every_call_pauses_the_run_after_one_request():
    refused = Fault("permanent", "the key is refused; set another", status=401, everywhere=True)
    desk = Desk(server := Server(refused))
    with pytest.raises(Stopped, match="set another"):
        desk.ask()
    assert len(server.asked) == 1
    assert desk.of(CallEnded)[0].paused


def test_a_server_that_asks_for_two_seconds_gets_them():
    desk = Desk(Server(Fault("transient", "busy", status=429, retry_after_s=2), say()))
    desk.ask()
    assert desk.clock.slept[0] >= 2
    assert len(desk.of(CallTried)) == 2


@pytest.mark.parametrize("wait", [61, 3600])
def test_a_server_that_asks_for_too_long_pauses_the_run_at_once_and_says_until_when(wait):
    desk = Desk(server := Server(Fault("transient", "busy", status=429, retry_after_s=wait)))
    with pytest.raises(Stopped) as stop:
        desk.ask()
    until = desk.clock.start + timedelta(seconds=wait)
    assert f"no calls until {until:%Y-%m-%d %H:%M} UTC" in str(stop.value)
    assert len(server.asked) == 1
    assert desk.clock.slept == []


@pytest.mark.parametrize("wait", [1e12, float("inf")])
def test_a_wait_that_no_date_can_name_is_taken_for_a_year(wait):
    desk = Desk(Server(Fault("transient", "busy", status=429, retry_after_s=wait)))
    with pytest.raises(Stopped, match="no calls until 2027-01-01 00:00 UTC"):
        desk.ask()


def test_a_wait_that_is_no_number_is_none():
    desk = Desk(Server(Fault("transient", "busy", status=429, retry_after_s=float("nan")), say()))
    assert desk.ask() == say()


def test_the_slot_is_given_back_while_the_call_waits():
    held = []

    class Slot:
        async def without(self, wait):
            held.append("given back")
            await wait
            held.append("taken")

    async def send(request):
        held.append("asked")
        return await server(request)

    server = Server(_DOWN, say())
    desk = Desk(send)
    asyncio.run(desk.caller.call(ask(), Slot()))
    assert held == ["asked", "given back", "taken", "asked"]


def test_retries_of_a_run_have_a_budget():
    desk = Desk(Server(_DOWN), breakers=Breakers(limit=10**6))

    async def many():
        for i in range(30):
            with pytest.raises(Stopped):
                await desk.caller.call(ask(task_id=f"T{i:02}"))

    asyncio.run(many())
    assert len(desk.of(CallTried)) == 30 + 10
    assert "the run's 10 retries are used up" in desk.events[-1].error


# --------------------------------------------------------------------------------- deadlines


def test_a_server_that_hangs_is_left_at_the_deadline():
    async def hang(request):
        await anyio.sleep_forever()

    desk = Desk(hang, policy=Policy(try_s=20))
    with pytest.raises(Stopped, match=r"gave no whole reply within 20 s"):
        desk.ask_from(0)
    assert [tried.outcome for tried in desk.of(CallTried)] == ["transient"] * 3
    assert len(desk.of(CallEnded)) == 1


def test_a_call_under_way_is_left_when_the_time_of_the_run_is_over():
    async def hang(request):
        await anyio.sleep_forever()

    desk = Desk(hang, flags=Flags(MAX_WALL_S=20))
    with pytest.raises(CapHit, match="reached MAX_WALL_S: 20 of 20 seconds"):
        desk.ask_from(19)
    assert [tried.outcome for tried in desk.of(CallTried)] == ["cancelled"]
    assert [ended.paused for ended in desk.of(CallEnded)] == [True]


def test_no_wait_outlasts_the_time_of_the_run():
    busy = Fault("transient", "busy", retry_after_s=50)
    desk = Desk(server := Server(busy), flags=Flags(MAX_WALL_S=20))
    with pytest.raises(CapHit, match="reached MAX_WALL_S: 20 of 20 seconds are spent"):
        desk.ask()
    assert (len(server.asked), sum(desk.clock.slept)) == (1, 20)
    assert [ended.paused for ended in desk.of(CallEnded)] == [True]


def test_no_call_waits_for_a_server_longer_than_the_time_of_the_run():
    breakers = Breakers(limit=1, pause_s=30)
    desk = Desk(server := Server(_DOWN), flags=Flags(MAX_WALL_S=20), breakers=breakers)
    with pytest.raises(CapHit, match="reached MAX_WALL_S: 20 of 20 seconds are spent"):
        desk.ask()
    assert (len(server.asked), sum(desk.clock.slept)) == (1, pytest.approx(20))


def test_no_wait_begins_that_is_longer_than_a_call_may_wait():
    busy = Fault("transient", "busy", retry_after_s=50)
    desk = Desk(server := Server(busy), policy=Policy(waits_s=60))
    with pytest.raises(Stopped, match=r"busy .after 2 tries, as long as a call may wait."):
        desk.ask()
    assert len(server.asked) == 2


def test_a_call_that_is_cancelled_leaves_its_request_on_record():
    async def hang(request):
        await anyio.sleep_forever()

    desk = Desk(hang)

    async def cancelled():
        with anyio.move_on_after(0.02):
            await desk.caller.call(ask())

    asyncio.run(cancelled())
    assert [tried.outcome for tried in desk.of(CallTried)] == ["cancelled"]
    assert desk.of(CallEnded) == []
    assert desk.budget.spent.calls == 1


# ---------------------------------------------------------------------------------- breakers


def outage(clock: VirtualClock, until: float, number: int, **parts) -> tuple[Desk, list, int]:
    """Let *number* tasks call a server that is down until then."""
    requests = 0

    async def send(request):
        nonlocal requests
        requests += 1
        await anyio.lowlevel.checkpoint()
        if clock.at < until:
            raise _DOWN
        return say()

    desk, replies = Desk(send, clock=clock, **parts), []

    async def one(i):
        try:
            replies.append(await desk.caller.call(ask(task_id=f"T{i:02}")))
        except Stopped as failure:
            replies.append(failure)

    async def run():
        async with clock.running(), anyio.create_task_group() as group:
            for i in range(number):
                group.start_soon(one, i)

    asyncio.run(run())
    return desk, replies, requests


def test_calls_outlast_an_outage_of_twenty_seconds():
    desk, replies, requests = outage(VirtualClock(), 20, 6)
    assert replies == [say()] * 6
    assert requests <= 6 * 3
    assert [moved.state for moved in desk.of(BreakerMoved)] == ["open", "probing", "closed"]
    assert (
        "5 failures in a row, the last: the server answers 503" in desk.of(BreakerMoved)[0].reason
    )


def test_one_call_tries_a_server_that_is_held_back_and_the_others_wait():
    desk, replies, _ = outage(VirtualClock(), 50, 8, policy=Policy(attempts=4))
    states = [moved.state for moved in desk.of(BreakerMoved)]
    assert states == ["open", "probing", "open", "probing", "closed"]
    assert replies == [say()] * 8
    between = [t for t in desk.of(CallTried) if t.outcome == "transient"]
    assert len(between) <= 8 + 4 + 1


def test_a_server_that_never_comes_back_ends_every_call():
    desk, replies, requests = outage(VirtualClock(), 10**6, 6)
    assert all(isinstance(reply, Stopped) for reply in replies)
    assert requests <= 6 * 3
    assert len(desk.of(CallEnded)) == 6


def test_runs_share_what_they_know_of_a_server():
    breakers = Breakers(limit=3)
    one = Desk(Server(_DOWN), breakers=breakers)
    with pytest.raises(Stopped):
        one.ask()
    two = Desk(Server(say()), breakers=breakers, clock=one.clock)
    waited = len(one.clock.slept)
    two.ask()
    assert one.clock.slept[waited] == pytest.approx(30)
    assert [moved.state for moved in two.of(BreakerMoved)] == ["open", "probing", "closed"]


def test_the_one_that_tries_the_server_may_be_cancelled_and_another_does():
    breakers, clock = Breakers(limit=1), FakeClock()
    with pytest.raises(Stopped):
        Desk(Server(_DOWN), breakers=breakers, clock=clock, policy=Policy(attempts=1)).ask()
    capped = Desk(Server(say()), breakers=breakers, clock=clock, flags=Flags(MAX_CALLS=1))
    capped.budget.before_call()
    with pytest.raises(CapHit):
        capped.ask()
    assert Desk(Server(say()), breakers=breakers, clock=clock).ask() == say()


def test_a_refusal_shows_that_the_server_is_there():
    desk = Desk(Server(*[_DOWN] * 4, Fault("permanent", "no"), *[_DOWN] * 3, say()))
    desk.caller._policy = Policy(attempts=1)

    async def nine():
        for i in range(9):
            try:
                await desk.caller.call(ask(task_id=f"T{i}"))
            except (TaskError, Stopped):
                continue

    asyncio.run(nine())
    assert desk.of(BreakerMoved) == []


# --------------------------------------------------------------------- answers that are none


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (say("half an ans", finish="length"), "length limit"),
        (say("", finish="content_filter"), "content filter"),
        (say(""), "empty"),
        (say("  \n"), "empty"),
    ],
)
def test_a_reply_that_is_no_whole_answer_fails_the_task_and_is_kept_and_paid(reply, said):
    desk = Desk(server := Server(reply))
    with pytest.raises(Incomplete, match=said) as failure:
        desk.ask()
    assert failure.value.reply == reply
    ended = desk.of(CallEnded)[0]
    assert not ended.ok
    assert desk.artifacts[ended.reply_digest]["text"] == reply.text
    assert desk.budget.spent.tokens == 5
    assert len(server.asked) == 1


def test_a_wish_for_a_tool_is_an_answer_without_text():
    wish = say("", finish="tool_calls", tool_calls=(ToolCall(id="1", name="search", args={}),))
    assert Desk(Server(wish)).ask() == wish


def test_a_reply_beyond_its_size_is_refused():
    desk = Desk(Server(say("x" * 101)), policy=Policy(max_bytes=100))
    with pytest.raises(TaskError, match="101 bytes, more than the 100 allowed"):
        desk.ask()


def test_what_had_arrived_of_a_reply_that_was_cut_is_kept_but_an_end_that_may_begin_a_secret():
    cut = Fault("transient", "the stream was cut", partial=f"half {_KEY} and {_KEY[:9]}")
    desk = Desk(Server(cut, say()))
    desk.ask()
    assert desk.artifacts[desk.of(CallTried)[0].partial_digest] == f"half {MARK} and "


# ------------------------------------------------------------------------------------ secrets


def test_secrets_are_neither_sent_nor_kept_nor_said():
    fault = Fault("transient", f"Incorrect key {_KEY}", partial=_KEY)
    server = Server(fault, say(f"your key is {_KEY}"))
    desk = Desk(server)
    assert desk.ask(ask(f"my key is {_KEY}")).text == f"your key is {MARK}"
    assert MARK in str(server.asked[0].body)
    written = repr((server.asked, desk.events, desk.artifacts))
    assert _KEY not in written


def test_no_error_carries_a_secret_or_where_it_came_from():
    fault = Fault("permanent", f"Incorrect key {_KEY}")
    fault.__cause__ = ValueError(_KEY)
    with pytest.raises(TaskError) as failure:
        Desk(Server(fault)).ask()
    error, chain = failure.value, []
    while error:
        chain.append(repr(error))
        error = error.__cause__ or error.__context__
    assert _KEY not in "".join(chain)


# --------------------------------------------------------------------------------------- caps


def test_at_a_cap_not_one_more_request_is_made_however_many_ask():
    server = Server(say())
    desk = Desk(server, flags=Flags(MAX_CALLS=7))
    hits = []

    async def one(i):
        try:
            await desk.caller.call(ask(task_id=f"T{i:02}"))
        except CapHit as hit:
            hits.append(hit)

    async def run():
        async with anyio.create_task_group() as group:
            for i in range(64):
                group.start_soon(one, i)

    asyncio.run(run())
    assert len(server.asked) == 7
    assert len(hits) == 57


def test_a_retry_counts_against_the_cap():
    desk = Desk(server := Server(_DOWN), flags=Flags(MAX_CALLS=2))
    with pytest.raises(CapHit):
        desk.ask()
    assert len(server.asked) == 2
    assert desk.of(CallEnded)[0].paused


# ------------------------------------------------------------------------------------- recall


def test_a_later_sitting_does_not_pay_again_for_what_was_answered():
    first = Desk(Server(say("one"), say("two")))
    first.ask(ask("a"), ask("b"))
    later = Desk(server := Server(say("new")), past=past_calls(first.rows, first.artifacts.get))
    assert later.ask(ask("b")).text == "two"
    assert later.ask(ask("a")).text == "one"
    assert later.events == []
    assert later.ask(ask("a")).text == "new"
    assert later.ask(ask("b", attempt=2)).text == "new"
    assert later.ask(ask("b", task_id="T02")).text == "new"
    assert len(server.asked) == 3
    assert later.of(CallEnded)[0].call_id == "T01-call-3"


def test_a_request_that_held_a_secret_is_recalled_too():
    first = Desk(Server(say()))
    first.ask(ask(_KEY))
    later = Desk(Server(), past=past_calls(first.rows, first.artifacts.get))
    assert later.ask(ask(_KEY)) == say()


def test_what_failed_is_asked_again_by_a_later_sitting():
    first = Desk(Server(_DOWN))
    with pytest.raises(Stopped):
        first.ask()
    later = Desk(Server(say()), past=past_calls(first.rows, first.artifacts.get))
    assert later.ask() == say()


def test_the_record_gives_answers_and_failures_in_their_order():
    half = say("half", finish="length")
    first = Desk(Server(say("one"), Fault("permanent", "no"), half))
    heard = []
    for _ in range(3):
        try:
            heard.append(first.ask())
        except TaskError as failure:
            heard.append(failure)
    recall = Recall(past_calls(first.rows, first.artifacts.get))
    one, no, incomplete = (recall(ask()) for _ in range(3))
    assert one == heard[0]
    assert (type(no), str(no)) == (TaskError, str(heard[1]))
    assert isinstance(incomplete, Incomplete)
    assert incomplete.reply == heard[2].reply
    assert recall(ask()) is None


def test_the_record_passes_over_pauses_and_over_failures_that_a_later_sitting_overcame():
    paused = Desk(Server(Fault("permanent", "no key", everywhere=True)))
    failed = Desk(Server(Fault("permanent", "no")))
    better = Desk(Server(say("better")))
    for desk, error in ((paused, Stopped), (failed, TaskError)):
        with pytest.raises(error):
            desk.ask()
    assert past_calls(paused.rows, paused.artifacts.get) == []
    better.ask()
    sittings = [event for desk in (paused, failed, better) for event in desk.rows]
    kept = {**paused.artifacts, **failed.artifacts, **better.artifacts}
    recall = Recall(past_calls(rows(*(row.event for row in sittings)), kept.get))
    assert recall(ask()).text == "better"


def test_the_same_question_has_the_same_digest_wherever_it_is_sent():
    there = Request("answer", "T02", "m", "https://elsewhere", ask().body)
    assert there.digest == ask().digest
    assert ask("other").digest != ask().digest
