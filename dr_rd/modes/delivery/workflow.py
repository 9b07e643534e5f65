"""A delivery as a function: run to its end, or watched live, one event a node."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress

from pydantic import JsonValue

from core.clock import Clock, fresh_random, new_run_id
from core.driving import Outcome, drive
from core.events import NodeEnded, Row
from core.graph.spec import restore_state
from core.modes.delivery import MODE, Delivery
from core.modes.spec import RunPartsFor
from core.settings import RunOptions
from core.store import RunFolder, RunStore
from core.trace import read_events
from core.values import Frozen


class StageEnded(Frozen):
    """One node of a workflow is done."""

    thread_id: str
    node: str
    destination: str
    """What comes next."""
    reason: str
    state: Delivery


async def run_workflow(
    brief: Mapping[str, JsonValue],
    *,
    store: RunStore,
    parts_for: RunPartsFor,
    clock: Clock,
    thread_id: str = "",
) -> Delivery:
    """Take a delivery to its end, or to where a person must answer; returns its state there.

    A thread is a run: its folder and its checkpoints bear the *thread_id*. One that is there
    already goes on from its last checkpoint; without one a new id is made.
    """
    folder = _thread(brief, store, clock, thread_id)
    await drive(folder, parts_for(folder), clock)
    return _state(folder)


async def stream_workflow(
    brief: Mapping[str, JsonValue],
    *,
    store: RunStore,
    parts_for: RunPartsFor,
    clock: Clock,
    thread_id: str = "",
) -> AsyncIterator[StageEnded]:
    """Yield an event for each node as it ends, in order; who stops listening pauses the run."""
    folder = _thread(brief, store, clock, thread_id)
    ended: asyncio.Queue[StageEnded | None] = asyncio.Queue()

    def watch(row: Row) -> None:
        if isinstance(row.event, NodeEnded):
            ended.put_nowait(_event(folder, row.event))

    async def work() -> Outcome:
        try:
            return await drive(folder, parts_for(folder), clock, watch=watch)
        finally:
            ended.put_nowait(None)

    driving = asyncio.create_task(work())
    try:
        while (event := await ended.get()) is not None:
            yield event
        await driving
    finally:
        driving.cancel()
        with suppress(asyncio.CancelledError):
            await driving


def _thread(
    brief: Mapping[str, JsonValue], store: RunStore, clock: Clock, thread_id: str
) -> RunFolder:
    options = RunOptions(mode=MODE.id)
    name = thread_id or new_run_id(clock, fresh_random())
    path = store.root / options.project_id / name
    return store.open(path) if path.is_dir() else store.create(name, options, brief)


def _event(folder: RunFolder, event: NodeEnded) -> StageEnded:
    state = restore_state(Delivery, event.state_digest, folder)
    way = state.routes[-1]
    return StageEnded(
        thread_id=folder.run_id,
        node=event.node,
        destination=way.destination,
        reason=way.reason,
        state=state,
    )


def _state(folder: RunFolder) -> Delivery:
    ends = [r.event for r in read_events(folder.trace_path) if isinstance(r.event, NodeEnded)]
    return restore_state(Delivery, ends[-1].state_digest, folder) if ends else Delivery()
