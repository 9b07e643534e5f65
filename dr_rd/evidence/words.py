"""Text as words: sentences, tokens, the language's stems."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

import snowballstemmer

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

_COMMON: dict[str, str] = {
    "english": (
        "a an the of and or to in on at by for with from as is are was were be been being it its "
        "this that these those we our they their he she his her you your i which who whom what "
        "when where how why there here has have had do does did can could will would shall should "
        "may might must if then than so such into over under about between during per each any "
        "all both some more most other also only own same too very one while because until after "
        "before again further once against through out off up down but within"
    ),
    "german": (
        "der die das den dem des ein eine einer eines einem einen und oder zu im in am an auf bei "
        "für mit von aus als ist sind war waren wird werden wurde wurden es sie er wir ihr nicht "
        "kein keine auch nur über unter nach vor durch um bis dass wenn wie was welche welcher "
        "zum zur hat haben sich"
    ),
    "french": (
        "le la les un une des du de et ou à au aux en dans sur par pour avec est sont était étaient "
        "être il elle ils elles nous vous ce cette ces qui que quoi dont où ne pas plus sa son ses "
        "leur leurs se d l qu n c s quel quelle a ont été"
    ),
    "spanish": (
        "el la los las un una unos unas de del y o a al en por para con es son era eran ser se su "
        "sus que qué quien cual cuál cuáles como cómo no más lo este esta estos estas fue fueron "
        "entre sobre desde hasta cuánto cuántos cuántas"
    ),
    "italian": (
        "il lo la i gli le un uno una di del della dei delle e o a al alla in nel nella su per con "
        "è sono era erano che chi cui come non più si suo sua loro questo questa da dal dalla"
    ),
    "portuguese": (
        "o a os as um uma de do da dos das e ou em no na nos nas por para com é são foi foram que "
        "se seu sua não mais como este esta ao à pelo pela"
    ),
    "dutch": (
        "de het een en of van in op te aan bij voor met uit als is zijn was waren wordt worden "
        "niet geen ook naar door om dat die dit deze hoe wat"
    ),
    "swedish": (
        "en ett den det de och eller att i på av för med från som är var inte också till om hur "
        "vad vilken"
    ),
}
_FUNCTION_WORDS = {name: frozenset(listed.split()) for name, listed in _COMMON.items()}
"""Words too common to say what a text is about; they also tell the languages apart."""

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
    found: list[str] = []
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text).casefold()):
        token = match.group()
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
    found = words(sample)
    return max(_FUNCTION_WORDS, key=lambda name: sum(w in _FUNCTION_WORDS[name] for w in found))


@lru_cache(maxsize=65536)
def stem(word: str, name: str = "english") -> str:
    """Return the stem of one casefolded *word* in the language *name*."""
    return str(snowballstemmer.stemmer(name).stemWord(word))


def stems(text: str, name: str = "english") -> list[str]:
    """Return the stems of the words of *text* that say what it is about, in order."""
    common = _FUNCTION_WORDS.get(name, frozenset())
    return [stem(w, name) for w in words(text) if w not in common]
