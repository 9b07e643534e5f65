"""Start the workbench's server."""

import os
import signal
import socket
import sys
from pathlib import Path
from typing import NoReturn

from core.errors import CallerError
from core.settings import valid_id


def serve(command: list[str], *, port: int, take_terminal: bool = False) -> NoReturn:
    """Become the server of *command*: signals then reach it directly, and it pauses its runs in order.

    Whoever started it, `make` say, hears of no Ctrl-C where it is to *take_terminal*.
    """
    _check_free(port)
    if take_terminal and sys.stdin.isatty():
        _take_terminal(sys.stdin.fileno())
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(command[0], command)  # noqa: S606 - our own interpreter, no shell


def _take_terminal(terminal: int) -> None:
    """Become the terminal's foreground job, so that its Ctrl-C reaches this process alone."""
    os.setpgid(0, 0)
    before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # else a background job would be held
    os.tcsetpgrp(terminal, os.getpgrp())
    signal.signal(signal.SIGTTOU, before)


def command_line(
    *,
    port: int,
    headless: bool,
    audits: Path,
    run_id: str | None,
    host: str | None = None,
    tokens: Path | None = None,
) -> list[str]:
    """Return the command that serves the page."""
    command = [sys.executable, "-m", "dr_rd.ui", "--port", str(port), "--audits", str(audits)]
    if headless:
        command.append("--headless")
    if run_id:
        command += ["--run", valid_id("run id", run_id)]
    if host:
        command += ["--host", host]
    if tokens:
        command += ["--tokens", str(tokens)]
    return command


def _check_free(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as wrong:
            raise CallerError(
                f"port {port} cannot be used ({wrong.strerror}); choose another with --port"
            ) from wrong
