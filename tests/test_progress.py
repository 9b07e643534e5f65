"""What a terminal, or a log, says of a run while it works."""

import asyncio
from io import StringIO

from rich.console import Console

from core.clock import SystemClock
from core.driving import Outcome, Stop
from core.live import LiveCalls
from core.redaction import Redactor
from core.settings import RunOptions
from core.store import RunStore
from dr_rd.progress import Progress
from tests.virtual import virtually

_SAID = '{"steps": [{"text": "Sow rye \\u001b[2Jin September.", "sources": ["'


class LoopClock(SystemClock):
    """The time of the event loop, which `virtually` jumps over; a terminal is drawn elsewhere."""

    loop: asyncio.AbstractEventLoop

    def monotonic(self) -> float:
        return self.loop.time()


def shown(tmp_path, seconds: float, *, terminal: bool) -> str:
    """Return what is shown of a call that takes that long."""
    out, live, clock = StringIO(), LiveCalls(), LoopClock()
    console = Console(file=out, force_terminal=terminal, width=60)
    progress = Progress(lambda: live.of("run"), console)
    folder = RunStore(tmp_path).create("run", RunOptions(), {"idea": "bake"})

    async def drive(folder, *, stop, watch=None) -> Outcome:
        with live.watched("run", clock, "T1-call-1", "T1", "work", "m") as call:
            partial = call.begin_try(Redactor().beginning)
            for piece in (_SAID[:20], _SAID[20:]):
                partial.add(piece)
                await asyncio.sleep(seconds / 2)
            if terminal:
                progress._bar.refresh()
        return Outcome("finished", folder.path)

    async def driven():
        clock.loop = asyncio.get_running_loop()
        driver = progress.beating(drive, clock)
        assert (await driver(folder, stop=Stop())).status == "finished"

    with progress:
        virtually(driven)
    return out.getvalue()


def test_a_log_has_a_line_at_least_every_two_seconds_while_a_call_is_made(tmp_path):
    lines = shown(tmp_path, 8, terminal=False).splitlines()
    assert lines == [
        "T1 work: about 5 tokens, 2 s",
        "T1 work: about 5 tokens, 4 s",
        "T1 work: about 16 tokens, 6 s",
        "T1 work: about 16 tokens, 8 s",
    ]


def test_a_call_of_a_moment_leaves_no_line(tmp_path):
    assert shown(tmp_path, 1, terminal=False) == ""


def test_a_terminal_shows_what_is_written_and_is_not_steered_by_it(tmp_path):
    seen = shown(tmp_path, 4, terminal=True)
    assert "T1 work: about 16 tokens, 4 s" in seen
    assert "text: Sow rye [2Jin September." in seen
    assert "\x1b[2J" not in seen
