"""A plan as files for other programs: a table, and a calendar."""

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta

from core.graph.state import GraphTask, ThreePoint
from dr_rd.ui.charts import Bar, day_at

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula."""

_FOLD = 73
"""Bytes of a line of a calendar, less the blank that continues it (RFC 5545 has 75)."""


def plan_csv(tasks: Iterable[GraphTask]) -> bytes:
    """Return a plan as comma-separated values, a line a task, with a byte order mark."""
    out = io.StringIO()
    writer = csv.writer(out)
    points = [
        f"{name} {point}" for name in ("days", "cost") for point in ("low", "likely", "high")
    ]
    writer.writerow(["id", "title", "role", "after", *points, "deliverable", "done when"])
    for t in tasks:
        words = [t.id, t.title, t.role, " ".join(t.depends_on)]
        done = "\n".join(a.text for a in t.acceptance)
        row = [*words, *_points(t.duration_days), *_points(t.cost), t.deliverable, done]
        writer.writerow([_harmless(cell) for cell in row])
    return out.getvalue().encode("utf-8-sig")


def _points(points: ThreePoint | None) -> Sequence[float | str]:
    return (points.low, points.mode, points.high) if points else ("", "", "")


def _harmless(cell: float | str) -> float | str:
    """Return a cell that no spreadsheet computes."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def plan_ics(
    bars: Iterable[Bar], first: date, closed: Sequence[date], *, run_id: str, made: datetime
) -> bytes:
    """Return a calendar (RFC 5545) with an all-day event for each task from the day *first* on."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//dr-rd//plan//EN"]
    for bar in bars:
        start, end = day_at(bar.start, first, closed), day_at(bar.finish, first, closed)
        lines += [
            "BEGIN:VEVENT",
            f"UID:{run_id}-{bar.id}@dr-rd",
            f"DTSTAMP:{made:%Y%m%dT%H%M%SZ}",
            f"DTSTART;VALUE=DATE:{start:%Y%m%d}",
            f"DTEND;VALUE=DATE:{max(end, start + timedelta(days=1)):%Y%m%d}",
            f"SUMMARY:{_escaped(bar.label)}",
            "END:VEVENT",
        ]
    lines.append("END:VCALENDAR")
    return ("\r\n".join(_folded(line) for line in lines) + "\r\n").encode()


def _escaped(value: str) -> str:
    for sign in ("\\", ";", ","):
        value = value.replace(sign, f"\\{sign}")
    return " ".join(value.split())


def _folded(line: str) -> str:
    """Return a line broken where it is longer than a calendar's may be, between characters."""
    parts, held = [], ""
    for sign in line:
        if len((held + sign).encode()) > _FOLD:
            parts.append(held)
            held = ""
        held += sign
    return "\r\n ".join([*parts, held])
