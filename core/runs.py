"""Runs from start to end: one driver each, stopped and resumed in order, watched by many."""

import asyncio
import logging
import platform
import signal
import threading
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field, replace
from functools import partial
from os import getpid
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar, cast, get_args

from anyio import CancelScope
from anyio.lowlevel import checkpoint
from pydantic import JsonValue

from core.budget import Budget, CapHit
from core.clock import Clock, fresh_random, new_run_id, stamp
from core.compute import Compute, in_thread
from core.errors import CallerError, Stopped, TaskError, Waiting
from core.events import (
    ApprovalAsked,
    Booted,
    Event,
    PlanApproved,
    PlanProposed,
    Row,
    RunEnded,
    RunFinished,
    RunPaused,
    RunStarted,
    RunStatus,
    SettingsChanged,
    TaskFinished,
    ToolCalled,
)
from core.files import NO_SPACE, SUMS, sha256, write_whole
from core.graph.nodes import Agent, Deps, Evaluate, Planner, Review, Synthesize, announce
from core.graph.scheduler import ParallelLimiter
from core.graph.state import Answer, GraphState, GraphTask, how_far, plan_digest
from core.modes import load_mode
from core.settings import RunOptions
from core.store import TRACE, VIEW, Decision, Plan, RunFolder, RunStore
from core.tool_router import Tool, Toolbox, using
from core.trace import Status, Trace, graph_trace, read_events, status_of
from core.values import canonical, digest

_EXIT = {"finished": 0, "holes": 3, "failed_gate": 3, "waiting": 4, "paused": 4}
_ENDS = get_args(RunStatus)
TASKS_AT_ONCE = 64
"""How many tasks all runs of one process work on at once."""

_LOG = logging.getLogger(__name__)
_Found = TypeVar("_Found")
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Bench(Protocol):
    """What a run is made of: the workbench knows what to do, the engine when."""

    @property
    def options(self) -> RunOptions:
        """What was chosen for the run."""
        ...

    @property
    def version(self) -> str:
        """The release and the library that do the work, as the trace names them."""
        ...

    def initial_state(self, folder: RunFolder) -> GraphState:
        """Return the run as asked: idea, constraints, risk posture."""
        ...

    def deps(self, folder: RunFolder, record: Callable[[Event], None], clock: Clock) -> Deps:
        """Return what the steps use; `deps_for` fills in the engine's part."""
        ...


BenchFor = Callable[[RunFolder], Bench]
"""Builds the bench of a run from its folder's brief.json and settings.json."""


def deps_for(
    options: RunOptions,
    folder: RunFolder,
    record: Callable[[Event], None],
    clock: Clock,
    *,
    planner: Planner,
    agent: Agent,
    evaluate: Evaluate,
    synthesize: Synthesize,
    review: Review | None = None,
    tools: Iterable[Tool] = (),
    allowed: Mapping[str, Collection[str]] | None = None,
    budget: Budget | None = None,
    compute: Compute = in_thread,
    close: Callable[[], Awaitable[None]] = checkpoint,
) -> Deps:
    """Join a bench's parts with the engine's, as *options* say."""
    rows = _past(folder)
    calls = (row.event for row in rows if isinstance(row.event, ToolCalled))
    past = [(c, folder.kept(c.output_digest) if c.ok else None) for c in calls]
    toolbox = Toolbox(
        tools,
        allowed=allowed,
        record=record,
        keep=folder.keep,
        commit=folder.commits.commit_files,
        clock=clock,
        past=past,
        compute=compute,
    )
    return Deps(
        planner=planner,
        agent=agent,
        evaluate=evaluate if options.flags.EVALUATORS_ENABLED else None,
        synthesize=synthesize,
        review=review if options.flags.EVALUATORS_ENABLED else None,
        toolbox=toolbox,
        record=record,
        rows=partial(_past, folder),
        folder=folder,
        options=options,
        clock=clock,
        limiter=ParallelLimiter(options.flags.MAX_CONCURRENCY),
        budget=budget or Budget(options.flags, clock, rows, str(folder.path)),
        close=close,
    )


def budget_for(options: RunOptions, folder: RunFolder, clock: Clock) -> Budget:
    """Return what the run may still spend, given what its earlier sittings did."""
    return Budget(options.flags, clock, _past(folder), str(folder.path))


def _past(folder: RunFolder) -> list[Row]:
    return list(read_events(folder.trace_path)) if folder.has(TRACE) else []


