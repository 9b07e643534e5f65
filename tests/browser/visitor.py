"""Somebody at the page, by mouse or by keyboard alone: the same journey can be made by both."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Locator, Playwright, expect

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_ARGUMENTS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
_PATIENCE_MS = 90_000  # shared machines are slow
_MOST_STOPS = 200
"""Presses of Tab after which something counts as out of reach."""

Theme = Literal["light", "dark"]


def browser(playwright: Playwright) -> Browser:
    """Start the system's Chromium."""
    return playwright.chromium.launch(executable_path=CHROMIUM, args=_ARGUMENTS)


class Visitor:
    """A browser's window on a server; anything that it asks of another one is kept."""

    def __init__(
        self, chromium: Browser, address: str, *, theme: Theme = "light", width: int = 1400
    ):
        self.address = address
        self.strangers: list[str] = []
        self.context = chromium.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=theme,
            reduced_motion="reduce",
            accept_downloads=True,
        )
        self.context.set_default_timeout(_PATIENCE_MS)
        self.context.on("request", self._note)
        self.page = self.context.new_page()

    def _note(self, request: object) -> None:
        url = str(getattr(request, "url", ""))
        if not url.startswith((self.address, "data:", f"blob:{self.address}")):
            self.strangers.append(url)

    # what is seen

    def widget(self, key: str) -> Locator:
        """The widget under a key of the page."""
        return self.page.locator(f".st-key-{key}")

    def sees(self, heading: str | re.Pattern[str]) -> None:
        """Wait until there is such a heading."""
        expect(self.page.get_by_role("heading", name=heading).first).to_be_visible()

    def settle(self) -> None:
        """Wait until the server has drawn all that it was asked for."""
        app = self.page.get_by_test_id("stApp")
        expect(app).to_have_attribute("data-test-connection-state", "CONNECTED")
        expect(app).to_have_attribute("data-test-script-state", "notRunning")

    @property
    def run_id(self) -> str:
        """The run in the address."""
        expect(self.page).to_have_url(re.compile(r"[?&]run="))
        found = re.search(r"[?&]run=([^&]+)", self.page.url)
        assert found
        return found[1]

    # what is done

    def opens(self, path: str = "") -> None:
        """Go to an address of the server."""
        self.page.goto(self.address + path)

    def presses(self, key: str) -> None:
        """Press the button, or open the door, under a key."""
        self.activates(self.widget(key).locator("button, summary").first)

    def follows(self, name: str) -> None:
        """Follow a link by its name."""
        self.activates(self.page.get_by_role("link", name=name, exact=True).first)

    def turns_to(self, tab: str) -> None:
        """Open a tab by its name."""
        self.activates(self.page.get_by_role("tab", name=tab, exact=True))

    def writes(self, key: str, words: str) -> None:
        """Put words in place of what a field holds, and leave it."""
        field = self.widget(key).locator("input, textarea").first
        self.reaches(field)
        field.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(words)
        self.page.keyboard.press("Tab")

    def picks(self, group: Locator, label: str) -> None:
        """Choose one of a group of radio buttons by its label."""
        self.option(group, label).click()

    @staticmethod
    def option(group: Locator, label: str) -> Locator:
        """The radio button of a group with a label."""
        return group.get_by_text(label, exact=True).first.locator("xpath=ancestor::label[1]")

    def selects(self, key: str, label: str) -> None:
        """Choose an entry of a list with a box to type in."""
        box = self.widget(key).locator("input")
        self.reaches(box.first)
        self.page.keyboard.insert_text(label)
        self.page.get_by_role("option", name=label).first.wait_for()
        self.page.keyboard.press("Enter")

    def enters(self, key: str, row: int, column: int, words: str) -> None:
        """Put words into a cell of a table that is edited, the first line being 1.

        The arrows lead there from the first cell, for a table is drawn and not made of elements.
        """
        table = self.page.locator(f"[class*='st-key-{key}']").first
        self.reaches_table(table)
        for arrow, steps in (("ArrowUp", 60), ("ArrowLeft", 20)):
            for _ in range(steps):
                self.page.keyboard.press(arrow)
        for arrow, steps in (("ArrowDown", row - 1), ("ArrowRight", column - 1)):
            for _ in range(steps):
                self.page.keyboard.press(arrow)
        self.page.keyboard.press("Enter")
        editor = self.page.locator("#portal input")
        expect(editor).to_be_focused()
        editor.fill(words)
        self.page.keyboard.press("Enter")
        expect(editor).to_have_count(0)
        self.settle()

    def reaches_table(self, table: Locator) -> None:
        """Put the focus on a cell of a table that is edited."""
        table.locator(".dvn-scroller").click(position={"x": 75, "y": 55})

    @contextmanager
    def downloads(self, key: str) -> Iterator[list[Path]]:
        """Press a button that gives a file, whose path is in the list afterwards."""
        found: list[Path] = []
        with self.page.expect_download() as saved:
            self.presses(key)
        found.append(Path(saved.value.path()))
        yield found

    def activates(self, what: Locator) -> None:
        """Press a button, link or tab."""
        what.click()

    def reaches(self, what: Locator) -> None:
        """Put the focus on a field."""
        what.click()

    def closes(self) -> None:
        """Close the window."""
        self.context.close()


class ByKeyboard(Visitor):
    """A visitor who has no mouse; what Tab does not reach, or no key presses, is out of reach."""

    def activates(self, what: Locator) -> None:
        """Go there by Tab and press it; a tab of a row of tabs by the arrows."""
        if what.get_attribute("role") == "tab":
            self.tab_to(what.locator("xpath=ancestor::*[@role='tablist'][1]"))
            self._arrows_to(what, "ArrowRight")
            self.page.keyboard.press("Enter")
            return
        self.tab_to(what)
        self.page.keyboard.press("Enter")

    def reaches(self, what: Locator) -> None:
        """Go there by Tab."""
        self.tab_to(what)

    def reaches_table(self, table: Locator) -> None:
        """Go there by Tab, and to its first cell by an arrow."""
        self.tab_to(table.get_by_test_id("data-grid-canvas"))
        self.page.keyboard.press("ArrowDown")

    def picks(self, group: Locator, label: str) -> None:
        """Go to the group by Tab, and to the button by the arrows."""
        self.tab_to(group)
        self._arrows_to(self.option(group, label).locator("input").first, "ArrowDown")
        self.page.keyboard.press(" ")

    def tab_to(self, what: Locator) -> int:
        """Press Tab until the focus is on or in *what*; return how often."""
        expect(what).to_be_visible()
        for stops in range(_MOST_STOPS):
            if what.evaluate("e => e.contains(document.activeElement)"):
                return stops
            self.page.keyboard.press("Tab")
        raise AssertionError(f"no Tab reaches {what}")

    def _arrows_to(self, what: Locator, arrow: str) -> None:
        for _ in range(_MOST_STOPS):
            if what.evaluate("e => e === document.activeElement"):
                return
            self.page.keyboard.press(arrow)
        raise AssertionError(f"no arrow reaches {what}")
