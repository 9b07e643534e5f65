"""Who works: roles, how many, for what share of their time and at what rate."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import zip_longest

from dr_rd.files import read_yaml
from dr_rd.reading.amounts import Amount
from dr_rd.reading.labels import label_kind
from dr_rd.reading.months import month_names
from dr_rd.reading.segments import Segment
from dr_rd.reading.tagged import Chances, Tagged
from dr_rd.study.values import Person

_NOT_HERE = ("background", "objective", "exclusion", "inclusion", "ban", "admin", "title")
_PERCENT = r"(?P<percent>\d{1,3}(?:\.\d+)?)\s?(?:%|percent|per cent)"
_TIME = (
    r"(?P<fte>\d?\.\d+|\d)\s?FTE\b|\bfte\W{0,3}(?P<key>\d?\.?\d+)"
    r"|(?P<full>\bfull[\s-]time\b|\bVollzeit\b|à plein temps|a tiempo completo|全职)"
    r"|(?P<half>\bhalf[\s-](?:time|a post|position|dedication)\b|\bhalber? Stelle|à mi-temps|media jornada|半职)"
    r"|(?P<quarter>\bquarter[\s-](?:time|of (?:his|her|their|my) time)\b)"
    r"|(?P<days>\d(?:\.\d)?|half an?|an?|one|two|three|four|five)\s?(?:working\s)?(?:days?|d|Tage?|jours?|días?)(?:\sof\s\w+\shours)?\s?(?:an?|per|every|each|/|pro|par|por)\s?(?:w(?:ee)?k|Woche|semaine|semana)"
    r"|(?P<hours>\d{1,2}|two|three|four|five|six|eight|ten|twelve)\s?h(?:ours?|rs?)?\s?(?:an?|per|every|each|/)\s?w(?:ee)?k"
)
_SHARE = re.compile(rf"{_PERCENT}|{_TIME}", re.IGNORECASE)
_BARE_SHARE = re.compile(r"\s*@?\s*(?P<bare>0?\.\d+|1\.0)(?![\d.]*\s?(?:%|[€$£]|[A-Z]{3}\b|\w))")
"""A share without a unit right behind a role: "PI 0.1"."""
_FRACTIONS = {"half a": 0.5, "half an": 0.5, "a": 1.0, "an": 1.0}
_RATE = re.compile(
    r"^\s*(?:\w+\s){0,2}?(?:a|an|per|/|each|la|le|pro|je|al)\s*(?P<per>day|hour|hr|h|month|year|Tag|Stunde|jour|heure|día|hora|days?|hours)\b",
    re.IGNORECASE,
)
_PER = {
    "h": "hour",
    "hr": "hour",
    "hrs": "hour",
    "hours": "hour",
    "d": "day",
    "days": "day",
    "months": "month",
    "mo": "month",
    "tag": "day",
    "stunde": "hour",
    "jour": "day",
    "heure": "hour",
    "día": "day",
    "hora": "hour",
}
_ARTICLE = re.compile(r"^(?:an?|one|the|my|our|eine?r?|une?|una|uno|1)$", re.IGNORECASE)
_TOKEN = re.compile(r"[^\W\d_][\w’'-]*|\d+(?:\.\d+)?|[\u3400-\u9fff]+")
_NO_COUNT = r"(?!\.?\d|\s*(?:[x×%€$£/–-]|h\b|hours?|days?|weeks?|months?|FTE|percent|[A-Z]{3}\b))"
_HOW_MANY = re.compile(
    rf"\s*(?:[:,|]|,?\s?\b(?:n|count|number)\b:?)\s*(?P<n>\d{{1,2}})\b{_NO_COUNT}"
)
"""A number behind the role: "Test riders, 25"."""
_BY_NAME = re.compile(
    rf"(?<![\w.])(?P<name>(?:(?:Dr|Prof)\.?\s)?(?!I\s)[A-ZÄÖÜÉ][a-zà-ÿ'’-]+(?:\s[A-ZÄÖÜÉ][a-zà-ÿ'’-]+){{0,2}}|me|I)"
    rf"(?P<between>(?P<does>\s[a-z][^,;.()\d]{{2,40}}\s?\()|\s?\((?P<role>[^\W\d_][^(),;]{{1,30}}?),\s?|\W{{1,3}}(?:(?:has|have|is|works|gives?|can give|with|at|works on it|on it)\s)?(?:for\s|about\s|on it\s|at\s)?)"
    rf"(?:{_PERCENT}|{_TIME})",
)
"""Somebody who is named with a share: "Ana, half time", "Lee (project lead, 40 %)"."""


def is_of_person(segment: Segment) -> bool:
    """Whether what a segment says is somebody's share, time and absence, and no term of the work."""
    if segment.kind != "people":
        return False
    called = _LISTED.match(segment.text) if segment.form == "item" else None
    return bool(called or _roles().search(segment.text))


