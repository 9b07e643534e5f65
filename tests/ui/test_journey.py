"""The whole way in a real browser: sample, start, approve, proposal, download."""

import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from dr_rd.ui.session import Key, sample_key

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    audits = str(tmp_path / "audits")
    command = [sys.executable, "-m", "dr_rd", "ui", "--headless", "--port", str(port)]
    with subprocess.Popen(
        [*command, "--audits", audits], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    ) as server:
        assert any("URL" in line for line in server.stdout), "the server ended at once"
        yield f"http://127.0.0.1:{port}/"
        server.terminate()
        server.stdout.read()


@pytest.fixture
def visit(address: str) -> Iterator[Page]:
    """A page that may ask this server alone; anything else fails the test."""
    strangers: list[str] = []
    expect.set_options(timeout=60_000)  # shared machines are slow
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        context = browser.new_context(reduced_motion="reduce", accept_downloads=True)
        context.on("request", lambda r: strangers.append(r.url))
        yield context.new_page()
        browser.close()
    own = (address, "data:", "blob:" + address)
    assert [url for url in strangers if not url.startswith(own)] == []


def test_a_sample_becomes_a_proposal_that_is_downloaded(visit: Page, address: str, tmp_path: Path):
    def widget(key: str):
        return visit.locator(f".st-key-{key}")

    answer = visit.goto(address)
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    widget(sample_key(0)).get_by_role("button").click()
    expect(widget(Key.OBJECTIVE).get_by_role("textbox")).to_have_value(re.compile("carbon"))
    visit.get_by_role("link", name="All runs").click()
    expect(visit.get_by_role("heading", name="All runs")).to_be_visible()
    visit.get_by_role("link", name="New plan").click()
    expect(widget(Key.OBJECTIVE).get_by_role("textbox")).to_have_value(re.compile("carbon"))
    widget(Key.START).get_by_role("button").dblclick()
    expect(visit.get_by_role("heading", name="Approve the plan?")).to_be_visible()
    expect(visit).to_have_url(re.compile(r"/run\?run=\d{8}-"))
    visit.reload()
    expect(visit.get_by_role("heading", name="Approve the plan?")).to_be_visible()
    widget(Key.APPROVE).get_by_role("button").click()
    expect(visit.get_by_role("heading", name="Decision")).to_be_visible()
    with visit.expect_download() as saved:
        widget(Key.GET_PROPOSAL).get_by_role("button").click()
    assert "## Decision" in Path(saved.value.path()).read_text("utf-8")
    visit.get_by_role("tab", name="Plan").click()
    expect(visit.get_by_role("heading", name="Calendar")).to_be_visible()
    assert len(list((tmp_path / "audits").glob("*/2*/proposal.md"))) == 1


def test_a_brief_is_read_by_keyboard_on_a_phone_and_outlasts_a_reload(visit: Page, address: str):
    def widget(key: str):
        return visit.locator(f".st-key-{key}")

    visit.set_viewport_size({"width": 390, "height": 844})
    visit.goto(address)
    text = widget(Key.TEXT).get_by_role("textbox")
    expect(text).to_be_visible()
    expect(widget(Key.ENGINE)).to_be_visible()
    stops = 0
    while not visit.evaluate(f"!!document.activeElement.closest('.st-key-{Key.READ}')"):
        visit.keyboard.press("Tab")
        stops += 1
        assert stops <= 20
    text.fill("Test whether mulch raises soil carbon. At most 9,000 EUR. No ploughing.")
    text.blur()
    widget(Key.READ).get_by_role("button").press("Enter")
    expect(widget(Key.BUDGET).get_by_role("textbox")).to_have_value("9,000 EUR")
    expect(visit).to_have_url(re.compile(r"draft="))
    visit.reload()
    expect(widget(Key.BUDGET).get_by_role("textbox")).to_have_value("9,000 EUR")
    expect(visit.locator("mark.term")).to_contain_text("9,000 EUR")
    wide = "[...document.querySelectorAll('html, [data-testid=stMain]')]"
    assert visit.evaluate(f"{wide}.every(e => e.scrollWidth <= e.clientWidth)")
    visit.get_by_role("link", name="All runs").click()
    expect(visit.get_by_role("heading", name="All runs")).to_be_visible()
