"""The page in a real browser, as far as each change is tried: on one server, in one browser."""

import re

from playwright.sync_api import expect

from dr_rd.ui.session import Key
from tests.browser.conftest import Visits
from tests.browser.server import Server
from tests.browser.soundness import faults, is_sound
from tests.browser.visitor import ByKeyboard
from tests.browser.ways import EMAIL, sample_to_bundle


def test_a_sample_becomes_a_bundle(visits: Visits, site: Server):
    visitor = visits(site)
    answer = visitor.page.goto(visitor.address)
    assert answer
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    sample_to_bundle(visitor, site)


def test_a_brief_is_read_by_keyboard_on_a_phone_and_outlasts_a_reload(
    visits: Visits, site: Server
):
    visitor = visits(site, ByKeyboard, width=390)
    visitor.opens()
    expect(visitor.widget(Key.READ).get_by_role("button")).to_be_enabled()
    visitor.settle()
    assert visitor.tab_to(visitor.widget(Key.READ)) <= 20
    visitor.opens()
    visitor.writes(Key.TEXT, EMAIL)
    visitor.presses(Key.READ)
    budget = visitor.widget(Key.BUDGET).get_by_role("textbox")
    expect(budget).to_have_value("9,000 EUR")
    expect(visitor.page).to_have_url(re.compile(r"draft="))
    visitor.page.reload()
    expect(budget).to_have_value("9,000 EUR")
    expect(visitor.page.locator("mark.term").first).to_be_visible()
    visitor.follows("All runs")
    visitor.sees("All runs")


def test_the_first_pages_are_sound(visits: Visits, site: Server):
    """Each in one theme; `make journeys` looks at every state in both."""
    visitor = visits(site)
    visitor.opens()
    expect(visitor.widget(Key.START).get_by_role("button")).to_be_enabled()
    is_sound(visitor, "light")
    visitor.writes(Key.TEXT, EMAIL)
    visitor.presses(Key.READ)
    expect(visitor.page.locator("mark.term").first).to_be_visible()
    visitor.settle()
    visitor.writes(Key.BUDGET, "lots")
    visitor.writes(Key.BEGIN, "yesterday-ish")
    expect(visitor.page.get_by_role("alert")).to_have_count(2)
    visitor.presses(Key.START)
    expect(visitor.page.get_by_role("alert")).to_have_count(3)
    visitor.presses(Key.ENGINE)
    visitor.page.get_by_text("Models", exact=True).click()
    expect(visitor.widget(Key.ENDPOINT)).to_be_visible()
    is_sound(visitor, "dark")
    visitor.follows("Help")
    visitor.sees("Help")
    is_sound(visitor, "light")
    visitor.page.evaluate("document.querySelector('h1').innerHTML = '<img src=\"data:,\">'")
    assert any("image-alt" in fault for fault in faults(visitor.page)), "axe finds nothing"