@dataclass(frozen=True, slots=True)
class Outcome:
    """How far a run came."""

    status: RunStatus | Literal["waiting", "paused"]
    run_dir: Path
    reason: str = ""
    """What it waits for, who paused it, or which tasks are missing or below the gate."""

    @property
    def exit_code(self) -> int:
        """0 complete, 3 with holes or a failed gate, 4 stopped and resumable."""
        return _EXIT[self.status]

    @property
    def ended(self) -> bool:
        """Whether the run is over, rather than stopped on its way."""
        return self.status not in ("waiting", "paused")


class Stop:
    """A person's, a signal's or a cap's way to stop one run; used on the run's own loop."""

    def __init__(self) -> None:
        self.reason = ""
        self._task: asyncio.Task[Any] | None = None

    def request(self, reason: str) -> None:
        """Stop the run as soon as it waits for anything; the first reason is the one kept."""
        self.reason = self.reason or reason
        if self._task:
            self._task.cancel()

    async def guard(self, work: Coroutine[Any, Any, _Found]) -> _Found:
        """Do *work*; raises Stopped with the reason if a stop was requested meanwhile."""
        task: asyncio.Task[_Found] = asyncio.create_task(work)
        self._task = task
        if self.reason:
            task.cancel()
        try:
            return await task
        except asyncio.CancelledError:
            if self.reason:
                raise Stopped(self.reason) from None
            raise


OpenTrace = Callable[[RunFolder, Clock, Callable[[Row], None] | None], Trace]


def open_trace(folder: RunFolder, clock: Clock, watch: Callable[[Row], None] | None) -> Trace:
    """Open the trace of a run to go on with it."""
    return Trace(
        folder.trace_path,
        folder.run_id,
        clock,
        commits=folder.commits,
        crossing=folder.crossing,
        watch=watch,
    )


async def drive(
    folder: RunFolder,
    bench: Bench,
    clock: Clock,
    *,
    stop: Stop | None = None,
    watch: Callable[[Row], None] | None = None,
    limiter: ParallelLimiter | None = None,
    opened: OpenTrace = open_trace,
) -> Outcome:
    """Take a run from wherever it is to its end, or to where a person must answer.

    Args:
        folder: The run; refused with a CallerError while another driver has it.
        bench: What it is made of.
        clock: The time.
        stop: Lets others stop it; it can then be resumed.
        watch: Told of each event once it is written.
        limiter: The slots that all runs of the process share; None gives this run its own.
        opened: Opens the trace; a replay has one of its own.

    """
    try:
        with folder.lease(clock):
            async with folder.recorded():
                with opened(folder, clock, watch) as trace:
                    try:
                        return await _held(folder, bench, clock, stop or Stop(), trace, limiter)
                    finally:
                        folder.commits.settle()
    except Stopped as away:
        return Outcome("paused", folder.path, str(away))
    except OSError as error:
        if error.errno not in NO_SPACE:
            raise
        return Outcome("paused", folder.path, f"the disk is full ({error}); free some and resume")


class Driver(Protocol):
    """Takes one run as far as it goes, here or elsewhere; `Here` is one, workers are another."""

    def __call__(
        self, folder: RunFolder, *, stop: Stop, watch: Callable[[Row], None] | None = None
    ) -> Coroutine[Any, Any, Outcome]:
        """Do as `drive` does."""
        ...


@dataclass(frozen=True, slots=True)
class Here:
    """Drives runs in this process."""

    bench_for: BenchFor
    clock: Clock
    limiter: ParallelLimiter | None = None
    """Bounds the tasks of all runs together; None bounds each run by itself."""

    def __call__(
        self, folder: RunFolder, *, stop: Stop, watch: Callable[[Row], None] | None = None
    ) -> Coroutine[Any, Any, Outcome]:
        """Build the run's bench and return the work."""
        bench = self.bench_for(folder)
        return drive(folder, bench, self.clock, stop=stop, watch=watch, limiter=self.limiter)


def run_here(
    folder: RunFolder, bench: Bench, clock: Clock, watch: Callable[[Row], None] | None = None
) -> Outcome:
    """Drive a run in the main thread; SIGINT and SIGTERM pause it in order."""
    return run_with(Here(lambda _: bench, clock), folder, watch)


def run_with(
    driver: Driver, folder: RunFolder, watch: Callable[[Row], None] | None = None
) -> Outcome:
    """Have *driver* take a run on, from the main thread; SIGINT and SIGTERM pause it in order."""
    return asyncio.run(_until_signal(driver, folder, watch))


