"""What is understood of briefs of many forms."""

import json
from pathlib import Path

import docx
import pytest

from core.errors import CallerError
from dr_rd.brief import check_objective
from dr_rd.checks import build_ledger, last_days
from dr_rd.cli import main
from dr_rd.reading import Given, Reader, load_taggers, parse_brief, read_brief, understood
from dr_rd.reading.amounts import amounts
from dr_rd.reading.segments import segments
from dr_rd.study import Study

GRANT = """# W3F Grant Proposal
- **Applied Amount:** $100,000
## Overview
Design a tokenomics model.
* Total Estimated Duration: 3 months
"""


def study(text: str, kind: str | None = None) -> Study:
    return understood(Given(text, kind, "brief"), Reader(load_taggers())).study


def test_a_grant_form_gives_one_sentence_its_sum_and_its_length():
    found = study(GRANT)
    assert found.objective == "Design a tokenomics model."
    assert (found.budget.amount, found.budget.currency) == (100_000, "USD")
    assert found.deadline.months == 3
    assert found.start is None


def test_a_value_stands_where_its_span_says():
    found = study(GRANT)
    begin, end = found.spans["budget"]
    assert GRANT[begin:end] == "$100,000"
    begin, end = found.spans["objective"]
    assert GRANT[begin:end] == "Design a tokenomics model."


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        (
            "Test whether rye helps.\n\nBudget: 60,000 EUR in total. Each school receives 300 EUR.",
            60_000,
            "EUR",
        ),
        (
            "Ziel: Wir wollen prüfen, ob Roggen den Bienen hilft und nicht schadet.\nGesamtkosten: 18.000 Euro",
            18_000,
            "EUR",
        ),
        ("Objectif : évaluer le seigle.\nBudget total : 42 500 € TTC", 42_500, "EUR"),
        ("Objetivo: comprobar si ayuda.\nPresupuesto: 27.500 euros", 27_500, "EUR"),
        ("目标:研制一台样机。\n预算:30万元", 300_000, "CNY"),
    ],
)
def test_the_budget_is_the_whole_with_its_currency(text, amount, currency):
    found = study(text).budget
    assert (found.amount, found.currency) == (amount, currency)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        (
            "Ziel: Wir wollen prüfen, ob Roggen den Bienen hilft und nicht schadet.\nAbgabe: 30. September 2027",
            "2027-09-30",
        ),
        (
            "Objectif : évaluer si le seigle est utile pour les abeilles de la ville.\nDate limite : 1er mars 2027",
            "2027-03-01",
        ),
        (
            "Objetivo: comprobar si el centeno es útil para las abejas de la ciudad.\nFecha límite: 15 de julio de 2027",
            "2027-07-15",
        ),
        ("目标:研制样机。\n截止日期:2027年11月30日", "2027-11-30"),
        ("Aim: test rye.\nDeadline: mid-October 2027", "2027-10-15"),
        ("Aim: test rye.\nDue: end of Q2 2027", "2027-06-30"),
    ],
)
def test_ends_are_read_in_several_languages(text, day):
    assert study(text).deadline.date == day


def test_a_text_without_terms_has_none():
    found = study("We want to know whether rye helps bees find their way home.")
    assert (found.budget, found.start, found.deadline, found.people) == (None, None, None, ())
    assert found.limits == found.unread == ()


YAML = """
ask: which of two rye mixes do bees prefer?
don't: [spray anything]
money: 1500 USD
until: 2027-02-26
where:
  stations: 6
"""


def test_unknown_keys_and_nested_values_are_read_for_what_they_are():
    brief = parse_brief(YAML, "yaml")
    assert brief.objective == "which of two rye mixes do bees prefer?"
    assert brief.banned_moves == ("spray anything",)
    assert (brief.budget, brief.deadline) == ("1,500 USD", "2027-02-26")


def test_keys_of_a_brief_keep_their_words_beside_unknown_ones():
    brief = parse_brief("objective: Count owls\nhard_constraints: [two nights]\nmoon: full\n")
    assert (brief.objective, brief.hard_constraints) == ("Count owls", ("two nights",))


@pytest.mark.parametrize(
    ("said", "posture"), [("very low", "low"), ("we are bold", "high"), ("balanced", "medium")]
)
def test_a_posture_in_words_is_mapped(said, posture):
    assert parse_brief(f"objective: Count owls\nrisk_posture: {said}\n").risk_posture == posture


FIGURES = """The primary outcome is systolic pressure. We want to know whether evening dosing lowers it.
A difference of 5 mmHg matters, with an SD of 10 mmHg, two-sided alpha 0.05, power 80 %, and 20 % dropout.
"""


def test_figures_for_the_sample_size_reach_the_brief():
    stated = parse_brief(FIGURES).statistics
    assert (stated.effect, stated.sd, stated.power, stated.loss) == (5, 10, 0.8, 0.2)
    assert (stated.alpha, stated.sides, stated.design) == (0.05, 2, "two means")


def test_an_end_before_the_start_is_told():
    found = study("Aim: test rye.\nStart: 1 March 2027\nDeadline: 1 February 2027\n")
    assert [c.sentence for c in found.contradictions] == ["the work ends before it starts"]


def test_a_term_that_says_nothing_is_listed_and_not_guessed():
    found = study("Aim: test whether rye helps bees.\nBudget: lots\n")
    assert found.budget is None
    assert [u.quote for u in found.unread] == ["lots"]


