"""The start page's form as values: what is wrong with it, its brief, and marks in a text."""

from dataclasses import replace

import pytest

from dr_rd.brief import Brief
from dr_rd.reading import Given, understood
from dr_rd.reading.briefs import reader
from dr_rd.ui.form import (
    ClosedRow,
    FigureRow,
    Form,
    LimitRow,
    PersonRow,
    brief_of,
    faults_of,
    form_of,
    from_json,
)
from dr_rd.ui.marks import Mark, marked_html
from dr_rd.ui.source import samples


@pytest.mark.parametrize("name", list(samples()))
def test_the_form_of_a_brief_is_that_brief_again(name):
    found = understood(Given(samples()[name], None, name, "sample"), reader())
    form = form_of(found.brief)
    assert from_json(form.to_json()).to_json() == form.to_json()
    again = brief_of(form, found.brief)
    same = ("objective", "hard_constraints", "success_criteria", "banned_moves", "resources")
    assert [getattr(again, n) for n in same] == [getattr(found.brief, n) for n in same]
    assert (again.budget, again.deadline, again.tasks) == (
        found.brief.budget,
        found.brief.deadline,
        found.brief.tasks,
    )


@pytest.mark.parametrize(
    ("field", "form", "told"),
    [
        ("budget", Form(budget="lots"), "no figure"),
        ("start", Form(start="yesterday-ish"), "write a day"),
        ("deadline", Form(deadline="0 months"), "above zero"),
        ("project", Form(project="../etc"), "cannot be used"),
        ("people.0", Form(people=[PersonRow(rate="450 EUR a day")]), "no role"),
        ("people.0", Form(people=[PersonRow("nurse", rate="much")]), "450 EUR a day"),
        ("closed.0", Form(closed=[ClosedRow("2027-08-01", "2027-07-01")]), "end comes first"),
        ("closed.0", Form(closed=[ClosedRow("summer", "2027-07-01")]), "2027-07-01"),
        ("pace", Form(pace="fast"), "24 a day"),
        ("pace", Form(pace="3 a lifetime"), "24 a day"),
        ("waits", Form(waits="28 days exposure; a while"), "'a while'"),
        ("prices", Form(prices="cheap"), "6.80 EUR strip"),
        ("figures.1", Form(figures=[FigureRow("power", "0.9"), FigureRow("alpha", "5")]), "0.05"),
    ],
)
def test_each_mistake_is_told_at_its_field(field, form, told):
    found = faults_of(form)
    assert list(found.by_field) == [field]
    assert told in found.at(field)


def test_an_empty_row_is_no_mistake_and_says_nothing():
    form = Form("Test lime on pasture.", people=[PersonRow()], limits=[LimitRow()])
    assert not faults_of(form)
    assert brief_of(form).hard_constraints == ()


def test_what_is_no_form_on_disk_is_an_empty_one():
    assert from_json({"limits": 3}) == Form()


def test_marks_that_lie_over_each_other_show_both_labels_and_text_stays_text():
    text = "spend <b>under</b> 5 EUR or nothing"
    html = marked_html(text, [Mark(0, 24, "limit", "1"), Mark(19, 24, "term", "budget")])
    assert '<mark class="limit">spend &lt;b&gt;under&lt;/b&gt; </mark>' in html
    assert '<mark class="term">5 EUR<sup>1, budget</sup></mark> or nothing' in html


def test_what_is_named_of_the_question_and_of_one_unit_reaches_the_brief():
    form = Form(
        "See if the lining is any good.", unit="barges", treatment="epoxy lining", place="Gent",
        pace="10 a week", waits="2 weeks curing; 90 days afloat", prices="12.50 EUR gauge pads",
    )  # fmt: skip
    brief = brief_of(form)
    assert (brief.question.unit, brief.question.place) == ("barges", "Gent")
    assert brief.resources.throughput[0].a_day == 2
    assert [(s.days, str(s.what)) for s in brief.resources.spans] == [
        (14, "curing"),
        (90, "afloat"),
    ]
    assert brief.resources.prices[0].amount == 12.5
    assert form_of(brief).unit == "barges"
    again = brief_of(form_of(brief), brief)
    assert again == brief


def test_a_price_that_the_form_cannot_show_stays_when_another_is_typed():
    room = {"what": "room", "amount": 1500, "currency": "EUR", "per": "month", "times": 6}
    base = Brief(objective="See if the lining is any good.", resources={"prices": [room]})
    brief = brief_of(replace(form_of(base), prices="2 EUR pads"), base)
    assert [str(p.what) for p in brief.resources.prices] == ["pads", "room"]


def test_a_pace_of_other_work_is_not_shown_as_the_units_and_stays():
    casting = {"what": "cast the plates", "count": 160, "a_day": 8}
    base = Brief(objective="See if the lining is any good.", resources={"throughput": [casting]})
    assert form_of(base).pace == ""
    brief = brief_of(replace(form_of(base), pace="3 a day"), base)
    assert [(str(t.what), t.a_day) for t in brief.resources.throughput] == [
        ("unit", 3),
        ("cast the plates", 8),
    ]
    assert form_of(brief).pace == "3 a day"
