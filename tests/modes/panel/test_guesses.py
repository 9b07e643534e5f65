"""What the library guesses of days, and of pay for them, neither keeps nor breaks a limit at the table."""

from functools import cache

import pytest

from core.graph.state import ThreePoint
from dr_rd.brief import Brief, GivenTask, Person, Resources
from dr_rd.modes.directions import DirectionPrices
from dr_rd.modes.panel.board import Board, Change, Pair
from dr_rd.modes.panel.result import PanelResult
from dr_rd.modes.panel.scenario import Scenario
from dr_rd.modes.panel.voices import Table
from dr_rd.modes.referee.workstreams import offered
from dr_rd.modes.spec import Material
from tests.modes.panel.test_voices import (
    KIT,
    brief_of,
    by_rule,
    held,
    material_of,
    quoted,
    said_by,
)


def paid() -> Brief:
    """A brief whose technician has a rate."""
    people = (Person(role="field technician", rate=200, currency="GBP", per="day"),)
    return brief_of("agri_01").model_copy(update={"resources": Resources(people=people)})


@cache
def all_quoted() -> PanelResult:
    """The table over that brief with a price for every cost: what is open is the pay alone."""
    return held(Table(quoted(paid()), KIT, Scenario()))


def test_pay_for_the_days_that_are_set_is_known_and_for_guessed_ones_a_guess() -> None:
    own = material_of(paid())
    at = Table(own, KIT, Scenario())
    plan = at.plan(Board())
    rates = {a.task_id: a.day_rate for a in own.design.staffing}
    seasons = next(t for t in plan.tasks if t.id == "T07")
    assert seasons.duration_days == ThreePoint(low=756, mode=756, high=756)
    assert at.desk.known(plan) == 756 * rates["T07"] > 0
    guessed = at.desk.guessed_pay(plan)
    assert "T07" not in guessed
    assert set(guessed) == {k for k, rate in rates.items() if rate} - {"T07"}
    assert "30,240 GBP of the costs are priced by somebody" in said_by(held(at), "chair")


def test_where_every_cost_is_quoted_guessed_pay_alone_leaves_the_limit_open() -> None:
    """Held with its risks, the same plan was said to cost 91,010 of 50,000 by days that nobody set."""
    found = all_quoted()
    one = by_rule(found, "pay_for_guessed_days")
    assert one.title.startswith("The days of T05, T06 and T08 set before")
    assert one.effect.money.before == one.effect.money.after
    assert "guessed_not_priced" not in {a.rule for a in found.amendments}
    assert all(a.effect.joint.after is None for a in found.amendments)
    assert found.comes_to is not None
    assert found.comes_to.guessed
    assert "by the prices given alone" in said_by(found, "finance")
    assert "with the plan's own risks" not in said_by(found, "finance")


def test_a_plan_that_pays_people_is_not_asked_whether_its_limit_does() -> None:
    unpaid = quoted(brief_of("agri_01"))
    wide = unpaid.brief.model_copy(update={"resources": Resources(covers="direct")})
    asks = "also pay the people who work the plan"
    for own, asked in ((unpaid, True), (material_of(wide), False), (quoted(paid()), False)):
        at = Table(own, KIT, Scenario())
        assert any(asks in a.text for a in held(at).asks) is asked


@cache
def dated(deadline: str, *tasks: GivenTask) -> Material:
    more = {"deadline": deadline, "tasks": tasks, "tasks_mode": "merge"}
    return material_of(brief_of("cogsci_01").model_copy(update=more))


def test_a_deadline_that_only_guesses_decide_is_asked_about_and_not_called_broken() -> None:
    own = dated("5 months")
    found = held(Table(own, KIT, Scenario()))
    assert own.design.deadline_days == 105
    assert found.comes_to is not None
    assert (found.comes_to.days.before or 0) > 105
    assert "Whether the deadline is kept, no guess says" in said_by(found, "operations")
    assert any("the deadline is kept; until somebody sets them" in a.does for a in found.asks)


@pytest.mark.parametrize("deadline", ["1 month", "4 years"])
def test_a_deadline_is_asked_about_as_long_as_guesses_alone_decide_it(deadline: str) -> None:
    """The brief's own times pass a month by themselves, and no guess keeps four years."""
    said = said_by(held(Table(dated(deadline), KIT, Scenario())), "operations")
    assert ("no guess says" in said) is (deadline == "4 years")


@pytest.mark.parametrize(
    ("new", "against"),
    [
        (ThreePoint(low=40, mode=90, high=160), False),
        (ThreePoint(low=90, mode=90, high=90), True),
    ],
)
def test_operations_objects_to_days_that_somebody_sets_and_not_to_guessed_ones(
    new: ThreePoint, against: bool
) -> None:
    at = Table(dated("5 months"), KIT, Scenario())
    task = next(t for t in at.plan(Board()).tasks if t.phase == "analysis")
    change = Change(
        path=f"tasks.{task.id}.duration_days",
        old=task.duration_days.model_dump(mode="json") if task.duration_days else None,
        new=new.model_dump(mode="json"),
    )
    board = at.settled(
        at.proposed(
            Board(),
            by="domain",
            rule="",
            title="t",
            reason="r",
            changes=(change,),
            rests_on=(task.id,),
        )
    )
    [one] = board.amendments
    assert (one.effect.days.after or 0) > 105
    assert one.effect.least != Pair()
    assert ("operations" in one.oppose) is against


def test_days_that_somebody_set_are_the_plans_own_pace_and_others_a_guess() -> None:
    """Days that are given for each task that handles units grow by what the number does."""
    brief = brief_of("agri_01")
    guessed = held(Table(material_of(brief), KIT, Scenario()))
    grown = [c.path for c in by_rule(guessed, "too_few_after_losses").changes]
    longer = [p.split(".")[1] for p in grown if p.endswith(".duration_days")]
    set_ = ThreePoint(low=20, mode=20, high=20)
    given = tuple(GivenTask(id=k, title="", days=set_) for k in longer)
    own = material_of(brief.model_copy(update={"tasks": given, "tasks_mode": "merge"}))
    pace = said_by(held(Table(own, KIT, Scenario())), "operations")
    assert "the days are at the plan's own pace: T05 from 20 to 25" in pace
    assert "the days are the library's guess" in said_by(guessed, "operations")


def test_no_odds_hold_a_limit_against_pay_for_guessed_days() -> None:
    """All is quoted, and the days that the technician is paid for are the library's."""
    own = quoted(paid())
    seen = own.preview(own.tasks)
    assert seen.limit_cost
    assert "budget" not in seen.chances
    note = next(iter(offered(own).notes))
    assert note.startswith("The library guesses costs")
    prices = DirectionPrices(own)
    chosen = next(d for d in own.design.directions if d.id == own.design.chosen)
    assert "by the library's guess" in prices.words(prices.of(chosen.id, chosen.text))
