"""The brief's form: from an idea, a sample or a file to a run."""

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from typing import Any, cast

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.errors import CallerError
from core.pluralize import pluralize
from core.settings import Flags, valid_id
from dr_rd.brief import Brief, check_objective, project_id
from dr_rd.families import GENERIC
from dr_rd.files import data_folder
from dr_rd.models.served.prices import read_prices
from dr_rd.planning.choice import Choice, check_research
from dr_rd.reading import parse_brief
from dr_rd.ui import inputs, models, session, settings
from dr_rd.ui.context import AppContext, current_context
from dr_rd.ui.session import Key, Note

_LISTS = {
    Key.CONSTRAINTS: ("hard_constraints", "Hard constraints", "at least 12 schools"),
    Key.CRITERIA: ("success_criteria", "Success criteria", "reports a 95 percent interval"),
    Key.DIRECTIONS: ("plausible_directions", "Plausible directions", "cluster-randomised trial"),
    Key.BANS: ("banned_moves", "Banned moves", "no video recording"),
}
_LINES = {
    Key.RISK: "risk_posture",
    Key.BUDGET: "budget",
    Key.BEGIN: "start",
    Key.DEADLINE: "deadline",
}
_KEPT = ("domain", "family", "tasks")
"""What the form does not show of the brief that it was filled from."""

_BRIEF_TYPES = ("yaml", "yml", "json", "md", "markdown", "txt")


def draw(pages: Mapping[str, Any]) -> None:
    """Draw the form and, when it is sent, start the run and show it."""
    context = current_context()
    session.propose(Key.RISK, "medium")
    st.title("What do you want to find out?")
    st.write(
        "Give the objective and the limits it must respect. The workbench plans the work, works "
        "each task, checks every answer, and writes a proposal whose every number has a source."
    )
    _sources()
    _question()
    family = _design_family(context)
    inputs.draw(context)
    docs = _documents()
    flags = settings.draw(context.service.defaults, context.service.environ, context.service.clock)
    _start(pages, context, flags, docs, family)


def _sources() -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption("Start from a sample", width="content")
        for number, (name, text) in enumerate(samples().items()):
            brief = parse_brief(text, name=name)
            label = name.rpartition(".")[0].replace("-", " ").capitalize()
            st.button(label, key=session.sample_key(number), on_click=_fill, args=(brief,))
    with st.expander("Use a brief file, or clear the form"):
        given = st.file_uploader("YAML, JSON or Markdown", type=_BRIEF_TYPES, key=Key.BRIEF_FILE)
        with _complaining():
            _fill_from_file(given)
        st.button("Clear the form", key=Key.CLEAR, on_click=_fill, args=(None,))
    base = _base()
    if base.tasks:
        st.info(
            "The brief prescribes the plan: what is worked is "
            f"{pluralize(len(base.tasks), 'task')} of its own."
        )
    elif base.family:
        st.info(f"The brief names its design family, {base.family!r}, which is what is planned.")


def samples() -> dict[str, str]:
    """Return the briefs that come with the workbench, by file name."""
    found = (data_folder() / "briefs").iterdir()
    ordered = sorted(found, key=lambda path: path.name)
    return {path.name: path.read_text(encoding="utf-8") for path in ordered}


def _fill_from_file(given: UploadedFile | None) -> None:
    """Fill the form from a file that was just given; later reruns leave edits alone."""
    if given is None or session.get(Note.FILE) == given.file_id:
        return
    session.put(Note.FILE, given.file_id)
    try:
        text = given.getvalue().decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        raise CallerError(f"{given.name} is not UTF-8 text; save it as UTF-8") from wrong
    _fill(parse_brief(text, name=given.name))


def _fill(brief: Brief | None) -> None:
    given = brief or _empty()
    session.put(Note.BRIEF, brief)
    session.put(Key.OBJECTIVE, given.objective.strip())
    for key, (name, _, _) in _LISTS.items():
        session.put(key, "\n".join(getattr(given, name)))
    for key, name in _LINES.items():
        session.put(key, getattr(given, name))
    session.put(Key.PROJECT, project_id(given))


def _empty() -> Brief:
    return Brief(objective="")


def _base() -> Brief:
    found = session.get(Note.BRIEF)
    return found if isinstance(found, Brief) else _empty()


def _question() -> None:
    session.propose(Key.PROJECT, project_id(_empty()))
    st.text_area("Objective", key=Key.OBJECTIVE, height=110, placeholder="Test whether …")
    left, right = st.columns(2)
    for number, (key, (_, label, example)) in enumerate(_LISTS.items()):
        with right if number % 2 else left:
            st.text_area(
                f"{label}, one per line",
                key=key,
                height=130,
                placeholder=f"for example: {example}",
            )
    risk, budget, begin, deadline, project = st.columns(5)
    with risk:
        st.segmented_control(
            "Risk posture", ["low", "medium", "high"], required=True, key=Key.RISK
        )
    budget.text_input("Budget", key=Key.BUDGET, placeholder="60000 EUR")
    begin.text_input("Start", key=Key.BEGIN, placeholder="1 March 2027")
    deadline.text_input("Deadline", key=Key.DEADLINE, placeholder="18 months")
    project.text_input("Project", key=Key.PROJECT, help="The folder that its runs are kept in.")