_LISTED = re.compile(
    r"(?:(?P<n>\d{1,2}|[Oo]ne|[Tt]wo|[Tt]hree|[Ff]our|[Ff]ive|[Ss]ix|[Aa]n?)\s)?(?P<role>[^\W\d_][\w’'-]*(?:\s[a-zà-ÿ][\w’'-]*){0,3}?)"
    r"(?P<name>(?:\s(?:Dr|Prof)\.?)?(?:\s[A-ZÄÖÜÉ][a-zà-ÿ'’-]+){2})?(?P<end>,|\s(?:from|in|at|of|for)\b|$)"
)
"""An item that begins with a role: "Adjudicator Claire Whitcombe from legal", "One scorer, 190 euros a day"."""


def people_of(found: Tagged) -> Iterator[tuple[Person, int, int]]:
    """Yield the people, each with where the document names them."""
    inside: dict[Segment, list[tuple[Amount, Chances]]] = {}
    for amount, chances in found.amounts.items():
        inside.setdefault(amount.segment, []).append((amount, chances))
    for row in _rows(found.segments):
        if row[0].kind in _NOT_HERE:
            continue
        if len(row) > 1 and (
            person := _in_row(row, [a for s in row for a, _ in inside.get(s, [])])
        ):
            yield person
            continue
        for segment in row:
            held = inside.get(segment, [])
            if person := _labelled(segment, [a for a, _ in held]):
                yield person
                continue
            yield from _in_segment(
                segment, [a for a, _ in held], {a: p["person"] for a, p in held}
            )


def _labelled(segment: Segment, held: Sequence[Amount]) -> tuple[Person, int, int] | None:
    """The person whom a label names: "Interviewers: 6 (22 EUR per hour)"."""
    label = segment.labels[-1].strip() if segment.labels and segment.own else ""
    if segment.form == "row" or segment.nth or not _ROLE_LABEL.match(label) or label_kind(label):
        return None
    if not any(m.end() == len(label) for m in _roles().finditer(label)):
        return None
    number = _FIRST_NUMBER.match(segment.text)
    if not number and _roles().search(segment.text):
        return None  # "Helpers: Jo Beck, electrician" names its people itself
    share, rate = _share(segment.text), _rate(held, segment.start, segment.end)
    if not (number or share or rate):
        return None
    if number and (called := _CALLED.match(segment.text, number.end())):
        label = called["role"]  # "Readers: 6 family doctors"
    count = float(number["n"]) if number else None if _plural(label) else 1.0
    amount, currency, per = rate or (None, None, None)
    days = _days(held, segment.start, segment.end)
    person = Person(
        role=label, count=count, share=share, days=days, rate=amount, currency=currency, per=per
    )
    return person, segment.start, segment.end


_ROLE_LABEL = re.compile(r"[^\W\d_][\w’'-]*(?:\s[\w’'-]+){0,2}$")
_FIRST_NUMBER = re.compile(rf"\s*(?P<n>\d{{1,2}})\b{_NO_COUNT}")

_CALLED = re.compile(
    r"\s(?P<role>(?!people|persons)[a-z][\w-]*(?:\s[a-z][\w-]*){0,2}?s)(?=\s*(?:[,;.(]|$))"
)


def _rows(found: Sequence[Segment]) -> Iterator[Sequence[Segment]]:
    """The cells of each table row together; every other segment by itself."""
    row: list[Segment] = []
    for segment in found:
        if row and not (segment.form == "row" and segment.nth > row[-1].nth):
            yield row
            row = []
        row.append(segment)
        if segment.form != "row":
            yield row
            row = []
    if row:
        yield row


_COUNT_COLUMN = re.compile(
    r"\b(?:number|count|n|no|how many|persons?|people|headcount|heads|anzahl|nombre|número)\b|#|人数",
    re.IGNORECASE,
)
_SHARE_COLUMN = re.compile(
    r"\b(?:share|fte|time|effort|workload|percent(?:age)?|anteil|part|dedicación)\b|%|比例",
    re.IGNORECASE,
)


