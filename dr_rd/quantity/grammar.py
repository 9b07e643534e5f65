"""How numbers are written, bounded and counted in English: the language file, compiled."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from dr_rd.files import read_yaml
from dr_rd.quantity.values import Comparison

TIMES = re.compile(r"\b(?:day|week|fortnight|month|year|decade|hour|term|semester|season)s?\b")

DASH = "‐‑–—-"  # the plain one last, as character sets need


@dataclass(frozen=True, slots=True)
class Grammar:
    """The language file, compiled."""

    words: Mapping[str, float]
    ordinals: Mapping[str, int]
    parts: Mapping[str, float]
    multipliers: Mapping[str, float]
    suffixes: Mapping[str, float]
    units: Mapping[str, str]
    currencies: Mapping[str, str]
    letters: frozenset[str]
    smaller: frozenset[str]
    stops: frozenset[str]
    links: frozenset[str]
    before: Mapping[str, Comparison]
    after: Mapping[str, Comparison]
    trailing: re.Pattern[str]
    """How a text begins that one of *after* may begin."""
    multiplier: re.Pattern[str]
    spaced: Mapping[str, float]
    thousands: re.Pattern[str]
    """One of *spaced* before a currency."""
    millions: re.Pattern[str]
    """One of *spaced* after a figure that a currency stands before."""
    word: re.Pattern[str]
    unit: re.Pattern[str]
    money_before: re.Pattern[str]
    money_after: re.Pattern[str]
    date: re.Pattern[str]
    quarter: re.Pattern[str]
    """A quarter or a half of a year: "Q3 2027", "the first half of 2027"."""
    undated: re.Pattern[str]
    """A date that lacks its year: "end of June", "Q2", "by 30 June"."""
    dayless: re.Pattern[str]
    """A date of which nobody can tell the last day: "mid-2027", "spring 2027", "early in 2027"."""
    nth: Mapping[str, int]
    months: tuple[str, ...]


def _any(words: Iterable[str]) -> str:
    return "|".join(re.escape(w).replace(r"\ ", r"\s+") for w in sorted(words, key=len)[::-1])


def _initials(words: Iterable[str]) -> str:
    """The letters that *words* begin with, for a set; looking at them first saves most time."""
    return "".join(sorted({word[0] for word in words}))


@cache
def compiled() -> Grammar:
    """The language file, read once."""
    raw = read_yaml("language", "quantities.yaml")
    units = {alias: name for name, aliases in raw["units"].items() for alias in aliases}
    money = {alias: code for code, aliases in raw["currencies"].items() for alias in aliases}
    money |= {code: code for code in raw["currencies"]}
    counted = "|".join([_any(raw["number_words"]), _any(raw["multipliers"])])
    thousands = "|".join(f"(?<={m})" for m in raw["multipliers"])
    months = tuple(raw["months"])
    named = "|".join(f"{m[:3]}(?:{m[3:]}|{m[3:4]})?" if m[3:] else m for m in months)
    spelled = [*raw["timed"], *raw["parts"], *raw["number_words"], "a", "the"]
    return Grammar(
        words=raw["number_words"],
        ordinals=raw["ordinals"],
        parts={**raw["parts"], **raw["timed"]},
        multipliers=raw["multipliers"],
        suffixes=raw["suffixes"],
        units=units,
        currencies=money,
        letters=frozenset(raw["letters"]),
        smaller=frozenset(raw["smaller"]),
        stops=frozenset(raw["stops"]),
        links=frozenset(raw["links"]) | {w for p in _phrases(raw["before"]) for w in p.split()},
        before=_phrases(raw["before"]),
        after=_phrases(raw["after"]),
        trailing=re.compile(
            rf"\s*(?:{_any({p.split()[0] for p in _phrases(raw['after'])})})(?!\w)", re.IGNORECASE
        ),
        multiplier=re.compile(rf"[\s-](?:{_any(raw['multipliers'])})(?!\w)"),
        spaced=raw["spaced"],
        thousands=re.compile(
            rf"\s?(?P<name>{_any(raw['spaced'])})\.?(?=\s?(?:[£€$¥]|(?:{_any(raw['currencies'])})\b))"
        ),
        millions=re.compile(rf"\s(?P<name>{_any(raw['spaced'])})(?![\w'’/*^-])"),
        word=re.compile(
            rf"\b(?=[{_initials(spelled)}])(?:(?P<timed>{_any(raw['timed'])})(?=\s+(?:(?:full|whole|entire)\s+)?{TIMES.pattern}"
            r"|(?<=half\sa)\s+(?:second|minute)\b)"
            rf"|(?P<part>{_any(raw['parts'])})(?!\w)"
            rf"|(?<![{DASH}])(?:{_any(raw['number_words'])}|a(?=\s(?:{_any(raw['multipliers'])})\b))"
            rf"(?:(?:[\s-]|(?:{thousands})\s+and\s+){{1,2}}(?:{counted})(?!\w))*(?:[\s-]and[\s-]a[\s-]half)?(?![\w])"
            rf"|(?:an?|the)\s+(?P<ordinal>{_any(raw['ordinals'])})(?!\w)"
            r"|(?P<single>a\s+single|the\s+(?:only|sole))(?!\w))",
            re.IGNORECASE,
        ),
        unit=re.compile(
            rf"(?P<gap>[\s{DASH}]?)(?:(?:{_any(raw['fillers'])})\s+)?"
            rf"(?P<unit>{_any(units)})(?!\w)(?:\s?(?:/|per\s)\s?(?P<per>{_any(units)})(?!\w))?"
        ),
        money_before=re.compile(rf"(?:(?<!\w)(?:{_any(money)})|[£€¥₹₩₪₺₦$])\s?$"),
        money_after=re.compile(rf"(?:[.,][{DASH}]{{1,2}})?\s?(?P<unit>{_any(money)})(?!\w)"),
        date=re.compile(
            rf"\b(?=[\d{_initials(months)}])"
            r"(?:(?<!-)(?P<iso>\d{4}[-/]\d{2}[-/]\d{2})(?![\w-])"
            r"|(?<![./])(?P<one>\d{1,2})(?P<mark>[./])(?P<two>\d{1,2})(?P=mark)(?P<year3>\d{4})(?!\w)"
            rf"|(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?(?P<month>{named})\.?,?\s(?P<year>\d{{4}})(?!\w)"
            rf"|(?P<month2>{named})\.?,?\s(?:(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?,?\s)?(?:of\s)?(?P<year2>\d{{4}})(?!\w))",
            re.IGNORECASE,
        ),
        quarter=re.compile(
            rf"\b(?=[\dthqls{_initials(raw['nth'])}])"
            rf"(?:(?:the\s)?(?P<word>{_any(raw['nth'])}|last)\s(?P<part>quarter|half)\s(?:of\s)?(?P<year>\d{{4}})(?!\w)"
            rf"|(?:(?P<from>[QH][1-4])\s?(?:[{DASH}]|to|through|and)\s?)?(?P<short>[QH][1-4])(?:[\s/-]|,?\s(?:of\s)?)?(?P<year2>\d{{4}})(?!\w)"
            r"|(?P<year3>\d{4})[\s/-]?(?P<short2>[QH][1-4])(?!\w))",
            re.IGNORECASE,
        ),
        undated=re.compile(
            rf"(?:^|\b(?:by|before|until|till|in|of|end|mid|early|late|start|due|deadline|on|ends?|expires?|closes?|lapses?|out|valid)\b:?[\s-])(?:the\s)?(?:end\sof\s|start\sof\s)?(?:the\s)?"
            rf"(?:(?:\d{{1,2}}(?:st|nd|rd|th)?\s(?:of\s)?)?(?:{named})\b\.?(?:\s\d{{1,2}}(?:st|nd|rd|th)?\b)?|[QH][1-4]\b"
            rf"|(?:{_any(raw['nth'])}|last)\s(?:quarter|half)\b|(?:{_any(raw['seasons'])})\b|(?:this|next|the|of)\syear\b)"
            r"(?!(?:[\s/-]|,?\s(?:of\s)?)?\d{4})",
            re.IGNORECASE,
        ),
        dayless=re.compile(
            rf"\b(?:(?:mid|middle|early|late|beginning|start)[\s-](?:(?:of|in)\s)?(?:the\s)?(?:year\s)?|(?:the\s)?(?:[\w-]+\sseason|{_any(raw['seasons'])})(?:,?\s(?:of|in)\s|,?\s))"
            rf"(?:19|20)\d\d(?:[/{DASH}]\d{{2,4}})?\b|\b(?:19|20)\d\d(?:[/{DASH}]\d{{2,4}})?\s(?:[\w-]+\s)?(?:seasons?|{_any(raw['seasons'])})\b",
            re.IGNORECASE,
        ),
        nth=raw["nth"],
        months=months,
    )


def _phrases(raw: Mapping[Comparison, list[str]]) -> dict[str, Comparison]:
    return {phrase: name for name, phrases in raw.items() for phrase in phrases}


def months() -> tuple[str, ...]:
    """The names of the months, in lower case."""
    return compiled().months


def spelled() -> Mapping[str, float]:
    """What the words for numbers mean: "two", "twelve", "ninety"."""
    return compiled().words
