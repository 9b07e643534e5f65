"""Numbers in prose: what is counted, in what unit, and how it is bounded.

Every pattern looks at a bounded stretch of text, so reading takes time in proportion to length.
"""

import re
from bisect import bisect_left
from calendar import monthrange
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal, NamedTuple

import yaml

from core.values import Frozen

Comparison = Literal[
    "at_least", "at_most", "less_than", "more_than", "exactly", "between", "about", "stated"
]

YEAR = "calendar year"
"""The noun of a number that is a year, such as 2015."""

DATE = "calendar date"
"""The noun of a number that is a date; its value is written yyyymmdd."""

TIME_UNITS = frozenset(
    {"second", "minute", "hour", "day", "week", "fortnight", "month", "year", "decade"}
)
"""Units of time."""

_TIMES = re.compile(r"\b(?:day|week|fortnight|month|year|decade|hour|term|semester|season)s?\b")
_REACH = 60  # how far left of a number its comparison and its noun are looked for
_DASH = "‐‑–—-"  # the plain one last, as character sets need
_FLIPPED: Mapping[Comparison, Comparison] = {
    "more_than": "at_most",
    "less_than": "at_least",
    "at_most": "more_than",
    "at_least": "less_than",
}


class Number(Frozen):
    """A bare number in a text."""

    value: float
    """A clock time is in hours; a date is written yyyymmdd."""
    text: str
    start: int
    end: int


class Quantity(Frozen):
    """A number, or a range of numbers, with what it counts and how it is bounded."""

    comparison: Comparison
    low: float | None = None
    """The lower bound; None where there is none."""
    high: float | None = None
    """The upper bound; None where there is none."""
    unit: str = ""
    """A unit that pint knows, or the ISO 4217 code of a currency; "" for a count."""
    noun: str = ""
    """What is counted or measured, such as "paired sites"."""
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Grammar:
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
    word: re.Pattern[str]
    unit: re.Pattern[str]
    money_before: re.Pattern[str]
    money_after: re.Pattern[str]
    date: re.Pattern[str]
    months: tuple[str, ...]


def _any(words: Iterable[str]) -> str:
    return "|".join(re.escape(w).replace(r"\ ", r"\s+") for w in sorted(words, key=len)[::-1])


def _bounded(words: Iterable[str]) -> str:
    """Match any of *words* as a whole."""
    return rf"(?<!\w)(?:{_any(words)})(?!\w)"


def _initials(words: Iterable[str]) -> str:
    """The letters that *words* begin with, for a set; looking at them first saves most time."""
    return "".join(sorted({word[0] for word in words}))


@cache
def _grammar() -> _Grammar:
    source = files("dr_rd") / "data" / "language" / "quantities.yaml"
    raw = yaml.safe_load(source.read_text(encoding="utf-8"))
    units = {alias: name for name, aliases in raw["units"].items() for alias in aliases}
    money = {alias: code for code, aliases in raw["currencies"].items() for alias in aliases}
    money |= {code: code for code in raw["currencies"]}
    counted = "|".join([_any(raw["number_words"]), _any(raw["multipliers"])])
    thousands = "|".join(f"(?<={m})" for m in raw["multipliers"])
    months = tuple(raw["months"])
    named = "|".join(f"{m}|{m[:4]}|{m[:3]}" for m in months)
    spelled = [*raw["timed"], *raw["parts"], *raw["number_words"], "a", "the"]
    return _Grammar(
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
        word=re.compile(
            rf"\b(?=[{_initials(spelled)}])(?:(?P<timed>{_any(raw['timed'])})(?=\s+(?:(?:full|whole|entire)\s+)?{_TIMES.pattern}"
            r"|(?<=half\sa)\s+(?:second|minute)\b)"
            rf"|(?P<part>{_any(raw['parts'])})(?!\w)"
            rf"|(?<![{_DASH}])(?:{_any(raw['number_words'])}|a(?=\s(?:{_any(raw['multipliers'])})\b))"
            rf"(?:(?:[\s-]|(?:{thousands})\s+and\s+){{1,2}}(?:{counted})(?!\w))*(?:[\s-]and[\s-]a[\s-]half)?(?![\w])"
            rf"|(?:an?|the)\s+(?P<ordinal>{_any(raw['ordinals'])})(?!\w)"
            r"|(?P<single>a\s+single|the\s+(?:only|sole))(?!\w))",
            re.IGNORECASE,
        ),
        unit=re.compile(
            rf"(?P<gap>[\s{_DASH}]?)(?:(?:{_any(raw['fillers'])})\s+)?"
            rf"(?P<unit>{_any(units)})(?!\w)(?:\s?(?:/|per\s)\s?(?P<per>{_any(units)})(?!\w))?"
        ),
        money_before=re.compile(rf"(?:(?<!\w)(?:{_any(money)})|[£€¥₹₩₪₺₦$])\s?$"),
        money_after=re.compile(rf"\s?(?P<unit>{_any(money)})(?!\w)"),
        date=re.compile(
            rf"\b(?=[\d{_initials(months)}])"
            r"(?:(?<!-)(?P<iso>\d{4}[-/]\d{2}[-/]\d{2})(?![\w-])"
            r"|(?<![./])(?P<one>\d{1,2})(?P<mark>[./])(?P<two>\d{1,2})(?P=mark)(?P<year3>\d{4})(?!\w)"
            rf"|(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?(?P<month>{named})\.?,?\s(?P<year>\d{{4}})(?!\w)"
            rf"|(?P<month2>{named})\.?,?\s(?:(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?,?\s)?(?:of\s)?(?P<year2>\d{{4}})(?!\w))",
            re.IGNORECASE,
        ),
        months=months,
    )


