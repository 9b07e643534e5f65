"""Prose as code can compare it: stems, meanings, sentences, and what a sentence affirms."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Literal

import snowballstemmer
import yaml

Stance = Literal["affirmed", "perhaps", "denied", "told"]

_WORD = re.compile(r"[^\W_]+(?:[’'][^\W_]+)?")


@dataclass(frozen=True, slots=True)
class Word:
    """One word: its stem, the meanings that begin with it, and where it stands."""

    stem: str
    meanings: frozenset[str]
    start: int
    end: int
    stop: bool
    """Whether it carries no meaning of its own."""


class Lexicon:
    """The language file, in stems."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.stopwords = frozenset(map(stem, raw["stopwords"]))
        self.generic = frozenset(map(stem, raw["generic"]))
        self.heads = frozenset(map(stem, raw["heads"]))
        self.including = frozenset(map(stem, raw["including"]))
        self.acting = frozenset(map(stem, raw["acting"]))
        self.stretching = frozenset(map(stem, raw["stretching"]))
        self.relational = frozenset(map(stem, raw["relational"]))
        self.reasons = frozenset(raw["reasons"])
        self.places = frozenset(raw["places"])
        self.sampled = frozenset(map(stem, raw["sampled"]))
        self.auxiliaries = frozenset(raw["auxiliaries"])
        self.opposites: list[dict[str, Any]] = raw["opposites"]
        self._meanings = _Phrases()
        for group in raw["same"]:
            for phrase in group:
                self._meanings.add(phrase, group[0])
        for general, kinds in raw["kinds"].items():
            for phrase in (general, *kinds):
                self._meanings.add(phrase, general)
        for pair in self.opposites:
            for phrase in (*pair["one"], *pair["other"]):
                self._meanings.add(phrase, phrase)
        self._meanings.close(raw["same"])
        self.aside = _cues(raw["aside"])
        self.cues = {name: _cues(raw[name]) for name in _CUES}

    def words(self, text: str, offset: int = 0) -> list[Word]:
        """Cut *text* into words with their meanings."""
        spans = [(m.start() + offset, m.end() + offset, stem(m[0])) for m in _WORD.finditer(text)]
        stems = [s for _, _, s in spans]
        return [
            Word(s, self._meanings.at(stems, n), start, end, s in self.stopwords)
            for n, (start, end, s) in enumerate(spans)
        ]

    def units(self, phrase: str, *, generic: bool = False) -> tuple[str, ...]:
        """The meanings that tell *phrase* from others; general words count only if alone."""
        units = self._units(phrase)
        told = tuple(u for u in units if u not in self.generic)
        return units if generic or not told else told

    def _units(self, phrase: str) -> tuple[str, ...]:
        stems = [stem(m[0]) for m in _WORD.finditer(phrase)]
        units: list[str] = []
        position = 0
        while position < len(stems):
            size, meaning = self._meanings.longest(stems, position)
            if meaning or stems[position] not in self.stopwords:
                units.append(meaning or stems[position])
            position += size
        return tuple(dict.fromkeys(units))


_CUES = ("whole", "ahead", "brief", "harmless", "unreal", "maybe", "others", "planned", "parts",
         "totals", "each")  # fmt: skip


class _Phrases:
    """Phrases, in stems, and what they mean."""

    def __init__(self) -> None:
        self._by_first: dict[str, dict[tuple[str, ...], set[str]]] = {}

    def add(self, phrase: str, meaning: str) -> None:
        key = _stems(phrase)
        self._by_first.setdefault(key[0], {}).setdefault(key, set()).add(meaning)

    def close(self, groups: Iterable[Sequence[str]]) -> None:
        """Give the words of a group every meaning that any of them has."""
        for group in groups:
            keys = [_stems(p) for p in group]
            everything = set().union(*(self._by_first[k[0]][k] for k in keys))
            for key in keys:
                self._by_first[key[0]][key] |= everything

    def at(self, stems: list[str], position: int) -> frozenset[str]:
        """The word at *position*, and everything that a phrase starting there means."""
        found = {stems[position]}
        for key, meanings in self._by_first.get(stems[position], {}).items():
            if tuple(stems[position : position + len(key)]) == key:
                found |= meanings
        return frozenset(found)

    def longest(self, stems: list[str], position: int) -> tuple[int, str]:
        """The length of the longest phrase starting there, and its own meaning."""
        keys = self._by_first.get(stems[position], {})
        fit = [k for k in keys if tuple(stems[position : position + len(k)]) == k]
        if not fit:
            return 1, ""
        best = max(fit, key=len)
        return len(best), min(keys[best], key=lambda m: (_stems(m) != best, m))


def _stems(phrase: str) -> tuple[str, ...]:
    return tuple(stem(m[0]) for m in _WORD.finditer(phrase))


