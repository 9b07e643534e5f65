"""Flags and options: read once, refused in one sentence."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import CallerError
from core.settings import Flags, RunOptions, environment, prepare_process, read_flags, valid_id


def test_the_defaults_are_the_documented_ones() -> None:
    flags = read_flags({})
    assert flags == Flags()
    assert (flags.MAX_CONCURRENCY, flags.MAX_RETRIES, flags.EVALUATOR_MIN_OVERALL) == (4, 2, 0.6)
    assert all(field.description for field in Flags.model_fields.values())


def test_an_override_beats_the_environment_which_beats_the_default() -> None:
    environ = {"MAX_RETRIES": "5", "MAX_CONCURRENCY": "2", "HOME": "/root"}
    flags = read_flags(environ, ["MAX_RETRIES=1"], Flags(APPROVAL_REQUIRED=True))
    assert (flags.MAX_RETRIES, flags.MAX_CONCURRENCY, flags.APPROVAL_REQUIRED) == (1, 2, True)


def test_weights_are_a_json_object() -> None:
    flags = read_flags({}, ['EVALUATOR_WEIGHTS={"clarity": 2}'])
    assert flags.EVALUATOR_WEIGHTS == {"clarity": 2}
    assert Flags.model_validate_json(flags.model_dump_json()) == flags


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("MAX_RETRY=1", "did you mean 'MAX_RETRIES'?"),
        ("MAX_RETRIES", "write NAME=VALUE"),
        ("MAX_RETRIES=many", "a whole number from 0 to 10"),
        ("MAX_RETRIES=11", "a whole number from 0 to 10"),
        ("BACKOFF_BASE_S=nan", "a number from 0 to 600"),
        ("GRAPH_ENABLED=maybe", "true or false"),
        ("EVALUATOR_WEIGHTS={", "a JSON object"),
        ("EVALUATOR_WEIGHTS=[1]", "a JSON object"),
        ("EVALUATOR_WEIGHTS=" + "[" * 100_000, "a JSON object"),
        ('EVALUATOR_WEIGHTS={"a": -1}', "a JSON object"),
    ],
)
def test_a_bad_setting_is_refused_with_the_choices(text: str, says: str) -> None:
    with pytest.raises(CallerError) as refusal:
        read_flags({}, [text])
    assert says in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_bad_value_in_the_environment_is_refused_too() -> None:
    with pytest.raises(CallerError, match="MAX_CONCURRENCY='0'"):
        read_flags({"MAX_CONCURRENCY": "0"})


@pytest.mark.parametrize("text", ["a", "2026-run", "a" * 63])
def test_a_plain_id_is_taken(text: str) -> None:
    assert valid_id("run id", text) == text


@pytest.mark.parametrize("text", ["", "..", "a/b", "A", "-a", "a" * 64, "a\n", "é", "a b"])
def test_an_id_that_could_escape_is_refused(text: str) -> None:
    with pytest.raises(CallerError, match="cannot be used"):
        valid_id("run id", text)
    with pytest.raises(CallerError):
        RunOptions(project_id=text)


@given(st.integers(0, 2**40), st.integers(0, 10))
def test_options_survive_the_file_they_are_saved_in(seed: int, retries: int) -> None:
    options = RunOptions(seed=seed, flags=Flags(MAX_RETRIES=retries))
    assert RunOptions.model_validate_json(options.model_dump_json()) == options


def test_the_process_is_prepared_for_the_graph_library(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LANGGRAPH_STRICT_MSGPACK", "LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"):
        monkeypatch.setenv(name, "other")
    prepare_process()
    assert environment()["LANGGRAPH_STRICT_MSGPACK"] == "true"
    assert os.environ["LANGSMITH_TRACING"] == "false"  # noqa: TID251 - what a library would read