def _phrases(raw: Mapping[Comparison, list[str]]) -> dict[str, Comparison]:
    return {phrase: name for name, phrases in raw.items() for phrase in phrases}


_DIGITS = re.compile(
    r"""
    (?=[-+−.\d])
    (?P<sign>(?<![\w)\]%.])[-+−])?
    (?P<digits>
        \d{1,3}(?:[,'’\u00a0\u2009\u202f]\d{3})+(?![\d]) (?:\.\d+)?
      | \d{1,3}(?:[ ]\d{3})+(?![\d.,:/-]?\d) (?:\.\d+(?!\d))?
      | 0,\d+ | \d{1,3},\d{1,2}(?=\s?(?:years?|months?|weeks?|days?|hours?|h|kg|g|mg|cm|mm|km|kW|%|€|EUR)(?!\w))
      | (?<![\w.)\]])\.\d+
      | \d+(?:\.\d+)?(?:[eE][+-]?\d+(?![\w]))?
    )
    """,
    re.VERBOSE,
)
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"
_LOWERED = str.maketrans(_RAISED + "−", "0123456789--")
_EXPONENT = re.compile(
    rf"(?:\^|\*\*)?(?P<exponent>(?<=[\^*])[-−]?\d{{1,3}}|[{_RAISED}]{{1,3}})(?![\w.])"
)
_POWER = re.compile(rf"\s?[x×·*]\s?10{_EXPONENT.pattern}")
"""A power of ten, written as 10^6 or 10⁶."""
_COMMA = re.compile(r"\d{1,3},\d{1,2}")
"""A decimal comma, which is one only before a unit: "1,5 years"."""
_THOUSANDS = re.compile(r"\s?[kKT](?=\s?(?:[£€$¥]|(?:EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|CAD|AUD)\b))")
_HALVES: Mapping[str, float] = {"½": 1 / 2, "¼": 1 / 4, "¾": 3 / 4}
_MIXED = re.compile(r"\s?(?P<sign>[½¼¾])|\s(?P<top>\d)/(?P<bottom>[2-9])(?![\w/])")
"""What stands after a whole number and is a part of one: "7 1/2", "5½"."""
_TIME = re.compile(r"(\d{1,2}):([0-5]\d)(?::[0-5]\d)?(?![\d:])")
_TAIL = re.compile(r"[^\W\d_]+[\w*.]*|\*\w+|(?:\.\d+)+\w*")
_SIGNS = frozenset("£$€¥₹₩₪₺₦")
_SKIPPED = re.compile(
    r"https?://\S+|www\.\S+|\b10\.\d{4,9}/\S+|\barXiv[:\s]\s?\d{4}\.\d{4,5}(?:v\d+)?"
    r"|^[ \t>]*\#{1,6}[ \t]+\d+(?:\.\d+)*\.?(?=[ \t])|^[ \t>]*\d{1,3}[.)](?=[ \t])",
    re.MULTILINE | re.IGNORECASE,
)
_JOINED = re.compile(rf"[^\W\d_]*[A-Z][^\W_]*[*/{_DASH}]$|[\w][.*]$|\w$|_$")


