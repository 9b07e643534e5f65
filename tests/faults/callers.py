"""What asks a model's server in a run that may have been driven before."""

from collections.abc import Callable
from typing import Any

from core.breakers import Breakers
from core.calls import Caller, past_calls, stuck_calls
from core.clock import Clock, seeded
from core.events import Event
from core.kit import budget_for
from core.requests import Send
from core.settings import RunOptions
from core.store import RunFolder
from core.trace import read_events


def caller_in(
    folder: RunFolder,
    options: RunOptions,
    send: Send,
    record: Callable[[Event], None],
    clock: Clock,
    **parts: Any,
) -> Caller:
    """Return the caller of a run, which knows the calls of earlier sittings."""
    rows = list(read_events(folder.trace_path))
    return Caller(
        send,
        record=record,
        keep=folder.keep,
        clock=clock,
        random=seeded(options.seed),
        budget=budget_for(options, folder, clock),
        past=past_calls(rows, folder.kept),
        stuck=stuck_calls(rows),
        **{"breakers": Breakers(), **parts},
    )
