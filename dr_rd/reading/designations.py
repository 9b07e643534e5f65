"""Numbers that name and count nothing: those of standards, of annexes, of second readers and of sizes."""

import re
from collections.abc import Iterator
from functools import cache

from core.values import Frozen
from dr_rd.files import read_yaml


class _Names(Frozen):
    """The data file."""

    standards: str
    named: str
    named_twice: tuple[str, ...]


_SIZE = re.compile(
    r"(?<![\w.,])\d[\d.,]*\s?(?:mm|cm|m|km|px|in)?\s?[x×]\s?\d[\d.,]*(?:\s?[x×]\s?\d[\d.,]*)?\s?(?:mm|cm|m|km|px|pixels|inch(?:es)?)\b"
)
"""Lengths of sides: "20 x 20 m"."""
_PRODUCT = re.compile(
    r"(?<![\w.,])\d+(?:\s?[x×]\s?\d+){2,}\b(?!\.\d)|(?<![\w.,])\d\s?[x×]\s?\d(?=\s(?:factorial|design|table|layout)\b)"
)
"""How many levels each of several factors has: "2 x 2 x 3"."""
_SCHOOL_YEAR = re.compile(r"(?<![\w.,])(?:19|20)\d\d/\d\d(?![\d/.-])")
_NTH = re.compile(
    r"\b(?:a|an|the)\s+(?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d+(?:st|nd|rd|th))\b|\b(?:second|third|fourth|fifth)\s(?=of\b)",
    re.IGNORECASE,
)
"""What has its place in a row: "a second reader", "the second of April"."""


def designations(text: str) -> Iterator[tuple[int, int]]:
    """Yield where *text* has numbers that name something."""
    for pattern in (_names(), _SIZE, _PRODUCT, _SCHOOL_YEAR, _NTH):
        yield from (m.span() for m in pattern.finditer(text))


@cache
def _names() -> re.Pattern[str]:
    held = _Names.model_validate(read_yaml("reading", "designations.yaml"))
    standards = "|".join(map(re.escape, held.standards.split()))
    named = "|".join(map(re.escape, [*held.named_twice, *held.named.split()]))
    number = r"[A-Z]{0,2}[\s-]?\d[\d./:-]*(?:\s?[A-Z](?![\w]))?"
    return re.compile(
        rf"\b(?:{standards})(?:[/ -](?:{standards}|TS|TR|SP|R)){{0,4}}[\s-]?{number}"
        rf"|\b(?i:{named})\s(?:no\.?\s|nr\.?\s|#)?\d[\d./-]*\b(?!\s?(?:%|percent|[€$£]))"
    )
