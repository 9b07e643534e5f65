"""One run: watched while it works, and its plan approved."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import streamlit as st

from core.errors import CallerError
from core.modes import modes
from core.modes.graph import TaskMode
from core.runs import Snapshot
from core.store import RunFolder
from core.trace import ENDED
from dr_rd.brief import NAMELESS, Brief
from dr_rd.models.address import endpoint_of
from dr_rd.service import hides
from dr_rd.ui import approval, live, models, plan, questions, result, session, tables, text
from dr_rd.ui.context import AppContext, current_context
from dr_rd.ui.following import Look, egress_sentence
from dr_rd.ui.session import Key, Note
from dr_rd.ui.views import find_view

_LONGEST = 80
"""Letters of an objective that stand as the head of a page."""

_PAUSED = {"paused": "Paused", "interrupted": "Interrupted"}


def draw(pages: Mapping[str, Any]) -> None:
    """Draw the run that the address names."""
    context, run_id = current_context(), st.query_params.get("run", "")
    if not run_id:
        st.title("No run chosen")
        st.write("A run has its own address. Choose one from the list, or start a new one.")
        _links(pages)
        return
    try:
        look = partial(context.service.runs.snapshot, run_id)
        snapshot = context.following.refresh(look, run_id, context.service.clock).snapshot
        folder = context.service.store.find(run_id)
        brief = context.service.brief(folder)
    except CallerError as mistake:
        st.title("This run cannot be shown")
        st.error(context.markdown(mistake))
        _links(pages)
        return
    if session.get(Note.SHOWN) not in (None, run_id):  # another run opens on its first tab
        session.forget(Key.TABS)
    session.put(Note.SHOWN, run_id)
    _header(context, brief, folder, snapshot)
    if snapshot.status in ENDED:
        (result.draw if _has_tasks(snapshot) else result.draw_of_mode)(context, folder, snapshot)
    else:
        _questions(context, snapshot)
        _watch(context, snapshot)
        _so_far(context, folder, snapshot)


def _links(pages: Mapping[str, Any]) -> None:
    with st.container(horizontal=True):
        st.page_link(pages["runs"], label="All runs")
        st.page_link(pages["new"], label="New plan")


def _header(context: AppContext, brief: Brief, folder: RunFolder, snapshot: Snapshot) -> None:
    label, colour = tables.PAUSING if snapshot.stopping else tables.STATES[snapshot.status]
    named = head(folder.project_id, brief)
    st.title(text.plain(named), anchor=False)
    if named != _sentence(brief):  # else the head has said it
        st.write(text.plain(brief.objective))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.badge(label, color=colour)
        st.caption(f"{modes()[snapshot.options.mode].label} · run {snapshot.run_id}")
        if snapshot.status == "running":
            pause = partial(context.service.runs.pause, snapshot.run_id)
            _act(context, Key.PAUSE, "Pause", pause, usable=not snapshot.stopping)
        elif snapshot.status in _PAUSED:
            _act(context, Key.RESUME, "Resume", partial(_resume, context, snapshot.run_id))
        _annotation(context, snapshot.run_id)
    if snapshot.status != "running":  # else it is said anew every second, below
        st.caption(text.plain(egress_sentence(snapshot)))
    if snapshot.status in _PAUSED:
        reason = f": {snapshot.reason}" if snapshot.reason else ""
        st.warning(
            f"{_PAUSED[snapshot.status]}{context.markdown(reason)}. What is finished is kept; "
            "Resume goes on from there."
        )
        _ask_key(context, snapshot)
        _ask_mask(context, snapshot)


def head(project: str, brief: Brief) -> str:
    """Name a run by its project, or by what it asks where the project has no name of its own."""
    if project != NAMELESS:
        return project.replace("-", " ").capitalize()
    asked = _sentence(brief)
    return asked if len(asked) <= _LONGEST else f"{asked[:_LONGEST].rsplit(' ', 1)[0]} …"


def _sentence(brief: Brief) -> str:
    asked = brief.objective.strip().rstrip(".")
    return f"{asked[:1].upper()}{asked[1:]}"


def _annotation(context: AppContext, run_id: str) -> None:
    """Draw the run's tags, and what opens to change them and the note."""
    written = context.service.annotations.read(run_id)
    for tag in written.tags:
        st.badge(text.plain(tag), color="grey")
    tags, note = f"{Key.TAGS}-{run_id}", f"{Key.NOTE}-{run_id}"  # no run shows another's
    annotate = partial(_annotate, context, run_id, tags, note)
    with st.popover("Tags and note"):
        shown = ", ".join(written.tags)
        st.text_input("Tags, parted by commas", shown, key=tags, on_change=annotate)
        st.text_area("Note", written.note, key=note, on_change=annotate)


