"""What a way of running is to the engine: its state, its graph, its end, and what is seen of it.

A mode is one module with a `MODE`. The engine gives it a `Kit` and asks nothing else of it, so
that a kill, a replay, a cap, a pause, a question to a person and a worker's death are no concern
of the mode. What a mode says is given to it by the workbench (`RunParts`) or is its own.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol

from pydantic import JsonValue

from core.clock import Clock
from core.events import Event, Row, RunStatus
from core.graph.spec import END, START, D, GraphSpec, Node, S, StoredState
from core.kit import Kit
from core.questions import Question
from core.requests import Calls
from core.settings import Flags, RunOptions
from core.store import RunFolder
from core.values import Frozen

__all__ = [
    "END",
    "START",
    "Ending",
    "GraphSpec",
    "Mode",
    "Node",
    "RunParts",
    "RunPartsFor",
    "StoredState",
    "View",
]

_RESULT = ("result.md", "result.json")


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended, as its mode reads it from the run's files."""

    status: RunStatus
    reason: str = ""
    """Which parts are missing or below what was asked."""


class View(Frozen):
    """What a page shows of a run while it works; each mode has its own."""


class RunParts(Protocol):
    """What the workbench makes a run of: the workbench knows what to do, the engine when."""

    @property
    def options(self) -> RunOptions:
        """What was chosen for the run."""
        ...

    @property
    def mode(self) -> "Mode[Any, Any]":
        """How the run is orchestrated."""
        ...

    @property
    def version(self) -> str:
        """The release and the library that do the work, as the trace names them."""
        ...

    def kit(
        self,
        folder: RunFolder,
        record: Callable[[Event], None],
        clock: Clock,
        calls: Calls | None = None,
    ) -> Kit:
        """Return what every mode is given; models are asked by *calls*, or by the run's own."""
        ...

    def content(self, kit: Kit) -> object:
        """Return what the workbench says in the run's mode; None where it says nothing."""
        ...


RunPartsFor = Callable[[RunFolder], RunParts]
"""Makes a run's parts from its folder's brief.json and settings.json."""


class Mode(ABC, Generic[S, D]):
    """A way of running, as a person chooses it and as the engine drives it."""

    id: ClassVar[str]
    label: ClassVar[str]
    question: ClassVar[str]
    """What an analyst who wants this mode asks."""
    rank: ClassVar[int] = 100
    """Where a person is shown it among the others, lowest first."""
    own_flags: ClassVar[tuple[str, ...]] = ()
    """The flags that change this mode and not every one."""
    result_files: ClassVar[tuple[str, ...]] = _RESULT
    """What a finished run has written, the file to read first before the others."""
    started_files: ClassVar[tuple[str, ...]] = _RESULT
    """Files that only a run that has begun can have."""

    hides: ClassVar[bool] = False
    """Whether a run that has not ended holds what some who take part may not see yet."""

    def check(self, options: RunOptions) -> None:
        """Refuse options with which no run of this mode can work here; raises CallerError."""
        del options

    @abstractmethod
    def spec(self, flags: Flags) -> GraphSpec[S, D]:
        """Return the graph under these flags."""

    @abstractmethod
    def deps(self, kit: Kit, parts: RunParts) -> D:
        """Return what the nodes are given: the kit, or an extension of it by *parts*."""

    @abstractmethod
    def begin(self, deps: D) -> S:
        """Return the state of a run that has done nothing yet."""

    def resume(self, state: S, deps: D, events: Sequence[Event]) -> S:
        """Return *state* with what earlier processes of the run left in its files.

        Checkpoints are taken up by the engine. Raises CallerError if the files are not those on
        record.
        """
        del deps, events
        return state

    def restore(self, folder: RunFolder, events: Sequence[Event]) -> None:
        """Make anew what a crash took of the run's files and others still hold."""
        del folder, events

    async def run(self, state: S, deps: D) -> S:
        """Bring the run to its end; raises Waiting while a person must answer first."""
        # imported here: the graph library takes a second, and not every mode or command needs it
        from core.graph.build import run  # noqa: PLC0415

        return await run(self.spec(deps.flags), state, deps)

    @abstractmethod
    def ending(self, folder: RunFolder, state: S | None = None) -> Ending:
        """Say how a run ended whose result is written; *state* is its last, where at hand."""

    @abstractmethod
    def partial_result(self, folder: RunFolder, parts: RunParts, standing: str) -> str:
        """Return, in Markdown, what a run has come to so far, its missing parts labelled.

        Args:
            folder: The run, in whatever state.
            parts: What it is made of.
            standing: Where it is, in a sentence, such as "paused: MAX_CALLS is reached".

        """

    def remaining(self, folder: RunFolder) -> str:
        """Say how far a run is that has stopped; "" where there is nothing to say."""
        del folder
        return ""

    def accept(self, folder: RunFolder, question: Question, answer: JsonValue) -> JsonValue:
        """Return the answer as it is recorded, beyond what the question's schema asks.

        Raises CallerError if the run cannot go on with it.
        """
        del folder, question
        return answer

    def view(
        self, folder: RunFolder, rows: Sequence[Row], before: View | None = None
    ) -> View | None:
        """Return what is seen of a run; *before* is an earlier view of it, to add to."""
        del folder, rows, before
        return None
