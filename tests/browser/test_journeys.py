"""Ways through the page in a real browser, each by mouse and by keyboard alone."""

import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import expect

from core.modes import modes
from dr_rd.modes.scenario import load_scenario
from dr_rd.ui.session import Key, sample_key
from tests import scripted
from tests.browser.conftest import CARDS, FINISHED, OF_MODE, Visits
from tests.browser.server import Server
from tests.browser.visitor import ByKeyboard, Visitor
from tests.browser.ways import EMAIL, approves, chooses_runs, sample_to_bundle
from tests.fake_llm import FakeLLMThread


@pytest.mark.journey
def test_a_sample_becomes_a_bundle_by_keyboard(visits: Visits, site: Server):
    sample_to_bundle(visits(site, ByKeyboard), site)


@pytest.mark.journey
def test_an_email_is_read_corrected_and_planned(visits: Visits, site: Server, kind: type[Visitor]):
    visitor = visits(site, kind)
    visitor.opens()
    visitor.writes(Key.TEXT, EMAIL)
    visitor.presses(Key.READ)
    budget = visitor.widget(Key.BUDGET).get_by_role("textbox")
    expect(budget).to_have_value("9,000 EUR")
    visitor.settle()
    visitor.writes(Key.BUDGET, "lots")
    expect(visitor.page.get_by_role("alert").filter(has_text="has no figure")).to_be_visible()
    visitor.writes(Key.BUDGET, "40,000 EUR")
    expect(visitor.page.get_by_role("alert").filter(has_text="has no figure")).to_have_count(0)
    visitor.presses(f"{Key.ADD}-limits")
    added = visitor.page.get_by_label("Limit 3", exact=True)
    visitor.reaches(added)
    visitor.page.keyboard.insert_text("every orchard is certified organic")
    visitor.page.keyboard.press("Tab")
    visitor.settle()
    visitor.presses(Key.START)
    visitor.sees("Approve the plan?")
    expect(visitor.page.get_by_text("40,000").first).to_be_visible()


PRICED = """objective: Test whether mulch raises soil carbon in orchards.
budget: 10,000 EUR
tasks:
  - id: T01
    title: Choose the orchards
    days: [5, 8, 10]
    cost: [1000, 2000, 3000]
  - id: T02
    title: Sample the soil
    depends_on: [T01]
    days: [20, 25, 30]
    cost: [20000, 20000, 20000]
"""

_FIRST_COST, _COSTS = 8, 3
"""Where the costs stand in the plan's table, whose first column marks lines."""


@pytest.mark.journey
def test_a_plan_is_edited_until_the_budget_holds(
    visits: Visits, site: Server, kind: type[Visitor]
):
    visitor = visits(site, kind)
    visitor.opens()
    visitor.writes(Key.TEXT, PRICED)
    visitor.presses(Key.READ)
    visitor.page.get_by_text("prescribes the plan").wait_for()
    visitor.settle()
    visitor.presses(Key.START)
    visitor.sees("Approve the plan?")
    too_dear = visitor.page.get_by_text("too many")
    expect(too_dear).to_be_visible()
    visitor.settle()
    for column in range(_FIRST_COST, _FIRST_COST + _COSTS):
        visitor.enters(f"{Key.PLAN}-{visitor.run_id}", 2, column, "5000")
    expect(too_dear).to_have_count(0)
    visitor.settle()
    visitor.page.reload()
    visitor.sees("Approve the plan?")
    expect(too_dear).to_have_count(0)
    approves(visitor)
    visitor.sees("Decision")


def starts_sample(visitor: Visitor, mode: str = "") -> str:
    """Start the sample, in a mode by its name on the page, and return the run's id."""
    visitor.opens()
    visitor.presses(sample_key(0))
    expect(visitor.widget(Key.OBJECTIVE).get_by_role("textbox")).to_have_value(
        re.compile("carbon")
    )
    visitor.settle()
    if mode:
        visitor.picks(visitor.widget(Key.MODE), mode)
        visitor.settle()
    visitor.presses(Key.START)
    return visitor.run_id


@pytest.mark.journey
def test_a_plan_is_sent_back_with_a_note(visits: Visits, site: Server, kind: type[Visitor]):
    visitor = visits(site, kind)
    starts_sample(visitor)
    visitor.sees("Approve the plan?")
    visitor.settle()
    limits = visitor.page.get_by_text(re.compile(r"^0 of \d+$"))
    before = int(limits.inner_text().rpartition(" ")[2])
    visitor.activates(visitor.page.locator("summary", has_text="Send it back, or stop"))
    visitor.writes(Key.SEND_BACK_NOTE, "no visits on Fridays")
    expect(visitor.widget(Key.SEND_BACK).get_by_role("button")).to_be_enabled()
    visitor.presses(Key.SEND_BACK)
    expect(limits).to_have_text(f"0 of {before + 1}")
    approves(visitor)
    visitor.sees("Decision")


