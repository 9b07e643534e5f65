"""The part of the form that only some modes have: a scenario, and earlier runs to build on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st
from pydantic import JsonValue

from core.store import RunFolder
from core.trace import ENDED
from dr_rd.brief import Brief
from dr_rd.modes import find_content
from dr_rd.modes.scenario import load_scenario, parse_scenario, scenario_brief, shipped_scenarios
from dr_rd.ui import session
from dr_rd.ui.context import AppContext
from dr_rd.ui.session import Key

_NONE = "The brief's own material"


@dataclass(frozen=True, slots=True)
class Given:
    """What the mode is given besides the brief."""

    scenario: Mapping[str, JsonValue] | None = None
    runs: Sequence[RunFolder] = ()

    def brief(self, context: AppContext) -> Brief | None:
        """Return what is asked where the form has no objective; None if nothing else says it."""
        if self.runs:
            return context.service.parts(self.runs[0]).brief
        return scenario_brief(self.scenario) if self.scenario else None


def draw(context: AppContext) -> None:
    """Draw the fields, where the chosen mode takes anything besides the brief."""
    if find_content(str(session.get(Key.MODE) or "")) is None:
        return
    with st.expander("What this mode works from", expanded=True):
        st.write(
            "It works from the brief alone, from runs that have ended, or from a scenario with "
            "seats, options or rules of its own."
        )
        ended = {r.run_id: r for r in context.service.list() if r.status in ENDED}
        st.multiselect(
            "Build on runs",
            list(ended),
            format_func=lambda run_id: f"{ended[run_id].project_id} · {run_id}",
            key=Key.BUILDS_ON,
            help="Without an objective above, the first one's brief is taken.",
        )
        st.selectbox("Scenario", (_NONE, *shipped_scenarios()), key=Key.SCENARIO)
        st.file_uploader(
            "Or a scenario of your own, as YAML or JSON",
            type=("yaml", "yml", "json"),
            key=Key.SCENARIO_FILE,
        )


def given(context: AppContext) -> Given:
    """Return what the fields hold; raises CallerError if the scenario cannot be read."""
    if find_content(str(session.get(Key.MODE) or "")) is None:
        return Given()
    chosen = session.get(Key.BUILDS_ON) or []
    return Given(_scenario(), tuple(context.service.store.find(run_id) for run_id in chosen))


def _scenario() -> Mapping[str, JsonValue] | None:
    uploaded, shipped = session.get(Key.SCENARIO_FILE), session.get(Key.SCENARIO)
    if uploaded is not None:
        return parse_scenario(uploaded.getvalue(), uploaded.name)
    return load_scenario(shipped) if shipped in shipped_scenarios() else None
