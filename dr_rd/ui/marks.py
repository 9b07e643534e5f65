"""A brief's text with the place of each value that was understood marked in it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from dr_rd.reading import Understood
from dr_rd.ui.form import Form

STYLE = """
<style>
.brief-text { white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.75;
  font-size: 0.93rem; margin: 0; font-family: inherit; }
.brief-text mark { color: inherit; border-radius: 0.2rem; padding: 0.08rem 0.12rem; }
.brief-text mark sup { font-size: 0.68rem; font-weight: 650; padding-left: 0.15rem;
  line-height: 0; }
.brief-text .objective { background: rgba(11, 87, 208, 0.18); }
.brief-text .term { background: rgba(0, 158, 115, 0.24); }
.brief-text .people { background: rgba(204, 121, 167, 0.28); }
.brief-text .figure { background: rgba(230, 159, 0, 0.3); }
.brief-text .limit { background: rgba(240, 228, 66, 0.3); }
.brief-text .unread { background: none; border-bottom: 2px dashed #d55e00; }
</style>
"""

_KINDS = {"budget": "term", "start": "term", "deadline": "term", "closed": "term"}
_KINDS |= {"objective": "objective", "people": "people", "statistics": "figure"}


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of a text that a value was read from."""

    start: int
    end: int
    kind: str
    label: str


def marks_of(found: Understood, form: Form) -> list[Mark]:
    """Return where the values of *form* stand in the text that they were read from."""
    return sorted((*_values(found), *_lines(found, form)), key=lambda m: (m.start, -m.end))


def _values(found: Understood) -> Iterator[Mark]:
    for path, (start, end) in found.study.spans.items():
        name, _, rest = path.partition(".")
        if kind := _KINDS.get(name):
            yield Mark(
                start, end, kind, (rest if name == "statistics" else name).replace("_", " ")
            )


def _lines(found: Understood, form: Form) -> Iterator[Mark]:
    text = found.document.source
    for n, row in enumerate(form.limits, 1):
        if at := _place(text, row.text):
            yield Mark(*at, "limit", str(n))
    for unread in found.study.unread:
        if at := _place(text, unread.quote):
            yield Mark(*at, "unread", "not understood")


def _place(text: str, words: str) -> tuple[int, int] | None:
    """Return where *words* stand in *text*, however its lines are broken."""
    pattern = r"\s+".join(map(re.escape, words.split()))
    found = re.search(pattern, text) if pattern else None
    return found.span() if found else None


def marked_html(text: str, marks: Iterable[Mark]) -> str:
    """Return *text* as HTML; where marks lie over each other, the shortest colours its stretch."""
    held = [m for m in marks if 0 <= m.start < m.end <= len(text)]
    cuts = sorted({0, len(text), *(m.start for m in held), *(m.end for m in held)})
    parts: list[str] = []
    for start, end in pairwise(cuts):
        over = [m for m in held if m.start <= start and end <= m.end]
        piece = escape(text[start:end])
        if over:
            inner = min(over, key=lambda m: m.end - m.start)
            ends = dict.fromkeys(m.label for m in over if m.end == end)
            labels = f"<sup>{escape(', '.join(ends))}</sup>" if ends else ""
            piece = f'<mark class="{inner.kind}">{piece}{labels}</mark>'
        parts.append(piece)
    return f'<div class="brief-text">{"".join(parts)}</div>'
