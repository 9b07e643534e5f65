"""What docs/api.md says of the API is what there is."""

import re
from pathlib import Path
from types import SimpleNamespace

from dr_rd.api import api_routes
from dr_rd.api.openapi import describe
from dr_rd.api.problems import MOST_BYTES, TITLES

PAGE = (Path(__file__).parents[1] / "docs/api.md").read_text("utf-8")


def test_every_route_is_on_the_page_and_the_page_names_no_other() -> None:
    told = describe(api_routes(SimpleNamespace))["paths"]
    elsewhere = ("/api/rooms", "/api/game")
    routes = {path for path in told if not path.startswith(elsewhere)}
    named = {path.rstrip("/") for path in re.findall(r"`(?:[A-Z]+ )?(/api/[\w/{}.]+)`", PAGE)}
    assert named == routes


def test_every_status_and_limit_is_on_the_page() -> None:
    assert {int(status) for status in re.findall(r"^\| (\d{3}) \|", PAGE, re.M)} == set(TITLES)
    assert f"{MOST_BYTES:,} bytes" in PAGE
