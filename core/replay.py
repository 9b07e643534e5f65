"""The same run again from its record: no model, no tool, no network; and where it first differs.

The engine works anew in a folder of its own. What came from outside is taken from the record:
the brief, the settings, the documents, the person's answer, what tools gave, the readings of
the clock, and the order in which concurrent tasks came. All else is made again and compared.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from shutil import copyfile
from typing import Any, Protocol, cast

import anyio
from anyio.lowlevel import checkpoint
from pydantic import JsonValue

from core.budget import Budget
from core.calls import Calls, Incomplete, Recall, Reply, Request, Slot, past_calls
from core.clock import Clock
from core.errors import CallerError, TaskError
from core.events import (
    ApprovalAsked,
    AttemptJudged,
    BackedOff,
    Booted,
    BreakerMoved,
    CallEnded,
    CallTried,
    CapReached,
    Event,
    NodeEnded,
    NodeStarted,
    PassagesRetrieved,
    Recovered,
    Row,
    RunEnded,
    RunPaused,
    RunStarted,
    SettingsChanged,
    ToolCalled,
)
from core.files import SUMS, lasting, sha256
from core.graph.nodes import Deps
from core.graph.state import GraphState, ToolRequest
from core.redaction import Redactor
from core.runs import Bench, Outcome, drive
from core.settings import Flags, RunOptions
from core.store import TRACE, VIEW, RunFolder, RunStore
from core.trace import Trace, read_events, row_hash
from core.unlike import first_unlike, only_adds, unlike_files, unlike_texts
from core.values import canonical, digest

GIVEN = ("brief.json", "settings.json", "decision.json")
"""What a run was given from outside, as files; a workbench names more."""

_HISTORY = (
    ApprovalAsked,
    BreakerMoved,
    CallTried,
    CapReached,
    Recovered,
    RunPaused,
    SettingsChanged,
)
"""What befell a run; it is not made again."""

_STEPS = (BackedOff, Booted, NodeEnded, NodeStarted)
"""What a process did; where several took the run up, one process cannot do the same again."""

_NO_CAPS = Flags(
    MAX_CALLS=1_000_000,
    MAX_TOKENS=1_000_000_000,
    MAX_COST_USD=100_000,
    MAX_WALL_S=2_592_000,
    MAX_ATTEMPTS=100_000,
)
"""A replay spends nothing."""

_READINGS = ("pid", "python", "version", "duration_ms", "elapsed_ms")
"""Fields that were read from a clock or from the machine."""


class Replayable(Bench, Protocol):
    """A bench whose calls to models can be answered by others than a server."""

    def deps(
        self,
        folder: RunFolder,
        record: Callable[[Event], None],
        clock: Clock,
        calls: Calls | None = None,
    ) -> Deps:
        """Return what the steps use."""
        ...


ReplayableFor = Callable[[RunFolder], Replayable]
"""Builds the bench of a replay from its folder."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """What came of a replay."""

    outcome: Outcome
    """Where the replay came to; of a run that has not ended this may be further."""
    folder: RunFolder
    """What it made."""
    ended: bool
    """Whether the recorded run has ended; if not, it was replayed as far as it is recorded."""
    events: int
    """How many events were recorded."""
    first_difference: str
    """A sentence; "" if there is none."""

    @property
    def identical(self) -> bool:
        """Whether all that was recorded was made again, byte for byte."""
        return not self.first_difference


def replay(
    run_dir: Path, bench_for: ReplayableFor, into: Path, given: Sequence[str] = ()
) -> Replayed:
    """Do a recorded run again and compare; its own folder is only read.

    Args:
        run_dir: The recorded run; a CallerError names what its record has lost.
        bench_for: Builds the bench of the replay from the folder it works in.
        into: An audits root for the replay, in which there is no such run.
        given: Files, besides GIVEN, that came from outside.

    """
    recording = Recording(run_dir)
    folder = recording.begun_anew(into, (*GIVEN, *given))
    bench = _FromRecord(bench_for(folder), recording)
    tape = Tape(recording, folder)
    outcome = anyio.run(_driven, folder, bench, tape)
    theirs, ours = recording.version or "an earlier release", bench.version
    difference = _first(tape, recording, folder, outcome) or _unlike_folders(
        recording, folder, same_release=theirs == ours
    )
    if difference and theirs != ours:
        difference += f" (recorded by {theirs}; replayed by {ours})"
    return Replayed(outcome, folder, recording.ended, len(recording.rows), difference)


async def _driven(folder: RunFolder, bench: Bench, tape: "Tape") -> Outcome:
    clock = _Still(datetime.fromisoformat(tape.started))
    try:
        return await drive(folder, bench, clock, opened=partial(_Retrace, tape))
    except CallerError as mistake:
        return Outcome("paused", folder.path, str(mistake))


class Recording:
    """What is on record of a run, checked as far as a replay takes it from there."""

    def __init__(self, run_dir: Path) -> None:
        self.folder = RunStore(run_dir.parent.parent).open(run_dir)
        if not self.folder.has(TRACE):
            raise CallerError(f"{run_dir} has no {TRACE}; name a run's folder, audits/PROJECT/RUN")
        self.rows = tuple(read_events(self.folder.trace_path))
        if not self.rows:
            raise CallerError(f"run {self.folder.run_id!r} has no events yet: nothing to replay")
        self.lines = self.folder.trace_path.read_bytes().splitlines(keepends=True)
        self.ended = isinstance(self.rows[-1].event, RunEnded)
        if not self.ended and self.folder.is_driven():
            raise CallerError(
                f"run {self.folder.run_id!r} is running; replay it when it has stopped"
            )
        boots = [row.event for row in self.rows if isinstance(row.event, Booted)]
        self.restarted = len(boots) > 1
        self.version = boots[-1].version if boots else ""
        self.calls = {e.id: e for row in self.rows if isinstance(e := row.event, ToolCalled)}
        judged = [e for row in self.rows if isinstance(e := row.event, AttemptJudged)]
        self.tells = all(event.feedback for event in judged if event.attempt > 1)
        self._check()
        self.past = past_calls(self.rows, self.folder.kept)
        self._counted = {id(call) for call, _, _ in self.past}

    def _check(self) -> None:
        """Hold against their digests what tools and models gave."""
        for call in self.calls.values():
            self._intact(call.output_digest, f"the output of {call.id}")
        for ended in (row.event for row in self.rows if isinstance(row.event, CallEnded)):
            self._intact(ended.request_digest, f"the request of {ended.call_id}")
            self._intact(ended.reply_digest, f"the reply to {ended.call_id}")
        for name in self._cut_replies():
            self._intact(name, "the beginning of a reply that was cut")

    @property
    def began_with(self) -> RunOptions | None:
        """What was chosen for the run at first."""
        events = (row.event for row in self.rows)
        return next((e.settings for e in events if isinstance(e, RunStarted)), None)

    @property
    def flags(self) -> Flags | None:
        """The flags that were in force in the end."""
        changes = [row.event.flags for row in self.rows if isinstance(row.event, SettingsChanged)]
        first = [self.began_with.flags] if self.began_with else []
        return [*first, *changes][-1] if first else None

    def came_to_nothing(self, event: Event) -> bool:
        """Whether it belongs to a call that a stop cut off, or that was made again later."""
        if isinstance(event, PassagesRetrieved):
            return event.call_id not in self.calls
        return isinstance(event, CallEnded) and id(event) not in self._counted

    def output(self, call_id: str, request: ToolRequest) -> JsonValue:
        """Return what a call gave; raises TaskError if it failed, or was never made."""
        call = self.calls.get(call_id)
        asked = (request.name, digest(dict(request.args)))
        if call is None or (call.name, call.args_digest) != asked:
            raise TaskError(f"the record holds no call {call_id} of {request.name!r} like this")
        if not call.ok:
            raise TaskError(call.error)
        found: JsonValue = self.folder.kept(call.output_digest)
        return found

    def begun_anew(self, root: Path, given: Iterable[str]) -> RunFolder:
        """Make the run's folder under another root, with what it was given."""
        path = root / self.folder.options().project_id / self.rows[0].run_id
        try:
            path.mkdir(parents=True)
        except OSError as error:
            raise CallerError(
                f"cannot replay into {path} ({error.strerror}); name an empty folder"
            ) from error
        for name in given:
            if self.folder.has(name):
                copyfile(self.folder.path / name, path / name)
        folder = RunFolder(path)
        for name in self._cut_replies():
            folder.store_artifact(self.folder.artifact(name))
        return folder

    @property
    def loose_end(self) -> bytes:
        """Bytes after the last event."""
        return b"".join(self.lines[len(self.rows) :])

    def names(self) -> set[str]:
        """Every digest that an event names."""
        values = (v for row in self.rows for k, v in row.event if k.endswith("_digest"))
        return {value for value in values if isinstance(value, str)}

    def _cut_replies(self) -> list[str]:
        """What had arrived before a reply was cut, by digest."""
        tries = [row.event for row in self.rows if isinstance(row.event, CallTried)]
        return [event.partial_digest for event in tries if event.partial_digest]

    def _intact(self, name: str, what: str) -> None:
        if name and sha256(self.folder.artifact(name)) != name:
            raise CallerError(
                f"{self.folder.path}/artifacts/{name}, {what}, was changed; restore it from a copy"
            )


