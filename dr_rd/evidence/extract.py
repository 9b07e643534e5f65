"""What reading one file gives: blocks of text with their place."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

ENDINGS = (
    ".csv", ".docx", ".htm", ".html", ".markdown", ".md", ".pdf", ".text", ".tsv", ".txt",
    ".xlsx",
)  # fmt: skip
"""The endings of the files that are read."""

Heading = tuple[str, ...]
"""The headings above a block, outermost first."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, list item or table row."""

    text: str
    heading: Heading = ()
    page: int | None = None
    row: int | None = None


@dataclass(frozen=True, slots=True)
class Extract:
    """What a parser found in one file."""

    blocks: tuple[Block, ...]
    title: str = ""
    meta: Mapping[str, str] = field(default_factory=dict)
    """What the file says about itself: front matter, properties; keys in lower case."""
    left_out: tuple[str, ...] = ()
    """What of the file is not among the blocks, such as "2 pictures"."""

    def cleaned(self, clean: Callable[[str], str]) -> "Extract":
        """Return the same with *clean* done to all its texts."""
        blocks = (
            replace(b, text=clean(b.text), heading=tuple(map(clean, b.heading)))
            for b in self.blocks
        )
        meta = {key: clean(value) for key, value in self.meta.items()}
        return Extract(tuple(blocks), clean(self.title), meta, self.left_out)
