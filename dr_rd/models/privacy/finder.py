"""Where in a text one of many patterns begins: looked up by its first letters, tried then alone."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from dr_rd.models.privacy.spelling import BETWEEN, LETTER, OPENING, PASSED


@dataclass(frozen=True)
class SearchPattern:
    """A pattern over folded text, and with which letters and digits it begins."""

    pattern: str
    openings: Collection[str]
    """The first letters of any match, as `spelling` gives them."""
    within: bool = False
    """Whether it may begin within a word."""

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The pattern, compiled once a text has its opening: that takes milliseconds."""
        return re.compile(self.pattern)


class Finder:
    """Finds patterns in time that hardly grows with their number.

    Args:
        patterns: The patterns; of those that match at one place the first is found.

    """

    def __init__(self, patterns: Sequence[SearchPattern]) -> None:
        self._patterns = patterns
        self._by_opening: dict[str, list[int]] = {}
        for number, one in enumerate(patterns):
            for opening in one.openings:
                self._by_opening.setdefault(opening, []).append(number)
        self._start = re.compile("|".join(_start_patterns(patterns)) or r"(?!)")

    def places(self, text: str) -> Iterator[tuple[int, re.Match[str]]]:
        """Yield each place where a pattern matches, as the pattern's number and its match."""
        for start in self._start.finditer(text):
            if found := self._at(text, start.start()):
                yield found

    def _at(self, text: str, place: int) -> tuple[int, re.Match[str]] | None:
        for number in self._likely(text, place):
            if match := self._patterns[number].compiled.match(text, place):
                return number, match
        return None

    def _likely(self, text: str, place: int) -> list[int]:
        """Return which patterns have the opening that *text* has at *place*, in their order."""
        opening = _OPENING.match(text, place)
        letters = "".join(filter(None, opening.groups())) if opening else text[place]
        cuts = (letters[:size] for size in range(1, len(letters) + 1))
        return sorted(number for cut in cuts for number in self._by_opening.get(cut, ()))


def _start_patterns(patterns: Sequence[SearchPattern]) -> Iterator[str]:
    """Yield patterns of one letter that find every place where one of *patterns* may begin."""
    firsts = sorted({text[0] for one in patterns if not one.within for text in one.openings})
    letters = [first for first in firsts if re.match(LETTER, first)]
    digits = [first for first in firsts if first.isdecimal()]
    others = set(firsts) - {*letters, *digits}
    if letters:
        one_of = f"[{''.join(letters)}]"
        yield rf"{one_of}(?:(?<!{LETTER}{one_of})|(?<=\\[nrt]{one_of}))"
    if digits:
        one_of = f"[{''.join(digits)}]"
        yield rf"{one_of}(?<!\d{one_of})"
    yield from map(re.escape, sorted(others))
    yield from (
        f"{re.escape(text[0])}(?={re.escape(text[1:])})"
        for one in patterns
        if one.within
        for text in one.openings
    )


_PASSED = rf"(?:[{PASSED}]|{BETWEEN})*+"
_OPENING = re.compile(
    "([^\\W_])"
    + "".join(f"(?:{_PASSED}([^\\W_])" for _ in range(OPENING - 1))
    + ")?" * (OPENING - 1)
)
"""The first letters and digits from a place on, whatever may stand between those of a name."""
