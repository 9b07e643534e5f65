"""What of a text fits a model, by the rates that were measured on it."""

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dr_rd.files import read_text
from dr_rd.models.window import SPARE, Rates, Window, extents, fitted

_MEASURED = Rates(words=4.0, figures=1.5, others=1.2, measured=True)
_PIECES = st.lists(st.text(max_size=60), max_size=8)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("two words", (9, 0, 0)),
        ("wer über Größe entscheidet", (26, 0, 0)),
        ("4.7 | E014", (0, 10, 0)),
        ("about 4.7 kg", (8, 4, 0)),
        ("两个词", (0, 0, 3)),
        ("слово", (0, 0, 10 / 3)),
        ("", (0, 0, 0)),
    ],
)
def test_a_text_is_words_figures_and_other_scripts(text, found):
    assert extents(text) == pytest.approx(found)


def test_each_sample_is_of_one_kind_of_writing():
    samples = yaml.safe_load(read_text("reading", "samples.yaml"))
    for place, kind in enumerate(("words", "figures", "others")):
        found = extents(samples[kind])
        assert found[place] > 200
        assert sum(found) - found[place] < 25  # blanks within the other scripts


def test_tokens_are_reckoned_from_the_rates_of_the_model():
    window = Window(rates=_MEASURED)
    assert window.tokens("four") == 1
    assert window.tokens("1 2 3 4 5 6") == 8
    assert window.tokens("两个词") == 3


def test_a_rate_that_was_not_measured_is_taken_for_low():
    text = "The team compares three ways, at 4.7 kg | 12 | 0.5 each. 两个词"
    assert Window().tokens(text) > Window(rates=_MEASURED).tokens(text)


@given(st.text(max_size=80), st.text(max_size=80))
def test_lines_count_together_what_they_count_alone(first, second):
    window = Window(rates=_MEASURED)
    alone = window.tokens(f"{first}\n") + window.tokens(second)
    assert alone - 1 <= window.tokens(f"{first}\n{second}") <= alone


def test_the_room_leaves_a_share_free():
    assert SPARE == 0.1
    assert Window(context=1000).room(used=300, reply=200) == 400
    assert Window(context=1000).room(used=900, reply=200) == 0


def test_what_fits_is_kept_whole_the_worthiest_first_and_the_rest_is_named():
    window = Window(context=100, rates=_MEASURED)
    kept, left_out = fitted(["a" * 120, "b" * 400, "c" * 80, "d" * 80], window, used=20, reply=10)
    assert [p[0] for p in kept] == ["a", "c"]
    assert [p[0] for p in left_out] == ["b", "d"]


def test_half_of_the_room_takes_half_of_the_material():
    window = Window(context=1000, rates=_MEASURED)
    material = ["x" * 40] * 200
    whole, _ = fitted(material, window, used=0, reply=100)
    half, left_out = fitted(material, window, used=0, reply=100, share=0.5)
    assert (len(whole), len(half), len(left_out)) == (80, 40, 160)


def test_a_piece_counts_as_it_stands_in_the_prompt():
    window = Window(context=100, rates=_MEASURED)
    shown = fitted([1, 2], window, used=0, reply=0, text=lambda number: "x" * 200)
    assert shown == ((1,), (2,))


@given(_PIECES, st.integers(0, 60), st.integers(1, 60))
def test_what_is_kept_never_takes_more_than_the_room(pieces, used, context):
    window = Window(context=context, rates=_MEASURED)
    kept, left_out = fitted(pieces, window, used=used, reply=0)
    assert sum(map(window.tokens, kept)) <= window.room(used, 0)
    assert sorted([*kept, *left_out]) == sorted(pieces)


def test_a_window_is_saved_and_read_back_as_it_was():
    window = Window(context=4096, source="server", rates=_MEASURED)
    assert Window.model_validate(json.loads(window.model_dump_json())) == window


@pytest.mark.parametrize(
    ("window", "told"),
    [
        (
            Window(context=32_768, source="server", rates=Rates(words=3.9, measured=True)),
            "context 32,768 tokens, said by the server; 3.9 characters a token",
        ),
        (
            Window(context=4096, source="setting"),
            "context 4,096 tokens, set by DRRD_CONTEXT; 3.0 characters a token, assumed",
        ),
        (
            Window(),
            "context 8,192 tokens, assumed: the server says nothing of it, and DRRD_CONTEXT is "
            "not set; 3.0 characters a token, assumed",
        ),
    ],
)
def test_a_window_says_what_it_is_and_who_says_so(window, told):
    assert window.description == told
