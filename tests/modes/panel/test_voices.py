"""The built-in panellists: rules over the plan's facts, amendments with computed effects."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from string import Formatter
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from core.errors import CallerError
from core.graph.state import GraphTask, ThreePoint
from core.messages import Message
from core.modes.panel import PanelState, Speech
from core.settings import RunOptions
from dr_rd.brief import Brief, GivenTask, Resources, Span
from dr_rd.checks import build_ledger
from dr_rd.evidence.corpus import Corpus
from dr_rd.modes.panel.board import Board, Change, Plan, added
from dr_rd.modes.panel.cautions import load_cautions
from dr_rd.modes.panel.figures import chance_left, enough_left
from dr_rd.modes.panel.floor import load_words
from dr_rd.modes.panel.reach import RESIZING
from dr_rd.modes.panel.result import PanelResult, amended_plan
from dr_rd.modes.panel.scenario import Scenario, builtin_seats, called_for, seated
from dr_rd.modes.panel.seats import RULES
from dr_rd.modes.panel.taking import taken_over
from dr_rd.modes.panel.voices import Table
from dr_rd.modes.scenario import load_scenario, read_scenario, shipped_scenarios
from dr_rd.modes.spec import Material, ModeInputs
from dr_rd.study import Statistics
from dr_rd.workbench import Workbench
from tests.modes import designs
from tests.planning.test_frontier import churches


class NoRecord:
    """Stands for the run's tools where only what is said matters."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def call(self, request: Any, **more: Any) -> None:
        self.asked.append(request.name)


@cache
def workbench() -> Workbench:
    """Return the workbench; briefs here name their designs, which nothing has to embed then."""
    found = designs.workbench()
    ranker = replace(found.planner.ranker, embedder=None)
    return replace(found, planner=replace(found.planner, ranker=ranker))


FAMILIES = {
    "agri_01": "field_trial",
    "astro_01": "secondary_analysis",
    "cogsci_01": "human_experiment",
    "eco_01": "monitoring",
    "econ_01": "quasi_experiment",
    "energy_01": "quasi_experiment",
    "nlp_01": "ml_benchmark",
    "legal_01": "quasi_experiment",
    "matsci_01": "lab_experiment",
    "neuro_01": "human_experiment",
    "pubhealth_01": "randomised_trial",
}
"""The design family of each brief, named as its author would, so that no ranking decides it."""


@cache
def brief_of(name: str) -> Brief:
    return designs.sample(name).model_copy(update={"family": FAMILIES[name]})


@cache
def material(name: str) -> Material:
    return material_of(brief_of(name))


def material_of(brief: Brief) -> Material:
    design = workbench().design(brief, ())
    return Material(
        options=RunOptions(mode="panel"),
        brief=brief,
        ledger=build_ledger(brief),
        library=workbench().planner.library,
        inputs=ModeInputs(),
        make_design=lambda: design,
        read_corpus=Corpus,
    )


def quoted(brief: Brief) -> Material:
    """Return the material of the brief with a price for whatever the library guesses of its plan."""
    plan = workbench().design(brief, ())
    tasks = tuple(
        GivenTask(id=t.id, title="", cost=ThreePoint(low=paid, mode=paid, high=paid))
        for t in plan.tasks
        if t.cost and (paid := round(1.1 * t.cost.mode))
    )
    return material_of(brief.model_copy(update={"tasks": tasks, "tasks_mode": "merge"}))


KIT: Any = SimpleNamespace(toolbox=NoRecord(), chance=None)


def a_table(name: str, scenario: Scenario | None = None) -> Table:
    return Table(material(name), KIT, scenario or Scenario())


def held(at: Table) -> PanelResult:
    """Return what a round at a table comes to."""
    _, plain = asyncio.run(at.result(asyncio.run(round_of(at)), {}))
    return PanelResult.model_validate(plain)


async def round_of(at: Table, by_ann: Mapping[str, str] = {}) -> PanelState:
    """Hold a round, in which ann says *by_ann* in the seats that it names."""
    state = at.opening()
    for seat in state.turn_queue:
        if words := by_ann.get(seat):
            said = await at.heard(seat, words, "ann", state)
        else:
            said = await at.speak(seat, state)
        state = after(state, seat, said)
    return state.model_copy(update={"board": await at.settle(state)})


