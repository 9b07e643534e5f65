"""A question to a person, of whatever kind: what is asked, and a field that its answer fits."""

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
        spelt_out = _beside_words(question) and name.startswith("to ")  # there is a field for it
        if (
            value not in ("", [], {}, None)
            and not spelt_out
            and not _is_of_options(question, value)
        ):
            st.markdown(context_markdown(name, value))
    with st.form(f"{Key.QUESTION}-{snapshot.run_id}-{question.id}", border=False):
        _field(snapshot.run_id, question)
        by = _by_key(snapshot.run_id, question)
        st.text_input("Answered by", question.who or "analyst", key=by, width=220)
        st.form_submit_button(
            "Answer", type="primary", on_click=_take, args=(context, snapshot.run_id, question)
        )


def context_markdown(name: str, value: JsonValue) -> str:
    """Return a part of a question's context: a list as one, lines as lines, the rest in a line."""
    head = f"**{text.plain(name[:1].upper() + name[1:].replace('_', ' '))}**"
    if isinstance(value, dict):
        rows = [f"{text.plain(key)}: {_line(own)}" for key, own in value.items()]
    elif isinstance(value, list):
        rows = [_line(own) for own in value]
    else:
        rows = [_line(line) for line in str(value).splitlines()]
        if len(rows) == 1:
            return f"{head}: {rows[0]}"
    return "\n".join((f"{head}:", "", *(f"- {row}" for row in rows)))


def _line(value: JsonValue) -> str:
    if isinstance(value, list):
        return ", ".join(map(_line, value)) or "–"
    if isinstance(value, dict):
        return "; ".join(f"{text.plain(k)} {_line(own)}" for k, own in value.items()) or "–"
    return "–" if value is None or value == "" else text.plain(str(value))


def _is_of_options(question: Question, value: JsonValue) -> bool:
    """Whether a part of the context says something of each option: it stands beside them then."""
    options = question.answer_schema.get("enum")
    return isinstance(options, list) and isinstance(value, dict) and set(value) <= set(options)


def _field(run_id: str, question: Question) -> None:
    """Draw what the answer's schema asks for; anything but a text or a choice is typed as JSON."""
    schema: Mapping[str, Any] = question.answer_schema
    if "enum" in schema:
        of_options = {
            name: _line(own)
            for value in question.context.values()
            if isinstance(value, dict) and _is_of_options(question, value)
            for name, own in value.items()
        }
        captions = [of_options.get(option, "") for option in schema["enum"]]
        st.radio(
            "Your answer",
            list(schema["enum"]),
            format_func=lambda option: text.plain(str(option)),
            captions=captions if of_options else None,
            key=_key(run_id, question),
        )
        return
    st.text_area("Your answer", key=_key(run_id, question))
    for name, part in _beside_words(question).items():
        label, key = _LABELS.get(name, name), f"{_key(run_id, question)}-{name}"
        if "enum" in part:
            shown = lambda option: str(option).replace("_", " ").capitalize()  # noqa: E731
            st.selectbox(label, list(part["enum"]), index=None, format_func=shown, key=key)
        else:
            st.checkbox(label, key=key)


_WORDS = "say"
"""What an answer with more than words calls the words."""
_LABELS = {
    "release": "Hand the seat back to its agent",
    "take": "From then on take another seat",
}


def _beside_words(question: Question) -> Mapping[str, Mapping[str, Any]]:
    """Return what an answer may hold besides words, by name, each with its schema."""
    ways: Any = question.answer_schema.get("oneOf", ())
    fields: Mapping[str, Mapping[str, Any]] = next(
        (way["properties"] for way in ways if "properties" in way), {}
    )
    return {n: f for n, f in fields.items() if n != _WORDS} if _WORDS in fields else {}


def _with_choices(run_id: str, question: Question, said: str) -> JsonValue:
    """Return the answer of words and of what was chosen besides."""
    key, chosen = _key(run_id, question), {}
    for name, part in _beside_words(question).items():
        if value := session.get(f"{key}-{name}"):
            chosen[name] = value if "enum" in part else part["const"]
    words = said.strip()
    return {**({_WORDS: words} if words else {}), **chosen} if chosen else words


def _key(run_id: str, question: Question) -> str:
    """Return the key of a question's field: what is typed for one run is not shown in another."""
    return f"{Key.QUESTION}-field-{run_id}-{question.id}"


def _by_key(run_id: str, question: Question) -> str:
    return f"{Key.ANSWERER}-{run_id}-{question.id}"


def _take(context: AppContext, run_id: str, question: Question) -> None:
    """Take the answer before anything is drawn anew: by then the question may be gone."""
    given: Any = session.get(_key(run_id, question))
    schema: Mapping[str, Any] = question.answer_schema
    if _beside_words(question):
        answer: JsonValue = _with_choices(run_id, question, str(given or ""))
    else:
        chosen = "enum" in schema or schema.get("type") == "string"
        answer = given if chosen else answer_from_text(given)
    by = str(session.get(_by_key(run_id, question)) or "").strip() or "analyst"
    try:
        context.service.runs.answer(run_id, question.id, answer, by=by)
    except CallerError as mistake:  # the answer does not fit, or somebody was faster
        st.toast(context.markdown(mistake), duration="infinite")
