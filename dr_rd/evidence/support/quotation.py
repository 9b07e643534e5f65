"""Words as they stand: whether a passage says what is quoted of it."""

import re
from collections.abc import Iterator

from dr_rd.evidence.words import plain

_QUOTE = re.compile(r'"([^"]+)"')
_LEFT_OUT = re.compile(r"\s*\[?(?:…|\.\s?\.\s?\.)\]?\s*")


def quotes(text: str) -> Iterator[str]:
    """The quoted parts of *text* that are words and not names: three or more."""
    yield from (
        q for m in _QUOTE.finditer(plain(text)) if len((q := m[1].strip(" .,;")).split()) >= 3
    )


def says(text: str, quote: str) -> bool:
    """Whether *text* has the words of *quote* in order; "…" stands for words left out."""
    text, position = plain(text).casefold(), 0
    for part in filter(None, _LEFT_OUT.split(plain(quote).casefold())):
        found = text.find(part.strip(" .,;"), position)
        if found < 0:
            return False
        position = found + len(part)
    return True


def verbatim(text: str, source: str) -> bool:
    """Whether the passage has the claim as whole sentences: "A rose" is not in "no A rose"."""
    bare, place = text.strip(" .;").casefold(), -1
    folded = source.casefold()
    while (place := folded.find(bare, place + 1)) >= 0:
        before, after = folded[:place].rstrip(), folded[place + len(bare) :].lstrip()
        if (not before or before[-1] in ".!?;。") and (not after or after[0] in ".!?;。"):
            return True
    return False
