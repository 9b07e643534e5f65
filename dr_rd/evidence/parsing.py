"""Parsing in a child process with limits: a hostile file costs itself, never the run."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from dr_rd.evidence.extract import Block, Extract

SECONDS = 20
"""Processor time for one file: a PDF at the limit of text takes about six."""
MEMORY = 2_000_000_000
"""Bytes of address space of the child: room for the largest file and its parse tree."""
PATIENCE = 60
"""Seconds of wall time that a whole batch may take beyond twice its processor time."""

Job = tuple[str, bytes]
"""The ending of a file, and its bytes."""


def parse_all(jobs: Sequence[Job]) -> Iterator[Extract | str]:
    """Parse *jobs* in order; a file that cannot be read gives the reason instead."""
    done = 0
    while done < len(jobs):
        rest = jobs[done:]
        lines, failure = _run(rest)
        for line in lines[: len(rest)]:
            done += 1
            yield _read_line(line)
        if len(lines) < len(rest):
            done += 1
            yield failure


def _run(jobs: Sequence[Job]) -> tuple[list[bytes], str]:
    """Parse *jobs* in one child; return its complete lines and why it stopped early."""
    given = b"".join(json.dumps([s, len(data)]).encode() + b"\n" + data for s, data in jobs)
    try:
        child = subprocess.run(  # noqa: S603 - our own interpreter and our own module
            [sys.executable, "-c", _PROGRAM, *sys.path],
            input=given,
            capture_output=True,
            timeout=PATIENCE + 2 * SECONDS * len(jobs),
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        return _complete(error.stdout or b""), "takes too long to read"
    return _complete(child.stdout), _cause(child.returncode, child.stderr)


_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[1:]; from dr_rd.evidence.child import main; "
    "main(sys.stdin.buffer, sys.stdout.buffer)"
)


def _complete(output: bytes) -> list[bytes]:
    return output.split(b"\n")[:-1]


def _cause(code: int, stderr: bytes) -> str:
    if code < 0 and "XCPU" in _signal_name(-code):
        return f"takes more than {SECONDS} s to read"
    last = stderr.decode(errors="replace").strip().rpartition("\n")[2]
    name = last.partition(":")[0].rpartition(".")[2]
    if name == "MemoryError":
        return f"needs more than {MEMORY // 1_000_000_000} GB to read"
    return f"breaks its reader ({name or _signal_name(-code)})"[:200]


def _signal_name(number: int) -> str:
    known = {s.value: s.name for s in signal.Signals}
    return known.get(number, f"exit code {-number}")


def _read_line(line: bytes) -> Extract | str:
    value: dict[str, Any] = json.loads(line)
    if "refused" in value:
        return str(value["refused"])
    blocks = tuple(Block(**{**b, "heading": tuple(b["heading"])}) for b in value["blocks"])
    return Extract(blocks, value["title"], value["meta"], tuple(value["left_out"]))
