"""Tables of a Markdown text, as rows of cells."""

import re
from collections.abc import Sequence
from itertools import pairwise

from core.values import Frozen

_RULE = re.compile(r"^\s*\|?\s*:?-{3,}:?\s*(?:\|\s*:?-{3,}:?\s*)*\|?\s*$")
_CELLS = re.compile(r"(?<!\\)\|")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.+?)\s*#*\s*$")
_AMOUNT = re.compile(r"\(?[-−–]?\s?[£€$¥]?\s?\d[\d,'’  ]*(?:\.\d+)?\s?(?:[kK]\b)?\)?")


class Table(Frozen):
    """A table with a head."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    heading: str = ""
    """The nearest heading above it."""
    caption: str = ""
    """The line above it that holds text."""

    def column(self, *names: str) -> int | None:
        """Index of the first column with a word that begins like one of *names*; or None."""
        wanted = re.compile(rf"\b(?:{'|'.join(names)})", re.IGNORECASE)
        return next((n for n, h in enumerate(self.head) if wanted.search(h)), None)


def tables(text: str) -> tuple[Table, ...]:
    """Return the tables of *text*, in order; rows shorter than the head are filled up."""
    lines = text.split("\n")
    starts = [n for n, (_, rule) in enumerate(pairwise(lines)) if _RULE.match(rule)]
    found: list[Table] = []
    heading, seen, ends = "", 0, 0
    for n in (n for n in starts if "|" in lines[n]):
        if n < ends:
            continue  # a rule within a table opens no other
        titles = [m[1] for line in lines[seen:n] if (m := _HEADING.match(line))]
        heading = titles[-1] if titles else heading
        found.append(_table(lines, n, heading))
        seen, ends = n, n + 2 + len(found[-1].rows)
    return tuple(found)


def amounts(cell: str) -> list[float]:
    """Numbers in a cell; separators, a k for thousands, and signs understood.

    A number in parentheses alone in its cell is negative, as accountants write it.
    """
    bare = cell.strip("*_ ")
    return [
        _amount(m[0], first=m.start() == 0, alone=m[0] == bare) for m in _AMOUNT.finditer(bare)
    ]


def _amount(text: str, *, first: bool, alone: bool) -> float:
    value = float(re.sub(r"[^\d.]", "", text)) * (1000 if text.rstrip(") ")[-1:] in "kK" else 1)
    signed = first and re.match(r"\(?[-−–]", text)
    return -value if signed or (alone and text.startswith("(") and text.endswith(")")) else value


def _table(lines: Sequence[str], start: int, heading: str) -> Table:
    head = _cells(lines[start])
    rows: list[tuple[str, ...]] = []
    for line in lines[start + 2 :]:
        if "|" not in line:
            break
        cells = _cells(line)
        rows.append((*cells, *[""] * (len(head) - len(cells)))[: len(head)])
    above = next((line for line in reversed(lines[max(0, start - 3) : start]) if line.strip()), "")
    return Table(head=head, rows=tuple(rows), heading=heading, caption=above.strip())


def _cells(line: str) -> tuple[str, ...]:
    return tuple(c.strip() for c in _CELLS.split(line.strip().strip("|")))
