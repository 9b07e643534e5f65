"""Who works: roles, how many, for what share of their time and at what rate."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from dr_rd.files import read_yaml
from dr_rd.reading.amounts import Amount
from dr_rd.reading.segments import Segment
from dr_rd.reading.tagged import Chances, Tagged
from dr_rd.study.values import Person

_NOT_HERE = ("background", "objective", "exclusion", "inclusion", "ban", "admin", "title")
_SUBJECT = re.compile(
    r"\b(?:participants?|patients?|pupils?|children|players?|volunteers?)\b", re.IGNORECASE
)
_SHARE = re.compile(
    r"(?P<percent>\d{1,3}(?:\.\d+)?)\s?(?:%|percent|per cent)|(?P<fte>\d?\.\d+|\d)\s?FTE\b|\bfte\W{0,3}(?P<key>\d?\.?\d+)"
    r"|(?P<full>\bfull[\s-]time\b|\bVollzeit\b|à plein temps|a tiempo completo|全职)|(?P<half>\bhalf[\s-](?:time|a post|position)\b|\bhalber? Stelle|à mi-temps|media jornada|半职)"
    r"|(?P<quarter>\bquarter[\s-]time\b)|(?P<days>\d|half a|one|two|three|four)\s?(?:days?)\s?(?:a|per|/)\s?w(?:ee)?k|(?P<hours>\d{1,2})\s?h(?:ours?)?\s?(?:a|per|/)\s?week",
    re.IGNORECASE,
)
_DAYS = {"half a": 0.5, "one": 1, "two": 2, "three": 3, "four": 4}
_RATE = re.compile(
    r"^\s*(?:\w+\s){0,2}?(?:a|an|per|/|each|la|le|pro|je|al)\s*(?P<per>day|hour|hr|h|month|year|Tag|Stunde|jour|heure|día|hora|days?|hours)\b",
    re.IGNORECASE,
)
_PER = {
    "h": "hour",
    "hr": "hour",
    "hours": "hour",
    "days": "day",
    "tag": "day",
    "stunde": "hour",
    "jour": "day",
    "heure": "hour",
    "día": "day",
    "hora": "hour",
}
_ARTICLE = re.compile(r"^(?:an?|one|the|my|our|eine?r?|une?|una|uno|1)$", re.IGNORECASE)
_TOKEN = re.compile(r"[^\W\d_][\w’'-]*|\d+(?:\.\d+)?|[\u3400-\u9fff]+")


def people_of(found: Tagged) -> Iterator[tuple[Person, int, int]]:
    """Yield the people, each with where the document names them."""
    inside: dict[Segment, list[tuple[Amount, Chances]]] = {}
    for amount, chances in found.amounts.items():
        inside.setdefault(amount.segment, []).append((amount, chances))
    for segment in found.segments:
        if segment.kind not in _NOT_HERE:
            held = inside.get(segment, [])
            yield from _in_segment(
                segment, [a for a, _ in held], {a: p["person"] for a, p in held}
            )


def _in_segment(
    segment: Segment, held: Sequence[Amount], chances: dict[Amount, float]
) -> Iterator[tuple[Person, int, int]]:
    matches = [m for m in _roles().finditer(segment.text) if not _part_of_word(segment.text, m)]
    for n, match in enumerate(matches):
        start = matches[n - 1].end() if n else 0
        stop = matches[n + 1].start() if n + 1 < len(matches) else len(segment.text)
        lead = segment.text[start : match.start()]
        role, count, begin = _role(lead, match, start)
        stop = _own_end(segment.text, match.end(), stop)
        after = segment.text[match.end() : stop]
        share = _share(after) if not re.match(r"\s*[+&]", after) else None
        rate = _rate(held, segment.start + match.start(), segment.start + stop)
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
            count = count if count is not None else (None if rate or _plural(role) else 1.0)
            amount, currency, per = rate or (None, None, None)
            yield (
                Person(
                    role=role, count=count, share=share, rate=amount, currency=currency, per=per
                ),
                segment.start + begin,
                segment.start + match.end(),
            )


_LIKELY = 0.3
_BREAKS = re.compile(
    r"[,;.:()]|\b(?:and|und|et|y|plus|with|by|of|from|for|mit|à|con|has|have)\b", re.IGNORECASE
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
        if len(words) >= 2 or not word.islower():
            break
        words.insert(0, word)
        begin = offset + token.start()
    return " ".join([*words, match[0]]), None, begin


@cache
def _numbers() -> dict[str, int]:
    from_words = "zero one two three four five six seven eight nine ten eleven twelve".split()
    return {w: n for n, w in enumerate(from_words)}


def _number(word: str) -> int | None:
    return _numbers().get(word.lower())


def _plural(role: str) -> bool:
    return role.endswith("s") and not role.endswith("ss")


def _own_end(text: str, start: int, stop: int) -> int:
    """Where what is said of one role ends: at the sentence's end, or where the next one begins."""
    cut = re.search(
        r"[;.](?:\s|$)|,\s(?:and|then)\s|\sand\s(?=an?\s|one\s|two\s)", text[start:stop]
    )
    return start + cut.start() if cut else stop


def _share(after: str) -> float | None:
    found = _SHARE.search(after[:60])
    if not found or re.match(r"\s*(?:double|of the|second)", after[found.end() :]):
        return None
    if found["percent"]:
        value = float(found["percent"]) / 100
        return round(value, 4) if 0 < value <= 1 else None
    if text := found["fte"] or found["key"]:
        return float(text) if 0 < float(text) <= 1 else None
    if found["days"]:
        return (
            _DAYS.get(found["days"].lower()) and _DAYS[found["days"].lower()] / 5
            if not found["days"].isdigit()
            else int(found["days"]) / 5
        )
    if found["hours"]:
        return None if int(found["hours"]) > 40 else round(int(found["hours"]) / 40, 4)
    return 1.0 if found["full"] else 0.5 if found["half"] else 0.25


def _rate(held: Sequence[Amount], start: int, stop: int) -> tuple[float, str | None, str] | None:
    for amount in held:
        if amount.kind != "money" or not start <= amount.start < stop:
            continue
        q = amount.fact.amount
        per = amount.fact.per.lower()
        unit, _, slashed = q.unit.partition("/")
        named = _RATE.match(amount.after)
        per = per or slashed or (named["per"].lower() if named else "")
        per = _PER.get(per, per)
        if per in ("day", "hour", "month", "year") and q.low is not None:
            return q.low, unit, per
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
    words = sorted(read_yaml("reading", "people.yaml")["roles"].split(), key=len, reverse=True)
    plain = [w for w in words if not "\u3400" <= w[0] <= "\u9fff"]
    joined = [w for w in words if "\u3400" <= w[0] <= "\u9fff"]
    return re.compile(rf"\b(?:{'|'.join(plain)})\b|{'|'.join(joined)}", re.IGNORECASE)
