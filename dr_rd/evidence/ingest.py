"""Folders in, a corpus out; what cannot be read is listed with its reason."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from core.redaction import Redactor
from dr_rd.evidence.chunks import joined, pieces
from dr_rd.evidence.corpus import Corpus, Document, Passage, Refused
from dr_rd.evidence.currency import part_status, standings
from dr_rd.evidence.extract import Extract
from dr_rd.evidence.files import Found, find, read_found
from dr_rd.evidence.parsing import parse_all

BATCH = 40_000_000
"""Bytes of files that are held in memory at once, and given to one child process."""
MAX_PASSAGES = 20_000
"""Passages of one run: some 5,000 pages; reading and searching them stays quick."""


@dataclass(frozen=True, slots=True)
class _Read:
    path: str
    sha256: str
    extract: Extract

    @property
    def text(self) -> str:
        return joined(self.extract.blocks)


def read_documents(folders: Sequence[Path], redactor: Redactor | None = None) -> Corpus:
    """Read every document in *folders* into one corpus; a bad file never stops the rest.

    The same folders give the same corpus, ids included. A path to a single file is read too;
    one that does not exist is the caller's error. Secrets in them, such as keys, are left out:
    those that show by their form, or that a *redactor* of one's own knows.
    """
    clean = (redactor or Redactor()).text
    kept: list[_Read] = []
    refused: list[Refused] = []
    for item in _read_all(find(folders)):
        if isinstance(item, Refused):
            refused.append(item)
        else:
            kept.append(replace(item, extract=item.extract.cleaned(clean)))
    documents = tuple(_documents(kept))
    passages = tuple(_passages(documents, kept))
    refused += [
        Refused(path=r.path, reason=f"is read but for {', '.join(r.extract.left_out)}")
        for r in kept
        if r.extract.left_out
    ]
    refused += _left_out(documents, passages)
    return Corpus(documents=documents, passages=passages[:MAX_PASSAGES], refused=tuple(refused))


def _read_all(items: Iterable[Found | Refused]) -> Iterator[_Read | Refused]:
    """Parse in batches of bounded size, in order."""
    batch: list[tuple[Found, bytes]] = []
    for item in items:
        data = item if isinstance(item, Refused) else read_found(item)
        if isinstance(item, Refused) or isinstance(data, Refused):
            yield from [x for x in (item, data) if isinstance(x, Refused)][:1]
            continue
        batch.append((item, data))
        if sum(len(d) for _, d in batch) > BATCH:
            yield from _parsed(batch)
            batch = []
    yield from _parsed(batch)


def _parsed(batch: Sequence[tuple[Found, bytes]]) -> Iterator[_Read | Refused]:
    results = parse_all([(found.suffix, data) for found, data in batch])
    for (found, data), result in zip(batch, results, strict=True):
        if isinstance(result, str):
            yield Refused(path=found.path, reason=result)
        else:
            yield _Read(found.path, hashlib.sha256(data).hexdigest(), result)


def _documents(kept: Sequence[_Read]) -> Iterator[Document]:
    judged = standings([(r.path, r.extract) for r in kept])
    ids = [f"D{n:02d}" for n in range(1, len(kept) + 1)]
    for own_id, item, standing in zip(ids, kept, judged, strict=True):
        yield Document(
            id=own_id,
            path=item.path,
            sha256=item.sha256,
            title=standing.title,
            text=item.text,
            dated=standing.dated,
            status=standing.status,
            superseded_by=None if standing.successor is None else ids[standing.successor],
            signals=standing.signals,
        )


def _passages(documents: Sequence[Document], kept: Sequence[_Read]) -> Iterator[Passage]:
    numbers = count(1)
    for document, item in zip(documents, kept, strict=True):
        for piece in pieces(item.extract.blocks):
            text = document.text[piece.start : piece.end]
            yield Passage(
                id=f"E{next(numbers):03d}",
                document_id=document.id,
                text=text,
                start=piece.start,
                end=piece.end,
                page=piece.page,
                heading=piece.heading,
                row=piece.row,
                status=part_status(piece.heading, text, is_row=piece.row is not None),
                digest=hashlib.sha256(text.encode()).hexdigest(),
            )


def _left_out(documents: Sequence[Document], passages: Sequence[Passage]) -> Iterator[Refused]:
    """Say which documents are cut, when there are more passages than are kept."""
    cut = dict.fromkeys(p.document_id for p in passages[MAX_PASSAGES:])
    paths = {d.id: d.path for d in documents}
    reason = f"lies beyond the first {MAX_PASSAGES:,} passages, in part or whole"
    yield from (Refused(path=paths[i], reason=reason) for i in cut)
