"""Text for Streamlit's Markdown, which gives meaning to more signs than other Markdown does."""

import re

_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_HEADING = re.compile(r"^(#{1,6}) ", re.MULTILINE)
_ADDRESS = re.compile(
    r"(?:https?://|www\.)[^\s`\"'”’<>\[\](){}$!|\\]+?(?=[.,;:]*(?:[\s`\"'”’<>\[\](){}$!|\\]|$))",
    re.IGNORECASE,
)
"""Only as code is an address no link, whatever is escaped in it."""
_ADDRESSES = re.compile(f"({_ADDRESS.pattern})", re.IGNORECASE)
_SPAN = re.compile(r"(?<![\\`])`[^`\n|]+`(?!`)")
"""Code within a line; what a backtick that ends nothing would begin is not left to the reader."""
_PIECES = re.compile(f"({_SPAN.pattern}|{_ADDRESS.pattern})", re.IGNORECASE)
_STRAY = re.compile(r"(?<![\\`])`(?!`)")
_LINK = re.compile(r"\]([(\[:])")
_SIGN = re.compile(r"([\\`*_{}\[\]()#+!|~>$:<-])")
_OTHER = re.compile(r"[^a-z0-9]+")
_SHORTCODE = re.compile(r":(?=[a-z][a-z0-9_/+-]*[\[:])")


def safe_markdown(markdown: str) -> str:
    """Return *markdown* so that it fetches no image, makes no HTML, link, formula, icon or colour."""
    return "".join(map(_safe_piece, _PIECES.split(_COMMENT.sub("", markdown))))


def _safe_piece(piece: str) -> str:
    """Return an address as code, and anything else without what Streamlit takes for an order."""
    if _ADDRESS.fullmatch(piece):
        return f"`{piece}`"
    text = piece if _SPAN.fullmatch(piece) else _STRAY.sub(r"\\`", piece)
    text = text.replace("![", "!\\[").replace("<", "&lt;").replace("$", "\\$")
    return _SHORTCODE.sub("\\:", _LINK.sub(r"]\\\1", text))


def plain(text: str) -> str:
    """Return *text*, which is not Markdown, so that it is shown as it is, on one line."""
    parts = _ADDRESSES.split(" ".join(text.split()))
    return "".join(f"`{p}`" if n % 2 else _SIGN.sub(r"\\\1", p) for n, p in enumerate(parts))


def slug(name: str) -> str:
    """Return *name* as it can stand in a key or an address."""
    return _OTHER.sub("-", name.lower()).strip("-")


def under(markdown: str, level: int = 1) -> str:
    """Return *markdown* with its headings moved so that the first fits below that *level*."""
    first = _HEADING.search(markdown)
    by = level + 1 - len(first[1]) if first else 0
    return _HEADING.sub(lambda m: "#" * max(1, min(6, len(m[1]) + by)) + " ", markdown)
