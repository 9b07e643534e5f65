"""A server of the workbench as a process of its own, which a test may kill and start again."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).parents[2]


class Server:
    """The page over the runs in *audits*, on one port for as long as a test lasts."""

    def __init__(self, audits: Path) -> None:
        self.audits, self.log = audits, audits.parent / "outside.log"
        self.port = _free_port()
        self.address = f"http://127.0.0.1:{self.port}/"
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it and wait until it listens."""
        self.audits.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "tests.browser.observed", str(self.log)]
        given = ["--headless", "--port", str(self.port), "--audits", str(self.audits)]
        environ = {k: v for k, v in os.environ.items() if not k.startswith("DRRD_")}  # noqa: TID251
        self._process = subprocess.Popen(
            [*command, *given],
            cwd=self.audits.parent,
            env={**environ, "PYTHONPATH": str(ROOT), "BACKOFF_BASE_S": "0"},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout
        assert any("URL" in line for line in self._process.stdout), "the server ended at once"

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it: SIGKILL leaves it no time for anything."""
        if self._process is None:
            return
        self._process.send_signal(how)
        self._process.communicate(timeout=60)
        self._process = None

    @property
    def asked_outside(self) -> list[str]:
        """What it asked of other machines so far."""
        return self.log.read_text("utf-8").splitlines() if self.log.exists() else []

    def __enter__(self) -> "Server":
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.end()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
