"""A run in one file: its proposal, or everything it wrote."""

import io
import re
import zipfile
from collections.abc import Callable, Mapping
from importlib.metadata import entry_points

from markdown_it import MarkdownIt

from core.errors import unknown
from core.files import SUMS
from core.graph.files import planned_tasks, read_answers
from core.modes.spec import RunParts
from core.store import RunFolder
from core.trace import reason_of, status_of
from dr_rd.report.charts import figures
from dr_rd.report.proposal import FOOTER

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""One date for every entry, so that the same run gives the same bytes."""


GROUP = "dr_rd.exports"
"""The entry-point group of exports that packages bring, each under its format's name."""

Export = Callable[[RunFolder, RunParts], bytes]
"""Writes a run, in whatever state it is, as the bytes of one file."""


def exports() -> Mapping[str, Callable[[], Export]]:
    """Return what gives each export, by its format; those of packages are imported when called."""
    ours: dict[str, Callable[[], Export]] = {
        "md": lambda: result,
        "html": lambda: page,
        "zip": lambda: bundle,
    }
    return {**{entry.name: entry.load for entry in entry_points(group=GROUP)}, **ours}


def exported(folder: RunFolder, parts: RunParts, kind: str) -> bytes:
    """Return the run as *kind*, in whatever state it is; an unknown kind names the known ones."""
    kinds = exports()
    if kind not in kinds:
        raise unknown("format", kind, kinds)
    folder.options()  # a folder without settings is no run, however many files it has
    return kinds[kind]()(folder, parts)


def result(folder: RunFolder, parts: RunParts) -> bytes:
    """Return the run's result as Markdown; of a run that has none yet, what it has come to."""
    name = parts.mode.result_files[0]
    if folder.has(name):
        return folder.read_text(name).encode()
    return parts.mode.partial_result(folder, parts, standing(folder)).encode()


def page(folder: RunFolder, parts: RunParts) -> bytes:
    """Return the run's result as one HTML file with its figures; nothing in it is fetched or run."""
    text = result(folder, parts).decode().split(FOOTER)[0]
    reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    body = reader.render(_COMMENT.sub("", text))
    drawn = "".join(f"<figure>{svg}</figure>" for svg in _figures(folder).values())
    at = body.find("<h2>Annexes</h2>")
    whole = body[:at] + drawn + body[at:] if at >= 0 else body + drawn
    return f"{_HEAD}{whole}</body></html>\n".encode()


_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)

_HEAD = (
    '<!doctype html><html><head><meta charset="utf-8">'
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
    "style-src 'unsafe-inline'\">"
    "<style>body{font:16px/1.5 sans-serif;max-width:52em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse}td,th{border:1px solid #8794a5;padding:.3em .5em;"
    "vertical-align:top}figure{margin:1em 0}svg{max-width:100%;height:auto}</style></head><body>"
)


def _figures(folder: RunFolder) -> dict[str, str]:
    """The figures of a run whose plan was worked."""
    tasks = planned_tasks(folder)
    return figures(tasks, read_answers(folder, tasks).values())


def standing(folder: RunFolder) -> str:
    """Say where a run is, and why it stopped there, in a sentence without its full stop."""
    status = status_of(folder.trace_path, driven=folder.is_driven())
    reason = reason_of(folder.trace_path)
    where = _STANDING.get(status, f"the run has {status.replace('_', ' ')}")
    return f"{where}: {reason}" if reason and status != "running" else where


_STANDING = {
    "running": "The run is being worked on",
    "waiting": "The run waits for a person's answer",
    "paused": "The run is paused",
    "interrupted": "The run was cut off",
}


def bundle(folder: RunFolder, parts: RunParts) -> bytes:
    """Return every lasting file of the run as a zip archive, in one order and with one date.

    The figures of its plan lie beside it, as no file of the run, and what a run without a result has come to as partial.md.
    """
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in (*folder.files(), *([SUMS] if folder.has(SUMS) else [])):
            entry = zipfile.ZipInfo(f"{folder.run_id}/{name}", _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, (folder.path / name).read_bytes())
        for name, svg in _figures(folder).items():
            archive.writestr(zipfile.ZipInfo(f"{folder.run_id}-figures/{name}", _EPOCH), svg)
        if not folder.has(parts.mode.result_files[0]):
            archive.writestr(
                zipfile.ZipInfo(f"{folder.run_id}/partial.md", _EPOCH), result(folder, parts)
            )
    return held.getvalue()
