"""What is done with plain JSON values and words."""

import pytest
from pydantic import TypeAdapter, ValidationError

from core.values import Name, as_name, holders, repeated, rounded


def test_floats_are_rounded_wherever_they_stand_and_nothing_else_is() -> None:
    value = {"a": [1.23456, {"b": 65432.1}], "c": 123456, "d": "1.23456", "e": None, "f": True}
    told = {"a": [1.23, {"b": 65400.0}], "c": 123456, "d": "1.23456", "e": None, "f": True}
    assert rounded(value, 3) == told


@pytest.mark.parametrize("mark", [*"\n\r\0\x1b|<>[]`", "\u2028", "\u202e", "\u2066"])
def test_a_name_has_nothing_in_it_that_breaks_a_table_or_makes_a_link(mark: str) -> None:
    with pytest.raises(ValidationError, match="a name is one line"):
        TypeAdapter(Name).validate_python(f"Ann{mark}Bo")


@pytest.mark.parametrize("name", ["", "Ann O'Neil (2)", "Zoë & 李", "O1: rye_cover*"])
def test_any_other_words_are_a_name(name: str) -> None:
    assert TypeAdapter(Name).validate_python(name) == name
    assert as_name(name, 20) == name


def test_any_text_can_be_made_a_name() -> None:
    made = as_name("Ann |\n`Bo` [1]\u202e" + "o" * 99, 12)
    assert TypeAdapter(Name).validate_python(made) == "Ann Bo 1 ooo"


@pytest.mark.parametrize(
    ("words", "word"), [("abbccc", "c"), ("abba", "a"), ("abc", None), ("", None), (["", ""], "")]
)
def test_the_word_that_comes_most_often_is_the_repeated_one(words, word) -> None:
    assert repeated(words) == word


def test_what_holds_wrong_values_is_found_by_their_places() -> None:
    assert holders([("a", 1, "b"), ("a", 2), ("c",)]) == {(), ("a",), ("a", 1)}
