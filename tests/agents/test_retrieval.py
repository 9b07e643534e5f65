"""Each task quotes the sentences it turns on, and an introduction none of them."""

import re

import pytest

from core.graph.files import read_answers, read_plan
from tests.conftest import ROOT

ORCHARD = ROOT / "tests/data/orchard"

QUOTED = [
    ("T1", "Trunk diameter varied with a coefficient of variation of 18 % between trees"),
    ("T1", "Two of nine growers withdrew from the last trial"),
    ("T2", "answers a request for an abstraction permit within 10 weeks"),
    ("T3", "A capacitance probe drifted by 2 % over a summer in this loam."),
    ("T3", "The valve controller froze when its clock changed to winter time."),
    ("T4", "Tensiometers lose contact below -80 kPa"),
    ("T5", "Sunburn was scored by eye on 100 fruits for each tree"),
]


@pytest.fixture(scope="module")
def orchard(finish):
    return finish(ORCHARD / "brief.yaml", docs=(ORCHARD / "documents",))


@pytest.fixture(scope="module")
def answers(orchard):
    return {
        k: a.content
        for k, a in read_answers(orchard.folder, read_plan(orchard.folder).tasks).items()
    }


@pytest.mark.parametrize(("task", "sentence"), QUOTED)
def test_a_task_quotes_the_sentence_that_it_turns_on(answers, task, sentence):
    assert re.search(rf"“[^”]*{re.escape(sentence)}", answers[task])


def test_every_price_and_duration_is_quoted_by_some_task(answers):
    everything = "\n".join(answers.values())
    for figure in ("185", "0.60", "42", "3 days", "10 weeks"):
        assert re.search(rf"“[^”]*\b{re.escape(figure)}\b[^”]*”", everything), figure


def test_an_introduction_that_names_every_task_is_quoted_by_none(answers):
    for said in ("introduces growers", "need planning", "were all mentioned"):
        assert not [k for k, text in answers.items() if said in text], said


def test_no_sentence_is_quoted_twice(answers):
    quotes = re.findall(r"“([^”]+)” \[E\d+", "\n".join(answers.values()))
    assert len(quotes) == len(set(quotes)) >= len(QUOTED)


def test_the_proposal_says_which_of_two_prices_holds(orchard):
    summary, rest = orchard.body.split("## Objective", 1)
    assert "1 older value is superseded [plan]; Evidence names them." in summary
    evidence = rest.split("## Evidence")[1].split("## Open questions")[0]
    (line,) = (x for x in evidence.splitlines() if "is superseded, because" in x)
    assert re.search(
        r"38 EUR in price-letter-2025\.md \[E\d+\] holds; 31 EUR in price-letter-2023", line
    )
    assert line.endswith("because 2025 is later than 2023.")
