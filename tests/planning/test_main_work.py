"""The main work: its units, pace, times, window and people by one arithmetic."""

import json
from datetime import date

import pytest

from core.errors import CallerError
from core.graph.state import ThreePoint
from dr_rd.checks import build_ledger
from dr_rd.planning.edited import edited_design
from dr_rd.reading.briefs import parse_brief
from tests.planning.test_staffing import designed

TAPES = {
    "objective": "Estimate what share of the 5,200 oral-history tapes of the archive is no longer playable.",
    "context": "Some 20 percent are thought to be lost. Playing a tape takes 30 minutes on average.",
    "family": "document_review",
    "hard_constraints": [
        "Playing can begin on 3 May 2027 and must be finished by 25 June 2027.",
        "The report is due on 30 September 2027.",
        "Players have 6 hours a day of playing.",
    ],
    "budget": "30,000 EUR",
    "statistics": {
        "design": "one proportion", "base_rate": 0.2, "margin": 0.03, "margin_kind": "precision",
        "confidence": 0.95, "population": 5200,
    },
    "resources": {
        "covers": "all",
        "people": [
            {"role": "tape player", "count": 2, "share": 0.5, "rate": 140, "currency": "EUR"},
            {"role": "archivist", "does": ["ruling on tapes that two play apart"], "days": 3},
        ],
    },
}  # fmt: skip


def plan_of(workbench, brief):
    return designed(workbench, parse_brief(json.dumps(brief)))


def main_task(design, package):
    return next(t for t in design.tasks if t.source.endswith(f"/{package}"))


def test_the_number_is_what_its_people_can_do_between_the_days_that_the_brief_names(workbench):
    design = plan_of(workbench, TAPES)
    # 2 players at half time, 6 hours a day, half an hour a tape: 12 a working day; 40 working days
    assert design.sizing["frontier"]["most_main_days"] == 40
    assert design.scaling.units == 480
    main = next(t for t in design.tasks if any("480 tapes at 12 a day" in s for s in t.steps))
    assert main.duration_days.mode == 40
    done = next(a for a in design.staffing if a.task_id == main.id)
    assert done.person == "tape player"
    assert done.at_pace  # their share is in the pace: it stretches the days no second time
    assert done.effort == 1.0
    assert done.day_rate == 140


def test_a_number_beyond_the_window_says_so_and_how_many_hands_it_takes(workbench):
    rows = plan_of(workbench, TAPES).sizing["frontier"]["options"]
    longest = max(rows, key=lambda row: row["units"])
    assert longest["main_days"] > 40


WARDS = {
    "objective": "Find out whether a discharge call lowers readmission of cardiac patients compared with a leaflet.",
    "family": "randomised_trial",
    "hard_constraints": [
        "All 12 wards get the call in the end.",
        "First count of patients on 1 March 2027.",
    ],
    "plausible_directions": [
        "Train two wards a month, in an order drawn by lot, until all have it."
    ],
    "statistics": {
        "design": "stepped wedge", "base_rate": 0.2, "effect": 0.08,
        "effect_kind": "proportion difference", "icc": 0.02, "cluster_size": 30,
    },
}  # fmt: skip
INSIDE = "Draw lots inside each barn so that half of its pens get the blocks."


def _hens(**more):
    return {
        "objective": "Find out whether pecking blocks lower feather damage in laying hens compared with plain litter.",
        "family": "randomised_trial",
        "hard_constraints": ["There are 10 barns with 30 pens each.", "The report is due on 1 December 2027."],
        "statistics": {"design": "two means", "sd": 1.2, "effect": 0.5, "effect_kind": "mean difference",
                       "icc": 0.1, "cluster_size": 30},
        **more,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("direction", "unit"),
    [
        (INSIDE, "pens"),
        ("Whole barns get blocks or plain litter by lot.", "barns"),
    ],
)
def test_lots_inside_groups_count_what_the_groups_hold(workbench, direction, unit):
    design = plan_of(workbench, _hens(plausible_directions=[direction]))
    assert design.slots["units"] == unit


def test_a_typed_time_is_of_the_main_work_unless_it_names_another_task(workbench):
    spans = [
        {"what": "patients with the discharge call", "days": 84},
        {"what": "approval", "days": 120},
    ]
    design = plan_of(workbench, {**WARDS, "resources": {"spans": spans}})
    held = {t.source.split("/")[1] for t in design.tasks if any("84 days" in s for s in t.steps)}
    assert "conduct" in held
    assert "manual" not in held  # which has the call in its title, from the brief
    (asked,) = [t for t in design.tasks if any("120 days" in s for s in t.steps)]
    assert asked.phase == "approvals"
    assert asked.duration_days.low >= 85


