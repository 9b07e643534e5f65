"""Words reduced to their stems."""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from Stemmer import Stemmer

from core.values import Frozen
from dr_rd.files import read_yaml

WORD = re.compile(r"[^\W_]+(?:[’'][^\W_]+)?")
_LONE = re.compile(r"[\ud800-\udfff]")
"""Half a character, as odd bytes leave it; no stemmer can read one."""
_PLURALS = frozenset(
    "people persons children men women mice feet teeth sheep fish deer species series staff cattle lice data criteria".split()
)
"""Words that mean several without an s of their own, or with one that both numbers have."""
_IZE = re.compile(r"([iy])s(e|ed|es|ing|ers?|(?<=is)ations?)$")
_LLED = re.compile(r"([aeiou]l)l(ed|ing)$")
_TRE = re.compile(r"tre(s?)$")
_DOER = re.compile(r"(?<=..)(?:er|or|e|r)$")
_ACRONYMS = re.compile(r"[A-Z][A-Z\d]+s")  # several of them, as in SNPs


class _Odd(Frozen):
    """Words that the stemmer would get wrong; `dr_rd/data/language/stems.yaml`."""

    irregular: Mapping[str, str]
    whole: frozenset[str]


@cache
def _odd() -> _Odd:
    return _Odd.model_validate(read_yaml("language", "stems.yaml"))


@cache
def _stemmer(language: str) -> Any:  # noqa: ANN401 - the package ships no types
    return Stemmer(language)


@lru_cache(maxsize=65536)
def stemmed(word: str, language: str = "english") -> str:
    """Reduce one casefolded *word* of *language*, such as "english", to its stem."""
    return str(_stemmer(language).stemWord(_LONE.sub("\ufffd", word)))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Reduce a word to its stem; British and American spellings share one."""
    if _ACRONYMS.fullmatch(word):
        word = word[:-1]
    word = word.lower().replace("’", "'").removesuffix("'s")
    odd = _odd()
    for form in (word, word.removesuffix("s")):
        if form in odd.whole:
            return form
    word = odd.irregular.get(word, word)
    if word.startswith("randomi") or word == "observational":
        return word[:8].replace("randomis", "randomiz")  # not "random", not "observation"
    if len(word) > 5:
        word = _IZE.sub(r"\1z\2", word).replace("our", "or")
        word = _LLED.sub(r"\1\2", word) if len(word) > 7 else word
        word = _TRE.sub(r"ter\1", word).replace("programme", "program")
    return stemmed(word)


def plural(word: str) -> bool:
    """Whether a noun may mean several: "clinics", "mice", but not "glass" or "basis"."""
    low = word.lower()
    return low in _PLURALS or (low.endswith("s") and not low.endswith(("ss", "us", "is")))


@lru_cache(maxsize=65536)
def root(word: str) -> str:
    """What a stem shares with that of its doer, marked as no stem itself: "div+" of dive, diver."""
    return f"{_DOER.sub('', word)}+"


@lru_cache(maxsize=65536)
def stems_of(phrase: str) -> tuple[str, ...]:
    """The stems of the words of *phrase*, in order."""
    return tuple(stem(m[0]) for m in WORD.finditer(phrase))
