"""Where two recordings of the same thing first differ, in a few words."""

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

_AROUND = 30
"""Characters shown on either side of the first one that differs."""


def first_difference(was: Any, now: Any, path: str) -> str:  # noqa: ANN401 - any JSON value
    """Say where two JSON values first differ, from *path* down; "" if they do not."""
    for place, old, new in _leaves(was, now, path):
        return f"{place} {_change(old, new)}"
    return ""


def only_adds(was: Any, now: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Whether *now* says all that *was* says, and perhaps more."""
    return all(old is _ABSENT for _, old, _ in _leaves(was, now, ""))


def diff_texts(name: str, was: str, now: str) -> str:
    """Say in which line two texts first differ; "" if they do not."""
    pairs = zip_longest(was.splitlines(keepends=True), now.splitlines(keepends=True))
    for number, (old, new) in enumerate(pairs, 1):
        if old != new:
            return f"{name}, line {number} {_change(old, new)}"
    return ""


def diff_files(name: str, was: Path, now: Path) -> str:
    """Say how the file of that name first differs in two folders; "" if it does not."""
    old, new = was / name, now / name
    if not new.is_file():
        return f"{name} is recorded, but the replay has not made it"
    if not old.is_file():
        return f"{name} was made by the replay, but is not recorded"
    before, after = old.read_bytes(), new.read_bytes()
    if before == after:
        return ""
    return diff_texts(name, before.decode(errors="replace"), after.decode(errors="replace"))


def differences(was: Any, now: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:  # noqa: ANN401
    """Yield each place at which two JSON values differ, with both; None for what is not there."""
    for place, old, new in _leaves(was, now, path):
        yield (
            place.removeprefix("."),
            None if old is _ABSENT else old,
            None if new is _ABSENT else new,
        )


_ABSENT = object()


def _leaves(was: Any, now: Any, path: str) -> Iterator[tuple[str, Any, Any]]:  # noqa: ANN401
    """Yield each place at which two JSON values differ."""
    if isinstance(was, dict) and isinstance(now, dict):
        keys = [*was, *(key for key in now if key not in was)]
        pairs = [(key, was.get(key, _ABSENT), now.get(key, _ABSENT)) for key in keys]
    elif isinstance(was, list) and isinstance(now, list):
        both = enumerate(zip_longest(was, now, fillvalue=_ABSENT))
        pairs = [(place, old, new) for place, (old, new) in both]
    else:
        if was != now or type(was) is not type(now):
            yield path, was, now
        return
    for key, old, new in pairs:
        yield from _leaves(old, new, f"{path}.{key}")


def _change(was: object, now: object) -> str:
    if isinstance(was, str) and isinstance(now, str):
        start = next((k for k, (a, b) in enumerate(zip(was, now, strict=False)) if a != b), None)
        start = min(len(was), len(now)) if start is None else start
        return f"was {_clipped(was, start)} and is {_clipped(now, start)}"
    return f"was {_shown(was)} and is {_shown(now)}"


def _shown(value: object) -> str:
    if value is _ABSENT or value is None:
        return "absent"
    return _clipped(value, 0) if isinstance(value, str) else _clipped(repr(value), 0).strip("“”")


def _clipped(text: str, around: int) -> str:
    first, last = max(0, around - _AROUND), around + _AROUND
    head, tail = "…" if first else "", "…" if last < len(text) else ""
    return f"“{head}{text[first:last].rstrip()}{tail}”"