def test_a_typed_pace_replaces_the_one_in_the_text(workbench):
    asked = _hens(context="The vet scores 20 pens a day.", plausible_directions=[INSIDE])
    pace = [{"what": "pens", "count": 300, "a_day": 5}]
    read, typed = (
        plan_of(workbench, b) for b in (asked, {**asked, "resources": {"throughput": pace}})
    )
    assert any("at 20 a day" in s for t in read.tasks for s in t.steps)
    assert any("at 5 a day" in s for t in typed.tasks for s in t.steps)
    assert not any("at 20 a day" in s for t in typed.tasks for s in t.steps)


def test_a_pace_of_another_task_is_none_of_the_main_works(workbench):
    pace = [{"what": "write the manual for patients", "count": 40, "a_day": 2}]
    design = plan_of(workbench, {**WARDS, "resources": {"throughput": pace}})
    (held,) = [t for t in design.tasks if any("40, 2 a working day" in s for s in t.steps)]
    assert held.source.endswith("/manual")
    assert held.duration_days.mode == 20


def test_a_pace_without_a_count_is_for_as_many_as_are_sampled(workbench):
    pace = [{"what": "write the manual", "a_day": 3}]
    design = plan_of(workbench, {**WARDS, "resources": {"throughput": pace}})
    (held,) = [t for t in design.tasks if any("12, 3 a working day" in s for s in t.steps)]
    assert held.duration_days.mode == 4


def test_groups_of_a_stepped_wedge_change_over_while_the_study_runs(workbench):
    spans = [{"what": "counting of patients", "days": 245}]
    design = plan_of(workbench, {**WARDS, "resources": {"spans": spans}})
    held = [t for t in design.tasks if any("245 days" in s for s in t.steps)]
    main = next(t for t in held if t.phase == "execution")
    assert main.duration_days.mode == pytest.approx(175)  # and not 6 months of training on top


@pytest.mark.parametrize(
    ("objective", "method"),
    [
        ("Find out whether pecking blocks lower feather damage in laying hens.", "field-trial"),
        ("Find out whether a shade net keeps more saplings alive than none.", "field-trial"),
        ("Find out whether a visit makes farmers treat sick hens sooner.", "controlled-trial"),
        ("Find out whether a discharge call lowers readmission of patients.", "controlled-trial"),
    ],
)
def test_lots_over_animals_and_plants_need_no_consent(workbench, objective, method):
    asked = {"objective": objective, "family": "randomised_trial"}
    assert plan_of(workbench, asked).method_id == method


def test_a_word_that_the_brief_puts_into_every_title_gives_nobody_a_task(workbench):
    people = [{"role": "barn keeper", "share": 0.2, "does": ["bringing feed to the pens"]}]
    design = plan_of(workbench, _hens(resources={"people": people}))
    assert "barn keeper" not in {a.person for a in design.staffing}


def test_the_main_work_is_dated_and_ends_within_its_window(workbench):
    design = plan_of(workbench, TAPES)
    assert date(2027, 5, 3) in design.not_before.values()
    assert not any("main work lasts until" in r for r in design.remarks)
    assert design.main_dates.last == date(2027, 6, 25)
    assert design.main_dates.kept == ("C01",)


def test_a_person_who_retimes_the_main_work_takes_its_dates_and_window_away(workbench):
    asked = parse_brief(json.dumps(TAPES))
    design = designed(workbench, asked)
    day = ThreePoint(low=20, mode=20, high=20)
    tasks = [
        t.model_copy(update={"duration_days": day}) if t.id in design.not_before else t
        for t in design.tasks
    ]
    edited = edited_design(design, tasks, asked, build_ledger(asked))
    assert edited.main_dates is None
    assert "most_main_days" not in edited.sizing["frontier"]
    assert not any("main_days" in option for option in edited.sizing["frontier"]["options"])


def test_a_part_that_is_over_with_the_main_work_is_no_warning(workbench):
    lines = [
        *TAPES["hard_constraints"],
        "The tapes go back to the vault on 20 August 2027 at the latest.",
    ]
    design = plan_of(workbench, {**TAPES, "hard_constraints": lines})
    assert not any("ends before the work is expected to" in r for r in design.remarks)


