"""How well planted violations are found, by kind: the table of docs/ledger-check.md.

Each text of tests/data/planted breaks or keeps one item of a sample brief, and says by what: a
figure, a prohibition or a requirement. "tuning", "strangers" and "newcomers" were at hand while the
check was written, the latter two in the words of people who had not seen it; "held_out" and "unseen"
were written by people who had not seen the check, and are only counted. `python -m tests.test_planted` writes
the table anew.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
import yaml

from dr_rd.adherence import check
from dr_rd.brief import read_brief
from dr_rd.evaluation.agreement import wilson
from dr_rd.ledger import Exclusive, LedgerItem, Limit, Period, Prohibition, build_ledger
from dr_rd.quantity import quantities

DATA = Path(__file__).parent / "data" / "planted"
SHARED = Path(__file__).parents[1] / ".." / "shared" / "data" / "briefs"
PAGE = Path(__file__).parents[1] / "docs" / "ledger-check.md"
PARTS = ("tuning", "strangers", "newcomers", "held_out", "unseen")
KINDS = ("figure", "prohibition", "requirement")
_BY = {"number": "figure", "ban": "prohibition", "demand": "requirement"}
_FIELDS = {"hard_constraints": "constraint", "banned_moves": "ban"}

pytestmark = pytest.mark.skipif(
    not SHARED.is_dir(), reason="no sample briefs beside this checkout"
)


@dataclass(frozen=True)
class Judged:
    kind: str
    breaks: bool
    verdict: str


def kind_of(item: LedgerItem, text: str) -> str:
    """What a text that does not say it turns on: a figure where the item and the text state one."""
    if quantities(text) and any(isinstance(c, Limit | Period) for c in item.checks):
        return "figure"
    if item.kind == "ban" or any(isinstance(c, Prohibition | Exclusive) for c in item.checks):
        return "prohibition"
    return "requirement"


@cache
def judged(part: str) -> tuple[Judged, ...]:
    """Every text of a set that nobody disputes, with its verdict."""
    return tuple(_judged(part))


def _judged(part: str) -> Iterator[Judged]:
    for path in sorted((DATA / part).glob("*.yaml")):
        ledger = build_ledger(read_brief(SHARED / path.name))
        for case in yaml.safe_load(path.read_text(encoding="utf-8")):
            if case.get("disputed"):
                continue  # a careful reader could hold the other
            field, place = re.fullmatch(r"(\w+)\[(\d+)\]", case["item"]).groups()
            item = [i for i in ledger.items if i.kind == _FIELDS[field]][int(place)]
            (found,) = (v for v in check(ledger, case["text"]) if v.id == item.id)
            kind = _BY[case["by"]] if "by" in case else kind_of(item, case["text"])
            yield Judged(kind, case["breaks"], found.verdict)


@dataclass(frozen=True)
class Shares:
    """Hits and of how many: precision, recall, found or in doubt; of kept texts, in doubt and accused."""

    precision: tuple[int, int]
    recall: tuple[int, int]
    noticed: tuple[int, int]
    doubted: tuple[int, int]
    accused: tuple[int, int]

    def rate(self, name: str) -> float:
        hits, of = getattr(self, name)
        return hits / of if of else 0.0


def shares(cases: list[Judged]) -> Shares:
    broken = [c.verdict for c in cases if c.breaks]
    kept = [c.verdict for c in cases if not c.breaks]
    found, invented = broken.count("violated"), kept.count("violated")
    return Shares(
        precision=(found, found + invented),
        recall=(found, len(broken)),
        noticed=(found + broken.count("unclear"), len(broken)),
        doubted=(kept.count("unclear"), len(kept)),
        accused=(invented, len(kept)),
    )


def _cell(counts: tuple[int, int]) -> str:
    if not counts[1]:
        return "–"
    low, high = wilson(*counts)
    return f"{counts[0] / counts[1]:.2f} [{low:.2f}, {high:.2f}]"


def table(part: str) -> str:
    cases = judged(part)
    lines = [
        "| kind | broken, kept | precision | recall | violated or unclear | kept: unclear | kept: violated |",
        "|---|---|---|---|---|---|---|",
    ]
    for kind in KINDS:
        mine = [c for c in cases if c.kind == kind]
        s = shares(mine)
        sizes = f"{s.recall[1]}, {s.accused[1]}"
        cells = map(_cell, (s.precision, s.recall, s.noticed, s.doubted, s.accused))
        lines.append(f"| {kind} | {sizes} | {' | '.join(cells)} |")
    return "\n".join(lines)


REACHED = [
    ("tuning", "figure", {"precision": 0.99, "recall": 0.87, "noticed": 0.94}),
    ("tuning", "prohibition", {"precision": 0.97, "recall": 0.81, "noticed": 0.9}),
    ("strangers", "figure", {"precision": 0.93, "recall": 0.7, "noticed": 0.87}),
    ("strangers", "prohibition", {"precision": 0.94, "recall": 0.72, "noticed": 0.87}),
    ("newcomers", "figure", {"precision": 0.93, "recall": 0.69, "noticed": 0.86}),
    ("newcomers", "prohibition", {"precision": 0.92, "recall": 0.7, "noticed": 0.84}),
    ("held_out", "figure", {"precision": 0.95, "recall": 0.57, "noticed": 0.84}),
    ("held_out", "prohibition", {"precision": 0.92, "recall": 0.74, "noticed": 0.84}),
    ("unseen", "figure", {"precision": 0.82, "recall": 0.47, "noticed": 0.83}),
    ("unseen", "prohibition", {"precision": 0.84, "recall": 0.74, "noticed": 0.83}),
]


@pytest.mark.parametrize(("part", "kind", "floors"), REACHED)
def test_planted_violations_are_found_as_well_as_the_page_says(part, kind, floors):
    found = shares([c for c in judged(part) if c.kind == kind])
    for name, floor in floors.items():
        assert found.rate(name) >= floor, (name, getattr(found, name))


def _written(page: str) -> str:
    """The page with its tables made anew."""
    for part in PARTS:
        if any((DATA / part).glob("*.yaml")):
            begin, end = f"<!-- {part} -->\n", f"<!-- /{part} -->"
            before, rest = page.split(begin)
            page = before + begin + table(part) + "\n" + end + rest.split(end)[1]
    return page


def test_the_page_holds_the_tables_that_the_texts_give():
    page = PAGE.read_text(encoding="utf-8")
    assert _written(page) == page, "write them anew: python -m tests.test_planted"


def main() -> None:
    """Write the tables of the page anew."""
    PAGE.write_text(_written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
