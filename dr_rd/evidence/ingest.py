"""Folders in, a corpus out; what cannot be read is listed with its reason."""

from collections.abc import Sequence
from pathlib import Path

from dr_rd.evidence.corpus import Corpus


def read_documents(folders: Sequence[Path]) -> Corpus:
    """Read every document in *folders* into one corpus; a bad file never stops the rest."""
    raise NotImplementedError(folders)
