"""The values of a corpus: documents, their passages, and the files that were refused."""

from datetime import date
from functools import cached_property
from typing import Literal

from core.values import Frozen
from dr_rd.images import NO_DOCUMENT

DocumentStatus = Literal["live", "superseded", "draft", "archive"]


class Document(Frozen):
    """One file that was read."""

    id: str
    """Such as "D01"; numbered in the order of folders and names."""
    path: str
    """Relative to its folder, with forward slashes."""
    sha256: str
    """Of the file's bytes."""
    title: str
    text: str
    """The extracted text that the passages' offsets count in."""
    dated: date | None = None
    """The day it was issued; the first of the month or year where only that is known."""
    status: DocumentStatus = "live"
    superseded_by: str | None = None
    """The id of the document that holds in its stead, where one is known."""
    signals: tuple[str, ...] = ()
    """Why it has this date and this status, a phrase each."""


class Passage(Frozen):
    """A few sentences or one table row of a document; what a claim may cite."""

    id: str
    """Such as "E001"; the same whenever the same folder is read."""
    document_id: str
    text: str
    """Exactly as extracted: `document.text[start:end]`."""
    start: int
    end: int
    page: int | None = None
    """Of a PDF, from 1."""
    heading: tuple[str, ...] = ()
    """The headings above it, outermost first."""
    row: int | None = None
    """Of a table, from 1, its header not counted."""
    status: DocumentStatus = "live"
    """Of its part of the document; the whole may have another."""
    digest: str
    """SHA-256 of the text."""


class Refused(Frozen):
    """A file that was not read, and why, in plain words."""

    path: str
    reason: str


class Corpus(Frozen):
    """Everything that a run may cite."""

    documents: tuple[Document, ...] = ()
    passages: tuple[Passage, ...] = ()
    refused: tuple[Refused, ...] = ()

    @cached_property
    def document_by_id(self) -> dict[str, Document]:
        """The documents by their id."""
        return {d.id: d for d in self.documents}

    @cached_property
    def passage_by_id(self) -> dict[str, Passage]:
        """The passages by their id."""
        return {p.id: p for p in self.passages}

    @property
    def pictures(self) -> tuple[str, ...]:
        """The paths of pictures that lie among the documents."""
        return tuple(r.path for r in self.refused if r.reason == NO_DOCUMENT)

    def status_of(self, passage: Passage) -> DocumentStatus:
        """Return the status of *passage*: its document's, or its own in a live one."""
        whole = self.document_of(passage).status
        return passage.status if whole == "live" else whole

    def document_of(self, passage: Passage) -> Document:
        """Return the document that *passage* was cut from."""
        return self.document_by_id[passage.document_id]
