"""Counts how often the shipped ranker is right: `python -m bench.families.score`.

Writes `bench/results/families.md`.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import process_time

from bench.families.examples import Example, Part, load
from bench.families.train import WEIGHTS, embedder, split, training, visible
from bench.families.validation import Outcome, cross_validated, predicted
from dr_rd.families.model import Model, Regression, load_model

RESULTS = Path(__file__).parents[1] / "results" / "families.md"
UNREAD: dict[Part, str] = {
    "held": "held third of the three writers",
    "fourth": "fourth writer",
    "plain-held": "held third in plain words",
}


def main() -> None:
    vectors, model = embedder(), load_model()
    plain = replace(
        model,
        lexical=replace(model.lexical, temperature=1.0),
        semantic=replace(model.semantic, temperature=1.0),
    )
    used = {"n-grams": (model.lexical, None), "n-grams and embeddings": (model.semantic, vectors)}
    examples = visible()
    both = cross_validated(examples, lambda ns: training(examples, ns), vectors)
    lines = []
    for (name, (fitted, given)), outcome in zip(used.items(), both, strict=True):
        for part, found in split(outcome).items():
            lines.append(_row(name, f"{part}, cross-validated", found, fitted))
        for part, title in UNREAD.items():
            found = predicted(plain, load(part), given)
            lines.append(_row(name, f"{title}, never read", found, fitted))
    vectors.keep()
    RESULTS.write_text(_page(lines, _seconds(model, examples)), encoding="utf-8")


def _row(name: str, part: str, outcome: Outcome, fitted: Regression) -> str:
    warm = outcome.calibrated(fitted.temperature)
    coverage, right = warm.settled(fitted.weakest, fitted.closest)
    return (
        f"| {name} | {part} | {len(outcome.examples)} | {warm.share(1):.2f} | {warm.share(3):.2f} "
        f"| {coverage:.2f} | {right:.2f} |"
    )


def _seconds(model: Model, examples: list[Example]) -> Iterator[str]:
    briefs = [e for e in examples if len(e.text) > 400][:20]
    for name, given in (("n-grams", None), ("n-grams and embeddings", embedder().inner)):
        before = process_time()
        for example in briefs:
            model.probabilities(example.text, model.objective(example.text), given)
        yield f"{name} {(process_time() - before) / len(briefs):.2f} s"


def _page(lines: list[str], seconds: Iterator[str]) -> str:
    rows = "\n".join(lines)
    return f"""# Design families told from a text

Written by `python -m bench.families.score`; what the parts are stands in
[the data's README](../families/data/README.md). *Decided* is the share of texts that are planned
without asking, *right then* the share of those whose first family is one that was labelled.

| features | texts | n | first | among three | decided | right then |
|---|---|---|---|---|---|---|
{rows}

CPU time for a brief: {"; ".join(seconds)}. Size of the weights: {WEIGHTS.stat().st_size / 1e6:.1f} MB.
"""


if __name__ == "__main__":
    main()
