"""The child's side of an evaluator from another package: load it, show it the text, say its word."""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any

API_VERSION = 1
"""What evaluators of other packages must speak; it changes when what they are shown does."""

_MOST = 100_000
"""Bytes of an answer; a reason is a few sentences."""


def main(question: bytes) -> bytes:
    """Return an evaluator's answer as JSON, or ``{"failed": why}``.

    What it raises ends the process, whose parent tells the error.
    """
    asked = json.loads(question)
    place, view = asked["place"], asked["view"]
    with _silence():
        said = json.dumps(_answer(place, view)).encode()
    return said if len(said) <= _MOST else _failed(f"it answered with {len(said):,} bytes")


def _answer(place: str, view: Mapping[str, Any]) -> dict[str, Any]:
    module, _, name = place.partition(":")
    factory: Any = import_module(module)
    for part in name.split("."):
        factory = getattr(factory, part)
    evaluator = factory()
    speaks = getattr(evaluator, "api_version", None)
    if speaks != API_VERSION:
        return {"failed": f"it speaks api_version {speaks!r}; this release, {API_VERSION}"}
    return {
        "found": evaluator.evaluate(view),
        "version": str(getattr(evaluator, "version", "")),
        "kind": getattr(evaluator, "kind", "deterministic"),
    }


def _failed(why: str) -> bytes:
    return json.dumps({"failed": why}).encode()


@contextmanager
def _silence() -> Iterator[None]:
    """Keep what an evaluator prints out of the answer."""
    kept, nowhere = [os.dup(1), os.dup(2)], os.open(os.devnull, os.O_WRONLY)
    try:
        for stream in (1, 2):
            os.dup2(nowhere, stream)
        yield
    finally:
        sys.stdout.flush()
        for stream, copy in zip((1, 2), kept, strict=True):
            os.dup2(copy, stream)
