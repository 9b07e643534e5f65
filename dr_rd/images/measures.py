"""What can be counted in a picture: sharpness, and bars that may be scale bars."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dr_rd.images.hashes import Grey

_ROWS = 256
"""Rows that are worked on at once, so that memory stays small."""
_MOST_RUNS = 50_000
_SHORTEST, _LONGEST = 0.02, 0.7
"""Length of a bar, as a share of the picture's width."""
_SLIM = 4
"""How many times as long as thick a bar is, at least."""
_DARK, _LIGHT = 8, 247
"""Brightness of a bar: drawn over the picture in black or white."""
_FAINT = 200
"""Brightness of the soft edges of white letters; black ones are as far from black."""
_MOST_BARS = 5


def sharpness(grey: Grey) -> float | None:
    """Variance of the Laplacian (4 neighbours); None for a picture thinner than three pixels.

    Pech-Pacheco et al. (2000), Diatom autofocusing in brightfield microscopy, ICPR; LAPV in
    Pertuz et al. (2013), Pattern Recognition 46, 1415-1432. Only pictures of the same scene at
    the same scale can be compared by it.
    """
    if min(grey.shape) < 3:
        return None
    count = total = squares = 0
    for start in range(0, grey.shape[0] - 2, _ROWS):
        part = grey[start : start + _ROWS + 2].astype(np.int64)
        sides = part[1:-1, 2:] + part[1:-1, :-2] + part[2:, 1:-1] + part[:-2, 1:-1]
        edges = sides - 4 * part[1:-1, 1:-1]
        count += edges.size
        total += int(edges.sum())
        squares += int((edges * edges).sum())
    return float((squares - total * total / count) / count)


@dataclass(frozen=True, slots=True)
class Bar:
    """A black or white horizontal bar, in pixels from the upper left corner."""

    left: int
    top: int
    length: int
    thickness: int
    dark: bool


def bars(grey: Grey) -> list[Bar]:
    """Return the bars that may be scale bars, longest first."""
    found = [bar for dark in (True, False) for bar in _stacked(_runs(grey, dark=dark), dark=dark)]
    slim = [b for b in found if 2 <= b.thickness <= b.length / _SLIM]
    return sorted(slim, key=lambda b: (-b.length, b.top, b.left))[:_MOST_BARS]


def beside(grey: Grey, bar: Bar) -> tuple[Grey, int]:
    """Cut out what is written by a bar in its own black or white, as black on white.

    Returns:
        The cut without the bar, and about how many pixels high its writing is.

    """
    up = max(24 * bar.thickness, grey.shape[0] // 8)
    aside = bar.length // 2 + 60
    top, left = max(0, bar.top - up), max(0, bar.left - aside)
    rows = slice(top, bar.top + bar.thickness + up)
    part = grey[rows, left : bar.left + bar.length + aside].astype(np.int32)
    ink = 255 - part if bar.dark else part
    soft = 255 - np.clip((ink - _FAINT) * 255 // (_LIGHT - _FAINT), 0, 255)
    own = slice(max(0, bar.top - top - 2), bar.top - top + bar.thickness + 2)
    soft[own, max(0, bar.left - left - 2) : bar.left - left + bar.length + 2] = 255
    return soft.astype(np.uint8), _height(soft < 128)


def _height(marked: NDArray[np.bool_]) -> int:
    """Return how many rows the heaviest band of marked rows has."""
    weights = marked.sum(axis=1)
    bands = np.split(weights, np.flatnonzero(weights == 0))
    heaviest = max(bands, key=lambda band: int(band.sum()))
    return max(1, int(np.count_nonzero(heaviest)))


def _marked(grey: Grey, *, dark: bool) -> NDArray[np.bool_]:
    return grey <= _DARK if dark else grey >= _LIGHT


_Run = tuple[int, int, int]
"""Row, first column, column behind the last."""


def _runs(grey: Grey, *, dark: bool) -> list[_Run]:
    """Return the stretches of rows that are all dark or all light and as long as a bar."""
    found: list[_Run] = []
    width = grey.shape[1]
    for start in range(0, grey.shape[0], _ROWS):
        part = grey[start : start + _ROWS]
        marked = np.pad(_marked(part, dark=dark), ((0, 0), (1, 1)))
        steps = np.diff(marked.astype(np.int8), axis=1)
        rows, firsts = np.nonzero(steps == 1)
        _, ends = np.nonzero(steps == -1)
        lengths = ends - firsts
        kept = (lengths >= max(20, _SHORTEST * width)) & (lengths <= _LONGEST * width)
        columns = (rows[kept] + start, firsts[kept], ends[kept])
        found += zip(*(c.tolist() for c in columns), strict=True)
        if len(found) > _MOST_RUNS:
            return []
    return found


def _stacked(runs: list[_Run], *, dark: bool) -> Iterator[Bar]:
    """Join runs that lie on each other, give or take two pixels at their ends."""
    growing: list[list[_Run]] = []
    for run in runs:
        ended = [stack for stack in growing if stack[-1][0] < run[0] - 1]
        yield from (_bar(stack, dark=dark) for stack in ended)
        growing = [stack for stack in growing if stack[-1][0] >= run[0] - 1]
        below = next((stack for stack in growing if _fits(stack[-1], run)), None)
        if below:
            below.append(run)
        else:
            growing.append([run])
    yield from (_bar(stack, dark=dark) for stack in growing)


def _fits(upper: _Run, lower: _Run) -> bool:
    return (
        upper[0] == lower[0] - 1
        and abs(upper[1] - lower[1]) <= 2
        and abs(upper[2] - lower[2]) <= 2
    )


def _bar(stack: list[_Run], *, dark: bool) -> Bar:
    left = min(run[1] for run in stack)
    length = max(run[2] - run[1] for run in stack)
    return Bar(left, stack[0][0], length, len(stack), dark)