def after(state: PanelState, seat: str, said: Speech) -> PanelState:
    entry = Message(author=seat, text=said.text, round=1, marks=said.marks)
    log = state.ground_truth_log.with_message(entry)
    return state.model_copy(update={"ground_truth_log": log, "board": said.board})


@cache
def panel(name: str) -> PanelResult:
    return held(a_table(name))


def panel_asked(name: str, criterion: str) -> PanelResult:
    """Return the panel on a brief that also asks for *criterion*, of which its plan then speaks."""
    asked = brief_of(name)
    more = asked.model_copy(update={"success_criteria": (*asked.success_criteria, criterion)})
    return held(Table(material_of(more), KIT, Scenario()))


def sample_of(number: str, *more: str) -> Brief:
    """Return a brief that names no effect and asks for a sample of *number*, with *more* limits."""
    brief = brief_of("cogsci_01")
    kept = [c for c in brief.hard_constraints if not c.startswith("sample size")]
    asked = (f"sample size of {number} undergraduate participants", *more, *kept)
    return brief.model_copy(update={"hard_constraints": asked})


def at_start(name: str) -> Plan:
    return Plan(tasks=material(name).tasks, sizing=dict(material(name).design.sizing))


def by_rule(found: PanelResult, rule: str) -> Any:
    return next(a for a in found.amendments if a.rule == rule)


def said_by(found: PanelResult, seat: str) -> str:
    return next(m.text for m in found.log if m.author == seat)


# --- what the rules find


def test_a_minimum_of_measured_units_is_held_after_losses() -> None:
    one = by_rule(panel("agri_01"), "too_few_after_losses")
    assert one.changes[0].model_dump() == {
        "path": "tasks.T03.tool_request.sample_size.given",
        "old": 8.0,
        "new": 10.0,
    }
    assert one.effect.held.before == pytest.approx(chance_left(8, 8, 0.15))
    assert one.effect.held.after == pytest.approx(chance_left(10, 8, 0.15))
    assert (one.effect.detectable.before, one.effect.detectable.after) == (1.3, 1.11)
    assert enough_left(8, 0.15, 0.7) == 10


def test_another_number_goes_along_in_every_task_that_holds_it() -> None:
    """What is computed with it, what is paid for each or each visit, and the days of who handles them."""
    found = panel("agri_01")
    one = by_rule(found, "too_few_after_losses")
    start, after = material("agri_01").tasks, amended_plan(at_start("agri_01"), [one])
    grown = {t.id for t, n in zip(start, after.tasks, strict=True) if t.cost != n.cost}
    longer = {
        t.id for t, n in zip(start, after.tasks, strict=True) if t.duration_days != n.duration_days
    }
    assert (grown, longer) == ({"T05", "T06", "T07", "T08", "T09"}, {"T05", "T06", "T08", "T09"})
    assert all(task_id in one.reason for task_id in grown | longer | {"T03"})
    assert not {"line_not_grown", "days_not_grown"} & {a.rule for a in found.amendments}


@cache
def no_effect_named() -> PanelResult:
    """Twenty is the least that the brief allows, the chosen direction has 25, and no effect is named."""
    brief = brief_of("neuro_01")
    asked = tuple(c for c in brief.success_criteria if "Cohen's d" not in c)
    more = {"success_criteria": asked, "statistics": Statistics()}
    return held(Table(material_of(brief.model_copy(update=more)), KIT, Scenario()))


def test_a_plan_that_takes_the_number_of_its_direction_is_let_stand() -> None:
    """Twenty is the least that the brief allows, and the plan takes the direction's 25 by itself."""
    rules = {a.rule for a in no_effect_named().amendments}
    assert not {"number_of_the_direction", "too_few_after_losses"} & rules