def _design_family(context: AppContext) -> str | None:
    """Ask for one of the families that stand closest where the form leaves it open.

    Returns None where nothing is asked, or nothing chosen yet.
    """
    choice = Choice(ranking=())
    with suppress(CallerError):  # what is wrong with the form is said when it is sent
        choice = _choice(context, form_brief())
    if not choice.asks:
        return None
    options = {m.family: f"{m.design}: {m.why}" for m in choice.considered}
    options[GENERIC] = "none of these: a generic study, whose first step is to choose"
    return st.selectbox(
        "Which design does the brief ask for?",
        list(options),
        index=None,
        format_func=lambda family: options.get(family, family),
        key=Key.FAMILY,
        placeholder="Its text leaves this open",
    )


def _choice(context: AppContext, brief: Brief) -> Choice:
    """Return how sure the design of *brief* is; the last one is kept, for each takes a while."""
    held = session.get(Note.CHOICE)
    if held is None or held[0] != brief:
        held = brief, context.service.workbench.planner.choose(brief)
        session.put(Note.CHOICE, held)
    return cast(Choice, held[1])


def _documents() -> list[UploadedFile]:
    with st.expander("Your own documents"):
        st.write("What a plan quotes, it quotes from these. Without any, the proposal says so.")
        files = st.file_uploader(
            "Markdown, text, PDF, Word, CSV, HTML or pictures",
            accept_multiple_files=True,
            key=Key.DOCS_FILES,
        )
        st.text_input("Or a folder on this machine", key=Key.DOCS_PATH)
        st.text_input(
            "A repository on this machine",
            key=Key.REPO_PATH,
            help="A folder or git repository that one task looks into; it is only read.",
        )
        with _complaining():
            _folder()
            _repository()
    return list(files)


def _folder() -> tuple[Path, ...]:
    text = str(session.get(Key.DOCS_PATH) or "").strip()
    path = Path(text).expanduser()
    if text and not path.exists():
        raise CallerError(
            f"there is no folder {text!r}; name one on this machine or leave it empty"
        )
    return (path.resolve(),) if text else ()


def _repository() -> Path | None:
    text = str(session.get(Key.REPO_PATH) or "").strip()
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
    family: str | None,
) -> None:
    pressed = st.button("Make the plan", type="primary", key=Key.START, disabled=flags is None)
    if not pressed or flags is None:
        session.put(Note.NEXT_RUN, context.service.runs.new_id())
        return
    run_id = str(session.get(Note.NEXT_RUN) or context.service.runs.new_id())
    with _complaining():
        context.service.workbench.check(flags)
        given = inputs.given(context)
        brief = _asked(context, given, family)
        project = valid_id("project", str(session.get(Key.PROJECT)))
        repo, endpoint = _repository(), models.chosen_endpoint(context.service.environ)
        mask = models.hidden()
        if endpoint:
            prices = read_prices(context.service.environ)
            prices.check_cap(flags, endpoint.host, endpoint.names)
        served = models.find(endpoint, context.service.clock, mask) if endpoint else None
        folders = (*_folder(), *_store_uploads(docs))
        chosen = settings.options(flags, project, folders, repo, served)
        if endpoint:
            context.service.workbench.keys.hold(run_id, endpoint.key)
        if mask:
            context.service.workbench.masks.hold(run_id, mask)
        started = context.service.start(chosen, brief, run_id, given.scenario, given.runs)
        st.switch_page(pages["run"], query_params={"run": started})


def _asked(context: AppContext, given: inputs.Given, family: str | None) -> Brief:
    """Return the form's brief, or that of the run or scenario where it names no objective.

    Raises CallerError if the form's asks for no research, or leaves its design open.
    """
    elsewhere = None if session.get(Key.OBJECTIVE) else given.brief(context)
    if elsewhere is not None:
        return elsewhere
    brief = form_brief()
    check_objective(brief)
    check_research(brief, context.service.workbench.planner.ranker)
    if _choice(context, brief).asks and not family:
        raise CallerError(
            "the form leaves its design open; choose one under “Which design does the brief "
            "ask for?”"
        )
    return brief.model_copy(update={"family": brief.family or family or ""})


def form_brief() -> Brief:
    """Return the brief that the form holds; raises CallerError if it is none."""
    values = {"objective": session.get(Key.OBJECTIVE)}
    values |= {name: session.get(key) for key, (name, _, _) in _LISTS.items()}
    values |= {name: session.get(key) for key, name in _LINES.items()}
    given = parse_brief(json.dumps(values), "json", "the form")
    base = _base()
    kept = {"id": session.get(Key.PROJECT), **{n: getattr(base, n) for n in _KEPT}}
    return given.model_copy(update=kept)


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
