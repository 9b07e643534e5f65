"""Texts in a hurry: the messages of a chat, and sentences that begin with a small letter."""

import re
from collections.abc import Iterator

from dr_rd.reading.places import Mapped, rewritten

_MESSAGE = re.compile(
    r"^\[?(?:\d{1,4}[./-]\d{1,2}[./-]\d{2,4},?\s)?\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:\s?[ap]m)?\]?\s*[-–]?\s*"
    r"<?(?:[^\W\d_][\w.'’-]*\s?){1,3}>?:[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
"""The time and the writer of a message: "[09:12] mia:", "12/03/2027, 9:12 - Jo Park:"."""
_FEWEST_MESSAGES = 3
_END = re.compile(r"(?<=\S)[.!?]\s+(?P<first>[^\W\d_])")
_LONGEST_SHORT = 8
"""Letters before a full stop that may be a short form."""
_FEWEST_ENDS = 3
_SHORTENED = re.compile(
    r"(?:^|\W)(?:e\.g|i\.e|etc|approx|ca|cf|max|min|incl|excl|vs|no|nr|st|dr|prof|resp|fig|tab|vol|dept|est|avg|std|\w)$",
    re.IGNORECASE,
)


def with_sentences(text: str) -> Mapped:
    """Return *text* with each message of a chat as a paragraph, and capitals where hurried sentences begin."""
    messages = [*_MESSAGE.finditer(text)]
    if len(messages) >= _FEWEST_MESSAGES:
        return rewritten(text, ((m.start(), m.end(), "\n") for m in messages))
    return rewritten(text, _capitals(text))


def _capitals(text: str) -> Iterator[tuple[int, int, str]]:
    """The first letters of sentences, where most of the text's sentences begin with a small one."""
    ends = [
        m
        for m in _END.finditer(text)
        if not _SHORTENED.search(text[max(0, m.start() - _LONGEST_SHORT) : m.start()])
    ]
    small = [m for m in ends if m["first"].islower()]
    if len(small) >= _FEWEST_ENDS and len(small) > len(ends) / 2:
        for m in small:
            yield m.start("first"), m.end("first"), m["first"].upper()
