"""The one owner of every call to a model's server: deadline, retries, record, recall."""

import math
from collections import Counter, defaultdict, deque
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Literal, cast

import anyio
from anyio.lowlevel import checkpoint
from pydantic import JsonValue

from core.breakers import Breaker, Breakers
from core.budget import Budget
from core.clock import Clock, RandomFor
from core.errors import Stopped, TaskError
from core.events import Booted, BreakerMoved, CallEnded, CallTried, Event, Row
from core.live import CallUnderWay, Partial, Watched
from core.pluralize import pluralize
from core.redaction import Redactor
from core.requests import Fault, Incomplete, Reply, Request, Send, Slot
from core.values import canonical

_LONGEST_S = 31_536_000.0
"""A year: no server means a longer wait, and dates do not go on for ever."""

_SHORTEST_S = 1.0
"""Of a shorter wait that is asked for, a server could ask without end."""


Price = Callable[[Request, Reply], float | None]
"""What a reply cost, in US dollars; None if nobody knows."""


Past = tuple[CallEnded, JsonValue, JsonValue]
"""A recorded call: how it ended, what was asked, and the reply (None if there is none)."""


@dataclass(frozen=True, slots=True)
class Policy:
    """How much trouble a call may take."""

    attempts: int = 3
    """The most HTTP requests for one call, besides the rewordings and the waits asked for."""
    rewordings: int = 4
    """How many times a call may ask for something else, where the server refuses what it asks."""
    try_s: float = 60.0
    """How long one try may take: a reply that drips leaves room for a second."""
    waits_s: float = 120.0
    """How long one call may wait in all between its tries; waiting for a slot is not counted."""
    max_wait_s: float = 60.0
    """The longest wait that a server may ask for."""
    max_bytes: int = 8_000_000
    """The largest reply, in bytes of text."""
    retry_share: float = 0.2
    """A sitting's retries stay below this share of its calls, or below *retry_floor*."""
    retry_floor: int = 10
    base_s: float = 2.0
    """The longest first wait; each wait is drawn evenly from 0 to its bound ("full jitter")."""
    factor: float = 4.0
    max_s: float = 30.0

    def bound_s(self, attempt: int) -> float:
        """Return the longest wait after that attempt, in seconds."""
        return min(self.base_s * self.factor ** (attempt - 1), self.max_s)


def past_calls(rows: Iterable[Row], kept: Callable[[str], JsonValue]) -> list[Past]:
    """Read the calls that count from a run's events, oldest first.

    Left out are calls that paused the run, and failures after which a later sitting asked the
    same again: the run went on from what it heard then.

    Args:
        rows: The run's events.
        kept: Reads an artifact by its SHA-256.

    """
    sitting, found = 0, list[tuple[int, CallEnded]]()
    for row in rows:
        if isinstance(row.event, Booted):
            sitting += 1
        elif isinstance(row.event, CallEnded) and not row.event.paused:
            found.append((sitting, row.event))
    last = {_key(call): number for number, call in found}
    counted = (call for number, call in found if call.ok or number == last[_key(call)])
    return [(call, kept(call.request_digest), _reply(call, kept)) for call in counted]


def stuck_calls(rows: Iterable[Row]) -> frozenset[tuple[str, str]]:
    """Return the task and the request of each call that paused the run."""
    ended = (row.event for row in rows if isinstance(row.event, CallEnded))
    return frozenset(_key(call) for call in ended if call.paused)


def _key(call: CallEnded) -> tuple[str, str]:
    return call.task_id, call.request_digest


def _reply(call: CallEnded, kept: Callable[[str], JsonValue]) -> JsonValue:
    return kept(call.reply_digest) if call.reply_digest else None


class Recall:
    """Answers requests from the record: the same request at the same occurrence in its task."""

    def __init__(self, past: Iterable[Past]) -> None:
        self._waiting: dict[tuple[str, str], deque[Past]] = defaultdict(deque)
        for call in past:
            self._waiting[_key(call[0])].append(call)

    def __call__(self, request: Request) -> Reply | TaskError | None:
        """Return what *request*, cleaned of secrets, was answered; None if it was not asked."""
        waiting = self._waiting and self._waiting.get((request.task_id, request.digest))
        if not waiting:
            return None
        call, _, reply = waiting.popleft()
        answer = None if reply is None else Reply.model_validate(reply)
        if call.ok and answer:
            return answer
        return Incomplete(call.error, answer) if answer else TaskError(call.error)


def _clean(request: Request, redactor: Redactor) -> Request:
    return replace(request, body=cast(Mapping[str, JsonValue], redactor.json(dict(request.body))))


