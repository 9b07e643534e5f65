"""A run's progress in the terminal, on stderr."""

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from core.events import Event, NodeStarted, PlanProposed, Row, TaskFinished


class _Heard(Console):
    """A console that falls silent when its reader goes away; the run goes on."""

    def on_broken_pipe(self) -> None:
        """Say no more; by default the whole program would end here, in the middle of a task."""
        self.quiet = True


class Progress:
    """Shows each finished task; a bar where stderr is a terminal, lines elsewhere."""

    def __init__(self) -> None:
        self._console = _Heard(stderr=True, highlight=False)
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
        )
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

    def _line(self, event: Event) -> None:
        if isinstance(event, TaskFinished):
            self._bar.advance(self._task)
        if headline := event.headline():
            try:
                self._console.print(headline, markup=False, soft_wrap=True)
            except OSError:  # a terminal that was closed
                self._console.quiet = True
