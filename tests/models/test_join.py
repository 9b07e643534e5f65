"""The parts of a reply come together as the model meant them, or as they are."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dr_rd.models.typed.join import join_parts, trim_cut_word

_PLAN = '{"tasks": [{"id": "T1", "title": "Sample the soil"}, {"id": "T2", "title": "Weigh it"}]}'


@pytest.mark.parametrize(
    ("first", "more", "whole"),
    [
        pytest.param('{"a": "one t', 'wo"}', '{"a": "one two"}', id="exactly where it stopped"),
        pytest.param(
            '{"a": "the soil is sampled tw',
            'is sampled twice a year"}',
            '{"a": "the soil is sampled twice a year"}',
            id="the last words again",
        ),
        pytest.param(_PLAN[:60], _PLAN[40:], _PLAN, id="the last fields again"),
        pytest.param(_PLAN[:60], _PLAN, _PLAN, id="anew from the beginning"),
        pytest.param(
            _PLAN[:60], f"```json\n{_PLAN}\n```", f"{_PLAN}\n```", id="anew and in a fence"
        ),
        pytest.param(
            f"```json\n{_PLAN[:60]}", f" \n{_PLAN}\n```", f" \n{_PLAN}\n```", id="anew without it"
        ),
        pytest.param(
            f"```json\n{_PLAN[:60]}",
            f"```json\n{_PLAN[60:]}\n```",
            f"```json\n{_PLAN}\n```",
            id="the fence opened again",
        ),
        pytest.param(
            _PLAN[:60], json.dumps(json.loads(_PLAN), indent=1), json.dumps(
                json.loads(_PLAN), indent=1
            ), id="anew and laid out otherwise",
        ),
        pytest.param(
            '["approved", "refused", ',
            '"approved", "refused"]',
            '["approved", "refused", "approved", "refused"]',
            id="choices that may well come once more",
        ),
        pytest.param('{"a": [7', "7]}", '{"a": [77]}', id="too short to be certain"),
        pytest.param(
            "[0.25, 0.25, 0.25, 0.25, ",
            "0.25, 0.25, 0.25]",
            "[0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25]",
            id="what may well come once more",
        ),
        pytest.param("", "{}", "{}", id="nothing before"),
        pytest.param('{"a": 1', "", '{"a": 1', id="nothing after"),
    ],
)  # fmt: skip
def test_parts_are_joined_at_the_seam(first, more, whole):
    assert join_parts(first, more) == whole


_TEXT = "Nobody changes the written protocol without the consent of the whole committee."
_NOTE = json.dumps({"note": _TEXT})


@given(st.integers(22, len(_TEXT)), st.integers(12, 22))
def test_words_that_are_repeated_stand_once(cut, again):
    cut += len('{"note": "')
    assert join_parts(_NOTE[:cut], _NOTE[cut - again :]) == _NOTE


@given(st.integers(0, len(_PLAN)))
def test_a_reply_that_goes_on_where_it_was_cut_is_joined_as_it_is(cut):
    assert join_parts(_PLAN[:cut], _PLAN[cut:]) == _PLAN


@given(st.lists(st.integers(0, 1), min_size=30, max_size=80), st.integers(10, 60))
def test_numbers_that_come_again_are_not_lost(numbers, cut):
    text = json.dumps(numbers)
    assert join_parts(text[:cut], text[cut:]) == text


@pytest.mark.parametrize(
    ("text", "begun"),
    [
        ("the risk of hea", "the risk of "),
        ("the risk of ", "the risk of "),
        ('{"a": 1,\n  "b', '{"a": 1,\n  '),
        ("一二三四五六七八九十" * 5, "一二三四五六七八九十" * 5),
        ("one " + "x" * 50, "one " + "x" * 50),
        ("word", "word"),
    ],
)
def test_a_part_ends_before_the_word_in_which_it_was_cut(text, begun):
    assert trim_cut_word(text) == begun
