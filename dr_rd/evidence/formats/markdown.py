"""Markdown: paragraphs, list items, code and table rows under their headings."""

from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from dr_rd.evidence.extract import Block, Extract, Heading
from dr_rd.evidence.formats.blocks import Rows, decode, front_matter, lines, under


def read(data: bytes) -> Extract:
    """Markdown: paragraphs, list items, code and table rows under their headings."""
    meta, body = front_matter(lines(decode(data)))
    blocks = tuple(_markdown_blocks(MarkdownIt("commonmark").enable("table").parse(body)))
    title = next((b.heading[0] for b in blocks if b.heading), "")
    return Extract(blocks, meta.get("title", "") or title, meta)


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