@cache
def twelve_specimens() -> PanelResult:
    """A plan that holds 12 where its effect takes 16, whose material is one lot with spares."""
    brief = brief_of("matsci_01")
    near = [
        c.replace("Minimum 5 specimens", "Minimum 12 specimens") for c in brief.hard_constraints
    ]
    lot = "material for the main campaign and its spares is one lot"
    more = {"hard_constraints": tuple(near), "success_criteria": (*brief.success_criteria, lot)}
    own = material_of(brief.model_copy(update=more))
    fewer = {k: v for k, v in own.design.sizing.items() if k != "frontier"} | {"given": 12.0}
    design = own.design.model_copy(update={"sizing": fewer})
    return held(Table(replace(own, make_design=lambda: design), KIT, Scenario()))


def test_a_plan_sized_for_the_effect_that_its_brief_names_is_let_stand() -> None:
    assert material("matsci_01").design.sizing["given"] == 16  # at each of the five temperatures
    assert not set(RESIZING) & {a.rule for a in panel("matsci_01").amendments}


def test_an_effect_that_the_brief_names_asks_for_the_number_that_shows_it() -> None:
    one = by_rule(twelve_specimens(), "too_few_for_the_effect")
    assert (one.changes[0].old, one.changes[0].new) == (12.0, 16.0)
    assert "S02" in one.rests_on


def test_two_chances_share_one_error_where_the_analysis_says_so_and_the_number_follows() -> None:
    """The plan takes the 96 a group that its effect needs at the whole error, whatever the least is."""
    found = panel("neuro_01")
    shared = by_rule(found, "several_chances")
    assert [c.path for c in shared.changes] == ["tasks.T07.tool_request.sample_size.alpha"]
    assert "T10 corrects for it in the analysis" in shared.reason
    more = by_rule(found, "too_few_for_the_effect")
    assert (more.changes[0].old, more.changes[0].new) == (96, 113)
    assert "S02" in more.rests_on
    assert "number_of_the_direction" not in {a.rule for a in found.amendments}


def test_a_number_that_is_more_than_double_is_asked_and_not_proposed() -> None:
    found = held(Table(material_of(sample_of("at least 80")), KIT, Scenario()))
    [asked] = [ask for ask in found.asks if "96 undergraduate participants" in ask.text]
    assert asked.does.startswith("With a source the plan stands at 40")
    assert "too_few_for_the_effect" not in {a.rule for a in found.amendments}


def test_a_number_that_the_limits_cap_is_asked_about_and_not_raised() -> None:
    found = held(Table(material_of(churches()), KIT, Scenario()))
    said = said_by(found, "statistician")
    assert "18 churches per group, the most that the limits allow" in said
    assert "which takes 44" in said
    assert any(ask.text.startswith("Which limit moves") for ask in found.asks)
    assert not set(RESIZING) & {a.rule for a in found.amendments}
    assert "41,400 EUR of the costs are priced by somebody" in said_by(found, "chair")


def test_what_the_plan_says_already_is_not_proposed() -> None:
    """T10 reads a threshold on its interval, and T06 of the other measures in privacy."""
    assert "estimate_over_a_threshold" not in {a.rule for a in panel("neuro_01").amendments}
    assert "measured_in_private" not in {a.rule for a in panel("pubhealth_01").amendments}


def test_groups_that_hold_others_are_asked_about_and_give_no_figure() -> None:
    """A plan that counts schools as single observations, without how many each holds."""
    planned = material("pubhealth_01")
    counted = {"design": "two_means", "alpha": 0.05, "power": 0.8, "attrition": 0.15, "given": 8.0}
    design = planned.design.model_copy(update={"sizing": counted})
    found = held(Table(replace(planned, make_design=lambda: design), KIT, Scenario()))
    assert any(ask.text.startswith("Are whole schools allotted") for ask in found.asks)
    assert all(a.effect.detectable.after is None for a in found.amendments)
    assert "too_few_after_losses" not in {a.rule for a in found.amendments}


def test_what_a_brief_finds_along_a_scale_is_neither_allotted_nor_sized_as_groups() -> None:
    """A field trial planned for a gradient: its lots go, and the line is what is sized."""
    brief = brief_of("eco_01").model_copy(update={"family": "field_trial"})
    own = material_of(brief)
    found = held(Table(own, KIT, Scenario()))
    struck = by_rule(found, "nothing_is_assigned")
    assert "C03" in struck.rests_on
    start = Plan(tasks=own.tasks, sizing=dict(own.design.sizing))
    plan = amended_plan(start, found.standing)
    lines = [s for t in plan.tasks for s in t.steps if "half" in s or "Apply or have applied" in s]
    assert lines == []
    assert (start.sizing["design"], plan.sizing["design"]) == ("correlation", "correlation")
    as_planned = panel("eco_01")  # planned as monitoring, where nothing is allotted
    assert "nothing_is_assigned" not in {a.rule for a in as_planned.amendments}