def _in_row(row: Sequence[Segment], held: Sequence[Amount]) -> tuple[Person, int, int] | None:
    """The person of a table's row, whose first cell names the role and whose others say how many or how much."""
    first, *cells = row
    staffed = first.kind == "people" or bool(_roles().search(first.text))
    count = share = None
    for cell in cells:
        head = cell.labels[-2] if len(cell.labels) > 1 else ""
        bare = cell.text.strip()
        if _SHARE_COLUMN.search(head) or _SHARE.search(bare):
            share = (
                _share(bare) or (_fraction(bare) if _SHARE_COLUMN.search(head) else None) or share
            )
        elif bare.isdigit() and (_COUNT_COLUMN.search(head) or len(cells) == 1):
            count = float(bare)
    rate = _rate(held, row[0].start, row[-1].end)
    if (
        label_kind(first.text)
        or not staffed
        or not (count or share or rate)
        or first.text.strip()[:1].isdigit()
    ):
        return None
    amount, currency, per = rate or (None, None, None)
    role = first.text.strip(" *_")
    if count is None and not _plural(role):
        count = 1.0
    return (
        Person(
            role=role,
            count=count,
            share=share,
            days=_days(held, row[0].start, row[-1].end),
            rate=amount,
            currency=currency,
            per=per,
        ),
        first.start,
        first.end,
    )