class _Token(NamedTuple):
    """A number as written, before its surroundings are read."""

    value: float
    start: int
    end: int
    kind: Literal["digits", "word", "ordinal", "single", "date", "time", "whole"] = "digits"
    factor: float = 1.0
    """The multiplier taken in, such as 1000 for "k"."""
    grouped: bool = False
    """Whether it has separators, a sign, a point or a multiplier: then it is no year."""
    latest: float = 0.0
    """The last day that a date may be, where it names a month or may be read in two ways."""


def numbers(text: str, *, words: bool = False) -> tuple[Number, ...]:
    """Return every bare number of *text*, in order.

    Digits inside identifiers, addresses, list markers and heading numbers are no numbers. Number
    words are left out unless *words* asks for them.
    """
    kept = ("digits", "date", "time", "word") if words else ("digits", "date", "time")
    return tuple(
        Number(value=t.value, text=text[t.start : t.end], start=t.start, end=t.end)
        for t in _tokens(text)
        if t.kind in kept
    )


def _tokens(text: str) -> list[_Token]:
    grammar = _grammar()
    taken = [(m.start(), m.end()) for m in _SKIPPED.finditer(text)]
    found = [t for m in grammar.date.finditer(text) if (t := _date(grammar, m))]
    taken += [(t.start, t.end) for t in found]
    found += _outside(found, _words(grammar, text))
    found += _digits(grammar, text, sorted(taken))
    return sorted(found, key=lambda t: t.start)


def _outside(dates: list[_Token], words: Iterable[_Token]) -> list[_Token]:
    """The number words that are no part of a date; both come in order."""
    starts = [d.start for d in dates]
    return [
        w for w in words if (n := bisect_left(starts, w.end)) == 0 or dates[n - 1].end <= w.start
    ]


def _date(grammar: _Grammar, match: re.Match[str]) -> _Token | None:
    if iso := match["iso"]:
        value = float(re.sub(r"\D", "", iso))
        return _Token(value, match.start(), match.end(), "date")
    if match["year3"]:
        return _numeric_date(match)
    name = (match["month"] or match["month2"]).lower()
    month = next(n for n, m in enumerate(grammar.months, 1) if m.startswith(name[:3]))
    day = match["day"] or match["day2"]
    year = match["year"] or match["year2"]
    first = _day(year, month, int(day or 1))
    if not 1 <= int(day or 1) <= 31:
        return None
    return _Token(
        first,
        match.start(),
        match.end(),
        "date",
        latest=first if day else first + monthrange(int(year), month)[1] - 1,
    )


def _numeric_date(match: re.Match[str]) -> _Token | None:
    """Read 5/11/2027: the day first, or the month first, or both where both can be."""
    one, two, year = int(match["one"]), int(match["two"]), match["year3"]
    pairs = [(one, two)] if match["mark"] == "." else [(one, two), (two, one)]
    values = sorted(_day(year, m, d) for d, m in pairs if 1 <= m <= 12 and 1 <= d <= 31)
    if not values:
        return None
    return _Token(values[0], match.start(), match.end(), "date", latest=values[-1])


def _day(year: str, month: int, day: int) -> float:
    return float(int(year) * 10000 + month * 100 + day)


def _words(grammar: _Grammar, text: str) -> Iterator[_Token]:
    for match in grammar.word.finditer(text):
        if match["ordinal"]:
            value = float(grammar.ordinals[match["ordinal"].lower()])
            yield _Token(value, match.start(), match.end(), "ordinal", grouped=True)
        elif (part := match["part"] or match["timed"]) and (
            match["part"] or _timed(text, match.start(), part)
        ):
            value = grammar.parts[re.sub(r"[\s-]+", " ", part.lower())]
            yield _Token(value, match.start(), match.end(), "whole", grouped=True)
        elif match["timed"]:
            continue
        elif match["single"]:
            yield _Token(1.0, match.start(), match.end(), "single", grouped=True)
        else:
            value = _spelled(grammar, match[0])
            yield _Token(value, match.start(), match.end(), "word", grouped=True)


