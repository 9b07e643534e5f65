"""All runs of a process: started, watched, answered, stopped and resumed by many."""

import asyncio
import logging
import threading
from collections.abc import Mapping
from concurrent.futures import Future, wait
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from pydantic import JsonValue

from core.clock import Clock, fresh_random, new_run_id
from core.decisions import decide, open_questions
from core.driving import Driver, Here, Outcome, Stop
from core.errors import CallerError
from core.events import (
    Row,
    RunPaused,
)
from core.files import SUMS
from core.modes import find_mode
from core.modes.spec import RunPartsFor, View
from core.questions import OpenQuestion
from core.scheduler import ParallelLimiter
from core.settings import RunOptions
from core.store import TRACE, RunFolder, RunStore
from core.trace import ENDED, Status, read_events, status_of

TASKS_AT_ONCE = 64
"""How many tasks all runs of one process work on at once."""


_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One look at a run, from any thread."""

    run_id: str
    run_dir: Path
    options: RunOptions
    status: Status
    reason: str
    """What it waits for, or why it stopped; "" otherwise."""
    stopping: str
    """Why it is about to stop, from the moment somebody asks for it; "" otherwise."""
    count: int
    """How many events there are; ask for those since then next time."""
    events: tuple[Row, ...]
    """The events asked for."""
    view: View | None
    """What the run's mode shows of it."""
    questions: tuple[OpenQuestion, ...]
    """What people are asked, oldest first."""


@dataclass(slots=True)
class _Live:
    folder: RunFolder
    stop: Stop
    rows: list[Row]
    view: View | None = None
    future: Future[Outcome] | None = None
    stopping: str = ""

    @property
    def running(self) -> bool:
        return self.future is not None and not self.future.done()


