"""Ways through the page in a real browser, each by mouse and by keyboard alone."""

import re
import zipfile

import pytest
from playwright.sync_api import expect

from dr_rd.ui.session import Key, sample_key
from tests.browser.conftest import Visits
from tests.browser.server import Server
from tests.browser.visitor import ByKeyboard, Visitor


def approves(visitor: Visitor) -> None:
    visitor.sees("Approve the plan?")
    visitor.settle()
    visitor.presses(Key.APPROVE)


def sample_to_bundle(visitor: Visitor, site: Server) -> None:
    visitor.opens()
    visitor.presses(sample_key(0))
    objective = visitor.widget(Key.OBJECTIVE).get_by_role("textbox")
    expect(objective).to_have_value(re.compile("carbon"))
    visitor.follows("All runs")
    visitor.sees("All runs")
    visitor.follows("New plan")
    expect(objective).to_have_value(re.compile("carbon"))
    visitor.settle()
    visitor.presses(Key.START)
    visitor.sees("Approve the plan?")
    run_id = visitor.run_id
    visitor.page.reload()
    approves(visitor)
    visitor.sees("Decision")
    with visitor.downloads(Key.GET_PROPOSAL) as (proposal,):
        assert "## Decision" in proposal.read_text("utf-8")
    with visitor.downloads(Key.GET_BUNDLE) as (bundle,), zipfile.ZipFile(bundle) as packed:
        names = {name.rpartition("/")[2] for name in packed.namelist()}
        assert {"SHA256SUMS", "proposal.md", "trace.jsonl"} <= names
    visitor.turns_to("Plan")
    visitor.sees("Calendar")
    assert len(list(site.audits.glob(f"*/{run_id}/proposal.md"))) == 1


def test_a_sample_becomes_a_bundle(visits: Visits, site: Server):
    visitor = visits(site)
    answer = visitor.page.goto(visitor.address)
    assert answer
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    sample_to_bundle(visitor, site)


@pytest.mark.journey
def test_a_sample_becomes_a_bundle_by_keyboard(visits: Visits, site: Server):
    sample_to_bundle(visits(site, ByKeyboard), site)


EMAIL = """Dear colleagues,

the growers' council asks us to test whether mulch raises soil carbon in orchards compared with
bare soil. We can spend at most 9,000 EUR, start on 1 March 2027, and must be done within 18 months.
No ploughing. We want at least 20 paired orchards, and a 95 % confidence interval.

Kind regards, Mina
"""


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
    added = visitor.page.locator(f"[class*=st-key-{Key.ROW}-limits-]").filter(
        has=visitor.page.locator("textarea:placeholder-shown, textarea")
    )
    expect(added.last).to_be_visible()
    visitor.settle()
    visitor.presses(Key.START)
    visitor.sees("Approve the plan?")
    expect(visitor.page.get_by_text("40,000").first).to_be_visible()
