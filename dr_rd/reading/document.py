"""A brief's text as it is read: structured data as Markdown, figures in English notation."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from dr_rd.language import language
from dr_rd.reading.casual import with_sentences
from dr_rd.reading.fractions import with_shares
from dr_rd.reading.notation import anglicised
from dr_rd.reading.periods import with_days
from dr_rd.reading.places import Mapped, rewritten
from dr_rd.reading.spelling import Slip, slips
from dr_rd.reading.structured import rendered
from dr_rd.reading.years import with_years


@dataclass(frozen=True, slots=True)
class Document:
    """What is read, and where it stands in what was given."""

    source: str
    text: str
    language: str
    steps: Sequence[Mapped]
    """How the text was made, the last step first."""
    guesses: Sequence[Slip] = ()
    """Words of the source that are read as others."""

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return where in the source stands what the text has from *start* to *end*."""
        for step in self.steps:
            start, end = step.place(start, end)
        return start, end

    def quote(self, start: int, end: int) -> str:
        """Return the words of the source that the text has from *start* to *end*."""
        begin, stop = self.place(start, end)
        return " ".join(_BLOCK.sub("", self.source[begin:stop], count=1).split())


_BLOCK = re.compile(r"\A[>|][-+\d]{0,2}[ \t]*\n")
"""What begins a text of several lines in YAML (YAML 1.2.2, 8.1), and is none of its words."""


def document_of(source: str, name: str, *, structured: bool | None = None) -> Document:
    """Return *source* as it is read; *name* is what error messages call it.

    Raises CallerError if it is structured and hostile.
    """
    spoken = language(source)
    guesses = tuple(slips(source)) if spoken in ("english", "unknown") else ()
    corrected = rewritten(source, guesses)
    steps: list[Mapped] = [corrected] if guesses else []
    text = corrected.text
    if structured or (structured is None and looks_structured(text)):
        made = rendered(text, name)
        if made is not None:
            steps, text = [made, *steps], made.text
    for step in (
        with_sentences,
        partial(anglicised, name=spoken),
        with_shares,
        with_days,
        with_years,
    ):
        made = step(text)
        if made.text != text:
            steps, text = [made, *steps], made.text
    return Document(source, text, spoken, tuple(steps), guesses)


def looks_structured(text: str) -> bool:
    """Whether a text begins as JSON, or all its lines as YAML's."""
    start = text.lstrip()
    if start.startswith("{"):
        return True
    tops = [line for line in start.splitlines() if line[:1].strip()]
    return bool(tops) and all(t[0] in "-#]}" or _keyed(t) for t in tops) and _keyed(tops[0])


def _keyed(line: str) -> bool:
    key, colon, _ = line.partition(":")
    return bool(colon) and key.isidentifier()
