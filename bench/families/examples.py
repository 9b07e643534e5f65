"""The labelled texts."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from dr_rd.families.facts import NO_FACT

DATA = Path(__file__).parent / "data"

Part = Literal["known", "held", "fourth", "briefs", "library"]


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
        lines=tuple(v["quote"] for v in gold.get("limits") or () if v["role"] != "ban"),
    )


def load_lines() -> list[tuple[str, str]]:
    """Read the lines of a brief that state a fact of its design, or none, each with the fact's id.

    The limits of the whole briefs state none but where the file says so.
    """
    held = [json.loads(r) for r in (DATA / "lines.jsonl").read_text("utf-8").splitlines()]
    facts = {row["line"]: row["fact"] or NO_FACT for row in held}
    for row in (DATA / "briefs.jsonl").read_text(encoding="utf-8").splitlines():
        for limit in json.loads(row)["gold"].get("limits") or ():
            if limit["role"] != "ban":
                facts.setdefault(limit["quote"], NO_FACT)
    return [(line, fact) for line, fact in facts.items() if fact != UNCLEAR]


UNCLEAR = "unclear"
"""The label of a line on which readers may differ; it is not trained on."""

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
