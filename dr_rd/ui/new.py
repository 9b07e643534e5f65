"""The start page: from a text, through what was understood of it, to a run."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any, cast

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.errors import CallerError, unknown
from core.pluralize import pluralize
from core.settings import Flags, valid_id
from dr_rd.brief import Brief, check_objective
from dr_rd.models.served.prices import read_prices
from dr_rd.planning.choice import Choice, check_research
from dr_rd.planning.frame import Frame, frame
from dr_rd.ui import fields, inputs, models, session, settings, source
from dr_rd.ui.context import AppContext, current_context
from dr_rd.ui.form import Faults, Form, brief_of, faults_of
from dr_rd.ui.session import Key, Note


@dataclass(frozen=True, slots=True)
class Asked:
    """What the form asks: its brief, or what keeps it from being one."""

    form: Form
    faults: Faults
    brief: Brief | None = None
    """None while the form holds none."""
    choice: Choice | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    """What a start lacks, by field."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """The parts of the question as the text has them, by field."""


def draw(pages: Mapping[str, Any]) -> None:
    """Draw both steps and, when a start is asked for, start the run and show it."""
    context = current_context()
    source.open_draft(context)
    fields.hold_filled()
    session.propose(Key.RISK, Form().risk)
    session.propose(Key.COVERS, Form().covers)
    session.propose(Key.PROJECT, Form().project)
    st.title("What do you want to find out?", anchor=False)
    st.write(
        "Give your brief as it is. See what was understood, correct it, and have it planned: "
        "every number of the proposal will have a source."
    )
    left, right = st.columns([9, 11], gap="large")
    with left:
        source.draw(context)
    with right:
        st.header("What is understood", anchor=False)
        asked = _asked(context)
        _remark(asked)
        missing = asked.missing if _pressed() else {}
        fields.draw(asked.faults, asked.choice, missing, asked.parts)
        source.draw_notes()
    st.header("How is it worked?", anchor=False)
    settings.draw_modes()
    inputs.draw(context)
    docs = _documents(context)
    flags = settings.draw(context.service.defaults, context.service.environ, context.service.clock)
    source.save_draft(context, asked.form)
    _start(pages, context, flags, docs, asked)


def _pressed() -> bool:
    return bool(session.get(Note.PRESSED))


def _asked(context: AppContext) -> Asked:
    """Return what the form asks; the last one is kept, for each takes a while."""
    form, held = fields.get_form(), source.reading()
    base = held.found.brief if held else None
    kept = session.get(Note.CHOICE)
    if kept is None or kept[0] != (form, base):
        unit = held.found.study.unit or "" if held else ""
        asked = _judged(context, form, base, unit)
        if kept and asked.faults and asked.choice is None:  # a slip elsewhere takes no field away
            asked = replace(asked, choice=kept[1].choice, parts=kept[1].parts)
        kept = (form, base), asked
        session.put(Note.CHOICE, kept)
    return cast(Asked, kept[1])


def _judged(context: AppContext, form: Form, base: Brief | None, unit: str) -> Asked:
    faults, planner = faults_of(form), context.service.workbench.planner
    if not form.objective.strip():
        lacks = {"objective": "Say in a sentence what is to be found out."}
        return Asked(form, faults, missing=lacks)
    if faults:
        return Asked(form, faults)
    brief, choice, missing, parts = None, None, {}, {}
    try:
        brief = brief_of(form, base)
        check_objective(brief)
        check_research(brief, planner.ranker)
        if form.family and form.family not in planner.ranker.families:
            raise unknown("design family", form.family, sorted(planner.ranker.families))
        choice = planner.choose(brief.model_copy(update={"family": ""}))
        parts = _parts(frame(brief, planner.grammar, unit))
    except CallerError as mistake:
        faults = Faults({"objective": f"{str(mistake)[:1].upper()}{str(mistake)[1:]}."})
    if choice and choice.asks and not form.family:
        missing["family"] = "The form leaves its design open: choose one."
    return Asked(form, faults, brief, choice, missing, parts)


def _parts(found: Frame) -> dict[str, str]:
    """What planning takes for each part of the question, by the field that names it."""
    read = {"unit": found.units, "data": found.source}
    same = ("treatment", "comparator", "outcome", "measure")
    return read | {name: getattr(found, name) for name in same}


def _remark(asked: Asked) -> None:
    if asked.brief and asked.brief.tasks:
        st.info(
            "The brief prescribes the plan: what is worked is "
            f"{pluralize(len(asked.brief.tasks), 'task')} of its own."
        )


def _documents(context: AppContext) -> list[UploadedFile]:
    with st.expander("Your own documents", key="documents-door"):
        st.write("What a plan quotes, it quotes from these. Without any, the proposal says so.")
        files = st.file_uploader(
            "Markdown, text, PDF, Word, Excel, CSV, HTML or pictures",
            accept_multiple_files=True,
            key=Key.DOCS_FILES,
        )
        if context.users is None:  # else a user could have others' runs read as documents
            st.text_input("Or a folder on this machine", key=Key.DOCS_PATH)
            st.text_input(
                "A repository on this machine",
                key=Key.REPO_PATH,
                help="A folder or git repository that one task looks into; it is only read.",
            )
            with _complaining():
                _folder(context)
                _repository(context)
    return list(files)


def _path_in(context: AppContext, key: Key) -> str:
    """Return the path that was typed; "" where the server has users, whatever was sent."""
    return str(session.get(key) or "").strip() if context.users is None else ""


def _folder(context: AppContext) -> tuple[Path, ...]:
    text = _path_in(context, Key.DOCS_PATH)
    path = Path(text).expanduser()
    if text and not path.exists():
        raise CallerError(
            f"there is no folder {text!r}; name one on this machine or leave it empty"
        )
    return (path.resolve(),) if text else ()


def _repository(context: AppContext) -> Path | None:
    text = _path_in(context, Key.REPO_PATH)
    path = Path(text).expanduser()
    if text and not path.is_dir():
        raise CallerError(
            f"there is no folder {text!r}; name the top of a repository or leave it empty"
        )
    return path.resolve() if text else None


def _start(
    pages: Mapping[str, Any],
    context: AppContext,
    flags: Flags | None,
    docs: list[UploadedFile],
    asked: Asked,
) -> None:
    st.button(
        "Make the plan",
        type="primary",
        key=Key.START,
        disabled=flags is None,
        on_click=_press,
    )
    starting = session.get(Note.STARTING)
    session.forget(Note.STARTING)
    if not starting or flags is None:
        session.put(Note.NEXT_RUN, context.service.runs.new_id())
        return
    run_id = str(session.get(Note.NEXT_RUN) or context.service.runs.new_id())
    with _complaining():
        context.service.workbench.check(flags)
        given = inputs.given(context)
        brief = _brief(context, given, asked)
        project = valid_id("project", asked.form.project.strip())
        repo, endpoint = _repository(context), models.chosen_endpoint(context.service.environ)
        mask = models.hidden()
        if endpoint:
            prices = read_prices(context.service.environ)
            prices.check_cap(flags, endpoint.host, endpoint.names)
        served = models.find(endpoint, context.service.clock, mask) if endpoint else None
        folders = (*_folder(context), *_store_uploads(docs))
        chosen = settings.options(flags, project, folders, repo, served)
        if endpoint:
            context.service.workbench.keys.hold(run_id, endpoint.key)
        if mask:
            context.service.workbench.masks.hold(run_id, mask)
        started = context.service.start(chosen, brief, run_id, given.scenario, given.runs)
        source.end_draft(context)
        session.forget(Note.PRESSED)
        st.switch_page(pages["run"], query_params={"run": started})


def _press() -> None:
    """Keep that a start was asked for: what a browser sends meanwhile cuts this script off."""
    session.put(Note.PRESSED, "yes")
    session.put(Note.STARTING, "yes")


def _brief(context: AppContext, given: inputs.Given, asked: Asked) -> Brief:
    """Return the form's brief, or that of the run or scenario where it names no objective.

    Raises CallerError if neither can be planned; the fields say why.
    """
    elsewhere = None if asked.form.objective.strip() else given.brief(context)
    if elsewhere is not None:
        return elsewhere
    wrong = [name.partition(".")[0] for name in (*asked.faults.by_field, *asked.missing)]
    if wrong or asked.brief is None:
        fields_wrong = "One field needs" if len(wrong) == 1 else f"{len(wrong)} fields need"
        named = ", ".join(dict.fromkeys(_CALLED.get(name, name) for name in wrong))
        raise CallerError(f"{fields_wrong} your attention before a plan can be made: {named}")
    return asked.brief


_CALLED = {"family": "design", "closed": "days without work", "figures": "sample size"}
"""Fields whose names are not the page's words for them."""


def _store_uploads(docs: list[UploadedFile]) -> tuple[Path, ...]:
    """Put uploads where the run can read them once; it keeps what it read in its own folder."""
    if not docs:
        return ()
    folder = Path(tempfile.mkdtemp(prefix="dr-rd-documents-"))
    for document in docs:
        path = folder / PurePath(document.name.replace("\\", "/")).name
        if path.exists():
            raise CallerError(f"two documents are named {path.name!r}; give each its own name")
        path.write_bytes(document.getvalue())
    return (folder,)


@contextmanager
def _complaining() -> Iterator[None]:
    """Show the caller's mistake where it was made."""
    try:
        yield
    except CallerError as mistake:
        st.error(str(mistake))
