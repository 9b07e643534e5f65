"""Prose as code can compare it: stems, meanings, sentences, and what a sentence affirms."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib.resources import files
from itertools import groupby, pairwise
from typing import Any, Literal, NamedTuple, Self

import snowballstemmer
import yaml

Stance = Literal["affirmed", "perhaps", "denied", "told"]

_WORD = re.compile(r"[^\W_]+(?:[’'][^\W_]+)?")
_PAUSE = re.compile(r"[,;:.!?()|—]")  # no phrase goes on across it


class Word(NamedTuple):
    """One word: its stem, the meanings that begin with it, and where it stands."""

    stem: str
    meanings: frozenset[str]
    start: int
    end: int
    stop: bool
    """Whether it carries no meaning of its own."""


class Cue:
    """A pattern whose every match has one of some words; a text without them is not searched."""

    def __init__(self, words: Iterable[str], pattern: str) -> None:
        self._words = frozenset(words)
        self._pattern = re.compile(pattern, re.IGNORECASE)

    @classmethod
    def of(cls, phrases: Iterable[str]) -> Self:
        """Look for any of *phrases*, whole and in any case."""
        ordered = sorted({p.lower() for p in phrases}, key=lambda p: (p[0], -len(p), p))
        tails = {
            letter: "|".join(r"[\s-]+".join(map(re.escape, p[1:].split(" "))) for p in group)
            for letter, group in groupby(ordered, key=lambda p: p[0])
        }  # parted by first letter, since a long row of choices is slow
        body = "|".join(f"{re.escape(letter)}(?:{tail})" for letter, tail in tails.items())
        return cls((_TOKEN.findall(p)[0] for p in ordered), rf"\b(?:{body})\b")

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match in *text*."""
        return None if self._words.isdisjoint(_spoken(text)) else self._pattern.search(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Every match in *text*, in order."""
        if not self._words.isdisjoint(_spoken(text)):
            yield from self._pattern.finditer(text)


_TOKEN = re.compile(r"\w+")


@lru_cache(maxsize=8192)
def _spoken(text: str) -> frozenset[str]:
    """The words of *text* in lower case; many cues are looked for in one sentence."""
    return frozenset(_TOKEN.findall(text.lower()))


_Stems = tuple[str, ...]
_Entry = tuple[frozenset[str], tuple[tuple[_Stems, frozenset[str]], ...]]
"""What a word means alone, and the longer phrases that begin with it, with what they mean."""


class Lexicon:
    """The language file, in stems."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.stopwords = frozenset(map(stem, raw["stopwords"]))
        self.generic = frozenset(map(stem, raw["generic"]))
        self.heads = frozenset(map(stem, raw["heads"]))
        self.including = frozenset(map(stem, raw["including"]))
        self.acting = frozenset(map(stem, raw["acting"]))
        self.joining = frozenset(map(stem, raw["joining"]))
        self.concepts = frozenset(raw["kinds"]) | {g[0] for g in raw["same"] if " " in g[0]}
        self.varying = frozenset(map(stem, raw["varying"]))
        self.stretching = frozenset(map(stem, raw["stretching"]))
        self.relational = frozenset(map(stem, raw["relational"]))
        self.verbs = frozenset(map(stem, raw["verbs"])) | self.including - frozenset(
            map(stem, raw["verbal_nouns"])
        )
        self.reasons = frozenset(raw["reasons"])
        self.places = frozenset(raw["places"])
        self.groups = frozenset(map(stem, raw["groups"]))
        self.studies = self.groups | frozenset(map(stem, raw["studies"]))
        self.named = frozenset(u for n in raw["named"] for u in (stem(n), n))
        self.sampled = frozenset(map(stem, raw["sampled"]))
        self.auxiliaries = frozenset(raw["auxiliaries"])
        self.opposites: list[dict[str, Any]] = raw["opposites"]
        self._meanings = _Phrases()
        for group in raw["same"]:
            for phrase in group:
                self._meanings.add(phrase, group[0], own=True)
        below = {**raw["kinds"], **raw["counted"]}
        self._signs = frozenset(
            (key[0], general)
            for general, kinds in raw["kinds"].items()
            for key in map(_stems, kinds)
            if len(key) == 1 and (key[0],) != _stems(general)
        )
        for general, kinds in below.items():
            for phrase in (general, *kinds):
                within = set(_stems(general)) <= set(_stems(phrase))  # "ESG score" is ESG
                self._meanings.add(phrase, general if within else phrase, own=True)
                self._meanings.add(phrase, general)
        for pair in self.opposites:
            for phrase in (*pair["one"], *pair["other"]):
                self._meanings.add(phrase, phrase, own=True)
        self._meanings.close(raw["same"])
        self._meanings.descend(below)
        self._entry = lru_cache(maxsize=65536)(self._looked_up)
        self.meanings = lru_cache(maxsize=4096)(self._all_meanings)
        self._units = lru_cache(maxsize=4096)(self._parted)
        self.aside = Cue.of(raw["aside"])
        self.cues = {name: Cue.of(raw[name]) for name in _CUES}

    def words(self, text: str, offset: int = 0) -> list[Word]:
        """Cut *text* into words with their meanings."""
        spans = [m.span() for m in _WORD.finditer(text)]
        stems = _opposed([stem(text[a:b]) for a, b in spans])
        gaps = enumerate((a[1], b[0]) for a, b in pairwise(spans))
        parted = [n for n, (a, b) in gaps if text[a:b] != " " and _PAUSE.search(text, a, b)]
        ends = iter([*parted, len(stems)])
        found: list[Word] = []
        last = next(ends)
        for n, ((start, end), s) in enumerate(zip(spans, stems, strict=True)):
            if n > last:
                last = next(ends)
            means, phrases = self._entry(s)
            for phrase, meanings in phrases:
                stop = n + len(phrase)
                if stop <= last + 1 and tuple(stems[n:stop]) == phrase:
                    means |= meanings
            found.append(Word(s, means, start + offset, end + offset, s in self.stopwords))
        return found

    def _looked_up(self, stem: str) -> _Entry:
        """What a word means: a worker is not any work, so only one that tells has its root."""
        own = {stem} if stem in self.generic else {stem, root(stem)}
        phrases = self._meanings.starting(stem)
        alone = (meanings for phrase, meanings in phrases if len(phrase) == 1)
        longer = tuple((p, meanings) for p, meanings in phrases if len(p) > 1)
        return frozenset(own).union(*alone), longer

    def _all_meanings(self, phrase: str) -> frozenset[str]:
        """Everything that the words of a phrase mean."""
        return frozenset[str]().union(*(w.meanings for w in self.words(phrase)))

    def is_sign(self, word: Word, meaning: str) -> bool:
        """Whether a word alone only hints at a meaning, as "bought" hints at what is private."""
        return (word.stem, meaning) in self._signs

    def units(self, phrase: str, *, generic: bool = False) -> tuple[str, ...]:
        """The meanings that tell *phrase* from others; general words count only if alone."""
        units = self._units(phrase)
        told = tuple(u for u in units if u not in self.generic)
        return units if generic or not told else told

    def _parted(self, phrase: str) -> tuple[str, ...]:
        stems = _opposed([stem(m[0]) for m in _WORD.finditer(phrase)])
        units: list[str] = []
        position = 0
        while position < len(stems):
            size, meaning = self._meanings.longest(stems, position)
            if meaning or stems[position] not in self.stopwords:
                units.append(meaning or stems[position])
            position += size
        return tuple(dict.fromkeys(units))


def _opposed(stems: list[str]) -> list[str]:
    """Mark what stands after "non": "non-native" is not a kind of native."""
    return [f"non-{s}" if n and stems[n - 1] == "non" else s for n, s in enumerate(stems)]


_CUES = ("weighed", "own", "usual", "whole", "ahead", "brief", "harmless", "unreal", "gone", "maybe", "others", "planned", "parts",
         "totals", "spending", "unspent")  # fmt: skip


class _Phrases:
    """Phrases, in stems, and what they mean."""

    def __init__(self) -> None:
        self._by_first: dict[str, dict[tuple[str, ...], set[str]]] = {}
        self._own: dict[tuple[str, ...], str] = {}

    def add(self, phrase: str, meaning: str, *, own: bool = False) -> None:
        """Give *phrase* a meaning; the first of its own is what it is called by."""
        key = _stems(phrase)
        self._by_first.setdefault(key[0], {}).setdefault(key, set()).add(meaning)
        if own:
            self._own.setdefault(key, meaning)

    def close(self, groups: Iterable[Sequence[str]]) -> None:
        """Give the words of a group every meaning that any of them has."""
        for group in groups:
            keys = [_stems(p) for p in group]
            everything = set().union(*(self._by_first[k[0]][k] for k in keys))
            for key in keys:
                self._by_first[key[0]][key] |= everything

    def descend(self, kinds: Mapping[str, Sequence[str]]) -> None:
        """Give each kind every meaning of the general thing, two steps up."""
        for _ in range(2):
            for general, phrases in kinds.items():
                key = _stems(general)
                up = self._by_first[key[0]][key] | {self._own[key]}
                for kind in map(_stems, phrases):
                    self._by_first[kind[0]][kind] |= up

    def starting(self, stem: str) -> list[tuple[_Stems, frozenset[str]]]:
        """Every phrase that begins with *stem*, and what it means."""
        return [(key, frozenset(means)) for key, means in self._by_first.get(stem, {}).items()]

    def longest(self, stems: list[str], position: int) -> tuple[int, str]:
        """The length of the longest phrase starting there, and its own meaning."""
        keys = self._by_first.get(stems[position], {})
        fit = [k for k in keys if tuple(stems[position : position + len(k)]) == k]
        if not fit:
            return 1, ""
        best = max(fit, key=len)
        return len(best), self._own[best]


def _stems(phrase: str) -> tuple[str, ...]:
    return tuple(stem(m[0]) for m in _WORD.finditer(phrase))


@cache
def _stemmer() -> Any:  # noqa: ANN401 - the package ships no types
    return snowballstemmer.stemmer("english")


_IRREGULAR = {"children": "child", "mice": "mouse", "men": "man", "women": "woman", "feet": "foot",
              "criteria": "criterion", "hypotheses": "hypothesis", "people": "person",
              "persons": "person", "ran": "run", "drawn": "draw", "held": "hold"}  # fmt: skip


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Reduce a word to its stem; British and American spellings share one."""
    word = word.lower().replace("’", "'").removesuffix("'s")
    word = _IRREGULAR.get(word, word)
    if word.startswith("randomi") or word == "observational":
        return word[:8].replace("randomis", "randomiz")  # not "random", not "observation"
    if len(word) > 5:
        word = re.sub(r"is(e|ed|es|ing|er|ers|ation|ations)$", r"iz\1", word)
        word = re.sub(r"ys(e|ed|es|ing|er|ers)$", r"yz\1", word).replace("our", "or")
        word = re.sub(r"([aeiou]l)l(ed|ing)$", r"\1\2", word) if len(word) > 7 else word
        word = re.sub(r"tre(s?)$", r"ter\1", word).replace("programme", "program")
    return str(_stemmer().stemWord(word))


@lru_cache(maxsize=65536)
def root(word: str) -> str:
    """What a stem shares with that of its doer, marked as no stem itself: "div+" of dive, diver."""
    return f"{re.sub(r'(?<=..)(?:er|or|e|r)$', '', word)}+"


@cache
def lexicon() -> Lexicon:
    """Return the lexicon; it is read once."""
    source = files("dr_rd") / "data" / "language" / "lexicon.yaml"
    return Lexicon(yaml.safe_load(source.read_text(encoding="utf-8")))


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, list item or table row, and how it is meant."""

    text: str
    start: int
    end: int
    words: tuple[Word, ...]
    stances: tuple[Stance, ...]
    """For each word, whether the sentence affirms it; "told" is of others, or quoted."""
    clauses: tuple[int, ...]
    """For each word, the number of its clause."""
    meanings: frozenset[str]
    aside: bool
    """Whether it stands where things are named but not planned."""
    listed: bool
    """Whether it is a list item, a table row or a quotation."""
    planned: bool
    """Whether it says outright that something will be done."""

    def clause(self, start: int) -> str:
        """The clause that holds the position *start* of the whole text."""
        if not self.words:
            return self.text
        at = self._at(start)
        number = self.clauses[at] if at < len(self.words) else 0
        first = self.words[bisect_left(self.clauses, number)]
        last = self.words[bisect_right(self.clauses, number) - 1]
        return self.text[first.start - self.start : last.end - self.start]

    def _at(self, start: int) -> int:
        """The number of the first word that ends after *start*."""
        return bisect_right(self.words, start, key=lambda w: w.end)

    def stance(self, start: int) -> Stance:
        """Whether the sentence affirms what stands at the position *start*."""
        if not self.stances:
            return "affirmed"
        return self.stances[min(self._at(start), len(self.stances) - 1)]


def sentences(text: str) -> tuple[Sentence, ...]:
    """Cut Markdown into sentences, list items and table rows."""
    return tuple(s for block in _blocks(text) for s in _cut(block, text))


@dataclass(frozen=True, slots=True)
class _Block:
    start: int
    end: int
    aside: bool
    listed: bool
    row: bool = False


_FENCE = re.compile(r"\s*(?:```|~~~)")
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(.+)")
_LABEL = re.compile(r"\s*(?:\*\*|__)?([^\W\d_][^.!?|:*\n]{0,60})(?:\*\*|__)?\s*:?\s*(?:\*\*)?\s*$")
_ITEM = re.compile(r"\s*(?:[-*+•]|\(?\d{1,3}[.)])\s+")
_ROW = re.compile(r"\s*\|")
_RULE = re.compile(r"[\s|:=-]+$")
_QUOTE = re.compile(r"\s*>")


def _blocks(text: str) -> Iterator[_Block]:
    """Walk the lines; a block is a paragraph, a list item, a table row or a quotation."""
    reader = _Lines()
    position = 0
    for line in text.splitlines(keepends=True):
        yield from reader.take(line.rstrip(), position)
        position += len(line)
    yield from reader.flush()


class _Lines:
    """The state of reading line by line."""

    def __init__(self) -> None:
        self._fenced = False
        self._headings: dict[int, bool] = {}
        self._label: bool | None = None
        self._blank = True
        self._open: _Block | None = None

    def take(self, line: str, at: int) -> Iterator[_Block]:
        """Read one line; give the blocks that it ends."""
        if _FENCE.match(line):
            yield from self.flush()
            self._fenced = not self._fenced
        elif self._fenced:
            return
        elif not line.strip() or _RULE.match(line):
            yield from self.flush()
            self._blank = True
        elif self._titled(line):
            yield from self.flush()
        else:
            yield from self._content(line, at)

    def flush(self) -> Iterator[_Block]:
        """Give the open block, if any."""
        if self._open:
            yield self._open
        self._open = None

    def _titled(self, line: str) -> bool:
        """Whether *line* is a heading or a label alone on its line; note what it says."""
        if heading := _HEADING.match(line):
            level = len(heading[1])
            self._headings = {n: a for n, a in self._headings.items() if n < level}
            self._headings[level] = _names_aside(heading[2])
            self._label = None
            return True
        label = _LABEL.match(line)
        marked = line.rstrip().endswith((":", "**", "__", ":**"))
        if label and marked and not _ITEM.match(line):
            self._label = _names_aside(label[1])
            self._blank = False
            return True
        return False

    def _content(self, line: str, at: int) -> Iterator[_Block]:
        new = _ITEM.match(line) or _ROW.match(line) or _QUOTE.match(line)
        if self._blank and not new:
            self._label = None
        self._blank = False
        if new or not self._open:
            yield from self.flush()
            start = at + (new.end() if new else 0)
            self._open = _Block(
                start, at + len(line), self._aside, bool(new), bool(_ROW.match(line))
            )
        else:
            self._open = replace(self._open, end=at + len(line))

    @property
    def _aside(self) -> bool:
        return bool(self._label) or any(self._headings.values())


def _names_aside(title: str) -> bool:
    """Whether a heading is one under which things are named but not planned."""
    bare = re.sub(r"^[\d.\s]+|[*_:#]", "", title).strip()
    return len(bare.split()) <= 8 and bool(lexicon().aside.search(bare))


_END = re.compile(r"(?<=[.!?。！？؟])[\"'”’)*_]*\s+(?=[\"'“‘(*_\[]*[^\W_a-z])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|al|vs|fig|approx|no|cf|dr|prof|st|etc)|\b[A-Z])\.$", re.I
)
_INLINE = re.compile(r"[*_`]*([^\W\d_][\w\s-]{1,40}?)[*_`]*:[*_`]*\s")


def _cut(block: _Block, text: str) -> Iterator[Sentence]:
    """Cut a block into sentences; a table row is one, and an endless one is cut by length."""
    begin = block.start
    for end in [*_ends(block, text), block.end]:
        for start in range(begin, end, _LONGEST):
            yield _sentence(text, start, min(end, start + _LONGEST), block)
        begin = end


_LONGEST = 2000


def _ends(block: _Block, text: str) -> Iterator[int]:
    if block.row:
        return
    for match in _END.finditer(text, block.start, block.end):
        if not _ABBREVIATION.search(text[max(block.start, match.start() - 8) : match.start()]):
            yield match.end()


def _sentence(text: str, start: int, end: int, block: _Block) -> Sentence:
    body = text[start:end].rstrip(" \t\r\n|")
    start += len(body) - len(body.lstrip())
    body = body.lstrip()
    words = lexicon().words(body, start)
    cues = lexicon().cues
    label = _INLINE.match(body)
    aside = block.aside or bool(label and _names_aside(label[1]))
    clauses = _clauses(words, text)
    stances = _stances(body, start, words, clauses)
    return Sentence(
        text=body,
        start=start,
        end=start + len(body),
        words=tuple(words),
        stances=stances,
        clauses=clauses,
        meanings=frozenset().union(*(w.meanings for w in words)),
        aside=aside,
        listed=block.listed,
        planned=bool(cues["planned"].search(body)),
    )


_BREAKERS = frozenset(
    {"but", "however", "whereas", "although", "though", "while", "yet", "because", "since"}
)
_SUBJECTS = frozenset(
    {"we", "it", "they", "the", "a", "an", "each", "all", "this", "these", "our", "in"}
)
_GAP = re.compile(r"[;:—|]|\s[–-]\s")
_BE = frozenset({"is", "are", "was", "were", "be", "been", "being"})
_ADVERB = re.compile(r"\w+ly|therefore|thus|hence|then|also|still|instead|so|yet|both")


def _clauses(words: Sequence[Word], text: str) -> tuple[int, ...]:
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
    if _GAP.search(gaps[n]) or lower[n] in _BREAKERS:
        return True
    if "," in gaps[n] and lower[n] in ("we", "so", "which", "where", "yet"):
        return True
    if lower[n - 1] not in ("and", "so"):
        return False
    after_comma = n > 1 and "," in gaps[n - 1]
    if lower[n] in _SUBJECTS and (after_comma or lower[n] == "we"):
        return True
    return _new_verb(lower, n) or _new_subject(lower, first, n)


def _new_verb(lower: Sequence[str], n: int) -> bool:
    """Whether a verb of its own follows "and": "… and measure carbon"."""
    while n < len(lower) - 1 and _ADVERB.fullmatch(lower[n]):
        n += 1
    plain = not lower[n].endswith(("ing", "ed")) and stem(lower[n]) in lexicon().verbs
    return plain and n + 1 < len(lower) and lower[n + 1] not in ("of", "is", "are")


def _new_subject(lower: Sequence[str], first: int, n: int) -> bool:
    """Whether a subject with its own auxiliary follows "and": "… and cores are cut"."""
    auxiliaries = lexicon().auxiliaries
    if not auxiliaries.intersection(lower[first:n]):
        return False
    for m in range(n, min(n + 5, len(lower))):
        if lower[m] in auxiliaries:
            return m > n and not _ADVERB.fullmatch(lower[m - 1])
        if lower[m] in lexicon().places or lower[m] in ("and", "or", "not"):
            return False
    return False


def _stances(
    body: str, start: int, words: Sequence[Word], clauses: Sequence[int]
) -> tuple[Stance, ...]:
    """Say for each word whether its clause affirms it."""
    if not words:
        return ()
    if body.rstrip().endswith("?") or _CITED.search(body) or _elsewhere(body):
        return _all("told", words)
    marks = _Marks(body, start, words, clauses)
    marks.doubt()
    marks.imagine()
    marks.deny()
    marks.set_aside()
    return tuple(marks.stances)


@dataclass(frozen=True, slots=True)
class _Marks:
    """The stances of one sentence, marked word by word."""

    body: str
    start: int
    words: Sequence[Word]
    clauses: Sequence[int]
    stances: list[Stance] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "stances", ["affirmed"] * len(self.words))

    def at(self, position: int) -> int:
        """The number of the word that ends after *position* of the body."""
        found = bisect_right(self.words, position + self.start, key=lambda w: w.end)
        return min(found, len(self.words) - 1)

    def clause(self, n: int) -> tuple[int, int]:
        """The first and the last word but one of the clause that holds word *n*."""
        number = self.clauses[n]
        return bisect_left(self.clauses, number), bisect_right(self.clauses, number)

    def said(self, span: tuple[int, int]) -> str:
        """The text of the words from one to another."""
        first, last = self.words[span[0]], self.words[span[1] - 1]
        return self.body[first.start - self.start : last.end - self.start]

    def mark(self, first: int, last: int, stance: Stance) -> None:
        """Give the words from *first* up to *last* a stance."""
        self.stances[first:last] = [stance] * (last - first)

    def doubt(self) -> None:
        """Mark what may be, and what was thought of."""
        for match in lexicon().cues["maybe"].finditer(self.body):
            span = self.clause(self.at(match.start()))
            if _EITHER_ONE.match(self.body, match.start()):
                continue
            if match[0] != "May" and not _WILL.search(self.said(span)):
                self.mark(*span, "perhaps")
        for match in lexicon().cues["weighed"].finditer(self.body):
            span = self.clause(self.at(match.start()))
            turned = span[1] < len(self.words) and _TURN.search(self.body, match.end())
            turned = turned or lexicon().cues["whole"].search(self.said(span))
            self.mark(*span, "denied" if turned else "perhaps")

    def imagine(self) -> None:
        """Mark the clauses that say what would be."""
        for match in lexicon().cues["unreal"].finditer(self.body):
            self.mark(*self.clause(self.at(match.start())), "told")

    def deny(self) -> None:
        """Mark what is negated."""
        for first, last, whole in _denials(self.body):
            at = self.at(first)
            begin, end = self.clause(at)
            begin = self.scope(begin, at) if whole else at
            for n in range(begin, end):
                if whole or self.words[n].start < last + self.start:
                    self.stances[n] = "denied"
        for match in lexicon().cues["gone"].finditer(self.body):
            begin, end = self.clause(at := self.at(match.start()))
            passive = at > begin and _BE.intersection(self.said((begin, at)).lower().split())
            self.mark(*((begin, at) if passive else (at, end)), "denied")
        for match in _CONCEDED.finditer(self.body):
            self.mark(*self.clause(self.at(match.start(1))), "told")
        for match in _LEFT.finditer(self.body):
            self.mark(*self.clause(self.at(match.start())), "denied")
        for match in _FREE.finditer(self.body):
            self.stances[self.at(match.start())] = "denied"

    def scope(self, begin: int, at: int) -> int:
        """Where a negation of a verb begins: at "and" if the verb has an object of its own."""
        lower = [w.lower() for w in _WORD.findall(self.said((begin, at + 1)))]
        n = len(lower) - 1
        while n > 0 and (lower[n - 1] in lexicon().auxiliaries or _ADVERB.fullmatch(lower[n - 1])):
            n -= 1
        if n <= 1 or lower[n - 1] != "and":
            return begin
        left = [w for w in self.words[at + 1 : self.clause(at)[1]] if not w.stop]
        passive = _BE.intersection(lower[n:]) and len(left) <= _FEW
        return begin if passive else begin + n

    def set_aside(self) -> None:
        """Mark conditions, quotations, and what is said of the world before "but we"."""
        for pattern in (_QUOTED, _CONDITION):
            for match in pattern.finditer(self.body):
                if pattern is _CONDITION and _DEFINED.search(self.body, 0, match.start()):
                    continue  # "is a success if" says what is meant, not what may come
                inside = [n for n, w in enumerate(self.words)
                          if match.start() <= w.start - self.start < match.end()]  # fmt: skip
                self.mark(inside[0], inside[-1] + 1, "told") if inside else None
        if _CONCESSION.match(self.body) and (comma := self.body.find(",")) > 0:
            span = (0, self.at(comma) if comma < len(self.body) else len(self.words))
            if span[1] and not _intended(self.said(span)):
                self.mark(*span, "told")
        starts = [n for n, c in enumerate(self.clauses) if not n or c != self.clauses[n - 1]]
        spans = list(pairwise([*starts, len(self.clauses)]))
        for before, after in pairwise(spans):
            if _of_the_world(self.said(before), self.said(after)):
                self.mark(*before, "told")
            elif self.taken_back(before, after):
                self.mark(*before, "denied")
        for span in spans:
            self.state(span)

    def taken_back(self, before: tuple[int, int], after: tuple[int, int]) -> bool:
        """Whether a clause says of what another one names that it is not so."""
        denied = self.stances[after[0] : after[1]].count("denied")
        plain = all(s == "affirmed" for s in self.stances[before[0] : before[1]])
        said = self.said(after)
        if not plain or not denied or _intended(self.said(before)):
            return False
        if _BUT_IT.match(said):
            return True
        return bool(_PRONOUN.search(said)) and not _DONE.search(self.said(before))

    def state(self, span: tuple[int, int]) -> None:
        """Mark the subject of a clause that says how a thing is, not what is done with it."""
        said = self.said(span)
        found = _STATE.search(said)
        if not found or _intended(said) or _DONE.search(said) or _PROGRESS.search(said):
            return
        begins = self.words[span[0]].start
        if re.search(r"\d", said[: found.start()]):
            return  # a figure is told by such clauses
        last = next(
            (n for n in range(*span) if self.words[n].start - begins >= found.start()), span[1]
        )
        self.stances[span[0] : last] = [
            "perhaps" if s == "affirmed" else s for s in self.stances[span[0] : last]
        ]


