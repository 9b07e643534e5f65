"""Labelled briefs, and what their labels say of the amounts and clauses of their texts."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dr_rd.reading.amounts import Amount, amounts
from dr_rd.reading.clauses import Clause, clauses
from dr_rd.reading.document import Document, document_of
from dr_rd.reading.objective import candidates
from dr_rd.reading.segments import Segment, segments
from dr_rd.reading.statistics import STATISTIC, STATISTICS
from dr_rd.reading.tagged import iso_day
from dr_rd.reading.terms import last_day
from dr_rd.text import stem, stems_of

BRIEFS = Path(__file__).parents[1] / "families" / "data" / "briefs.jsonl"
OWN = Path(__file__).parent / "data" / "own.jsonl"
WRITTEN = Path(__file__).parent / "data" / "written.jsonl"
SHORT = Path(__file__).parent / "data" / "short.jsonl"
UNREAD = Path(__file__).parent / "data" / "unread.jsonl"
FRESH = Path(__file__).parent / "data" / "fresh.jsonl"
TOLD = Path(__file__).parent / "data" / "told.jsonl"
APART = Path(__file__).parent / "data" / "apart.jsonl"


@dataclass(frozen=True, slots=True)
class Example:
    """A brief with its labels."""

    id: str
    source: str
    """The file's content."""
    gold: Mapping[str, Any]
    document: Document

    @property
    def text(self) -> str:
        """What is read of it."""
        return self.document.text

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return where in the source stands what is read."""
        return self.document.place(start, end)


def load(path: Path) -> list[Example]:
    return [_example(json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def _example(row: dict[str, Any]) -> Example:
    read = document_of(row["text"], row["id"], structured=row.get("format") in ("yaml", "json"))
    return Example(row["id"], row["text"], row.get("gold", row), read)


MONTHS = {"day": 12 / 365, "week": 12 / 52, "month": 1, "year": 12}
UNITS = {
    "minutes": "minute",
    "hours": "hour",
    "days": "day",
    "weeks": "week",
    "months": "month",
    "years": "year",
    "seconds": "second",
}


def unit_stems(example: Example) -> frozenset[str]:
    """Return the stems of the last words of the units that the labels name."""
    named = re.split(r"[,;/()]| or | and ", str(example.gold.get("unit") or "").lower())
    words = (re.findall(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*", part)[-1:] for part in named)
    return frozenset(stem(w) for last in words for w in last)


def roles(example: Example) -> list[tuple[Amount, frozenset[str]]]:
    """Return every amount of the text with the roles that the labels give it."""
    found = amounts(example.text)
    if "not_research" in (example.gold.get("family") or []):
        return [(a, frozenset()) for a in found]
    return [(a, frozenset([*_limit_roles(example, a), *_roles(example.gold, a)])) for a in found]


def _limit_roles(example: Example, a: Amount) -> Iterator[str]:
    for limit in example.gold.get("limits") or []:
        numbers = [n for n in (_value(limit["low"]), _value(limit["high"])) if n is not None]
        if _within(example, a, limit["quote"]) and _any_near(a, numbers):
            yield from ("limit", f"limit {limit['role']}", f"bound {limit['comparison']}")
            yield f"type {limit['type']}"


COUNTED = ("count", "bare", "measure")


def _roles(gold: Mapping[str, Any], a: Amount) -> Iterator[str]:
    for name in ("start", "deadline"):
        if gold.get(name) and _dated(a, gold[name], last=name == "deadline"):
            yield name
    if (
        gold.get("budget")
        and a.kind in ("money", "bare", "count")
        and _any_near(a, [gold["budget"]["amount"]])
    ):
        yield "budget"
    for c in gold.get("closed") or []:
        if a.kind == "date" and {last_day(a), iso_day(a.fact.amount.low)} & {c["from"], c["to"]}:
            yield "closed"
    for d in gold.get("durations") or []:
        if (
            a.kind == "time"
            and a.fact.amount.unit == UNITS.get(d["unit"])
            and _any_near(a, [d["value"]])
        ):
            yield "duration"
    for c in gold.get("counts") or []:
        bounds = [n for n in (c["low"], c["high"]) if n is not None]
        if a.kind in COUNTED and _any_near(a, bounds) and _shares(a, c["what"]):
            yield "count"
    yield from _study_roles(gold, a)


def _study_roles(gold: Mapping[str, Any], a: Amount) -> Iterator[str]:
    for name in STATISTICS:
        value = (gold.get("statistics") or {}).get(name)
        if isinstance(value, int | float) and _states(a, value):
            yield f"{STATISTIC}{name}"
    for p in gold.get("people") or []:
        if (
            a.kind in COUNTED
            and p.get("count") is not None
            and _any_near(a, [p["count"]])
            and _shares(a, p["role"])
        ):
            yield "person"


def _states(a: Amount, value: float) -> bool:
    """Whether an amount gives a statistic, a share as it is or as a percentage."""
    if a.kind in ("date", "year"):
        return False
    return _any_near(a, [value, 100 * value] if a.kind == "share" else [value])


def _any_near(a: Amount, numbers: Iterable[float]) -> bool:
    return any(_near(v, n) for v in _values(a) for n in numbers)


def _values(a: Amount) -> Iterator[float]:
    q = a.fact.amount
    if a.kind == "date" and (day := last_day(a)):
        yield float(day.replace("-", ""))
    for v in (q.low, q.high):
        if v is not None:
            yield v


def _near(x: float | None, y: float | None) -> bool:
    if x is None or y is None:
        return False
    return x == y if y >= _DAYS else abs(x - y) <= 0.005 * abs(y) + 1e-9


_DAYS = 19_000_101
"""From here on numbers are days, written yyyymmdd."""


def _value(x: float | str | None) -> float | None:
    if isinstance(x, str):
        return float(x.replace("-", ""))
    return x


def _within(example: Example, a: Amount, quote: str) -> bool:
    at = example.source.find(quote)
    start, end = example.place(a.start, a.end)
    return start < at + len(quote) and end > at >= 0


def _dated(a: Amount, wanted: str | Mapping[str, Any], *, last: bool) -> bool:
    if not isinstance(wanted, str):
        wanted = wanted.get("date") or wanted.get("months")
    if isinstance(wanted, str):
        q = a.fact.amount
        day = last_day(a) if last else iso_day(q.low)
        return a.kind == "date" and day == wanted
    factor = MONTHS.get(a.fact.amount.unit)
    return (
        a.kind == "time"
        and factor is not None
        and any(abs(v * factor - wanted) <= 0.02 * wanted for v in _values(a))
    )


def _shares(a: Amount, what: str) -> bool:
    have = {
        w.lower()[:5]
        for w in f"{a.fact.amount.noun} {a.after[:60]} {a.before[-60:]} {' '.join(a.segment.labels)}".split()
    }
    return bool({w.lower()[:5] for w in what.split()} & have)


def clause_roles(example: Example) -> list[tuple[Clause, str]]:
    """Return every clause of the text with "ban", "constraint" or "criterion" where it is one without a number."""
    found = clauses(example.text, amounts(example.text))
    out = {c: "" for c in found}
    for limit in example.gold.get("limits") or []:
        if limit["low"] is not None or limit["high"] is not None:
            continue
        at = example.source.find(limit["quote"])
        stop = at + len(limit["quote"])
        for c in found:
            start, end = example.place(c.start, c.end)
            common = min(stop, end) - max(at, start)
            if at >= 0 and common > 0.5 * min(stop - at, end - start):
                out[c] = limit["role"]
    return [*out.items()]


OVERLAP = 0.34
"""Share of common stems from which a sentence holds an objective that is told in other words."""


def objectives(example: Example) -> list[tuple[Segment, bool]]:
    """Return the segments that may be the objective, and whether each holds it."""
    found = candidates(segments(example.text))
    quote = example.gold.get("objective_quote")
    at = example.source.find(quote) if quote else -1
    if at >= 0:
        stop = at + len(quote)
        held = []
        for s in found:
            start, end = example.place(s.start, s.end)
            held.append((s, min(stop, end) - max(at, start) > 0.5 * min(stop - at, end - start)))
        return held
    wanted = set(stems_of(example.gold.get("objective") or ""))
    return [(s, bool(wanted) and _overlap(wanted, s) >= OVERLAP) for s in found]


def _overlap(wanted: set[str], segment: Segment) -> float:
    held = set(stems_of(segment.text))
    return len(wanted & held) / max(1, len(wanted | held))
