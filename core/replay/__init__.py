"""The same run again from its record: no model, no tool, no network; and where it first differs.

The engine works anew in a folder of its own. What came from outside is taken from the record:
the brief, the settings, the documents, the person's answer, what tools gave, the readings of
the clock, and the order in which concurrent tasks came. All else is made again and compared.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, cast

import anyio
from anyio.lowlevel import checkpoint
from pydantic import JsonValue

from core.budget import Budget
from core.calls import Recall
from core.clock import Clock
from core.driving import Outcome, drive
from core.errors import CallerError, TaskError
from core.events import CallEnded, Event
from core.kit import Kit
from core.modes.spec import Mode, RunParts, RunPartsFor
from core.redaction import Redactor
from core.replay.comparing import diff_folders, first
from core.replay.recording import Recording
from core.replay.tape import Retrace, Tape
from core.requests import Calls, Incomplete, Reply, Request, Slot
from core.settings import Flags, RunOptions
from core.store import DECISIONS, RunFolder

GIVEN = ("brief.json", "settings.json", "decision.json", DECISIONS, "revision.json", "inputs")
"""What a run was given from outside, as files and folders; a workbench names more."""

_NO_CAPS = Flags(
    MAX_CALLS=1_000_000,
    MAX_TOKENS=1_000_000_000,
    MAX_COST_USD=100_000,
    MAX_WALL_S=2_592_000,
    MAX_ATTEMPTS=100_000,
)
"""A replay spends nothing."""


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
    run_dir: Path, parts_for: RunPartsFor, into: Path, given: Sequence[str] = ()
) -> Replayed:
    """Do a recorded run again and compare; its own folder is only read.

    Args:
        run_dir: The recorded run; a CallerError names what its record has lost.
        parts_for: Makes the parts of the replay from the folder it works in.
        into: An audits root for the replay, in which there is no such run.
        given: Files, besides GIVEN, that came from outside.

    """
    recording = Recording(run_dir)
    folder = recording.begun_anew(into, (*GIVEN, *given))
    parts = _FromRecord(parts_for(folder), recording)
    tape = Tape(recording, folder)
    outcome = anyio.run(_driven, folder, parts, tape)
    theirs, ours = recording.version or "an earlier release", parts.version
    difference = first(tape, recording, folder, outcome) or diff_folders(
        recording, folder, same_release=theirs == ours
    )
    if difference and theirs != ours:
        difference += f" (recorded by {theirs}; replayed by {ours})"
    return Replayed(outcome, folder, recording.ended, len(recording.rows), difference)


async def _driven(folder: RunFolder, parts: RunParts, tape: Tape) -> Outcome:
    clock = _Still(datetime.fromisoformat(tape.started))
    try:
        return await drive(folder, parts, clock, opened=partial(Retrace, tape))
    except CallerError as mistake:
        return Outcome("paused", folder.path, str(mistake))


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


class _FromRecord:
    """A run's parts, but tools and models are not asked: what they gave is on record."""

    def __init__(self, parts: RunParts, recording: Recording) -> None:
        self._parts, self._recording = parts, recording

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a mode asks of its parts
        return getattr(self._parts, name)

    @property
    def options(self) -> RunOptions:
        """What was chosen at first, if only what was changed since is different."""
        chosen, began = self._parts.options, self._recording.began_with
        same = began and chosen == began.model_copy(update={"flags": self._recording.flags})
        return began if began and same else chosen

    @property
    def mode(self) -> Mode[Any, Any]:
        return self._parts.mode

    @property
    def version(self) -> str:
        return self._parts.version

    def kit(
        self,
        folder: RunFolder,
        record: Callable[[Event], None],
        clock: Clock,
        calls: Calls | None = None,
    ) -> Kit:
        recalled = calls or _Recalled(self._recording, record, folder)
        kit = self._parts.kit(folder, record, clock, recalled)
        return replace(
            kit,
            toolbox=kit.toolbox.answered_by(self._recording.output),
            budget=Budget(_NO_CAPS, clock),
            live=False,
            legacy_record=self._recording.legacy,
        )


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