def answers_all(visitor: Visitor, reply: Callable[[str], str]) -> int:
    """Answer what is asked until the run has ended; return how often it asked."""
    page, count = visitor.page, 0
    field = page.locator("[class*=st-key-question-field-]").first
    ended = page.get_by_role("tab", name="Result")
    while True:
        expect(field.or_(ended).first).to_be_visible()
        if ended.is_visible():
            return count
        asked = re.search(r"st-key-(question-field-\S+)", field.get_attribute("class") or "")
        assert asked
        own, said = page.locator(f".st-key-{asked[1]}"), reply(asked[1])
        if own.get_by_role("radiogroup").count():
            visitor.picks(own, said)
        else:
            visitor.writes(asked[1], said)
        visitor.activates(page.get_by_role("button", name="Answer", exact=True).first)
        expect(own).to_have_count(0)
        count += 1


@pytest.mark.journey
def test_a_person_takes_a_seat(visits: Visits, site: Server, kind: type[Visitor]):
    visitor = visits(site, kind)
    starts_sample(visitor, modes()["panel"].label)

    def reply(asked: str) -> str:
        if "seat-" in asked:
            return "ethics" if asked.endswith("seat-1") else "nobody"
        return "accept" if "take-" in asked else "Ask the parents first."

    assert answers_all(visitor, reply) >= 2
    expect(visitor.page.get_by_text("Ask the parents first.").first).to_be_visible()


@pytest.mark.journey
def test_a_person_hides_among_the_voices(
    visits: Visits, site: Server, kind: type[Visitor], tmp_path: Path
):
    quick = {"discussion_s": 1, "voting_s": 1, "cooldown_s": 0, "silence_s": 0.5}
    given = tmp_path / "hidden.yaml"
    given.write_text(yaml.safe_dump({**load_scenario("hidden-human"), **quick}), "utf-8")
    visitor = visits(site, kind)
    visitor.opens()
    visitor.picks(visitor.widget(Key.MODE), modes()["downselect"].label)
    file = visitor.widget(Key.SCENARIO_FILE).locator("input[type=file]")
    file.set_input_files(str(given))
    expect(visitor.widget(Key.SCENARIO_FILE).get_by_text("hidden.yaml")).to_be_visible()
    visitor.settle()
    visitor.presses(Key.START)
    assert visitor.run_id
    reply = lambda asked: "abstain" if "vote-" in asked else "Snow is the best wall."  # noqa: E731
    assert answers_all(visitor, reply) >= 2
    expect(visitor.page.get_by_text("a person").first).to_be_visible()


@pytest.mark.journey
def test_a_game_of_cards_is_watched(visits: Visits, worked: Server, kind: type[Visitor]):
    visitor = visits(worked, kind)
    visitor.opens(f"run?run={CARDS}")
    visitor.sees(re.compile("last card"))
    visitor.settle()
    viewer = f"viewer-{CARDS}"
    expect(visitor.widget(viewer).locator("input")).to_have_value("what is public")
    step = visitor.widget(f"step-{CARDS}").get_by_role("slider")
    if kind is Visitor:
        step.focus()  # the field itself is beneath what is drawn of it
    else:
        visitor.reaches(step)
    visitor.page.keyboard.press("Home")
    expect(visitor.page.get_by_text("To move:")).to_be_visible()
    visitor.settle()
    visitor.selects(viewer, "player_1")
    visitor.settle()
    expect(visitor.widget(viewer).locator("input")).to_have_value("player_1")
    expect(visitor.page.get_by_text("To move:")).to_be_visible()


@pytest.mark.journey
def test_two_runs_are_compared(visits: Visits, worked: Server, kind: type[Visitor]):
    visitor = visits(worked, kind)
    visitor.opens()
    visitor.follows("Compare")
    chooses_runs(visitor, FINISHED, OF_MODE["panel"])
    visitor.sees("Figures")
    visitor.sees("What each mode found that the others did not")


def names_models(visitor: Visitor, url: str) -> None:
    visitor.presses(Key.ENGINE)
    door = visitor.page.locator("summary", has_text=re.compile("Models$"))
    visitor.activates(door)
    visitor.writes(Key.ENDPOINT, url)
    visitor.settle()
    visitor.writes(Key.MODEL, "scripted")
    visitor.settle()


