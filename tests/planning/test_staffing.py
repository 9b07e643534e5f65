"""Who does what, how much work it is, what that costs, and whether the dates hold."""

import json

import pytest

from core.errors import CallerError
from dr_rd.checks import build_ledger
from dr_rd.planning.context import call_context
from dr_rd.reading import parse_brief
from dr_rd.report.preview import preview

TASKS = [
    {"id": key, "title": title, "role": "technician", "days": days}
    for key, title, days in (
        ("films", "Cast the films", 15),
        ("cells", "Assemble the cells", 15),
        ("cycles", "Cycle the cells", 15),
        ("weights", "Weigh the cells", 5),
    )
]
TECHNICIAN = {"role": "technician", "count": 1, "does": ["all laboratory work"]}


def brief(**more):
    asked = {
        "objective": "Find out which binder keeps lithium cells at capacity.",
        "start": "4 January 2027",
        "constraints": ["Finished by 26 February 2027", "Budget at most 30,000 EUR"],
        "tasks": TASKS,
        "resources": {"people": [TECHNICIAN]},
    }
    return parse_brief(json.dumps({**asked, **more}))


def designed(workbench, asked):
    return workbench.design(asked, ())


def shown(workbench, asked):
    design = designed(workbench, asked)
    return preview(
        design.tasks, design=design, library=workbench.planner.library, brief=asked,
        ledger=build_ledger(asked), seed=1,
    )  # fmt: skip


def test_one_technician_takes_fifty_days_and_misses_the_date(workbench):
    asked = brief()
    design = designed(workbench, asked)
    found = shown(workbench, asked)
    assert found.days["P50"] == 50
    assert not design.on_time
    assert design.last_day.isoformat() == "2027-02-26"
    assert {v.id: v.verdict for v in found.ledger}["C01"] == "violated"
    alone = brief(resources={"people": [{**TECHNICIAN, "count": 4}]})
    assert shown(workbench, alone).days["P50"] == 15
    assert designed(workbench, alone).on_time


def test_rates_and_overhead_give_a_total_with_staff(workbench):
    people = [
        {**TECHNICIAN, "rate": 280, "currency": "EUR"},
        {"role": "lead", "rate": 450, "currency": "EUR"},
    ]
    tasks = [*TASKS, {"id": "report", "title": "Write the report", "role": "lead", "days": 10}]
    asked = brief(tasks=tasks, resources={"people": people, "overhead": 0.25})
    total = 1.25 * (50 * 280 + 10 * 450)
    found = shown(workbench, asked)
    assert found.cost["P50"] == pytest.approx(total, abs=1)
    assert f"the plan costs {total:,.0f} EUR" in {v.id: v.reason for v in found.ledger}["C02"]
    assert shown(workbench, brief(tasks=tasks)).cost["P50"] == 0  # no rate, no invented sum


def test_a_rate_in_another_currency_is_kept_apart_unless_somebody_says_what_it_is_worth(workbench):
    people = [{**TECHNICIAN, "rate": 300, "currency": "USD"}]
    assert shown(workbench, brief(resources={"people": people})).cost["P50"] == 0
    known = brief(resources={"people": people, "exchange": {"USD": 0.9}})
    assert shown(workbench, known).cost["P50"] == pytest.approx(50 * 270)


def test_closed_days_move_the_end_and_count_neither_way(workbench):
    closed = [{"first": "2027-02-01", "last": "2027-02-12"}]
    asked = brief(resources={"people": [{**TECHNICIAN, "count": 4}], "closed": closed})
    assert designed(workbench, asked).deadline_days == 30  # of 40 weekdays
    assert shown(workbench, asked).days["P50"] == 15


def test_a_library_task_has_its_effort_and_waiting_is_none(workbench):
    asked = parse_brief(json.dumps({
        "objective": "Does a longer bake keep rye bread softer in the laboratory?",
        "family": "lab_experiment",
        "resources": {"people": [TECHNICIAN]},
    }))  # fmt: skip
    design = designed(workbench, asked)
    by_phase = {t.phase: a for t, a in zip(design.tasks, design.staffing, strict=True)}
    assert by_phase["approvals"].effort < 0.5 < by_phase["execution"].effort
    assert by_phase["execution"].person == "technician"
    assert by_phase["reporting"].role == "Principal investigator"
    context = call_context(
        design, workbench.planner.library, brief=asked, ledger=build_ledger(asked),
        tasks=design.tasks, task=design.tasks[-1], seed=1,
    )  # fmt: skip
    (called,) = workbench.planner.library.tools.by_name["schedule_risk"].arguments(context)
    assert called["resources"] == [{"id": "technician"}]


@pytest.mark.parametrize(
    ("resources", "said"),
    [
        ({"people": [{"role": "nurse", "rate": 300}]}, "the rate of 'nurse' has no currency"),
        ({"persons": []}, "resources.persons: Extra inputs are not permitted; they are people"),
        ({"closed": [{"first": "2027-02-02", "last": "2027-01-01"}]}, "the end comes first"),
    ],
)
def test_a_fault_in_the_resources_is_said_in_a_sentence(resources, said):
    with pytest.raises(CallerError, match=said):
        brief(resources=resources)


def test_a_price_a_month_for_six_months_is_nine_thousand_and_no_limit(workbench):
    price = {
        "what": "room for weighing",
        "amount": 1500,
        "currency": "EUR",
        "per": "month",
        "times": 6,
    }
    asked = brief(resources={"people": [TECHNICIAN], "prices": [price]})
    assert shown(workbench, asked).cost["P50"] == 9000
    assert designed(workbench, asked).scaling.limit == 30_000
    dollars = brief(resources={"prices": [{**price, "currency": "USD"}]})
    assert shown(workbench, dollars).cost["P50"] == 0  # nobody says what a dollar is worth


def test_the_briefs_own_times_are_floors_and_waiting_holds_nobody(workbench):
    asked = parse_brief(json.dumps({
        "objective": "Find out which adhesive holds repaired book spines best after artificial ageing.",
        "family": "lab_experiment",
        "resources": {
            "people": [{"role": "conservator", "share": 0.5}],
            "spans": [{"what": "run of the ageing experiment", "days": 42, "times": 2}],
            "throughput": [{"what": "prepare the specimens and materials", "count": 160, "a_day": 8}],
        },
    }))  # fmt: skip
    design = designed(workbench, asked)
    waits = [t for t in design.tasks if any(s.startswith("run of") for s in t.steps)]
    paced = [t for t in design.tasks if any("160, 8 a working day" in s for s in t.steps)]
    assert len(waits) == len(paced) == 1
    assert waits[0].duration_days.low == pytest.approx(60)
    assert paced[0].duration_days == paced[0].duration_days.model_copy(
        update={"low": 20, "high": 20}
    )
    effort = {a.task_id: a.effort for a in design.staffing}
    assert effort[waits[0].id] < 0.7


@pytest.mark.parametrize(
    "called", ["statistician Ada Nowak", "two field statisticians", "Ada Nowak, statistician"]
)
def test_whoever_is_called_by_a_known_word_does_its_work_with_a_name_beside_it(workbench, called):
    person = {"role": called, "rate": 400, "currency": "EUR", "share": 0.2}
    asked = parse_brief(json.dumps({
        "objective": "Find out which glue holds book spines best.", "family": "lab_experiment",
        "resources": {"people": [person]},
    }))  # fmt: skip
    theirs = [a for a in designed(workbench, asked).staffing if a.person == called]
    assert theirs
    assert all(a.day_rate for a in theirs)
