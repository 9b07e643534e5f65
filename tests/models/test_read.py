import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dr_rd.models.typed.read import Unreadable, read_value

_REPLIES = yaml.safe_load(
    (Path(__file__).parents[1] / "data/replies/values.yaml").read_text(encoding="utf-8")
)
_KINDS = {"object": dict, "array": list}

_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize("held", _REPLIES, ids=lambda held: held["name"])
def test_what_a_model_sent_is_read_or_refused_with_the_reason(held):
    wanted = _KINDS[held.get("wanted", "object")]
    if "value" in held:
        found = read_value(held["reply"], wanted)
        assert found == held["value"]
        assert json.dumps(found) == json.dumps(held["value"])  # 1 is not true, 1.0 is not 1
    else:
        with pytest.raises(Unreadable) as refused:
            read_value(held["reply"], wanted)
        assert str(refused.value) == held["refused"]


def test_the_corpus_is_large_enough_to_mean_something():
    names = [held["name"] for held in _REPLIES]
    assert len(names) == len(set(names)) >= 60
    assert sum("refused" in held for held in _REPLIES) >= 20


@given(st.dictionaries(st.text(), _JSON, max_size=5), st.sampled_from([None, 2]), st.booleans())
def test_all_that_is_json_is_read_as_json_reads_it(value, indent, escaped):
    text = json.dumps(value, indent=indent, ensure_ascii=escaped)
    assert read_value(text, dict) == value


@given(st.text(alphabet="{}[]\":,'\\/#*`<>think\n 1eu", max_size=60))
def test_no_text_does_anything_but_give_a_value_or_be_refused(text):
    try:
        assert isinstance(read_value(text, dict), dict | list)
    except Unreadable as refused:
        assert str(refused)


@given(st.dictionaries(st.text(), _JSON, min_size=1, max_size=3), st.data())
def test_a_reply_that_is_cut_anywhere_is_never_taken_for_a_whole_one(value, data):
    text = json.dumps(value)
    at = data.draw(st.integers(1, len(text) - 1))
    with pytest.raises(Unreadable):
        read_value(text[:at], dict)


@pytest.mark.parametrize("piece", ["[", '{"a":', "[x", "{", "<think>", "/*", "```json\n"])
def test_hostile_lengths_are_refused_without_trying_every_way_to_read_them(piece):
    with pytest.raises(Unreadable):
        read_value(piece * 100_000, dict)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (json.dumps({"a": [1] * 201}), "'a' has 201 elements; 200 at most are read"),
        (json.dumps([[{}] * 9_000]), "the reply has 9,000 elements; 200 at most are read"),
        (json.dumps({"k" * 99: dict.fromkeys(map(str, range(300)))}),
         f"'{'k' * 40}' has 300 elements; 200 at most are read"),
        (json.dumps([[list(range(99))] * 99] * 9), "the reply holds 89,110 values; 10,000 at most"),
        (json.dumps(["x" * 500_000]), "the reply has 500,004 characters; 500,000 at most are read"),
    ],
)  # fmt: skip
def test_a_reply_beyond_all_measure_is_refused_with_its_measure(text, said):
    with pytest.raises(Unreadable, match=said):
        read_value(text, dict)


def test_what_a_model_thinks_does_not_count():
    thought = f"<think>{'hm ' * 300_000}</think>"
    assert read_value(f'{thought}{{"a": [1]}}', dict) == {"a": [1]}
    assert len(read_value(json.dumps([1] * 200), list)) == 200