class RunService:
    """All runs of one process, on one thread with one event loop; its owner closes it.

    Args:
        store: Where runs are kept.
        parts_for: Makes a run's parts from its folder.
        clock: The time.
        driver: What drives them; None does so in this process.

    """

    def __init__(
        self, store: RunStore, parts_for: RunPartsFor, clock: Clock, driver: Driver | None = None
    ) -> None:
        self.store = store
        self._clock, self._chance = clock, fresh_random()
        self._driver = driver or Here(parts_for, clock, ParallelLimiter(TASKS_AT_ONCE))
        self._live: dict[str, _Live] = {}
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._wakers: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="runs", daemon=True)
        self._thread.start()

    def seen_in(self, store: RunStore) -> "RunService":
        """Return the same service, to which the runs in *store* are all there are."""
        seen = copy(self)  # what the runs work with is shared
        seen.store = store
        return seen

    def new_id(self) -> str:
        """Return an id for a run to come; starting the same id twice starts one run."""
        return new_run_id(self._clock, self._chance)

    def start(
        self,
        options: RunOptions,
        brief: Mapping[str, JsonValue],
        run_id: str | None = None,
        inputs: Mapping[str, JsonValue] | None = None,
    ) -> str:
        """Start a run and return its id; a second start with the same *run_id* is the first."""
        find_mode(options.mode)
        with self._lock:
            if run_id and self.store.has(run_id):
                return run_id
            folder = self.store.create(run_id or self.new_id(), options, brief, inputs)
            self._launch(folder)
        return folder.run_id

    def resume(self, run_id: str) -> None:
        """Go on with a run that was stopped or cut off.

        Raises CallerError if it runs already, has ended, or waits for an answer.
        """
        look = self.snapshot(run_id)
        answered = look.status == "waiting" and not look.questions
        cut_off = look.status in ENDED and not self.store.find(run_id).has(SUMS)
        if look.status not in ("paused", "interrupted") and not answered and not cut_off:
            raise CallerError(
                f"run {run_id!r} is {look.status}; only a paused or interrupted run is resumed"
            )
        with self._lock:
            self._launch(self.store.find(run_id))

    def answer(self, run_id: str, question_id: str, answer: JsonValue, *, by: str) -> None:
        """Take a person's answer, and go on once no other is waited for; the first one stands."""
        folder = self.store.find(run_id)
        decide(
            folder, find_mode(folder.options().mode), question_id, answer, by=by, clock=self._clock
        )
        with self._lock:
            look = self.snapshot(run_id)
            if look.status == "waiting" and not look.questions:
                self._launch(folder)

    def pause(self, run_id: str, reason: str = "paused by a person") -> None:
        """Pause a run; what is finished stays, and it can be resumed."""
        live = self._live.get(self.store.find(run_id).run_id)
        if live is None or not live.running:
            raise CallerError(f"run {run_id!r} is not running here; nothing to pause")
        live.stopping = live.stopping or reason
        self._loop.call_soon_threadsafe(live.stop.request, reason)

    def snapshot(self, run_id: str, since: int = 0) -> Snapshot:
        """Look at a run, running here, elsewhere or no more."""
        folder, live = self.store.find(run_id), self._live.get(run_id)
        if live is None or not live.running:  # another process may have gone on with it since
            here = live.future if live else None
            live = replace(_loaded(folder), future=here)
        return _snapshot(live, since)

    def wait(self, run_id: str, timeout_s: float | None = None) -> Outcome:
        """Block until a run that was started here stops for whatever reason."""
        live = self._live.get(run_id)
        if live is None or live.future is None:
            raise CallerError(f"run {run_id!r} was not started here; resume it first")
        return live.future.result(timeout_s)

    def close(self) -> None:
        """Pause every run and end the thread; closing twice is once."""
        if not self._thread.is_alive():
            return
        self._closing.set()
        for waker in tuple(self._wakers):
            self._loop.call_soon_threadsafe(waker.cancel)
        running = [live for live in self._live.values() if live.running]
        for live in running:
            self._loop.call_soon_threadsafe(live.stop.request, "the server is closing")
        wait([live.future for live in running if live.future])
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _launch(self, folder: RunFolder) -> None:
        known = self._live.get(folder.run_id)
        if (known and known.running) or folder.is_driven():
            raise CallerError(f"run {folder.run_id!r} is running already")
        live = _loaded(folder)
        self._live[folder.run_id] = live
        work = self._driver(folder, stop=live.stop, watch=live.rows.append)
        live.future = asyncio.run_coroutine_threadsafe(work, self._loop)
        live.future.add_done_callback(_report)
        live.future.add_done_callback(lambda _: self._wait_for_deadline(folder))

    def _wait_for_deadline(self, folder: RunFolder) -> None:
        """Go on with a run at the deadline of what it waits for; on the service's loop."""
        rows = tuple(read_events(folder.trace_path)) if folder.has(TRACE) else ()
        deadlines = [q.deadline for q in open_questions(rows, folder) if q.deadline]
        if deadlines and not self._closing.is_set():
            waker = self._loop.create_task(self._launch_at(folder, min(deadlines)))
            self._wakers.add(waker)
            waker.add_done_callback(self._wakers.discard)

    async def _launch_at(self, folder: RunFolder, deadline: str) -> None:
        left = datetime.fromisoformat(deadline) - self._clock.now()
        await self._clock.sleep(max(0.0, left.total_seconds()))
        with suppress(CallerError), self._lock:  # somebody has answered, and it runs already
            self._launch(folder)


def _report(future: Future[Outcome]) -> None:
    """Say it loudly if a run ended with a bug: nobody may be waiting for its result."""
    error = _failure(future)
    if error and not isinstance(error, CallerError):
        _LOG.error("a run ended with a bug", exc_info=error)


def _failure(future: Future[Outcome]) -> BaseException | None:
    return None if future.cancelled() else future.exception()


def _loaded(folder: RunFolder) -> _Live:
    rows = list(read_events(folder.trace_path)) if folder.has(TRACE) else []
    return _Live(folder=folder, stop=Stop(), rows=rows)


def _snapshot(live: _Live, since: int) -> Snapshot:
    folder, rows = live.folder, tuple(live.rows)
    driven = live.running or folder.is_driven()
    status = status_of(folder.trace_path, driven=driven)
    waiting = status == "waiting"
    live.view = find_mode(folder.options().mode).view(folder, rows, live.view)
    return Snapshot(
        run_id=folder.run_id,
        run_dir=folder.path,
        options=folder.options(),
        status=status,
        reason=_reason(live, rows),
        stopping=live.stopping if live.running else "",
        count=len(rows),
        events=rows[since:],
        view=live.view,
        questions=open_questions(rows, folder) if waiting else (),
    )


def _reason(live: _Live, rows: tuple[Row, ...]) -> str:
    if live.running:
        return ""
    failure = _failure(live.future) if live.future else None
    if failure:
        return str(failure) or type(failure).__name__
    last = rows[-1].event if rows else None
    return last.reason if isinstance(last, RunPaused) else ""
