"""Texts that are no plan never pass, and no metric stumbles over them."""

from random import Random

import pytest

from core.scores import Status
from dr_rd.brief import Brief
from dr_rd.checks import build_ledger
from dr_rd.evaluation.subject import Subject
from tests.metamorphic import transforms as to
from tests.metamorphic.plans import Plan, plans, scored

GOOD = plans()["honeybee-winter"]
WORDS = "the colony of bees in a hive on the slope with wind and snow for days".split()
MEGABYTE = 1_000_000


def _babble(size: int) -> str:
    rng, said = Random(3), []  # noqa: S311 - no secret depends on it
    while sum(map(len, said)) < size:
        said.append(" ".join(rng.choices(WORDS, k=12)).capitalize() + ".\n\n")
    return "".join(said)[:size]


DEGENERATE = {
    "empty": "",
    "a space": " ",
    "white space": " \t\r\n\u00a0\u2003\n" * 50,
    "one token": "plan",
    "a colon": ":",
    "one word": "Solution",
    "a full stop": ".",
    "NUL": "\x00",
    "NULs": "\x00" * 10_000,
    "half a character": "The pla\udcffn is sound. " * 40,
    "lone surrogate": "\ud800 plan",
    "headings only": "\n\n".join(to.heading(s) for s in to.sections(GOOD.text)[1]),
    "an open comment": "<!--" + GOOD.text,
    "a table rule": "|---|---|\n" * 200,
    "digits": "7" * 50_000,
    "brackets": "[" * 50_000,
    "stars": "*" * 50_000,
    "a megabyte of one letter": "a" * MEGABYTE,
    "a megabyte of one word": "hive " * (MEGABYTE // 5),
    "Chinese": "本项目研究蜂箱保温对冬季损失的影响。我们在三十个蜂场安置九十六群蜜蜂。" * 40,
    "Arabic": "يدرس هذا المشروع أثر عزل الخلايا على خسائر الشتاء في الوديان الجبلية. " * 40,
    "Finnish": "Tutkimme, vähentävätkö eristetyt pesät mehiläisten talvikuolleisuutta vuoristossa. "
    * 40,
    "the brief": "\n".join(str(v) for v in GOOD.head["brief"].values()),
    "babble": _babble(20_000),
}


@pytest.mark.parametrize("text", DEGENERATE.values(), ids=DEGENERATE)
def test_what_is_no_plan_never_passes_and_stops_no_metric(text: str):
    card = GOOD.fresh(text)
    assert card.verdict == "fail"
    assert {s.status for s in card.scores} <= {Status.SCORED, Status.NOT_APPLICABLE}


@pytest.mark.parametrize("text", ["", " ", ":", "Solution", "plan"])
def test_nothing_earns_nothing(text: str):
    assert not GOOD.fresh(text).overall


@pytest.mark.parametrize("at", [0, 3000, -1])
def test_a_plan_with_a_null_character_does_not_pass(at: int):
    card = GOOD.fresh(f"{GOOD.text[:at]}\x00{GOOD.text[at:]}")
    assert card.verdict != "pass"


@pytest.mark.xfail(
    reason="a limit that cannot be read in the text's language is unclear, which counts half",
    strict=True,
)
def test_a_plan_in_another_language_than_its_brief_does_not_pass():
    plan: Plan = plans()["radon-keller"]
    brief = Brief(
        objective="Test whether a fan with a humidity control lowers radon in cellars.",
        hard_constraints=(
            "at least 36 houses", "measured for at least 12 months", "budget under 70000 EUR",
            "no drilling through the floor slab",
        ),
        success_criteria=("reports the change of radon with a confidence interval",),
        banned_moves=("publication of addresses",),
    )  # fmt: skip
    given = {"brief": brief, "ledger": build_ledger(brief)}
    subject: Subject = plan.subject(plan.text).model_copy(update=given)
    assert scored(subject).verdict != "pass"
