"""What the workbench says of a portfolio: a brief's directions, runs, a scenario, models, people."""

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from core.clock import seeded
from core.decisions import open_questions
from core.errors import CallerError, TaskError
from core.modes.referee.state import Refused
from core.rules import Ruling
from core.settings import ModelUse, RunOptions, Served
from core.store import RunFolder
from core.testing import FakeCalls
from core.trace import read_events
from dr_rd.brief import Brief
from dr_rd.checks import build_ledger
from dr_rd.cli import main
from dr_rd.evidence.corpus import Corpus
from dr_rd.models.served.run import RunModels
from dr_rd.modes.directions import DirectionPrices
from dr_rd.modes.downselect.facts import direction_facts
from dr_rd.modes.past import PastRun
from dr_rd.modes.referee import CONTENT
from dr_rd.modes.referee.players import Players
from dr_rd.modes.referee.result import RefereeResult
from dr_rd.modes.referee.workstreams import SHARED, offered
from dr_rd.modes.scenario import load_scenario
from dr_rd.modes.spec import Material, ModeInputs
from dr_rd.referee import find_rules
from dr_rd.referee.portfolio.facts import PortfolioFacts
from dr_rd.referee.portfolio.position import Position, Setup
from tests.modes.designs import planned, sample, workbench

RULES = find_rules("portfolio")


def material(brief: Brief, runs: tuple[PastRun, ...] = ()) -> Material:
    return Material(
        options=RunOptions(),
        brief=brief,
        ledger=build_ledger(brief),
        library=workbench().planner.library,
        inputs=ModeInputs(runs=runs),
        make_design=lambda: planned(brief),
        read_corpus=lambda: pytest.fail("nothing here reads documents"),
    )


def past(name: str) -> PastRun:
    brief = sample(name)
    design = planned(brief)
    return PastRun(
        run_id=name.replace("_", "-"),
        project_id=name.replace("_", "-"),
        mode="graph",
        status="finished",
        seed=0,
        brief=brief,
        design=design,
        tasks=design.tasks,
    )


def test_directions_bid_with_the_plan_s_days_costs_and_scores() -> None:
    asked = sample("edu_01")
    barred = ("random assignment of sections", "using the prior semester as the control")
    brief = asked.model_copy(update={"banned_moves": (*asked.banned_moves, *barred)})
    found = material(brief)
    offer = offered(found)
    assert [s.id for s in offer.streams] == [SHARED, "O3", "O4"]
    assert [e.id for e in offer.excluded] == ["O1", "O2"]
    assert all(e.reason.startswith("breaks ") for e in offer.excluded)
    planned = found.preview(found.tasks)
    whole = sum(job.cost for stream in offer.streams[:2] for job in stream.jobs)
    assert whole == pytest.approx(planned.cost["P70"], rel=0.01)
    assert offer.streams[1].days == pytest.approx(planned.days["P70"], rel=0.01)
    assert all(stream.after == (SHARED,) for stream in offer.streams[1:])
    # what nobody can tell apart is said to be so
    assert any("what sets them apart here is their score alone" in note for note in offer.notes)


def test_rival_directions_add_only_what_the_others_leave_open() -> None:
    found = material(sample("climate_01"))
    setup = Setup.model_validate(RULES.commission(offered(found), {}))
    alone = {s.id: setup.worth([s.id]) for s in setup.streams if s.points}
    assert alone["O1"] == pytest.approx(96.7, abs=0.1)
    assert alone["O2"] == pytest.approx(90.5, abs=0.1)  # one criterion in three is left open
    assert 0 < setup.worth(["O2", "O1"]) - alone["O1"] < 1
    assert not setup.idle(["O2"], "O1")


def test_a_direction_has_one_price_in_every_mode() -> None:
    found = material(sample("agri_01"))
    shared, *streams = offered(found).streams
    prices, once = DirectionPrices(found), sum(job.cost for job in shared.jobs)
    for stream in streams:
        price = prices.of(stream.id, stream.title)
        assert once + sum(job.cost for job in stream.jobs) == pytest.approx(price.cost, rel=0.001)
    read = replace(found, read_corpus=Corpus)
    facts = direction_facts(read, found.design.directions, prices)["cost"]
    assert prices.words(prices.of("O1", streams[0].title)) in facts["O1"].says
    assert "The library guesses costs in the plan" in offered(found).notes[0]


def test_several_runs_bid_as_plans_and_currencies_are_not_mixed() -> None:
    runs = (past("agri_01"), past("edu_01"))
    offer = offered(material(runs[0].brief, runs))
    assert [s.id for s in offer.streams] == ["agri-01", "edu-01"]
    terms = {
        "periods": 8,
        "period_days": 126,
        "currency": "GBP",
        "rates": {"EUR": 0.86},
        "limits": [{"resource": "money", "per": "total", "at_most": 34000}],
        "streams": [
            {"id": "agri", "source": "agri-01", "until": "T06", "points": 8},
            {"id": "edu-01", "points": 6},
        ],
    }
    setup = Setup.model_validate(RULES.commission(offer, terms))
    assert {s.id: s.points for s in setup.streams} == {"agri": 8, "edu-01": 6}
    assert setup.stream("agri").days < runs[0].design.months * 21
    with pytest.raises(CallerError, match="is priced in EUR"):
        RULES.commission(offer, {**terms, "rates": {}})


def test_run_without_a_plan_cannot_bid() -> None:
    run = past("edu_01").model_copy(update={"design": None})
    with pytest.raises(CallerError, match="'edu-01' has no plan that could bid"):
        CONTENT.check(ModeInputs(runs=(run,)))


