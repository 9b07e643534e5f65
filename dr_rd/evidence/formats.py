"""One parser a format: the bytes of a file to blocks of text with their place.

These run in a child process (see child.py), so a parser that fails or never ends costs one file.
"""

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, islice

import pypdf
from bs4 import BeautifulSoup, Tag
from bs4.element import Comment, NavigableString, PageElement
from charset_normalizer import from_bytes
from markdown_it import MarkdownIt
from markdown_it.token import Token

from dr_rd.evidence.extract import Block, Extract, Heading
from dr_rd.evidence.office import read_docx, read_xlsx
from dr_rd.evidence.rows import MAX_ROWS, Rows, Unreadable, under

MAX_TEXT = 2_000_000
"""Characters of one document: about 700 pages; more is a data set, not a document to cite."""
MAX_PAGES = 1_000
"""Pages of a PDF: the length of a long standard or handbook."""
_SAMPLE = 65_536


def parse(suffix: str, data: bytes) -> Extract:
    """Parse *data*, the bytes of a file named with *suffix*; raise `Unreadable` with the reason."""
    _check_kind(suffix, data)
    extract = PARSERS[suffix](data)
    size = sum(len(b.text) for b in extract.blocks)
    if size > MAX_TEXT:
        raise Unreadable(f"holds {size:,} characters of text; the limit is {MAX_TEXT:,}")
    if not size:
        raise Unreadable(_EMPTY.get(suffix, "holds no text"))
    return extract


_EMPTY = {".pdf": "holds no text (a scan?); run text recognition and save it again"}


def _check_kind(suffix: str, data: bytes) -> None:
    if not data.strip():
        raise Unreadable("is empty")
    actual = next((kind for magic, kind in _MAGIC if data.startswith(magic)), "")
    if b"%PDF-" in data[:1024]:
        actual = "PDF"
    if actual == "old Office" and suffix in (".docx", ".xlsx"):
        raise Unreadable("is encrypted, or of an old Office; save a copy without a password")
    wanted = {".pdf": "PDF", ".docx": "zip", ".xlsx": "zip"}.get(suffix, "")
    if wanted and actual != wanted:
        raise Unreadable(f"is named {suffix} but is not one inside")
    if actual != wanted:
        raise Unreadable(f"is named {suffix} but holds {actual} data; give it its right ending")