@dataclass
class _Call:
    """One call under way."""

    id: str
    request: Request
    left_s: float
    """How long it may still wait between its tries."""
    slot: Slot | None
    chars: int
    """Of what is sent."""
    answered: int
    """How many calls the server had answered before."""
    tries: int = 0
    free: int = 0
    """How many of its tries are not counted: the server asked for a wait, or for other words."""
    reworded: int = 0
    """How many of its tries were refused for what they asked, and followed by another."""
    probing: bool = False
    """Whether others wait for what it finds out about the server."""
    watched: CallUnderWay | None = None
    partial: Partial | None = None
    """What has come of the reply of the try in hand, where it comes piece by piece."""
    reply: Reply | None = None
    cost_usd: float | None = None


class Caller:
    """Makes the calls of one run.

    Args:
        send: Makes one try.
        record: Where the events go.
        keep: Stores a JSON value as an artifact and returns its SHA-256.
        commit: Makes what was kept safe before an event names it.
        clock: Measures and waits.
        random: Draws the waits, a stream for each wait.
        budget: The run's caps.
        breakers: Shared by all runs of the process.
        policy: How much trouble a call may take.
        redactor: Takes secrets out of what is sent, kept, returned and said.
        past: Calls that an earlier process of this run recorded; the same request at the same
            occurrence in its task is answered from those that succeeded, and not paid again.
        price: What a reply cost.
        stuck: Calls that have paused this run before (`stuck_calls`). Whatever is the matter with
            the server pauses the run; what a call meets again while the server answers others is
            the matter with that call, and fails its task.
        watched: Lets people watch each call while it is made.
        stream: Whether replies are asked for piece by piece, for whoever watches.

    """

    def __init__(
        self,
        send: Send,
        *,
        record: Callable[[Event], None],
        keep: Callable[[JsonValue], str],
        clock: Clock,
        random: RandomFor,
        budget: Budget,
        breakers: Breakers,
        policy: Policy | None = None,
        redactor: Redactor | None = None,
        past: Iterable[Past] = (),
        price: Price | None = None,
        stuck: Collection[tuple[str, str]] = (),
        commit: Callable[[], Awaitable[None]] = checkpoint,
        watched: Watched | None = None,
        stream: bool = True,
    ) -> None:
        known = list(past)
        self._send, self._record, self._keep = send, record, keep
        self._clock, self._random, self._budget = clock, random, budget
        self._breakers, self._policy = breakers, policy or Policy()
        self._redactor, self._price = redactor or Redactor(), price
        self._commit, self._watched, self._stream = commit, watched, stream
        self._recall = Recall(call for call in known if call[0].ok)
        self._numbers = _highest(call for call, _, _ in known)
        self._stuck = stuck
        self._calls = self._retries = self._answered_calls = 0
        self._shown: dict[str, str] = {}

    def recall(self, request: Request) -> Reply | TaskError | None:
        """Return what an earlier process of this run was answered; None if it did not ask."""
        return self._recall(_clean(request, self._redactor))

    async def call(self, request: Request, slot: Slot | None = None) -> Reply:
        """Make a call; whatever happens, it ends and is on record.

        Args:
            request: What is asked; secrets in its body are not sent.
            slot: Given back while the call only waits.

        Raises:
            TaskError: This call cannot be answered, or not with a whole answer (Incomplete).
            Stopped: The server does not answer, or no call can succeed until somebody acts, or a
                cap is reached (CapHit).

        """
        clean = _clean(request, self._redactor)
        if known := self._recall(clean):
            return cast(Reply, known)
        call = self._begun(clean, slot)
        try:
            with self._watch(call.id, call.request) as call.watched:
                reply = await self._answered(call)
        except TaskError as failure:
            await self._end(call, error=str(failure))
            raise
        except Stopped as stop:
            await self._end(call, error=str(stop), paused=True)
            raise
        finally:
            if call.probing:
                self._breakers.of(request.endpoint).gave_up()
        await self._end(call)
        return reply

    def _begun(self, request: Request, slot: Slot | None) -> _Call:
        self._numbers[request.task_id] += 1
        self._calls += 1
        name = f"{request.task_id or 'run'}-call-{self._numbers[request.task_id]}"
        chars = len(canonical(dict(request.body)))
        return _Call(name, request, self._policy.waits_s, slot, chars, self._answered_calls)

    def _watch(
        self, call_id: str, request: Request
    ) -> AbstractContextManager[CallUnderWay | None]:
        if self._watched is None:
            return nullcontext()
        return self._watched(call_id, request.task_id, request.purpose, request.model)

    async def _answered(self, call: _Call) -> Reply:
        while True:
            await self._held(call)
            self._budget.before_call()
            outcome = await self._tried(call)
            if isinstance(outcome, Reply):
                return _whole(outcome)
            await self._wait(call, self._budget.wait(outcome))

    async def _held(self, call: _Call) -> None:
        """Wait while the server's breaker is open."""
        breaker = self._breakers.of(call.request.endpoint)
        while breaker.state != "closed" and not call.probing:
            self._show(call)
            wait_s = breaker.wait_s(self._clock)
            if self._budget.left_s() <= min(wait_s, call.left_s):
                await self._wait(call, self._budget.wait(wait_s))
            if wait_s >= call.left_s:
                raise _unanswered(breaker.reason)
            await self._wait(call, self._passed(call, breaker))
        self._show(call)

    async def _passed(self, call: _Call, breaker: Breaker) -> None:
        left_s = self._budget.left_s()
        with anyio.move_on_after(max(0.0, min(call.left_s, left_s))):
            call.probing = await breaker.pass_by(self._clock)
        if self._budget.left_s() <= 0:
            raise self._budget.out_of_time()

    async def _wait(self, call: _Call, wait: Awaitable[None]) -> None:
        """Wait without the slot, at the expense of what the call may wait."""

        async def timed() -> None:
            started = self._clock.monotonic()
            await wait
            call.left_s -= self._clock.monotonic() - started

        await (call.slot.without(timed()) if call.slot else timed())

    async def _tried(self, call: _Call) -> Reply | float:
        """Make one try: return its reply, or how long to wait before the next, in seconds.

        Raises TaskError or Stopped if there is to be no next.
        """
        breaker = self._breakers.of(call.request.endpoint)
        started = self._clock.monotonic()
        call.tries += 1
        try:
            outcome = await self._sent(call)
        except BaseException:  # stopped, or a bug: the request was made, so it is on record
            self._show_try(call, started, "cancelled")
            raise
        call.probing = False
        if isinstance(outcome, Reply):
            breaker.answered()
            self._answered_calls += 1
            self._pay(call, outcome)
            self._show_try(call, started, "answered")
            return outcome
        self._count(breaker, outcome)
        then = self._then(call, outcome)
        self._show_try(call, started, outcome.kind, outcome, then)
        if isinstance(then, Exception):
            raise then from outcome
        return then

    async def _sent(self, call: _Call) -> Reply | Fault:
        left_s = self._budget.left_s()
        if call.watched:
            partial = call.watched.begin_try(self._redactor.beginning)
            call.partial = partial if self._stream else None
        try:
            with anyio.fail_after(max(0.0, min(self._policy.try_s, left_s))):
                asked = replace(call.request, partial=call.partial)
                return self._fitting(await self._send(asked))
        except Fault as fault:
            return fault.told(self._redactor.text)
        except TimeoutError:
            if left_s < self._policy.try_s:
                raise self._budget.out_of_time() from None
            wanted = f"gave no whole reply within {self._policy.try_s:g} s"
            return Fault("transient", f"{call.request.endpoint} {wanted}")

    def _fitting(self, reply: Reply) -> Reply:
        size, most = len(reply.text.encode()), self._policy.max_bytes
        if size > most:
            raise Fault("permanent", f"the reply has {size} bytes, more than the {most} allowed")
        before = self._redactor.replaced
        clean = self._redactor.json(reply.model_dump(mode="json", exclude_defaults=True))
        return reply if self._redactor.replaced == before else Reply.model_validate(clean)

    def _count(self, breaker: Breaker, fault: Fault) -> None:
        if fault.kind == "transient" and not _asks_to_wait(fault):
            breaker.failed(self._clock, fault.message)
        else:
            breaker.answered()

    def _then(self, call: _Call, fault: Fault) -> float | TaskError | Stopped:
        """Return the wait after a failed try, or the reason why no other follows."""
        asked = min(max(0.0, fault.retry_after_s or 0.0), _LONGEST_S)
        if fault.again and call.reworded < self._policy.rewordings:
            call.reworded += 1
            call.free += 1
            return 0.0
        if fault.kind == "permanent":
            return Stopped(fault.message) if fault.everywhere else TaskError(fault.message)
        if asked > self._policy.max_wait_s:
            when = f"{self._clock.now() + timedelta(seconds=asked):%Y-%m-%d %H:%M} UTC"
            return Stopped(f"{fault.message}; the server takes no calls until {when}, resume then")
        call.free += _asks_to_wait(fault)
        chance = self._random(f"{call.id}/{call.tries}")
        wait = asked + chance.uniform(0, self._policy.bound_s(max(1, call.tries - call.free)))
        if spent := self._spent(call, wait):
            return self._given_up(call, f"{fault.message} ({spent})")
        self._retries += not _asks_to_wait(fault)
        return wait

    def _spent(self, call: _Call, wait: float) -> str:
        """Say what there is no more of for another try; "" if there is enough of all."""
        if call.tries - call.free >= self._policy.attempts:
            return f"after {call.tries} tries"
        if wait >= call.left_s:
            return f"after {pluralize(call.tries, 'try', 'tries')}, as long as a call may wait"
        most = max(self._policy.retry_floor, math.floor(self._policy.retry_share * self._calls))
        return f"the run's {most} retries are used up" if self._retries >= most else ""

    def _given_up(self, call: _Call, reason: str) -> TaskError | Stopped:
        """Return what a call comes to whose tries are spent: trouble of the server, or its own."""
        stuck = (call.request.task_id, call.request.digest) in self._stuck
        if stuck and self._answered_calls > call.answered:
            return TaskError(f"{reason}, while others are answered")
        return _unanswered(reason)

    # -- what is written down

    def _pay(self, call: _Call, reply: Reply) -> None:
        call.reply = reply
        call.cost_usd = self._price(call.request, reply) if self._price else None
        self._budget.spent_call(reply.tokens, call.cost_usd)

    def _show_try(
        self,
        call: _Call,
        started: float,
        outcome: Literal["answered", "transient", "permanent", "cancelled"],
        fault: Fault | None = None,
        then: float | Exception = 0.0,
    ) -> None:
        came, tokens = "", 0
        if outcome != "answered":
            came, tokens = self._cut_off(call, fault)
        self._budget.spent_call(tokens, None)
        self._record(
            CallTried(
                call_id=call.id,
                task_id=call.request.task_id,
                purpose=call.request.purpose,
                endpoint=call.request.endpoint,
                attempt=call.tries,
                outcome=outcome,
                status=fault.status if fault else None,
                error=fault.message if fault else "",
                elapsed_ms=round((self._clock.monotonic() - started) * 1000),
                chars=call.chars,
                wait_ms=0 if isinstance(then, Exception) else round(then * 1000),
                partial_digest=self._keep(came) if came else "",
                tokens=tokens,
            )
        )
        self._show(call)

    def _cut_off(self, call: _Call, fault: Fault | None) -> tuple[str, int]:
        """Return what had come of a reply that did not come to its end, and its tokens.

        A reply that its server sent in one piece, though it was asked for in several, is the fault's.
        """
        if call.partial and call.partial.tokens:
            return call.partial.text(), call.partial.tokens
        return self._redactor.beginning(fault.partial) if fault else "", 0

    def _show(self, call: _Call) -> None:
        """Put the breaker's state on record where this run has not yet heard of it."""
        endpoint = call.request.endpoint
        breaker = self._breakers.of(endpoint)
        if self._shown.get(endpoint, "closed") != breaker.state:
            self._shown[endpoint] = breaker.state
            self._record(
                BreakerMoved(endpoint=endpoint, state=breaker.state, reason=breaker.reason)
            )

    async def _end(self, call: _Call, *, error: str = "", paused: bool = False) -> None:
        reply = call.reply
        asked = self._keep(call.request.json)
        heard = self._keep(reply.model_dump(mode="json")) if reply else ""
        await self._commit()
        self._record(
            CallEnded(
                call_id=call.id,
                task_id=call.request.task_id,
                purpose=call.request.purpose,
                endpoint=call.request.endpoint,
                model=call.request.model,
                request_digest=asked,
                reply_digest=heard,
                ok=not error,
                error=error,
                paused=paused,
                tries=call.tries,
                prompt_tokens=reply.prompt_tokens if reply else None,
                completion_tokens=reply.completion_tokens if reply else None,
                cost_usd=call.cost_usd,
                asked=reply.asked if reply else "",
            )
        )


def _asks_to_wait(fault: Fault) -> bool:
    """Whether the server says when to come again; that is obeyed, and is no failure of a try."""
    return (fault.retry_after_s or 0) >= _SHORTEST_S


def _unanswered(reason: str) -> Stopped:
    return Stopped(f"the server does not answer: {reason}; resume when it does")


def _highest(calls: Iterable[CallEnded]) -> Counter[str]:
    """Return the number of the last call of each task."""
    numbers = Counter[str]()
    for call in calls:
        number = int(call.call_id.rpartition("-")[2])
        numbers[call.task_id] = max(numbers[call.task_id], number)
    return numbers


_CUT = {
    "length": "the model's answer was cut at its length limit; allow it more tokens or ask less",
    "content_filter": "the provider's content filter cut the model's answer; word the task anew",
}


def _whole(reply: Reply) -> Reply:
    """Return a reply that is an answer; raises Incomplete for any other."""
    if reply.finish in _CUT:
        raise Incomplete(_CUT[reply.finish], reply)
    if not reply.text.strip() and not reply.tool_calls:
        raise Incomplete("the model's answer is empty", reply)
    return reply
