"""Every widget's key, and the only place that reads or writes a session's state."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

import streamlit as st


class Key(StrEnum):
    """The keys of the page's widgets; a stylesheet or a test finds one as `.st-key-KEY`."""

    # the brief
    SAMPLES = "samples"
    BRIEF_FILE = "brief-file"
    CLEAR = "clear"
    OBJECTIVE = "objective"
    CONSTRAINTS = "constraints"
    CRITERIA = "criteria"
    DIRECTIONS = "directions"
    BANS = "bans"
    RISK = "risk"
    BUDGET = "budget"
    BEGIN = "begin"
    DEADLINE = "deadline"
    PROJECT = "project"
    FAMILY = "family"
    DOCS_FILES = "docs-files"
    DOCS_PATH = "docs-path"
    REPO_PATH = "repo-path"
    START = "start"
    # the sidebar
    MODE = "mode"
    APPROVAL_REQUIRED = "approval-required"
    GRAPH_ENABLED = "graph-enabled"
    PARALLEL_EXEC_ENABLED = "parallel-exec-enabled"
    AUTOGEN_ENABLED = "autogen-enabled"
    MAX_CONCURRENCY = "max-concurrency"
    EVALUATORS_ENABLED = "evaluators-enabled"
    EVALUATOR_MIN_OVERALL = "evaluator-min-overall"
    EVALUATOR_WEIGHTS = "evaluator-weights"
    MAX_RETRIES = "max-retries"
    BACKOFF_BASE_S = "backoff-base-s"
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
    SEND_BACK_NOTE = "send-back-note"
    SEND_BACK = "send-back"
    STOP = "stop"
    ANSWERER = "answerer"
    QUESTION = "question"
    TABS = "tab"
    ANSWER = "answer"
    GET_PROPOSAL = "get-proposal"
    GET_BUNDLE = "get-bundle"
    GET_TRACE = "get-trace"
    # all runs
    RUNS = "runs"
    # compared runs
    COMPARED = "compared"


class Note(StrEnum):
    """What a session remembers besides its widgets."""

    BRIEF = "note-brief"
    """The brief that the form was filled from; what the form does not show stays in it."""
    FILE = "note-file"
    """The uploaded brief that has been read already."""
    CHOICE = "note-choice"
    """The brief that was ranked last, and which design it asks for."""
    NEXT_RUN = "note-next-run"
    """The id that the next start will use, so that two clicks start one run."""
    OPENED = "note-opened"
    """Whether the run named on the command line was shown."""
    TYPED = "note-typed"
    """The server and the key that was typed for it."""
    TESTED = "note-tested"
    """What the last test of the models found."""


KEPT = (
    Key.OBJECTIVE,
    Key.CONSTRAINTS,
    Key.CRITERIA,
    Key.DIRECTIONS,
    Key.BANS,
    Key.RISK,
    Key.BUDGET,
    Key.BEGIN,
    Key.DEADLINE,
    Key.PROJECT,
    Key.DOCS_PATH,
    Key.REPO_PATH,
    Key.MODE,
    Key.APPROVAL_REQUIRED,
    Key.GRAPH_ENABLED,
    Key.PARALLEL_EXEC_ENABLED,
    Key.AUTOGEN_ENABLED,
    Key.MAX_CONCURRENCY,
    Key.EVALUATORS_ENABLED,
    Key.EVALUATOR_MIN_OVERALL,
    Key.EVALUATOR_WEIGHTS,
    Key.MAX_RETRIES,
    Key.BACKOFF_BASE_S,
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
"""Fields that keep their value while another page is shown."""


def sample_key(number: int) -> str:
    """Return the key of a sample's button."""
    return f"{Key.SAMPLES}-{number}"


def keep(keys: Iterable[str] = KEPT) -> None:
    """Hold on to fields that this page does not show; Streamlit would forget them."""
    for key in keys:
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
