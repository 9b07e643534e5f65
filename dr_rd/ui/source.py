"""The text that a form is filled from: pasted, uploaded or a sample, and its draft on disk."""

import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePath

import streamlit as st
from pydantic import JsonValue

from core.errors import CallerError, clipped
from dr_rd.drafts import Draft
from dr_rd.files import data_folder
from dr_rd.reading import Given, Understood, given_text, understood
from dr_rd.reading.briefs import reader
from dr_rd.ui import fields, marks, session, text
from dr_rd.ui.context import AppContext
from dr_rd.ui.form import Form, LimitRow, form_of, from_json
from dr_rd.ui.session import Key, Note

_TYPES = ("txt", "md", "markdown", "docx", "pdf", "html", "htm", "yaml", "yml", "json")

_DRAFTS = 8
"""How many drafts are offered, those saved last."""

_SHOWN = 70
"""Characters of a draft's objective that are shown of it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A text that was read, and what was understood of it."""

    name: str
    found: Understood


def reading() -> Reading | None:
    """Return what was read last, if anything."""
    held = session.get(Note.READING)
    return held if isinstance(held, Reading) else None


def samples() -> dict[str, str]:
    """Return the briefs that come with the workbench, by file name."""
    found = (data_folder() / "briefs").iterdir()
    ordered = sorted(found, key=lambda path: path.name)
    return {path.name: path.read_text(encoding="utf-8") for path in ordered}


def draw(context: AppContext) -> None:
    """Draw the text with the places of what was read in it, or the ways to give one."""
    st.header("Your brief", anchor=False)
    if reading() and not session.get(Note.EDITING):
        _marked()
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("Try a sample:", width="content")
        for number, (name, sample) in enumerate(samples().items()):
            label = name.rpartition(".")[0].replace("-", " ").capitalize()
            given = Given(sample, None, name, name.rpartition(".")[0])
            st.button(label, key=session.sample_key(number), on_click=_read, args=(given,))
    st.text_area(
        "Paste it as it is: an e-mail, notes, a call for proposals, YAML",
        key=Key.TEXT,
        height=300,
        placeholder="We want to know whether …\nAt most 60,000 EUR, from March, within 18 months.",
    )
    st.file_uploader("Or upload it", type=_TYPES, key=Key.BRIEF_FILE, on_change=_read_file)
    with st.container(horizontal=True):
        st.button("Read my brief", type="primary", key=Key.READ, on_click=_read_text)
        if session.get(Key.TEXT) or session.get(Key.OBJECTIVE):
            st.button("Clear all", key=Key.CLEAR, on_click=_clear)
    if told := session.get(Note.MISREAD):
        st.error(text.plain(told))
    if reading():
        st.caption("Reading it again fills the form anew.")
    _offer_drafts(context)


def _marked() -> None:
    held = reading()
    if held is None:
        return
    places = marks.marks_of(held.found, fields.get_form())
    with st.container(border=True, height=520, key="marked"):
        st.html(marks.STYLE + marks.marked_html(held.found.document.source, places))
    with st.container(horizontal=True):
        st.button("Change the text", key=Key.EDIT_TEXT, on_click=_edit)
        st.button("Clear all", key=Key.CLEAR, on_click=_clear)


def draw_notes() -> None:
    """Draw what was not understood of the text, and where it contradicts itself."""
    held = reading()
    if held is None:
        return
    for clash in held.found.study.contradictions:
        one, other = clash.quotes
        st.warning(text.plain(f"“{one}” and “{other}”: {clash.sentence}"))
    for guess in held.found.study.guesses:
        st.caption(text.plain(f"“{guess.quote}” is taken for “{guess.taken_for}”."))
    typed = {row.text for row in fields.get_form().limits}
    unread = [u for u in held.found.study.unread if u.quote not in typed]
    if not unread:
        return
    st.markdown("**Not understood**", help="Nothing rests on these unless you add them.")
    for number, item in enumerate(unread):
        with st.container(horizontal=True, wrap=False, vertical_alignment="center"):
            st.markdown(text.plain(f"“{item.quote}”: {item.why}"))
            st.button(
                "Add as a limit",
                key=f"{Key.ADD}-unread-{number}",
                on_click=fields.append_limit,
                args=(LimitRow(item.quote),),
            )


def _edit() -> None:
    session.put(Note.EDITING, "yes")
    held = reading()
    session.put(Key.TEXT, held.found.document.source if held else "")


def _read_text() -> None:
    held = reading()
    _read(Given(str(session.get(Key.TEXT) or ""), None, held.name if held else "the brief"))


