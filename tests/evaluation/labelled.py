"""How well each metric tells planted errors from harmless look-alikes, measured.

`python -m tests.evaluation.labelled` prints the table of docs/metrics.md.
"""

from dataclasses import dataclass
from pathlib import Path

import yaml

from dr_rd.evaluation.agreement import wilson
from dr_rd.evaluation.metrics import METRICS
from dr_rd.evaluation.subject import Subject
from dr_rd.evidence.corpus import Corpus, Document, Passage

FOLDER = Path(__file__).parents[1] / "data/metrics"
KEYS = tuple(sorted(p.stem for p in FOLDER.glob("*.yaml")))
AROUND = (
    "\n\nThe coordinator keeps a diary of the work and shows it to the board. A second person "
    "reads what the first has written and signs it. Devices are checked before use and cleaned "
    "after it. Whoever finds a fault tells the desk on the same day.\n"
)
"""Enough words around a statement for a metric to judge the text; there is no fault in them."""


@dataclass(frozen=True)
class Measured:
    key: str
    planted: int
    found: int
    harmless: int
    flagged: int

    @property
    def recall(self) -> float:
        return self.found / self.planted

    @property
    def precision(self) -> float:
        return self.found / (self.found + self.flagged) if self.found + self.flagged else 0.0

    def row(self) -> str:
        recall = _interval(self.found, self.planted)
        precision = _interval(self.found, self.found + self.flagged)
        return (
            f"| `{self.key}` | {self.planted} | {self.harmless} | {self.recall:.2f} {recall} "
            f"| {self.precision:.2f} {precision} |"
        )


def measure(key: str) -> Measured:
    held = yaml.safe_load((FOLDER / f"{key}.yaml").read_text("utf-8"))
    found = sum(flags(key, text) for text in held["planted"])
    flagged = sum(flags(key, text) for text in held["harmless"])
    return Measured(key, len(held["planted"]), found, len(held["harmless"]), flagged)


def flags(key: str, text: str) -> bool:
    score = METRICS[key](subject(text)).score
    return score is not None and score < 1


def subject(text: str) -> Subject:
    passage, _, shown = text.rpartition(" => ")
    return Subject(text=_expanded(shown) + AROUND, corpus=_corpus(passage) if passage else None)


def table() -> str:
    head = "| metric | planted | harmless | recall | precision |\n|---|---|---|---|---|"
    return "\n".join([head, *(measure(key).row() for key in KEYS)])


def _expanded(text: str) -> str:
    """Write a table out: its rows are parted by two strokes."""
    lines = text.split("\n")
    return "\n".join(_rows(line) if " // " in line else line for line in lines)


def _rows(line: str) -> str:
    head, *rows = (f"{row.strip()} |" for row in line.split("//"))
    return "\n".join([head, "|---" * (head.count("|") - 1) + "|", *rows])


def _corpus(text: str) -> Corpus:
    document = Document(id="D01", path="notes.md", sha256="0" * 64, title="Notes", text=text)
    passage = Passage(
        id="E001", document_id="D01", text=text, start=0, end=len(text), digest="0" * 64
    )
    return Corpus(documents=(document,), passages=(passage,))


def _interval(hits: int, of: int) -> str:
    low, high = wilson(hits, of)
    return f"[{low:.2f}, {high:.2f}]"


if __name__ == "__main__":
    print(table())  # noqa: T201
