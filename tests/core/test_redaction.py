"""Secrets are found in every form they take; what only looks like one stays."""

import base64
import json
from pathlib import Path
from urllib.parse import quote

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from core.redaction import MARK, RULES, TRACES, Redactor
from core.values import digest

_CORPUS = yaml.safe_load(Path(__file__).with_name("secrets.yaml").read_text("utf-8"))
_FOUND = {
    name: (before, "".join(pieces), after) for name, before, pieces, after in _CORPUS["found"]
}
_KEY = "local/Key+with=signs&7"


def test_the_corpus_is_large_enough_to_mean_something():
    assert len(_FOUND) >= 30
    assert len(set(_CORPUS["untouched"])) >= 30


@pytest.mark.parametrize("name", _FOUND)
def test_a_secret_is_taken_out_and_what_surrounds_it_stays(name):
    before, secret, after = _FOUND[name]
    cleaned = Redactor().text(f"{before}{secret}{after}")
    assert secret.removeprefix("PRIVATE KEY-----").strip() not in cleaned
    assert MARK in cleaned
    assert cleaned.startswith(before.split(" PRIVATE")[0].rstrip("=")[:8])
    assert cleaned.endswith(after)


@pytest.mark.parametrize("name", _FOUND)
@pytest.mark.parametrize("frame", ["{}", "see {} there", '{{"note": "{}"}}', "a\n{}\nb"])
def test_a_secret_is_found_wherever_it_stands(name, frame):
    before, secret, after = _FOUND[name]
    text = frame.replace("{{", "{").replace("}}", "}").replace("{}", f"{before}{secret}{after}")
    assert secret.split("\n")[-2 if "\n" in secret else 0] not in Redactor().text(text)


@pytest.mark.parametrize("text", _CORPUS["untouched"])
def test_what_only_looks_like_a_secret_stays(text):
    redactor = Redactor()
    assert redactor.text(text) == text
    assert redactor.json({"note": [text]}) == {"note": [text]}
    assert redactor.replaced == 0


@pytest.mark.parametrize(
    "form",
    [
        _KEY,
        quote(_KEY, safe=""),
        base64.b64encode(_KEY.encode()).decode(),
        base64.urlsafe_b64encode(b"ann:" + _KEY.encode() + b"!").decode(),
        base64.b64encode(b"anne:" + _KEY.encode()).decode(),
        base64.b64encode(b"anneb:" + _KEY.encode()).decode(),
    ],
)
def test_a_key_in_use_is_found_in_every_spelling(form):
    cleaned = Redactor([_KEY]).text(f"the server said: {form}.")
    assert cleaned.startswith("the server said: ")
    assert MARK in cleaned
    assert form not in cleaned
    assert form[8:-6] not in cleaned


def test_short_values_are_not_looked_for():
    assert Redactor(["x", "", "none"]).text("none of x") == "none of x"


def test_a_json_value_is_cleaned_in_texts_in_keys_and_under_telling_names():
    key = "".join(_CORPUS["found"][0][2])
    redactor = Redactor()
    value = {"a": [key, 1, None], key: True, "password": "hunter", "token_count": 5, "token": 7}
    assert redactor.json(value) == {
        "a": [MARK, 1, None],
        MARK: True,
        "password": MARK,
        "token_count": 5,
        "token": 7,
    }
    assert redactor.replaced == 3


def test_what_hints_at_a_secret_leaves_a_trace_of_one():
    hints = {hint for rule in RULES for hint in rule.hints}
    assert not {hint for hint in hints if not any(trace in hint for trace in TRACES)}


def test_a_schema_that_describes_a_password_stays():
    schema = {"properties": {"password": {"type": "string", "description": "A word of yours"}}}
    assert Redactor().json(schema) == schema


@given(st.text(alphabet="aAkKsS-_ =:\"'{}[]?&/.0159\n", max_size=60), st.sampled_from([*_FOUND]))
@example("]0?", "openai project")
def test_cleaning_twice_is_cleaning_once(noise, name):
    before, secret, after = _FOUND[name]
    redactor = Redactor([_KEY])
    once = redactor.text(f"{noise}{before}{secret}{after}{noise}{_KEY}")
    assert redactor.text(once) == once


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=8))
def test_a_value_without_secrets_keeps_its_hash(value):
    assert digest(Redactor([_KEY]).json(value)) == digest(value)


def test_cleaned_json_text_is_json_still():
    for before, secret, after in _FOUND.values():
        text = json.dumps({"note": f"{before}{secret}{after}", "n": 1})
        assert json.loads(Redactor().text(text))["n"] == 1


@pytest.mark.parametrize("name", _FOUND)
def test_of_a_secret_that_is_cut_off_anywhere_no_piece_is_left(name):
    before, secret, after = _FOUND[name]
    lines = [line for line in secret.split("\n") if "KEY-----" not in line]
    text, redactor = f"It said {before}{secret}{after} twice.", Redactor()
    begun = text.index(lines[0]) if lines[0] else len(text)
    for end in range(begun, len(text) + 1):
        shown = redactor.beginning(text[:end])
        assert lines[0][:6] not in shown[begun - 8 :], shown
    assert redactor.beginning(text[:begun]).startswith("It said ")


@pytest.mark.parametrize("secret", [_KEY, "a pass phrase of blanks 7", 'one "quoted" word 8'])
def test_of_a_known_secret_that_is_cut_off_anywhere_no_piece_is_left(secret):
    redactor, text = Redactor([secret]), f"The word is {secret} and that is all."
    begun = text.index(secret)
    for end in range(len(text) + 1):
        assert secret[:3] not in redactor.beginning(text[:end])[begun:]
    assert redactor.beginning(text) == f"The word is {MARK} and that is "
    assert redactor.beginning("no blank") == "no "
    assert redactor.beginning("") == ""
