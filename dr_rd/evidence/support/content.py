"""What a text is about: stems of its words of substance, one for each meaning."""

import re
from functools import lru_cache

from dr_rd.evidence.support.figures import figures
from dr_rd.evidence.wording import wording
from dr_rd.evidence.words import stems, words
from dr_rd.quantity import DATE
from dr_rd.text import stemmed


@lru_cache(maxsize=4096)
def content(text: str, tongue: str) -> frozenset[str]:
    """What *text* is about: stems without numbers, units and words of form, one per meaning."""
    for q in (f.quantity for f in reversed(figures(text))):
        digits = None if q.noun == DATE else DIGIT.search(q.text)
        named = len(q.noun) if q.noun and q.text.endswith(q.noun) else 0
        text = f"{text[: q.start + (digits.start() if digits else 0)]} {text[q.end - named :]}"
    known = wording()
    told = " ".join(w for w in words(text) if w not in known.form and not w[0].isdigit())
    kept = {known.meaning(s) for s in set(stems(told, tongue)) - known.light}
    return frozenset(kept | set(LETTER.findall(text)))


DIGIT = re.compile(r"\d")

LETTER = re.compile(r"(?<=\s)[A-Z](?=[\s.,;)]|$)")
"""A letter that names one of several, such as "catalyst A"."""


def told_by(text: str, tongue: str) -> frozenset[str]:
    """The words that tell one figure from another, those of direction among them."""
    turns = {stemmed(text[t.start : t.end].casefold(), tongue) for t in wording().turns(text)}
    return content(text, tongue) | turns


def said_of(text: str, start: int, end: int, tongue: str) -> set[str]:
    """What a negation or a doubt from *start* to *end* is of: two words after it, one before."""
    return {*stems(text[end:], tongue)[:_AFTER], *stems(text[:start], tongue)[-1:]}


_AFTER = 2
"""Words of substance."""
