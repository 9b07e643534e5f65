"""A run in one file: its result in the format asked for, its plan, or everything it wrote."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import entry_points
from types import ModuleType

from core.errors import CallerError, unknown
from core.files import SUMS
from core.graph.files import planned_tasks, read_answers
from core.graph.state import GraphTask
from core.modes.spec import RunParts
from core.store import TRACE, RunFolder
from core.trace import read_events, reason_of, status_of
from dr_rd.brief import Brief
from dr_rd.checks import build_ledger
from dr_rd.report.archive import EPOCH, packed
from dr_rd.report.blocks import About, Block, blocks, reader, with_figures, words
from dr_rd.report.charts import figures, task_dates
from dr_rd.report.lineage import crate, otlp, prov
from dr_rd.report.proposal import FOOTER
from dr_rd.report.typeset import pdf

GROUP = "dr_rd.exports"
"""The entry-point group of exports that packages bring, each under its format's name."""

Export = Callable[[RunFolder, RunParts], bytes]
"""Writes a run, in whatever state it is, as the bytes of one file."""


def exports() -> Mapping[str, Callable[[], Export]]:
    """Return what gives each export, by its format; those of packages are imported when called."""
    ours: dict[str, Callable[[], Export]] = {
        "md": lambda: result,
        "html": lambda: page,
        "docx": lambda: _docx,
        "pdf": lambda: _pdf,
        "csv": lambda: _csv,
        "xlsx": lambda: _xlsx,
        "ics": lambda: _ics,
        "zip": lambda: bundle,
        "prov": lambda: prov,
        "rocrate": lambda: crate,
        "otlp": lambda: otlp,
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
    body = reader().render(_read(folder, parts))
    drawn = "".join(f"<figure>{svg}</figure>" for svg in _figures(folder).values())
    at = body.find(f"<h2>{_ANNEXES}</h2>")
    whole = body[:at] + drawn + body[at:] if at >= 0 else body + drawn
    return f"{_HEAD}{whole}</body></html>\n".encode()


def _read(folder: RunFolder, parts: RunParts) -> str:
    """The result as it is read: without what stands below it about the run."""
    return _COMMENT.sub("", result(folder, parts).decode().split(FOOTER)[0])


_ANNEXES = "Annexes"
"""The heading before which the figures stand."""
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)


def _blocks(folder: RunFolder, parts: RunParts) -> list[Block]:
    return with_figures(
        blocks(_read(folder, parts)), list(_figures(folder).values()), before=_ANNEXES
    )


def _about(folder: RunFolder, read: Sequence[Block]) -> About:
    title = next((words(block.runs) for block in read if block.kind == "heading"), "")
    return About(title, folder.run_id, _begun(folder))


def _docx(folder: RunFolder, parts: RunParts) -> bytes:
    # Word's and the workbook's writers take a third of a second to import, and few runs need them
    word = import_module("dr_rd.report.word").word
    read = _blocks(folder, parts)
    made: bytes = word(read, _about(folder, read))
    return made


def _pdf(folder: RunFolder, parts: RunParts) -> bytes:
    read = _blocks(folder, parts)
    return pdf(read, _about(folder, read))


def _csv(folder: RunFolder, parts: RunParts) -> bytes:  # noqa: ARG001 - as every export is called
    made: bytes = _plan_files().plan_csv(_tasks(folder, "csv"))
    return made


def _xlsx(folder: RunFolder, parts: RunParts) -> bytes:  # noqa: ARG001 - the same
    items = build_ledger(folder.read(Brief, "brief.json")).items
    limits = [(i.id, i.kind.replace("_", " "), i.text) for i in items]
    made: bytes = _plan_files().plan_xlsx(_tasks(folder, "xlsx"), limits)
    return made


def _ics(folder: RunFolder, parts: RunParts) -> bytes:  # noqa: ARG001 - the same
    """The plan's dates, by the schedule that its answers computed."""
    tasks = _tasks(folder, "ics")
    days = task_dates(read_answers(folder, tasks).values())
    dated = [(t, *days[t.id]) for t in tasks if t.id in days]
    if not dated:
        raise CallerError(
            "this run's plan has no dates: its brief says no day to start on, or it was not worked "
            "yet; name a start and run it, or take csv"
        )
    made: bytes = _plan_files().plan_ics(dated, run_id=folder.run_id, made=_begun(folder))
    return made


def _plan_files() -> ModuleType:
    return import_module("dr_rd.report.plan_files")


def _tasks(folder: RunFolder, kind: str) -> tuple[GraphTask, ...]:
    """The tasks of a run; raises CallerError where it has no plan."""
    if tasks := planned_tasks(folder):
        return tasks
    raise CallerError(f"this run has no plan that {kind!r} could hold; take md, html, docx or pdf")


def _begun(folder: RunFolder) -> datetime:
    """When the run began, which is the date of its files: the same run gives the same bytes."""
    first = next(read_events(folder.trace_path), None) if folder.has(TRACE) else None
    if first is None:
        return datetime(*EPOCH, tzinfo=UTC)
    return datetime.fromisoformat(first.ts).replace(microsecond=0)


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
    names = (*folder.files(), *([SUMS] if folder.has(SUMS) else []))
    entries: list[tuple[str, bytes | str]] = [
        *((f"{folder.run_id}/{name}", (folder.path / name).read_bytes()) for name in names),
        *((f"{folder.run_id}-figures/{name}", svg) for name, svg in _figures(folder).items()),
    ]
    if not folder.has(parts.mode.result_files[0]):
        entries.append((f"{folder.run_id}/partial.md", result(folder, parts)))
    return packed(entries)
