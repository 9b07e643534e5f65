"""`python -m bench.viewers` measures the page while thirty look at one run and one edits a plan.

    python -m bench.viewers [--viewers 30] [--seconds 30] [--polls 10000]

Writes results/viewers.md; it takes about three minutes, each part of it bounded.
"""

import argparse
import asyncio
import os
import platform
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import expect, sync_playwright

from bench.viewers.client import Viewer
from bench.viewers.server import FINISHED, LIVE, RATE, TASKS, WAITING
from core.trace import read_events
from dr_rd.ui.session import Key
from tests.browser.visitor import Visitor, browser

ROOT = Path(__file__).parents[2]
RESULT = ROOT / "bench/results/viewers.md"
EDITS, CLICKS = 20, 24
CARD_S, SETTLE_S, LAG_S = 0.3, 0.5, 0.5
"""What an edit may take to its card, a click to settle, an event to the viewers, each at p95."""
GROWN_MB = 10.0
"""What the server's memory may grow by over the polls."""
_CARD_COLUMN = 10
"""Where the highest cost stands in the plan's table."""
_POLLS_S = 150.0
"""After which the polls end, however many there were."""

_WATCH = """part => {
  const app = document.querySelector('[data-testid=stApp]');
  const shown = () => document.querySelector(part)?.textContent;
  let before;
  const found = window.timed = {};
  const begin = () => {
    if (found.began) return;
    found.began = performance.now();
    before = shown();
    look();
  };
  addEventListener('keydown', e => { if (e.key === 'Enter') begin(); }, {capture: true, once: true});
  addEventListener('click', begin, {capture: true, once: true});
  const look = () => {
    if (window.timed !== found || found.settled) return;
    if (shown() !== before) found.shown ??= performance.now();
    if (found.shown && app.dataset.testScriptState === 'notRunning')
      found.settled = performance.now();
    else requestAnimationFrame(look);
  };
}"""
"""Notes when a press began, when a part of the page had changed by it, and when all had settled."""


@dataclass
class Found:
    """What was measured, in seconds and megabytes."""

    cards: list[float] = field(default_factory=list)
    edits: list[float] = field(default_factory=list)
    clicks: list[float] = field(default_factory=list)
    watched_clicks: list[float] = field(default_factory=list)
    lags: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    events: int = 0
    events_s: float = 0.0
    busy: float = 0.0
    """Cores that the server took while it was watched."""
    memory: list[tuple[int, float]] = field(default_factory=list)
    """Polls so far, and the server's memory then."""
    polls_s: float = 0.0
    edit_ms: float = 0.0
    """Processor time of the server for each edit, which other work on the machine hardly changes."""
    poll_ms: float = 0.0
    """The same for each poll."""


def rss_mb(pid: int) -> float:
    """Return a process's memory in megabytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def cpu_s(pid: int) -> float:
    """Return the processor time that a process took, in seconds."""
    ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


@contextmanager
def served(audits: Path) -> Iterator[tuple[str, int]]:
    """Start the server; yield its address and process id."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "bench.viewers.server", str(port), str(audits)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if not any("URL" in line for line in process.stdout or ()):
        raise SystemExit("the server ended at once")
    try:
        address = f"http://127.0.0.1:{port}/"
        httpx.get(f"{address}_stcore/health", timeout=120)  # answered once the runs are made
        yield address, process.pid
    finally:
        process.terminate()
        process.communicate(timeout=60)


def edit(visitor: Visitor, pid: int, found: Found) -> None:
    """Change the plan's table, a cell at a time."""
    visitor.opens(f"run?run={WAITING}")
    visitor.sees("Approve the plan?")
    visitor.settle()
    visitor.enters(f"{Key.PLAN}-{WAITING}", 1, _CARD_COLUMN, "5000")
    used = cpu_s(pid)
    for number in range(EDITS):
        visitor.page.keyboard.press("ArrowUp")
        visitor.page.keyboard.press("Enter")
        editor = visitor.page.locator("#portal input")
        expect(editor).to_be_focused()
        editor.fill(str(6_000 + 300 * number))
        visitor.page.evaluate(_WATCH, f".st-key-{Key.FIGURES}")
        visitor.page.keyboard.press("Enter")
        visitor.page.wait_for_function("window.timed.settled")
        timed = visitor.page.evaluate("window.timed")
        found.cards.append((timed["shown"] - timed["began"]) / 1000)
        found.edits.append((timed["settled"] - timed["began"]) / 1000)
    found.edit_ms = (cpu_s(pid) - used) / EDITS * 1000


