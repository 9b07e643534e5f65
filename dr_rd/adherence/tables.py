"""The columns of Markdown tables and of lists of labels: each figure, and the total they come to."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from dr_rd.adherence.reading import Stated
from dr_rd.quantity import Quantity, is_money, quantities
from dr_rd.text import Sentence

TOTAL = re.compile(r"\W*(?:grand\s+|overall\s+)?(?:total|sum|overall|all)\b", re.IGNORECASE)
_PARTIAL = re.compile(r"\bsub-?\s?total", re.IGNORECASE)
_NO_SUM = re.compile(
    r"\b(?:per|each|unit|rate|price|mean|average|median|year|years|month|months|week|weeks|date|day|days|start|end|age|id|no|id"
    r"|number|option|options|scenario|scenarios|alternative|alternatives|share|score|visit|visits)\b|%",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"[*_]*\s*(?:[A-Z]{3}\s|[£$€¥])?\s?\d[\d.,'’ \u00a0]*\s?(?:[kKM]|[A-Z]{3}|[£$€])?\s*[*_]*"
)
_RULE = re.compile(r"[\s|:-]+")
_AGES = re.compile(r"(?<=\w)\s\d+\s?[-–]\s?\d+$")
"""After what a column counts it says how old they are: "Kids 0-12"."""
_LINE = re.compile(
    r"[ \t]*(?:[-*•][ \t]+)?(?P<label>[^|:=\n]{1,60}?)[ \t]*[:=–—][ \t]*"
    r"(?P<value>\d[\d.,]*(?:[ \t]+[A-Za-z][\w -]{0,30})?)[.;,]?[ \t]*"
)
"""A label and a figure on a line of their own: "clay: 3"."""
_TITLE = re.compile(r"[ \t#*_]*(?P<title>[^\W\d][^\d\n:.|]{1,40}?)[ \t:*_]*")


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table, or of a list of labels, in cells."""

    start: int
    end: int
    cells: tuple[str, ...]


def tables(text: str, found: Sequence[Sentence]) -> Iterator[Stated]:
    """Give for each column of figures what each row says, and its total, as told or as added up."""
    for header, rows in (*tables_of(text), *_lists(text)):
        stand = [placed(r, found) for r in rows]
        here = [s for s in stand if s and not s.aside]
        if len(here) != len(rows):
            continue
        for column in range(1, len(header.cells)):
            yield from _read(text, header, rows, here, column)


def _read(
    text: str, header: Row, rows: list[Row], here: list[Sentence], column: int
) -> Iterator[Stated]:
    """The figures of one column."""
    for row, sentence in zip(rows, here, strict=True):
        cell = _figure(row, column, header.cells[column])
        if cell and not is_money(cell.unit) and not TOTAL.match(row.cells[0]):
            at = {"start": sentence.start, "end": sentence.end, **_measured(cell, header, column)}
            each = header.cells[0].lower() or "group"
            yield Stated(cell.model_copy(update=at), sentence, "affirmed", "", "part", each)
    if total := _column(header, rows, column):
        quantity, first, last, told = total
        shown = quoted(text, here[first], here[last])
        whole = told or bool(quantity.unit)
        yield Stated(quantity, shown, "affirmed", "", share="whole" if whole else "sum")


def _measured(cell: Quantity, header: Row, column: int) -> dict[str, str]:
    """What a measured cell is of: its column's title without the unit."""
    title = re.sub(r"\s*\([^)]*\)", "", header.cells[column]).strip(" *_").lower()
    return {"noun": title, "text": f"{title} {cell.text}"} if cell.unit and title else {}


def placed(row: Row, found: Sequence[Sentence]) -> Sentence | None:
    """The sentence in which a row stands, or which it is."""
    at = bisect_right(found, row.end, key=lambda s: s.start) - 1
    return found[at] if at >= 0 and found[at].end > row.start else None


def tables_of(text: str) -> Iterator[tuple[Row, list[Row]]]:
    """Give the Markdown tables of *text*: the row of titles, and the others."""
    rows: list[Row] = []
    position = 0
    for line in [*text.splitlines(keepends=True), ""]:
        if line.lstrip().startswith("|"):
            cells = tuple(c.strip() for c in line.strip().strip("|").split("|"))
            rows.append(Row(position, position + len(line.rstrip()), cells))
        else:
            if len(rows) > 3 and _RULE.fullmatch("|".join(rows[1].cells)):
                yield rows[0], rows[2:]
            elif len(rows) > 2 and not any(c[:1].isdigit() for c in rows[0].cells):
                yield rows[0], rows[1:]
            rows = []
        position += len(line)


def _lists(text: str) -> Iterator[tuple[Row, list[Row]]]:
    """Lines of a label and a figure each, under the line that says what they count."""
    rows: list[Row] = []
    title, position = "", 0
    for line in [*text.splitlines(keepends=True), ""]:
        body = line.rstrip()
        if match := _LINE.fullmatch(body):
            cells = (match["label"], match["value"])
            rows.append(Row(position, position + len(body), cells))
        else:
            if len(rows) > 1:
                yield Row(position, position, ("", title)), rows
            named = _TITLE.fullmatch(body)
            title = named["title"] if named else ""
            rows = []
        position += len(line)


def _column(header: Row, rows: list[Row], column: int) -> tuple[Quantity, int, int, bool] | None:
    """The total of a column, the rows that say it, and whether one row says it."""
    title = header.cells[column]
    if _NO_SUM.search(f"{title} {header.cells[0]}"):
        return None
    figures = [_figure(r, column, title) for r in rows]
    if not figures[0] or any(f is None for f in figures):
        return None
    known = [f for f in figures if f]
    if len({(f.unit, f.noun) for f in known}) > 1 or (
        known[0].unit and not known[0].unit.isupper()
    ):
        return None
    at = next((n for n, r in enumerate(rows) if TOTAL.match(r.cells[0])), None)
    if at is not None:
        return known[at], at, at, True
    summed = [f for f, r in zip(known, rows, strict=True) if not _PARTIAL.search(r.cells[0])]
    value = sum(f.low or 0 for f in summed)
    said = f"a table that adds up to {value:g} {known[0].unit or known[0].noun}"
    quantity = known[0].model_copy(update={"low": value, "high": value, "text": said})
    return quantity, 0, len(rows) - 1, False


def _figure(row: Row, column: int, title: str) -> Quantity | None:
    """The figure in a cell, with the unit or the noun that the cell or the column names."""
    cell = row.cells[column] if column < len(row.cells) else ""
    if not _FIGURE.fullmatch(cell):
        own = quantities(cell) if _LINE.fullmatch(f"x: {cell}") else ()
        return own[0] if len(own) == 1 and own[0].low is not None and own[0].noun else None
    bare = cell.strip("*_ ")
    named = re.search(r"\(([^)]+)\)", title)
    title = _AGES.sub("", title)
    for unit in ("", f" {named[1]}" if named else "", f" {title}"):
        found = quantities(bare + unit)
        if len(found) == 1 and (found[0].unit or found[0].noun) and found[0].low is not None:
            return found[0].model_copy(update={"text": (bare + unit).strip()})
    return None


def quoted(text: str, first: Sentence, last: Sentence) -> Sentence:
    """The rows from one to another as one sentence."""
    return replace(first, text=text[first.start : last.end], end=last.end)