_FEW = 2
_EITHER_ONE = re.compile(r"either\s(?:sides?|groups?|arms?|methods?|schedules?|case|way)\b", re.I)
_WILL = Cue.of(["will"])
_TURN = re.compile(r"\b(?:but|however|yet|instead|whereas|while)\b|;", re.IGNORECASE)
_LEFT = Cue(
    "leave leaves leaving left put set setting turn turned turns".split(),
    r"\b(?:leav(?:e|es|ing)|left|put|set|setting)\s(?:[^\s,;.]+\s){1,5}(?:aside|out|alone|to others)\b"
    r"|\bturn(?:ed|s)?\s(?:it|them|this|that|these|the\s\w+)\sdown\b",
)
_CONCESSION = re.compile(r"^(?:although|though|while|even though|whilst)\s", re.IGNORECASE)
_CONCEDED = Cue(
    "although though while even whilst".split(),
    r"^(?:although|though|while|even though|whilst)\s([^,;]+),[^,;]*\b(?:not|no|none|never|n[’']t)\b[^,;]*?\b(?:it|them|any|these|this|so|one)\b",
)
_FREE = Cue(["free"], r"\b\w+(?=-(?-i:free)\b)")
_CONDITION = Cue(
    "if unless in provided should were".split(),
    r"\b(?:if|unless|in case|in the event that|provided that)\b"
    r"(?:\s[^\s,;:]+){2,30}?(?=[,;:.]|\s(?:then|we|they)\b|$)"
    r"|^(?:should|were)\s(?:\w+\s){1,8}?\w+(?=,)",
)
_DEFINED = re.compile(
    r"\b(?:success\w*|counts?|counted|scored|defined|deemed|considered|classed|eligible)\b[^.;]{0,40}$",
    re.IGNORECASE,
)
_CONTRAST = re.compile(r"^(?:but|however|whereas|while|yet|although|though)\b", re.IGNORECASE)
_DONE = re.compile(
    r"\b(?:is|are|be)\s(?:\w+ly\s)?(?:\w+(?:ed|wn|en|ung|eld)|cut|put|run|made|kept|built|bought|left|sent|set|read|taught|paid|sold|lost|found|met|fed|led|done|told|shown)\b"
)
_CITED = re.compile(r"\((?:19|20)\d\d[a-z]?\)|\b[A-Z]\w+,? (?:19|20)\d\d\)")
_QUOTED = re.compile(r"[“\"«](?:[^“”\"«»\s]+\s+){2,40}[^“”\"«»]*[”\"»]")