@pytest.mark.parametrize(
    ("name", "rule", "words"),
    [
        (
            "energy_01",
            "share_against_spread",
            "smallest change in percent that the registered model",
        ),
    ],
)
def test_a_number_is_held_against_what_carries_it(name: str, rule: str, words: str) -> None:
    found = panel(name)
    assert words in str(by_rule(found, rule).changes[0].new)
    assert found.asks == ()  # the brief says how many there are, and which effect matters


@pytest.mark.parametrize("name", ["econ_01", "legal_01", "nlp_01"])
def test_where_a_plan_gives_no_size_no_number_is_held_against_it(name: str) -> None:
    """Cells of a panel, staggered changes and a metric of a whole set have no formula over units."""
    design = material(name).design
    assert design.unsized and design.unsized.asks and not design.sizing
    assert not set(RESIZING) & {a.rule for a in panel(name).amendments}


def test_a_minimum_cannot_also_be_a_holdout() -> None:
    asked = "some of the qualifying observations are set aside by a recorded seed"
    assert "C02" in by_rule(panel_asked("astro_01", asked), "held_out_of_the_minimum").rests_on


def test_a_wait_that_a_limit_sets_is_in_the_days() -> None:
    """The plan holds it where nobody gave times; of times that were given it takes those alone."""
    assert "wait_not_in_the_days" not in {a.rule for a in panel("cogsci_01").amendments}
    times = Resources(spans=(Span(what="ethics approval", days=40),))
    brief = brief_of("cogsci_01").model_copy(update={"resources": times})
    one = by_rule(held(Table(material_of(brief), KIT, Scenario())), "wait_not_in_the_days")
    assert "tasks.T06.duration_days" in [c.path for c in one.changes]
    assert one.effect.days.after > one.effect.days.before + 15


def test_what_cannot_be_computed_says_why() -> None:
    found = panel("astro_01")
    assert {a.effect.why_null for a in found.amendments} == {
        "the plan sizes a precision, not an effect"
    }


def test_a_seat_answers_an_earlier_one_by_name() -> None:
    found = panel("agri_01")
    assert (
        "Statistician, your number takes the costs up by 23 %, what the library guesses of them to "
        "10,000 to 50,000 GBP, and the work from 906 to 931 working days"
    ) in said_by(found, "finance")
    assert "Statistician, the days are the library's guess" in said_by(found, "operations")


def test_material_is_ordered_for_the_number_with_its_spares() -> None:
    found = twelve_specimens()
    assert by_rule(found, "stock_for_the_number").answers == ("statistician",)
    assert said_by(found, "domain").startswith("Statistician, 80 specimens are not 88")


def test_where_no_fact_calls_for_it_a_seat_is_silent_and_the_log_says_why() -> None:
    entry = next(m for m in panel("astro_01").log if m.author == "operations")
    assert entry.marks == ("silent",)
    assert entry.text.startswith("(silent: held the shortest case of each task against the waits")


def test_effects_are_computed_on_top_of_those_before() -> None:
    found = panel("agri_01")
    for earlier, later in zip(found.standing, found.standing[1:], strict=False):
        assert later.effect.money.before == earlier.effect.money.after
        assert later.effect.days.before == earlier.effect.days.after
    come = found.comes_to
    assert come is not None
    assert come.money.after == found.standing[-1].effect.money.after


def test_the_number_proposed_is_lowered_to_what_the_limit_pays_with_its_risks() -> None:
    brief = material("agri_01").brief
    dear = [c.replace("50000", "42000") for c in brief.hard_constraints]
    poor = brief.model_copy(update={"hard_constraints": tuple(dear)})
    found = held(Table(quoted(poor), KIT, Scenario()))
    raised, lowered = (by_rule(found, r) for r in ("too_few_after_losses", "too_dear"))
    assert (raised.status, raised.replaced_by) == ("replaced", lowered.id)
    assert lowered.changes[0].new < raised.changes[0].new
    assert raised in found.amendments  # both values stay, each with its author


