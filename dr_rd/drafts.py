"""Drafts of briefs on disk, so that what was typed outlasts its page: one JSON file each."""

import json
from collections.abc import Mapping
from pathlib import Path
from threading import Lock

from pydantic import JsonValue, ValidationError

from core.clock import Clock, stamp
from core.errors import CallerError
from core.files import is_inside, sha256, write_whole
from core.redaction import Redactor
from core.settings import valid_id
from core.values import Frozen

DRAFTS = ".drafts"
"""The folder of the drafts in the audits folder."""

MAX_BYTES = 1_000_000
"""Of a draft's file."""


class Draft(Frozen):
    """A brief in the making."""

    id: str
    saved: str = ""
    """When, in UTC; "" of one that cannot be read."""
    brief: Mapping[str, JsonValue] = {}
    """What was typed, which need not be a brief yet; its secrets are left out."""
    problem: str = ""
    """Why the draft cannot be read; "" if it can."""


class _Saved(Frozen):
    """A draft's file."""

    saved: str
    brief: dict[str, JsonValue]


class Drafts:
    """All drafts beside the runs under one audits root; threads may share it.

    Args:
        root: The audits folder; made when the first draft is saved.
        clock: Dates each draft.
        owner: Whose drafts alone are there; "" keeps no owners apart.

    """

    def __init__(self, root: Path, clock: Clock, owner: str = "") -> None:
        self._root, self._clock = root.resolve(), clock
        own = sha256(owner.encode())[:32] if owner else ""  # a name may be no folder's
        self._folder = self._root / DRAFTS / own
        self._writing = Lock()  # threads of one process write the same part of a file

    def save(self, draft_id: str, brief: Mapping[str, JsonValue]) -> Draft:
        """Save a draft in the place of an earlier one with that id, and return what was saved.

        Raises CallerError if it is too large, is no JSON, or cannot be written.
        """
        path = self._path(draft_id)
        try:
            redacted = Redactor().json(dict(brief))
            draft = {"saved": stamp(self._clock.now()), "brief": redacted}
            data = json.dumps(draft, indent=2, ensure_ascii=False, allow_nan=False).encode()
            saved = _Saved.model_validate_json(data)  # what could not be read is not written
        except (ValueError, RecursionError) as error:
            raise CallerError(
                f"the draft {draft_id!r} cannot be kept as JSON ({error}); use plain text, "
                "finite numbers and few levels"
            ) from error
        if len(data) > MAX_BYTES:
            raise CallerError(
                f"the draft {draft_id!r} has {len(data):,} bytes, and at most {MAX_BYTES:,} are "
                "kept; shorten it, or put long material into documents"
            )
        try:
            with self._writing:
                write_whole(path, data)
        except OSError as error:
            raise CallerError(
                f"the draft cannot be kept in {path} ({error.strerror}); free space, make that "
                "folder writable or choose another --audits"
            ) from error
        return Draft(id=draft_id, saved=saved.saved, brief=saved.brief)

    def read(self, draft_id: str) -> Draft:
        """Return a draft; raises CallerError if there is none, or it cannot be read."""
        path = self._path(draft_id)
        if not path.is_file():  # a pipe would be waited for
            raise CallerError(f"there is no draft {draft_id!r} in {path.parent}")
        try:
            if path.stat().st_size > MAX_BYTES:
                raise CallerError(f"{path} is larger than a draft can be; remove it")
            saved = _Saved.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise CallerError(
                f"{path} cannot be read; restore it from a copy or delete it"
            ) from error
        return Draft(id=draft_id, saved=saved.saved, brief=saved.brief)

    def list(self) -> list[Draft]:
        """Return every draft, the one saved last first; those that cannot be read come last."""
        drafts = [self._look(path.stem) for path in self._folder.glob("[!.]*.json")]
        return sorted(drafts, key=lambda draft: (draft.saved, draft.id), reverse=True)

    def delete(self, draft_id: str) -> None:
        """Delete a draft, if it is there; raises CallerError if it cannot be deleted."""
        path = self._path(draft_id)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise CallerError(
                f"{path} cannot be deleted ({error.strerror}); make its folder writable"
            ) from error

    def _look(self, draft_id: str) -> Draft:
        try:
            return self.read(draft_id)
        except CallerError as error:
            return Draft(id=draft_id, problem=str(error))

    def _path(self, draft_id: str) -> Path:
        path = self._folder / f"{valid_id('draft id', draft_id)}.json"
        if not is_inside(self._root, path):
            raise CallerError(f"{path} leads out of the audits folder; remove that link")
        return path
