"""Changes in prose: by what share of its old value something becomes less or more."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Literal

from core.values import Frozen
from dr_rd.files import read_yaml
from dr_rd.quantity import Comparison, Quantity
from dr_rd.text import Cue, lexicon, stem

Way = Literal["down", "up"]
_NEAR = 80  # characters from the word for a change to its amount


class Change(Frozen):
    """By how much something changes."""

    way: Way
    share: Quantity
    """Of the old value, without a unit: 0.2 for "down by 20 %", 1 for "doubled"."""
    rest: str
    """The text without the words of the change: what changes."""


class Changing(Frozen):
    """The words for changes; `data/language/changes.yaml`."""

    down: tuple[str, ...]
    up: tuple[str, ...]
    down_done: tuple[str, ...]
    up_done: tuple[str, ...]
    times_up: Mapping[str, float]
    times_down: Mapping[str, float]
    shares: Mapping[str, float]
    past: tuple[str, ...]
    supposed: tuple[str, ...]
    bounded: Mapping[str, Comparison]
    old: tuple[str, ...]
    against: tuple[str, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """All that tell of a change."""
        once = (*self.down, *self.up, *self.down_done, *self.up_done)
        return (*once, *self.times_up, *self.times_down)


@cache
def changing() -> Changing:
    """Return the lists; they are read once."""
    return Changing.model_validate(read_yaml("language", "changes.yaml"))


def changes(text: str) -> Iterator[Change]:
    """Return the changes that *text* tells of, but those that a participle puts into the past."""
    if not _sign().search(text):
        return
    for times in _times().finditer(text):
        if not _past(text, times):
            values = changing().times_up if times["up"] else changing().times_down
            share = values[_plain(times["up"] or times["down"])]
            way: Way = "up" if times["up"] else "down"
            yield Change(way=way, share=_quantity(times, share, share), rest=_without(text, times))
    for amount in _amount().finditer(text):
        word = _word(text, amount)
        if word and not _past(text, word):
            way = "down" if word["down"] else "up"
            low, high = _values(amount)
            yield Change(
                way=way, share=_quantity(amount, low, high), rest=_without(text, word, amount)
            )


def _plain(words: str) -> str:
    return re.sub(r"[\s-]+", " ", words.lower())


def _any(words: Iterable[str]) -> str:
    return "|".join(w.replace(" ", r"[\s-]") for w in sorted(words, key=len, reverse=True))


def changes_of(text: str) -> tuple[str, ...]:
    """The words of *text* for what changes, in the lexicon's units, without those for the change."""
    said = lexicon().units(text, generic=True)
    return tuple(u for u in said if u not in _telling() and not u[0].isdigit())


@cache
def _telling() -> frozenset[str]:
    return frozenset(map(stem, (*changing().words, *changing().old)))


@cache
def _sign() -> Cue:
    """The words without one of which a text tells of no change."""
    return Cue.of(changing().words)


@cache
def _way() -> re.Pattern[str]:
    said = changing()
    down, up = _any((*said.down, *said.down_done)), _any((*said.up, *said.up_done))
    return re.compile(rf"(?<![\w-])(?:(?P<down>{down})|(?P<up>{up}))(?![\w-])", re.IGNORECASE)


def _cue() -> str:
    return rf"(?:(?P<cue>{_any(changing().bounded)})\s)?"


@cache
def _times() -> re.Pattern[str]:
    said = changing()
    return re.compile(
        rf"(?<![\w-]){_cue()}(?:(?P<up>{_any(said.times_up)})|(?P<down>{_any(said.times_down)}))(?![\w-])",
        re.IGNORECASE,
    )


@cache
def _amount() -> re.Pattern[str]:
    number = r"\d+(?:[.,]\d+)?"
    return re.compile(
        rf"(?<![\w.,]){_cue()}(?:(?P<low>{number})(?:\s?%?(?:\s?[-–]\s?|\sto\s)(?P<high>{number}))?\s?(?:%|percent\b|per\scent\b)(?!\s?points?)"
        rf"|(?:an?\s|one\s)?(?P<share>{_any(changing().shares)})(?![\w-]))",
        re.IGNORECASE,
    )


_TOLD = re.compile(r"\s|[^,;.]*?\s(?:by|of)\s", re.IGNORECASE)
"""What may stand between the word for a change and its amount: "cut energy use by 20 %"."""


def _word(text: str, amount: re.Match[str]) -> re.Match[str] | None:
    """The word for the change of which an amount is told: right after it, or before it."""
    if after := _way().match(text, amount.end() + 1):
        return after
    begin = max(0, amount.start() - _NEAR)
    before = list(_way().finditer(text, begin, amount.start()))
    told = before and _TOLD.fullmatch(text, before[-1].end(), amount.start())
    return before[-1] if told else None


def _values(amount: re.Match[str]) -> tuple[float, float]:
    if amount["share"]:
        share = changing().shares[_plain(amount["share"])]
        return share, share
    low = float(amount["low"].replace(",", ".")) / 100
    return low, float(amount["high"].replace(",", ".")) / 100 if amount["high"] else low


def _quantity(match: re.Match[str], low: float, high: float) -> Quantity:
    comparison = changing().bounded.get(_plain(match["cue"] or ""), "stated")
    return Quantity(
        comparison=comparison if comparison != "stated" or low == high else "between",
        low=None if comparison == "at_most" else low,
        high=None if comparison == "at_least" else high,
        text=match[0],
        start=match.start(),
        end=match.end(),
    )


def _past(text: str, word: re.Match[str]) -> bool:
    """Whether a participle tells of what was: "was reduced", "we reduced"."""
    said = (word["down"] or word["up"]).lower()
    done = said in (*changing().down_done, *changing().up_done) or said.endswith("ed")
    begin = word.start("down") if word["down"] else word.start("up")
    return done and bool(_before_done().search(text, max(0, begin - _NEAR), begin))


@cache
def _before_done() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_any(changing().past)})\s(?:\w+ly\s)?$", re.IGNORECASE)


def _without(text: str, *matches: re.Match[str]) -> str:
    """The text without the words of a change, and without what it is told against."""
    spans = sorted(m.span() for m in matches)
    parts, last = list[str](), 0
    for start, end in spans:
        parts.append(text[last:start])
        last = max(last, end)
    return " ".join([*parts, _against().sub("", text[last:])])


@cache
def _against() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_any(changing().against)})\b.*", re.IGNORECASE | re.DOTALL)
