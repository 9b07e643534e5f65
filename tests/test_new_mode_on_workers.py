"""A mode of another package outlives the worker that drives it, as every mode does."""

import asyncio
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import core.modes
from core.clock import SystemClock
from core.compute import Compute
from core.driving import Stop
from core.modes import GROUP, find_mode
from core.modes.spec import RunPartsFor
from core.questions import Decision
from core.settings import Flags, RunOptions
from core.store import RunFolder, RunStore
from core.testing import FakeParts
from core.trace import read_events, verify
from core.workers import Workers, open_workers
from tests.conftest import ROOT
from tests.toys.installed import installed

PATIENCE_S = 120


def held(step: Any) -> Any:
    """Return the step, which notes its process and waits for a file where the critic speaks."""

    async def waits(state: Any, kit: Any) -> Any:
        marks = Path(kit.folder.read_json("brief.json")["marks"])
        with (marks / "pids").open("a") as pids:
            pids.write(f"{state.turn} {os.getpid()}\n")
        while state.turn == "critic" and not (marks / "go").exists():
            await asyncio.sleep(0.01)
        return await step(state, kit)

    return waits


class HeldParts(FakeParts):
    """Parts whose mode is the toy's, with its voice held."""

    @property
    def mode(self) -> Any:
        toy = find_mode("talk")

        class HeldTalk(type(toy)):  # type: ignore[misc]
            def spec(self, flags: Flags) -> Any:
                spec = toy.spec(flags)
                return replace(spec, nodes={**spec.nodes, "voice": held(spec.nodes["voice"])})

        return HeldTalk()


def parts_on(compute: Compute) -> RunPartsFor:
    """Make the parts of a worker's runs."""
    del compute
    return lambda folder: HeldParts((), folder.options())


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[Workers]:
    place = installed("toy_mode", GROUP, "toy_mode:MODE", tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT)
        patch.syspath_prepend(place)
        core.modes.modes.cache_clear()
        with open_workers("local", parts_on, SystemClock()) as opened:
            yield opened
    core.modes.modes.cache_clear()


def begun(root: Path) -> RunFolder:
    brief = {"idea": "bread", "marks": str(root)}
    folder = RunStore(root / "audits").create("run", RunOptions(mode="talk"), brief)
    for name in ("turn-1-person", "turn-2-person"):  # told before they are asked
        folder.decide(Decision(question_id=name, by="ann", at="noon", answer="Longer."))
    return folder


def test_a_killed_worker_loses_nothing_and_another_goes_on(
    workers: Workers, tmp_path: Path
) -> None:
    folder, killed = begun(tmp_path), list[int]()

    def kill(_: object) -> None:
        """Kill the driver once the critic's turn has begun; let the next one pass."""
        lines = (tmp_path / "pids").read_text().split("\n") if not killed else []
        if pids := [int(line.split()[1]) for line in lines if line.startswith("critic")]:
            killed.append(pids[0])
            os.kill(pids[0], signal.SIGKILL)
            (tmp_path / "go").touch()

    async def watched() -> Any:
        driving = asyncio.create_task(workers(folder, stop=Stop()))
        while not driving.done():
            if (tmp_path / "pids").exists():
                kill(None)
            await asyncio.sleep(0.01)
        return await driving

    outcome = asyncio.run(asyncio.wait_for(watched(), PATIENCE_S))
    assert outcome.status == "finished"
    critics = [
        line.split()[1]
        for line in (tmp_path / "pids").read_text().splitlines()
        if line.startswith("critic")
    ]
    assert critics[0] != critics[1]
    assert verify(folder.path).problems == ()
    said = [
        row.event for row in read_events(folder.trace_path) if row.event.kind == "message_added"
    ]
    assert [event.number for event in said] == [1, 2, 3, 4, 5, 6]