def test_a_budget_that_is_priced_is_held_with_its_risks_and_a_guess_is_not() -> None:
    priced, guessed = held(Table(quoted(brief_of("agri_01")), KIT, Scenario())), panel("agri_01")
    reserve = by_rule(priced, "reserve_outside")
    assert reserve.rests_on[-1] == "M1"
    assert by_rule(priced, "too_few_after_losses").effect.joint.after > 40_000
    assert "your number takes P70 from" in said_by(priced, "finance")
    assert "guessed_not_priced" not in {a.rule for a in priced.amendments}
    asked = by_rule(guessed, "guessed_not_priced")
    assert asked.title == "Quotes for T09, T05 and T07 before the limit is called kept"
    assert all(a.effect.joint.after is None for a in guessed.amendments)
    assert "reserve_outside" not in {a.rule for a in guessed.amendments}
    assert "nothing of the costs is priced by anybody" in said_by(guessed, "chair")


@pytest.mark.parametrize("name", ["agri_01", "neuro_01", "eco_01"])
def test_no_seat_repeats_another_and_every_figure_has_a_rule(name: str) -> None:
    found = panel(name)
    sentences = [s for m in found.log for s in re.split(r"(?<=[.;]) ", m.text) if len(s) > 40]
    assert len(sentences) == len(set(sentences))
    rules = [a.rule for a in found.amendments]
    assert len(rules) == len(set(rules))
    assert all(a.rests_on and a.changes for a in found.amendments)


def test_every_built_in_check_names_a_fact_of_the_brief_or_the_plan_in_what_it_adds() -> None:
    for seat in RULES:
        for one in load_cautions(seat):
            fields = {name for _, name, _, _ in Formatter().parse(one.add) if name}
            assert fields - {"task"}, one.id


def test_every_rule_has_its_words_and_every_word_its_rule() -> None:
    words = set(load_words())
    named = {
        rule.__name__ for rules in RULES.values() for rule in rules if rule.__name__ != "rule"
    }
    # what rules say where an amendment would not fit the limit, or the study
    assert named | {"no_more_is_paid", "another_study"} == words


# --- amendments on the plan


def plan() -> Plan:
    task = GraphTask(id="T01", role="analyst", title="Do it", steps=("One",))
    return Plan(tasks=(task,))


def test_a_change_names_a_field_and_leaves_the_plan_it_was_made_from() -> None:
    before = plan()
    later = before.changed([added("T01", "steps", "Two")])
    assert later.tasks[0].steps == ("One", "Two")
    assert before.tasks[0].steps == ("One",)


@pytest.mark.parametrize("path", ["tasks.T09.steps", "tasks.T01.title", "gates.G1.must_meet", "x"])
def test_a_path_that_no_plan_has_is_refused(path: str) -> None:
    with pytest.raises(CallerError):
        plan().changed([Change(path=path, new="x")])


def test_the_plan_with_what_is_taken_over_has_exactly_that() -> None:
    found = panel("agri_01")
    waits = by_rule(found, "waits_for_the_size").id
    design = taken_over(material("agri_01"), found.model_dump(mode="json"), ("M1", waits))
    assert design.sizing["given"] == 10
    assert design.scaling.units == 10
    by_id = {t.id: t for t in design.tasks}
    assert "T03" in by_id["T04"].depends_on
    assert [line.partition(",")[0] for line in design.amendments] == ["M1", waits]
    untouched = {t.id: t for t in material("agri_01").tasks}["T12"]
    assert by_id["T12"] == untouched


@pytest.mark.parametrize(
    ("taken", "complaint"),
    [
        (("M77",), "unknown amendment 'M77'"),
        ((), "no amendment is taken over"),
        (("M5",), "rests on 'M1'"),
    ],
)
def test_what_cannot_be_taken_over_is_refused(taken: tuple[str, ...], complaint: str) -> None:
    with pytest.raises(CallerError, match=complaint):
        taken_over(material("agri_01"), panel("agri_01").model_dump(mode="json"), taken)


