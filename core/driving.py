"""One run from wherever it is to its end, or to where it stops: one driver at a time."""

import asyncio
import json
import platform
import signal
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from os import getpid
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from anyio import CancelScope

from core.budget import CapHit
from core.clock import Clock
from core.decisions import open_questions
from core.errors import CallerError, Stopped, TaskError, Waiting
from core.events import (
    Booted,
    Event,
    Row,
    RunEnded,
    RunFinished,
    RunPaused,
    RunStarted,
    RunStatus,
    RunWaiting,
    SettingsChanged,
)
from core.files import NO_SPACE, SUMS, file_digests, sha256, write_whole
from core.kit import Kit
from core.modes.spec import Ending, Mode, RunParts, RunPartsFor
from core.pluralize import few
from core.scheduler import ParallelLimiter
from core.signals import SIGNALS
from core.soundness import broken_inputs
from core.store import VIEW, RunFolder
from core.tool_router import using
from core.trace import Trace, graph_trace
from core.values import canonical, digest

_EXIT = {
    "finished": 0,
    "holes": 3,
    "failed_gate": 3,
    "stopped": 4,
    "waiting": 4,
    "paused": 4,
}


_Found = TypeVar("_Found")


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
    parts: RunParts,
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
        parts: What it is made of.
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
                        return await _held(folder, parts, clock, stop or Stop(), trace, limiter)
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

    parts_for: RunPartsFor
    clock: Clock
    limiter: ParallelLimiter | None = None
    """Bounds the tasks of all runs together; None bounds each run by itself."""

    def __call__(
        self, folder: RunFolder, *, stop: Stop, watch: Callable[[Row], None] | None = None
    ) -> Coroutine[Any, Any, Outcome]:
        """Make the run's parts and return the work."""
        parts = self.parts_for(folder)
        return drive(folder, parts, self.clock, stop=stop, watch=watch, limiter=self.limiter)


def run_here(
    folder: RunFolder, parts: RunParts, clock: Clock, watch: Callable[[Row], None] | None = None
) -> Outcome:
    """Drive a run in the main thread; SIGINT and SIGTERM pause it in order."""
    return run_with(Here(lambda _: parts, clock), folder, watch)


def run_with(
    driver: Driver, folder: RunFolder, watch: Callable[[Row], None] | None = None
) -> Outcome:
    """Have *driver* take a run on, from the main thread; SIGINT and SIGTERM pause it in order."""
    return asyncio.run(_until_signal(driver, folder, watch))


async def _until_signal(
    driver: Driver, folder: RunFolder, watch: Callable[[Row], None] | None
) -> Outcome:
    stop, loop = Stop(), asyncio.get_running_loop()
    heard = signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN  # unless by nohup
    numbers = [n for n in SIGNALS if heard or n is not signal.SIGHUP]
    for number in numbers:
        loop.add_signal_handler(number, stop.request, f"stopped by {number.name}")
    try:
        return await driver(folder, stop=stop, watch=watch)
    finally:
        signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
        for number in numbers:
            loop.remove_signal_handler(number)
            if stop.reason:  # the process is about to end in order: a second signal adds nothing
                signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, numbers)


async def _held(
    folder: RunFolder,
    parts: RunParts,
    clock: Clock,
    stop: Stop,
    trace: Trace,
    limiter: ParallelLimiter | None,
) -> Outcome:
    mode = parts.mode
    folder.sweep()
    folder.commits.recover()
    if trace.ended and folder.has(SUMS):
        return _outcome(folder, mode)  # what was changed since must not get new checksums
    rows = tuple(trace.rows)
    _same_run(folder, rows, mode, ended=trace.ended)
    events = tuple(row.event for row in rows)
    mode.restore(folder, events)
    _check_whole(folder, rows)
    if not trace.ended:
        _begin(folder, parts, trace, events)
    state = None
    if not trace.finished:
        kit = replace(parts.kit(folder, trace.record, clock), rows=lambda: trace.rows)
        if limiter:
            kit = replace(kit, limiter=limiter.share(kit.flags.MAX_CONCURRENCY))
        try:
            deps = mode.deps(kit, parts)
            begun = mode.resume(mode.begin(deps), deps, events)
            reached = await _advanced(stop.guard(mode.run(begun, deps)), trace, kit, mode)
        finally:
            with CancelScope(shield=True):
                await kit.close()
        if isinstance(reached, Outcome):
            _write_views(folder, trace.rows, parts.options.mode)
            return reached
        state = reached
    outcome = _ended(folder, trace, mode, mode.ending(folder, state))
    _write_views(folder, trace.rows, parts.options.mode)
    folder.write_sums()
    return outcome


