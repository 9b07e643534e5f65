"""Every widget's key, and the only place that reads or writes a session's state."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

import streamlit as st


class Key(StrEnum):
    """The keys of the page's widgets; a stylesheet or a test finds one as `.st-key-KEY`."""

    # the brief
    SAMPLES = "samples"
    TEXT = "text"
    BRIEF_FILE = "brief-file"
    READ = "read"
    EDIT_TEXT = "edit-text"
    CLEAR = "clear"
    DRAFT = "draft"
    OBJECTIVE = "objective"
    BUDGET = "budget"
    BEGIN = "begin"
    DEADLINE = "deadline"
    COVERS = "covers"
    RISK = "risk"
    DIRECTIONS = "directions"
    PROJECT = "project"
    FAMILY = "family"
    UNIT = "unit"
    TREATMENT = "treatment"
    COMPARATOR = "comparator"
    OUTCOME = "outcome"
    MEASURE = "measure"
    PLACE = "place"
    DATA = "data"
    PACE = "pace"
    WAITS = "waits"
    PRICES = "prices"
    ROW = "row"
    DROP = "drop"
    ADD = "add"
    FIGURE = "figure"
    DOCS_FILES = "docs-files"
    DOCS_PATH = "docs-path"
    REPO_PATH = "repo-path"
    START = "start"
    # how it is worked
    ENGINE = "engine"
    MODE = "mode"
    APPROVAL_REQUIRED = "approval-required"
    GRAPH_ENABLED = "graph-enabled"
    PARALLEL_EXEC_ENABLED = "parallel-exec-enabled"
    AUTOGEN_ENABLED = "autogen-enabled"
    STREAM_REPLIES = "stream-replies"
    DIRECT_CALLS = "direct-calls"
    MAX_CONCURRENCY = "max-concurrency"
    EVALUATORS_ENABLED = "evaluators-enabled"
    EVALUATOR_MIN_OVERALL = "evaluator-min-overall"
    EVALUATOR_WEIGHTS = "evaluator-weights"
    CRITIQUE_ENABLED = "critique-enabled"
    MAX_RETRIES = "max-retries"
    BACKOFF_BASE_S = "backoff-base-s"
    BACKOFF_FACTOR = "backoff-factor"
    BACKOFF_MAX_S = "backoff-max-s"
    MAX_CALLS = "max-calls"
    MAX_TOKENS = "max-tokens"
    MAX_COST_USD = "max-cost-usd"
    MAX_WALL_S = "max-wall-s"
    MAX_ATTEMPTS = "max-attempts"
    CALL_TIMEOUT_S = "call-timeout-s"
    SEED = "seed"
    SCENARIO = "scenario"
    SCENARIO_FILE = "scenario-file"
    BUILDS_ON = "builds-on"
    ENDPOINT = "endpoint"
    MODEL = "model"
    MODEL_PLAN = "model-plan"
    MODEL_WORK = "model-work"
    MODEL_JUDGE = "model-judge"
    MODEL_WRITE = "model-write"
    MODEL_KEY = "model-key"
    LOCAL_ONLY = "local-only"
    MASK = "mask"
    TEST_MODELS = "test-models"
    # a run
    PAUSE = "pause"
    RESUME = "resume"
    RESUME_KEY = "resume-key"
    RESUME_MASK = "resume-mask"
    PLAN = "plan"
    APPROVER = "approver"
    APPROVE = "approve"
    PICTURE = "picture"
    FIGURES = "figures"
    UNDO = "undo"
    DETAIL = "detail"
    DONE_WHEN = "done-when"
    SEND_BACK_NOTE = "send-back-note"
    SEND_BACK = "send-back"
    STOP = "stop"
    TAKEN_OVER = "taken-over"
    TAKE_OVER = "take-over"
    REDO = "redo"
    REDO_NOTE = "redo-note"
    CLAIM = "claim"
    CLAIM_TEXT = "claim-text"
    EDIT_CLAIM = "edit-claim"
    ANSWERER = "answerer"
    QUESTION = "question"
    TABS = "tab"
    ANSWER = "answer"
    GET_PAGE = "get-page"
    GET_PLAN = "get-plan"
    GET_WORKBOOK = "get-workbook"
    GET_WORD = "get-word"
    GET_PDF = "get-pdf"
    GET_DATES = "get-dates"
    GET_PROPOSAL = "get-proposal"
    GET_BUNDLE = "get-bundle"
    GET_TRACE = "get-trace"
    TAGS = "tags"
    NOTE = "note"
    # all runs
    RUNS = "runs"
    SEARCH = "search"
    STATUSES = "statuses"
    MODES = "modes"
    PROJECTS = "projects"
    # help
    WORD = "word"
    # compared runs
    COMPARED = "compared"


