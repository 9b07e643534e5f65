"""The model's server: a process of its own, waited for, and ended by its pid."""

import secrets
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-model/bin/python"
MODEL = ROOT / ".venv-model/model.gguf"
NAME = "qwen2.5-coder-1.5b-instruct-q4_k_m"
LOADING_S = 300.0
"""How long a busy machine may take to load a gigabyte."""
ENDING_S = 10.0


@dataclass(frozen=True, slots=True)
class Served:
    """A server that answers."""

    base_url: str
    key: str
    process: "subprocess.Popen[bytes]"


@contextmanager
def served(threads: int, log: Path) -> Iterator[Served]:
    """Start the server, lend it once it answers, and end it."""
    port, key = free_port(), secrets.token_hex(16)
    asked = (MODEL, NAME, port, threads)
    command = [str(PYTHON), "-m", "bench.models.serve", *map(str, asked)]
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=out, stderr=out, cwd=ROOT
        )
        try:
            assert process.stdin  # noqa: S101 - it was asked for
            process.stdin.write(f"{key}\n".encode())
            process.stdin.flush()
            found = Served(f"http://127.0.0.1:{port}/v1", key, process)
            wait_for(found, LOADING_S)
            yield found
        finally:
            end(process)


def free_port() -> int:
    """Return a port of loopback that nobody uses."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


def wait_for(server: Served, seconds: float) -> None:
    """Wait until the server has loaded its model; it says 503 before."""
    until = time.monotonic() + seconds
    while not _answers(server):
        if server.process.poll() is not None:
            raise SystemExit(f"the model's server ended with code {server.process.returncode}")
        if time.monotonic() > until:
            raise SystemExit(f"the model's server did not answer within {seconds:g} s")
        time.sleep(0.2)  # noqa: TID251 - no run of ours is under way


def _answers(server: Served) -> bool:
    asked = Request(  # noqa: S310 - loopback
        f"{server.base_url}/models", headers={"Authorization": f"Bearer {server.key}"}
    )
    try:
        with urlopen(asked, timeout=5) as reply:  # noqa: S310 - loopback
            return bool(reply.status == 200)
    except (URLError, TimeoutError, ConnectionError):
        return False


def end(process: "subprocess.Popen[bytes]", seconds: float = ENDING_S) -> None:
    """End the process of that pid: asked first, killed if it does not listen."""
    process.terminate()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
