"""A question to a person, of whatever kind: what is asked, and a field that its answer fits."""

import json
from collections.abc import Mapping
from typing import Any

import streamlit as st
from pydantic import JsonValue

from core.errors import CallerError
from core.questions import OpenQuestion, Question, answer_from_text
from core.runs import Snapshot
from dr_rd.ui import session, text
from dr_rd.ui.context import AppContext
from dr_rd.ui.session import Key


def draw(context: AppContext, snapshot: Snapshot, asked: OpenQuestion) -> None:
    """Draw a question with its field; the first answer counts, and a later one is told so."""
    question = asked.question
    st.header(text.plain(question.text), anchor=False)
    if asked.deadline:
        st.caption(f"Unanswered by {asked.deadline}, it is answered with its default.")
    for name, value in question.context.items():
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        st.write(text.plain(f"{name}: {shown}"))
    with st.form(f"{Key.QUESTION}-{snapshot.run_id}-{question.id}", border=False):
        answer = _field(question)
        session.propose(Key.ANSWERER, question.who or "analyst")
        by = st.text_input("Answered by", key=Key.ANSWERER, width=220)
        pressed = st.form_submit_button("Answer", type="primary")
    if pressed:
        _take(context, snapshot, question, answer, str(by or "").strip() or "analyst")


def _field(question: Question) -> JsonValue:
    """Draw what the answer's schema asks for; anything but a text or a choice is typed as JSON."""
    schema: Mapping[str, Any] = question.answer_schema
    key = f"{Key.QUESTION}-field-{question.id}"
    if "enum" in schema:
        chosen: JsonValue = st.radio("Your answer", list(schema["enum"]), key=key)
        return chosen
    typed = st.text_area("Your answer", key=key)
    return typed if schema.get("type") == "string" else answer_from_text(typed)


def _take(
    context: AppContext, snapshot: Snapshot, question: Question, answer: JsonValue, by: str
) -> None:
    try:
        context.service.runs.answer(snapshot.run_id, question.id, answer, by=by)
    except CallerError as mistake:  # the answer does not fit, or somebody was faster
        st.error(text.plain(str(mistake)))
    else:
        st.rerun()
