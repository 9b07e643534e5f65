"""The fake model server in a process of its own."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Server:
    """Where it listens, and which process it is."""

    url: str
    pid: int

    def reset(self) -> None:
        """Forget what was counted."""
        self._ask("reset", b"{}")

    def stats(self) -> dict[str, Any]:
        """What it has counted since."""
        return self._ask("stats", None)

    def _ask(self, path: str, data: bytes | None) -> dict[str, Any]:
        request = Request(f"{self.url}/{path}", data=data)  # noqa: S310 - loopback
        with urlopen(request, timeout=10) as reply:  # noqa: S310 - loopback
            return json.load(reply)


@contextmanager
def served() -> Iterator[Server]:
    """Serve until the block ends."""
    command = [sys.executable, "-m", "tests.fake_llm"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            if process.stdout is None:
                raise AssertionError("its output is a pipe")
            yield Server(process.stdout.readline().strip(), process.pid)
        finally:
            process.terminate()