def _read_file() -> None:
    """Read an upload the way a file on the command line is read."""
    given = session.get(Key.BRIEF_FILE)
    if given is None:
        return
    with tempfile.TemporaryDirectory(prefix="dr-rd-brief-") as folder:
        path = Path(folder) / PurePath(given.name.replace("\\", "/")).name
        path.write_bytes(given.getvalue())
        try:
            found = given_text(path)
        except CallerError as mistake:
            session.put(Note.MISREAD, str(mistake).replace(f"{folder}/", ""))
            return
    _read(found._replace(name=given.name))


def _read(given: Given) -> None:
    """Fill the form with what is understood of a text."""
    session.put(Key.TEXT, given.text)
    try:
        found = understood(given, reader())
    except CallerError as mistake:
        session.put(Note.MISREAD, str(mistake))
        return
    _hold(Reading(given.name, found))
    fields.put_form(form_of(found.brief, found.study.statistics))


def _hold(found: Reading) -> None:
    session.put(Note.READING, found)
    for note in (Note.MISREAD, Note.EDITING, Note.PRESSED):
        session.forget(note)


def _clear() -> None:
    fields.put_form(Form())
    session.put(Key.TEXT, "")
    for note in (Note.READING, Note.MISREAD, Note.EDITING, Note.PRESSED, Note.DRAFT, Note.SAVED):
        session.forget(note)
    st.query_params.pop("draft", None)


def open_draft(context: AppContext) -> None:
    """Fill the form with the draft that the address names, unless it is the one in hand."""
    asked, held = st.query_params.get("draft", ""), session.get(Note.DRAFT, "")
    if not asked and held:
        st.query_params["draft"] = held
    if not asked or asked == held:
        return
    try:
        _load(context.service.drafts.read(asked))
    except CallerError as mistake:
        st.query_params.pop("draft", None)
        st.toast(context.markdown(mistake))


def _load(draft: Draft) -> None:
    held = draft.brief
    session.put(Key.TEXT, str(held.get("text", "")))
    session.forget(Note.READING)
    if held.get("read"):
        name = str(held.get("name", "the brief"))
        with suppress(CallerError):  # it was read before; an older release may have kept another
            given = Given(str(held.get("text", "")), None, name, PurePath(name).stem)
            _hold(Reading(name, understood(given, reader())))
    form = held.get("form")
    fields.put_form(from_json(form if isinstance(form, Mapping) else {}))
    session.put(Note.DRAFT, draft.id)
    session.put(Note.SAVED, draft.brief)
    st.query_params["draft"] = draft.id


def save_draft(context: AppContext, form: Form) -> None:
    """Keep what was typed on disk, under an id that the address then names."""
    held = reading()
    typed: dict[str, JsonValue] = {
        "text": held.found.document.source if held else str(session.get(Key.TEXT) or ""),
        "name": held.name if held else "",
        "read": held is not None,
        "form": form.to_json(),
    }
    unchanged = typed == session.get(Note.SAVED)
    if unchanged or (typed["form"] == Form().to_json() and not typed["text"]):
        return
    draft_id = str(session.get(Note.DRAFT) or f"draft-{context.service.runs.new_id()}")
    try:
        context.service.drafts.save(draft_id, typed)
    except CallerError as mistake:
        st.warning(context.markdown(mistake))
        return
    session.put(Note.DRAFT, draft_id)
    session.put(Note.SAVED, typed)
    st.query_params["draft"] = draft_id


def end_draft(context: AppContext) -> None:
    """Delete the draft of a form that has become a run."""
    draft_id = session.get(Note.DRAFT)
    if draft_id:
        context.service.drafts.delete(str(draft_id))
        session.forget(Note.DRAFT)


def _offer_drafts(context: AppContext) -> None:
    own = session.get(Note.DRAFT)
    found = [d for d in context.service.drafts.list() if "form" in d.brief and d.id != own]
    if not found or session.get(Key.TEXT):
        return
    with st.expander(f"Go on with a draft ({len(found)})", key=Key.DRAFT):
        for draft in found[:_DRAFTS]:
            form = draft.brief["form"]
            asked = str(form.get("objective") or "") if isinstance(form, Mapping) else ""
            shown = clipped(asked or str(draft.brief.get("text", "")), _SHOWN)
            with st.container(horizontal=True, wrap=False, vertical_alignment="center"):
                st.button(
                    text.plain(f"{draft.saved[:16].replace('T', ' ')} UTC: {shown}"),
                    key=f"{Key.DRAFT}-open-{draft.id}",
                    on_click=_load,
                    args=(draft,),
                    type="tertiary",
                )
                st.button(
                    "✕",
                    key=f"{Key.DRAFT}-delete-{draft.id}",
                    help="Delete this draft",
                    on_click=context.service.drafts.delete,
                    args=(draft.id,),
                    type="tertiary",
                )
