"""Figures of other languages in the notation that the reader of amounts knows: `data/reading/notation.yaml`.

Only dates, numbers, units and bounds are rewritten; each rewriting keeps its place in the source.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import NamedTuple

from core.values import Frozen
from dr_rd.files import read_yaml
from dr_rd.language import languages
from dr_rd.quantity import months
from dr_rd.reading.places import Mapped, rewritten


class Notation(Frozen):
    """How one language writes what is rewritten."""

    months: tuple[str, ...]
    days: str = ""
    """Regular expression of a day before its month; {month} stands for all months."""
    years: str = ""
    """The same of a month before its year."""
    words: Mapping[str, tuple[str, ...]]
    before_figure: Mapping[str, tuple[str, ...]] = {}
    """Words that are rewritten only right before a figure or a month."""
    between_figures: Mapping[str, tuple[str, ...]] = {}


class _Rule(NamedTuple):
    pattern: re.Pattern[str]
    replace: Callable[[re.Match[str]], str]


def understood(name: str) -> bool:
    """Whether figures of the language *name* are read: English, or one that can be rewritten."""
    return name in ("english", "unknown") or name in _notations()


def anglicised(text: str, name: str) -> Mapped:
    """Return *text*, of the language *name*, with its figures as in English."""
    return rewritten(text, _replacements(text, name))


def _replacements(text: str, name: str) -> Iterator[tuple[int, int, str]]:
    for rule in _rules(name):
        for found in rule.pattern.finditer(text):
            if (said := rule.replace(found)) != found[0]:
                yield found.start(), found.end(), said


@cache
def _notations() -> Mapping[str, Notation]:
    raw = read_yaml("reading", "notation.yaml")
    return {name: Notation.model_validate(held) for name, held in raw.items()}


@cache
def _rules(name: str) -> tuple[_Rule, ...]:
    if name not in _notations():
        return ()
    rules = _chinese() if name == "chinese" else _european(name)
    return tuple(rules)


def _european(name: str) -> Iterator[_Rule]:
    held = _notations()[name]
    month = "|".join(map(re.escape, held.months))
    yield _Rule(re.compile(r"(?<![\w.,])\d{1,3}(?:\.\d{3})+(?:,\d+)?(?![\w.]*\d)"), _grouped)
    yield _Rule(re.compile(r"(?<![\w.,])\d+,(?:\d{1,2}|\d{4,})(?![\d,.]*\d)"), _grouped)
    for pattern, keep in ((held.days, r"\1 "), (held.years, r"\1 ")):
        if pattern:
            found = re.compile(pattern.replace("{month}", f"(?:{month})"), re.IGNORECASE)
            yield _Rule(found, partial(_expanded, held, keep))
    named = dict(zip((m.lower() for m in held.months), months(), strict=True))
    yield _Rule(
        re.compile(rf"\b(?:{month})(?=\s+\d{{4}}|\b)", re.IGNORECASE),
        lambda m: named[m[0].lower()].capitalize(),
    )
    numbers = {w: v for w, v in languages().numbers.get(name, {}).items() if v < 100}
    if numbers:
        spelled = re.compile(rf"\b(?:{'|'.join(sorted(numbers, key=len)[::-1])})\b", re.IGNORECASE)
        yield _Rule(spelled, lambda m: str(numbers[m[0].lower()]))
    yield from (_Rule(p, partial(_said, said)) for p, said in _worded(held, month))


def _worded(held: Notation, month: str) -> Iterator[tuple[re.Pattern[str], str]]:
    for said, words in held.words.items():
        yield re.compile(rf"(?<!\w)(?:{_any(words)})(?!\w)", re.IGNORECASE), said
    for said, words in held.before_figure.items():
        yield (
            re.compile(
                rf"(?<!\w)(?:{_any(words)})(?=[\s-]+(?:[\d€£$]|(?:{month})\b))", re.IGNORECASE
            ),
            said,
        )
    for said, words in held.between_figures.items():
        pattern = rf"(?<=\d\s)(?:{_any(words)})(?=\s\d)|(?<=%\s)(?:{_any(words)})(?=\s\d)"
        yield re.compile(pattern, re.IGNORECASE), said


def _any(words: tuple[str, ...]) -> str:
    return "|".join(re.escape(w) for w in sorted(words, key=len)[::-1])


def _said(said: str, match: re.Match[str]) -> str:  # noqa: ARG001 - a rule's form
    return said


def _expanded(held: Notation, pattern: str, match: re.Match[str]) -> str:
    return _dated(match.expand(pattern), held)


def _grouped(match: re.Match[str]) -> str:
    return match[0].replace(".", "").replace(",", ".")


def _dated(said: str, held: Notation) -> str:
    """A day with its blank, or a month with it in English."""
    bare = said.strip().lower()
    names = [m.lower() for m in held.months]
    return f"{months()[names.index(bare)].capitalize()} " if bare in names else said


_TENS = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}
_ONES = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"两": 2}


def _chinese() -> Iterator[_Rule]:
    held = _notations()["chinese"]
    yield _Rule(
        re.compile(r"(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]"),
        lambda m: f" {int(m[3])} {months()[(int(m[2]) - 1) % 12].capitalize()} {m[1]} ",
    )
    yield _Rule(
        re.compile(r"(\d{4})\s*年\s*(\d{1,2})\s*月(?:底|末)?(?!\s*\d)"),
        lambda m: f" {months()[(int(m[2]) - 1) % 12].capitalize()} {m[1]} ",
    )
    yield _Rule(re.compile(r"(\d{4})\s*年(?!\s*\d)(?=[底末初前内以])"), lambda m: f" {m[1]} ")
    money = r"(?P<coin>(?:元人民币|人民币元|元|人民币))"
    yield _Rule(
        re.compile(rf"(?P<n>\d[\d,]*(?:\.\d+)?)\s*(?P<by>[千万亿]?)\s*{money}"),
        lambda m: f" {_scaled(m['n'], m['by']):g} CNY ".replace("e+06", "000000"),
    )
    yield _Rule(
        re.compile(r"(?P<n>\d+(?:\.\d+)?)\s*(?P<by>[千万亿])"),
        lambda m: f" {_scaled(m['n'], m['by']):.0f} ",
    )
    yield _Rule(
        re.compile(
            r"[一二三四五六七八九两十]{1,3}(?=个|名|位|例|份|所|家|只|台|周|年|天|组|次|轮|种|倍)"
        ),
        lambda m: f" {_spelled(m[0])} ",
    )
    before = r"(?<=[\d\s%])"
    for said, words in held.words.items():
        counted = said.strip() in _COUNTED
        yield _Rule(
            re.compile(rf"{before if counted else ''}(?:{_any(words)})"), partial(_said, said)
        )
    yield _Rule(
        re.compile(r"(?<=[\u3400-\u9fff])(?=\d)|(?<=\d)(?=[\u3400-\u9fff])"), partial(_said, " ")
    )


_COUNTED = ("", "seconds", "minutes", "hours", "days", "weeks", "months", "years", "kg", "to")
"""What is rewritten only after a figure."""


def _scaled(number: str, by: str) -> float:
    return float(number.replace(",", "")) * _TENS.get(by, 1)


def _spelled(word: str) -> int:
    """The value of a numeral below a hundred."""
    tens, ten, ones = word.partition("十")
    if not ten:
        return _ONES.get(word[-1], 0)
    return (_ONES.get(tens, 1) if tens else 1) * 10 + (_ONES.get(ones, 0) if ones else 0)
