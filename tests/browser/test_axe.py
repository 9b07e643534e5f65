"""What axe finds on the page: nothing but what `upstream.yaml` names, in either theme."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import yaml
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, expect

from dr_rd.ui.session import Key
from tests.browser.conftest import CARDS, FINISHED, HIDDEN, OF_MODE, SEAT, WAITING, Visits
from tests.browser.server import Server
from tests.browser.test_journeys import EMAIL, chooses_two_runs
from tests.browser.visitor import Visitor

UPSTREAM = yaml.safe_load(Path(__file__).with_name("upstream.yaml").read_text("utf-8"))

_RUN = """async upstream => {
  const found = await axe.run(document, {resultTypes: ['violations']});
  const known = (rule, element) => upstream.some(
    fault => fault.rule === rule && element && element.closest(fault.selector));
  return found.violations.filter(v => v.impact !== 'minor').flatMap(v => v.nodes.map(n => [v, n, document.querySelector(n.target[0])])
    .filter(([v, n, element]) => !known(v.id, element))
    .map(([v, n]) => `${v.impact} ${v.id}: ${n.target.join(' ')} ${n.html.slice(0, 200)}`));
}"""


def faults(page: Page) -> list[str]:
    """Return what axe finds on the page as it stands, without what upstream has to mend.

    What is there for a moment only, faded while it is drawn anew, is no fault.
    """
    page.evaluate(AXE_SCRIPT)
    found: list[str] = page.evaluate(_RUN, UPSTREAM)
    return [fault for fault in page.evaluate(_RUN, UPSTREAM) if fault in found] if found else []


def is_too_wide(page: Page) -> bool:
    """Whether the page scrolls sideways."""
    return page.evaluate(
        "[...document.querySelectorAll('html, [data-testid=stMain]')]"
        ".some(e => e.scrollWidth > e.clientWidth)"
    )


def is_sound(visitor: Visitor) -> None:
    """Hold the page as it stands against axe in both themes, and against a phone's width."""
    page = visitor.page
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        visitor.settle()
        assert [f"{theme}: {fault}" for fault in faults(page)] == []
    page.set_viewport_size({"width": 390, "height": 844})
    visitor.settle()
    assert not is_too_wide(page)


def begins(visitor: Visitor) -> None:
    visitor.opens()
    expect(visitor.widget(Key.START).get_by_role("button")).to_be_enabled()
    visitor.settle()


def reads(visitor: Visitor) -> None:
    begins(visitor)
    visitor.writes(Key.TEXT, EMAIL)
    visitor.presses(Key.READ)
    expect(visitor.page.locator("mark.term").first).to_be_visible()
    visitor.settle()


def errs(visitor: Visitor) -> None:
    reads(visitor)
    visitor.writes(Key.BUDGET, "lots")
    visitor.writes(Key.BEGIN, "yesterday-ish")
    expect(visitor.page.get_by_role("alert")).to_have_count(2)
    visitor.presses(Key.START)
    expect(visitor.page.get_by_role("alert")).to_have_count(3)
    visitor.settle()


def sets_up(visitor: Visitor) -> None:
    begins(visitor)
    visitor.presses(Key.ENGINE)
    visitor.page.get_by_text("Models", exact=True).click()
    expect(visitor.widget(Key.ENDPOINT)).to_be_visible()
    visitor.settle()


def looks_at(path: str, heading: str) -> Callable[[Visitor], None]:
    def looks(visitor: Visitor) -> None:
        visitor.opens(path)
        visitor.sees(heading)
        visitor.settle()

    return looks


def follows_run(run_id: str, seen: str, tab: str = "") -> Callable[[Visitor], None]:
    def follows(visitor: Visitor) -> None:
        visitor.opens(f"run?run={run_id}" + (f"&tab={tab}" if tab else ""))
        expect(visitor.page.get_by_text(seen).first).to_be_visible()
        visitor.settle()

    return follows


def compares(visitor: Visitor) -> None:
    visitor.opens("compare")
    chooses_two_runs(visitor)
    visitor.page.keyboard.press("Escape")
    visitor.sees("Figures")
    visitor.settle()


CHEAP: Mapping[str, Callable[[Visitor], None]] = {
    "start": begins,
    "reading with problems": errs,
    "settings": sets_up,
    "help": looks_at("help", "Help"),
}
"""States that need no run, by what they are."""

STATES: Mapping[str, Callable[[Visitor], None]] = {
    "start with a brief read": reads,
    "plan that waits": follows_run(WAITING, "Approve the plan?"),
    "question that waits": follows_run(HIDDEN, "what do you say"),
    "seat that is offered": follows_run(SEAT, "which seat do you take"),
    "proposal": follows_run(FINISHED, "Contents"),
    "answers": follows_run(FINISHED, "What it states", "Answers"),
    "limits": follows_run(FINISHED, "The proposal against the brief", "Limits"),
    "plan": follows_run(FINISHED, "How the tasks hang together", "Plan"),
    "trace": follows_run(FINISHED, "What happened", "Trace"),
    "panel": follows_run(OF_MODE["panel"], "Amendments"),
    "down-select": follows_run(OF_MODE["downselect"], "How often each is kept"),
    "referee": follows_run(OF_MODE["referee"], "As seen by"),
    "game of cards": follows_run(CARDS, "As seen by"),
    "delivery": follows_run(OF_MODE["delivery"], "Traceability"),
    "history": looks_at("runs", "All runs"),
    "compare": compares,
}
"""States of a server over runs of each kind, by what they are."""


@pytest.mark.parametrize("state", CHEAP)
def test_a_page_without_a_run_is_sound(state: str, visits: Visits, site: Server):
    visitor = visits(site)
    CHEAP[state](visitor)
    is_sound(visitor)


@pytest.mark.journey
@pytest.mark.parametrize("state", STATES)
def test_a_page_of_runs_is_sound(state: str, visits: Visits, worked: Server):
    visitor = visits(worked)
    STATES[state](visitor)
    is_sound(visitor)


def test_axe_finds_what_nobody_named(visits: Visits, site: Server):
    visitor = visits(site)
    CHEAP["help"](visitor)
    visitor.page.evaluate("document.querySelector('h1').innerHTML = '<img src=\"data:,\">'")
    assert any("image-alt" in fault for fault in faults(visitor.page))