def _annotate(context: AppContext, run_id: str, tags: str, note: str) -> None:
    """Write what was typed, under the keys of its fields, once it was changed."""
    typed = partial(
        context.service.annotations.write,
        run_id,
        str(session.get(tags) or "").split(","),
        str(session.get(note) or ""),
    )
    _run_action(context, typed)


def _ask_key(context: AppContext, snapshot: Snapshot) -> None:
    """Let a person give a run the key that went with an earlier process."""
    served = snapshot.options.served
    if served is None:
        return
    key = context.service.workbench.keys.key(
        snapshot.run_id, served.base_url, context.service.environ
    )
    host = endpoint_of(served.base_url)
    hold = partial(context.service.workbench.keys.hold, snapshot.run_id)
    models.key_field(
        f"Key for {text.plain(host)}", Key.RESUME_KEY, hold, held=bool(key.get_secret_value())
    )


def _ask_mask(context: AppContext, snapshot: Snapshot) -> None:
    """Let a person give a run the words that went with an earlier process."""
    served, masks = snapshot.options.served, context.service.workbench.masks
    if served is None or not served.masked or served.mask:
        return
    models.mask_field(
        f"Words and figures to mask, one per line: all {served.masked} of them",
        Key.RESUME_MASK,
        partial(masks.hold, snapshot.run_id),
        held=masks.has(snapshot.run_id),
    )


def _act(
    context: AppContext, key: Key, label: str, action: Callable[[], None], *, usable: bool = True
) -> None:
    """Draw a button that acts before anything is drawn anew: a redrawing in between loses nothing."""
    st.button(label, key=key, on_click=_run_action, args=(context, action), disabled=not usable)


def _run_action(context: AppContext, action: Callable[[], object]) -> None:
    try:
        action()
    except CallerError as mistake:  # somebody else was faster, or what was typed does not fit
        st.toast(context.markdown(mistake))


def _resume(context: AppContext, run_id: str) -> None:
    """Go on with a run and all that was typed: a press is told before the field that was left by it."""
    models.take_key(Key.RESUME_KEY, partial(context.service.workbench.keys.hold, run_id))
    models.take_mask(Key.RESUME_MASK, partial(context.service.workbench.masks.hold, run_id))
    context.service.runs.resume(run_id)


def _watch(context: AppContext, drawn: Snapshot) -> None:
    """Show progress every second; when the state changes, the whole page is drawn anew."""
    run_id, clock = drawn.run_id, context.service.clock
    look = partial(context.service.runs.snapshot, run_id)

    @st.fragment(run_every=1.0, key="live")
    def watched() -> None:
        if not context.is_current:  # a user who was removed since: the page then says so
            st.rerun()
        seen = context.following.recent(look, run_id, clock)
        now = seen.snapshot
        if _stage(now) != _stage(drawn):
            st.rerun()
        if now.status == "running":
            st.caption(seen.spending)
        view = find_view(now.options.mode)
        if view:
            view.live(context, now)
        elif now.status != "waiting" and _has_tasks(now):
            _progress(seen)
        live.draw(context.service.live_calls(now))

    watched()


def _stage(snapshot: Snapshot) -> tuple[object, ...]:
    """Return what of a run decides how its page is laid out."""
    asked = tuple(asked.question.id for asked in snapshot.questions)
    return snapshot.status, snapshot.stopping, asked, bool(plan.seen(snapshot).tasks)


def _has_tasks(snapshot: Snapshot) -> bool:
    """Whether the run works a plan of tasks."""
    return isinstance(modes()[snapshot.options.mode], TaskMode)


def _progress(look: Look) -> None:
    st.progress(look.share, text=look.standing)
    if look.tasks:
        st.markdown(look.tasks)


def _questions(context: AppContext, snapshot: Snapshot) -> None:
    for asked in snapshot.questions:
        if asked.question.kind == "approve_plan":
            approval.draw(context, snapshot, asked.question)
        else:
            questions.draw(context, snapshot, asked)


def _so_far(context: AppContext, folder: RunFolder, snapshot: Snapshot) -> None:
    if snapshot.status in _PAUSED and not hides(snapshot):
        live.draw_cut_off(folder, snapshot.events)
    approving = any(asked.question.kind == "approve_plan" for asked in snapshot.questions)
    if plan.seen(snapshot).tasks and not approving:
        result.pictures(context, snapshot)
    if snapshot.status != "running":
        st.header("What there is so far", anchor=False)
        result.downloads(context, folder, snapshot)
    with st.expander("Chosen for this run"):
        result.settings(snapshot)
