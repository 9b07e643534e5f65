"""Which words of a claim a passage lacks, or has only in two statements."""

from collections.abc import Iterable, Sequence, Set
from itertools import combinations

from dr_rd.evidence.support.clauses import BREAK
from dr_rd.evidence.support.content import told_by
from dr_rd.evidence.support.source import PassageSentence, SourcePassage
from dr_rd.evidence.wording import wording
from dr_rd.evidence.words import words
from dr_rd.text import stemmed


def lacking(text: str, wanted: Set[str], near: PassageSentence, source: SourcePassage) -> str:
    """Say which words of substance the sentence lacks; "" where it has them all."""
    absent = [w for w in wanted - near.words if not _derived(w, near.words)]
    absent = [w for w in absent if not _spelt_out(w, source.tokens)]
    if absent:
        shown = [w for w in words(text) if wording().meaning(stemmed(w, source.tongue)) in absent]
        named = ", ".join(dict.fromkeys(shown)) or ", ".join(sorted(absent))
        return f"the passage does not speak of {named} there"
    return ""


def mixed(text: str, said: str, tongue: str) -> str:
    """Say whether the claim makes one statement of two: "A fell and B rose" is not "A rose"."""
    wanted = told_by(text, tongue)
    stretches = [told_by(part, tongue) for part in BREAK.split(said)]
    for a, b in combinations(stretches, 2):
        taken = (a - b) & wanted and (b - a) & wanted
        if taken and (a - b) - wanted and (b - a) - wanted:
            return "the claim joins words of two statements of the passage"
    return ""


_ROOT = 5
"""Letters from which two words that begin alike are of one family, as "insulate", "insulation"."""


def _derived(word: str, given: Iterable[str]) -> bool:
    for other in given:
        alike = _alike(word, other)
        tails = len(word) - alike, len(other) - alike
        if alike >= _ROOT and ((min(tails) == 0 and max(tails) <= _ENDING) or max(tails) <= 1):
            return True
    return False


def _alike(a: str, b: str) -> int:
    """Letters in which two words begin alike."""
    return next(
        (n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )


_ENDING = 4
"""Letters of the longest ending."""


def _spelt_out(word: str, tokens: Sequence[str]) -> bool:
    """Whether *word* abbreviates words of the passage: "who" of "World Health Organization"."""
    if not 2 <= len(word) <= 6 or not word.isalpha():
        return False
    places = {n for n in range(len(tokens)) if _begins(tokens, n, word[0])}
    for letter in word[1:]:
        after = {n + 1 for n in places}
        after |= {n + 1 for n in after if n < len(tokens) and tokens[n] in _PASSED}
        places = {n for n in after if _begins(tokens, n, letter)}
    return bool(places)


_PASSED = frozenset({"of", "and", "the", "for"})
"""Words that an abbreviation leaves out."""


def _begins(tokens: Sequence[str], n: int, letter: str) -> bool:
    return n < len(tokens) and len(tokens[n]) > 1 and tokens[n][0] == letter
