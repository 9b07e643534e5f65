"""Comma- and tab-separated values: one block a row, each cell after the name of its column."""

import csv
import io
from itertools import islice

from dr_rd.evidence.extract import Block, Extract
from dr_rd.evidence.formats.blocks import MAX_ROWS, Rows, Unreadable, decode, lines


def read(data: bytes) -> Extract:
    """CSV: one block a row, each cell after the name of its column."""
    text = lines(decode(data))
    try:
        rows = list(islice(csv.reader(io.StringIO(text), _dialect(text)), MAX_ROWS + 2))
    except csv.Error as error:
        raise Unreadable(f"is not well-formed CSV ({error})") from error
    table = Rows()
    blocks: list[Block] = []
    for row in rows:
        table.cells = row
        blocks.extend(table.close(()))
    return Extract(tuple(blocks))


def _dialect(text: str) -> type[csv.Dialect]:
    try:
        return csv.Sniffer().sniff(text[:4096], delimiters=",;\t|")
    except csv.Error:
        return csv.excel
