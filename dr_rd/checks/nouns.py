"""What an amount counts, as its noun tells."""

import re

from dr_rd.quantity import DATE, YEAR, Quantity
from dr_rd.text import lexicon, plural, stem

KINDS = (DATE, YEAR, "age")
"""Nouns that say of which kind an amount is, and count nothing."""
_VERBAL = re.compile(r"(?:ing|ed)$", re.IGNORECASE)


def nouns(quantity: Quantity) -> list[str]:
    """The words of what is counted up to a verb: "languages" of "languages evaluated"."""
    words = quantity.noun.split()
    for n in range(1, len(words)):
        said = _VERBAL.search(words[n]) and not _VERBAL.search(words[n - 1])
        if said or (plural(words[n - 1]) and stem(words[n]) in lexicon().verbs):
            return words[:n]
    return words
