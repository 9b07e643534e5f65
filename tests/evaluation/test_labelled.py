"""The docs say how well the metrics do on the labelled texts, and it stays so."""

import pytest

from tests.conftest import ROOT
from tests.evaluation.labelled import KEYS, flags, measure

DOCS = (ROOT / "docs/metrics.md").read_text("utf-8")


@pytest.mark.parametrize("key", KEYS)
def test_a_metric_does_as_well_as_the_docs_say(key):
    assert measure(key).row() in DOCS, "measure anew: python -m tests.evaluation.labelled"


@pytest.mark.parametrize("key", KEYS)
def test_a_metric_finds_most_of_what_is_planted_and_hardly_anything_else(key):
    found = measure(key)
    assert found.recall >= 0.95
    assert found.precision >= 0.95


@pytest.mark.parametrize("key", KEYS)
def test_words_without_a_fault_are_not_flagged(key):
    assert not flags(key, "Nothing else is said.")