def _fraction(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 < value <= 1 else None


def _in_segment(
    segment: Segment, held: Sequence[Amount], chances: dict[Amount, float]
) -> Iterator[tuple[Person, int, int]]:
    matches = [m for m in _roles().finditer(segment.text) if not _part_of_word(segment.text, m)]
    matches = [
        m
        for m, then in zip_longest(matches, matches[1:])
        if then is None or segment.text[m.end() : then.start()].strip(" ")
    ]  # "PhD student" is one
    ends: list[tuple[int, int]] = []
    for n, match in enumerate(matches):
        start = matches[n - 1].end() if n else 0
        stop = matches[n + 1].start() if n + 1 < len(matches) else len(segment.text)
        lead = segment.text[start : match.start()]
        role, count, begin = _role(lead, match, start)
        stop = _own_end(segment.text, match.end(), stop)
        after = segment.text[match.end() : stop]
        reach = len(after) if segment.form == "item" and segment.kind == "people" else _REACH
        share = _share(after, reach) if not re.match(r"\s*[+&]", after) else None
        if segment.kind != "people" and _ELSEWHERE.search(after[:60]):
            share = None
        rate = _rate(held, segment.start + match.start(), segment.start + stop)
        if count is None and (behind := _HOW_MANY.match(after)):
            count = float(behind["n"])
        likely = max(
            (
                p
                for a, p in chances.items()
                if a.start - segment.start in range(start, match.end())
            ),
            default=0.0,
        )
        if (
            segment.kind == "people"
            or share
            or rate
            or likely > _LIKELY
            or (count and likely > _LIKELY / 2)
        ):
            firm = bool(rate and _FIRM.search(role) and not _ONE.search(lead))
            if firm and count == 1:
                count = None
            if count is None and not _plural(role) and not firm:
                count = 1.0
            amount, currency, per = rate or (None, None, None)
            ends.append((begin, stop))
            yield (
                Person(
                    role=role,
                    count=count,
                    share=share,
                    days=_days(held, segment.start + match.start(), segment.start + stop),
                    rate=amount,
                    currency=currency,
                    per=per,
                ),
                segment.start + begin,
                segment.start + match.end(),
            )
    yield from _named(segment, ends)
    if not matches:
        yield from _listed(segment, held)


def _listed(segment: Segment, held: Sequence[Amount]) -> Iterator[tuple[Person, int, int]]:
    """The person of an item whose role is in no list of roles."""
    named = _LISTED.match(segment.text)
    if segment.kind != "people" or segment.form != "item" or segment.nth or not named:
        return
    share, rate = _share(segment.text), _rate(held, segment.start, segment.end)
    days = _days(held, segment.start, segment.end)
    amount, currency, per = rate or (None, None, None)
    role, number = named["role"].strip(), (named["n"] or "1").lower()
    count = 1.0 if _ARTICLE.match(number) else _amount(number)
    if share or rate or days:
        yield (
            Person(
                role=role,
                count=count,
                share=share,
                days=days,
                rate=amount,
                currency=currency,
                per=per,
            ),
            segment.start,
            segment.start + named.start("end"),
        )


def _named(
    segment: Segment, taken: Sequence[tuple[int, int]]
) -> Iterator[tuple[Person, int, int]]:
    """Those who are called by a name and have a share, apart from what is *taken* already."""
    for found in _BY_NAME.finditer(segment.text):
        name = found["name"]
        if any(begin < found.end() and found.start() < stop for begin, stop in taken):
            continue
        if found["does"] and segment.kind != "people":
            continue  # "Priti does the data (half a day a week)" is said of people only among them
        percent = found["percent"] and segment.kind != "people" and not found["role"]
        if percent or label_kind(name) or name.split()[-1] in (*month_names(), *_NO_NAMES):
            continue
        share = _shared(found)
        if share is not None:
            yield (
                Person(role=found["role"] or name, count=1.0, share=share),
                segment.start + found.start(),
                segment.start + found.end("name"),
            )


_ELSEWHERE = re.compile(
    r"\A(?!\W{0,3}(?:(?:for|from) [\w\s]{1,20})?(?:at )?(?:about )?\d)[^%]*?(?<!\d)\d+(?:\.\d+)?\s?(?:%|percent|per cent)",
    re.IGNORECASE,
)
"""A percentage that is not said of the role right before it."""
_NO_NAMES = (
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "The", "Each", "One", "All", "Work",
    "Open", "Closed", "Only", "About", "Every", "Sessions", "Meetings", "Monitoring", "Two", "Three", "Visits", "Training", "Available",
)  # fmt: skip
_FIRM = re.compile(
    r"\b(?:contractors?|vendors?|agency|agencies|workshop|consultants?|service|staff|firm|crew|subcontractors?|externals?)$",
    re.IGNORECASE,
)
"""Who is paid by time and of whom nobody says how many come."""
_ONE = re.compile(r"\b(?:one|an?|1)\s+(?:[\w-]+\s+){0,2}$", re.IGNORECASE)


_LIKELY = 0.3
_BREAKS = re.compile(
    r"[,;.:()]|\n(?=[A-ZÄÖÜÉ\d])|\b(?:and|und|et|y|plus|with|by|of|from|for|mit|à|con|has|have)\b",
    re.IGNORECASE,
)


def _role(lead: str, match: re.Match[str], start: int) -> tuple[str, float | None, int]:
    """The role's words, its count, and where they begin."""
    tail = _BREAKS.split(lead)[-1]
    tokens = [*_TOKEN.finditer(tail)][-4:]
    offset = start + len(lead) - len(tail)
    words: list[str] = []
    begin = match.start()
    for token in reversed(tokens):
        word = token[0]
        if word.replace(".", "").isdigit() or _number(word) is not None:
            value = float(word) if word.replace(".", "").isdigit() else float(_number(word) or 1)
            return " ".join([*words, match[0]]), value, offset + token.start()
        if _ARTICLE.match(word):
            return " ".join([*words, match[0]]), 1.0, offset + token.start()
        if len(words) >= 2 or not (word.islower() or _abbreviated(word)):
            break
        words.insert(0, word)
        begin = offset + token.start()
    return " ".join([*words, match[0]]), None, begin


def _abbreviated(word: str) -> bool:
    """Whether a word is an abbreviation that a role begins with: "UX researcher"."""
    return word != "FTE" and len(word) <= _ABBREVIATED and sum(c.isupper() for c in word) > 1


_ABBREVIATED = 4


@cache
def _numbers() -> dict[str, int]:
    from_words = "zero one two three four five six seven eight nine ten eleven twelve".split()
    return {w: n for n, w in enumerate(from_words)}


def _number(word: str) -> int | None:
    return _numbers().get(word.lower())


def _amount(said: str) -> float:
    """A number in words or figures, such as "half a" and "2.5"."""
    return _FRACTIONS.get(said.lower()) or _number(said) or float(said)


def _plural(role: str) -> bool:
    return role.endswith("s") and not role.endswith("ss")


def _own_end(text: str, start: int, stop: int) -> int:
    """Where what is said of one role ends: at the sentence's end, or where the next one begins."""
    cut = re.search(
        r"[;.](?:\s|$)|,\s(?:and|then)\s|\sand\s(?=an?\s|one\s|two\s)", text[start:stop]
    )
    return start + cut.start() if cut else stop


_REACH = 60
"""Characters behind a role in which its share stands; in a list of people the item is all theirs."""


def _share(after: str, reach: int = _REACH) -> float | None:
    found = _SHARE.search(after[:reach])
    bare = _BARE_SHARE.match(after)
    if bare and not (found and found.start() <= bare.end()):
        return float(bare["bare"])
    if not found or re.match(r"\s*(?:double|of the|second)", after[found.end() :]):
        return None
    return _shared(found)


def _shared(found: re.Match[str]) -> float | None:
    """The share of a full-time position that a match says; None where nobody has it."""
    if found["percent"]:
        value = float(found["percent"]) / 100
        return round(value, 4) if 0 < value <= 1 else None
    if text := found["fte"] or found["key"]:
        return float(text) if 0 < float(text) <= 1 else None
    if days := found["days"]:
        value = _amount(days)
        return round(value / 5, 4) if value <= 5 else None
    if hours := found["hours"]:
        value = _amount(hours)
        return round(value / 40, 4) if value <= 40 else None
    return 1.0 if found["full"] else 0.5 if found["half"] else 0.25


_WORKING = {"hour": 1 / 8, "day": 1.0, "week": 5.0}


def _days(held: Sequence[Amount], start: int, stop: int) -> float | None:
    """The working days that somebody has in all: "up to 8 days", "three weeks in all"."""
    for amount in held:
        q = amount.fact.amount
        value = q.most
        inside = amount.segment.kind == "people" and start <= amount.start < stop
        if not inside or amount.kind != "time" or q.unit not in _WORKING or not value:
            continue
        if not amount.fact.per and not _OF_A_TIME.match(amount.after):
            return round(value * _WORKING[q.unit], 2)
    return None


_OF_A_TIME = re.compile(
    r"\s*(?:/|of\b|(?:a|an|per|each|every|in a|pro|par|por)\s(?:day|week|month|year)|(?:notice|ago|later|before|after)\b)",
    re.IGNORECASE,
)


_RATED = ("money", "count", "bare")
_PAID = re.compile(r"(?:\b(?:at|quotes|charges|asks)|@)\s*$", re.IGNORECASE)
"""What stands before a rate whose currency the text names elsewhere: "at" 14.50 an hour."""
_EFFORT = re.compile(
    r"\d\s?(?P<per>days?|d|hours?|hrs?|h|months?)(?:\s?(?:/|a|per|each|every)\s?week|\sweekly)?\s*(?:@|at|x|×|à)\s*$",
    re.IGNORECASE,
)
"""An effort that a rate multiplies: "35 days at" 780 USD."""


def _rate(held: Sequence[Amount], start: int, stop: int) -> tuple[float, str | None, str] | None:
    for amount in held:
        paid = amount.kind == "money" or _PAID.search(amount.before)
        if not paid or amount.kind not in _RATED or not start <= amount.start < stop:
            continue
        q = amount.fact.amount
        unit, _, slashed = q.unit.partition("/")
        effort, named = _EFFORT.search(amount.before), _RATE.match(amount.after)
        said = (m["per"] for m in (named, effort) if m)
        per = (amount.fact.per or slashed or next(said, "")).lower()
        per = _PER.get(per, per)
        if per in ("day", "hour", "month", "year") and q.low is not None:
            return q.low, unit or None, per
    return None


def _part_of_word(text: str, match: re.Match[str]) -> bool:
    """Whether a role only qualifies another noun: "student population"."""
    return text[match.end() : match.end() + 1] in ("-", "'", "’") or bool(
        re.match(
            r"\s(?:time|trial|population|records?|form|survey|day|level|report)\b",
            text[match.end() :],
        )
    )


@cache
def _roles() -> re.Pattern[str]:
    held = read_yaml("reading", "people.yaml")
    words = sorted(held["roles"].split(), key=len, reverse=True)
    plain = [w for w in words if not "\u3400" <= w[0] <= "\u9fff"]
    joined = [w for w in words if "\u3400" <= w[0] <= "\u9fff"]
    endings = "|".join(held["endings"].split())
    return re.compile(
        rf"\b(?:{'|'.join(plain)})\b|\b[^\W\d_]*(?:{endings})s?\b|{'|'.join(joined)}",
        re.IGNORECASE,
    )
