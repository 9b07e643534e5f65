"""Whether a page is sound: what axe finds on it in either theme, and how wide it is."""

from pathlib import Path
from typing import Literal

import yaml
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

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


def is_sound(visitor: Visitor, *themes: Literal["light", "dark"]) -> None:
    """Hold the page as it stands against axe in each theme, and against a phone's width."""
    page, wide = visitor.page, visitor.page.viewport_size
    assert wide
    for theme in themes:
        page.emulate_media(color_scheme=theme)
        visitor.settle()
        found = faults(page)
        assert not found, "\n".join((theme, *found))
    page.set_viewport_size({"width": 390, "height": 844})
    visitor.settle()
    assert not is_too_wide(page), "the page scrolls sideways"
    page.set_viewport_size(wide)
