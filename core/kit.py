"""What the engine gives every mode: a record, a folder, time, chance, slots, a budget, tools, people.

It knows no tasks. A mode that needs more of the workbench extends it (`core.graph.nodes.Deps`).
"""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from anyio.lowlevel import checkpoint

from core.budget import Budget
from core.clock import Clock, RandomFor, seeded, stamp
from core.compute import Compute, in_thread
from core.errors import Waiting
from core.events import (
    Event,
    MessageAdded,
    QuestionAnswered,
    QuestionAsked,
    Row,
    ToolCalled,
)
from core.messages import Message, MessageLog
from core.questions import DEADLINE, Decision, Question, check_question
from core.redaction import Redactor
from core.requests import Calls
from core.scheduler import ParallelLimiter
from core.settings import Flags, RunOptions
from core.store import TRACE, RunFolder
from core.tool_router import Tool, Toolbox
from core.trace import read_events
from core.values import repeated

_OPENING = 200
"""Characters of a message that its event shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """What the steps of any mode use and do not make."""

    options: RunOptions
    folder: RunFolder
    record: Callable[[Event], None]
    rows: Callable[[], Sequence[Row]]
    """Returns what the run has recorded so far."""
    clock: Clock
    limiter: ParallelLimiter
    budget: Budget
    toolbox: Toolbox
    calls: Calls | None = None
    """Calls to models; None where the run has no endpoint."""
    live: bool = True
    """Whether the world outside may be asked; a replay has it on record instead."""
    legacy_record: bool = False
    """Whether a replay repeats a record of the first release, which says less of attempts."""
    close: Callable[[], Awaitable[None]] = checkpoint
    """Gives back what was opened for the run, once it stops."""

    @property
    def flags(self) -> Flags:
        """The run's flags."""
        return self.options.flags

    @property
    def chance(self) -> RandomFor:
        """The run's sources of chance, by name."""
        return seeded(self.options.seed)

    def ask(self, *questions: Question) -> tuple[Decision, ...]:
        """Return the decision on each question, in their order.

        All of them are open at once. Raises Waiting while one has no answer and its deadline has
        not passed; the step that asked is then done anew once people have answered.
        """
        if (taken := repeated(question.id for question in questions)) is not None:
            raise ValueError(f"two questions have the id {taken!r}; give each one of its own")
        found = [self._decided(question) for question in questions]
        waiting = [q for q, decision in zip(questions, found, strict=True) if decision is None]
        if waiting:
            raise Waiting(" ".join(question.text for question in waiting))
        return tuple(decision for decision in found if decision)

    def _decided(self, question: Question) -> Decision | None:
        asked = self._asked(question)
        decision = self.folder.decision(question.id)
        if decision is None and asked.deadline and stamp(self.clock.now()) >= asked.deadline:
            decision = self.folder.decide(
                Decision(
                    question_id=question.id,
                    by=DEADLINE,
                    at=asked.deadline,
                    answer=asked.question.otherwise,
                )
            )
        if decision:
            self.record(
                QuestionAnswered(
                    question_id=question.id,
                    by=decision.by,
                    at=decision.at,
                    decision_digest=decision.digest,
                )
            )
        return decision

    def _asked(self, question: Question) -> QuestionAsked:
        """Return the event that asks the question; its deadline counts from the first asking."""
        for event in (row.event for row in self.rows()):
            if isinstance(event, QuestionAsked) and event.question.id == question.id:
                return event
        check_question(question)
        deadline = _later(self.clock.now(), question.within_s)
        asked = QuestionAsked(question=question, deadline=deadline)
        self.record(asked)
        return asked

    def said(self, log: MessageLog, message: Message) -> MessageLog:
        """Record *message* and return the log with it at its end."""
        longer = log.with_message(message)
        opening = " ".join(message.text.split())[:_OPENING]
        self.record(
            MessageAdded(
                number=len(longer),
                author=message.author,
                opening=opening,
                message_digest=self.folder.keep(message),
            )
        )
        return longer


def _later(moment: datetime, seconds: float | None) -> str:
    return "" if seconds is None else stamp(moment + timedelta(seconds=seconds))


def make_kit(
    options: RunOptions,
    folder: RunFolder,
    record: Callable[[Event], None],
    clock: Clock,
    *,
    tools: Iterable[Tool] = (),
    allowed: Mapping[str, Collection[str]] | None = None,
    budget: Budget | None = None,
    calls: Calls | None = None,
    live: bool = True,
    compute: Compute = in_thread,
    close: Callable[[], Awaitable[None]] = checkpoint,
    redactor: Redactor | None = None,
) -> Kit:
    """Return the kit of a run, as *options* say, with what its earlier processes recorded."""
    rows = _past(folder)
    tool_calls = (row.event for row in rows if isinstance(row.event, ToolCalled))
    past = [(c, folder.kept(c.output_digest) if c.ok else None) for c in tool_calls]
    toolbox = Toolbox(
        tools,
        allowed=allowed,
        record=record,
        keep=folder.keep,
        commit=folder.commits.commit_files,
        clock=clock,
        past=past,
        compute=compute,
        redactor=redactor,
    )
    return Kit(
        options=options,
        folder=folder,
        record=record,
        rows=partial(_past, folder),
        clock=clock,
        limiter=ParallelLimiter(options.flags.MAX_CONCURRENCY),
        budget=budget or Budget(options.flags, clock, rows, str(folder.path)),
        toolbox=toolbox,
        calls=calls,
        live=live,
        close=close,
    )


def budget_for(options: RunOptions, folder: RunFolder, clock: Clock) -> Budget:
    """Return what the run may still spend, given what its earlier sittings did."""
    return Budget(options.flags, clock, _past(folder), str(folder.path))


def _past(folder: RunFolder) -> list[Row]:
    return list(read_events(folder.trace_path)) if folder.has(TRACE) else []
