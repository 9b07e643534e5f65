"""What a list tells of a run's result: a verdict in a word, chances, and the limits it breaks."""

import re

import pytest

from dr_rd.outcome import Outcome, chance, decision_rows, read_outcome, verdict
from tests.test_readme import _EXAMPLE, README

_HEAD = "# T\n\n## Decision\n\n| | |\n|---|---|\n"


def page(**rows: str) -> str:
    return _HEAD + "".join(f"| **{k}** | {v} |\n" for k, v in rows.items()) + "\n## Objective\n"


def test_a_written_result_has_the_rows_of_its_first_page():
    assert decision_rows(page(Money="5 EUR")) == {"Money": "5 EUR"}
    assert decision_rows(page(Money="5 EUR") + "\n| **Time** | 3 days |\n") == {"Money": "5 EUR"}
    assert decision_rows("No heading at all.") == {}


def test_the_proposal_of_the_readme_is_read():
    example = _EXAMPLE.search(README.read_text("utf-8"))
    assert example
    rows = re.sub(r"^> ", "", example[0], flags=re.MULTILINE)
    assert read_outcome(f"# T\n\n## Decision\n\n{rows}") == Outcome(
        recommendation="Fund if", limits="none broken"
    )


@pytest.mark.parametrize(
    ("rows", "limits"),
    [
        ({"Time": "9 months; by 1 May with a chance of nearly 100 % [T1]"}, "time nearly 100 %"),
        ({"Money": "9 EUR, kept with a chance of below 1 % [T1]"}, "money below 1 %"),
        (
            {"Time": "by May with a chance of 62 %", "Limits": "2 of 3 items: broken: C02, C03"},
            "time 62 %; C02, C03 broken",
        ),
        (
            {"Limits": "**not kept in number: at least 9 sites (C04)**; nothing decides 1"},
            "C04 broken",
        ),
        ({"Limits": "1 of 2 items: none shown to be kept; broken: C02"}, "C02 broken"),
        ({"Limits": "1 of 2 items: kept by this plan: C01; none broken"}, "none broken"),
        ({"Limits": "promised by a task and not shown: 4"}, "none checked"),
        ({}, ""),
    ],
)
def test_limits_are_told_by_chances_and_what_is_broken(rows, limits):
    said = read_outcome(page(Recommendation="**Do not fund as asked.** C02 is broken.", **rows))
    assert said == Outcome(recommendation="Do not fund as asked", limits=limits)


def test_a_chance_is_read_in_words_and_percent():
    assert chance("kept with a chance of nearly 100 %") == ("nearly 100 %", 100)
    assert chance("a guess cannot say if it is kept") is None
    assert verdict("**Fund.** The budget is kept.") == "Fund"


def test_a_mode_without_a_verdict_tells_its_finding():
    assert read_outcome(
        "# Table: rye\n\n**O2 is kept by two tables of three.**\n"
    ).recommendation == ("O2 is kept by two tables of three.")
    cards = "# Cards: player_2 wins.\n\n**Asked of the analyst.**\n1. Play again?\n\n## Moves\n"
    assert read_outcome(cards).recommendation == "Cards: player_2 wins."
    assert read_outcome("") == Outcome()
