"""How well planted violations are found, by kind: the table of docs/ledger-check.md.

Each text of tests/data/planted breaks or keeps one item of a sample brief, and says by what: a
figure, a prohibition or a requirement. "tuning", "strangers" and "newcomers" were at hand while the
check was written, the latter two in the words of people who had not seen it; "held_out" and "unseen"
were written by people who had not seen the check, and are only counted. `python -m tests.test_planted` writes
the table anew.
"""

from pathlib import Path

import pytest

from bench.ledger_check import DATA, KINDS, PARTS, planted, shares
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
    found = shares([c for c in planted(part) if c.kind == kind])
    for name, floor in floors.items():
        assert found.rate(name) >= floor, (name, getattr(found, name))


def _written(page: str) -> str:
    """The page with its tables made anew."""
    for part in PARTS:
        if any((DATA / "planted" / part).glob("*.yaml")):
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
