"""What models are writing now, and what had come of replies that a stop cut off."""

from collections.abc import Iterable, Sequence

import streamlit as st

from core.events import CallEnded, CallTried, Row
from core.live import LiveCall
from core.pluralize import pluralize
from core.store import RunFolder
from dr_rd.models.typed.words import words_of
from dr_rd.ui import text

_SHOWN = 1_200
"""Characters of a reply of which the last are shown."""


def draw(calls: Iterable[LiveCall]) -> None:
    """Draw each call under way with the end of what has come; nothing in it is markup or a link."""
    for call in calls:
        with st.container(border=True, key=f"live-{call.call_id}"):
            st.caption(text.plain(f"{call.headline()} · {call.model}"))
            _words(call.text)


def draw_cut_off(folder: RunFolder, rows: Sequence[Row]) -> None:
    """Draw what had come of the replies that a stop cut off, and that it is no answer."""
    for tried in cut_off(rows):
        with st.container(border=True, key=f"cut-off-{tried.call_id}"):
            of = f"{tried.task_id} " if tried.task_id else ""
            st.caption(
                text.plain(
                    f"{of}{tried.purpose}: cut off after about {pluralize(tried.tokens, 'token')}. "
                    "It is no answer; the model is asked again when the run goes on."
                )
            )
            _words(str(folder.kept(tried.partial_digest)))


def cut_off(rows: Iterable[Row]) -> list[CallTried]:
    """Return the tries that a stop cut off with something there, and that no later one made up."""
    found: dict[str, CallTried] = {}
    for event in (row.event for row in rows):
        if isinstance(event, CallTried) and event.outcome == "cancelled" and event.partial_digest:
            found[event.call_id] = event
        elif isinstance(event, CallEnded):
            found.pop(event.call_id, None)
    return list(found.values())


def _words(reply: str) -> None:
    words = words_of(reply)
    if words:
        st.text(f"… {words[-_SHOWN:]}" if len(words) > _SHOWN else words)
