"""Excel: the rows of every sheet that is shown."""

import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from docx.oxml import parse_xml
from python_calamine import (
    CalamineError,
    CalamineWorkbook,
    SheetMetadata,
    SheetTypeEnum,
    SheetVisibleEnum,
)

from core.pluralize import pluralize
from dr_rd.evidence.extract import Block, Extract, Heading
from dr_rd.evidence.formats.blocks import MAX_ROWS, Rows, Unreadable
from dr_rd.evidence.formats.office import check_zip, left_out


def read(data: bytes) -> Extract:
    """Excel: the rows of every sheet that is shown, each cell after the name of its column."""
    try:
        return _read(data)
    except CalamineError as error:
        raise Unreadable(f"is damaged ({type(error).__name__})") from error


def _read(data: bytes) -> Extract:
    names = check_zip(data)
    blocks: list[Block] = []
    missing = [*left_out(names), *_uncomputed(data, names)]
    with CalamineWorkbook.from_filelike(io.BytesIO(data)) as book:
        for sheet in book.sheets_metadata:
            if why := _not_read(sheet):
                missing.append(f"the sheet {sheet.name!r}, which is {why}")
                continue
            table = book.get_sheet_by_name(sheet.name)
            if table.height > MAX_ROWS:
                missing.append(f"the sheet {sheet.name!r} of {table.height:,} rows")
            else:
                blocks += _sheet_blocks(sheet.name, table.iter_rows())
    return Extract(tuple(blocks), *_properties(data, names), tuple(missing))


def _not_read(sheet: SheetMetadata) -> str:
    if sheet.visible != SheetVisibleEnum.Visible:
        return "hidden"
    return "" if sheet.typ == SheetTypeEnum.WorkSheet else "no table"


def _sheet_blocks(name: str, rows: Iterable[Sequence[object]]) -> Iterator[Block]:
    """Rows after their header; an empty row ends a table, and a lone cell is a line of text."""
    path: Heading = (name,)
    yield Block(name, path)
    table = Rows()
    for row in rows:
        cells = [_cell(value) for value in row]
        filled = [c for c in cells if c]
        if not filled:
            table = Rows()
        elif len(filled) == 1 and len(cells) > 1:
            yield Block(filled[0], path)
        else:
            table.cells = cells
            yield from table.close(path)


def _cell(value: object) -> str:
    """A cell as a person reads it: whole numbers without a point, days without a time."""
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, datetime) and (value.hour, value.minute, value.second) == (0, 0, 0):
        return value.date().isoformat()
    return str(value).strip()


def _uncomputed(data: bytes, names: Iterable[str]) -> Iterator[str]:
    """Formulas that the program which wrote the file never computed."""
    sheets = [n for n in names if re.fullmatch(r"xl/worksheets/[^/]+\.xml", n)]
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        number = sum(len(_NO_VALUE.findall(archive.read(n))) for n in sheets)
    if number:
        yield f"{pluralize(number, 'formula')} whose result the file does not hold"


_NO_VALUE = re.compile(rb"<f(?:\s[^>]*)?(?:/>|>[^<]*</f>)(?:<v\s*/>|<v></v>|(?=</c>))")


def _properties(data: bytes, names: Iterable[str]) -> tuple[str, dict[str, str]]:
    """The title that the file gives itself, and the days when it was changed and made."""
    if "docProps/core.xml" not in names:
        return "", {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        root = parse_xml(archive.read("docProps/core.xml"))
    found = {child.tag.rpartition("}")[2]: (child.text or "").strip() for child in root}
    days = {k: found[k][:10] for k in ("modified", "created") if found.get(k)}
    return found.get("title", ""), days
