"""What happened, in order: an append-only chain of hashed lines, its views, and its proof."""

import errno
import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
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
    ProposalStamped,
    Recovered,
    Ref,
    Row,
    RunEnded,
    RunFinished,
    RunPaused,
    RunStatus,
    RunWaiting,
    read_row,
)
from core.events.base import Section
from core.files import SUMS, Crossing, is_inside, lasting, nothing, sha256, sync
from core.pluralize import pluralize
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
        "retrieval_trace": retrieval_rows(rows),
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


def retrieval_rows(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the searches in the run's documents."""
    return _rows_of("retrieval_trace", rows)


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
    ended: bool
    """Whether it has an end to prove; one that was cut off may be sound as far as it went."""


def verify(run_dir: Path) -> Verification:
    """Check a run's chain, hashes, references, checksums and end record.

    A run without an end record and without checksums has not ended: it goes on, or was cut off.
    What it wrote is checked all the same; half a line at its end is what a resumed run cuts.
    """
    path = run_dir / "trace.jsonl"
    if not path.is_file():
        raise CallerError(f"{run_dir} has no trace.jsonl; name a run's folder, audits/PROJECT/RUN")
    lines = path.read_bytes().splitlines(keepends=True)
    summed = (run_dir / SUMS).is_file()
    if lines and not summed and not lines[-1].endswith(b"\n"):
        lines.pop()
    rows, problems = _chain(lines)
    problems += _references(rows, run_dir)
    ended = summed or any(isinstance(row.event, RunEnded) for row in rows)
    if ended:
        problems += _ending(rows)
        problems += _checksums(run_dir)
    return Verification(ok=not problems, events=len(lines), problems=tuple(problems), ended=ended)


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
        faults = _faults(row, line, seq, head, rows[0].run_id)
        problems += [f"event {seq}: {fault}" for fault in faults]
        head = row.hash
    return rows, problems


def _faults(row: Row, line: bytes, seq: int, head: str, run_id: str) -> Iterator[str]:
    written = json.loads(line)
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


def _references(rows: Iterable[Row], run_dir: Path) -> list[str]:
    problems: list[str] = []
    files: dict[str, Ref] = {}
    for row in rows:
        if isinstance(row.event, ProposalStamped) and row.event.head != row.prev:
            problems.append(f"event {row.seq}: the proposal is stamped with another hash")
        for ref in row.event.refs():
            if ref.file:
                files[ref.file] = ref
            else:
                problems += _artifact(run_dir, ref)
    return problems + [problem for ref in files.values() for problem in _file(run_dir, ref)]


def _artifact(run_dir: Path, ref: Ref) -> list[str]:
    path = run_dir / "artifacts" / ref.digest
    if not path.is_file():
        return [f"artifact {ref.digest} of {ref.what} is missing"]
    whole = sha256(path.read_bytes()) == ref.digest
    return [] if whole else [f"artifact {ref.digest} of {ref.what} was changed"]


def _file(run_dir: Path, ref: Ref) -> list[str]:
    try:
        data = (run_dir / ref.file).read_bytes()
    except OSError:
        return [f"{ref.file} is missing"]
    try:
        found = sha256(data) if ref.form == "bytes" else _digest(data, ref.key)
    except (ValueError, TypeError, KeyError):
        return [f"{ref.file} cannot be read"]
    return [] if found == ref.digest else [f"{ref.file} is not what the trace recorded"]


def _digest(data: bytes, key: str) -> str:
    value = json.loads(data)
    return digest(value[key] if key else value)


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


def _checksums(run_dir: Path) -> list[str]:
    sums = run_dir / SUMS
    if not sums.is_file():
        return [f"{SUMS} is missing"]
    try:
        lines = sums.read_text("utf-8").splitlines()
    except UnicodeDecodeError:
        return [f"{SUMS} is not text"]
    listed = {name: expected for expected, _, name in (line.partition("  ") for line in lines)}
    unlisted = sorted(set(lasting(run_dir)) - set(listed))
    problems = [f"{name} is not listed in {SUMS}" for name in unlisted]
    return problems + [
        p for name, expected in listed.items() if (p := _sum(run_dir, name, expected))
    ]


def _sum(run_dir: Path, name: str, expected: str) -> str:
    """What is wrong with one listed file; "" if nothing."""
    path = run_dir / name
    if not is_inside(run_dir.resolve(), path):
        return f"{SUMS} names {name!r}, which is outside the run's folder"
    if not path.is_file():
        return f"{name} is missing"
    return (
        "" if sha256(path.read_bytes()) == expected else f"{name} was changed after the run ended"
    )