def test_a_person_decides_one_by_one_and_what_rests_on_a_declined_one_falls() -> None:
    at = a_table("agri_01")
    state = asyncio.run(round_of(at))
    questions = at.offers(state)
    assert [q.id for q in questions][:2] == ["take-m1", "take-m2"]
    answers = {q.id: "decline" if q.id == "take-m1" else "accept" for q in questions}
    _, plain = asyncio.run(at.result(state, answers))
    found = PanelResult.model_validate(plain)
    status = {a.id: a.status for a in found.amendments}
    assert (status["M1"], status["M2"], status["M5"]) == ("declined", "accepted", "declined")
    assert found.comes_to is not None
    assert found.comes_to.detectable.after == 1.3


# --- who sits there


def test_seats_are_chosen_by_what_the_plan_holds() -> None:
    astro = [seat.id for seat in called_for(material("astro_01"))]
    assert astro[0] == "chair"
    assert {"statistician", "finance", "operations", "sceptic"} <= set(astro)


def test_the_order_follows_risk_priority_or_the_scenario() -> None:
    names = [{"id": s.id, "priority": n} for n, s in enumerate(builtin_seats())]
    orders = {
        order: [
            s.id
            for s in seated(
                Scenario.model_validate({"seats": names, "order": order}), material("agri_01")
            )
        ]
        for order in ("given", "priority", "risk")
    }
    assert orders["given"] == [n["id"] for n in names]
    assert orders["priority"] == ["chair", *reversed(orders["given"][1:])]
    assert orders["risk"][:2] == ["chair", "operations"]


def test_a_new_seat_is_one_file(tmp_path: Path) -> None:
    seat = {
        "id": "water",
        "label": "Water authority",
        "cautions": [
            {
                "id": "run_off",
                "brief": "cover crop",
                "unless": "run-off",
                "phase": ["execution"],
                "add": "Keep a grass strip of six metres along each ditch.",
                "say": "{item} puts {words} beside ditches, and no task keeps what runs off.",
                "title": "Keep what runs off",
                "reason": "The brief works open land.",
            }
        ],
    }
    file = tmp_path / "water.yaml"
    file.write_text(yaml.safe_dump({"seats": [{"id": "chair"}, seat]}))
    at = a_table("agri_01", read_scenario(Scenario, load_scenario(file)))
    state = asyncio.run(round_of(at))
    _, plain = asyncio.run(at.result(state, {}))
    found = PanelResult.model_validate(plain)
    assert found.turn_queue == ("chair", "water")
    assert [(a.by, a.title) for a in found.amendments] == [("water", "Keep what runs off")]


CAUTION = {
    "id": "runs_off",
    "unless": "kept",
    "phase": ["collect"],
    "add": "Keep what leaves {where}",
    "say": "{item} leaves",
    "title": "Keep it",
    "reason": "It is needed.",
}


@pytest.mark.parametrize(
    ("scenario", "complaint"),
    [
        ({"seats": [{"id": "human"}]}, "is the name of a step"),
        ({"seats": [{"id": "A"}]}, "seats.0.id"),
        ({"seats": [{"id": "a"}, {"id": "a"}]}, "two seats are called 'a'"),
        ({"seats": [{"id": "a", "rules": "nobody"}]}, "choose from: chair, statistician, domain"),
        ({"person": {"seat": "wizard"}}, "choose from: statistician, domain, finance"),
        ({"person": {"seat": "chair"}}, "nobody can hold 'chair'"),
        ({"seats": [{"id": "a"}], "person": {"seat": "a"}}, "the lead sits there alone"),
        ({"seats": [{"id": "a"}, {"id": "b"}], "person": {"seat": "c"}}, "nobody can hold 'c'"),
        ({"seats": [{"id": "a", "lines": ["{weather}"]}]}, "has a field that is none"),
        ({"seats": [{"id": "a", "lines": ["{topic.length}"]}]}, "has a field that is none"),
        ({"seats": [{"id": "a", "lines": ["{round:>999999999}"]}]}, "has a field that is none"),
        ({"seats": [{"id": "a", "lines": ["{topic!r}"]}]}, "has a field that is none"),
        ({"seats": [{"id": "a", "lines": ["{"]}]}, "has a brace that opens no field"),
        *(
            ({"seats": [{"id": "a", "cautions": [CAUTION | {part: "{weather}"}]}]}, part)
            for part in ("add", "say", "title", "reason")
        ),
        ({"seats": [{"id": "a", "label": "A | B"}]}, "a name is one line"),
        ({"person": {"name": "<b>"}}, "a name is one line"),
        ({"rounds": 0}, "rounds"),
        ({"chairs": 3}, "its fields are"),
    ],
)
def test_a_scenario_that_seats_nobody_is_refused(scenario: Any, complaint: str) -> None:
    with pytest.raises(CallerError, match=re.escape(complaint)):
        read_scenario(Scenario, scenario)


