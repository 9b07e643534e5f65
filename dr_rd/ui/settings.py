"""How the next run is orchestrated, checked and repeated."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import streamlit as st

from core.clock import Clock
from core.errors import CallerError
from core.modes import modes
from core.settings import Flags, RunOptions, Served, read_flags
from dr_rd.ui import models, session
from dr_rd.ui.session import Key

_CAPS = {
    Key.MAX_COST_USD: "Money for models, US dollars",
    Key.MAX_CALLS: "Calls to models",
    Key.MAX_TOKENS: "Tokens sent and received",
    Key.MAX_WALL_S: "Working time, seconds",
    Key.MAX_ATTEMPTS: "Attempts at tasks in all",
    Key.CALL_TIMEOUT_S: "Seconds for one reply, 0 for the usual",
}

LABELS = {
    Key.APPROVAL_REQUIRED: "Ask me before the plan is worked",
    Key.GRAPH_ENABLED: "Follow the plan's branches",
    Key.PARALLEL_EXEC_ENABLED: "Work on tasks at the same time",
    Key.MAX_CONCURRENCY: "Tasks at the same time, at most",
    Key.AUTOGEN_ENABLED: "AutoGen answers (experimental)",
    Key.STREAM_REPLIES: "Show replies as they are written",
    Key.DIRECT_CALLS: "Spare the processor: replies come whole",
    Key.EVALUATORS_ENABLED: "Check and score every answer",
    Key.EVALUATOR_MIN_OVERALL: "An answer passes from this score",
    Key.EVALUATOR_WEIGHTS: "What counts more: weights by criterion",
    Key.CRITIQUE_ENABLED: "A model reads the whole draft once",
    Key.MAX_RETRIES: "Tries again below it, at most",
    Key.BACKOFF_BASE_S: "Wait before the first new try, seconds",
    Key.BACKOFF_FACTOR: "Each further wait is longer by this factor",
    Key.BACKOFF_MAX_S: "Longest wait, seconds",
    **_CAPS,
}
"""How each flag is called on the page, by the key of its widget."""


def flag_label(flag: str) -> str:
    """Return how a flag is called on the page; itself where the page has no widget for it."""
    return next((label for key, label in LABELS.items() if _flag(key) == flag), flag)


def draw_modes() -> None:
    """Draw the modes as cards, each with the question that it answers."""
    st.radio(
        "How is it worked?",
        list(modes()),
        format_func=lambda mode: modes()[mode].label,
        captions=[mode.question for mode in modes().values()],
        key=Key.MODE,
        horizontal=True,
        label_visibility="collapsed",
        width="stretch",
    )


def draw(defaults: Flags, environ: Mapping[str, str], clock: Clock) -> Flags | None:
    """Draw how the run is worked, behind one door; return its flags, or None if one is unusable."""
    for key in Key:
        if (name := _flag(key)) in Flags.model_fields:
            session.propose(key, _widget_value(getattr(defaults, name)))
    session.propose(Key.SEED, 0)
    with st.expander("Engine, models, checks and caps", key=Key.ENGINE):
        working, checking, ending = st.columns(3, gap="medium")
        with working:
            st.markdown("**Who works, and how**")
            _orchestration()
            models.draw(environ, clock)
        with checking:
            st.markdown("**How answers are checked**")
            _checks()
        with ending:
            st.markdown("**Where it stops at the latest**")
            for key in _CAPS:
                _number(key)
            st.number_input(
                "Seed of every random number",
                min_value=0,
                step=1,
                key=Key.SEED,
                help="The same seed gives the same run.",
            )
    try:
        return _flags(defaults)
    except CallerError as mistake:
        st.error(str(mistake))
        return None


def options(
    flags: Flags,
    project_id: str,
    docs: Sequence[Path],
    repo: Path | None,
    served: Served | None,
) -> RunOptions:
    """Return what was chosen for the next run."""
    return RunOptions(
        mode=session.get(Key.MODE),
        seed=session.get(Key.SEED),
        project_id=project_id,
        docs=tuple(docs),
        repo=repo,
        served=served,
        flags=flags,
    )


def _orchestration() -> None:
    _switch(Key.APPROVAL_REQUIRED)
    mode = modes().get(str(session.get(Key.MODE)))
    heeds = mode.own_flags if mode else ()
    _switch(Key.GRAPH_ENABLED, usable="GRAPH_ENABLED" in heeds)
    without = "GRAPH_ENABLED" in heeds and not session.get(Key.GRAPH_ENABLED)
    parallel = "PARALLEL_EXEC_ENABLED" in heeds and not without
    _switch(Key.PARALLEL_EXEC_ENABLED, usable=parallel)
    side_by_side = parallel and bool(session.get(Key.PARALLEL_EXEC_ENABLED))
    _number(Key.MAX_CONCURRENCY, usable=side_by_side)
    _switch(Key.AUTOGEN_ENABLED, usable="AUTOGEN_ENABLED" in heeds)
    _switch(Key.DIRECT_CALLS)
    _switch(Key.STREAM_REPLIES, usable=not session.get(Key.DIRECT_CALLS))


def _checks() -> None:
    _switch(Key.EVALUATORS_ENABLED)
    scored = bool(session.get(Key.EVALUATORS_ENABLED))
    st.slider(
        LABELS[Key.EVALUATOR_MIN_OVERALL],
        0.0,
        1.0,
        step=0.05,
        key=Key.EVALUATOR_MIN_OVERALL,
        disabled=not scored,
        help=_help(Key.EVALUATOR_MIN_OVERALL),
    )
    _number(Key.MAX_RETRIES, usable=scored)
    _number(Key.BACKOFF_BASE_S, usable=scored)
    _number(Key.BACKOFF_FACTOR, usable=scored)
    _number(Key.BACKOFF_MAX_S, usable=scored)
    st.text_input(
        LABELS[Key.EVALUATOR_WEIGHTS],
        key=Key.EVALUATOR_WEIGHTS,
        placeholder='{"support": 2}',
        disabled=not scored,
        help=_help(Key.EVALUATOR_WEIGHTS),
    )
    _switch(Key.CRITIQUE_ENABLED)


def _flags(defaults: Flags) -> Flags:
    """Read the widgets the way the command line reads --set, with the same complaints."""
    chosen = ((name, session.get(key)) for key in Key if (name := _flag(key)) in _FLAGS)
    return read_flags({}, [f"{name}={_value_text(value)}" for name, value in chosen], defaults)


_FLAGS = frozenset(Flags.model_fields)


def _flag(key: Key) -> str:
    return key.upper().replace("-", "_")


def _widget_value(value: object) -> object:
    """A flag's value as its widget holds it."""
    return (json.dumps(value) if value else "") if isinstance(value, dict) else value


def _value_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _switch(key: Key, *, usable: bool = True) -> None:
    st.toggle(LABELS[key], key=key, disabled=not usable, help=_help(key))


def _number(key: Key, *, usable: bool = True) -> None:
    field = Flags.model_fields[_flag(key)]
    bounds = {type(m).__name__: m for m in field.metadata}
    kind: type[int] | type[float] = int if field.annotation is int else float
    low, high = kind(bounds["Ge"].ge), kind(bounds["Le"].le)
    step = kind(1)
    st.number_input(
        LABELS[key],
        low,
        high,
        step=step,
        format="%d" if kind is int else "%g",  # no cents of a second
        key=key,
        disabled=not usable,
        help=_help(key),
    )


def _help(key: Key) -> str:
    return f"{_flag(key)}. {Flags.model_fields[_flag(key)].description}"
