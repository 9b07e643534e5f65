"""What is left for each where so many are shared out over so many: "180 casts over the 30 lakes"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from dr_rd.adherence.reading import Stated
from dr_rd.adherence.sums import countable
from dr_rd.text import stem

_OVER = re.compile(
    r"[^.;]{0,60}?\b(?:over|across|among|amongst|between|on|onto|to)\s(?:all\s|the\s|these\s|our\s)*",
    re.IGNORECASE,
)
_AND = re.compile(r"\s(?:and|for)\s(?:the\s)?", re.IGNORECASE)
_SHARED = re.compile(
    r"\b(?:shared|split|divided|distributed|spread)\b[^.;]{0,20}\b(?:evenly|equally)\b|\bevenly (?:shared|split|divided|distributed|spread)\b",
    re.IGNORECASE,
)
_REACH = 100  # characters after two counts within which they may be shared out


def divided(stated: Sequence[Stated]) -> Iterator[Stated]:
    """The most that one of them can have whose share is the least."""
    counts = [s for s in stated if countable(s)]
    for one, after in pairwise(counts):
        if one.sentence is after.sentence and _shares(one, after) and not after.scope:
            yield _share(one, after)


def _shares(one: Stated, after: Stated) -> bool:
    gap = one.up_to(after)
    if _OVER.fullmatch(gap):
        return bool(_SHARED.search(gap) or (one.scope and not _same(one.scope, after)))
    return bool(_AND.fullmatch(gap) and _SHARED.search(after.after[:_REACH]))


def _same(scope: str, after: Stated) -> bool:
    """Whether a count is of those of each of which another is told: "12 dogs per arm in the 3 arms"."""
    return stem(scope) == stem(after.quantity.noun.split()[-1])


def _share(one: Stated, after: Stated) -> Stated:
    q, many = one.quantity, after.quantity
    value = (q.low or 0) / (many.low or 1)
    said = f"{q.text} over {many.text}, {value:g} for each"
    update = {"comparison": "at_most", "low": None, "high": value, "text": said}
    return replace(
        one, quantity=q.model_copy(update=update), scope=many.noun.split()[-1], share="part"
    )
