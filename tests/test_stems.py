"""Stems: the same whoever asks, and however many at once."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest

from dr_rd.evidence import words
from dr_rd.text import plural_of, singular_of, stems

_WORDS = [
    f"{head}{tail}"
    for head, tail in product(
        ("relat", "condit", "general", "oscill", "measur", "hope", "observ", "deriv"),
        ("ional", "ization", "ators", "fulness", "ements", "ingly", "ativity", "ables"),
    )
]


@pytest.fixture
def _hurried() -> Iterator[None]:
    """Threads that take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("_hurried")
@pytest.mark.parametrize("stem", [stems.stem, stems.stemmed])
def test_threads_that_stem_at_once_get_what_one_alone_gets(stem):
    fresh = stem.__wrapped__  # a kept stem would hide what another thread did to it
    alone = [fresh(w) for w in _WORDS]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: [fresh(w) for w in _WORDS], range(60)))
    assert found == [alone] * 60


@pytest.mark.parametrize("stem", [stems.stem, stems.stemmed])
def test_half_a_character_is_no_end_of_reading(stem):
    assert stem("ba\udcffd") == stem("ba\ufffdd")


def test_words_of_any_language_are_stemmed_by_the_one_stemmer():
    assert stems.stemmed("maisons", "french") == words.stems("maisons", "french")[0]
    assert stems.stemmed("relational") == stems.stem("relational") == words.stems("relational")[0]


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("dairy farm", "dairy farms"),
        ("county", "counties"),
        ("survey", "surveys"),
        ("batch", "batches"),
        ("class", "classes"),
        ("school child", "school children"),
        ("person", "people"),
    ],
)
def test_a_noun_goes_into_the_plural_and_back(one, many):
    assert (plural_of(one), singular_of(many)) == (many, one)
