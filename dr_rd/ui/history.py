"""All runs on disk, newest first, broken ones with what is wrong with them."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from core.index import RunInfo
from core.modes import modes
from dr_rd.ui import text
from dr_rd.ui.context import current_context
from dr_rd.ui.session import Key
from dr_rd.ui.tables import STATES


def draw(pages: Mapping[str, Any]) -> None:
    """Draw the list; a selected line opens its run."""
    context = current_context()
    st.title("All runs")
    runs = context.service.store.list()
    if not runs:
        st.write("There is none yet.")
        st.page_link(pages["new"], label="Make the first plan")
        return
    st.write("Choose a line to open its run.")
    chosen = st.dataframe(
        [line(run) for run in runs],
        hide_index=True,
        key=Key.RUNS,
        on_select="rerun",
        selection_mode="single-cell",
        column_config={
            "started": "Started, UTC",
            "project": st.column_config.TextColumn("Project", width="medium"),
            "objective": st.column_config.TextColumn("Objective", width="large"),
            "mode": "Mode",
            "status": st.column_config.TextColumn("Status", width="medium"),
            "run": "Run",
        },
        alt="Runs on disk",
    )
    for number, _ in chosen["selection"]["cells"]:
        _open(runs[number], pages)
    st.caption(text.plain(f"Kept in {context.service.store.root}"))


def line(run: RunInfo) -> dict[str, str]:
    """Return a run as a line of the table."""
    day, clock = run.run_id[:8], run.run_id[9:13]
    dated = (day + clock).isdigit() and len(clock) == 4
    return {
        "started": f"{day[:4]}-{day[4:6]}-{day[6:]} {clock[:2]}:{clock[2:]}" if dated else "",
        "project": run.project_id,
        "objective": run.title,
        "mode": modes()[run.mode].label if run.mode in modes() else run.mode,
        "status": run.problem or STATES[str(run.status)][0],
        "run": run.run_id,
    }


def _open(run: RunInfo, pages: Mapping[str, Any]) -> None:
    if run.problem:
        st.error(text.plain(run.problem))
    else:
        st.switch_page(pages["run"], query_params={"run": run.run_id})
