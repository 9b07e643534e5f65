"""A run in one file: its proposal, or everything it wrote."""

import io
import zipfile
from collections.abc import Callable, Mapping

from core.errors import unknown
from core.files import SUMS
from core.store import RunFolder

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""One date for every entry, so that the same run gives the same bytes."""


def exported(folder: RunFolder, kind: str) -> bytes:
    """Return the run as *kind*; an unknown kind is refused with the known ones."""
    kinds: Mapping[str, Callable[[RunFolder], bytes]] = {"md": proposal, "zip": bundle}
    if kind not in kinds:
        raise unknown("format", kind, kinds)
    folder.options()  # a folder without settings is no run, however many files it has
    return kinds[kind](folder)


def proposal(folder: RunFolder) -> bytes:
    """Return the proposal as Markdown."""
    return folder.read_text("proposal.md").encode()


def bundle(folder: RunFolder) -> bytes:
    """Return every lasting file of the run as a zip archive, in one order and with one date."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in (*folder.files(), *([SUMS] if folder.has(SUMS) else [])):
            entry = zipfile.ZipInfo(f"{folder.run_id}/{name}", _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, (folder.path / name).read_bytes())
    return held.getvalue()