async def _until_signal(
    driver: Driver, folder: RunFolder, watch: Callable[[Row], None] | None
) -> Outcome:
    stop, loop = Stop(), asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, stop.request, f"stopped by {number.name}")
    try:
        return await driver(folder, stop=stop, watch=watch)
    finally:
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
            if stop.reason:  # the process is about to end in order: a second signal adds nothing
                signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)


async def _held(
    folder: RunFolder,
    bench: Bench,
    clock: Clock,
    stop: Stop,
    trace: Trace,
    limiter: ParallelLimiter | None,
) -> Outcome:
    mode = load_mode(bench.options.mode)
    folder.sweep()
    folder.commits.recover()
    if trace.ended and folder.has(SUMS):
        return _outcome(folder)  # what was changed since must not get new checksums
    rows = tuple(trace.rows)
    _same_run(folder, rows, ended=trace.ended)
    events = tuple(row.event for row in rows)
    if not trace.ended:
        _begin(folder, bench, trace, events)
    answers: Mapping[str, Answer] | None = None
    if not trace.finished:
        deps = replace(bench.deps(folder, trace.record, clock), rows=lambda: trace.rows)
        if limiter:
            deps = replace(deps, limiter=limiter.share(deps.flags.MAX_CONCURRENCY))
        try:
            state = _resumed(bench.initial_state(folder), deps, events)
            reached = await _advanced(stop.guard(mode.run(state, deps)), trace, deps)
        finally:
            with CancelScope(shield=True):
                await deps.close()
        if isinstance(reached, Outcome):
            _write_views(folder, trace.rows, bench.options.mode)
            return reached
        answers = {t.id: reached.answers[t.id] for t in reached.tasks}
    outcome = _ended(folder, trace, answers)
    _write_views(folder, trace.rows, bench.options.mode)
    folder.write_sums()
    return outcome


def _begin(folder: RunFolder, bench: Bench, trace: Trace, events: Sequence[Event]) -> None:
    """Say who drives the run, from what, and under which settings if they are others now."""
    python = platform.python_version()
    trace.record(Booted(pid=getpid(), python=python, version=bench.version))
    brief, options = digest(folder.read_json("brief.json")), bench.options
    in_force = [e.settings.flags for e in events if isinstance(e, RunStarted)]
    in_force += [e.flags for e in events if isinstance(e, SettingsChanged)]
    if not in_force:
        trace.record(
            RunStarted(project_id=folder.project_id, brief_digest=brief, settings=options)
        )
    elif in_force[-1] != options.flags:
        trace.record(SettingsChanged(flags=options.flags))


def _same_run(folder: RunFolder, rows: Sequence[Row], *, ended: bool) -> None:
    """Refuse to go on where the record is gone, or is another run's."""
    if (folder.has("plan.json") and not rows) or (folder.has(SUMS) and not ended):
        raise CallerError(
            f"{folder.trace_path} has lost what was recorded of run {folder.run_id!r}; "
            "restore it from a copy or start the run anew"
        )
    projects = [r.event.project_id for r in rows if isinstance(r.event, RunStarted)]
    if projects and (projects[0], rows[0].run_id) != (folder.project_id, folder.run_id):
        raise CallerError(
            f"{folder.path} holds run {rows[0].run_id!r} of project {projects[0]!r}; move it back "
            f"to {projects[0]}/{rows[0].run_id} to go on with it"
        )


async def _advanced(
    work: Coroutine[Any, Any, GraphState], trace: Trace, deps: Deps
) -> GraphState | Outcome:
    """Do the work, or say in the trace and in an outcome why it stopped."""
    folder = deps.folder
    try:
        with using(deps.toolbox):
            return await work
    except Waiting as question:
        plan = folder.plan()
        trace.record(ApprovalAsked(plan_digest=plan.digest if plan else ""))
        return Outcome("waiting", folder.path, str(question))
    except CapHit as cap:
        trace.record(cap.event)
        reason = f"{cap}. {_left(folder)}"
        trace.record(RunPaused(reason=reason))
        return Outcome("paused", folder.path, reason)
    except (Stopped, TaskError) as cause:
        trace.record(RunPaused(reason=str(cause)))
        return Outcome("paused", folder.path, str(cause))
    except CallerError as mistake:
        trace.record(RunPaused(reason=str(mistake)))
        raise
    except asyncio.CancelledError:
        trace.record(RunPaused(reason="cancelled"))
        raise


