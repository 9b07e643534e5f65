"""What tables count beside their figures: the things that their rows name, and how many each group has."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from dr_rd.adherence.reading import Share, Stated
from dr_rd.adherence.tables import TOTAL, Row, placed, quoted, tables_of
from dr_rd.quantity import Quantity
from dr_rd.text import Sentence, cued, lexicon, plural

_PARENTHESIS = re.compile(r"\s*\([^)]*\)?")
_WORDS = re.compile(r"[^\W\d_][\w’'-]*(?:\s[^\W\d_][\w’'-]*){0,3}")
_WHOLE_NUMBER = re.compile(r"[*_]*(\d{1,3}(?:[, ]\d{3})+|\d{1,7})[*_]*")
NAMELESS = "n"
"""The noun of those whom a table counts without a name for them: "enrolled | 40 | 42"."""


def rosters(text: str, found: Sequence[Sentence]) -> Iterator[Stated]:
    """Give for each table how many things its rows name, and the sizes of the groups in it."""
    for header, rows in tables_of(text):
        here = [s for s in (placed(r, found) for r in rows) if s and not s.aside]
        if len(here) == len(rows):
            yield from _named(text, header, rows, here)
            yield from _across(header, rows, here)
            yield from _down(header, rows, here)
            yield from _left(header, rows, here)


def _title(cell: str) -> str:
    """The words of a title without what stands in brackets; "" where it has others."""
    bare = _PARENTHESIS.sub("", cell).strip(" *_:")
    return bare.lower() if _WORDS.fullmatch(bare) else ""


def _named(
    text: str, header: Row, rows: Sequence[Row], here: Sequence[Sentence]
) -> Iterator[Stated]:
    """The number of rows that name what the first title says: three under "City" are three cities."""
    noun = _title(header.cells[0])
    labels = {r.cells[0] for r, s in zip(rows, here, strict=True) if _kept(r, s)}
    if noun and len(labels) > 1 and all(label[:1].isalpha() for label in labels):
        yield _counted(len(labels), noun, quoted(text, here[0], here[-1]), "sum")


def _kept(row: Row, sentence: Sentence) -> bool:
    return not (
        TOTAL.match(row.cells[0])
        or cued("left_out", sentence.text)
        or cued("going", sentence.text)
    )


def _across(header: Row, rows: Sequence[Row], here: Sequence[Sentence]) -> Iterator[Stated]:
    """The sizes of the groups that the columns are: "| Schools | 8 | 9 |"."""
    if header.cells[0] or len(header.cells) < 3 or not all(map(_title, header.cells[1:])):
        return
    columns = [n for n, c in enumerate(header.cells) if n and not TOTAL.match(c)]
    lines = [(_thing(r.cells[0]), r, s) for r, s in zip(rows, here, strict=True)]
    stages = [line for line in lines if line[0] == NAMELESS]
    for noun, row, sentence in (*(x for x in lines if x[0] not in ("", NAMELESS)), *stages[-1:]):
        values = [_number(row, n) for n in columns]
        if all(values):
            yield from _groups([v or 0 for v in values], noun, [sentence] * len(values))


def _down(header: Row, rows: Sequence[Row], here: Sequence[Sentence]) -> Iterator[Stated]:
    """The sizes of the groups that the rows are, at the last of the stages that the columns are."""
    grouped = lexicon().meanings(header.cells[0]) & lexicon().groups
    stages = [n for n, c in enumerate(header.cells) if n and _thing(c) == NAMELESS]
    if not stages or not (grouped or (not header.cells[0] and len(rows) == _BOTH)):
        return
    groups = [n for n, r in enumerate(rows) if not TOTAL.match(r.cells[0])]
    values = [_number(rows[n], stages[-1]) for n in groups]
    if all(values):
        yield from _groups([v or 0 for v in values], NAMELESS, [here[n] for n in groups])


def _left(header: Row, rows: Sequence[Row], here: Sequence[Sentence]) -> Iterator[Stated]:
    """Those left after the last of the steps that the rows are: "| genotyped | 341 |"."""
    if len(header.cells) != _BOTH or not cued("steps", header.cells[0]):
        return
    values = [_number(r, 1) for r in rows]
    known = [v for v in values if v]
    falling = len(known) == len(rows) and known == sorted(known, reverse=True)
    if falling and _thing(header.cells[1]) == NAMELESS:
        yield _counted(known[-1], NAMELESS, here[-1], "whole")


_BOTH = 2  # columns of a table of steps; rows under no title that are two groups


def _thing(label: str) -> str:
    """What a label counts; n where it is what was done to those, or when; "" where it is neither."""
    said = _title(label)
    if said in ("n", "number") or (
        said and (cued("taken", said) or cued("stages", said) or cued("left_out", said))
    ):
        return NAMELESS
    return said if said and plural(said.split()[-1]) else ""


def _number(row: Row, column: int) -> int | None:
    cell = row.cells[column] if column < len(row.cells) else ""
    found = _WHOLE_NUMBER.fullmatch(cell.strip())
    return int(re.sub(r"\D", "", found[1])) if found else None


def _groups(values: Sequence[int], noun: str, here: Sequence[Sentence]) -> Iterator[Stated]:
    for value, sentence in zip(values, here, strict=True):
        yield replace(_counted(value, noun, sentence, "part"), scope="group")
    yield _counted(sum(values), noun, here[-1], "whole")


def _counted(value: int, noun: str, sentence: Sentence, share: Share) -> Stated:
    quantity = Quantity(
        comparison="stated",
        low=value,
        high=value,
        noun=noun,
        text=f"{value} {noun}",
        start=sentence.start,
        end=sentence.end,
    )
    return Stated(quantity, sentence, "perhaps" if share == "sum" else "affirmed", "", share)
