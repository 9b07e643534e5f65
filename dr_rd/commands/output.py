"""Results on standard output."""

import errno
import json
import os
import select
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click


def print_json(value: Any) -> None:  # noqa: ANN401 - any JSON value
    """Print a JSON value for people and programs."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


@contextmanager
def heard() -> Iterator[None]:
    """Fall silent, and go on, where whoever reads the output is gone: a pipe, or a terminal."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.EPIPE, errno.EIO) or not any(map(_is_unheard, (1, 2))):
            raise
        for stream in (1, 2):  # Python flushes what is left at its end
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)


def _is_unheard(stream: int) -> bool:
    """Whether nobody is at the other end of an open stream."""
    look = select.poll()
    look.register(stream, 0)
    return any(seen & (select.POLLERR | select.POLLHUP) for _, seen in look.poll(0))


def escape_controls(text: str) -> str:
    """Return *text* of others for a terminal: what would steer it is written out."""
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)
