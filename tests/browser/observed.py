"""`python -m tests.browser.observed LOG ARGUMENTS`: the workbench's server, its connections watched.

Whatever it asks of another machine, an address or the name of one, is a line of LOG. It is asked
by whoever opens a socket, so nothing of the server can go past it.
"""

import ipaddress
import sys
from pathlib import Path
from typing import Any

from dr_rd.ui.__main__ import main

_WATCHED = ("socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname")


def is_outside(event: str, arguments: tuple[Any, ...]) -> bool:
    """Whether an audit event of a socket is about another machine."""
    address = arguments[0] if event.startswith("socket.get") else arguments[1]
    host = address[0] if isinstance(address, tuple) else address
    if event in ("socket.connect", "socket.sendto") and not isinstance(address, tuple):
        return False  # a path: a Unix socket
    if host in (None, "", b"", "localhost", b"localhost"):
        return False
    try:
        return not ipaddress.ip_address(
            host.decode() if isinstance(host, bytes) else host
        ).is_loopback
    except ValueError:
        return True  # a name, which is looked up elsewhere


def watch(log: Path) -> None:
    """Write a line for each thing that this process asks of another machine from now on."""

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _WATCHED and is_outside(event, arguments):
            with log.open("a", encoding="utf-8") as lines:
                lines.write(f"{event} {arguments[1:]!r} {arguments[0]!r}\n")

    sys.addaudithook(hook)


if __name__ == "__main__":
    watch(Path(sys.argv[1]))
    main(sys.argv[2:])
