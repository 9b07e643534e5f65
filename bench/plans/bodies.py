"""Measure proposals: `python -m bench.plans.bodies [BRIEF ...]`.

Over the shipped and the sample briefs, or those that are named: words before the annexes, and the
share of identical lines between two proposals of one method over different topics, body and annexes
apart. Headings, heads of tables and their rules are form and are not counted. Because one filled
cell makes a row differ, the share of identical cells and sentences of four words and more stands
beside it.
"""

import argparse
import asyncio
import re
import tempfile
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import mean, median

from core.clock import SystemClock
from core.driving import drive
from core.settings import RunOptions
from core.store import RunStore
from dr_rd.brief import Brief
from dr_rd.reading import read_brief
from dr_rd.report.proposal import FOOTER
from dr_rd.workbench import Workbench, load_workbench

ROOT = Path(__file__).parents[2]
FOLDERS = (ROOT / "dr_rd/data/briefs", ROOT / "tests/data/briefs")
ANNEXES = "\n## Annexes\n"

_RULE = re.compile(r"^\|[\s:|-]+\|$")
_FEWEST_WORDS = 4


@dataclass(frozen=True, slots=True)
class Proposal:
    """One proposal, cut where its annexes begin."""

    brief: str
    method: str
    body: str
    annexes: str

    @property
    def words(self) -> int:
        """Words of the body; marks of tables are none."""
        return len(re.findall(r"[^\W_][^\s|]*", self.body))


def lines(text: str) -> frozenset[str]:
    """Return what *text* says, a line each, without headings and heads of tables."""
    said = [line.strip() for line in text.splitlines()]
    heads = {n - 1 for n, line in enumerate(said) if _RULE.match(line)}
    return frozenset(
        line
        for n, line in enumerate(said)
        if line and not line.startswith("#") and not _RULE.match(line) and n not in heads
    )


def pieces(text: str) -> frozenset[str]:
    """Return the cells and sentences of *text* that have four words or more."""
    cells = (cell.strip() for line in lines(text) for cell in line.split(" | "))
    said = (s.strip(" |-") for cell in cells for s in re.split(r"(?<=[.;?])\s", cell))
    return frozenset(s for s in said if len(s.split()) >= _FEWEST_WORDS)


def identical(one: Collection[str], other: Collection[str]) -> float:
    """Return the share of the lines of two texts that both hold."""
    held = len(one) + len(other)
    return 2 * len({*one} & {*other}) / held if held else 0.0


def proposals(bench: Workbench, paths: Collection[Path]) -> Iterator[Proposal]:
    """Yield the proposal of each brief, worked to its end."""
    for path in paths:
        brief = read_brief(str(path))
        body, annexes = composed(bench, brief).split(ANNEXES, 1)
        yield Proposal(path.stem, bench.design(brief, ()).method_id, body, annexes)


def composed(bench: Workbench, brief: Brief) -> str:
    """Return the proposal for *brief*, without what differs between runs."""
    with tempfile.TemporaryDirectory() as audits:
        folder = RunStore(Path(audits)).create("r1", RunOptions(), brief.model_dump(mode="json"))
        parts = bench.parts(folder)
        asyncio.run(drive(folder, parts, SystemClock()))
        return folder.read_text(parts.mode.result_files[0]).partition(FOOTER)[0]


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("briefs", nargs="*", type=Path)
    given = asked.parse_args()
    paths = given.briefs or sorted(p for f in FOLDERS for p in f.iterdir() if p.suffix)
    made = [*proposals(load_workbench(), paths)]
    words = [p.words for p in made]
    print(f"{len(made)} proposals; words before the annexes: "
          f"median {median(words):.0f}, most {max(words)}")  # fmt: skip
    of_method: dict[str, list[Proposal]] = defaultdict(list)
    for proposal in made:
        of_method[proposal.method].append(proposal)
    pairs = [pair for several in of_method.values() for pair in combinations(several, 2)]
    for name, cut in (("lines", lines), ("cells and sentences", pieces)):
        for part in ("body", "annexes"):
            shares = [identical(cut(getattr(a, part)), cut(getattr(b, part))) for a, b in pairs]
            if shares:
                print(f"{part}, {name}: {len(shares)} pairs, mean {mean(shares):.1%}, "
                      f"median {median(shares):.1%}, most {max(shares):.1%}")  # fmt: skip


if __name__ == "__main__":
    main()