class Tape:
    """The recorded events, and how many of them a replay has said again.

    Events are matched in the order of their stream: a task's own if tasks were worked on side
    by side, else the whole run. A stream that goes another way is compared no further.
    """

    def __init__(self, recording: Recording, folder: RunFolder) -> None:
        self._recording, self._folder = recording, folder
        self._history = _HISTORY + (_STEPS if recording.restarted else ())
        self._side_by_side = any(
            isinstance(row.event, NodeStarted) and row.event.node == "fan_out"
            for row in recording.rows
        )
        self._unwritten = deque(recording.rows)
        self._unsaid: dict[str, deque[Row]] = defaultdict(deque)
        self._said: dict[int, Event] = {}
        self._once: set[str] = set()
        self._lost: set[str] = set()
        self._strays: deque[Event] = deque()
        self.differences: list[tuple[float, str]] = []
        self._befell = {
            row.seq
            for row in recording.rows
            if isinstance(row.event, self._history) or recording.came_to_nothing(row.event)
        }
        for row in recording.rows:
            if row.seq not in self._befell:
                self._unsaid[self._stream(row.event)].append(row)

    @property
    def started(self) -> str:
        """When the recorded run began."""
        return self._recording.rows[0].ts

    def say(self, event: Event) -> None:
        """Take an event of the replay for the next one of its stream."""
        stream = self._stream(event)
        if isinstance(event, self._history) or self._repeats(event):
            return
        unsaid = self._unsaid[stream]
        if stream in self._lost or not unsaid:
            self._surplus(event, stream)
            return
        row = self._next(event, unsaid)
        event = _with_readings(event, row.event)
        if event != row.event:
            self._lose(stream, row.seq, self._unlike(row, event))
        self._said[row.seq] = event
        if not stream:  # the run itself goes on only when its tasks have come to rest
            self._give_up(row.seq, "the replay went on without it")

    def _next(self, event: Event, unsaid: deque[Row]) -> Row:
        """Take the next row; of calls the same one, which may stand after what came of it.

        So it is where a run was killed after a call had failed and been judged, and asked again.
        """
        if isinstance(event, CallEnded) and self._recording.restarted:
            for row in unsaid:
                if row.event == event:
                    unsaid.remove(row)
                    return row
        return unsaid.popleft()

    def due(self) -> Iterator[tuple[Row, Event]]:
        """Yield the recorded rows whose turn it is, each with the event to write."""
        while self._unwritten:
            row = self._unwritten[0]
            event: Event = row.event
            if row.seq in self._befell:
                pass
            elif row.seq in self._said:
                event = self._said.pop(row.seq)
            elif self._stream(row.event) in self._lost:
                self._unwritten.popleft()
                continue
            else:
                return
            self._unwritten.popleft()
            yield row, event
        while self._strays:
            yield self._recording.rows[-1], self._strays.popleft()

    def end(self, reason: str) -> None:
        """Give up on all that was not said."""
        self._give_up(len(self._recording.rows), f"the replay did not come to it{reason}")

    def _stream(self, event: Event) -> str:
        return getattr(event, "task_id", "") if self._side_by_side else ""

    def _repeats(self, event: Event) -> bool:
        """Whether a trace would leave the event out, as one that says nothing new."""
        said = digest(event.model_dump(mode="json")) if event.once else ""
        if said in self._once:
            return True
        if said:
            self._once.add(said)
        return False

    def _surplus(self, event: Event, stream: str) -> None:
        if not stream:  # the engine may look for it
            self._give_up(len(self._recording.rows), "the replay went on without it")
            self._strays.append(event)
        if stream in self._lost or not self._recording.ended:
            return  # a run that was cut off would have gone on, too
        place = max(
            (r.seq for r in self._recording.rows if self._stream(r.event) == stream), default=0
        )
        self._lose(stream, place + 0.5, f"after event {place} the replay adds {_named(event)}")

    def _give_up(self, before: int, why: str) -> None:
        for row in self._unwritten:
            if row.seq >= before:
                return
            stream = self._stream(row.event)
            missing = row.seq not in self._befell and row.seq not in self._said
            if missing and stream not in self._lost:
                self._lose(stream, row.seq, f"{_placed(row)}: {why}")

    def _lose(self, stream: str, place: float, difference: str) -> None:
        self._lost.add(stream)
        self.differences.append((place, difference))

    def _unlike(self, row: Row, event: Event) -> str:
        was, now = row.event, event
        if _named(was) != _named(now):
            return f"{_placed(row)}: the replay has {_named(now)} in its place"
        name = next(name for name, value in was if value != getattr(now, name))
        old, new = getattr(was, name), getattr(now, name)
        if inside := self._inside(name, old, new):
            return f"{_placed(row)}: {inside}"
        return f"{_placed(row)}: {first_unlike(_plain(old), _plain(new), name)}"

    def _inside(self, name: str, old: object, new: object) -> str:
        """Say how two digests came to differ, if what they are digests of is at hand."""
        ours, theirs = self._folder, self._recording.folder
        if name == "proposal_digest" and theirs.has("proposal.md"):
            texts = theirs.read_text("proposal.md"), ours.read_text("proposal.md")
            return unlike_texts("proposal.md", *texts)
        paths = f"artifacts/{old}", f"artifacts/{new}"
        if not name.endswith("_digest") or not (theirs.has(paths[0]) and ours.has(paths[1])):
            return ""
        what = name.removesuffix("_digest")
        return first_unlike(theirs.kept(str(old)), ours.kept(str(new)), what)


