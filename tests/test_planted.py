"""How well planted violations are found, by kind: the tables of docs/ledger-check.md.

Each text of tests/data/planted breaks or keeps one item of a sample brief, and says by what: a
figure, a prohibition or a requirement. "tuning", "strangers" and "newcomers" may be read by whoever
works on the check; "held_out" and "unseen" were written by people who had not seen it, and are only
counted. `python -m tests.test_planted` writes the tables anew.
"""

from pathlib import Path

import pytest

from bench.ledger_check import KINDS, PARTS, planted, shares
from dr_rd.evaluation.agreement import wilson

PAGE = Path(__file__).parents[1] / "docs" / "ledger-check.md"


def _cell(counts: tuple[int, int]) -> str:
    if not counts[1]:
        return "–"
    low, high = wilson(*counts)
    return f"{counts[0] / counts[1]:.2f} [{low:.2f}, {high:.2f}]"


def table(part: str) -> str:
    cases = planted(part)
    lines = [
        "| kind | broken, kept | precision | recall | violated or unclear | broken: met | kept: violated |",
        "|---|---|---|---|---|---|---|",
    ]
    for kind in KINDS:
        s = shares([c for c in cases if c.kind == kind])
        sizes = f"{s.recall[1]}, {s.accused[1]}"
        cells = map(_cell, (s.precision, s.recall, s.noticed, s.missed, s.accused))
        lines.append(f"| {kind} | {sizes} | {' | '.join(cells)} |")
    return "\n".join(lines)


REACHED = [
    ("held_out", "figure", {"precision": 0.92, "noticed": 0.88}),
    ("held_out", "prohibition", {"precision": 0.9, "recall": 0.7, "noticed": 0.82}),
    ("unseen", "figure", {"precision": 0.78, "noticed": 0.9}),
    ("unseen", "prohibition", {"precision": 0.82, "recall": 0.7, "noticed": 0.82}),
    ("strangers", "figure", {"precision": 0.92, "noticed": 0.87}),
    ("strangers", "prohibition", {"precision": 0.92, "recall": 0.57, "noticed": 0.78}),
    ("newcomers", "prohibition", {"precision": 0.9, "recall": 0.64, "noticed": 0.83}),
]


def marked(part, *more):
    """Every set but one that is blind is counted by `make test-exhaustive`."""
    marks = [] if part == "held_out" else pytest.mark.exhaustive
    return pytest.param(part, *more, marks=marks)


@pytest.mark.parametrize(("part", "kind", "floors"), [marked(*reached) for reached in REACHED])
def test_planted_violations_are_found_as_well_as_the_page_says(part, kind, floors):
    found = shares([c for c in planted(part) if c.kind == kind])
    for name, floor in floors.items():
        assert found.rate(name) >= floor, (name, getattr(found, name))


@pytest.mark.parametrize("part", [marked("held_out"), marked("unseen")])
def test_what_is_broken_is_hardly_ever_called_met(part):
    assert shares(planted(part)).rate("missed") <= 0.04


def _written(page: str, part: str) -> str:
    """The page with the table of one set made anew."""
    begin, end = f"<!-- {part} -->\n", f"<!-- /{part} -->"
    before, rest = page.split(begin)
    return before + begin + table(part) + "\n" + end + rest.split(end)[1]


@pytest.mark.parametrize("part", [marked(part) for part in PARTS])
def test_the_page_holds_the_table_that_the_texts_give(part):
    page = PAGE.read_text(encoding="utf-8")
    assert _written(page, part) == page, "write them anew: python -m tests.test_planted"


def main() -> None:
    """Write the tables of the page anew."""
    page = PAGE.read_text(encoding="utf-8")
    for part in PARTS:
        page = _written(page, part)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
