"""A plan as files for other programs: a table, a workbook and a calendar."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.utility import xl_col_to_name
from xlsxwriter.worksheet import Worksheet

from core.graph.state import GraphTask, ThreePoint
from dr_rd.planning.guesses import is_guess

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula."""

_FOLD = 73
"""Bytes of a line of a calendar, less the blank that continues it (RFC 5545 has 75)."""


def plan_csv(tasks: Iterable[GraphTask]) -> bytes:
    """Return a plan as comma-separated values, a line a task, with a byte order mark."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(_COLUMNS)
    for task in tasks:
        writer.writerow([_harmless(cell) for cell in _row(task)])
    return out.getvalue().encode("utf-8-sig")


_POINTS = [f"{name} {point}" for name in ("days", "cost") for point in ("low", "likely", "high")]
_COLUMNS = {
    "id": 7,
    "title": 40,
    "role": 20,
    "after": 12,
    **dict.fromkeys(_POINTS, 9),
    "cost by": 12,
    "deliverable": 35,
    "done when": 60,
}
"""What a plan's table has, with the characters of a workbook's columns."""

_CELL = 32_767
"""Characters that a cell of a workbook can hold."""


def _row(task: GraphTask) -> list[float | str]:
    """One task as a line, in the order of the columns."""
    done = "\n".join(a.text for a in task.acceptance)
    names = [task.id, task.title, task.role, " ".join(task.depends_on)]
    points = [*_points(task.duration_days), *_points(task.cost)]
    by = "guess" if is_guess(task) else "price" if task.cost else ""
    return [*names, *points, by, task.deliverable, done]


def _points(points: ThreePoint | None) -> Sequence[float | str]:
    return (points.low, points.mode, points.high) if points else ("", "", "")


def _harmless(cell: float | str) -> float | str:
    """Return a cell that no spreadsheet computes."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def plan_xlsx(tasks: Iterable[GraphTask], limits: Iterable[tuple[str, str, str]]) -> bytes:
    """Return a plan as a workbook (ECMA-376): its tasks with their totals, and the brief's limits.

    Days and costs are numbers, and the sums of costs the only formulas: days of tasks side by side
    add up to nothing. Texts are texts whatever they begin with. *limits* are id, kind and words.
    """
    held = io.BytesIO()
    plain = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(held, plain) as book:
        head = book.add_format({"bold": True, "bottom": 1, "text_wrap": True, "valign": "top"})
        body = book.add_format({"text_wrap": True, "valign": "top"})
        rows = [_row(task) for task in tasks]
        _sheet(book.add_worksheet("Plan"), _COLUMNS, rows, head, body)
        _totals(book.worksheets()[0], rows, head)
        wide = {"id": 8, "kind": 14, "limit": 90}
        _sheet(book.add_worksheet("Limits"), wide, list(limits), head, body)
    return held.getvalue()


def _sheet(
    sheet: Worksheet,
    columns: Mapping[str, int],
    rows: Sequence[Sequence[float | str]],
    head: Format,
    body: Format,
) -> None:
    """Write rows under their heads, which stay in sight; *columns* are names with widths."""
    for k, (name, width) in enumerate(columns.items()):
        sheet.set_column(k, k, width)
        sheet.write_string(0, k, name, head)
    for number, row in enumerate(rows, start=1):
        for k, cell in enumerate(row):
            if isinstance(cell, str):
                sheet.write_string(number, k, cell[:_CELL], body)
            else:
                sheet.write_number(number, k, cell, body)
    sheet.freeze_panes(1, 1)
    sheet.autofilter(0, 0, max(len(rows), 1), len(columns) - 1)


def _totals(sheet: Worksheet, rows: Sequence[Sequence[float | str]], head: Format) -> None:
    """Write the sums of the costs below a plan."""
    if not rows:
        return
    last = len(rows) + 1
    sheet.write_string(last, 0, "sum", head)
    for k, name in enumerate(_COLUMNS):
        numbers = [row[k] for row in rows if not isinstance(row[k], str)]
        if name in _POINTS[3:] and numbers:
            column = xl_col_to_name(k)
            total = f"=SUM({column}2:{column}{last})"
            sheet.write_formula(last, k, total, head, sum(float(n) for n in numbers))


def plan_ics(
    days: Iterable[tuple[GraphTask, date, date]], *, run_id: str, made: datetime
) -> bytes:
    """Return a calendar (RFC 5545) with an all-day event for each task from its first to its last day."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//dr-rd//plan//EN"]
    for task, first, last in days:
        lines += [
            "BEGIN:VEVENT",
            f"UID:{run_id}-{task.id}@dr-rd",
            f"DTSTAMP:{made:%Y%m%dT%H%M%SZ}",
            f"DTSTART;VALUE=DATE:{first:%Y%m%d}",
            f"DTEND;VALUE=DATE:{last + timedelta(days=1):%Y%m%d}",
            f"SUMMARY:{_escaped(f'{task.id} {task.title}')}",
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