def _left(folder: RunFolder) -> str:
    """Say how far the tasks are; where none is left, only the proposal is."""
    plan = folder.plan()
    tasks = plan.tasks if plan else ()
    answers = folder.answers(tasks)
    said = how_far(tasks, answers)
    return said if len(answers) < len(tasks) else f"{said}; the proposal is not written"


def _resumed(state: GraphState, deps: Deps, events: Sequence[Event]) -> GraphState:
    """Add the plan and the answers that an earlier process of this run left."""
    plan = deps.folder.plan()
    if plan is None:
        return state
    for event in events:
        if isinstance(event, TaskFinished):
            deps.folder.restore_answer(event.task_id, event.answer_digest)
    answers = deps.folder.answers(plan.tasks)
    _unchanged(plan, answers, deps.folder, events)
    for answer in answers.values():
        announce(answer, deps)  # a crash may have come between the file and its event
    return state.model_copy(update={"tasks": plan.tasks, "answers": answers})


def _unchanged(
    plan: Plan, answers: Mapping[str, Answer], folder: RunFolder, events: Sequence[Event]
) -> None:
    """Refuse to go on with a plan or an answer that is not the one on record."""
    settled = [e.plan_digest for e in events if isinstance(e, PlanProposed | PlanApproved)]
    decision = folder.decision()  # a crash may have come between the edited plan and its event
    edited = decision.tasks if decision else None
    if settled and plan_digest(plan.tasks) != settled[-1] and plan.tasks != edited:
        raise CallerError(
            f"{folder.path / 'plan.json'} is not the plan on record; restore it from "
            f"artifacts/{settled[-1]} or start the run anew"
        )
    on_record = {e.task_id: e.answer_digest for e in events if isinstance(e, TaskFinished)}
    for task_id, answer in answers.items():
        found = digest(answer.model_dump(mode="json"))
        if on_record.get(task_id, found) != found:
            raise CallerError(
                f"answers/{task_id}.json in {folder.path} is not the answer on record; restore it "
                f"from artifacts/{on_record[task_id]} or start the run anew"
            )


def _ended(folder: RunFolder, trace: Trace, answers: Mapping[str, Answer] | None) -> Outcome:
    outcome = _outcome(folder, answers)
    if trace.ended:
        return outcome
    proposal = sha256(folder.read_text("proposal.md").encode())
    trace.record(RunFinished(status=cast(RunStatus, outcome.status), proposal_digest=proposal))
    trace.record(RunEnded(count=trace.count + 1))
    return outcome


def _outcome(folder: RunFolder, answers: Mapping[str, Answer] | None = None) -> Outcome:
    if answers is None:
        plan = folder.plan()
        answers = folder.answers(plan.tasks if plan else ())
    holes = [a.task_id for a in answers.values() if not a.usable]
    weak = [a.task_id for a in answers.values() if a.status == "below_gate"]
    if holes:
        return Outcome("holes", folder.path, f"no answer to {', '.join(holes)}")
    if weak:
        return Outcome("failed_gate", folder.path, f"below the gate: {', '.join(weak)}")
    card = folder.scorecard()
    if card and card.verdict == "fail":
        why = "; ".join(card.blockers) or f"it scores {card.overall}"
        return Outcome("failed_gate", folder.path, f"the proposal is below the gate: {why}")
    return Outcome("finished", folder.path)


