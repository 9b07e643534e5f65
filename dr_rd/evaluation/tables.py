"""Tables of a Markdown text, as rows of cells."""

import re

from core.values import Frozen
from dr_rd.text.document import document

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
    return tuple(
        Table(
            head=found.head,
            rows=tuple(tuple(cell.text for cell in row.cells) for row in found.rows),
            heading=found.heading,
            caption=found.caption,
        )
        for found in document(text).tables
    )


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
