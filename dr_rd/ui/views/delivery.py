"""A delivery on the page: its board of stages, then the matrix, the gate and what may start."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from core.modes.delivery import CLOSE, ESCALATE, Delivery, DeliveryView
from core.runs import Snapshot
from core.store import RunFolder
from dr_rd.modes.delivery.dossier import Result, dossier_of, matrix
from dr_rd.ui import records, text
from dr_rd.ui.context import AppContext

TableRow = dict[str, Any]


def live(context: AppContext, snapshot: Snapshot) -> None:
    """Draw the stages as they stand, and the matrix as soon as there is one."""
    del context
    state = snapshot.view.state if isinstance(snapshot.view, DeliveryView) else Delivery()
    _board(state, snapshot.status)
    rows = [row.model_dump() for row in matrix(dossier_of(state))]
    if rows:
        _table("Traceability", rows)


def ended(context: AppContext, folder: RunFolder, snapshot: Snapshot) -> None:
    """Draw what the delivery came to: the finding, the gate, the matrix and the tests."""
    del context
    result = Result.model_validate(folder.read_json("result.json"))
    show = st.success if result.verdict == "go" else st.warning
    show(text.plain(result.finding))
    if isinstance(snapshot.view, DeliveryView):
        _board(snapshot.view.state, snapshot.status)
    _table("The gate", [item.model_dump() for item in result.gate])
    _table("Traceability", [row.model_dump() for row in result.matrix])
    _table("Acceptance tests", [test_row(test.model_dump()) for test in result.tests])


def _board(state: Delivery, status: str) -> None:
    records.draw(board(state, status), "The stages, what each said last and where it led")


def board(state: Delivery, status: str) -> list[TableRow]:
    """Return the stages in their order: how far each is, what it said last, and where it led."""
    said = {m.author: m.text for m in state.messages.messages}
    led = {
        route.source: f"{route.destination.strip('_')}: {route.reason}" for route in state.routes
    }
    in_hand = state.routes[-1].destination if state.routes else state.config.entry
    names = [*state.config.stages, *(n for n in (ESCALATE, CLOSE) if n in led or n == in_hand)]
    return [
        {
            "stage": name,
            "state": _standing(name, in_hand, led, status),
            "said": said.get(name, ""),
            "led to": led.get(name, ""),
        }
        for name in names
    ]


def _standing(name: str, in_hand: str, led: Mapping[str, str], status: str) -> str:
    if name == in_hand and status in ("running", "waiting"):
        return "waits for a person" if name == ESCALATE else "in hand"
    return "done" if name in led else "not begun"


def test_row(test: Mapping[str, Any]) -> TableRow:
    """Return a test as a row, what it says before what is known of it."""
    order = ("id", "requirement", "task", "state", "day", "text", "evidence", "source")
    return {name: test[name] for name in order}


def _table(title: str, rows: list[TableRow]) -> None:
    st.header(title, anchor=False)
    records.draw(rows, title)
