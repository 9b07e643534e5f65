"""Refereed moves on the page: the table, each player's view, the log, and a replay step by step.

While it goes on the page shows what an onlooker may see; a person's own view is in the question
that their turn is. Once it is over, every view of every position can be looked at.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from core.modes.referee.state import ONLOOKER, Game
from core.modes.referee.views import GameView, public_view, read_state, states
from core.runs import Snapshot
from core.store import RunFolder
from core.trace import read_events
from dr_rd.ui import records, text
from dr_rd.ui.context import AppContext

_PUBLIC = "what is public"
"""How an onlooker is called where a viewer is chosen."""


def live(context: AppContext, snapshot: Snapshot) -> None:
    """Draw a game that goes on, as an onlooker sees it."""
    del context
    if isinstance(snapshot.view, GameView) and snapshot.view.table:
        _turn(snapshot.view)
        _table(snapshot.view.table)
        _log(snapshot.view.log)


def ended(context: AppContext, folder: RunFolder, snapshot: Snapshot) -> None:
    """Draw a game that is over: how it ended, and any position as any player saw it."""
    del context
    names = states(list(read_events(folder.trace_path)))
    if not names:
        return
    last = read_state(folder, names[-1])
    st.header(text.plain(last.summary), anchor=False)
    st.caption(_counts(last))
    viewers = [ONLOOKER, *public_view(last).players]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        viewer = st.selectbox(
            "As seen by",
            viewers,
            format_func=lambda seat: seat or _PUBLIC,
            key=f"viewer-{snapshot.run_id}",
        )
        step = len(names)
        if len(names) > 1:
            step = st.slider("Step", 1, len(names), len(names), key=f"step-{snapshot.run_id}")
    shown = read_state(folder, names[step - 1])
    _turn(public_view(shown))
    _table(shown.views.get(viewer, {}))
    _log(tuple(shown.messages.lines()))


def _counts(game: Game) -> str:
    refused = sum(turn.refused for turn in game.turn_history)
    forced = sum(turn.forced for turn in game.turn_history)
    return f"{len(game.turn_history)} moves, {refused} refused, {forced} made by the referee"


def _turn(view: GameView) -> None:
    if view.game_over:
        st.write(f"It is over. {text.plain(view.summary)}.")
    elif view.current_player_id:
        st.write(f"To move: {text.plain(view.current_player_id)}.")


def _table(seen: Mapping[str, Any]) -> None:
    """Draw a view: plain values side by side, each list of records as a table."""
    plain = {key: value for key, value in seen.items() if not _records(value)}
    records.draw(
        [{"What": key.replace("_", " "), "Value": _shown(value)} for key, value in plain.items()],
        "What is seen of the table",
    )
    for key, value in seen.items():
        if _records(value):
            st.subheader(text.plain(key.replace("_", " ").capitalize()), anchor=False)
            records.draw([{k: _shown(own) for k, own in row.items()} for row in value], key)


def _records(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) for v in value)


def _shown(value: Any) -> str:  # noqa: ANN401 - any JSON value
    if isinstance(value, Mapping):
        each = (f"{str(key).replace('_', ' ')} {_shown(own)}" for key, own in value.items())
        return "; ".join(each) or "–"
    if isinstance(value, list | tuple):
        return ", ".join(map(_shown, value)) or "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.1f}".removesuffix(".0")
    return "–" if value is None or value == "" else str(value)


def _log(lines: Iterable[str]) -> None:
    found: Sequence[str] = tuple(lines)
    with st.expander(f"Log, {len(found)} lines", expanded=True):
        st.markdown("\n".join(f"{n}. {text.plain(line)}" for n, line in enumerate(found, 1)))
