"""The words of a text that say what it is of."""

import re

from dr_rd.text import stem

_WORD = re.compile(r"[a-z][a-z0-9-]{3,}")
_LOOSE = frozenset(
    "with that this from than least most more less before after each both into only must between within every which"
    " report reported reports analysis analyse interval estimate estimates using used study measured measure measures"
    " value values result results data number given stated states compared difference percent group groups"
    " their other same design they them have been will shall where when what".split()
)
"""Words that stand in the lines of any brief."""


def content_stems(text: str) -> frozenset[str]:
    """Return the stems of the words of *text* that not every brief has."""
    return frozenset(stem(w) for w in _WORD.findall(text.lower()) if w not in _LOOSE)