_LASTING = re.compile(
    r"\b(?:lasts?|takes?|took|runs?(?:\s+for)?|spans?|for|within|than|exceeds?|is|to)\s+$",
    re.IGNORECASE,
)


_WHOLE_TIME = re.compile(r"an?\s+(?:decade\b|\w+\s+and\s+a\s+half\b)", re.IGNORECASE)


def _timed(text: str, start: int, part: str) -> bool:
    """Whether "an" of "an hour" counts: "lasts an hour", but not "twice an hour"."""
    lasting = _LASTING.search(text[max(0, start - 16) : start])
    return len(part) > 2 or bool(lasting or _WHOLE_TIME.match(text, start))


def _spelled(grammar: _Grammar, words: str) -> float:
    """Add up number words: "two hundred and fifty" is 250."""
    total = part = 0.0
    for word in re.split(r"[\s-]+", words.lower()):
        if word in grammar.words:
            part += grammar.words[word] if word != "dozen" or not part else 11 * part
        elif word == "hundred":
            part = (part or 1) * 100
        elif word in grammar.multipliers:
            total += (part or 1) * grammar.multipliers[word]
            part = 0.0
    return total + part + (0.5 if words.lower().endswith("half") else 0.0)


def _digits(grammar: _Grammar, text: str, taken: list[tuple[int, int]]) -> Iterator[_Token]:
    """Read the digits outside of *taken*, which is in order."""
    position, skip = 0, iter([*taken, (len(text) + 1, len(text) + 1)])
    barred = next(skip)
    while match := _DIGITS.search(text, position):
        while barred[1] <= match.start():
            barred = next(skip)
        if match.end() > barred[0]:
            position = max(barred[1], position + 1)
            continue
        token, position = _digit(grammar, text, match)
        if token:
            yield token


def _digit(grammar: _Grammar, text: str, match: re.Match[str]) -> tuple[_Token | None, int]:
    """Read one run of digits; give the token, if it is a number, and where to go on."""
    start = match.start()
    if text[match.end() : match.end() + 1] == ":" and (time := _TIME.match(text, start)):
        value = int(time[1]) + int(time[2]) / 60
        return _Token(value, time.start(), time.end(), "time", grouped=True), time.end()
    tail = _TAIL.match(text, match.end())
    if (
        start
        and text[start - 1] not in " \n("
        and _JOINED.search(text[max(0, start - 24) : start])
    ):
        return None, tail.end() if tail else match.end()
    if "." in match["digits"] and (dotted := _dotted(grammar, text, start)):
        return dotted, dotted.end
    value = _value(match["digits"]) * (-1 if match["sign"] in ("-", "−") else 1)
    grouped = not match["digits"].isdigit() or bool(match["sign"])
    if not grouped and (part := _MIXED.match(text, match.end())):
        whole = _Token(value + _part_of_one(part), start, part.end(), grouped=True)
        return whole, part.end()
    if powered := _powered(text, _Token(value, start, match.end(), grouped=True)):
        return powered, powered.end
    if not tail:
        return _multiplied(grammar, text, _Token(value, start, match.end(), grouped=grouped))
    plain = _Token(value, start, match.end(), grouped=True)
    if factor := _suffix(grammar, tail[0].rstrip("."), text[max(0, start - 4) : start]):
        end = tail.start() + len(tail[0].rstrip("."))
        return _scaled(plain, factor, end), end
    if tail[0].rstrip(".") in grammar.units or tail[0] == "x":
        return plain, match.end()
    return None, tail.end()


def _part_of_one(match: re.Match[str]) -> float:
    if match["sign"]:
        return _HALVES[match["sign"]]
    return int(match["top"]) / int(match["bottom"])


_DOTTED = re.compile(r"(\d{1,3}(?:\.\d{3})+)(?:,\d{2})?(?![\d.,]*\d)")


def _dotted(grammar: _Grammar, text: str, start: int) -> _Token | None:
    """Read the points of "EUR 135.000" as separators; only money is written so."""
    match = _DOTTED.match(text, start)
    if not match:
        return None
    money = grammar.money_before.search(text[max(0, start - 6) : start])
    if not money and not grammar.money_after.match(text, match.end()):
        return None
    return _Token(float(match[1].replace(".", "")), start, match.end(), grouped=True)


