"""Which language a text is in: told by its letters and its commonest words, the same every time."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cache

from core.values import Frozen
from dr_rd.files import read_yaml

UNKNOWN = "unknown"
"""The language of a text that nothing tells apart: too short, or none that is listed."""

_ENOUGH = 1.5
"""The weight of words below which nothing is told: one that no other language has is too little."""

_LEAD = 1.3
"""How many times the weight of the next language the first must have."""

_SHARE = 0.3
"""Share of a text's letters that must be of another alphabet than ours for the text to be in it.

Names, units and quotations in Latin letters stand in every language.
"""

_WORD = re.compile(r"[^\W\d_]+")


class Script(Frozen):
    """An alphabet other than the Latin one."""

    language: str
    letters: str
    """Ranges of characters, as in a set of a regular expression."""


class Languages(Frozen):
    """What tells languages apart; `data/language/languages.yaml`."""

    common: Mapping[str, str]
    telling: Mapping[str, str]
    letters: Mapping[str, str]
    scripts: tuple[Script, ...]
    numbers: Mapping[str, Mapping[str, int]]
    joining: tuple[str, ...]
    numerals: str


def language(text: str) -> str:
    """Name the language of *text*, such as "german"; UNKNOWN where it cannot be told."""
    if script := _script("".join(_WORD.findall(text))):
        return script
    weights = _weights(text.casefold())
    first, second = (*sorted(weights, key=lambda n: -weights[n]), "", "")[:2]
    told = weights.get(first, 0.0) >= max(_ENOUGH, _LEAD * weights.get(second, 0.0))
    return first if told else UNKNOWN


def foreign(text: str, wanted: str) -> str:
    """Name the language of *text* where it can be told and is not the *wanted* one; "" elsewhere."""
    found = language(text)
    return "" if UNKNOWN in (found, wanted) or found == wanted else found


def weight(text: str, name: str) -> float:
    """Return how much the words and letters of *text* speak for a language; 0 where none does."""
    return _weights(text.casefold()).get(name, 0.0)


def _script(letters: str) -> str:
    """The language whose alphabet most of *letters* are of; "" if too few are of any."""
    held = {s.language: len(_alphabet(s.letters).findall(letters)) for s in languages().scripts}
    if sum(held.values()) < max(1, _SHARE * len(letters)):
        return ""
    found = (n for n, count in held.items() if count >= _SHARE * sum(held.values()))
    return next(found, "")


def alphabets(text: str) -> frozenset[str]:
    """Name the languages whose own alphabets *text* has letters of; Greek is also notation."""
    scripts = (s for s in languages().scripts if s.language != "greek")
    return frozenset(s.language for s in scripts if _alphabet(s.letters).search(text))


def counted_in_words(text: str, name: str, known: Callable[[str], bool]) -> list[str]:
    """Return the words for numbers in a *text* of the language *name* that are not *known*.

    English ones are left to `dr_rd.quantity`, which reads their values.
    """
    found = [w for w in _WORD.findall(text.casefold()) if _counts(w, name)]
    runs = re.findall(f"[{languages().numerals}]{{2,}}", text) if name in _HAN else []
    return [w for w in (*found, *runs) if not known(w)]


_HAN = ("chinese", "japanese")


def _counts(word: str, name: str) -> bool:
    """Whether a word is one for a number, or is joined from some."""
    listed = languages().numbers.get(name, {})
    if word in listed:
        return True
    parts = [w for w, value in listed.items() if value >= _JOINED and name in languages().joining]
    return any(word.startswith(p) or word.endswith(p) for p in parts)


_JOINED = 20
"""The least number whose word tells that a longer word is a number: "vierzig" in "vierzigste"."""


@cache
def common(name: str) -> frozenset[str]:
    """Return the words of a language that say nothing of what a text is about."""
    return frozenset(languages().common.get(name, "").split())


@cache
def languages() -> Languages:
    """Read what tells languages apart."""
    return Languages.model_validate(read_yaml("language", "languages.yaml"))


def _weights(text: str) -> dict[str, float]:
    """Weigh each language by the words and letters of *text*; shared ones count in parts."""
    weights: dict[str, float] = defaultdict(float)
    words = _telling()
    for word in _WORD.findall(text):
        for names in (words.get(word, ()), _lettered(word)):
            for name in names:
                weights[name] += 1 / len(names)
    return weights


@cache
def _telling() -> Mapping[str, tuple[str, ...]]:
    """The languages that have each telling word."""
    found: dict[str, list[str]] = {}
    for name, listed in languages().common.items():
        for word in {*listed.split(), *languages().telling.get(name, "").split()}:
            found.setdefault(word, []).append(name)
    return {word: tuple(names) for word, names in found.items()}


def _lettered(word: str) -> tuple[str, ...]:
    """The languages that a letter of *word* speaks for."""
    return tuple(n for n, own in languages().letters.items() if not {*own}.isdisjoint(word))


@cache
def _alphabet(letters: str) -> re.Pattern[str]:
    return re.compile(f"[{letters}]")