@pytest.mark.journey
def test_models_are_named_tested_and_seen_writing(
    visits: Visits, site: Server, kind: type[Visitor]
):
    with FakeLLMThread(reply=scripted.GOOD, token_gap_ms=40, token_chars=12) as fake:
        visitor = visits(site, kind)
        visitor.opens()
        visitor.presses(sample_key(0))
        visitor.settle()
        names_models(visitor, fake.base_url)
        visitor.presses(Key.TEST_MODELS)
        expect(visitor.page.get_by_text("✓ answers").first).to_be_visible()
        visitor.settle()
        visitor.presses(Key.START)
        approves(visitor)
        expect(visitor.page.locator("[class*=st-key-live-]").first).to_be_visible()
        visitor.sees("Decision")


@pytest.mark.journey
def test_a_killed_server_loses_nothing(visits: Visits, own_site: Server, kind: type[Visitor]):
    with FakeLLMThread(reply=scripted.GOOD, token_gap_ms=60, token_chars=12) as fake:
        first = visits(own_site, kind)
        first.opens()
        first.presses(sample_key(0))
        first.settle()
        names_models(first, fake.base_url)
        first.presses(Key.START)
        first.sees("Approve the plan?")
        second = visits(own_site, kind)
        second.opens(f"run?run={first.run_id}")
        second.sees("Approve the plan?")
        approves(first)
        writing = "[class*=st-key-live-]"
        expect(first.page.locator(writing).first).to_be_visible()
        expect(second.page.locator(writing).first).to_be_visible()
        first.page.reload()
        expect(first.page.locator(writing).first).to_be_visible()
        own_site.end(signal.SIGKILL)
        gone = first.page.get_by_role("dialog").first
        expect(gone).to_be_visible()
        assert "Start it again" in gone.evaluate("e => getComputedStyle(e, '::before').content")
        expect(gone.get_by_text("Streamlit")).not_to_be_visible()
        own_site.start()
        for visitor in (first, second):
            expect(visitor.page.get_by_text("Interrupted").first).to_be_visible()
        fake.config.update({"token_gap_ms": 0})
        second.presses(Key.RESUME)
        for visitor in (first, second):
            visitor.sees("Decision")


FORMS = yaml.safe_load(Path(__file__).with_name("hostile.yaml").read_text("utf-8"))


@pytest.mark.journey
def test_hostile_text_is_shown_and_fetches_nothing(
    visits: Visits, site: Server, kind: type[Visitor], tmp_path: Path
):
    assert len(FORMS) == 30
    limits = [f"lime is spread by hand {form}" for form in FORMS]
    brief = {"objective": "Compare two doses of lime on clover.", "hard_constraints": limits}
    name = "<img src=x onerror=fetch('outside.example')>.md"
    (tmp_path / name).write_text("\n\n".join(f"Lime and clover: {f}" for f in FORMS), "utf-8")
    pages = "".join(f"<p>Clover and lime, dose {n}: {f}</p>" for n, f in enumerate(FORMS))
    (tmp_path / "page.html").write_text(f"<html><body>{pages}</body></html>", "utf-8")
    visitor = visits(site, kind)
    dialogs: list[str] = []
    visitor.page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    visitor.opens()
    visitor.writes(Key.TEXT, yaml.safe_dump(brief, allow_unicode=True))
    visitor.presses(Key.READ)
    visitor.page.locator("mark.limit").first.wait_for()
    visitor.settle()
    visitor.presses("documents-door")
    files = visitor.widget(Key.DOCS_FILES).locator("input[type=file]")
    files.set_input_files([str(tmp_path / name), str(tmp_path / "page.html")])
    expect(visitor.widget(Key.DOCS_FILES).get_by_text("page.html")).to_be_visible()
    visitor.settle()
    design = visitor.widget(Key.FAMILY)
    if "Which design" in design.inner_text():
        visitor.selects(Key.FAMILY, "none of these")
        visitor.settle()
    visitor.presses(Key.START)
    approves(visitor)
    visitor.sees("Decision")
    for tab in ("Answers", "Limits", "Plan", "Trace", "Settings", "Proposal"):
        visitor.turns_to(tab)
        visitor.settle()
        assert visitor.page.locator("[data-testid=stMain] a[href*='outside.example']").count() == 0
    with visitor.downloads(Key.GET_PAGE) as (page,):
        visitor.page.set_content(page.read_text("utf-8"))
    visitor.opens("runs")
    visitor.sees("All runs")
    assert dialogs == []
