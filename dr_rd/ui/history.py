"""All runs on disk, newest first, found by words, tags, state, mode and project."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from core.index import RunInfo
from core.modes import modes
from core.pluralize import pluralize
from dr_rd.annotations import Annotation
from dr_rd.brief import NAMELESS
from dr_rd.ui import text
from dr_rd.ui.context import current_context
from dr_rd.ui.session import Key
from dr_rd.ui.tables import STATES

Line = Mapping[str, Any]


def draw(pages: Mapping[str, Any]) -> None:
    """Draw the list; a selected line opens its run."""
    context = current_context()
    st.title("All runs")
    runs = context.service.list()
    if not runs:
        st.write("There is none yet.")
        st.page_link(pages["new"], label="Make the first plan")
        return
    written = context.service.annotations.all()
    lines = [line(run, written.get(run.run_id, Annotation())) for run in runs]
    kept = _chosen(lines)
    if not kept:
        st.write("No run is like that. Take a word or a choice away.")
        return
    st.write("Choose a line to open its run.")
    chosen = st.dataframe(
        [lines[k] for k in kept],
        hide_index=True,
        key=Key.RUNS,
        on_select="rerun",
        selection_mode="single-cell",
        column_config={
            "started": st.column_config.TextColumn("Started, UTC", width=130),
            "objective": st.column_config.TextColumn("Objective", width=250),
            "status": st.column_config.TextColumn("Status", width=160),
            "recommendation": st.column_config.TextColumn("Recommendation", width=130),
            "limits": st.column_config.TextColumn("Chances and limits", width=180),
            "mode": st.column_config.TextColumn("Mode", width=125),
            "project": st.column_config.TextColumn("Project", width=90),
            "tags": st.column_config.ListColumn("Tags", width=80),
            "note": st.column_config.TextColumn("Note", width=80),
            "run": st.column_config.TextColumn("Run", width=60),
        },
        alt="Runs on disk",
    )
    for number, _ in chosen["selection"]["cells"]:
        _open(runs[kept[number]], pages)
    counted = (
        f"{len(kept):,} of {len(runs):,} runs"
        if len(kept) < len(runs)
        else pluralize(len(runs), "run")
    )
    where = "" if context.users else f", kept in {context.service.store.root}"
    st.caption(text.plain(f"{counted}{where}"))


def _chosen(lines: Sequence[Line]) -> list[int]:
    """Draw what narrows the list, and return the places of the lines that are left."""
    words = st.text_input(
        "Search",
        key=Key.SEARCH,
        placeholder="Words of objective, project, tag, note or run",
    )
    picked: dict[str, list[str]] = {}
    with st.container(horizontal=True):
        for column, key, label in _NARROWED:
            known = sorted({row[column] for row in lines} - {""})
            if len(known) > 1:
                picked[column] = st.multiselect(label, known, key=key, placeholder="Any")
    return found(lines, words, picked)


_NARROWED = (
    ("status", Key.STATUSES, "Status"),
    ("mode", Key.MODES, "Mode"),
    ("project", Key.PROJECTS, "Project"),
)
"""What a list is narrowed by: column, the widget's key and its label."""


def found(lines: Sequence[Line], words: str, picked: Mapping[str, Iterable[str]]) -> list[int]:
    """Return the places of the lines that hold all *words* and one of what is picked a column."""
    asked = words.casefold().split()
    tests: list[Callable[[Line], bool]] = [
        lambda row: all(word in _words(row) for word in asked),
        *(_among(column, set(values)) for column, values in picked.items() if values),
    ]
    return [k for k, row in enumerate(lines) if all(holds(row) for holds in tests)]


def _among(column: str, values: set[str]) -> Callable[[Line], bool]:
    return lambda row: row[column] in values


def _words(row: Line) -> str:
    values = (" ".join(v) if isinstance(v, list) else str(v) for v in row.values())
    return " ".join(values).casefold()


def line(run: RunInfo, written: Annotation) -> dict[str, Any]:
    """Return a run as a line of the table."""
    day, clock = run.run_id[:8], run.run_id[9:13]
    dated = (day + clock).isdigit() and len(clock) == 4
    return {
        "started": f"{day[:4]}-{day[4:6]}-{day[6:]} {clock[:2]}:{clock[2:]}" if dated else "",
        "objective": run.title,
        "status": run.problem or STATES[str(run.status)][0],
        "recommendation": str(run.facts.get("recommendation", "")),
        "limits": str(run.facts.get("limits", "")),
        "mode": modes()[run.mode].label if run.mode in modes() else run.mode,
        "project": "" if run.project_id == NAMELESS else run.project_id,
        "tags": list(written.tags),
        "note": written.note,
        "run": run.run_id,
    }


def _open(run: RunInfo, pages: Mapping[str, Any]) -> None:
    if run.problem:
        st.error(text.plain(run.problem))
    else:
        st.switch_page(pages["run"], query_params={"run": run.run_id})