class _Retrace(Trace):
    """Writes what a replay says in the order, and with the times, of the record."""

    def __init__(
        self, tape: Tape, folder: RunFolder, clock: Clock, watch: Callable[[Row], None] | None
    ) -> None:
        super().__init__(
            folder.trace_path, folder.run_id, clock, commits=folder.commits, watch=watch
        )
        self._tape = tape

    def record(self, event: Event) -> None:
        """Write the event once all that is recorded before it is written."""
        self._tape.say(event)
        for row, said in self._tape.due():
            self._write(row, said)

    def _write(self, row: Row, event: Event) -> None:
        # what a later release adds to an event is left out where it says nothing
        recorded = row.event.model_dump(mode="json", exclude_unset=True)
        body = recorded if event == row.event else event.model_dump(mode="json")
        seq, run_id, prev, ts = self.count, row.run_id, self.head, row.ts
        line: dict[str, Any] = {"seq": seq, "run_id": run_id, "ts": ts, "prev": prev}
        line["event"] = {**body, "kind": event.kind}
        name = row_hash(line)
        self._append(canonical({**line, "hash": name}).encode() + b"\n")
        self._noted(Row(seq=seq, run_id=run_id, ts=ts, event=event, prev=prev, hash=name))


class _Recalled:
    """Answers calls to models from the record and says of each what is on record."""

    def __init__(
        self, recording: Recording, record: Callable[[Event], None], folder: RunFolder
    ) -> None:
        self._recall, self._redactor = Recall(recording.past), Redactor()
        self._record, self._keep = record, folder.keep
        self._ended: dict[str, list[CallEnded]] = defaultdict(list)
        for call, _, _ in recording.past:
            self._ended[call.task_id].append(call)

    async def call(self, request: Request, slot: Slot | None = None) -> Reply:
        """Return the recorded reply, or raise what the recorded call raised."""
        del slot
        await checkpoint()
        body = cast(Mapping[str, JsonValue], self._redactor.json(dict(request.body)))
        asked = replace(request, body=body)
        answer, name = self._recall(asked), self._keep(asked.json)
        if isinstance(answer, Reply | Incomplete):
            reply = answer if isinstance(answer, Reply) else answer.reply
            self._keep(reply.model_dump(mode="json"))
        self._say(asked, name, known=answer is not None)
        if isinstance(answer, Reply):
            return answer
        raise answer or TaskError(f"{request.purpose!r} asks for what is not on record")

    def _say(self, asked: Request, name: str, *, known: bool) -> None:
        """Record the call's end; of one that is not on record, as if it were the next one."""
        mine = self._ended[asked.task_id]
        call = next((c for c in mine if c.request_digest == name or not known), None)
        if call:
            mine.remove(call)
            self._record(call.model_copy(update={"request_digest": name}))


