"""What axe finds on the pages of runs: nothing but what `upstream.yaml` names, in either theme."""

from collections.abc import Callable, Mapping

import pytest
from playwright.sync_api import expect

from dr_rd.ui.session import Key
from tests.browser.conftest import CARDS, FINISHED, HIDDEN, OF_MODE, SEAT, WAITING, Visits
from tests.browser.server import Server
from tests.browser.soundness import is_sound
from tests.browser.visitor import Visitor
from tests.browser.ways import EMAIL, chooses_runs


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
    chooses_runs(visitor, FINISHED, OF_MODE["panel"])
    visitor.sees("Figures")
    visitor.settle()


def reads(visitor: Visitor) -> None:
    visitor.opens()
    expect(visitor.widget(Key.READ).get_by_role("button")).to_be_enabled()
    visitor.settle()
    visitor.writes(Key.TEXT, EMAIL)
    visitor.presses(Key.READ)
    expect(visitor.page.locator("mark.term").first).to_be_visible()
    visitor.settle()


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
"""States of a server over runs of each kind, by what they are; `test_page` has those without."""


@pytest.mark.journey
@pytest.mark.parametrize("state", STATES)
def test_a_page_of_runs_is_sound(state: str, visits: Visits, worked: Server):
    visitor = visits(worked)
    STATES[state](visitor)
    is_sound(visitor, "light", "dark")
