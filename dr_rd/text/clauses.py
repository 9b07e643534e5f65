"""The clauses of a sentence."""

import re
from collections.abc import Sequence
from itertools import pairwise

from dr_rd.text.lexicon import Word, lexicon
from dr_rd.text.stems import stem

FEW = 2
"""Words too few to say something of a thing."""
_BREAKERS = frozenset("but however whereas although though while yet because since".split())
_LEADING = frozenset(
    "if when whenever because since as although though while unless once where to after before"
    " should whereas".split()
)
"""Words that lead a clause which ends at its comma."""
_SUBJECTS = frozenset("we it they the a an each all this these our in".split())
_SEQUELS = frozenset("we so which where yet hence therefore thus otherwise".split())
"""Words that lead a clause after a comma."""
_ASIDE = 4
"""Words from one comma to the next that only put in a word: ", though cheap,"."""
_REASONED = 12
"""Words after ", for" within which an auxiliary tells a reason from what a thing is for."""
GAP = re.compile(r"[;:—|]|\s[–-]\s")
ADVERB = re.compile(
    r"\w+ly|nonetheless|nevertheless|however|always|ever|indeed|even|therefore|thus|hence|then|also|still|instead|so|yet|both"
)


def clauses_of(words: Sequence[Word], text: str) -> tuple[int, ...]:
    """Number the clauses: they part at conjunctions, semicolons, dashes and new subjects."""
    lower = [text[w.start : w.end].lower() for w in words]
    gaps = ["", *(text[a.end : b.start] for a, b in pairwise(words))]
    numbers: list[int] = []
    first = 0
    for n in range(len(words)):
        if n and _parts(lower, gaps, first, n):
            first = n
            numbers.append(numbers[-1] + 1)
        else:
            numbers.append(numbers[-1] if n else 0)
    return tuple(numbers)


def _parts(lower: Sequence[str], gaps: Sequence[str], first: int, n: int) -> bool:
    """Whether a clause that began with word *first* ends before word *n*."""
    if lower[n] == "since" and n and lower[n - 1] in ("has", "have", "had"):
        return False
    if GAP.search(gaps[n]):
        return True
    if lower[n] in _BREAKERS:
        return not _put_in(gaps, n) and not _dated(lower, gaps, n)
    if "," in gaps[n] and (lower[n] in _SEQUELS or _reasons(lower, gaps, n)):
        return True
    if "," in gaps[n] and lower[first] in _LEADING and n - first > FEW:
        return True
    if lower[n] == "so" and lower[n + 1 : n + 2] == ["that"]:
        return True
    if lower[n - 1] not in ("and", "so"):
        return False
    led = n - 1 if lower[n - 2 : n] == ["and", "so"] else n
    after_comma = n > 1 and "," in gaps[led - 1]
    if lower[n] in _SUBJECTS and (after_comma or lower[n] == "we"):
        return True
    return _new_verb(lower, n) or _new_subject(lower, gaps, first, n)


def _put_in(gaps: Sequence[str], n: int) -> bool:
    """Whether word *n* leads a few words between commas: "drones, though cheap, are not flown"."""
    return "," in gaps[n] and any("," in gap for gap in gaps[n + 2 : n + 1 + _ASIDE])


def _dated(lower: Sequence[str], gaps: Sequence[str], n: int) -> bool:
    """Whether "since" only dates: "known since 1885, so …"."""
    return lower[n] == "since" and any("," in gap for gap in gaps[n + 2 : n + 2 + FEW])


def _reasons(lower: Sequence[str], gaps: Sequence[str], n: int) -> bool:
    """Whether ", for" gives a reason, which has a verb of its own: ", for it won't be missed"."""
    if lower[n] != "for":
        return False
    for m in range(n + 1, min(n + _REASONED, len(lower))):
        if "," in gaps[m] or GAP.search(gaps[m]):
            return False
        if lower[m] in lexicon().auxiliaries or lower[m] in ("won", "can", "cannot"):
            return True
    return False


def _new_verb(lower: Sequence[str], n: int) -> bool:
    """Whether a verb of its own follows "and": "… and measure carbon"."""
    while n < len(lower) - 1 and ADVERB.fullmatch(lower[n]):
        n += 1
    plain = not lower[n].endswith(("ing", "ed")) and stem(lower[n]) in lexicon().verbs
    return plain and n + 1 < len(lower) and lower[n + 1] not in ("of", "is", "are")


def _new_subject(lower: Sequence[str], gaps: Sequence[str], first: int, n: int) -> bool:
    """Whether a subject with its own auxiliary follows "and": "… and cores are cut"."""
    auxiliaries = lexicon().auxiliaries
    if lower[first] not in ("we", "they", "it") and not auxiliaries.intersection(lower[first:n]):
        return False
    for m in range(n, min(n + 5, len(lower))):
        if m > n and GAP.search(gaps[m]):
            return False
        if lower[m] in auxiliaries:
            return m > n and not ADVERB.fullmatch(lower[m - 1])
        if lower[m] in lexicon().places or lower[m] in ("and", "or", "not"):
            return False
    return False
