"""Writes the weights of `dr_rd.reading` from the labelled briefs: `python -m bench.reading.train`."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from bench.reading.examples import (
    BRIEFS,
    SHORT,
    WRITTEN,
    Example,
    clause_roles,
    load,
    objectives,
    roles,
    unit_stems,
)
from dr_rd.reading import amounts, clauses, objective, unit
from dr_rd.reading.segments import segments
from dr_rd.reading.statistics import STATISTIC, STATISTICS
from dr_rd.reading.tagger import PARTS, Tagger, Taggers, feature_key

WEIGHTS = Path(__file__).parents[2] / "dr_rd" / "data" / "reading" / "weights.npz"
KNOWN = BRIEFS.parent / "known.jsonl"
AMOUNT_ROLES = (
    "limit",
    "limit criterion",
    "bound <=",
    "bound >=",
    "bound =",
    "type measure",
    "type share",
    "type time",
    "closed",
    "budget",
    "start",
    "deadline",
    "duration",
    "count",
    "person",
    *(f"{STATISTIC}{name}" for name in STATISTICS),
)
CLAUSE_ROLES = ("ban", "constraint", "criterion")
RAREST = 2
STRENGTH = 0.4
"""Inverse of the L2 penalty; chosen by cross-validation."""

Row = tuple[frozenset[str], frozenset[str]]
"""Features and roles."""


def rows(examples: Sequence[Example]) -> dict[str, list[list[Row]]]:
    """Return for each part the rows of each example."""
    out: dict[str, list[list[Row]]] = {part: [] for part in PARTS}
    for e in examples:
        tagged = roles(e)
        among = amounts.ranks([a for a, _ in tagged])
        out["amount"].append([(amounts.features(a, among), r) for a, r in tagged])
        out["clause"].append(
            [(clauses.features(c), frozenset(filter(None, [r]))) for c, r in clause_roles(e)]
        )
        held = objectives(e)
        found = [s for s, _ in held]
        out["objective"].append(
            [
                (f, frozenset(["objective"] if r else []))
                for f, (_, r) in zip(objective.all_features(found), held, strict=True)
            ]
        )
        out["unit"].append(unit_rows(e))
    return out


def unit_rows(example: Example) -> list[Row]:
    """Return a row for each noun of the text; none where its labels name no unit."""
    wanted = unit_stems(example)
    found, held = segments(example.text), amounts.amounts(example.text)
    asked = next((s for s, right in objectives(example) if right), None)
    place = (asked.start, asked.end) if asked else None
    told = unit.features(unit.candidates(found, held), place, unit.largest_count(held))
    return [(f, frozenset([unit.ROLE] if k in wanted else [])) for k, f in told.items() if wanted]


def fit(data: Iterable[Row], wanted: Sequence[str]) -> Tagger:
    data = list(data)
    count = Counter(f for features, _ in data for f in features)
    keys = np.array(sorted({feature_key(f) for f, n in count.items() if n >= RAREST}), np.uint32)
    at = {int(k): n for n, k in enumerate(keys)}
    columns = [
        sorted({at[k] for f in features if (k := feature_key(f)) in at}) for features, _ in data
    ]
    ends = np.cumsum([0, *map(len, columns)])
    flat = np.array([c for row in columns for c in row])
    matrix = csr_matrix((np.ones(len(flat), np.float32), flat, ends), shape=(len(data), len(keys)))
    weights, bias = (
        np.zeros((len(keys), len(wanted)), np.float32),
        np.zeros(len(wanted), np.float32),
    )
    for n, role in enumerate(wanted):
        y = np.array([role in r for _, r in data])
        fitted = LogisticRegression(C=STRENGTH, solver="liblinear").fit(matrix, y)
        weights[:, n], bias[n] = fitted.coef_[0], fitted.intercept_[0]
    return Tagger(tuple(wanted), keys, weights.astype(np.float16).astype(np.float32), bias)


def taggers(
    held: dict[str, list[list[Row]]], numbers: Iterable[int], more: dict[str, list[list[Row]]]
) -> Taggers:
    """Train on the examples of those *numbers*; objectives also on *more*."""
    chosen = [*numbers]

    def flat(part):
        return [row for n in chosen for row in held[part][n]]

    return Taggers(
        amount=fit(flat("amount"), AMOUNT_ROLES),
        clause=fit(flat("clause"), CLAUSE_ROLES),
        objective=fit(
            flat("objective") + [r for e in more["objective"] for r in e], ("objective",)
        ),
        unit=fit(flat("unit"), (unit.ROLE,)),
    )


def save(trained: Taggers) -> None:
    arrays = {}
    for part in PARTS:
        tagger: Tagger = getattr(trained, part)
        used = np.abs(tagger.weights).max(axis=1) > 1e-3
        arrays |= {
            f"{part}.roles": np.array(tagger.roles),
            f"{part}.keys": tagger.keys[used],
            f"{part}.weights": tagger.weights[used].astype(np.float16),
            f"{part}.bias": tagger.bias,
        }
    np.savez_compressed(WEIGHTS, **arrays)


def main() -> None:
    examples = labelled()
    save(taggers(rows(examples), range(len(examples)), objective_rows()))


def labelled() -> list[Example]:
    """Return the briefs that are trained on."""
    return [*load(BRIEFS), *load(WRITTEN), *load(SHORT)]


def objective_rows() -> dict[str, list[list[Row]]]:
    """Rows of the shorter texts whose objectives are labelled."""
    return rows(load(KNOWN))


if __name__ == "__main__":
    main()
