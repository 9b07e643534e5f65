"""Shares that a text tells by example: "one scan in twenty is unreadable" is 5 % of scans."""

import re
from collections.abc import Iterator

from dr_rd.quantity import numbers
from dr_rd.reading.places import Mapped, rewritten

_ONES = "one|two|three|four|five|six|seven|eight|nine"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_WHOLE = rf"(?:(?:{_TENS})(?:-(?:{_ONES}))?|{_ONES}|ten|eleven|twelve|fifteen|sixteen|eighteen|a hundred|a thousand|1?\d\d?|1,?000)"
_TOLD = re.compile(
    rf"\b(?P<part>{_ONES}|[1-9])(?:\s(?P<of>[^\W\d_][\w-]+(?:\s[^\W\d_][\w-]+)?))?\s(?P<in>in|out\sof)\s"
    rf"(?:every\s)?(?P<whole>{_WHOLE})\b(?![-.,]?\d|\s?%)(?P<behind>\W*(?:\w+)?)",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\W*(?:$|[.,;:)]|(?:is|are|was|were|has|have|had|does|do|did|can|cannot|can['’]t|could|will|won['’]t|would|may|might|must|should"
    r"|fail\w*|drop\w*|refus\w+|declin\w+|leav\w+|return\w*|answer\w*|respond\w*|mov\w+|never|no|gets?|got|comes?|goes|of|who|that)\b)",
    re.IGNORECASE,
)
"""What follows a share, and not the noun of a place or a time: "one nurse in ten wards"."""
_ROUGHLY = re.compile(
    r"\b(?:about|around|roughly|approximately|nearly|almost|some|perhaps|say|every)\s$",
    re.IGNORECASE,
)


def with_shares(text: str) -> Mapped:
    """Return *text* with shares that are told as so many in so many as percentages."""
    return rewritten(text, _replacements(text))


def _replacements(text: str) -> Iterator[tuple[int, int, str]]:
    for found in _TOLD.finditer(text):
        part, whole = (_number(found[name]) for name in ("part", "whole"))
        if not part or not whole or part >= whole:
            continue
        ends = bool(_GOES_ON.match(found["behind"]))
        about = _ROUGHLY.search(text, max(0, found.start() - _REACH), found.start())
        bare = not found["of"] and (part == 1 or about)
        if ends or (bare and not _TIMES.match(found["behind"].strip())):
            of = f" of {found['of']}" if found["of"] else "" if ends else " of"
            share = f"{100 * part / whole:.2f}".rstrip("0").rstrip(".")
            yield found.start(), found.end("whole"), f"{share} %{of}"


_REACH = 16
_TIMES = re.compile(
    r"(?:second|minute|hour|day|night|week|fortnight|month|year|session|step)s?\b", re.IGNORECASE
)


def _number(said: str) -> float | None:
    found = numbers(
        said.lower().replace("a hundred", "100").replace("a thousand", "1000"), words=True
    )
    return found[0].value if found else None