def _suffix(grammar: _Grammar, tail: str, before: str) -> float | None:
    """The factor that a suffix stands for; m is a million only after a currency."""
    coin = before[-1:] in _SIGNS or before.strip() in grammar.currencies
    return 1e6 if tail == "m" and coin else grammar.suffixes.get(tail)


_GREATEST = 1e30
_HIGHEST = 30  # the power of ten of it
"""Larger figures are slips of the keyboard; they stay finite so that they can be compared."""


def _value(digits: str) -> float:
    if digits.startswith("0,") or _COMMA.fullmatch(digits):
        return float(digits.replace(",", "."))
    return min(float(re.sub(r"[,'’\s]", "", digits)), _GREATEST)


def _powered(text: str, token: _Token) -> _Token | None:
    """Take in a power of ten: "2 × 10^6", "10⁶"."""
    if power := _POWER.match(text, token.end):
        base = token
    elif token.value == 10 and (power := _EXPONENT.match(text, token.end)):
        base = token._replace(value=1.0)
    else:
        return None
    exponent = int(power["exponent"].translate(_LOWERED).strip("-") or 0)
    sign = -1 if power["exponent"][0] in "⁻-−" else 1
    return _scaled(base, 10.0 ** (sign * min(exponent, _HIGHEST)), power.end())


def _multiplied(grammar: _Grammar, text: str, token: _Token) -> tuple[_Token, int]:
    """Take in a multiplier that follows: "2 million", "25 k€"."""
    if thousands := _THOUSANDS.match(text, token.end):
        return _scaled(token, 1000, thousands.end()), thousands.end()
    match = grammar.multiplier.match(text, token.end)
    if not match:
        return token, token.end
    return _scaled(token, grammar.multipliers[match[0][1:]], match.end()), match.end()


def _scaled(token: _Token, factor: float, end: int) -> _Token:
    return token._replace(value=token.value * factor, factor=factor, end=end, grouped=True)


def months() -> tuple[str, ...]:
    """The names of the months, in lower case."""
    return _grammar().months


def spelled() -> Mapping[str, float]:
    """What the words for numbers mean: "two", "twelve", "ninety"."""
    return _grammar().words


def is_money(unit: str) -> bool:
    """Whether *unit* is the code of a currency."""
    return len(unit) == 3 and unit.isupper()