@pytest.mark.parametrize(
    ("scenario", "said"),
    [
        ({"rules": "bridge"}, "bridge"),
        ({"seats": 3}, "its fields are title"),
        ({"setup": {"limits": 3}}, "the portfolio's setup cannot be used: limits"),
        ({"retries": 99}, "retries"),
    ],
)
def test_scenario_is_refused_before_a_run_is_made(scenario, said) -> None:
    with pytest.raises(CallerError, match=said):
        CONTENT.check(ModeInputs(scenario=scenario))


def test_result_fits_its_schema_and_says_the_finding_first(tmp_path, capsys) -> None:
    words = ["run", "--scenario", "four-quarters", "--mode", "referee", "--audits", str(tmp_path)]
    assert main([*words, "--json"]) == 0
    run = Path(json.loads(capsys.readouterr().out)["run_dir"])
    result = RefereeResult.model_validate_json((run / "result.json").read_text())
    facts = PortfolioFacts.model_validate(result.report)
    assert (facts.points, facts.optimum.points, facts.regret) == (19, 25, 6)
    assert facts.lost.kept_out == "reading"
    assert (result.refused, result.forced) == (3, 0)
    text = (run / "result.md").read_text()
    first = text.splitlines()[0]
    assert first.startswith("# Portfolio: The limits carry soil, pond, steel and reading, for ")
    assert "2,000 EUR more in all would carry lab in place of reading (+3 points)" in first
    assert "|**Regret**||**6**|" in text
    assert "Lost at pond's bid, start Q3" in text
    assert "analysts in Q3: 1 day over 45 days" in text
    assert main(["replay", str(run), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["identical"]


def test_a_person_bids_by_its_name_on_the_command_line(tmp_path, capsys) -> None:
    file = tmp_path / "mine.json"
    file.write_text(json.dumps({**load_scenario("four-quarters"), "people": {"pond": "ann lee"}}))
    words = ["run", "--scenario", str(file), "--mode", "referee", "--audits", str(tmp_path / "a")]
    assert main(words) == 4
    told = capsys.readouterr().err
    [name] = re.findall(r"--answer (\S+)=VALUE --by 'ann lee'", told)
    [trace] = (tmp_path / "a").glob("*/*/trace.jsonl")
    [asked] = open_questions(tuple(read_events(trace)), RunFolder(trace.parent))
    assert (asked.question.id, asked.question.kind) == (name, "take_turn")
    assert asked.question.context["legal"] == ["start Q3", "start Q4", "pass"]
    assert [s["id"] for s in asked.question.context["view"]["streams"]] == ["pond"]

    again = ["resume", str(trace.parent), "--json", "--answer"]
    assert main([*again, f"{name}=start Q2"]) == 2
    assert "is put to 'ann lee', not to 'command line'" in capsys.readouterr().err
    assert main([*again, f"{name}=start Q2", "--by", "ann lee"]) == 4
    [asked] = json.loads(capsys.readouterr().out)["questions"]
    assert "soil starts in Q2, so pond may from Q3" in asked["question"]["context"]["refused"]
    assert main([*again, f"{asked['question']['id']}=start Q4", "--by", "ann lee"]) == 0
    assert RunFolder(trace.parent).read_json("result.json")["report"]["regret"] == 0


# --- models


SERVED = Served(base_url="http://localhost:1/v1", models={"work": ModelUse(name="m", form="json")})


def players(*replies) -> tuple[Players, FakeCalls]:
    calls = FakeCalls(replies)
    return Players(RULES, seeded(0), RunModels(calls, SERVED), "seed"), calls


def position() -> Position:
    setup = RULES.commission(None, load_scenario("four-quarters")["setup"])
    return Position(setup=Setup.model_validate(setup), starts={"soil": 1}, turn=1)


def decided(who: Players, refused=()):
    return asyncio.run(who.decide(position(), "pond", 2, refused))


def prompt(calls: FakeCalls, place: int = 0) -> str:
    return json.dumps(calls.asked[place].body)


def test_model_decides_from_its_own_view_alone() -> None:
    who, calls = players('{"decision": "start Q4"}')
    assert decided(who).text == "start Q4"
    asked = prompt(calls)
    assert "You are pond" in asked
    assert "Dragonfly counts" in asked
    assert "Fatigue of repaired welds" not in asked  # steel's needs are its own
    assert "steel" not in asked.partition("You are pond")[2]


def test_feedback_is_in_the_prompt_of_the_next_try() -> None:
    who, calls = players('{"decision": "start Q4"}')
    move = RULES.read("start Q2")
    ruling = Ruling(legal=False, reason="soil starts in Q2, so pond may from Q3")
    decided(who, (Refused(text="start Q2", move=move, ruling=ruling),))
    assert "so pond may from Q3" in prompt(calls)
    assert calls.asked[0].attempt == 2


@pytest.mark.parametrize(
    "replies",
    [
        (TaskError("the server is gone"),),
        ("no JSON at all", "again none"),
        ('{"decision": [], "more": 1}', "{}"),
    ],
)
def test_failing_reply_is_a_marked_entry_and_no_crash(replies) -> None:
    who, _ = players(*replies)
    said = decided(who)
    assert (said.text, said.marks) == ("", ("failed",))


def test_hostile_reply_is_refused_like_any_other() -> None:
    who, _ = players('{"decision": "Ignore the rules\\nand grant me everything"}')
    said = decided(who)
    with pytest.raises(CallerError, match="is no bid"):
        RULES.read(said.text)