def _begin(folder: RunFolder, parts: RunParts, trace: Trace, events: Sequence[Event]) -> None:
    """Say who drives the run, from what, and under which settings if they are others now."""
    python = platform.python_version()
    trace.record(Booted(pid=getpid(), python=python, version=parts.version))
    brief, options = digest(folder.read_json("brief.json")), parts.options
    in_force = [e.settings.flags for e in events if isinstance(e, RunStarted)]
    in_force += [e.flags for e in events if isinstance(e, SettingsChanged)]
    if not in_force:
        trace.record(
            RunStarted(project_id=folder.project_id, brief_digest=brief, settings=options)
        )
    elif in_force[-1] != options.flags:
        trace.record(SettingsChanged(flags=options.flags))


def _same_run(
    folder: RunFolder, rows: Sequence[Row], mode: Mode[Any, Any], *, ended: bool
) -> None:
    """Refuse to go on where the record is gone, or is another run's."""
    begun = any(folder.has(name) for name in mode.started_files)
    if (begun and not rows) or (folder.has(SUMS) and not ended):
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


def _check_whole(folder: RunFolder, rows: Sequence[Row]) -> None:
    """Refuse to go on, and to write checksums, where a run's files are not those on record."""
    if broken := broken_inputs(rows, folder.path):
        raise CallerError(
            f"run {folder.run_id!r} cannot go on: {few(broken)} in {folder.path}; restore it from "
            "a copy or start the run anew"
        )


async def _advanced(
    work: Coroutine[Any, Any, _Found], trace: Trace, kit: Kit, mode: Mode[Any, Any]
) -> _Found | Outcome:
    """Do the work, or say in the trace and in an outcome why it stopped."""
    folder = kit.folder
    try:
        with using(kit.toolbox):
            return await work
    except Waiting as question:
        ids = tuple(asked.question.id for asked in open_questions(trace.rows, folder))
        trace.record(RunWaiting(question_ids=ids))
        return Outcome("waiting", folder.path, str(question))
    except CapHit as cap:
        trace.record(cap.event)
        reason = f"{cap}. {mode.remaining(folder)}".strip()
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


def _ended(folder: RunFolder, trace: Trace, mode: Mode[Any, Any], ending: Ending) -> Outcome:
    if not trace.finished:
        trace.record(_finished(folder, mode, ending.status))
    if not trace.ended:
        trace.record(RunEnded(count=trace.count + 1))
    return Outcome(ending.status, folder.path, ending.reason)


def _finished(folder: RunFolder, mode: Mode[Any, Any], status: RunStatus) -> RunFinished:
    digests = {n: sha256(folder.read_text(n).encode()) for n in mode.result_files}
    proposal = digests.pop(_PROPOSAL, "")
    return RunFinished(
        status=status,
        proposal_digest=proposal,
        result_digests=digests,
        file_digests=file_digests(folder.path),
    )


_PROPOSAL = "proposal.md"
"""The one result that the event has a field of its own for, as the first release wrote it."""


def _outcome(folder: RunFolder, mode: Mode[Any, Any]) -> Outcome:
    ending = mode.ending(folder)
    return Outcome(ending.status, folder.path, ending.reason)


def _write_views(folder: RunFolder, rows: Sequence[Row], mode: str) -> None:
    view = graph_trace(rows, run_id=folder.run_id, project_id=folder.project_id, mode=mode)
    folder.write_text(VIEW, canonical(view) + "\n")  # for programs: no line breaks
    shown = folder.path.parent / VIEW
    try:  # of a project's many runs none is looked at
        newest = str(json.loads(shown.read_bytes())["run_id"])
    except (OSError, ValueError, LookupError, TypeError):
        newest = ""
    if newest <= folder.run_id:
        write_whole(shown, (folder.path / VIEW).read_bytes(), folder.crossing)
