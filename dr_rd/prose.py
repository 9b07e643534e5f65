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
    """A pattern whose every match has one of some words; a text without them is not searched.

    Where no words are given every text is.
    """

    def __init__(self, words: Iterable[str], pattern: str) -> None:
        self._words = frozenset(words)
        self._pattern = re.compile(pattern, re.IGNORECASE)

    @classmethod
    def of(cls, phrases: Iterable[str]) -> Self:
        """Look for any of *phrases*, whole and in any case; "recruit*" is "recruited", too."""
        ordered = sorted({p.lower() for p in phrases}, key=lambda p: (p[0], -len(p), p))
        tails = {
            letter: "|".join(r"[\s-]+".join(map(_ending, p[1:].split(" "))) for p in group)
            for letter, group in groupby(ordered, key=lambda p: p[0])
        }  # parted by first letter, since a long row of choices is slow
        body = "|".join(f"{re.escape(letter)}(?:{tail})" for letter, tail in tails.items())
        firsts = [p.split()[0] for p in ordered]
        words = [] if any("*" in f for f in firsts) else [_TOKEN.findall(f)[0] for f in firsts]
        return cls(words, rf"\b(?:{body})\b")

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match in *text*."""
        return self._pattern.search(text) if self._near(text) else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Every match in *text*, in order."""
        if self._near(text):
            yield from self._pattern.finditer(text)

    def _near(self, text: str) -> bool:
        return not self._words or not self._words.isdisjoint(_spoken(text))


def _ending(word: str) -> str:
    """The pattern of a word, which "*" at its end leaves open."""
    return re.escape(word).replace(r"\*", r"\w*")


_TOKEN = re.compile(r"\w+")


@lru_cache(maxsize=8192)
def _spoken(text: str) -> frozenset[str]:
    """The words of *text* in lower case; many cues are looked for in one sentence."""
    return frozenset(_TOKEN.findall(text.lower()))


_Stems = tuple[str, ...]
_Entry = tuple[frozenset[str], tuple[tuple[_Stems, frozenset[str]], ...]]
"""What a word means alone, and the longer phrases that begin with it, with what they mean."""


class Lexicon:
    """The language files, in stems."""

    def __init__(self, raw: Mapping[str, Any], fields: Mapping[str, Mapping[str, Any]]) -> None:
        things = {
            name: _Thing(**thing) for field in fields.values() for name, thing in field.items()
        }
        sure = {name: thing.kinds for name, thing in things.items()}
        self.stopwords = frozenset(map(stem, raw["stopwords"]))
        self.generic = frozenset(map(stem, raw["generic"]))
        self.heads = frozenset(map(stem, raw["heads"]))
        self.including = frozenset(map(stem, raw["including"]))
        self.acting = frozenset(map(stem, raw["acting"]))
        self.joining = frozenset(map(stem, raw["joining"]))
        self.concepts = frozenset(things) | {g[0] for g in raw["same"] if " " in g[0]}
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
        self._signs = frozenset((stem(h), name) for name, t in things.items() for h in t.hints)
        for name in things:
            self._meanings.add(name, name, own=True)
        self._halves = self._paired(things)
        for general, phrases in {**sure, **raw["counted"]}.items():
            for phrase in (general, *phrases):
                within = set(_stems(general)) <= set(_stems(phrase))  # "ESG score" is ESG
                self._meanings.add(phrase, general if within else phrase, own=True)
                self._meanings.add(phrase, general)
        for pair in self.opposites:
            for phrase in (*pair["one"], *pair["other"]):
                self._meanings.add(phrase, phrase, own=True)
        self._meanings.close(raw["same"])
        for name, thing in things.items():
            for hint in thing.hints:
                self._meanings.add(hint, name)
        self._meanings.descend({name: (*t.kinds, *t.hints) for name, t in things.items()})
        self._meanings.descend(raw["counted"])
        self._entry = lru_cache(maxsize=65536)(self._looked_up)
        self.meanings = lru_cache(maxsize=4096)(self._all_meanings)
        self._units = lru_cache(maxsize=4096)(self._parted)
        self.aside = Cue.of(raw["aside"])
        self.cues = {name: Cue.of(raw[name]) for name in _CUES}

    def words(self, text: str, offset: int = 0, *, together: bool = True) -> list[Word]:
        """Cut *text* into words with their meanings, those of two words together with them."""
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
        return self._together(found) if together else found

    def _paired(self, things: Mapping[str, "_Thing"]) -> Mapping[str, tuple[str, str]]:
        """Mark the words of each pair of lists; for each mark, the other one and the thing meant."""
        halves: dict[str, tuple[str, str]] = {}
        for name, thing in things.items():
            for n, lists in enumerate(thing.together):
                marks = [f"{name}/{n}{side}" for side in "ab"]
                for mark, other, phrases in zip(marks, reversed(marks), lists, strict=True):
                    halves[mark] = (other, name)
                    for phrase in phrases:
                        self._meanings.add(phrase, mark)
        return halves

    def _together(self, words: list[Word]) -> list[Word]:
        """Give the later of two words that together mean a thing that meaning."""
        marked = [(n, m) for n, w in enumerate(words) for m in w.meanings if m in self._halves]
        places: dict[str, list[int]] = {}
        for n, mark in marked:
            places.setdefault(mark, []).append(n)
        for n, mark in marked:
            other, name = self._halves[mark]
            near = [m for m in places.get(other, ()) if 0 < n - m <= _REACH]
            if any("or" not in [w.stem for w in words[m:n]] for m in near):
                up = self._meanings.of(name)
                words[n] = words[n]._replace(meanings=words[n].meanings | up)
        return words

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


