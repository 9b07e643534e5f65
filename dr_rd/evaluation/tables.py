"""Tables of a Markdown text, as rows of cells."""

import re
from collections.abc import Sequence
from itertools import pairwise

from core.values import Frozen

_RULE = re.compile(r"^\s*\|?\s*:?-{3,}:?\s*(?:\|\s*:?-{3,}:?\s*)*\|?\s*$")
_CELLS = re.compile(r"(?<!\\)\|")


class Table(Frozen):
    """A table with a head."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def column(self, *names: str) -> int | None:
        """Index of the first column with a word that begins like one of *names*; or None."""
        wanted = re.compile(rf"\b(?:{'|'.join(names)})", re.IGNORECASE)
        return next((n for n, h in enumerate(self.head) if wanted.search(h)), None)


def tables(text: str) -> tuple[Table, ...]:
    """Return the tables of *text*, in order; rows shorter than the head are filled up."""
    lines = text.splitlines()
    starts = [n for n, (_, rule) in enumerate(pairwise(lines)) if _RULE.match(rule)]
    return tuple(_table(lines, n) for n in starts if "|" in lines[n])


def amounts(cell: str) -> list[float]:
    """Numbers in a cell, thousands separators and signs understood."""
    found = re.findall(r"[-−]?\d[\d,]*(?:\.\d+)?", cell)
    return [float(f.replace(",", "").replace("−", "-")) for f in found]


def _table(lines: Sequence[str], start: int) -> Table:
    head = _cells(lines[start])
    rows: list[tuple[str, ...]] = []
    for line in lines[start + 2 :]:
        if "|" not in line:
            break
        cells = _cells(line)
        rows.append((*cells, *[""] * (len(head) - len(cells)))[: len(head)])
    return Table(head=head, rows=tuple(rows))


def _cells(line: str) -> tuple[str, ...]:
    return tuple(c.strip() for c in _CELLS.split(line.strip().strip("|")))