class Note(StrEnum):
    """What a session remembers besides its widgets."""

    READING = "note-reading"
    """The text that was read last, its name, and what was understood of it."""
    EDITING = "note-editing"
    """Whether a text that was read is being changed."""
    MISREAD = "note-misread"
    """Why a text could not be read."""
    ROWS = "note-rows"
    """The numbers of the rows that each list of the form has."""
    NEXT_ROW = "note-next-row"
    """The number of the next row, which no row had before."""
    PRESSED = "note-pressed"
    """Whether a start was tried, after which missing fields are named too."""
    STARTING = "note-starting"
    """Whether a start was asked for that has come to nothing yet."""
    FILLED = "note-filled"
    """Whether a form was filled in this very visit, and what its fields hold in place of what."""
    DRAFT = "note-draft"
    """The id of the draft that the form is kept in."""
    SAVED = "note-saved"
    """What the draft holds."""
    CHOICE = "note-choice"
    """The form that was ranked last, its brief, and which design it asks for."""
    PLAN = "note-plan"
    """A plan that is being edited: its tables so far, the last of them shown."""
    PARTS = "note-parts"
    """What the run is made of whose plan is being edited."""
    NEXT_RUN = "note-next-run"
    """The id that the next start will use, so that two clicks start one run."""
    OPENED = "note-opened"
    """Whether the run named on the command line was shown."""
    SHOWN = "note-shown"
    """The run that was shown last."""
    TYPED = "note-typed"
    """The server and the key that was typed for it."""
    USER = "note-user"
    """Whose session it is."""
    TESTED = "note-tested"
    """What the last test of the models found."""


KEPT = (
    Key.TEXT,
    Key.OBJECTIVE,
    Key.BUDGET,
    Key.BEGIN,
    Key.DEADLINE,
    Key.COVERS,
    Key.RISK,
    Key.DIRECTIONS,
    Key.PROJECT,
    Key.FAMILY,
    Key.UNIT,
    Key.TREATMENT,
    Key.COMPARATOR,
    Key.OUTCOME,
    Key.MEASURE,
    Key.PLACE,
    Key.DATA,
    Key.PACE,
    Key.WAITS,
    Key.PRICES,
    Key.DOCS_PATH,
    Key.REPO_PATH,
    Key.MODE,
    Key.APPROVAL_REQUIRED,
    Key.GRAPH_ENABLED,
    Key.PARALLEL_EXEC_ENABLED,
    Key.AUTOGEN_ENABLED,
    Key.STREAM_REPLIES,
    Key.DIRECT_CALLS,
    Key.MAX_CONCURRENCY,
    Key.EVALUATORS_ENABLED,
    Key.EVALUATOR_MIN_OVERALL,
    Key.EVALUATOR_WEIGHTS,
    Key.CRITIQUE_ENABLED,
    Key.MAX_RETRIES,
    Key.BACKOFF_BASE_S,
    Key.BACKOFF_FACTOR,
    Key.BACKOFF_MAX_S,
    Key.MAX_CALLS,
    Key.MAX_TOKENS,
    Key.MAX_COST_USD,
    Key.MAX_WALL_S,
    Key.MAX_ATTEMPTS,
    Key.CALL_TIMEOUT_S,
    Key.SEED,
    Key.ENDPOINT,
    Key.MODEL,
    Key.LOCAL_ONLY,
    Key.MASK,
    Key.MODEL_PLAN,
    Key.MODEL_WORK,
    Key.MODEL_JUDGE,
    Key.MODEL_WRITE,
)
"""Fields that keep their value while another page is shown, besides those of rows."""


def sample_key(number: int) -> str:
    """Return the key of a sample's button."""
    return f"{Key.SAMPLES}-{number}"


def row_key(table: str, number: int, column: str) -> str:
    """Return the key of a field in a row of one of the form's lists."""
    return f"{Key.ROW}-{table}-{number}-{column}"


def keep(keys: Iterable[str] = KEPT) -> None:
    """Hold on to fields that this page does not show; Streamlit would forget them."""
    rows = [key for key in st.session_state if str(key).startswith(f"{Key.ROW}-")]
    for key in (*keys, *rows):
        if key in st.session_state:
            st.session_state[key] = st.session_state[key]


def get(key: str, default: Any = None) -> Any:  # noqa: ANN401 - whatever was put there
    """Return what the session holds under *key*."""
    return st.session_state.get(key, default)


def put(key: str, value: Any) -> None:  # noqa: ANN401 - whatever is to be kept
    """Hold *value* under *key*; a widget's value can only be put before it is drawn."""
    st.session_state[key] = value


def propose(key: str, value: Any) -> None:  # noqa: ANN401 - a widget's value
    """Hold *value* under *key* unless something is there already."""
    st.session_state.setdefault(key, value)


def forget(key: str) -> None:
    """Let go of what is held under *key*, if anything is."""
    st.session_state.pop(key, None)


def clear() -> None:
    """Let go of everything."""
    st.session_state.clear()


def open_for(user: str) -> None:
    """Let go of what another user than *user* left behind in this session."""
    if get(Note.USER, user) != user:
        clear()
    put(Note.USER, user)