@pytest.mark.parametrize("ending", [".docx", ".html"])
def test_a_word_file_and_a_page_are_read(ending, tmp_path):
    path = tmp_path / f"brief{ending}"
    if ending == ".docx":
        file = docx.Document()
        file.add_heading("Objective", 1)
        file.add_paragraph("Find out whether rye helps bees.")
        file.add_paragraph("Budget: 20,000 EUR")
        file.save(str(path))
    else:
        path.write_text(
            "<h1>Objective</h1><p>Find out whether rye helps bees.</p><p>Budget: 20,000 EUR</p>"
        )
    brief = read_brief(path)
    assert (brief.objective, brief.budget) == ("Find out whether rye helps bees.", "20,000 EUR")


HOSTILE = {
    "alias.yaml": "a: &x [1]\nb: *x\n",
    "deep.json": "{" + '"a":[' * 9000,
    "binary.txt": "\0\0",
    "empty.md": "  \n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_gets_one_sentence(name, tmp_path, capsys):
    path = tmp_path / name
    path.write_text(HOSTILE[name])
    assert main(["read", str(path)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_what_is_written_can_be_planned_again(tmp_path: Path, capsys):
    source, written = tmp_path / "form.md", tmp_path / "brief.yaml"
    source.write_text(GRANT, "utf-8")
    assert main(["read", str(source), "--write", str(written)]) in (0, 3)
    assert "100,000 USD" in capsys.readouterr().out
    assert main(["read", str(written), "--json"]) in (0, 3)
    found = json.loads(capsys.readouterr().out)
    assert found["objective"] == "Design a tokenomics model."
    assert found["budget"]["amount"] == 100_000
    check_objective(read_brief(written))


def test_a_nested_bomb_of_lists_is_refused():
    with pytest.raises(CallerError, match="deep"):
        parse_brief("aim: " + "[" * 60 + "]" * 60, "yaml")


def test_a_demand_that_gives_no_limit_is_listed_as_not_understood():
    text = "Find out whether dim light cuts falls.\n\nIt must not go on longer than the nurses' agreement lasts.\n"
    assert [u.quote for u in study(text).unread] == [
        "It must not go on longer than the nurses' agreement lasts"
    ]


@pytest.mark.parametrize("greeting", ["Hi Tom, ", "Dear Dr. O'Neill, ", "Good morning all! ", ""])
def test_whom_a_letter_addresses_is_no_part_of_its_objective(greeting):
    text = (
        f"{greeting}the museum wants to know whether LED lamps fade silk less than halogen spots."
    )
    found = study(text)
    assert found.objective == text.removeprefix(greeting)
    begin, end = found.spans["objective"]
    assert text[begin:end] == found.objective


LABELLED = """# Drying of oak boards

Does a lower kiln temperature keep oak boards from checking?

## Limits

* kiln time: 12 days at most
* not more than 60 boards

## Timetable

| Step | Date |
|---|---|
| Tenders in | 3 May 2027 |
| Start | 1 June 2027 |
| Boards delivered | 20 August 2027 |
| Report | 30 November 2027 |
"""


def test_a_limit_behind_a_label_is_no_limit_of_the_whole_work():
    brief = parse_brief(LABELLED, "md")
    assert (brief.start, brief.deadline) == ("2027-06-01", "2027-11-30")
    assert "kiln time: 12 days at most" in brief.hard_constraints
    assert "not more than 60 boards" in brief.hard_constraints
    dates = [c for c in brief.hard_constraints if "2027" in c]
    assert all(c.split(": ")[0] in ("Tenders in", "Boards delivered") for c in dates)
    ends = {e.text for e in last_days(build_ledger(brief))}
    assert "3 May 2027" not in ends and "20 August 2027" not in ends


def test_yaml_s_mark_is_no_word_of_an_objective_and_the_start_no_constraint():
    text = (
        "objective: >-\n  Test whether a winter rye cover\n  reduces weeds.\n"
        "deadline: 2027-09-30\nstart: 2027-02-01\n"
    )
    found = study(text, "yaml")
    assert found.objective == "Test whether a winter rye cover reduces weeds."
    assert (found.start, found.deadline.date) == ("2027-02-01", "2027-09-30")
    assert "2027-02-01" not in " ".join(parse_brief(text, "yaml").hard_constraints)


def test_half_a_character_that_an_escape_stands_for_is_refused():
    with pytest.raises(CallerError, match="half a character"):
        parse_brief(r'{"objective": "Test \ud800 mulch."}', "json")


def test_a_document_is_read_alike_whatever_was_read_between():
    """A full cache drops the first text's amounts while what was made of them is still held."""
    text = "Objective: estimate the share of 1,200 farms that test soil.\nBudget: 20,000 EUR, not above 25,000 EUR.\n"
    first = study(text)
    for of in (amounts, segments):
        for n in range(of.cache_parameters()["maxsize"]):
            of(f"Another text with {n + 2} samples.")
        assert study(text) == first


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Test a glue on " + "7" * 200_000, "has a number of 200,000 digits"),
        ("Test a glue. " + "1 x " * 40_000, "has 40,000 numbers"),
    ],
)
def test_a_text_full_of_digits_is_refused_in_a_sentence(text, said):
    with pytest.raises(CallerError, match=said):
        study(text)
