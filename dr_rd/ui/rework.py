"""What a person has done again of a run that has ended: always as a run of its own."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.errors import CallerError, clipped
from core.graph.state import Answer
from dr_rd.ui import session, text
from dr_rd.ui.context import AppContext
from dr_rd.ui.session import Key

_SHOWN = 90
"""Letters of a claim by which it is chosen."""


def button(
    context: AppContext,
    label: str,
    key: str,
    begin: Callable[[str], str],
    *,
    usable: bool = True,
) -> None:
    """Draw a button that begins a run in somebody's name, and then shows it.

    Args:
        context: What the page works at.
        label: What it says.
        key: Its key.
        begin: Begins the run in the name it is given; returns its id.
        usable: Whether it can be pressed.

    """
    if not st.button(label, key=key, disabled=not usable):
        return
    by = context.user or str(session.get(Key.APPROVER) or "").strip() or "analyst"
    try:
        run_id = begin(by)
    except CallerError as mistake:
        st.error(context.markdown(mistake))
        return
    st.query_params.from_dict({"run": run_id})
    st.rerun()


def draw_task(context: AppContext, run_id: str, answer: Answer) -> None:
    """Let a person have a task done again, or put one of its claims right."""
    own = f"{run_id}-{answer.task_id}"
    with st.expander("Do it again, or put a claim right"):
        st.write(
            "Either makes a new run: it keeps every answer that does not rest on this one, and "
            "works the others again. This run stays as it is."
        )
        note_key, service = f"{Key.REDO_NOTE}-{own}", context.service
        note = st.text_area("What is to be different, if anything", key=note_key)
        button(
            context,
            f"Do {answer.task_id} again",
            f"{Key.REDO}-{own}",
            lambda by: service.redo(run_id, answer.task_id, note=note.strip(), by=by),
        )
        if answer.claims:
            _draw_claim(context, run_id, answer, own)


def _draw_claim(context: AppContext, run_id: str, answer: Answer, own: str) -> None:
    claims: dict[int, Any] = dict(enumerate(answer.claims, 1))
    number = st.selectbox(
        "A claim",
        list(claims),
        format_func=lambda n: f"{n}. {clipped(claims[n].text, _SHOWN)}",
        key=f"{Key.CLAIM}-{own}",
    )
    if number is None:
        return
    key = f"{Key.CLAIM_TEXT}-{own}-{number}"
    session.propose(key, claims[number].text)
    words = st.text_area("In your words", key=key)
    changed = bool(words.strip()) and words.strip() != claims[number].text
    if not changed:
        st.caption(text.plain("Change its words first; it is then recorded as yours."))
    button(
        context,
        "Put it right",
        f"{Key.EDIT_CLAIM}-{own}",
        lambda by: context.service.edit_claim(
            run_id, answer.task_id, number, words.strip(), by=by
        ),
        usable=changed,
    )
