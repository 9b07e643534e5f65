"""Text in a picture, by the tesseract program where it is installed, and the scale bar it labels."""

import base64
import re
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from core.errors import TaskError
from dr_rd.confined import Ended, Limits, execute
from dr_rd.images.pictures import PictureVocabulary

LIMITS = Limits(seconds=20, memory=2_000_000_000, wall=40)
LEAST_SURE = 40
"""Per cent of certainty from which a word is taken as read."""
TWICE = 2
"""Sizes in which a label must read alike, and in none otherwise, to be believed."""
MOST_TEXT = 2_000
"""Characters of one picture that are shown."""


def installed() -> str:
    """Return the path of tesseract; "" if there is none."""
    return shutil.which("tesseract") or ""


def read_print(program: str, picture: str) -> str:
    """Read the print of a picture that was encoded anew, in base64, line by line.

    Raises:
        TaskError: The program cannot cope.

    """
    command = [program, "stdin", "stdout", "--psm", "11", "-l", "eng", "tsv"]
    given = base64.b64decode(picture)
    try:
        rows = execute(command, LIMITS, given=given, environment={"OMP_THREAD_LIMIT": "1"})
    except Ended as error:
        raise TaskError(f"reading its text {error}") from error
    words = [
        word for row in rows.decode(errors="replace").splitlines()[1:] if (word := _word(row))
    ]
    lines = groupby(words, key=lambda word: word[0])
    return "\n".join(" ".join(text for _, text in line) for _, line in lines)[:MOST_TEXT]


def _word(row: str) -> tuple[list[str], str] | None:
    """Read a row of tesseract's table: which line a word is of, and the word."""
    cells = row.split("\t", 11)
    if len(cells) < 12 or not cells[11].strip() or float(cells[10]) < LEAST_SURE:
        return None
    return cells[1:5], "".join(c for c in cells[11] if c.isprintable())


def scale_bar(
    program: str, bars: Sequence[Mapping[str, Any]], told: PictureVocabulary
) -> dict[str, Any]:
    """Read what is written beside each bar, such as "50 µm"; the longest with a length counts.

    A label is read in several sizes: a digit that is misread in one is seldom so in the others.

    Returns:
        How long the bar is and what one pixel measures; where there is none, what is missing.

    """
    doubtful = ""
    for bar in bars:
        read = [_label(told).search(read_print(program, png)) for png in bar["prints"]]
        labels = Counter(_normal(found, told) for found in read if found)
        if len(labels) == 1 and labels.total() >= TWICE:
            return _scale(bar["length"], *next(iter(labels)))
        if labels:
            doubtful = " and ".join(f"“{number} {unit}”" for number, unit in sorted(labels))
    if doubtful:
        return {"absent": f"the label of a bar is not sure: it reads {doubtful}"}
    return {"absent": "no bar with a length and a unit beside it is found"}


def _normal(found: re.Match[str], told: PictureVocabulary) -> tuple[str, str]:
    return found[1].replace(",", "."), told.units[found[2]]


def _label(told: PictureVocabulary) -> re.Pattern[str]:
    units = "|".join(map(re.escape, told.units))
    return re.compile(rf"(?<![\w.,])(\d+(?:[.,]\d+)?)\s?({units})(?!\w)")


def _scale(pixels: int, number: str, unit: str) -> dict[str, Any]:
    return {
        "label": f"{number} {unit}",
        "pixels": pixels,
        "per_pixel": float(number) / pixels,
        "unit": unit,
        "note": "read by a program; compare the label with the picture",
    }
