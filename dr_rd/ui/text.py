"""Text for Streamlit's Markdown, which gives meaning to more signs than other Markdown does."""

import re

_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_HEADING = re.compile(r"^(#{1,6}) ", re.MULTILINE)
_ADDRESS = re.compile(r"(https?://[^\s`\"'”’]+?)(?=[.,;:)\]]*(?:[\s`\"'”’]|$))")
"""Only as code is an address no link, whatever is escaped in it."""
_SIGN = re.compile(r"([\\`*_{}\[\]()#+!|~>$:<-])")
_OTHER = re.compile(r"[^a-z0-9]+")
_SHORTCODE = re.compile(r":(?=[a-z][a-z0-9_/+-]*[\[:])")


def safe_markdown(markdown: str) -> str:
    """Return *markdown* so that it fetches no image, makes no HTML, formula, icon or colour."""
    text = _COMMENT.sub("", markdown)
    text = text.replace("![", "!\\[").replace("<", "&lt;").replace("$", "\\$")
    return _SHORTCODE.sub("\\:", text)


def plain(text: str) -> str:
    """Return *text*, which is not Markdown, so that it is shown as it is, on one line."""
    parts = _ADDRESS.split(" ".join(text.split()))
    return "".join(f"`{p}`" if n % 2 else _SIGN.sub(r"\\\1", p) for n, p in enumerate(parts))


def slug(name: str) -> str:
    """Return *name* as it can stand in a key or an address."""
    return _OTHER.sub("-", name.lower()).strip("-")


def under(markdown: str, level: int = 1) -> str:
    """Return *markdown* with its headings moved so that the first fits below that *level*."""
    first = _HEADING.search(markdown)
    by = level + 1 - len(first[1]) if first else 0
    return _HEADING.sub(lambda m: "#" * max(1, min(6, len(m[1]) + by)) + " ", markdown)