_CUES = ("weighed", "own", "usual", "whole", "ahead", "brief", "harmless", "unreal", "gone", "maybe", "others", "planned", "parts", "stative",
         "totals", "spending", "unspent", "taken", "lost", "evenly", "all_told", "preliminary", "single", "sole", "further", "more",
         "lasting", "durations", "moments", "covering", "entirely", "ceiling", "steady", "covariates", "minor", "besides")  # fmt: skip


_REACH = 8
"""Words from one to the other of two that mean a thing together."""


@dataclass(frozen=True, slots=True)
class _Thing:
    """How a thing is named, hinted at, and put together."""

    kinds: Sequence[str] = ()
    hints: Sequence[str] = ()
    together: Sequence[Sequence[Sequence[str]]] = ()


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

    def of(self, phrase: str) -> frozenset[str]:
        """Everything that *phrase* means."""
        key = _stems(phrase)
        return frozenset(self._by_first[key[0]][key])

    def longest(self, stems: list[str], position: int) -> tuple[int, str]:
        """The length of the longest phrase starting there, and its own meaning."""
        keys = self._by_first.get(stems[position], {})
        fit = [
            k for k in keys if k in self._own and tuple(stems[position : position + len(k)]) == k
        ]
        if not fit:
            return 1, ""
        best = max(fit, key=len)
        return len(best), self._own[best]


@lru_cache(maxsize=65536)
def _stems(phrase: str) -> tuple[str, ...]:
    return tuple(stem(m[0]) for m in _WORD.finditer(phrase))


@cache
def _stemmer() -> Any:  # noqa: ANN401 - the package ships no types
    return snowballstemmer.stemmer("english")


_IRREGULAR = {"children": "child", "mice": "mouse", "men": "man", "women": "woman", "feet": "foot",
              "criteria": "criterion", "hypotheses": "hypothesis", "people": "person",
              "persons": "person", "ran": "run", "drawn": "draw", "held": "hold"}  # fmt: skip


