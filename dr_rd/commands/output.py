"""Results on standard output."""

import json
from typing import Any

import click


def print_json(value: Any) -> None:  # noqa: ANN401 - any JSON value
    """Print a JSON value for people and programs."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


def escape_controls(text: str) -> str:
    """Return *text* of others for a terminal: what would steer it is written out."""
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)
