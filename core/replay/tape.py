"""The recorded events, matched one by one with those that a replay says again."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Any

from core.clock import Clock
from core.diff import diff_texts, first_difference
from core.events import CallEnded, Event, NodeStarted, Row
from core.replay.recording import Recording
from core.store import RunFolder
from core.trace import Trace, row_hash
from core.values import canonical, digest


class Tape:
    """The recorded events, and how many of them a replay has said again.

    Events are matched in the order of their stream: a task's own if tasks were worked on side
    by side, else the whole run. A stream that goes another way is compared no further.
    """

    def __init__(self, recording: Recording, folder: RunFolder) -> None:
        self._recording, self._folder = recording, folder
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
            if self._is_history(row.event) or recording.came_to_nothing(row.event)
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
        if self._is_history(event) or self._repeats(event):
            return
        unsaid = self._unsaid[stream]
        if stream in self._lost or not unsaid:
            self._surplus(event, stream)
            return
        row = self._next(event, unsaid)
        event = _with_readings(event, row.event)
        if event != row.event:
            self._lose(stream, row.seq, self._difference(row, event))
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

    def _is_history(self, event: Event) -> bool:
        """Whether it befell the run; where several processes took it up, one cannot do the same."""
        steps = event.replay == "process" and self._recording.restarted
        return steps or event.replay == "external"

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
                self._lose(stream, row.seq, f"{placed(row)}: {why}")

    def _lose(self, stream: str, place: float, difference: str) -> None:
        self._lost.add(stream)
        self.differences.append((place, difference))

    def _difference(self, row: Row, event: Event) -> str:
        was, now = row.event, event
        if _named(was) != _named(now):
            return f"{placed(row)}: the replay has {_named(now)} in its place"
        name = next(name for name, value in was if value != getattr(now, name))
        old, new = getattr(was, name), getattr(now, name)
        if inside := self._inside(name, old, new):
            return f"{placed(row)}: {inside}"
        return f"{placed(row)}: {first_difference(_plain(old), _plain(new), name)}"

    def _inside(self, name: str, old: object, new: object) -> str:
        """Say how two digests came to differ, if what they are digests of is at hand."""
        ours, theirs = self._folder, self._recording.folder
        if name == "proposal_digest" and theirs.has("proposal.md"):
            texts = theirs.read_text("proposal.md"), ours.read_text("proposal.md")
            return diff_texts("proposal.md", *texts)
        paths = f"artifacts/{old}", f"artifacts/{new}"
        if not name.endswith("_digest") or not (theirs.has(paths[0]) and ours.has(paths[1])):
            return ""
        what = name.removesuffix("_digest")
        return first_difference(theirs.kept(str(old)), ours.kept(str(new)), what)


class Retrace(Trace):
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


def _with_readings(event: Event, recorded: Event) -> Event:
    if event.kind != recorded.kind:
        return event
    return event.model_copy(update={name: getattr(recorded, name) for name in event.readings})


def placed(row: Row) -> str:
    """Say which event of the record it is."""
    return f"event {row.seq}, {_named(row.event)}"


def _named(event: Event) -> str:
    node, task_id = getattr(event, "node", ""), getattr(event, "task_id", "")
    return event.kind + (f" {node}" if node else "") + (f" of {task_id}" if task_id else "")


def _plain(value: Any) -> Any:  # noqa: ANN401 - any field of an event
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else value
