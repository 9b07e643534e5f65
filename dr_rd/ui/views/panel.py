"""A panel on the page: who sits there, whose turn it is, what was said, and what is proposed."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.messages import Message
from core.modes.panel import (
    BY_PERSON,
    FAILED,
    HUMAN,
    SILENT,
    PanelState,
    PanelView,
    route_to_next_agent,
)
from core.runs import Snapshot
from core.store import RunFolder
from dr_rd.modes.panel.result import PanelResult
from dr_rd.ui import records, rework, text
from dr_rd.ui.context import AppContext
from dr_rd.ui.session import Key


def live(context: AppContext, snapshot: Snapshot) -> None:
    """Draw the seats with the turn in hand; the person's own box is the question above it."""
    del context
    view = snapshot.view
    if not isinstance(view, PanelView) or not view.state.topic:
        st.caption(
            "Seats and topic are being settled; who speaks is shown from the first turn on."
        )
        return
    st.table(seat_rows(view.state))
    _log(view.state.ground_truth_log.messages, view.state)


def ended(context: AppContext, folder: RunFolder, snapshot: Snapshot) -> None:
    """Draw what the panel came to: the finding, the amendments, the log."""
    found = PanelResult.model_validate(folder.read_json("result.json"))
    first, _, rest = found.finding.partition(": ")
    st.header(text.plain(first), anchor=False)
    if rest:
        st.write(text.plain(rest[:1].upper() + rest[1:]))
    if found.asks:
        st.subheader("Asked of you", anchor=False)
        for ask in found.asks:
            st.write(text.plain(f"{ask.text} {ask.does}"))
    if found.amendments:
        st.subheader("Amendments", anchor=False)
        records.draw(amendment_rows(found), "Amendments")
        draw_takeover(context, snapshot.run_id, found)
    _log(found.log, PanelState(labels=found.labels, turn_queue=found.turn_queue))


def draw_takeover(context: AppContext, run_id: str, found: PanelResult) -> None:
    """Let a person work the plan with the amendments that they choose, as a run of its own."""
    titles = {a.id: a.title for a in found.standing}
    if not titles:
        return
    accepted = [a.id for a in found.standing if a.status == "accepted"]
    chosen = st.multiselect(
        "Amendments to take over",
        list(titles),
        default=accepted,
        format_func=lambda i: f"{i} {titles[i]}",
        key=f"{Key.TAKEN_OVER}-{run_id}",
    )
    rework.button(
        context,
        "Work the plan with them",
        f"{Key.TAKE_OVER}-{run_id}",
        lambda by: context.service.take_over(run_id, chosen, by=by),
        usable=bool(chosen),
    )


def seat_rows(state: PanelState) -> list[dict[str, str]]:
    """Return a row for each seat: who speaks in it, and where it stands in this round."""
    spoke = {m.author: m for m in state.ground_truth_log.messages if m.round == state.round}
    coming = state.next_seat
    return [
        {
            "Seat": state.called(seat),
            "Held by": "a person" if _held(state, seat) else "its agent",
            "Turn": _standing(seat, coming, spoke.get(seat), state),
        }
        for seat in state.turn_queue
    ]


def _held(state: PanelState, seat: str) -> bool:
    return state.human_active and state.controlled_character == seat != state.lead


def _standing(seat: str, coming: str, said: Message | None, state: PanelState) -> str:
    if seat == coming:
        return "waits for its person" if route_to_next_agent(state) == HUMAN else "has the turn"
    if said is None:
        return "comes later"
    if FAILED in said.marks:
        return "failed"
    return "silent" if SILENT in said.marks else "has spoken"


def amendment_rows(found: PanelResult) -> list[dict[str, Any]]:
    """Return a row for each amendment, in the order in which its effect was computed."""
    guessed = found.comes_to is not None and found.comes_to.guessed
    return [
        {
            "Id": a.id,
            "By": found.labels.get(a.by, a.by),
            "Change": a.title,
            "Reason": a.reason,
            "For": ", ".join(a.support),
            "Against": ", ".join(a.oppose),
            "Days": a.effect.days.after,
            **({} if guessed else {"Money": a.effect.money.after}),
            "Detectable": a.effect.detectable.after,
            "Status": a.status,
        }
        for a in found.amendments
    ]


def _log(messages: Sequence[Message], state: PanelState) -> None:
    for entry in messages:
        told = [f"by {entry.by}" if m == BY_PERSON and entry.by else m for m in entry.marks]
        told = [mark for mark in told if not entry.text.startswith(f"({mark}")]  # said once
        marks = f" ({text.plain(', '.join(told))})" if told else ""
        st.markdown(
            f"**{text.plain(state.called(entry.author))}**{marks}: {text.plain(entry.text)}"
        )
