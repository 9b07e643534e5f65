"""A run's progress in the terminal, on stderr."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Self

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.text import Text

from core.clock import Clock
from core.driving import Driver, Outcome, Stop
from core.events import Event, NodeStarted, PlanProposed, Row, TaskFinished
from core.live import LiveCall
from core.store import RunFolder
from dr_rd.models.typed.words import words_of

BEAT_S = 1.9
"""How often a line says how the calls under way come on, where there is no terminal: a little less
than two seconds, since a busy machine wakes late."""
_TAIL = 400
"""Characters of a reply of which a terminal shows the last."""


class _Heard(Console):
    """A console that falls silent when its reader goes away; the run goes on."""

    def on_broken_pipe(self) -> None:
        """Say no more; by default the whole program would end here, in the middle of a task."""
        self.quiet = True


class _Bars(Bar):
    """The bar, and below it the calls under way with the end of what has come of each."""

    calls: Callable[[], Sequence[LiveCall]] = tuple

    def get_renderables(self) -> Iterable[RenderableType]:
        """Return what is drawn, several times a second."""
        yield self.make_tasks_table(self.tasks)
        for call in self.calls():
            yield Text(call.headline(), no_wrap=True, overflow="ellipsis")
            if tail := " ".join(words_of(call.text).split())[-_TAIL:]:
                end = tail[-max(1, self.console.width - 4) :]
                yield Text(f"  … {end}", style="dim", no_wrap=True)


class Progress:
    """Shows each finished task and each call to a model while it is made.

    A bar where stderr is a terminal, lines elsewhere.

    Args:
        calls: Returns the calls under way.
        console: Where it is shown; None is stderr.

    """

    def __init__(
        self,
        calls: Callable[[], Sequence[LiveCall]] = tuple,
        console: Console | None = None,
    ) -> None:
        self._console, self._calls = console or _Heard(stderr=True, highlight=False), calls
        self._bar = _Bars(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._bar.calls = calls
        self._task = self._bar.add_task("planning", total=None)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def watch(self, row: Row) -> None:
        """Take note of one event."""
        event = row.event
        if isinstance(event, PlanProposed):
            self._bar.update(self._task, total=event.tasks, description="working")
        elif isinstance(event, NodeStarted) and event.node == "synth":
            self._bar.update(self._task, description="composing")
        self._line(event)

    def beating(self, driver: Driver, clock: Clock) -> Driver:
        """Return a driver that has the calls under way told of while *driver* drives."""

        async def driven(
            folder: RunFolder, *, stop: Stop, watch: Callable[[Row], None] | None = None
        ) -> Outcome:
            beat = asyncio.create_task(self._beat(clock))
            try:
                return await driver(folder, stop=stop, watch=watch)
            finally:
                beat.cancel()

        return driven

    async def _beat(self, clock: Clock) -> None:
        while not self._console.is_terminal:  # a bar draws itself
            await clock.sleep(BEAT_S)
            if calls := self._calls():
                self._print("; ".join(call.headline() for call in calls))

    def _line(self, event: Event) -> None:
        if isinstance(event, TaskFinished):
            self._bar.advance(self._task)
        if headline := event.headline():
            self._print(headline)

    def _print(self, line: str) -> None:
        try:
            self._console.print(line, markup=False, soft_wrap=True)
        except OSError:  # a terminal that was closed
            self._console.quiet = True