_MAGIC = (
    (b"PK\x03\x04", "zip"),
    (b"\x89PNG", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF8", "GIF image"),
    (b"\xd0\xcf\x11\xe0", "old Office"),
    (b"\x7fELF", "program"),
    (b"\x1f\x8b", "gzip"),
    (b"{\\rtf", "RTF"),
)


def decode(data: bytes) -> str:
    """Decode *data* by its byte-order mark, as UTF-8, or as the likeliest other encoding."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strict(data, encoding)
    if b"\0" in data:
        raise Unreadable("is binary, not text")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        best = from_bytes(data[:_SAMPLE]).best()
    if best is None:
        raise Unreadable("is in an encoding that could not be told; save it as UTF-8")
    return _strict(data, best.encoding)


_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


def _strict(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError) as error:
        raise Unreadable("is not valid text in its encoding; save it as UTF-8") from error


# --- Text and Markdown ---------------------------------------------------------------------


def read_text(data: bytes) -> Extract:
    """Plain text: paragraphs between blank lines."""
    meta, body = _front_matter(_lines(decode(data)))
    return Extract(tuple(_paragraphs(body)), meta.get("title", ""), meta)


def read_markdown(data: bytes) -> Extract:
    """Markdown: paragraphs, list items, code and table rows under their headings."""
    meta, body = _front_matter(_lines(decode(data)))
    blocks = tuple(_markdown_blocks(MarkdownIt("commonmark").enable("table").parse(body)))
    title = next((b.heading[0] for b in blocks if b.heading), "")
    return Extract(blocks, meta.get("title", "") or title, meta)


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _paragraphs(text: str, page: int | None = None) -> Iterator[Block]:
    for paragraph in re.split(r"\n[ \t]*\n", text):
        if stripped := paragraph.strip():
            yield Block(stripped, page=page)


_FRONT = re.compile(r"\A---[ \t]*\n(.{0,4000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_PAIR = re.compile(r"^([A-Za-z][\w -]{0,40}):[ \t]*(.+?)[ \t]*$", re.MULTILINE)


def _front_matter(text: str) -> tuple[dict[str, str], str]:
    """Split off leading `key: value` lines between rules; nothing nested is looked into."""
    match = _FRONT.match(text)
    if match is None:
        return {}, text
    pairs = {k.strip().lower(): v.strip("\"'") for k, v in _PAIR.findall(match.group(1))}
    return pairs, text[match.end() :]


def _markdown_blocks(tokens: Sequence[Token]) -> Iterator[Block]:
    path: Heading = ()
    rows = Rows()
    for before, token in zip([None, *tokens], tokens, strict=False):
        if before is not None and before.type == "heading_open":
            path = under(path, int(before.tag[1]), _inline(token))
            yield Block(path[-1], path)
        elif token.type in ("fence", "code_block") and token.content.strip():
            yield Block(token.content.strip(), path)
        elif token.type == "table_open":
            rows = Rows()
        elif token.type == "inline" and before is not None and before.type in _CELLS:
            rows.cells.append(_inline(token))
        elif token.type == "tr_close":
            yield from rows.close(path)
        elif token.type == "inline" and (text := _inline(token)):
            yield Block(text, path)


_CELLS = ("th_open", "td_open")


def _inline(token: Token) -> str:
    parts = (
        "\n" if child.type in ("softbreak", "hardbreak") else child.content
        for child in token.children or ()
        if child.type != "html_inline"
    )
    return "".join(parts).strip()


# --- HTML ----------------------------------------------------------------------------------


def read_html(data: bytes) -> Extract:
    """HTML: the text of block elements under their headings, without scripts and menus."""
    soup = BeautifulSoup(_html_text(data), "html.parser")
    meta = {
        str(tag.get("name") or tag.get("property")).lower(): str(tag["content"])
        for tag in soup.find_all("meta", content=True)
    }
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    for tag in soup.find_all(["script", "style", "template", "noscript", "nav", "head", "title"]):
        tag.extract()
    return Extract(tuple(_html_blocks(soup)), title, meta)


def _html_text(data: bytes) -> str:
    """Decode as the file declares, where it does."""
    declared = re.search(rb"<meta[^>]{0,200}charset=[\"']?([\w-]{1,40})", data[:2048], re.I)
    if declared is None:
        return decode(data)
    try:
        return data.decode(declared.group(1).decode())
    except (UnicodeDecodeError, LookupError):
        return decode(data)


_BLOCK = re.compile(
    "address|article|aside|blockquote|body|caption|dd|div|dl|dt|fieldset|figcaption|figure|"
    "footer|form|h[1-6]|header|hr|li|main|ol|p|pre|section|table|tr|ul"
)
_MAX_NESTING = 200
"""Parents of a text that are looked at; deeper nesting is machine-made."""


def _html_blocks(soup: BeautifulSoup) -> Iterator[Block]:
    path: Heading = ()
    rows = Rows()
    table: int | None = None
    strings = (s for s in soup.descendants if _is_text(s))
    for (_, block), group in groupby(((s, _block_of(s)) for s in strings), key=_identity):
        parts = [s for s, _ in group]
        if block.name == "tr":
            owner = id(block.find_parent("table"))
            rows, table = (rows, table) if table == owner else (Rows(), owner)
            rows.cells = _cells(parts)
            yield from rows.close(path)
        elif text := " ".join("".join(map(str, parts)).split()):
            if re.fullmatch("h[1-6]", block.name):
                path = under(path, int(block.name[1]), text)
            yield Block(text, path)


def _is_text(element: PageElement) -> bool:
    return isinstance(element, NavigableString) and not isinstance(element, Comment)


def _identity(pair: tuple[PageElement, Tag]) -> tuple[int, Tag]:
    return id(pair[1]), pair[1]


def _block_of(string: PageElement) -> Tag:
    parents = list(islice(string.parents, _MAX_NESTING))
    return next((p for p in parents if _BLOCK.fullmatch(p.name)), parents[-1])


def _cells(parts: Sequence[PageElement]) -> list[str]:
    """The texts of a row by column; a cell without text holds its place."""
    texts: dict[int, list[str]] = {}
    for part in parts:
        texts.setdefault(id(part.find_parent(["td", "th"])), []).append(str(part))
    row = parts[0].find_parent("tr")
    cells = row.find_all(["td", "th"]) if row else []
    found: list[str] = []
    for cell in (c for c in cells if c.find_parent("tr") is row):  # one left open holds the next
        span = str(cell.get("colspan", "1"))
        width = min(int(span), _COLUMNS) if span.isdecimal() else 1
        found += [" ".join("".join(texts.get(id(cell), ())).split()), *[""] * (width - 1)]
    return found


_COLUMNS = 100
"""Columns that a cell may span."""


# --- CSV -----------------------------------------------------------------------------------


def read_csv(data: bytes) -> Extract:
    """CSV: one block a row, each cell after the name of its column."""
    text = _lines(decode(data))
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


# --- PDF -----------------------------------------------------------------------------------


def read_pdf(data: bytes) -> Extract:
    """PDF: the text of each page, paragraph by paragraph."""
    reader = pypdf.PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):  # an owner's password bars no reader
        raise Unreadable("is encrypted; save a copy without a password")
    if len(reader.pages) > MAX_PAGES:
        raise Unreadable(f"has {len(reader.pages):,} pages; the limit is {MAX_PAGES:,}")
    meta = _pdf_meta(reader)
    blocks = tuple(_pdf_blocks(reader))
    empty = len(reader.pages) - len({b.page for b in blocks})
    scans = f"{empty} of {len(reader.pages)} pages, on which no text was found (scans?)"
    return Extract(blocks, meta.pop("title", ""), meta, (scans,) if empty else ())


def _pdf_meta(reader: pypdf.PdfReader) -> dict[str, str]:
    known: Mapping[str, object] = reader.metadata or {}
    wanted = {"/Title": "title", "/ModDate": "modified", "/CreationDate": "created"}
    return {name: str(known[key]).strip() for key, name in wanted.items() if known.get(key)}


def _pdf_paragraphs(text: str, page: int, path: Heading) -> Iterator[Block]:
    """The paragraphs of a page, under the lines that look like their headings."""
    for paragraph in re.split(r"\n[ \t]*\n", text):
        lines = [line for line in paragraph.splitlines() if line.strip()]
        held: list[str] = []
        for before, line, after in zip([".", *lines], lines, [*lines[1:], ""], strict=False):
            heads = _looks_like_heading(line) and re.search(r"[.!?:]\s*$", before)
            if heads and after and not _looks_like_heading(after):
                if held:
                    yield Block("\n".join(held).strip(), path, page)
                held, path = [], (line.strip(),)
                yield Block(path[0], path, page)
            else:
                held.append(line)
        if held:
            yield Block("\n".join(held).strip(), path, page)


def _looks_like_heading(line: str) -> bool:
    return len(line) <= _HEADING and _HEADING_LINE.fullmatch(line.strip()) is not None


_HEADING = 60
_HEADING_LINE = re.compile(r"(?:\d+(?:\.\d+)*\.?\s+)?[^\W\d_a-z][^\d.!?;:,]*")
"""A short line without figures, but for its own number, and without a stop."""


def _pdf_blocks(reader: pypdf.PdfReader) -> Iterator[Block]:
    size, path = 0, Heading()
    for number, page in enumerate(reader.pages, start=1):
        for block in _pdf_paragraphs(page.extract_text(), number, path):
            path = block.heading
            size += len(block.text)
            if size > MAX_TEXT:
                raise Unreadable(f"holds more text than the limit of {MAX_TEXT:,} characters")
            yield block


PARSERS: Mapping[str, Callable[[bytes], Extract]] = {
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".txt": read_text,
    ".text": read_text,
    ".html": read_html,
    ".htm": read_html,
    ".csv": read_csv,
    ".tsv": read_csv,
    ".pdf": read_pdf,
    ".docx": read_docx,
    ".xlsx": read_xlsx,
}
"""The endings that are read."""
