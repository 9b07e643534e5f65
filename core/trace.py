"""What happened, in order: an append-only chain of hashed lines, its views, and its proof."""

import errno
import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import ValidationError

from core.clock import Clock, stamp
from core.commit import GroupCommit
from core.errors import CallerError
from core.events import (
    ApprovalAsked,
    Event,
    NodeEnded,
    NodeStarted,
    Recovered,
    Row,
    RunEnded,
    RunFinished,
    RunPaused,
    RunStarted,
    RunStatus,
    RunWaiting,
    read_row,
)
from core.events.base import Section
from core.files import SUMS, Crossing, nothing, sha256, sync
from core.pluralize import pluralize
from core.soundness import broken_files, broken_references
from core.values import Frozen, canonical, digest

GENESIS = "0" * 64
"""What the first line links to."""

Status = Literal["running", "waiting", "paused", "interrupted"] | RunStatus
"""Where a run is: "interrupted" is neither driven by a process nor stopped in an orderly way."""

ENDED: tuple[RunStatus, ...] = get_args(RunStatus)
"""How a run ends: it is never worked on again."""

_TAIL = 1 << 18
"""Bytes read from the end of a trace to learn its status; more than any two events take."""


class Trace:
    """The one writer of a run's trace; opening it cuts off a line that a crash tore.

    Args:
        path: The file, made if it is not there.
        run_id: Written into every line.
        clock: Dates every line.
        commits: Told of each line, to make it safe together with others.
        crossing: Told before and after each line.
        watch: Told of each line once it is written.

    """

    def __init__(
        self,
        path: Path,
        run_id: str,
        clock: Clock,
        *,
        commits: GroupCommit | None = None,
        crossing: Crossing = nothing,
        watch: Callable[[Row], None] | None = None,
    ) -> None:
        self._path, self._run_id, self._clock = path, run_id, clock
        self._commits = commits or GroupCommit(path.parent)
        self._crossing, self._watch = crossing, watch
        self._said: set[str] = set()
        self.rows: list[Row] = []
        self.count, self.head = 0, GENESIS
        self.finished, self.ended = False, False
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
        try:
            self._handle = os.open(path, flags, 0o600)
        except IsADirectoryError as error:
            raise CallerError(f"{path} is a folder; restore the trace from a copy") from error
        sync(path.parent)
        try:
            cut = self._catch_up(path)
        except CallerError:
            self.close()
            raise
        if cut:
            self.record(Recovered(bytes_cut=cut))

    def record(self, event: Event) -> None:
        """Append *event*; a group commit makes it safe from a power cut."""
        text = event.canonical()
        if event.once and text in self._said:
            return
        row, line = self._next(event, text)
        self._crossing(f"before {event.kind}")
        self._append(line)
        self._noted(row)
        if event.once:
            self._said.add(text)
        self._crossing(f"after {event.kind}")
        if self._watch:
            self._watch(row)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._handle)

    def __enter__(self) -> "Trace":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _next(self, event: Event, text: str) -> tuple[Row, bytes]:
        """Return the next row and its line: *text* between the other keys, all sorted."""
        seq, run_id, prev, ts = self.count, self._run_id, self.head, stamp(self._clock.now())
        if self.rows:  # a clock that is set back, or another machine's, must not turn time round
            ts = max(ts, self.rows[-1].ts)
        start = f'{{"event":{text}'  # the same bytes as canonical(), without another dump
        rest = f'"prev":"{prev}","run_id":"{run_id}","seq":{seq},"ts":"{ts}"}}'
        name = sha256(f"{start},{rest}".encode())
        row = Row(seq=seq, run_id=run_id, ts=ts, event=event, prev=prev, hash=name)
        return row, f'{start},"hash":"{name}",{rest}\n'.encode()

    def _append(self, line: bytes) -> None:
        written = os.write(self._handle, line)
        if written < len(line):  # the disk is full: leave no torn line behind
            os.ftruncate(self._handle, os.fstat(self._handle).st_size - written)
            raise OSError(errno.ENOSPC, "the disk is full")
        self._commits.appended(self._path, self.count, line)

    def _noted(self, row: Row) -> None:
        self.rows.append(row)
        self.count, self.head = row.seq + 1, row.hash
        self.finished |= isinstance(row.event, RunFinished)
        self.ended |= isinstance(row.event, RunEnded)

    def _catch_up(self, path: Path) -> int:
        """Read what is there, cut a torn last line, and return how many bytes were cut."""
        whole = 0
        for row, end in _lines(path):
            self._noted(row)
            if row.event.once:
                self._said.add(row.event.canonical())
            whole = end
        cut = os.fstat(self._handle).st_size - whole
        if cut:
            os.ftruncate(self._handle, whole)
            os.fsync(self._handle)
        return cut


