"""Put a command into a checkpoint, then load it: KIND ADDRESS MARKER PREPARED."""

import asyncio
import sys
from contextlib import AsyncExitStack, suppress
from pathlib import Path

from core.settings import prepare_process

if sys.argv[4] == "True":
    prepare_process()  # as every entry point does, before the graph library is imported

import ormsgpack
from langgraph.checkpoint.base import BaseCheckpointSaver, empty_checkpoint

from core.clock import SystemClock
from core.graph.build import _saver
from core.postgres import open_records
from core.settings import RunOptions
from core.store import RunStore


def command(line: str) -> bytes:
    """Return what the library takes for a value that os.system(line) makes."""
    return ormsgpack.packb(ormsgpack.Ext(0, ormsgpack.packb(("os", "system", line))))


async def forged(kind: str, address: str, marker: str) -> None:
    async with AsyncExitStack() as stack:
        if kind == "sqlite":
            folder = RunStore(Path(address)).create("run", RunOptions(), {})
            saver = await stack.enter_async_context(_saver(folder))
        else:
            records = stack.enter_context(open_records(address, SystemClock()))
            saver = await stack.enter_async_context(records.saver())
        await load(saver, command(f"touch {marker}"))


async def load(saver: BaseCheckpointSaver[str], evil: bytes) -> None:
    place = {"configurable": {"thread_id": "run", "checkpoint_ns": ""}}
    checkpoint = empty_checkpoint() | {
        "channel_values": {"cursor": {"task_id": "T1"}},
        "channel_versions": {"cursor": "1"},
    }
    saved = await saver.aput(place, checkpoint, {}, {"cursor": "1"})
    await saver.aput_writes(saved, [("cursor", {"task_id": "T2"})], "task")
    if hasattr(saver.conn, "connection"):
        async with saver.conn.connection() as connection:
            await connection.execute("UPDATE checkpoint_blobs SET blob = %s", (evil,))
            await connection.execute("UPDATE checkpoint_writes SET blob = %s", (evil,))
    else:
        await saver.conn.execute("UPDATE checkpoints SET checkpoint = ?", (evil,))
        await saver.conn.execute("UPDATE writes SET value = ?", (evil,))
        await saver.conn.commit()
    with suppress(TypeError, KeyError, AttributeError):  # what is left there is no checkpoint
        await saver.aget_tuple(place)


asyncio.run(forged(*sys.argv[1:4]))
