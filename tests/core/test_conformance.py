"""The savers of checkpoints as we open them: what they promise, and what a forged row can do."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.conformance import checkpointer_test, validate

from core.clock import SystemClock
from core.graph.build import _saver
from core.postgres import open_records
from core.settings import RunOptions, environment
from core.store import RunStore

Opened = AbstractAsyncContextManager[BaseCheckpointSaver[str]]
CAPABILITIES = {"sqlite": 5, "postgres": 6}
"""What each saver can do; PostgreSQL's also prunes."""
FORGE = Path(__file__).with_name("forge.py")


@pytest.fixture(params=["sqlite", "postgres"])
def kind(request) -> str:
    return request.param


@pytest.fixture
def address(kind: str, request, tmp_path: Path) -> str:
    return str(tmp_path) if kind == "sqlite" else request.getfixturevalue("url")


def test_the_savers_keep_what_a_saver_promises(kind: str, address: str) -> None:
    report = asyncio.run(_validated(kind, address))
    tried = {name: result for name, result in report.results.items() if result.detected}
    assert [f for result in tried.values() for f in result.failures] == []
    assert report.passed_all_base()
    assert len(tried) == CAPABILITIES[kind]


async def _validated(kind: str, address: str):
    numbers = iter(range(100))

    @checkpointer_test(name=kind)
    async def saver() -> AsyncIterator[BaseCheckpointSaver[str]]:
        if kind == "sqlite":
            name = f"run{next(numbers)}"
            folder = RunStore(Path(address)).create(name, RunOptions(), {})
            async with _saver(folder) as opened:
                yield opened
            return
        with open_records(address, SystemClock()) as records:
            async with records.saver() as opened:
                yield opened

    return await validate(saver)


def test_two_processes_can_set_up_the_tables_at_once(url: str) -> None:
    async def both() -> None:
        with open_records(url, SystemClock()) as one, open_records(url, SystemClock()) as two:
            async with asyncio.TaskGroup() as group:
                for records in (one, two, one):
                    group.create_task(_opened(records.saver()))

    asyncio.run(both())


async def _opened(saver: Opened) -> None:
    async with saver as opened:
        assert [row async for row in opened.alist(None)] == []


@pytest.mark.parametrize("prepared", [True, False])
def test_a_forged_checkpoint_runs_nothing(
    kind: str, address: str, prepared: bool, tmp_path: Path
) -> None:
    """Without `prepare_process` it does: the test would notice if the library changed."""
    marker = tmp_path / "marker"
    command = [sys.executable, str(FORGE), kind, address, str(marker), str(prepared)]
    plain = {k: v for k, v in environment().items() if not k.startswith(("LANG", "LC_"))}
    done = subprocess.run(command, capture_output=True, env=plain)
    assert done.returncode == 0, done.stderr.decode()
    assert marker.exists() is not prepared
