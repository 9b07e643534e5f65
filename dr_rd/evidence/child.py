"""The child's side of parsing: reads files from one pipe, writes what it found to another."""

import json
import logging
import sys
import zipfile
from contextlib import suppress
from dataclasses import asdict
from typing import IO

from dr_rd.evidence.formats import parse
from dr_rd.evidence.formats.blocks import Unreadable
from dr_rd.evidence.parsing import MEMORY, SECONDS

if sys.platform != "win32":
    import resource


def main(source: IO[bytes], sink: IO[bytes]) -> None:
    """Serve one batch: files in on *source*, one JSON line each out on *sink*."""
    logging.disable()
    _limit_memory()
    while header := source.readline():
        suffix, size = json.loads(header)
        _limit_time()
        sink.write(json.dumps(_answer(suffix, source.read(size))).encode() + b"\n")
        sink.flush()


def _answer(suffix: str, data: bytes) -> dict[str, object]:
    try:
        return asdict(parse(suffix, data))
    except Unreadable as error:
        return {"refused": str(error)}
    except _DAMAGE as error:
        return {"refused": f"is damaged ({type(error).__name__})"}


_DAMAGE = (
    zipfile.BadZipFile, ValueError, LookupError, TypeError, AttributeError, RecursionError, OSError,
)  # fmt: skip
"""What parsers raise on broken files; anything else ends the child, and costs its start again."""


def _limit_memory() -> None:
    if sys.platform != "win32":
        with suppress(ValueError, OSError):  # macOS refuses this limit
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _limit_time() -> None:
    """Give the next file its own processor time; the system ends the child when it is up."""
    if sys.platform != "win32":
        used = resource.getrusage(resource.RUSAGE_SELF)
        soft = int(used.ru_utime + used.ru_stime) + SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.getrlimit(resource.RLIMIT_CPU)[1]))
