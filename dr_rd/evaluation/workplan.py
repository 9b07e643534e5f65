"""The activities of a text's own work plan, read from its tables or its lists."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dr_rd.evaluation.cues import cue
from dr_rd.evaluation.sentences import Segment, normal
from dr_rd.evaluation.tables import Table, amounts
from dr_rd.quantity import numbers

TIMES: Mapping[str, float] = {
    "hour": 1 / 24, "day": 1, "week": 7, "fortnight": 14, "month": 365.25 / 12, "year": 365.25,
}  # fmt: skip
"""Calendar days in each unit of time."""


@dataclass(frozen=True, slots=True)
class Activity:
    """A line of a work plan; what it does not say is None."""

    id: str
    needs: tuple[str, ...] = ()
    """Ids of the activities it waits for."""
    strangers: tuple[str, ...] = ()
    """What it waits for that is written like an id and is none of the plan's."""
    lead: str = ""
    """Where it may begin before what it waits for ends, as written; "" if nowhere."""
    start: float | None = None
    finish: float | None = None
    lasts: float | None = None
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Workplan:
    """The activities, and the unit that their times are in."""

    activities: tuple[Activity, ...]
    unit: str = ""
    """One of TIMES; "" where the text does not say."""
    linked: bool = False
    """Whether it says what waits for what."""


def workplan(tables: Sequence[Table], sentences: Sequence[Segment]) -> Workplan | None:
    """Return the work plan of a text's tables or lists; None if code can read none."""
    read = [p for t in tables if (p := _workplan_from_table(t))]
    read += [p for p in (_workplan_from_list(sentences),) if p]
    return max(read, key=lambda p: (p.linked, len(p.activities)), default=None)


_ID = re.compile(r"(?:(?:task|activity|phase|stage|step|work package|package)\s+)?"
                 r"(?P<id>[A-Za-z]{0,4}[-.]?\d{1,3}(?:\.\d{1,3})*[a-z]?|[A-Z])(?![\w%])", re.IGNORECASE)  # fmt: skip
_STRANGER = re.compile(r"\b[A-Za-z]{1,4}[-.]?\d{1,3}(?:\.\d{1,3})*\b")
_LEAD = re.compile(
    r"\b(?:FS|SS|FF|SF)?\s?[-−–]\s?\d+\s?(?:d|w|days?|weeks?|months?)\b", re.IGNORECASE
)
_PERIOD = re.compile(
    r"\b(?P<unit>hour|day|week|month|year|[MWYQ])s?\s?(?P<from>\d{1,3})"
    r"(?:\s?(?:[-–—]|to|through|until)\s?(?:months?|weeks?|days?|years?|[MWYQ])?\s?(?P<to>\d{1,3}))?(?!\d)",
    re.IGNORECASE,
)
_UNIT = re.compile(r"\b(hour|day|week|fortnight|month|year)s?\b|\((d|w|m)\)", re.IGNORECASE)
_LETTERS = {"m": "month", "w": "week", "d": "day", "y": "year", "q": "quarter"}


def _workplan_from_table(table: Table) -> Workplan | None:
    """Read a table that has tasks and says when, how long or after what."""
    waits = table.column(
        "depend", "after", "predecessor", "waits", "prerequisite", "preceded", "needs"
    )
    start, finish = table.column("start", "begin", "from"), table.column("finish", "end", "until")
    lasts = table.column("duration", "days", "weeks", "months", "length", "effort")
    period = table.column("when", "period", "timing", "months", "weeks", "timeline", "schedule")
    timed = start is not None and finish is not None
    if waits is None and not timed and lasts is None and period is None:
        return None
    if len(table.rows) < 2 or not _tasks(table):
        return None
    rows = [r for r in table.rows if not cue("total").match(r[0])]
    names = [_name(r) for r in rows]
    found = []
    for name, row in zip(names, rows, strict=True):
        needs, strangers = _needs(row[waits], names, name) if waits is not None else ((), ())
        when = _when(row, start, finish) or (_period(row[period]) if period is not None else None)
        found.append(
            Activity(
                id=name,
                needs=needs,
                strangers=strangers,
                lead=m[0] if waits is not None and (m := _LEAD.search(row[waits])) else "",
                start=when[0] if when else None,
                finish=when[1] if when else None,
                lasts=_single(row[lasts])
                if lasts is not None and not _PERIOD.search(row[lasts])
                else None,
                quote=" | ".join(row),
            )
        )
    columns = [n for n in (lasts, period, start) if n is not None]
    unit = _unit(table, columns)
    useful = waits is not None or any(a.finish is not None or a.lasts is not None for a in found)
    return Workplan(tuple(found), unit, waits is not None) if useful else None


def _tasks(table: Table) -> bool:
    """Whether the rows are tasks: each has a name of its own, and the head or the ids say so."""
    names = [_name(r) for r in table.rows]
    told = cue("task_head").search(" ".join([table.head[0], table.heading, table.caption]))
    ids = sum(bool(_ID.match(r[0])) for r in table.rows)
    return len(set(names)) == len(names) and bool(told or ids == len(names))


def _name(row: Sequence[str]) -> str:
    bare = row[0].strip("*_` ")
    found = _ID.match(bare)
    return found["id"].upper() if found else normal(bare)


