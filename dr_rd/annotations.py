"""What analysts write on their runs: tags and a note, in one small JSON file a run beside the runs.

A finished run never changes, so none of this is part of it.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import ValidationError

from core.errors import CallerError
from core.files import write_whole
from core.settings import valid_id
from core.values import Frozen

ANNOTATIONS = ".annotations"
"""The folder's name in the audits folder."""

MAX_TAG, MAX_NOTE = 40, 2_000
"""Characters of a tag, and of a note."""


class Annotation(Frozen):
    """What is written on one run."""

    tags: tuple[str, ...] = ()
    note: str = ""


class Annotations:
    """The tags and notes of all runs under one audits root.

    Args:
        root: The audits folder; made when the first is written.

    """

    def __init__(self, root: Path) -> None:
        self._folder = root.resolve() / ANNOTATIONS

    def all(self) -> Mapping[str, Annotation]:
        """Return what is written on each run by its id; what cannot be read is left out."""
        found = {path.stem: _read(path) for path in self._folder.glob("[!.]*.json")}
        return {run_id: kept for run_id, kept in found.items() if kept}

    def read(self, run_id: str) -> Annotation:
        """Return what is written on a run."""
        return _read(self._path(run_id)) or Annotation()

    def write(self, run_id: str, tags: Iterable[str], note: str) -> Annotation:
        """Write on a run in the place of what stood there, and return what was written.

        Raises CallerError for a tag or note that is too long, or where the file cannot be written.
        """
        cleaned = (" ".join(tag.split()) for tag in tags)
        kept = Annotation(tags=tuple(dict.fromkeys(t for t in cleaned if t)), note=note.strip())
        if long := next((t for t in kept.tags if len(t) > MAX_TAG), None):
            raise CallerError(
                f"the tag {long!r} has {len(long)} characters; at most {MAX_TAG} fit"
            )
        if len(kept.note) > MAX_NOTE:
            raise CallerError(
                f"the note has {len(kept.note):,} characters, and at most {MAX_NOTE:,} are kept; "
                "shorten it"
            )
        path = self._path(run_id)
        try:
            write_whole(path, kept.model_dump_json(indent=2).encode())
        except OSError as error:
            raise CallerError(
                f"{path} cannot be written ({error.strerror}); free space or make its folder "
                "writable"
            ) from error
        return kept

    def _path(self, run_id: str) -> Path:
        return self._folder / f"{valid_id('run id', run_id)}.json"


def _read(path: Path) -> Annotation | None:
    """What a file holds; None where there is none, or it is no annotation."""
    try:
        return Annotation.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