@dataclass(frozen=True, slots=True)
class _FromRecord:
    """A bench whose tools and models are not asked: what they gave is on record."""

    bench: Replayable
    recording: Recording

    @property
    def options(self) -> RunOptions:
        """What was chosen at first, if only what was changed since is different."""
        chosen, began = self.bench.options, self.recording.began_with
        same = began and chosen == began.model_copy(update={"flags": self.recording.flags})
        return began if began and same else chosen

    @property
    def version(self) -> str:
        return self.bench.version

    def initial_state(self, folder: RunFolder) -> GraphState:
        return self.bench.initial_state(folder)

    def deps(self, folder: RunFolder, record: Callable[[Event], None], clock: Clock) -> Deps:
        calls = _Recalled(self.recording, record, folder)
        deps = self.bench.deps(folder, record, clock, calls)
        toolbox = deps.toolbox.answered_by(self.recording.output)
        budget = Budget(_NO_CAPS, clock)
        return replace(deps, toolbox=toolbox, budget=budget, tells=self.recording.tells)


@dataclass(frozen=True, slots=True)
class _Still:
    """Time that stands still: every reading is on record."""

    moment: datetime

    def now(self) -> datetime:
        return self.moment

    def monotonic(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        del seconds
        await checkpoint()


def _first(tape: Tape, recording: Recording, folder: RunFolder, outcome: Outcome) -> str:
    """Return the first difference of events and lines, in their order."""
    tape.end("" if outcome.ended else f" ({outcome.reason})")
    found = [*tape.differences, *_changed_line(recording, folder)]
    if found:
        return min(found, key=lambda difference: difference[0])[1]
    loose = recording.loose_end
    if loose and (loose.endswith(b"\n") or recording.folder.has(SUMS)):
        return f"the last {len(loose)} bytes of {TRACE} are no event"
    return ""


def _changed_line(recording: Recording, folder: RunFolder) -> Iterator[tuple[float, str]]:
    """Yield the first recorded line that is not as it was written."""
    ours = folder.trace_path.read_bytes().splitlines(keepends=True)
    for row, line, again in zip(recording.rows, recording.lines, ours, strict=False):
        if line != again:
            yield row.seq, f"{_placed(row)}: its line was changed after it was written"
            return


def _unlike_folders(recording: Recording, folder: RunFolder, *, same_release: bool) -> str:
    theirs, ours = set(lasting(recording.folder.path)), set(lasting(folder.path))
    excused = _left_behind(recording, theirs - ours)
    whole = recording.ended and recording.folder.has(SUMS)  # else the view may be an older one
    if not whole or (not same_release and _view_grew(recording.folder, folder)):
        excused.add(VIEW)
    names = (theirs | ours if recording.ended else theirs) - excused - {TRACE}
    for name in sorted(names):
        if difference := unlike_files(name, recording.folder.path, folder.path):
            return difference
    if not recording.ended or not recording.folder.has(SUMS):
        return ""
    sums = (_sums(place, excused) for place in (recording.folder, folder))
    return unlike_texts(SUMS, *sums)


def _left_behind(recording: Recording, only_theirs: set[str]) -> set[str]:
    """Artifacts that a crash left and no event names."""
    if recording.ended and not recording.restarted:
        return set()
    named = {f"artifacts/{name}" for name in recording.names()}
    return {name for name in only_theirs if name.startswith("artifacts/")} - named


def _view_grew(was: RunFolder, now: RunFolder) -> bool:
    """Whether a later release says more of each event, and nothing else."""
    return was.has(VIEW) and only_adds(was.read_json(VIEW), now.read_json(VIEW))


def _sums(folder: RunFolder, excused: set[str]) -> str:
    lines = folder.read_text(SUMS).splitlines()
    return "\n".join(line for line in lines if line.partition("  ")[2] not in excused)


def _with_readings(event: Event, recorded: Event) -> Event:
    if event.kind != recorded.kind:
        return event
    names = [name for name in _READINGS if name in type(event).model_fields]
    return event.model_copy(update={name: getattr(recorded, name) for name in names})


def _placed(row: Row) -> str:
    return f"event {row.seq}, {_named(row.event)}"


def _named(event: Event) -> str:
    node, task_id = getattr(event, "node", ""), getattr(event, "task_id", "")
    return event.kind + (f" {node}" if node else "") + (f" of {task_id}" if task_id else "")


def _plain(value: Any) -> Any:  # noqa: ANN401 - any field of an event
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else value
