"""The help: its tour names what is on the screens, and its words are found."""

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dr_rd.ui import guide
from dr_rd.ui.session import Key


def drawn() -> None:
    from dr_rd.ui import guide  # noqa: PLC0415 - the page is run as a script of its own

    guide.draw({"new": "", "runs": ""})


@pytest.fixture
def help_page(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setattr(st, "page_link", lambda page, label: None)  # no other page is there
    return AppTest.from_function(drawn).run()


def test_the_words_are_in_order_and_each_is_explained_in_a_sentence():
    glossary = guide.read_help().glossary
    assert list(glossary) == sorted(glossary, key=str.casefold)
    assert all(meaning.endswith(".") and len(meaning) < 250 for meaning in glossary.values())


def test_what_a_word_is_called_comes_before_where_it_is_mentioned():
    found = guide.matching(
        {"Gate": "A check.", "Run": "Past the gate.", "Seat": "A place."}, "gate"
    )
    assert list(found) == ["Gate", "Run"]
    assert guide.matching({"Gate": "A check."}, "zebra") == {}


def test_the_page_shows_the_tour_and_finds_a_word(help_page: AppTest):
    shown = [m.value for m in help_page.markdown]
    assert any(m.startswith("**1. Take the sample.**") for m in shown)
    help_page.text_input(key=Key.WORD).set_value("p80").run()
    assert not help_page.exception
    assert [m.value for m in help_page.markdown][-1].startswith("- **P50, P80**")
