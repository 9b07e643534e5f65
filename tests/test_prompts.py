import re

import pytest

from dr_rd.files import data_folder
from dr_rd.prompts import prompt

_PAIR = {"question": "Is it blind?", "mark": "===", "first": "Yes.", "second": "No."}


def test_a_prompt_is_filled_with_what_it_declares():
    filled = prompt("judge-pair", _PAIR)
    assert filled.system.startswith("You compare two research plans")
    assert "The first plan:\n===\nYes.\n===\n\nThe second plan:\n===\nNo.\n===" in filled.user


@pytest.mark.parametrize("values", [{}, {**_PAIR, "author": "me"}])
def test_values_that_a_prompt_does_not_declare_or_lacks_are_refused(values):
    with pytest.raises(ValueError, match="'judge-pair' takes"):
        prompt("judge-pair", values)


def test_every_prompt_declares_what_it_uses():
    names = [p.name.removesuffix(".md") for p in (data_folder() / "prompts").iterdir()]
    assert names
    for name in names:
        with pytest.raises(ValueError, match=f"'{name}' takes"):  # and not that it uses others
            prompt(name, {"nothing": 1})


def test_braces_in_a_value_are_text_and_no_template():
    assert "{{ mark }}" in prompt("judge-pair", {**_PAIR, "first": "{{ mark }}"}).user


def test_no_prompt_names_an_id_that_a_model_could_cite_without_having_read_it():
    for file in (data_folder() / "prompts").iterdir():
        assert not re.search(r"\b[A-Z]\d\d", file.read_text(encoding="utf-8")), file.name