def click(visitor: Visitor, times: list[float], enough: Callable[[], bool]) -> None:
    """Turn from tab to tab of a finished run until there is enough."""
    visitor.opens(f"run?run={FINISHED}")
    visitor.sees("Decision")
    visitor.settle()
    tabs = ("Answers", "Limits", "Plan", "Trace", "Settings", "Proposal")
    for turn in range(1_000):
        if enough():
            return
        visitor.page.evaluate(_WATCH, "[data-testid=stTabs]")
        visitor.turns_to(tabs[turn % len(tabs)])
        visitor.page.wait_for_function("window.timed.settled")
        timed = visitor.page.evaluate("window.timed")
        times.append((timed["settled"] - timed["began"]) / 1000)


class Crowd:
    """Viewers of one run, on a thread of their own."""

    def __init__(self, address: str, count: int) -> None:
        self.viewers = [Viewer(address, LIVE) for _ in range(count)]
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._watching: list[asyncio.Task[None]] = []

    def __enter__(self) -> "Crowd":
        self._thread.start()
        self._do(self._come())
        return self

    def __exit__(self, *_: object) -> None:
        self._do(self._go())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    @property
    def polls(self) -> int:
        """How often the page was asked for anew, by all of them."""
        return sum(viewer.polls for viewer in self.viewers)

    def hurry(self) -> None:
        """Have them ask again as soon as they are answered."""
        self._do(self._hurry())

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(240)

    async def _come(self) -> None:
        for viewer in self.viewers:
            self._watching.append(await viewer.come(60))

    async def _go(self) -> None:
        for task in self._watching:
            task.cancel()
        await asyncio.gather(*self._watching, return_exceptions=True)

    async def _hurry(self) -> None:
        for viewer in self.viewers:
            await viewer.hurry()


def watch(
    crowd: Crowd, visitor: Visitor, audits: Path, pid: int, seconds: float, found: Found
) -> None:
    """Have the run record events while all look at it and one clicks through another run."""
    wanted = audits.parent / "events"
    wanted.touch()
    began, used = time.monotonic(), cpu_s(pid)
    click(visitor, found.watched_clicks, lambda: time.monotonic() - began > seconds)
    wanted.unlink()
    took = time.monotonic() - began
    found.busy = (cpu_s(pid) - used) / took
    folder = next(audits.glob(f"*/{LIVE}"))
    rows = [row for row in read_events(folder / "trace.jsonl") if row.event.kind == "call_tried"]
    tried = [datetime.fromisoformat(row.ts).timestamp() for row in rows]
    found.events, found.events_s = 2 * len(tried), tried[-1] - tried[0]
    for viewer in crowd.viewers:
        before = 0
        for seen in viewer.seen:
            if before < seen.calls <= len(tried):
                found.lags.append(seen.at - tried[seen.calls - 1])
                found.waits += [seen.at - at for at in tried[before : seen.calls]]
            before = seen.calls


