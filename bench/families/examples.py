"""The labelled texts."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

DATA = Path(__file__).parent / "data"

Part = Literal[
    "known", "held", "fourth", "briefs", "library", "plain", "plain-looked", "plain-held"
]


@dataclass(frozen=True, slots=True)
class Example:
    """A text and the families that fit it."""

    text: str
    objective: str
    """The words that carry what is asked for, by whoever labelled it."""
    families: tuple[str, ...]
    """Acceptable families, the best first."""
    weight: float = 1.0
    """What it counts in training."""
    lines: tuple[str, ...] = ()
    """What it demands, where that is labelled."""
    of: int = -1
    """Number of the example that it restates; -1 if none."""
    group: str = ""
    """What it shares with others of its writer, such as a subject; "" if nothing."""


def load(part: Part) -> list[Example]:
    """Read one part of the data; see data/README.md."""
    lines = (DATA / f"{part}.jsonl").read_text(encoding="utf-8").splitlines()
    return [_example(json.loads(line), part) for line in lines]


def _example(row: dict, part: Part) -> Example:
    gold = row.get("gold", row)
    objective = gold.get("objective_quote") or gold.get("objective") or row["text"]
    return Example(
        row["text"],
        objective,
        tuple(gold["family"]),
        weight=RESTATED if part == "library" else 1.0,
        group=row["field"] if part == "plain" else "",
        lines=tuple(v["quote"] for v in gold.get("limits") or () if v["role"] != "ban"),
    )


RESTATED = 0.5
"""What a restatement, or an example of the library, counts beside a brief; chosen by cross-validation."""


def restated(examples: Sequence[Example]) -> list[Example]:
    """The objectives of written examples as texts of their own, each tied to its example."""
    return [
        Example(e.objective, e.objective, e.families, weight=RESTATED, of=n)
        for n, e in enumerate(examples)
        if e.objective not in e.text
    ]


def right(ranking: Sequence[str], example: Example, among: int = 1) -> bool:
    """Whether one of the first *among* families of a ranking fits."""
    return any(f in example.families for f in ranking[:among])
