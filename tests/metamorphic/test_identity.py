"""A scorecard is the same to the last bit, wherever it is made."""

import locale
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.metamorphic.plans import Plan, plans

NAMES = ("radon-keller", "rye-sourdough", "sign-corpus")


def _made(seed: str, place: str) -> bytes:
    surroundings = {"PYTHONHASHSEED": seed, "LC_ALL": place, "TZ": "Pacific/Apia"}
    command = [sys.executable, "-m", "tests.metamorphic.cards", *NAMES]
    return subprocess.run(
        command, env=surroundings, cwd=ROOT, check=True, capture_output=True
    ).stdout


@pytest.mark.parametrize(
    ("seed", "place"), [("0", "C"), ("4242", "C.UTF-8"), ("7", "tr_TR.UTF-8")]
)
def test_a_card_is_the_same_in_another_process_and_locale(seed: str, place: str):
    if place.startswith("tr") and not _has(place):
        pytest.skip(f"this machine has no locale {place}")
    here = [plans()[n].card(plans()[n].text).model_dump_json().encode() + b"\n" for n in NAMES]
    assert _made(seed, place) == b"".join(here)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("plan", plans().values(), ids=plans())
@pytest.mark.parametrize("ending", ["\r\n", "\r"], ids=["CRLF", "CR"])
def test_a_card_is_the_same_for_all_line_ends(plan: Plan, ending: str):
    assert plan.fresh(plan.text.replace("\n", ending)) == plan.card(plan.text)


def _has(place: str) -> bool:
    before = locale.setlocale(locale.LC_ALL)
    try:
        locale.setlocale(locale.LC_ALL, place)
    except locale.Error:
        return False
    locale.setlocale(locale.LC_ALL, before)
    return True
