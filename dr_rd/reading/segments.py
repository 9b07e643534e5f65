"""A text as the pieces that its author set apart: labelled lines, list items, cells and sentences."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from dr_rd.reading.labels import label_kind, nearest_kind
from dr_rd.text.document import Block, document, sentence_spans


@dataclass(frozen=True, slots=True)
class Segment:
    """A sentence, item or cell, with what stands above or before it."""

    text: str
    start: int
    end: int
    labels: tuple[str, ...]
    """Headings, key and label, the innermost last."""
    kind: str
    """What the innermost known label announces, such as "budget"; "" for none."""
    own: bool
    """Whether that label stands on its own line, or is the row's or the key's."""
    form: str
    """"prose", "item", "row" or "quote"."""
    nth: int
    """Its number among the sentences of its block."""


_LINE_LABEL = re.compile(
    r"[ \t]*(?:[-*+•–]\s+|\(?\d{1,2}[.)]\s+)?[*_`]{0,3}(?P<label>[^\W\d_][^:：.!?|\n*]{0,58}?(?:\s?\([^)\n]{1,40}\))?)"
    r"(?P<mark>[*_`]{0,3}[ \t]?[:：][*_`]{0,3}|[.:][*_]{2,3})(?:\s+|(?<=：)|(?<=:)(?=[\u3400-\u9fff])|$)"
)
_STOPPED_LABEL = re.compile(
    r"(?P<label>[A-ZÄÖÜÉ][\w-]+(?:\s[\w/-]+){0,3})\.\s+(?=[A-ZÄÖÜÉ\d£$€\"“'(])"
)
_BOLD_LABEL = re.compile(r"[*_]{2}(?P<label>[^*_\n]{2,58}?)[.:]?[*_]{2}[.:]?\s+")
_DATE_LINE = re.compile(r"[^\n]{0,3}\d")


@lru_cache(maxsize=32)
def segments(text: str) -> tuple[Segment, ...]:
    """Cut *text* into segments, in order."""
    return tuple(_announced(_segments(text)))


def _announced(found: Iterable[Segment]) -> Iterator[Segment]:
    """Give the items below a sentence that announces ways to go the kind of directions."""
    lead, under = "", None
    for segment in found:
        if segment.form == "item" and lead and under in (None, segment.labels):
            under = segment.labels
            named = (*segment.labels, lead)
            yield replace(segment, labels=named, kind=label_kind(lead), own=True)
            continue
        said = segment.text.strip()
        announces = segment.form == "prose" and said.endswith(":")
        lead, under = (said if announces and label_kind(said) == "directions" else ""), None
        yield segment


def _segments(text: str) -> Iterator[Segment]:
    for block in document(text).blocks:
        titles = [*block.headings, block.heading, block.label]
        labels = tuple(dict.fromkeys(t for t in titles if t))
        if block.kind == "heading":
            continue
        if block.cells:
            yield from _cells(block, labels)
        else:
            yield from _lines(text, block, labels)


def _cells(block: Block, labels: Sequence[str]) -> Iterator[Segment]:
    """The cells of a row, each under the title of its column and beside the first."""
    if tuple(c.text for c in block.cells) == block.head and not _keyed(block):
        return
    first = block.cells[0]
    for column, cell in enumerate(block.cells):
        if not cell.text.strip("-–* "):
            continue
        head = block.head[column] if column < len(block.head) else ""
        beside = first.text if column else ""
        named = tuple(filter(None, (*labels, head, beside)))
        text = cell.text
        yield Segment(
            text,
            cell.start,
            cell.end,
            named,
            nearest_kind(named),
            own=True,
            form="row",
            nth=column,
        )


def _keyed(block: Block) -> bool:
    """Whether a table's first row is no head but a key and its value."""
    return (
        len(block.cells) == 2
        and bool(label_kind(block.cells[0].text))
        and not label_kind(block.cells[1].text)
    )


def _lines(text: str, block: Block, labels: tuple[str, ...]) -> Iterator[Segment]:
    """The lines of a block that begin with a label, each in sentences."""
    for start, end, label in _parted(text, block):
        own = (*labels, label) if label else labels
        part = replace(block, start=start, end=end)
        inner = ""
        for nth, (begin, stop) in enumerate(_sentences(text, part)):
            body = text[begin:stop]
            if nth or not label:
                found = _LINE_LABEL.match(body) or _BOLD_LABEL.match(body)
                if found and label_kind(found["label"]) and found.end() < len(body):
                    inner, begin = found["label"].strip(), begin + found.end()
                    body = text[begin:stop]
            named = (*own, inner) if inner else own
            kind = "admin" if _sender(named, body) else nearest_kind(named)
            yield Segment(body, begin, stop, named, kind, bool(label or inner), block.kind, nth)


_ENDS = re.compile(r"(?:(?<=n['’]t)|(?<=\bno))\.\s+(?=[A-Z][a-z])")
"""Where a sentence ends with a word that looks like a short form: "or no. That", "wouldn't. An"."""


def _sentences(text: str, block: Block) -> Iterator[tuple[int, int]]:
    for begin, stop in sentence_spans(text, block):
        for found in _ENDS.finditer(text, begin, stop):
            yield begin, found.start() + 1
            begin = found.end()
        yield begin, stop


def _parted(text: str, block: Block) -> Iterator[tuple[int, int, str]]:
    """Where the labelled parts of a block begin and end, and what each is called."""
    cuts: list[tuple[int, int, str]] = []
    at = block.start
    while at < block.end:
        stop = text.find("\n", at, block.end)
        stop = block.end if stop < 0 else stop
        found = _BOLD_LABEL.match(text, at, stop) or _LINE_LABEL.match(text, at, stop)
        stopped = None if found else _STOPPED_LABEL.match(text, at, stop)
        if stopped and label_kind(stopped["label"]):
            found = stopped
        if found and not _is_clause(found["label"]):
            cuts.append((at, found.end(), found["label"].strip(" *_`")))
        elif not cuts or _stands_alone(text, at, block):
            cuts.append((at, at, ""))
        at = stop + 1
    ends = [c[0] for c in cuts[1:]] + [block.end]
    for (_, begin, label), end in zip(cuts, ends, strict=True):
        if begin < end:
            yield begin, end, label


def _stands_alone(text: str, at: int, block: Block) -> bool:
    """Whether a line goes not on with the one before it: that is short and closed."""
    before = text[max(block.start, text.rfind("\n", 0, at - 1) + 1) : at].strip()
    return (
        before.endswith((".", "!", "?", ";", ",", "。", "；"))
        and len(before) < 60
        and block.kind == "prose"
    )


def _sender(labels: Sequence[str], body: str) -> bool:
    """Whether a line tells who wrote a letter, and not when something begins."""
    return bool(labels) and labels[-1].lower() == "from" and not any(c.isdigit() for c in body)


def _is_clause(label: str) -> bool:
    """Whether what stands before a colon is a piece of a sentence, and no label."""
    return len(label.split()) > 7 and not label_kind(label)
