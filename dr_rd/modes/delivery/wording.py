"""Words of limits and of plans, compared by their stems: what a text is about, what it repeats."""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from functools import cache
from importlib.resources import files
from math import log
from typing import Any

import Stemmer

from dr_rd.files import parse_yaml

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_REPEATS = 0.7
"""Share of a text's content words which another one may say again before it adds nothing."""


def data(name: str) -> Any:  # noqa: ANN401 - whoever asks validates
    """Return a YAML file of this package."""
    return parse_yaml(files(__package__).joinpath(name).read_text(encoding="utf-8"))


@cache
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english")


@cache
def _words(kind: str) -> frozenset[str]:
    return frozenset(data("words.yaml")[kind].split())


@cache
def stem(word: str) -> str:
    """Return the stem of a word in lower case."""
    found: str = _stemmer().stemWord(word.lower())
    return found


def stems(text: str) -> frozenset[str]:
    """Return the stems of a text's words that tell it from others."""
    told = (part for word in _WORD.findall(text.lower()) for part in word.split("-"))
    silent = _words("breaks") | _words("faint") | _words("leading")
    return frozenset(stem(word) for word in told if len(word) > 2 and word not in silent)


def phrases(text: str) -> tuple[str, ...]:
    """Return the noun phrases of a text, roughly: its runs of words between grammar."""
    found: list[list[str]] = [[]]
    for part in re.split(r"[,;:()]", _without_verb(text)):
        for word in part.split():
            bare = word.strip(".\"'“”")
            if not _WORD.match(bare) or bare.lower() in _words("breaks"):
                found.append([])
            else:
                found[-1].append(bare)
        found.append([])
    return tuple(" ".join(words) for words in found if words)


def _without_verb(text: str) -> str:
    """Return a limit without "must" and the verb that it begins with."""
    words = text.split()
    if words and words[0].lower() == "must":
        words = words[1:]
    return " ".join(words[1:] if words and words[0].lower() in _words("leading") else words)


def repeats(text: str, said: str) -> bool:
    """Whether a text adds next to nothing to what was *said*."""
    mine, theirs = stems(text), stems(said)
    return not mine or len(mine & theirs) > _REPEATS * len(mine)


class Rarity:
    """How much a word tells in one plan: one that stands in every line of it tells nothing."""

    def __init__(self, lines: Iterable[str]) -> None:
        sets = [stems(line) for line in lines]
        self._of = Counter(s for found in sets for s in found)
        self._lines = len(sets)

    def weight(self, word: str) -> float:
        """Return the word's weight; 0 where no line of the plan has it."""
        seen = self._of.get(word, 0)
        return log(1 + self._lines / seen) if seen else 0.0

    def lines(self, words: Collection[str]) -> int:
        """Return in how many lines the commonest of some stems stands."""
        return max((self._of.get(word, 0) for word in words), default=0)

    def shared(self, text: str, line: str, common: Collection[str]) -> tuple[str, ...]:
        """Return the stems that both have and that are not *common*, rarest first."""
        both = (stems(text) & stems(line)) - set(common)
        return tuple(sorted(both, key=lambda s: (-self.weight(s), s)))
