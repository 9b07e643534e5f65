"""What a text only says again: the brief's items and its objective, which commit it to nothing."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from core.values import Frozen
from dr_rd.checks.items import Ledger
from dr_rd.files import read_yaml
from dr_rd.text import Page, Sentence, Word, lexicon, stem

_MOST_NEW = 0.2
"""Share of a sentence's words beyond which it says more than the objective does."""
_MOST_OF = 0.6
"""Share of the objective's words from which a sentence says it again."""


class Restating(Frozen):
    """The headings that quote a brief, and the words that lead in; `data/language/restating.yaml`."""

    asked: frozenset[str]
    framing: frozenset[str]


@cache
def restating() -> Restating:
    """Return the lists; they are read once."""
    return Restating.model_validate(read_yaml("language", "restating.yaml"))


@dataclass(frozen=True, slots=True)
class Restated:
    """The sentences of a text that say the brief again."""

    promised: dict[str, Sentence]
    """For each item the sentence that commits to it in its own words, if one does."""
    named: frozenset[int]
    """Where sentences begin that say an item again, be it to promise or to name it."""
    objective: frozenset[int]
    """Where sentences begin that say the objective again and nothing beside it."""


def restated(ledger: Ledger, page: Page) -> Restated:
    """Find what *page* says again of the brief that *ledger* is of."""
    plain = {s.start: _plain(s.text) for s in page.sentences}
    asked = _Places(page.text)
    promised: dict[str, Sentence] = {}
    named = {s.start for s in page.sentences if " is " in s.text and _VERDICT.search(s.text)}
    for item in ledger.items:
        words = _plain(item.text)
        for sentence in (s for s in page.sentences if words in plain[s.start]):
            if not sentence.planned and _only(words, plain[sentence.start]):
                named.add(sentence.start)
                if not (sentence.aside or _quoted(sentence) or asked.quotes(sentence.start)):
                    promised.setdefault(item.id, sentence)
            elif item.id in sentence.text:
                named.add(sentence.start)
    return Restated(promised, frozenset(named), frozenset(_again(ledger.objective, page)))


# --- The objective


def _again(objective: str, page: Page) -> Iterator[int]:
    """Where the sentences begin that say the objective, or one sentence of it, again."""
    parts = (objective, *re.split(r"(?<=[.?!])\s+", objective))
    said = [words for part in dict.fromkeys(parts) if (words := _content(lexicon().words(part)))]
    for sentence in page.sentences:
        own = _content(sentence.words)
        if any(_repeats(own, words) for words in said):
            yield sentence.start


def _content(words: Iterable[Word]) -> frozenset[str]:
    return frozenset(w.stem for w in words if not w.stop) - _framing()


@cache
def _framing() -> frozenset[str]:
    return frozenset(stem(w) for w in restating().framing)


def _repeats(own: frozenset[str], said: frozenset[str]) -> bool:
    new = own - said
    figures = any(w[0].isdigit() for w in new)
    enough = len(own & said) >= _MOST_OF * len(said)
    return enough and not figures and len(new) <= _MOST_NEW * len(own)


# --- The items

_LABELS = frozenset(
    "ban bans banned constraint criterion limit not done excluded stays out of the work is met".split()
)
"""Words that go with an item where it is only named."""

_VERDICT = re.compile(r"\b[CSB]\d\d\b is (?:met|violated|unclear|not checkable)\b")
"""A sentence that reports what a check like this one found."""

_WORD = re.compile(r"\w+")
_ID = re.compile(r"\b[CSB]\d\d\b")


def _quoted(sentence: Sentence) -> bool:
    """Whether the item stands in quotation marks, or in a table: named, not promised."""
    return bool(re.search(r"[“\"«|]", sentence.text))


def _only(item: str, sentence: str) -> bool:
    """Whether a sentence says the item and nothing beside it but labels."""
    before, _, after = sentence.partition(item)
    return bool(item.strip()) and {*before.split(), *after.split()} <= _LABELS


def _plain(text: str) -> str:
    """The words of *text* in lower case, without ids of items, each between spaces."""
    return " ".join(["", *_WORD.findall(_ID.sub("", text).lower()), ""])


class _Places:
    """The headings and labels of a text, and whether they quote the brief."""

    def __init__(self, text: str) -> None:
        self._found = [(m.end(), _title(m[0])) for m in _TITLE.finditer(text)]

    def quotes(self, start: int) -> bool:
        """Whether what stands at *start* is under a heading, or a label, that quotes the brief."""
        at = bisect_right(self._found, start, key=lambda f: f[0])
        return at > 0 and self._found[at - 1][1] in restating().asked


_TITLE = re.compile(r"^ {0,3}(?:#{1,6}[ \t]+[^\n]+|(?:\*\*|__)?[^\W\d_][^.!?|:*\n]{0,60}(?:\*\*:?|__:?|:(?:\*\*|__)?)[ \t]*$)",
                    re.MULTILINE)  # fmt: skip


def _title(line: str) -> str:
    """A heading or label as words in lower case, without its number."""
    return " ".join(re.findall(r"[^\W\d_]+", line.lower()))