def poll(crowd: Crowd, pid: int, polls: int, found: Found) -> None:
    """Ask for the page again and again, and note the server's memory meanwhile."""
    first, began, pause = crowd.polls, time.monotonic(), threading.Event()
    used = cpu_s(pid)
    crowd.hurry()
    step = max(polls // 10, 1)
    while (done := crowd.polls - first) < polls and time.monotonic() - began < _POLLS_S:
        if done >= len(found.memory) * step:
            found.memory.append((done, rss_mb(pid)))
        pause.wait(0.05)
    found.memory.append((done, rss_mb(pid)))
    found.polls_s = time.monotonic() - began
    found.poll_ms = (cpu_s(pid) - used) / max(done, 1) * 1000


def p95(values: Sequence[float]) -> float:
    """Return the value that a twentieth of *values* lies above; not a number where there is none."""
    return sorted(values)[int(len(values) * 0.95)] if values else float("nan")


def report(found: Found, viewers: int, load: float) -> str:
    """Return what was measured as Markdown."""
    half = [mb for done, mb in found.memory if done >= found.memory[-1][0] / 5]
    grown = half[-1] - half[0]
    bars = (
        (f"an edit of {TASKS} tasks, Enter to its card", found.cards, CARD_S),
        ("the same, to the whole page settled", found.edits, None),
        ("a click on a tab to settle, nobody else there", found.clicks, SETTLE_S),
        (f"the same beside {viewers} viewers", found.watched_clicks, SETTLE_S),
        ("newest event of an update, when it arrives", found.lags, LAG_S),
        ("any event to each viewer, the second between polls in it", found.waits, None),
    )
    rows = (
        f"| {name} | {len(values):,} | {statistics.median(values):.2f} | {p95(values):.2f} | "
        f"{max(values):.2f} | {_met(p95(values), bar)} |"
        for name, values, bar in bars
        if values
    )
    memory = ", ".join(f"{mb:.0f} at {done:,}" for done, mb in found.memory)
    return "\n".join(
        (
            "# Viewers of the page, and an edited plan",
            "",
            f"`python -m bench.viewers`, {datetime.now(UTC):%Y-%m-%d}, Python "
            f"{platform.python_version()}, {os.cpu_count()} cores shared with other work: the load "
            f"average when it began was {load:.1f}. The browser is on the same machine.",
            "",
            f"{viewers} viewers look at one run that recorded {found.events:,} events in "
            f"{found.events_s:.0f} s ({found.events / found.events_s:.0f} a second, {RATE} asked); "
            f"the server took {found.busy:.2f} of a core.",
            "",
            "| seconds | count | p50 | p95 | slowest | bar at p95 |",
            "|---|---:|---:|---:|---:|---|",
            *rows,
            "",
            f"Processor time of the server: {found.edit_ms:.0f} ms an edit, {found.poll_ms:.0f} ms a "
            "poll.",
            "",
            f"Memory of the server over {found.memory[-1][0]:,} polls in {found.polls_s:.0f} s, in MB "
            f"at so many polls: {memory}. It grew by {grown:.1f} MB after the first fifth; bar: "
            f"{GROWN_MB:.0f}, {_met(grown, GROWN_MB).partition(' ')[2] or 'missed'}.",
            "",
        )
    )


def _met(value: float, bar: float | None) -> str:
    if bar is None:
        return "none"
    return f"{bar:g} met" if value < bar else f"{bar:g} **missed**"


def main() -> None:
    """Measure and write what was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--viewers", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--polls", type=int, default=10_000)
    given = parser.parse_args()
    load, found = os.getloadavg()[0], Found()
    expect.set_options(timeout=90_000)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        audits, chromium = Path(folder) / "audits", browser(playwright)
        with served(audits) as (address, pid):
            visitor = Visitor(chromium, address)
            print("an edited plan ...", flush=True)
            edit(visitor, pid, found)
            print("clicks ...", flush=True)
            click(visitor, found.clicks, lambda: len(found.clicks) >= CLICKS)
            print(f"{given.viewers} viewers for {given.seconds:.0f} s ...", flush=True)
            with Crowd(address, given.viewers) as crowd:
                watch(crowd, visitor, audits, pid, given.seconds, found)
                visitor.closes()
                print(f"{given.polls:,} polls ...", flush=True)
                poll(crowd, pid, given.polls, found)
        chromium.close()
    text = report(found, given.viewers, load)
    RESULT.write_text(text, "utf-8")
    print(text)


if __name__ == "__main__":
    main()