def read_events(path: Path) -> Iterator[Row]:
    """Read a trace; a torn last line is left out.

    Raises CallerError naming the line if another line is damaged.
    """
    return (row for row, _ in _lines(path))


def read_kinds(path: Path, kinds: Collection[str]) -> list[Row]:
    """Read the events of those *kinds* alone, such as "call_tried": of many runs, that is fast.

    Damaged lines are left out.
    """
    marks = [f'"kind":"{kind}"'.encode() for kind in kinds]
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    marked = (_parsed(line) for line in lines if any(mark in line for mark in marks))
    return [row for row in marked if row and row.event.kind in kinds]


def status_of(path: Path, *, driven: bool) -> Status:
    """Tell where the run with that trace is, by its last events alone."""
    rows = _tail(path)
    last = rows[-1].event if rows else None
    if isinstance(last, RunEnded):
        ends = (row.event for row in rows)
        return next((e.status for e in ends if isinstance(e, RunFinished)), "interrupted")
    if driven:
        return "running"
    if isinstance(last, ApprovalAsked | RunWaiting):
        return "waiting"
    return "paused" if isinstance(last, RunPaused) else "interrupted"


def reason_of(path: Path) -> str:
    """Return why the run with that trace has stopped; "" if it has not, or nobody said."""
    rows = _tail(path)
    last = rows[-1].event if rows else None
    return last.reason if isinstance(last, RunPaused) else ""


def row_hash(row: Mapping[str, Any]) -> str:
    """SHA-256 of a line's canonical JSON without its hash."""
    return digest({key: value for key, value in row.items() if key != "hash"})


def _lines(path: Path) -> Iterator[tuple[Row, int]]:
    """Yield each line and where it ends."""
    end, damaged = 0, ""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if damaged:
                raise CallerError(damaged)
            row = _parsed(line)
            if row is None:  # forgiven only in the last line, where a crash can have torn it
                damaged = f"line {number} of {path} is damaged; `dr-rd verify` shows what is left"
                continue
            end += len(line)
            yield row, end


def _parsed(line: bytes) -> Row | None:
    if not line.endswith(b"\n"):
        return None
    try:
        return read_row(line)
    except ValidationError:
        return None


def _tail(path: Path) -> list[Row]:
    if not path.exists():
        return []
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _TAIL))
        lines = file.read().splitlines(keepends=True)[-3:]
    return [row for line in lines if (row := _parsed(line))]


# The view: the same facts as plain rows, for readers who want one JSON file.


def graph_trace(rows: Iterable[Row], *, run_id: str, project_id: str, mode: str) -> dict[str, Any]:
    """Return the derived view of a trace, as the contract words it."""
    rows = tuple(rows)
    return {
        "schema_version": 1,
        "run_id": run_id,
        "project_id": project_id,
        "mode": mode,
        "built_from": rows[-1].hash if rows else GENESIS,
        "trace": trace_rows(rows),
        "tool_trace": tool_rows(rows),
        "retrieval_trace": _rows_of("retrieval_trace", rows),
    }


