"""`python -m bench.pictures` makes the README's pictures from the real page, worked on the sample.

They are a series: the brief as it was read, the plan before it is approved, and the result.
"""

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from dr_rd.ui.session import Key, sample_key
from tests.browser.server import Server
from tests.browser.visitor import Visitor, browser

ROOT = Path(__file__).parents[1]
_WIDTH, _HEIGHT = 1280, 860


def reads(visitor: Visitor) -> None:
    """Have the sample read."""
    visitor.opens()
    visitor.presses(sample_key(0))
    expect(visitor.page.locator("mark.term").first).to_be_visible()


def plans(visitor: Visitor) -> None:
    """Have it planned, up to the question whether the plan may be worked."""
    visitor.presses(Key.START)
    visitor.sees("Approve the plan?")
    expect(visitor.page.locator("canvas").first).to_be_visible()


def works(visitor: Visitor) -> None:
    """Approve the plan, and wait for what comes of it."""
    visitor.presses(Key.APPROVE)
    visitor.sees("Decision")


STEPS: Mapping[str, Callable[[Visitor], None]] = {
    "docs/reading.png": reads,
    "docs/plan.png": plans,
    "docs/workbench.png": works,
}
"""What leads to each picture from the one before."""


def main() -> None:
    """Take the pictures."""
    expect.set_options(timeout=120_000)
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(Path(folder) / "audits") as server,
        sync_playwright() as playwright,
    ):
        chromium = browser(playwright)
        visitor = Visitor(chromium, server.address, width=_WIDTH)
        visitor.page.set_viewport_size({"width": _WIDTH, "height": _HEIGHT})
        for path, leads in STEPS.items():
            leads(visitor)
            visitor.settle()
            visitor.page.mouse.move(0, 0)
            visitor.page.get_by_test_id("stMain").evaluate("e => e.scrollTo(0, 0)")
            visitor.page.screenshot(path=ROOT / path, animations="disabled")
            print(f"written to {path}")
        chromium.close()


if __name__ == "__main__":
    main()