def test_prices_that_one_sentence_names_for_each_unit_are_paid_for_as_many_as_get_them(workbench):
    asked = _hens(
        context="For each pen we pay 12 EUR for the pecking blocks, 4 EUR for plain litter and 2.50 EUR for the scoring card.",
        plausible_directions=[INSIDE],
        budget="9,000 EUR",
    )
    design = plan_of(workbench, asked)
    each = 12 / 2 + 4 / 2 + 2.5
    assert design.scaling.known == pytest.approx(each * design.scaling.units, abs=1)
    assert any("for the half of them that get it" in s for t in design.tasks for s in t.steps)


def test_a_price_that_others_pay_is_none_of_the_works(workbench):
    asked = _hens(context="Shops pay 2.10 EUR a pen of eggs in winter.", budget="9,000 EUR")
    assert plan_of(workbench, asked).scaling.known == 0


BARGES = {
    "objective": "See if the new lining is any good on our fleet.",
    "family": "randomised_trial",
    "hard_constraints": ["There are 24 barges.", "The report is due on 1 December 2028."],
    "start": "1 March 2027",
    "question": {
        "unit": "barges", "treatment": "epoxy lining", "comparator": "bitumen lining",
        "outcome": "corrosion depth", "measure": "ultrasonic gauge", "place": "the yard at Gent",
    },
}  # fmt: skip


def test_a_part_of_the_question_that_is_named_goes_before_the_text(workbench):
    design = plan_of(workbench, BARGES)
    named = {
        k: design.slots[k] for k in ("treatment", "comparator", "outcome", "measure", "units")
    }
    assert named == {
        "treatment": "epoxy lining",
        "comparator": "bitumen lining",
        "outcome": "corrosion depth",
        "measure": "ultrasonic gauge",
        "units": "barges",
    }
    assert design.scaling.units == 24
    assert any("epoxy lining against bitumen lining" in t.title for t in design.tasks)


def test_what_one_unit_takes_is_taken_by_as_many_as_there_are(workbench):
    each = {
        "throughput": [{"what": "unit", "a_day": 2}],
        "spans": [{"what": "exposure afloat", "days": 140, "main": True}],
        "prices": [{"what": "pads", "amount": 50, "currency": "EUR", "per": "unit"}],
    }
    design = plan_of(workbench, {**BARGES, "budget": "5,000 EUR", "resources": each})
    main = next(
        t
        for t in design.tasks
        if any("exposure afloat" in s for s in t.steps) and t.phase == "execution"
    )
    assert main.duration_days.mode == pytest.approx(100 + 12)
    assert design.scaling.known == 24 * 50


@pytest.mark.parametrize("part", [{"unit": "x" * 130}, {"units": "barges"}, {"unit": 3}])
def test_a_part_that_is_none_is_refused_in_a_sentence(part):
    with pytest.raises(CallerError, match="question"):
        parse_brief(json.dumps({"objective": "See if it is any good.", "question": part}))


KILN = {
    "objective": "Find out whether a slower cooling lowers the crazing of glazed pots compared with the usual cooling.",
    "family": "field_trial",
    "hard_constraints": [
        "Firing can begin on 3 May 2027 and must be finished by 28 May 2027.",
        "The report is due on 30 November 2027.",
    ],
    "question": {"unit": "pots", "treatment": "slower cooling", "comparator": "usual cooling"},
}  # fmt: skip


def test_days_of_a_thing_that_is_there_one_day_a_week_keep_no_limit(workbench):
    used = {
        "throughput": [{"what": "pots", "a_day": 6}],
        "spans": [{"what": "rest after firing", "days": 2, "main": True}],
        "equipment": [{"what": "slower cooling", "weekdays": [2]}],
    }
    design = plan_of(workbench, {**KILN, "resources": used})
    held = next(a for a in design.staffing if a.task_id in design.not_before)
    assert held.equipment == ("slower cooling",)
    assert design.main_dates is None
    always = {k: v for k, v in used.items() if k != "equipment"}
    alone = plan_of(workbench, {**KILN, "resources": always})
    assert alone.main_dates is not None


@pytest.mark.parametrize(("design", "share"), [("two means", 0.5), ("paired", 1.0)])
def test_what_each_unit_gets_is_paid_for_each(workbench, design, share):
    price = [{"what": "slower cooling", "amount": 10, "currency": "EUR", "per": "unit"}]
    figures = {"design": design, "sd": 1.0, "effect": 0.6, "effect_kind": "mean difference"}
    found = plan_of(
        workbench,
        {**KILN, "budget": "9,000 EUR", "statistics": figures, "resources": {"prices": price}},
    )
    assert found.scaling.known == pytest.approx(10 * share * found.scaling.units, abs=1)
