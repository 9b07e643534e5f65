"""What is on record of a run, checked as far as a replay takes it from there."""

from collections.abc import Iterable
from pathlib import Path
from shutil import copyfile

from pydantic import JsonValue

from core.calls import past_calls
from core.errors import CallerError, RefusedCall, TaskError
from core.events import (
    AttemptJudged,
    Booted,
    CallEnded,
    CallTried,
    Event,
    PassagesRetrieved,
    RunEnded,
    RunStarted,
    SettingsChanged,
    ToolCalled,
)
from core.files import lasting
from core.graph.state import ToolRequest
from core.settings import Flags, RunOptions
from core.store import TRACE, RunFolder, open_run
from core.trace import read_events
from core.values import digest


class Recording:
    """What is on record of a run, checked as far as a replay takes it from there."""

    def __init__(self, run_dir: Path) -> None:
        self.folder = open_run(run_dir)
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
        self.legacy = any(not event.feedback for event in judged if event.attempt > 1)
        self._check()
        self.past = past_calls(self.rows, self.folder.kept)
        self._counted = {id(call) for call, _, _ in self.past}

    def _check(self) -> None:
        """Hold against their digests what tools and models gave."""
        asked = [row.event for row in self.rows if isinstance(row.event, CallEnded)]
        names = [call.output_digest for call in self.calls.values()]
        names += [name for call in asked for name in (call.request_digest, call.reply_digest)]
        for name in (*names, *self._cut_replies()):
            if name:
                self.folder.artifact(name)

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
            raise (RefusedCall if call.refused else TaskError)(call.error)
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
        kept = lasting(self.folder.path)
        for name in (n for n in kept for g in given if n == g or n.startswith(f"{g}/")):
            (path / name).parent.mkdir(exist_ok=True)
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