def _write_views(folder: RunFolder, rows: Sequence[Row], mode: str) -> None:
    view = graph_trace(rows, run_id=folder.run_id, project_id=folder.project_id, mode=mode)
    folder.write_text(VIEW, canonical(view) + "\n")  # for programs: no line breaks
    project = folder.path.parent
    if folder.run_id == max(path.name for path in project.iterdir() if path.is_dir()):
        write_whole(project / VIEW, (folder.path / VIEW).read_bytes(), folder.crossing)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One look at a run, from any thread."""

    run_id: str
    run_dir: Path
    options: RunOptions
    status: Status
    reason: str
    """What it waits for, or why it stopped; "" otherwise."""
    count: int
    """How many events there are; ask for those since then next time."""
    events: tuple[Row, ...]
    """The events asked for."""
    plan: tuple[GraphTask, ...]
    answers: Mapping[str, Answer]
    question: str
    """What a person is asked; "" if nothing waits for one."""


@dataclass(slots=True)
class _Live:
    folder: RunFolder
    stop: Stop
    rows: list[Row]
    answers: dict[str, Answer] = field(default_factory=dict)
    future: Future[Outcome] | None = None

    @property
    def running(self) -> bool:
        return self.future is not None and not self.future.done()


class RunService:
    """All runs of one process, on one thread with one event loop; its owner closes it.

    Args:
        store: Where runs are kept.
        bench_for: Builds a run's bench from its folder.
        clock: The time.
        driver: What drives them; None does so in this process.

    """

    def __init__(
        self, store: RunStore, bench_for: BenchFor, clock: Clock, driver: Driver | None = None
    ) -> None:
        self.store = store
        self._clock, self._chance = clock, fresh_random()
        self._driver = driver or Here(bench_for, clock, ParallelLimiter(TASKS_AT_ONCE))
        self._live: dict[str, _Live] = {}
        self._lock = threading.Lock()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="runs", daemon=True)
        self._thread.start()

    def new_id(self) -> str:
        """Return an id for a run to come; starting the same id twice starts one run."""
        return new_run_id(self._clock, self._chance)

    def start(
        self, options: RunOptions, brief: Mapping[str, JsonValue], run_id: str | None = None
    ) -> str:
        """Start a run and return its id; a second start with the same *run_id* is the first."""
        load_mode(options.mode)
        with self._lock:
            if run_id and self.store.has(run_id):
                return run_id
            folder = self.store.create(run_id or self.new_id(), options, brief)
            self._launch(folder)
        return folder.run_id

    def resume(self, run_id: str) -> None:
        """Go on with a run that was stopped or cut off.

        Raises CallerError if it runs already, has ended, or waits for an answer.
        """
        look = self.snapshot(run_id)
        answered = look.status == "waiting" and not look.question
        cut_off = look.status in _ENDS and not self.store.find(run_id).has(SUMS)
        if look.status not in ("paused", "interrupted") and not answered and not cut_off:
            raise CallerError(
                f"run {run_id!r} is {look.status}; only a paused or interrupted run is resumed"
            )
        with self._lock:
            self._launch(self.store.find(run_id))

    def answer(self, run_id: str, *, by: str, tasks: tuple[GraphTask, ...] | None = None) -> None:
        """Approve a run's plan, edited or not, and go on; the first answer stands."""
        folder = self.store.find(run_id)
        look = self.snapshot(run_id)
        if look.status != "waiting" and folder.decision() is None:
            raise CallerError(f"run {run_id!r} is {look.status} and waits for no answer")
        folder.decide(Decision(by=by, at=stamp(self._clock.now()), tasks=tasks))
        with self._lock:
            self._launch(folder)

    def cancel(self, run_id: str, reason: str = "cancelled by a person") -> None:
        """Pause a run; what is finished stays, and it can be resumed."""
        live = self._live.get(run_id)
        if live is None or not live.running:
            raise CallerError(f"run {run_id!r} is not running here; nothing to cancel")
        self._loop.call_soon_threadsafe(live.stop.request, reason)

    def snapshot(self, run_id: str, since: int = 0) -> Snapshot:
        """Look at a run, running here, elsewhere or no more."""
        live = self._live.get(run_id)
        if live is None or not live.running:  # another process may have gone on with it since
            here = live.future if live else None
            live = replace(_loaded(self.store.find(run_id)), future=here)
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
    plan = folder.plan()
    waiting = status == "waiting" and folder.decision() is None
    return Snapshot(
        run_id=folder.run_id,
        run_dir=folder.path,
        options=folder.options(),
        status=status,
        reason=_reason(live, rows),
        count=len(rows),
        events=rows[since:],
        plan=plan.tasks if plan else (),
        answers=_answers(live, rows),
        question="Approve the plan?" if waiting else "",
    )


def _answers(live: _Live, rows: Iterable[Row]) -> Mapping[str, Answer]:
    finished = (r.event.task_id for r in rows if isinstance(r.event, TaskFinished))
    for task_id in finished:
        if task_id not in live.answers and (answer := live.folder.answer(task_id)):
            live.answers[task_id] = answer
    return dict(live.answers)


def _reason(live: _Live, rows: tuple[Row, ...]) -> str:
    if live.running:
        return ""
    failure = _failure(live.future) if live.future else None
    if failure:
        return str(failure) or type(failure).__name__
    last = rows[-1].event if rows else None
    return last.reason if isinstance(last, RunPaused) else ""