@lru_cache(maxsize=1024)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Return every quantity that *text* states, in order."""
    return tuple(_read(text))


_DASHED = re.compile(rf"\s?[{_DASH}]\s?")
_TO = re.compile(r"\s+to\s+|\s+through\s+")
_AND = re.compile(r"\s+and\s+")
_TOLERANCE = re.compile(r"\s?(?:\+/[-−]|±|\+-)\s?$")


def _read(text: str) -> Iterator[Quantity]:
    grammar, tokens = _grammar(), _tokens(text)
    position = 0
    whole: Quantity | None = None
    while position < len(tokens):
        token = tokens[position]
        span = _Span(grammar, text, _left(text, token.start), token)
        if position + 1 < len(tokens) and span.joins(tokens[position + 1]):
            position += 1
            span = replace(span, last=tokens[position])
        position += 1
        found = span.quantity()
        if whole and (both := _added(whole, found, text)):
            whole = both
            continue
        if whole:
            yield whole
        whole = found
    if whole:
        yield whole


_PARTS: Mapping[tuple[str, str], float] = {
    ("year", "month"): 12,
    ("month", "week"): 4,
    ("week", "day"): 7,
    ("day", "hour"): 24,
    ("hour", "minute"): 60,
    ("minute", "second"): 60,
}
"""How many of a smaller unit of time make one of a larger, that both tell one length."""
_AND_PART = re.compile(r"(?:,?\sand\s|,\s|\s)")


def _added(whole: Quantity, part: Quantity, text: str) -> Quantity | None:
    """Both as one length where the second goes on with the first: "one year and six months"."""
    share = _PARTS.get((whole.unit, part.unit))
    bare = not whole.noun or whole.noun not in (*whole.text.split(), "age")
    told = bare and "".join(part.noun.split()[-1:]) in whole.text  # no noun, or that before it
    told = told and part.low == part.high and part.low is not None
    if not share or not told or part.comparison != "stated":
        return None
    if (part.low or 0) >= share or not _AND_PART.fullmatch(text[whole.end : part.start]):
        return None
    more = (part.low or 0) / share
    update = {
        "low": None if whole.low is None else whole.low + more,
        "high": None if whole.high is None else whole.high + more,
        "text": text[whole.start : part.end],
        "end": part.end,
    }
    return whole.model_copy(update=update)


_APART = re.compile(r"[\s.,;)|]+")
_SENTENCE = re.compile(
    r".*(?:[;:!?()\n]|(?<!\bmax)(?<![^\W\d]\smin)(?<!\Amin)(?<!\bca)(?<!\bapprox)\.\s)",
    re.DOTALL | re.IGNORECASE,
)
_NOUN_WORD = re.compile(rf"[\s{_DASH}]{{1,2}}([^\W\d_][\w’'-]*)")
_WORDS = re.compile(r"[^\W\d_][\w’'-]*|,")
_BETWEEN = re.compile(r"(?:between|from)\s+[£$€]?$", re.IGNORECASE)
_COMPARED = re.compile(r"\b(?!other|rather|wheth)(\w+er)\s+than\s+(?:an?\s+)?$", re.IGNORECASE)
_AGED = re.compile(r"\bage[ds]?(?:\s+of)?\s*$", re.IGNORECASE)
_BETWEEN_AGES = re.compile(
    r"\b(?:people|adults|adolescents|children|workers|persons|pupils|volunteers|men|women|students|patients|those|everyone|everybody|anyone"
    r"|participants)\s+(?:who\s+are\s+|are\s+)?(?:between|from|over|under|above|below|older\s+than|younger\s+than|up\s+to)\s+$",
    re.IGNORECASE,
)
_OR_SO = re.compile(r"\s+or\s+so(?=\s+[a-z])")
_OLD = re.compile(r"\s+(?:of\s+age|old)\b")
_SYMBOL = re.compile(r"(?:[<>]=?|[=≤≥≈~])\s*$")
_NEGATED = re.compile(
    r"\b(?:no|not|never|cannot|n[’']t)(?:\s+(?:be|to|fall|go|drop|last|run|take|cost))?\s+$"
    r"|\b(?:not|never|cannot|n[’']t)\s+\w+\s+$",
    re.IGNORECASE,
)
_OVER = re.compile(r"\bover\s+(?:(?:the|an?)\s+)?$", re.IGNORECASE)
_ALL_OVER = re.compile(
    r"\b(?:over|beyond|above)\s+(?:all\s+)?(?:the|these|those|our)\s+$", re.IGNORECASE
)
"""Before a figure it says where something is done: "over the 30 objects"."""
_FILLERS = frozenset(
    ["", *"a an the of to age aged ages specified stated planned given original".split()]
)
_YEAR_LEAD = re.compile(
    r"\b(?:in|since|the|from|by|until|during|years?|and|of|after|before|mid|early|late|to)\W*$",
    re.IGNORECASE,
)
_EARLIEST = 1400
_ERA = re.compile(
    r"\b(?:period|years?|from|between|covers?|window|in|spans?|is)\W*$", re.IGNORECASE
)
_FOLLOWED = re.compile(r"\s+[^\W\d_]|\s?[%£$€¥₹₩₪₺₦]")


def _left(text: str, position: int) -> str:
    before = text[max(0, position - _REACH) : position]
    ended = _SENTENCE.match(before)
    return before[ended.end() :] if ended else before


@dataclass(frozen=True, slots=True)
class _Span:
    """One number, or the two ends of a range, in its text."""

    grammar: _Grammar
    text: str
    left: str
    """The text before, in reach and in the same line and sentence."""
    first: _Token
    last: _Token | None = None

    @property
    def end(self) -> int:
        """Where the digits end."""
        return (self.last or self.first).end

    def joins(self, other: _Token) -> bool:
        """Whether *other* is the far end of a range, or a tolerance."""
        kinds = {self.first.kind, other.kind}
        if other.start - self.first.end > 24 or kinds & {"ordinal", "single"}:
            return False
        gap = self.text[self.first.end : other.start]
        if (unit := self._unit_at(self.first.end)) and unit[1] <= other.start:
            gap = self.text[unit[1] : other.start]
        if self._worded(gap):
            return other.value >= self.first.value
        if self.text[other.start] in "-−+" and other.kind == "digits":
            gap += self.text[other.start]
        ordered = abs(other.value) >= abs(self.first.value)
        return bool(_TOLERANCE.fullmatch(gap) or (ordered and _DASHED.fullmatch(gap)))

    def _worded(self, gap: str) -> bool:
        """Whether words stand between the ends of a range, so that a sign is the second one's."""
        between = _AND.fullmatch(gap) and _BETWEEN.search(self.left)
        return bool(between or _TO.fullmatch(gap))

    def quantity(self) -> Quantity:
        """Read the surroundings."""
        year = self._is_year()
        unit, after = ("", self.end) if year else self._unit()
        comparison, cue, passed = self._comparison(unit, after)
        noun, end = (YEAR, after) if year else self._noun(unit, passed)
        if not noun:
            end = after
            noun = self._left_noun(cue)
        if comparison == "stated" and not year:
            comparison = self._trailing(unit, end) or comparison
        if comparison == "more_than" and self._lasts(unit, noun):
            comparison = "stated"
        if (
            _AGED.search(self.left)
            or (
                not unit
                and not year
                and not self._named(passed)
                and _BETWEEN_AGES.search(self.left)
                and self.first.value < 120
            )
            or (unit == "year" and _OLD.match(self.text, after))
            or noun == "years of age"
            or (unit == "year" and noun.split()[:1] in (["old"], ["olds"]))
        ):
            unit, noun = "year", "age"
        low, high, comparison = self._bounds(comparison)
        start = self.first.start - cue
        shown = self.text[start:end].rstrip()
        return Quantity(
            comparison=comparison,
            low=low,
            high=high,
            unit=unit,
            noun=noun,
            text=shown,
            start=start,
            end=start + len(shown),
        )

    def _named(self, position: int) -> str:
        """The noun right after the figure, if any."""
        return self._noun("", position)[0]

    def _lasts(self, unit: str, noun: str) -> bool:
        """Whether "over" means "in the course of": "over 12 months"."""
        over = _OVER.search(self.left)
        return bool(over) and bool(_TIMES.search(f"{unit} {noun}"))

    def _bounds(self, comparison: Comparison) -> tuple[float | None, float | None, Comparison]:
        value = self.first.value
        if self.last is None and self.first.latest and comparison == "stated":
            return value, self.first.latest, comparison
        if self.last is None:
            low = None if comparison in ("at_most", "less_than") else value
            high = None if comparison in ("at_least", "more_than") else value
            if comparison == "at_most" and self.first.latest:
                high = self.first.latest  # "no later than June 2027" is by its end
            return low, high, comparison
        gap = self.text[self.first.end : self.last.start + 1]
        signed = bool(re.search(r"\s(?:and|to|through)\s", gap))
        other = self.last.value if signed else abs(self.last.value)
        if "±" in gap or "+" in gap:
            return value - other, value + other, "about"
        factor = self.last.factor if self.first.factor == 1 else 1
        return (value * factor if value * factor <= other else value), other, "between"

    def _unit(self) -> tuple[str, int]:
        """The unit, and where the text after it starts."""
        if self.first.kind in ("date", "time", "ordinal", "single"):
            return "", self.end
        if found := self._money():
            return self.grammar.currencies[found.strip()], self.end
        if after := self.grammar.money_after.match(self.text, self.end):
            return self.grammar.currencies[after["unit"]], after.end()
        return self._unit_at(self.end) or ("", self.end)

    def _money(self) -> str:
        """The currency before the number, as written."""
        found = self.grammar.money_before.search(self.left[-6:])
        return found[0] if found else ""

    def _unit_at(self, position: int) -> tuple[str, int] | None:
        found = self.grammar.unit.match(self.text, position)
        if not found or (found["unit"] in self.grammar.letters and not self._letter(found)):
            return None
        name = self.grammar.units[found["unit"]]
        if found["per"]:
            return f"{name}/{self.grammar.units[found['per']]}", found.end()
        return name, found.end()

    def _letter(self, found: re.Match[str]) -> bool:
        """Whether a single letter is a unit here, and not a name such as vitamin C."""
        follows = self.text[found.end() : found.end() + 1]
        return found["gap"] not in tuple(_DASH) and follows not in ("-", "'", "’", "*")

    def _noun(self, unit: str, position: int) -> tuple[str, int]:
        """The noun phrase right after the number, and where it ends."""
        if self.first.kind == "date":
            return DATE, position
        words: list[str] = []
        if loose := _OR_SO.match(self.text, position):
            position = loose.end()
        while len(words) < 4 and (match := _NOUN_WORD.match(self.text, position)):
            if match[1].lower() in self.grammar.stops or "\n\n" in match[0]:
                break
            words.append(match[1])
            position = match.end()
            if match[0][0] in _DASH and not unit:
                break
        return " ".join(words), position

    def _left_noun(self, cue: int) -> str:
        """The noun phrase before the comparison: "analysis period" of "… must not exceed 10"."""
        left = self.left[: len(self.left) - max(cue, len(self._money()))]
        words = _WORDS.findall(left)
        while words and (words[-1].lower() in self.grammar.links or words[-1] == ","):
            words.pop()
        kept: list[str] = []
        stops = self.grammar.stops
        while words and len(kept) < 3 and words[-1].lower() not in stops and words[-1] != ",":
            kept.insert(0, words.pop())
        return " ".join(kept)

    def _comparison(self, unit: str, after: int) -> tuple[Comparison, int, int]:
        """How the number is bounded, how far left that is said, and where the noun may start."""
        shown = len(self._money()) if unit else 0
        bare = self.left[: len(self.left) - shown]
        if before := self._leading(bare):
            return before[0], before[1] + shown, after
        if trailing := self._trails(unit, after):
            return trailing[0], shown, trailing[1]
        kinds: dict[str, Comparison] = {"ordinal": "at_least", "single": "exactly"}
        return kinds.get(self.first.kind, "stated"), shown, after

    def _leading(self, left: str) -> tuple[Comparison, int] | None:
        """The comparison at the end of *left*, and its length."""
        if symbol := _SYMBOL.search(left[-4:]):
            return self.grammar.before[symbol[0].strip()], len(symbol[0])
        if _ALL_OVER.search(left):
            return None
        words = left.split(" ")[-7:]
        while words and words[-1].lower() in _FILLERS:
            words.pop()
        if words[-2:] == ["a", "total"]:
            words = words[:-2]
        for size in (3, 2, 1):
            phrase = " ".join(words[-size:])
            if len(words) >= size and (name := self.grammar.before.get(phrase.lower())):
                start = left.rfind(phrase)
                return self._flipped(name, left, start)
        if "than" in left.lower() and (compared := _COMPARED.search(left)):
            smaller = compared[1].lower() in self.grammar.smaller
            return self._flipped("less_than" if smaller else "more_than", left, compared.start())
        return None

    def _flipped(self, name: Comparison, left: str, start: int) -> tuple[Comparison, int]:
        """Turn the comparison round where a negation stands before it."""
        if negated := _NEGATED.search(left, 0, start):
            return _FLIPPED.get(name, name), len(left) - negated.start()
        return name, len(left) - start

    def _trails(self, unit: str, position: int) -> tuple[Comparison, int] | None:
        """The comparison right after *position*, and where it ends."""
        right = self.text[position : position + 24]
        if right[:1] == "+" and right[1:2] not in ("/", "-"):
            return "at_least", position + 1
        if not self.grammar.trailing.match(right):
            return None  # most figures have no such words after them
        words = _APART.split(right.strip(), maxsplit=3)[:3]
        if words[:2] == ["or", "better"]:
            return ("at_least" if unit == "percent" else "at_most"), position + 10
        for size in (3, 2, 1):
            phrase = " ".join(words[:size])
            if len(words) >= size and (name := self.grammar.after.get(phrase.lower())):
                return name, position + right.find(words[size - 1]) + len(words[size - 1])
        return None

    def _trailing(self, unit: str, position: int) -> Comparison | None:
        found = self._trails(unit, position)
        return found[0] if found else None

    def _is_year(self) -> bool:
        """Whether the number is a calendar year."""
        if not _EARLIEST <= self.first.value <= 2100 or not self._plain(self.first):
            return False
        if self.first.value < 1900 and not (self.last and _ERA.search(self.left)):
            return False
        if self.last:
            return self._plain(self.last) and self.last.value <= 2100
        if _YEAR_LEAD.search(self.left[-10:]):
            return True
        return not _FOLLOWED.match(self.text, self.end) and not self._money()

    def _plain(self, token: _Token) -> bool:
        return token.kind == "digits" and not token.grouped
