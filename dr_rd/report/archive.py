"""Zip archives whose bytes are those of what is in them: one date for every entry."""

import io
import zipfile
from collections.abc import Iterable

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The first moment that an archive can name; every entry has it, so that the same run gives the same bytes."""


def packed(entries: Iterable[tuple[str, bytes | str]]) -> bytes:
    """Return an archive of the entries, each a name with its content, in their order."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, content in entries:
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return held.getvalue()
