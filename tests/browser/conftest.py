"""Chromium, servers over prepared runs, and visitors of them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from core.settings import Flags, RunOptions
from dr_rd.modes.scenario import load_scenario, scenario_brief
from dr_rd.reading import parse_brief
from dr_rd.ui.source import samples
from dr_rd.workbench import load_workbench
from tests.browser.server import Server
from tests.browser.visitor import CHROMIUM, ByKeyboard, Visitor
from tests.browser.visitor import browser as chromium_of
from tests.ui.conftest import real

Visits = Callable[..., Visitor]

expect.set_options(timeout=90_000)  # shared machines are slow


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what needs a browser where there is none; in CI that fails, see tests/absences.py."""
    here = Path(__file__).parent
    for item in items:
        if CHROMIUM is None and here in item.path.parents:
            item.add_marker(
                pytest.mark.skip(
                    reason="no Chromium on PATH: a browser is a system package and comes with no "
                    "lock file (apt-get install chromium; .ci/run does so)"
                )
            )


@pytest.fixture(scope="module")  # while it is there no other test can run a loop of its own
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = chromium_of(playwright)
        yield started
        started.close()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server without a run at first."""
    with Server(tmp_path_factory.mktemp("site") / "audits") as server:
        yield server
        assert server.asked_outside == []


@pytest.fixture
def own_site(tmp_path: Path) -> Iterator[Server]:
    """A server that a test may kill."""
    with Server(tmp_path / "audits") as server:
        yield server
        assert server.asked_outside == []


@pytest.fixture(params=[Visitor, ByKeyboard], ids=["mouse", "keyboard"])
def kind(request: pytest.FixtureRequest) -> type[Visitor]:
    """Each journey is made by mouse and by keyboard alone."""
    return request.param


@pytest.fixture
def visits(chromium: Browser) -> Iterator[Visits]:
    """Open windows; that they asked this server alone is found when they close."""
    opened: list[Visitor] = []

    def visit(server: Server, kind: type[Visitor] = Visitor, **how: object) -> Visitor:
        opened.append(kind(chromium, server.address, **how))
        return opened[-1]

    yield visit
    for visitor in opened:
        visitor.closes()
    assert [url for visitor in opened for url in visitor.strangers] == []


WAITING, FINISHED = "20260101-000001-waiting", "20260101-000002-finished"
"""Runs of the sample in the mode that plans: one waits for approval, the other went to its end."""
SEAT, HIDDEN, CARDS = "20260101-000003-seat", "20260101-000004-hidden", "20260101-000005-cards"
"""A panel that offers a seat, a game with a hidden person whose turn it is, a game of cards."""
OF_MODE = {
    mode: f"20260101-000006-{mode}" for mode in ("panel", "downselect", "referee", "delivery")
}
"""Runs of the sample in other modes, which went to their end."""


@pytest.fixture(scope="session")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server over a run of each kind."""
    audits = tmp_path_factory.mktemp("worked") / "audits"
    context = real(audits, load_workbench())
    name, text = next(iter(samples().items()))
    sample, asks, alone = parse_brief(text, name=name), Flags(APPROVAL_REQUIRED=True), Flags()

    def work(run_id: str, mode: str, flags: Flags, scenario: str = "") -> None:
        given = load_scenario(scenario) if scenario else None
        brief = scenario_brief(given) if given else sample
        options = RunOptions(mode=mode, flags=flags, project_id="classroom-air")
        context.service.start(options, brief, run_id, given)
        context.service.runs.wait(run_id, 120)

    work(WAITING, "graph", asks)
    work(FINISHED, "graph", alone)
    work(SEAT, "panel", asks)
    work(HIDDEN, "downselect", asks, "hidden-human")
    work(CARDS, "referee", alone, "doudizhu")
    for mode, run_id in OF_MODE.items():
        work(run_id, mode, alone)
    context.close()
    with Server(audits) as server:
        yield server
        assert server.asked_outside == []