def trace_rows(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return what happened, tool calls and searches apart; a node's two rows share its time."""
    view: list[dict[str, Any]] = []
    opened: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        event = row.event
        if event.section != "trace":
            continue
        view.append(plain := _plain(row))
        if isinstance(event, NodeStarted):
            opened[event.node, event.task_id] = plain
        elif isinstance(event, NodeEnded):
            plain["duration_s"] = event.duration_ms / 1000
            opened.pop((event.node, event.task_id), plain)["duration_s"] = plain["duration_s"]
    return view


def tool_rows(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the tool calls."""
    return _rows_of("tool_trace", rows)


def _rows_of(section: Section, rows: Iterable[Row]) -> list[dict[str, Any]]:
    found = (r for r in rows if r.event.section == section)
    return [{"seq": r.seq, "ts": r.ts, **r.event.row()} for r in found]


def _plain(row: Row) -> dict[str, Any]:
    fields = row.event.row()
    fields.pop("duration_ms", None)
    place = {"seq": row.seq, "event": row.event.kind, "node": "", "task_id": "", "ts": row.ts}
    return {**place, "duration_s": None, **fields}


# The proof: whether the files still say what the run wrote.


class Verification(Frozen):
    """What checking a run's files found."""

    ok: bool
    events: int
    problems: tuple[str, ...]
    head: str
    """The hash of the last event that can be read; noted elsewhere, it proves the run later."""
    ended: bool
    """Whether it has an end to prove; one that was cut off may be sound as far as it went."""


def verify(run_dir: Path, head: str = "") -> Verification:
    """Check a run's chain, and its files against the chain and the checksums.

    A run without an end record and without checksums has not ended: it goes on, or was cut off.
    What it wrote is checked all the same; half a line at its end is what a resumed run cuts.
    A *head* that was noted outside must be the hash of an event: who forges a whole run cannot
    forge that. Raises CallerError if there is no trace to be read.
    """
    path = run_dir / "trace.jsonl"
    if not path.is_file():
        raise CallerError(f"{run_dir} has no trace.jsonl; name a run's folder, audits/PROJECT/RUN")
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except OSError as error:
        raise CallerError(f"{path} cannot be read ({error.strerror})") from error
    summed = (run_dir / SUMS).is_file()
    if lines and not summed and not lines[-1].endswith(b"\n"):
        lines.pop()
    rows, problems = _chain(lines)
    problems += broken_references(rows, run_dir)
    ended = summed or any(isinstance(row.event, RunEnded) for row in rows)
    if ended:
        problems += _ending(rows)
    problems += broken_files(rows, run_dir, problems, _view_of(rows))
    if head and head not in {row.hash for row in rows}:
        problems.append(f"no event has the hash {head!r}: this is another trace, or a forged one")
    return Verification(
        ok=not problems,
        events=len(lines),
        problems=tuple(problems),
        head=rows[-1].hash if rows else GENESIS,
        ended=ended,
    )


def _view_of(rows: Sequence[Row]) -> dict[str, Any]:
    started = next((row.event for row in rows if isinstance(row.event, RunStarted)), None)
    project, mode = (started.project_id, started.settings.mode) if started else ("", "")
    run_id = rows[0].run_id if rows else ""
    return graph_trace(rows, run_id=run_id, project_id=project, mode=mode)


def _chain(lines: list[bytes]) -> tuple[list[Row], list[str]]:
    """Read the lines and what is wrong with them; the first says whose run it is."""
    rows: list[Row] = []
    problems: list[str] = []
    head = GENESIS
    for seq, line in enumerate(lines):
        row = _parsed(line)
        if row is None:
            problems.append(f"event {seq} cannot be read")
            head = ""
            continue
        rows.append(row)
        faults = _faults(row, line, seq, head, rows)
        problems += [f"event {seq}: {fault}" for fault in faults]
        head = row.hash
    return rows, problems


def _faults(row: Row, line: bytes, seq: int, head: str, rows: Sequence[Row]) -> Iterator[str]:
    """Yield what is wrong with the last of *rows*."""
    written, run_id = json.loads(line), rows[0].run_id
    if row.seq != seq:
        yield f"it says it is number {row.seq}"
    if row.run_id != run_id:
        yield f"it belongs to run {row.run_id!r}"
    if row.prev != head:
        yield "it does not link to the event before it"
    if row_hash(written) != row.hash:
        yield "its text does not match its hash"
    if canonical(written).encode() + b"\n" != line:
        yield "it is not written as canonical JSON"
    if _time_of(row) < max(map(_time_of, rows[-2:-1]), default=_EARLIEST):
        yield "it is dated before the event before it"


def _time_of(row: Row) -> datetime:
    """Return when a row was written; the beginning of time where it does not say."""
    try:
        found = datetime.fromisoformat(row.ts)
    except ValueError:
        return _EARLIEST
    return found if found.tzinfo else _EARLIEST


_EARLIEST = datetime.min.replace(tzinfo=UTC)


def _ending(rows: list[Row]) -> list[str]:
    ends = [row for row in rows if isinstance(row.event, RunEnded)]
    if not ends:
        return ["the trace has no end record, but the run had ended: its end was cut off"]
    if len(ends) > 1 or rows[-1] is not ends[0]:
        return ["events follow the end record"]
    event = ends[0].event
    if isinstance(event, RunEnded) and event.count != len(rows):
        return [
            f"the end record counts {pluralize(event.count, 'event')}, but {len(rows)} can be read"
        ]
    return []