@pytest.mark.parametrize("size", range(5))
def test_the_fantasy_table_runs_as_a_file_with_parties_of_none_to_four(size: int) -> None:
    given = dict(load_scenario("fantasy-table"))
    seats: Any = given["seats"]
    given["seats"] = seats[: size + 1]
    at = a_table("agri_01", read_scenario(Scenario, given))
    chance = SimpleNamespace(choice=lambda lines: lines[0])
    own = Table(at.material, SimpleNamespace(chance=lambda name: chance), at.scenario)  # type: ignore[arg-type]
    state = asyncio.run(round_of(own))
    text, plain = asyncio.run(own.result(state, {}))
    assert len(PanelResult.model_validate(plain).log) == size + 1
    assert text.startswith("# Panel: The toll bridge at Harrow Ford")
    assert "Amendments" not in text


def test_the_fantasy_table_is_shipped() -> None:
    assert "fantasy-table" in shipped_scenarios()


def test_a_persons_words_are_kept_as_said_and_change_no_plan() -> None:
    at = a_table("agri_01")
    state = at.opening()
    spoken = asyncio.run(at.heard("operations", "Rye must be in by 15 September.", "ann", state))
    board = Board.model_validate(spoken.board)
    assert [(c.id, c.seat, c.by, c.text) for c in board.claimed] == [
        ("P1", "operations", "ann", "Rye must be in by 15 September.")
    ]
    assert board.amendments == ()
    assert at.plan(board) == at.plan(Board())


@pytest.mark.parametrize(
    ("seat", "words", "answered", "reply"),
    [
        (
            "statistician",
            "We can have 12 paired sites.",
            "sceptic",
            "Ann, 12 paired sites in all show",
        ),
        (
            "domain",
            "There are 40,000 GBP.",
            "finance",
            "Ann, nothing of the costs is priced by anybody, and the library guesses 10,000 to 50,000",
        ),
        (
            "domain",
            "There are 90,000 GBP.",
            "finance",
            "90,000 GBP pay for the highest of that, which no quote bears out",
        ),
        (
            "domain",
            "T07 must be done in 6 weeks.",
            "operations",
            "Ann, that is 30 working days; longer",
        ),
        (
            "domain",
            "Rye is in by 15 September.",
            "operations",
            "to begin by 15 September the plan starts",
        ),
        ("ethics", "I do not trust them.", "sceptic", "Ann said in the seat of Ethics: “I do not"),
    ],
)
def test_what_a_person_says_is_answered_by_a_later_seat(
    seat: str, words: str, answered: str, reply: str
) -> None:
    at = a_table("agri_01")
    state = asyncio.run(round_of(at, {seat: words}))
    text, plain = asyncio.run(at.result(state, {}))
    [claim] = plain["claimed"]
    assert (claim["by"], claim["text"]) == ("ann", words)
    assert claim["answered_by"] == [answered]
    assert reply in said_by(PanelResult.model_validate(plain), answered)
    assert f"- P1, ann in the seat of {at.seats[seat].label}, kept as an assumption" in text


def test_a_person_may_hold_a_seat_that_the_plan_does_not_call_for() -> None:
    held_by_a_person = Scenario.model_validate({"person": {"seat": "ethics"}})
    own = material("astro_01")
    assert "ethics" in {seat.id for seat in seated(held_by_a_person, own)}
