"""A model's words are one line of plain ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dr_rd.plain import plain

MARKED = {
    "## Constraint ledger": "Constraint ledger",
    "1. - > Weigh *it* `now`.": "Weigh it now.",
    "| C01 | met |": "C01 met",
    "Weigh\n\n# it\r\n---": "Weigh # it ---",
    "a <!-- b --> c <!-- d": "a c",
    "&lt;!-- a --&gt; b &#60;i&#62;c": "b c",
    "<script>a</script> b <div": "a b < div",
    "s\u200bur\u2060v\u00ade&#8203;y\u202e": "survey",
    "a === 0123456789abcdef01234567 === 1": "a 1",
    "a &\u200b#60; b": "a & #60; b",
    "a &amp;#8203; b": "a & #8203; b",
    "![p](https://e.org/p) [q](javascript:r(1)) <https://e.org/s>": "p https://e.org/p q https://e.org/s",
}
MEANT = [
    "P(a|b)",
    "2*3 samples",
    ">50 samples",
    "> 50 samples",
    "p < 0.05",
    "R&D; AT&T",
    "~5 g",
    "می\u200cخواهم",
]


@pytest.mark.parametrize("text", MARKED)
def test_marks_of_markdown_and_html_and_what_has_no_shape_are_gone(text):
    assert plain(text) == MARKED[text]


@pytest.mark.parametrize("text", MEANT)
def test_what_is_meant_stays(text):
    assert plain(text) == text


FORMULAS = {
    "n = 2*s^2*(1-r) samples": "n = `2*s^2*(1-r)` samples",
    "stop if a<b and b>c.": "stop if `a<b and b>c`.",
    "override __init__ once": "override `__init__` once",
    "x<img src=1 onerror=f>y": "x y",
    "**bold** and *this*": "bold and this",
}


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_and_code_keep_every_character(text):
    assert plain(text) == FORMULAS[text]
    assert plain(plain(text)) == plain(text)


@given(
    st.lists(st.sampled_from([*"<>!-&#;[]()`*|x1 \n", "<!--", "-->", "&lt;", "div"])).map("".join)
)
def test_nothing_of_it_opens_a_comment_or_a_tag(text):
    found = plain(text)
    assert "<!--" not in found
    assert "<div" not in found
    assert "\n" not in found
