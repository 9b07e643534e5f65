"""A number as written."""

from typing import Literal, NamedTuple


class Token(NamedTuple):
    """A number as written, before its surroundings are read."""

    value: float
    start: int
    end: int
    kind: Literal["digits", "word", "ordinal", "single", "date", "time", "whole"] = "digits"
    factor: float = 1.0
    """The multiplier taken in, such as 1000 for "k"."""
    grouped: bool = False
    """Whether it has separators, a sign, a point or a multiplier: then it is no year."""
    latest: float = 0.0
    """The last day that a date may be, where it names a month or may be read in two ways."""