def _needs(cell: str, names: Sequence[str], own: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a cell names of the plan's activities, and what it names of others."""
    said = normal(cell)
    found = [n for n in names if len(n) > 6 and n in said and n != own]
    tokens = [
        t.upper()
        for t in re.findall(
            r"[A-Za-z]{0,4}[-.]?\d{1,3}(?:\.\d{1,3})*|\b[A-Z]\b", _LEAD.sub("", cell)
        )
    ]
    found += [t for t in tokens if t in names]
    shaped = any(_STRANGER.fullmatch(n) for n in names)
    strangers = [m[0].upper() for m in _STRANGER.finditer(_LEAD.sub("", cell)) if shaped]
    if not shaped and all(re.fullmatch(r"\d+(?:\.\d+)*", n) for n in names):
        strangers = [t for t in tokens if t not in names and not re.search(r"[A-Z]", t)]
    return tuple(dict.fromkeys(found)), tuple(s for s in strangers if s not in names)


def _when(row: Sequence[str], start: int | None, finish: int | None) -> tuple[float, float] | None:
    if start is None or finish is None:
        return None
    first, last = _point(row[start]), _point(row[finish])
    return (first, last) if first is not None and last is not None else None


def _point(cell: str) -> float | None:
    """A point in time as a number of the table's unit, or a date as a number of days."""
    found = numbers(cell)
    if len(found) == 1 and found[0].value > 1e7:
        year, month, day = (
            int(found[0].value) // n % m for n, m in ((10000, 10000), (100, 100), (1, 100))
        )
        return year * 365.25 + (month - 1) * 365.25 / 12 + day
    plain = amounts(re.sub(r"^[A-Za-z]+\s?(?=\d)", "", cell.strip()))
    return plain[0] if len(plain) == 1 else None


def _period(cell: str) -> tuple[float, float] | None:
    """The first and the last month, week or day of "Months 1–3" and of a bare "1–3"."""
    found = _PERIOD.search(cell)
    if found:
        return float(found["from"]) - 1, float(found["to"] or found["from"])
    bare = re.fullmatch(r"\s*(\d{1,3})\s?(?:[-–—]|to)\s?(\d{1,3})\s*", cell)
    return (float(bare[1]) - 1, float(bare[2])) if bare else None


def _single(cell: str) -> float | None:
    plain = amounts(cell)
    return plain[0] if len(plain) == 1 else None


def _unit(table: Table, columns: Sequence[int]) -> str:
    """The unit that the heads, or else the cells, of some columns name."""
    for text in (*(table.head[n] for n in columns), *(r[n] for r in table.rows for n in columns)):
        if found := _UNIT.search(text):
            return (found[1] or _LETTERS[found[2].lower()]).lower()
        if period := _PERIOD.search(text):
            return _LETTERS.get(period["unit"].lower(), period["unit"].lower())
    return ""


_ITEM_ID = re.compile(
    r"[*_]*(?:(?:task|activity|phase|stage|step|work package)\s+)?(?P<id>[A-Z]{0,3}-?\d{1,3}(?:\.\d{1,3})*)[*_]*"
    r"(?=[\s.:)(,–-])",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\b(?:after|depends on|depending on|needs|requires|follows|following|waits for|predecessors?:?)\s+"
    r"(?P<ids>[^.;)]{1,80})",
    re.IGNORECASE,
)


def _workplan_from_list(sentences: Sequence[Segment]) -> Workplan | None:
    """Read list items such as "T2 Survey: 3 weeks, after T1" and "WP1 (months 1–6)"."""
    items = [
        (m["id"].upper(), s)
        for s in sentences
        if s.kind in ("item", "heading")
        and (m := _ITEM_ID.match(s.text))
        and not m["id"].isdigit()
    ]
    timed = [
        (i, s) for i, s in items if _AFTER.search(s.text) or _duration(s) or _PERIOD.search(s.text)
    ]
    timed = _alike(timed)
    names = [i for i, _ in timed]
    if len(timed) < 2 or len(set(names)) != len(names):
        return None
    known = list(dict.fromkeys(i for i, _ in items))
    return Workplan(tuple(_item(i, s, known) for i, s in timed), _list_unit(timed),
                    any(_AFTER.search(s.text) for _, s in timed))  # fmt: skip


def _alike(timed: list[tuple[str, Segment]]) -> list[tuple[str, Segment]]:
    """Leave out what is neither named as most items are nor under the heading of most."""
    heading, count = Counter(s.heading for _, s in timed).most_common(1)[0] if timed else ("", 0)
    if count < 2:
        return timed
    prefixes = {i.rstrip("0123456789.-") for i, s in timed if s.heading == heading}
    return [
        (i, s) for i, s in timed if s.heading == heading or i.rstrip("0123456789.-") in prefixes
    ]


def _item(name: str, sentence: Segment, names: Sequence[str]) -> Activity:
    after = _AFTER.search(sentence.text)
    needs, strangers = _needs(after["ids"], names, name) if after else ((), ())
    when = _period(sentence.text) if _PERIOD.search(sentence.text) else None
    return Activity(
        id=name, needs=tuple(n for n in needs if n != name), strangers=strangers,
        start=when[0] if when else None, finish=when[1] if when else None,
        lasts=_duration(sentence), quote=sentence.text,
    )  # fmt: skip


def _duration(sentence: Segment) -> float | None:
    """How long an item lasts, if it states one length of time."""
    found = [q for q in sentence.quantities if q.unit in TIMES and q.low == q.high]
    return found[0].low if len(found) == 1 else None


def _list_unit(items: Sequence[tuple[str, Segment]]) -> str:
    units = set(_units(items))
    return units.pop() if len(units) == 1 else ""


def _units(items: Sequence[tuple[str, Segment]]) -> Iterator[str]:
    for _, sentence in items:
        if period := _PERIOD.search(sentence.text):
            yield _LETTERS.get(period["unit"].lower(), period["unit"].lower())
        for q in sentence.quantities:
            if q.unit in TIMES and q.low == q.high:
                yield q.unit