_ACRONYMS = re.compile(r"[A-Z][A-Z\d]+s")  # several of them, as in SNPs


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Reduce a word to its stem; British and American spellings share one."""
    if _ACRONYMS.fullmatch(word):
        word = word[:-1]
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


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@cache
def lexicon() -> Lexicon:
    """Return the lexicon; it is read once."""
    folder = files("dr_rd") / "data" / "language"
    words, things = (
        yaml.load((folder / name).read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506 - a safe loader
        for name in ("lexicon.yaml", "things.yaml")
    )
    return Lexicon(words, things)


def cued(cue: str, text: str) -> bool:
    """Whether *text* has a word or phrase of the lexicon's list *cue*."""
    return lexicon().cues[cue].search(text) is not None


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
_LEADING = frozenset(
    {
        "if",
        "when",
        "whenever",
        "because",
        "since",
        "as",
        "although",
        "though",
        "while",
        "unless",
        "once",
        "where",
        "to",
        "after",
        "before",
        "should",
        "whereas",
    }
)
"""Words that lead a clause which ends at its comma."""
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
    if "," in gaps[n] and lower[first] in _LEADING and n - first > _FEW:
        return True
    if lower[n] == "so" and lower[n + 1 : n + 2] == ["that"]:
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
            begin, end = self.clause(at := self.at(match.start()))
            if (
                match[0] == "May"
                or _EITHER_ONE.match(self.body, match.start())
                or _NEVER.match(self.body, match.end())
                or _WILL.search(self.said((begin, end)))
            ):
                continue
            if match[0].lower() == "whether":
                if _INQUIRY.search(self.body, 0, match.start()):
                    continue  # what is tested is part of the work
                begin = at
            self.mark(begin, end, "perhaps")
        for match in lexicon().cues["weighed"].finditer(self.body):
            span = self.clause(self.at(match.start()))
            turned = span[1] < len(self.words) and _TURN.search(self.body, match.end())
            refused = turned or cued("whole", self.said(span))
            self.mark(*span, "denied" if refused else "perhaps")

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
        self.drop()
        for match in _CONCEDED.finditer(self.body):
            self.mark(*self.clause(self.at(match.start(1))), "told")
        for match in _ONE_ONLY.finditer(self.body):
            self.mark(self.at(match.start()), self.at(match.end() - 1) + 1, "told")
        for match in _FREE.finditer(self.body):
            self.stances[self.at(match.start())] = "denied"

    def drop(self) -> None:
        """Mark what is removed, left aside, or not used."""
        for match in lexicon().cues["gone"].finditer(self.body):
            begin, end = self.clause(at := self.at(match.start()))
            passive = at > begin and _BE.intersection(self.said((begin, at)).lower().split())
            self.mark(*((begin, at) if passive else (at, end)), "denied")
        for match in _LEFT.finditer(self.body):
            self.mark(*self.clause(self.at(match.start())), "denied")
        for match in _UNUSED.finditer(self.body):
            self.mark(
                self.clause(self.at(match.start()))[0], self.at(match.end() - 1) + 1, "denied"
            )
        if none := _LISTED_NONE.match(self.body):
            self.mark(0, self.at(none.end()), "denied")

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
        self.concede()
        starts = [n for n, c in enumerate(self.clauses) if not n or c != self.clauses[n - 1]]
        spans = list(pairwise([*starts, len(self.clauses)]))
        for before, after in pairwise(spans):
            self.compare(before, after)
        for span in spans:
            self.state(span)

    def concede(self) -> None:
        """Mark what stands before the comma of "although …, we …"."""
        if _CONCESSION.match(self.body) and (comma := self.body.find(",")) > 0:
            span = (0, self.at(comma) if comma < len(self.body) else len(self.words))
            if span[1] and not _intended(self.said(span)):
                self.mark(*span, "told")

    def compare(self, before: tuple[int, int], after: tuple[int, int]) -> None:
        """Mark a clause by what the next one says of it, or sets against it."""
        said = self.said(before)
        if _of_the_world(said, self.said(after), parted=self.parted(after[0])):
            self.mark(*before, "told")
        elif self.taken_back(before, after):
            self.mark(*before, "denied")
        elif self.set_against(before, after):
            held = cued("stative", said)
            doubted = "perhaps" in self.stances[slice(*before)]
            self.weaken(before, "told" if held or doubted else "perhaps")

    def parted(self, n: int) -> bool:
        """Whether a semicolon or a dash stands before word *n*."""
        between = self.body[self.words[n - 1].end - self.start : self.words[n].start - self.start]
        return bool(_GAP.search(between))

    def set_against(self, before: tuple[int, int], after: tuple[int, int]) -> bool:
        """Whether one clause says how things are, and the next one sets another against it."""
        said, then = self.said(before), self.said(after)
        but = _CONTRAST.match(then) and not (_BUT_IT.match(then) or _BUT_NO.match(then))
        turned = self.parted(after[0]) or bool(_HENCE.match(then)) or bool(but)
        plain = not (_intended(said) or cued("further", said) or _DONE.search(said))
        plain = plain and not _COUNTED.search(said)
        return turned and plain and _states(said) and _states(then)

    def weaken(self, span: tuple[int, int], stance: Stance) -> None:
        """Give the words of a span that are not denied a lower stance."""
        self.stances[slice(*span)] = [
            stance if s in ("affirmed", "perhaps") else s for s in self.stances[slice(*span)]
        ]

    def taken_back(self, before: tuple[int, int], after: tuple[int, int]) -> bool:
        """Whether a clause says of what another one names that it is not so."""
        denied = self.stances[after[0] : after[1]].count("denied")
        plain = all(s == "affirmed" for s in self.stances[before[0] : before[1]])
        said = self.said(after)
        if plain and _DROPPED.search(said):
            return True
        if not plain or not denied or _intended(self.said(before)):
            return False
        if _BUT_IT.match(said):
            return True
        return bool(_PRONOUN.search(said)) and not _DONE.search(self.said(before))

    def state(self, span: tuple[int, int]) -> None:
        """Mark the subject of a clause that says how a thing is, not what is done with it."""
        said = self.said(span)
        states = lexicon().cues["stative"].finditer(said)
        found = next((m for m in states if not _NAMING.match(said, m.end())), None)
        if not found or _intended(said) or _DONE.search(said) or cued("further", said):
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
_NEVER = re.compile(r"\s(?:not|never)\b", re.IGNORECASE)
_INQUIRY = re.compile(
    r"\b(?:tests?|ask|asks|examines?|investigates?|stud(?:y|ies)|explores?|assess(?:es)?|analy[sz]es?|estimates?|look at|see|find out|tell|tells|know|learn|check|checks)\s$",
    re.IGNORECASE,
)
"""Before "whether" it says that the matter is looked into, not that it is open."""
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
_ONE_ONLY = re.compile(
    r"\bthe\s(?:only|sole|single|one)\s(?!other)(?:(?!(?:is|are|will|that|which|we)\b)[\w-]+\s?){1,3}",
    re.IGNORECASE,
)
"""What is the only one of its kind names the kind, not another of it."""
_UNUSED = re.compile(
    r"\b(?:that|which|who)\s(?:(?:is|are|was|were)\s(?:not|never)|(?:we|the\sstudy|the\strial|this\sstudy|nobody)\s(?:(?:do|does|did|will)\s(?:not|never)|never))"
    r"\s(?:be\s)?(?:opened|open|used?|touch(?:ed)?|read|consult(?:ed)?|analy[sz]ed?|need(?:ed)?|link(?:ed)?|enter(?:ed)?|request(?:ed)?|includ(?:e|ed)|see|seen|considered?)\b",
    re.IGNORECASE,
)
_LISTED_NONE = re.compile(r"[^:.;]{2,80}:\s(?:none|nil|no|not)\b", re.IGNORECASE)
_CONDITION = Cue(
    "if unless in provided should were".split(),
    r"\b(?:if|unless|in case|in the event that|provided that)\b"
    r"(?:\s[^\s,;:]+){2,30}?(?=[,;:.]|\s(?:then|we|they)\b|$)"
    r"|^(?:should|were)\s(?:\w+\s){1,8}?\w+(?=,)",
)
_DEFINED = re.compile(
    r"\b(?:success\w*|counts?|counted|scored|defined|deemed|considered|classed|eligible)\b[^.;]{0,40}$"
    r"|\b(?:is|are)\s\w+(?<!ed)\s$",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|half)\b",
    re.IGNORECASE,
)
"""Who states a figure plans with it."""
_BUT_NO = re.compile(r"\w+\s(?:no|not|nobody|none)\b", re.IGNORECASE)
_HENCE = re.compile(
    r"so\s(?!that)|which\s(?:is\swhy|would|could|means|makes|rules|leads|forces)\b", re.IGNORECASE
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
_DROPPED = re.compile(
    r"\b(?:neither|none)\b(?:\sof\s(?:them|these|those|it))?\s(?:is|are|was|were|will|has|have|can|enters?|takes|plays)\b"
    r"|\b(?:leave|leaves|left|leaving)\s(?:it|them|these|this|that|both|all)\s(?:out|aside|alone|off|away|at|there|to)\b"
    r"|\b(?:do|does|did|will|shall|can|could)(?:\snot|n[’']t)\s(?:\w+\s)?(?:use|include|touch|adopt|follow|need|run|take|add|want|pursue"
    r"|collect|enter|do|make use of|study|measure|count|analyse|analyze|ask for|look at|rely on|draw on)\s(?:it|them|so|these|this|that|any|either)\b"
    r"|\b(?:nothing|none|no one|nobody)\b[^.;,]*\b(?:it|them|there|then|these|those)\b"
    r"|\b(?:stays?|remains?)\s(?:there|where)\b|\bno such\b|\bnothing of the (?:kind|sort)\b"
    r"|\b(?:run|runs|use|uses|take|takes|include|includes|need|needs|collect|contain|contains|get|gets|receive|receives|add|adds|have|has)\s(?:none|neither|nothing)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\b(?:it|they|them|this|these|those|their|its|such)\b", re.IGNORECASE)
_NAMING = re.compile(
    r"\s(?:also\s)?(?:part|among|in\sthe|the|our|used|a\ssecond|one\sof|included)\b", re.IGNORECASE
)
"""After "is" it says that a thing is part of the work."""


def _states(said: str) -> bool:
    """Whether words are long enough to say something of a thing, and not only to name it."""
    return len(said.split()) > _FEW


def _intended(said: str) -> bool:
    """Whether words tell what this study does."""
    return bool(cued("own", said) or _WILL.search(said))


def _of_the_world(before: str, after: str, *, parted: bool = False) -> bool:
    """Whether a clause tells how things are, and the next one what this study does instead."""
    if not (parted or _CONTRAST.match(after)) or not contrasts(after):
        return False
    if _intended(before) or cued("further", before):
        return False
    return cued("usual", before) or not _DONE.search(before)


_THERE = re.compile(r"there (?:is|are)\b", re.IGNORECASE)


def contrasts(said: str) -> bool:
    """Whether words tell what this study does, or that it is the only thing."""
    return cued("own", said) or cued("sole", said)


def background(sentence: Sentence) -> bool:
    """Whether a sentence says how a thing is, not what is done with it."""
    said = sentence.text
    if sentence.planned or _THERE.match(said) or _COUNTED.search(said):
        return False
    return not (_intended(said) or cued("further", said) or _DONE.search(said))


def dropped(said: str) -> bool:
    """Whether words turn down what was named before them."""
    return bool(_DROPPED.search(said))


_SOME = re.compile(
    r"^(?:many|most|some|other|others|several|few|numerous)\s(?:(?!of\b)[\w’'-]+\s){0,4}?"
    r"(?:have|has|do|report|reports|use|include|add|prefer|argue|pair|rely|offer|allow|combine|follow|collect|measure|recommend|treat)\b",
    re.IGNORECASE,
)


def _elsewhere(body: str) -> bool:
    """Whether a sentence tells of other work."""
    return bool(cued("others", body) or _SOME.match(body))


def _all(stance: Stance, words: Sequence[Word]) -> tuple[Stance, ...]:
    return (stance,) * len(words)


def _denials(body: str) -> Iterator[tuple[int, int, bool]]:
    """Where each negation begins, where it ends, and whether it takes in the whole clause."""
    cues = lexicon().cues
    doubled = (cues["harmless"], _BOUNDING, _NONE_WITHOUT)
    harmless = [m.span() for cue in doubled for m in cue.finditer(body)]
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
            whole = name == "whole" and not _AIM.search(body, 0, match.start())
            end = _hyphenated(body, match) or (comma if comma >= 0 else len(body))
            yield match.start(), end, whole or negated
    for match in _CONTRACTED.finditer(body):
        if not any(a <= match.start() < b for a, b in relative):
            yield match.start(), len(body), True


_AIM = re.compile(r"\b(?:to|can be|could be)\s$", re.IGNORECASE)
"""Before a verb of refusal it says what something is for: "to avoid headaches"."""


def _hyphenated(body: str, match: re.Match[str]) -> int:
    """Where the word ends to which "no" is joined, as in "the no-comment group"; 0 if to none."""
    joined = re.compile(r"-\w+").match(body, match.end())
    return joined.end() if joined else 0


_BOUNDING = Cue(
    "no not never cannot t".split(),
    r"\b(?:no|not|never|cannot|\w+n[’']t)\s(?:\w+\s)?"
    r"(?:(?!other\b|rather\b)\w+er\sthan|(?:more|less)\sthan|exceed\w*|(?:below|above|over|beyond|under)\s\S*\d)",
)
_NONE_WITHOUT = re.compile(
    r"\b(?:no|never|nobody|none|no one)\b[^.;:]*?\bwithout\b", re.IGNORECASE
)
"""Two negations that make a demand: no child takes part without consent."""
_CONTRACTED = Cue(["t"], r"\b\w+(?-i:n[’']t)\b")
_RELATIVE = Cue(
    "who which that whom".split(),
    r"\b(?:who|which|that|whom)\s(?:(?:(?:we|they|it|you|the|treated|control|other|most)\s(?:\w+\s){0,2}?)?"
    r"(?:do|does|did|is|are|was|were|have|has|had|can|could|will)\s)?"
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