_BUT_IT = re.compile(
    r"(?:but|yet|however)\s(?:it|they|its|their|these|this|that|none\sof|(?:stays?|remains?|is|are|does|do)\b)",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\b(?:it|they|them|this|these|those|their|its|such)\b", re.IGNORECASE)
_STATE = re.compile(
    r"\b(?:is|are|remains?|seems?|exists?|tends?\sto|becomes?|(?:has|have)\sbecome|may|might|helps?|differs?|behaves?|costs?)\b"
    r"(?!\s(?:also\s)?(?:part|among|in\sthe|the|our|used|a\ssecond|one\sof|included))",
    re.IGNORECASE,
)
_PROGRESS = re.compile(
    r"\b(?:too|also|as well|additionally|in addition|second|third|further)\b", re.IGNORECASE
)


def _intended(said: str) -> bool:
    """Whether words tell what this study does."""
    return bool(lexicon().cues["own"].search(said) or _WILL.search(said))


def _of_the_world(before: str, after: str) -> bool:
    """Whether a clause tells how things are, and the next one what this study does instead."""
    cues = lexicon().cues
    if not _CONTRAST.match(after) or not cues["own"].search(after):
        return False
    if cues["own"].search(before) or _WILL.search(before):
        return False
    return bool(cues["usual"].search(before)) or not _DONE.search(before)


_SOME = re.compile(
    r"^(?:many|most|some|other|others|several|few|numerous)\s(?:(?!of\b)[\w’'-]+\s){0,4}?"
    r"(?:have|has|do|report|reports|use|include|add|prefer|argue|pair|rely|offer|allow|combine|follow|collect|measure|recommend|treat)\b",
    re.IGNORECASE,
)


def _elsewhere(body: str) -> bool:
    """Whether a sentence tells of other work."""
    return bool(lexicon().cues["others"].search(body) or _SOME.match(body))


def _all(stance: Stance, words: Sequence[Word]) -> tuple[Stance, ...]:
    return (stance,) * len(words)


def _denials(body: str) -> Iterator[tuple[int, int, bool]]:
    """Where each negation begins, where it ends, and whether it takes in the whole clause."""
    cues = lexicon().cues
    harmless = [m.span() for cue in (cues["harmless"], _BOUNDING) for m in cue.finditer(body)]
    yield from _replaced(body)
    relative = [m.span() for m in _RELATIVE.finditer(body)]
    for first, last in relative:
        yield first, last, False
    for name in ("brief", "ahead", "whole"):
        for match in cues[name].finditer(body):
            if any(a <= match.start() < b for a, b in (*harmless, *relative)):
                continue
            comma = body.find(",", match.end()) if name == "brief" else -1
            negated = match[0].lower() == "not" and _after_auxiliary(body, match.start())
            yield match.start(), comma if comma >= 0 else len(body), name == "whole" or negated
    for match in _CONTRACTED.finditer(body):
        if not any(a <= match.start() < b for a, b in relative):
            yield match.start(), len(body), True


_BOUNDING = Cue(
    "no not never cannot t".split(),
    r"\b(?:no|not|never|cannot|\w+n[’']t)\s(?:\w+\s)?"
    r"(?:(?!other\b|rather\b)\w+er\sthan|(?:more|less)\sthan|exceed\w*|(?:below|above|over|beyond|under)\s\S*\d)",
)
_CONTRACTED = Cue(["t"], r"\b\w+(?-i:n[’']t)\b")
_RELATIVE = Cue(
    "who which that whom".split(),
    r"\b(?:who|which|that|whom)\s(?:(?:do|does|did|is|are|was|were|have|has|had|can|could|will)\s)?"
    r"(?:not|never|cannot|\w+n[’']t)\b"
    r"(?:(?:\s\w+){1,3}?(?=\s(?:is|are|was|were|will|may|can|must)\b|[,.;]|$)|(?:\s\w+){1,3})",
)
_REPLACED = Cue.of("replace replaces replaced replacing".split())
_BY = re.compile(r"\b(?:by|with)\b", re.IGNORECASE)


def _replaced(body: str) -> Iterator[tuple[int, int, bool]]:
    """What gives way to another thing: what stands before "is replaced by", or after "replace"."""
    for match in _REPLACED.finditer(body):
        by = _BY.search(body, match.end(), match.end() + 80)
        passive = by and not body[match.end() : by.start()].strip()
        clause = max(body.rfind(mark, 0, match.start()) for mark in ",;:.") + 1
        begin = clause if passive else match.start()
        yield begin, by.start() if by else len(body), False


def _after_auxiliary(body: str, position: int) -> bool:
    left = body[max(0, position - 40) : position].lower().split()
    while left and _ADVERB.fullmatch(left[-1]):
        left.pop()
    return bool(left) and left[-1] in lexicon().auxiliaries
