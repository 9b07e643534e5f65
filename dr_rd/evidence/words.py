"""Text as words: sentences, tokens, the language's stems."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from dr_rd.language import common, languages
from dr_rd.text import stemmed

_SENTENCE_END = re.compile(
    r"""(?<![.!?])[.!?]++["'”’)\]]*+(?=\s+[^\sa-zà-ÿ]|\s*\Z)|[。！？]+[”」』）]*|\n\s*\n"""
)
_ABBREVIATION = re.compile(
    r"\b(?:(?<!\d )(?:min|ms)|e\.g|i\.e|al|cf|vs|etc|approx|ca|fig|figs|eq|no|nos|vol|pp?|dr|prof|mr|mrs|st|"
    r"sec|ch|ed|eds|max|z\.B|d\.h|bzw|usw|incl|resp|dept|inc|ltd)\.$",
    re.IGNORECASE,
)
_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?|\d+", re.UNICODE)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")

_SCRIPTS = (
    ("arabic", re.compile(r"[\u0600-\u06ff]")),
    ("russian", re.compile(r"[\u0400-\u04ff]")),
    ("greek", re.compile(r"[\u0370-\u03ff]")),
    ("hindi", re.compile(r"[\u0900-\u097f]")),
)
_LANGUAGE_SAMPLE = 4000
"""Characters that are looked at to tell a language; more would not change the answer."""


_PLAIN = str.maketrans("’‘“”„«»‐‑‒–—−", '\'\'"""""------')


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each sentence of *text*, without the space around it."""
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if match.group().startswith(".") and _ABBREVIATION.search(text, start, match.end()):
            continue
        yield from _trimmed(text, start, match.end())
        start = match.end()
    yield from _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    if stripped := piece.strip():
        first = start + piece.index(stripped[0])
        yield first, first + len(stripped)


def plain(text: str) -> str:
    """Return *text* with one kind of space, quote and dash, as quotations are compared."""
    folded = unicodedata.normalize("NFKC", text).translate(_PLAIN)
    return " ".join(folded.replace("\u00ad", "").split())


def words(text: str) -> list[str]:
    """Return the casefolded words and numbers of *text*; Chinese and the like by bigrams."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    tokens = _WORD.findall(folded)
    if not _CJK.search(folded):
        return [t.removesuffix("'s") for t in tokens]
    found: list[str] = []
    for token in tokens:
        found.extend(_bigrams(token) if _CJK.search(token) else [token.removesuffix("'s")])
    return found


def _bigrams(token: str) -> Iterator[str]:
    end = 0
    for match in _CJK.finditer(token):
        if match.start() > end:
            yield token[end : match.start()]
        run = match.group()
        yield from (run[i : i + 2] for i in range(max(1, len(run) - 1)))
        end = match.end()
    if end < len(token):
        yield token[end:]


def language(text: str) -> str:
    """Name the language whose stems fit *text*; English where nothing speaks for another."""
    sample = text[:_LANGUAGE_SAMPLE]
    for name, script in _SCRIPTS:
        if len(script.findall(sample)) * 3 > len(sample):
            return name
    found = Counter(words(sample))
    held = {name: found.keys() & common(name) for name in languages().common}
    return max(held, key=lambda name: sum(found[w] for w in held[name]))


def stems(text: str, name: str = "english") -> list[str]:
    """Return the stems of the words of *text* that say what it is about, in order."""
    dull = common(name)
    return [stemmed(w, name) for w in words(text) if w not in dull]