def _cues(phrases: Iterable[str]) -> re.Pattern[str]:
    ordered = sorted(phrases, key=len)[::-1]
    body = "|".join(r"[\s-]+".join(map(re.escape, p.split(" "))) for p in ordered)
    return re.compile(rf"\b(?:{body})\b", re.IGNORECASE)


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
        at = next((c for w, c in zip(self.words, self.clauses, strict=True) if w.end > start), 0)
        held = [w for w, c in zip(self.words, self.clauses, strict=True) if c == at]
        if not held:
            return self.text
        return self.text[held[0].start - self.start : held[-1].end - self.start]

    def stance(self, start: int) -> Stance:
        """Whether the sentence affirms what stands at the position *start*."""
        return next(
            (s for w, s in zip(self.words, self.stances, strict=True) if w.end > start),
            self.stances[-1] if self.stances else "affirmed",
        )


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


def _clauses(words: Sequence[Word], text: str) -> tuple[int, ...]:
    """Number the clauses: they part at conjunctions, semicolons, dashes and new subjects."""
    numbers: list[int] = []
    now = 0
    for n, word in enumerate(words):
        gap = text[words[n - 1].end : word.start] if n else ""
        lower = text[word.start : word.end].lower()
        before = text[words[n - 1].start : words[n - 1].end].lower() if n else ""
        comma_before_and = n > 1 and "," in text[words[n - 2].end : words[n - 1].start]
        if n and (
            re.search(r"[;:—|]|\s[–-]\s", gap)
            or lower in _BREAKERS
            or ("," in gap and lower in ("we", "so"))
            or (
                before in ("and", "so")
                and lower in _SUBJECTS
                and (comma_before_and or lower == "we")
            )
        ):
            now += 1
        numbers.append(now)
    return tuple(numbers)


def _stances(
    body: str, start: int, words: Sequence[Word], clauses: Sequence[int]
) -> tuple[Stance, ...]:
    """Say for each word whether its clause affirms it."""
    cues = lexicon().cues
    stances: list[Stance] = ["affirmed"] * len(words)
    ends = [w.end for w in words]
    if not words:
        return ()
    if body.rstrip().endswith("?") or _CITED.search(body) or _elsewhere(body):
        return _all("told", words)
    doubted = cues["maybe"].search(body) and not re.search(r"\bwill\b", body)
    if doubted:
        stances = ["perhaps"] * len(words)
    for first, last, whole in _denials(body):
        at = min(bisect_right(ends, first + start), len(words) - 1)
        for n in range(*_clause_span(clauses, at, whole=whole)):
            if whole or words[n].start < last + start:
                stances[n] = "denied"
    for match in _QUOTED.finditer(body):
        for n, word in enumerate(words):
            if match.start() + start <= word.start < match.end() + start:
                stances[n] = "told"
    return tuple(stances)


_CITED = re.compile(r"\((?:19|20)\d\d[a-z]?\)|\b[A-Z]\w+,? (?:19|20)\d\d\)")
_QUOTED = re.compile(r"[“\"«](?:[^“”\"«»\s]+\s+){2,40}[^“”\"«»]*[”\"»]")


def _elsewhere(body: str) -> bool:
    """Whether a sentence tells of other work, or of what would have been."""
    cues = lexicon().cues
    return bool(cues["others"].search(body) or cues["unreal"].search(body))


def _all(stance: Stance, words: Sequence[Word]) -> tuple[Stance, ...]:
    return (stance,) * len(words)


def _denials(body: str) -> Iterator[tuple[int, int, bool]]:
    """Where each negation begins, where it ends, and whether it takes in the whole clause."""
    cues = lexicon().cues
    harmless = [m.span() for m in cues["harmless"].finditer(body)]
    for name in ("brief", "ahead", "whole"):
        for match in cues[name].finditer(body):
            if any(a <= match.start() < b for a, b in harmless):
                continue
            comma = body.find(",", match.end()) if name == "brief" else -1
            negated = match[0].lower() == "not" and _after_auxiliary(body, match.start())
            yield match.start(), comma if comma >= 0 else len(body), name == "whole" or negated
    for match in _CONTRACTED.finditer(body):
        yield match.start(), len(body), True


_CONTRACTED = re.compile(r"\b\w+n[’']t\b")


def _clause_span(clauses: Sequence[int], at: int, *, whole: bool) -> tuple[int, int]:
    """The words from *at*, or from the beginning, to the end of the clause."""
    first = bisect_left(clauses, clauses[at]) if whole else at
    return first, bisect_right(clauses, clauses[at])


def _after_auxiliary(body: str, position: int) -> bool:
    before = re.search(r"(\w+)\s+$", body[max(0, position - 20) : position])
    return bool(before) and before is not None and before[1].lower() in lexicon().auxiliaries
