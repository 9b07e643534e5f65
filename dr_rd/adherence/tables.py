"""The columns of Markdown tables as the totals that they come to."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from dr_rd.adherence.reading import Stated
from dr_rd.prose import Sentence
from dr_rd.quantity import Quantity, quantities

_TOTAL = re.compile(r"\W*(?:grand\s+|overall\s+)?(?:total|sum|overall|all)\b", re.IGNORECASE)
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


@dataclass(frozen=True, slots=True)
class _Row:
    start: int
    end: int
    cells: tuple[str, ...]


def tables(text: str, found: Sequence[Sentence]) -> Iterator[Stated]:
    """Give for each column of figures its total, as told or as added up."""
    placed = {s.start: s for s in found}
    for header, rows in _tables(text):
        body = [r for r in rows if (s := _sentence(r, text, placed)) and not s.aside]
        if len(body) != len(rows):
            continue
        for column in range(1, len(header.cells)):
            if total := _column(header, rows, column):
                quantity, first, last, told = total
                yield _stated(text, placed, quantity, (rows[first], rows[last]), told=told)


def _sentence(row: _Row, text: str, placed: dict[int, Sentence]) -> Sentence | None:
    lead = len(text[row.start : row.end]) - len(text[row.start : row.end].lstrip(" \t|"))
    return placed.get(row.start + lead)


def _tables(text: str) -> Iterator[tuple[_Row, list[_Row]]]:
    rows: list[_Row] = []
    position = 0
    for line in [*text.splitlines(keepends=True), ""]:
        if line.lstrip().startswith("|"):
            cells = tuple(c.strip() for c in line.strip().strip("|").split("|"))
            rows.append(_Row(position, position + len(line.rstrip()), cells))
        else:
            if len(rows) > 3 and _RULE.fullmatch("|".join(rows[1].cells)):
                yield rows[0], rows[2:]
            rows = []
        position += len(line)


def _column(header: _Row, rows: list[_Row], column: int) -> tuple[Quantity, int, int, bool] | None:
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
    at = next((n for n, r in enumerate(rows) if _TOTAL.match(r.cells[0])), None)
    if at is not None:
        return known[at], at, at, True
    summed = [f for f, r in zip(known, rows, strict=True) if not _PARTIAL.search(r.cells[0])]
    value = sum(f.low or 0 for f in summed)
    said = f"a table that adds up to {value:g} {known[0].unit or known[0].noun}"
    quantity = known[0].model_copy(update={"low": value, "high": value, "text": said})
    return quantity, 0, len(rows) - 1, False


def _figure(row: _Row, column: int, title: str) -> Quantity | None:
    """The figure in a cell, with the unit or the noun that the column names."""
    cell = row.cells[column] if column < len(row.cells) else ""
    if not _FIGURE.fullmatch(cell):
        return None
    bare = cell.strip("*_ ")
    named = re.search(r"\(([^)]+)\)", title)
    for unit in ("", f" {named[1]}" if named else "", f" {title}"):
        found = quantities(bare + unit)
        if len(found) == 1 and (found[0].unit or found[0].noun) and found[0].low is not None:
            return found[0].model_copy(update={"text": (bare + unit).strip()})
    return None


def _stated(
    text: str,
    placed: dict[int, Sentence],
    quantity: Quantity,
    rows: tuple[_Row, _Row],
    *,
    told: bool,
) -> Stated:
    first, last = (s for r in rows if (s := _sentence(r, text, placed)))
    quoted = replace(first, text=text[first.start : last.end], end=last.end)
    money = bool(quantity.unit)
    return Stated(quantity, quoted, "affirmed", "", share="whole" if told or money else "sum")
