"""Ways through the page that several tests go."""

import re
import zipfile

from playwright.sync_api import expect

from dr_rd.ui.session import Key, sample_key
from tests.browser.server import Server
from tests.browser.visitor import Visitor

EMAIL = """Dear colleagues,

the growers' council asks us to test whether mulch raises soil carbon in orchards compared with
bare soil. We can spend at most 9,000 EUR, start on 1 March 2027, and must be done within 18 months.
No ploughing. We want at least 20 paired orchards, and a 95 % confidence interval.

Kind regards, Mina
"""


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


def chooses_runs(visitor: Visitor, *run_ids: str) -> None:
    """Choose runs on the page that compares, and close the list, which hides the page."""
    visitor.sees("Compare runs")
    visitor.settle()
    for run_id in run_ids:
        visitor.selects(Key.COMPARED, run_id)
        visitor.settle()
    visitor.page.keyboard.press("Escape")
