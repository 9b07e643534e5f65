"""What the commands take from outside."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.clock import Clock, SystemClock
from core.settings import environment, prepare_process


@dataclass(frozen=True, slots=True)
class CliContext:
    """The environment and the time."""

    environ: Mapping[str, str]
    clock: Clock


def open_context() -> CliContext:
    """Prepare this process for the engine and return its surroundings."""
    prepare_process()
    return CliContext(environ=environment(), clock=SystemClock())
