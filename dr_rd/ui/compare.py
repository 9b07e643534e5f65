"""Runs side by side: what each mode came to with the same brief, and what it alone found."""

from collections.abc import Mapping, Sequence

import streamlit as st

from core.index import RunInfo
from core.modes import modes
from core.trace import ENDED
from dr_rd.comparison import Comparison
from dr_rd.ui import records, text
from dr_rd.ui.context import AppContext, current_context
from dr_rd.ui.session import Key

_MOST = 12
"""Runs that are compared at once."""


def draw() -> None:
    """Draw the choice of runs, and the comparison of those chosen."""
    context = current_context()
    st.title("Compare runs")
    ended = {run.run_id: run for run in context.service.list() if run.status in ENDED}
    if len(ended) < 2:
        st.write("Fewer than two runs have ended. Run a brief in two modes, or with two seeds.")
        return
    chosen = st.multiselect(
        "Runs of one brief",
        list(ended),
        format_func=lambda run_id: _label(ended[run_id]),
        key=Key.COMPARED,
        max_selections=_MOST,
        bind="query-params",
    )
    if len(chosen) < 2:
        st.caption("Choose two or more. Runs of one mode with several seeds show its spread.")
        return
    _warn_of_several_briefs([ended[run_id] for run_id in chosen])
    _draw(context, tuple(chosen))


def _label(run: RunInfo) -> str:
    mode = modes()[run.mode].label if run.mode in modes() else run.mode
    return f"{run.project_id} · {mode} · {run.run_id}"


def _warn_of_several_briefs(runs: Sequence[RunInfo]) -> None:
    if len({run.title for run in runs}) > 1:
        st.warning(
            "These runs were asked different things; their figures answer different briefs."
        )


def _draw_outcomes(found: Comparison) -> None:
    """Say what each run recommends, which no median tells."""
    st.header("What each run recommends", anchor=False)
    rows = [
        {
            "Mode": modes()[run.mode].label,
            "Recommendation": run.outcome.recommendation or "none yet",
            "Chances and limits": run.outcome.limits,
            "Seed": run.seed,
            "Run": run.run_id,
        }
        for run in found.runs
    ]
    records.draw(rows, "The recommendation of each run")


def _draw(context: AppContext, chosen: tuple[str, ...]) -> None:
    found = context.service.comparison(chosen)
    labels: Mapping[str, str] = {m: modes()[m].label for m in found.modes}
    _draw_outcomes(found)
    st.header("Figures", anchor=False)
    st.caption("The median of each mode's runs, with its range where they differ.")
    st.dataframe(
        [
            {"Figure": name, **{labels[m]: row[m] for m in found.modes}}
            for name, row in found.table()
        ],
        hide_index=True,
        height="content",
        alt="The figures of each mode",
    )
    for line in found.unfinished():
        st.warning(text.plain(line))
    if len(found.modes) < 2:
        return
    st.header("What each mode found that the others did not", anchor=False)
    for mode in found.modes:
        st.subheader(labels[mode], anchor=False)
        own = found.found_only_by(mode)
        st.markdown("\n".join(f"- {text.plain(line)}" for line in own) or "Nothing.")
    if found.shared:
        st.subheader("Found by more than one", anchor=False)
        st.markdown("\n".join(f"- {text.plain(line)}" for line in found.shared))
