"""Options weighed against criteria, and how much the ranking hangs on the weights."""

from collections.abc import Mapping, Sequence
from typing import Annotated

import numpy as np
from pydantic import Field, JsonValue, model_validator

from core.tool_router import Tool
from core.values import Frozen, repeated

Share = Annotated[float, Field(ge=0, le=1)]
Weights = Mapping[str, float]


class Option(Frozen):
    """One option with its score on each criterion."""

    id: str = Field(min_length=1, max_length=80)
    scores: Mapping[str, Share]
    excluded: str = Field(
        default="", max_length=1000, description="Why it may not be chosen, whatever it scores."
    )


class DecisionMatrix(Frozen):
    """What is weighed."""

    options: tuple[Option, ...] = Field(min_length=1, max_length=50)
    weights: Mapping[str, Annotated[float, Field(gt=0, le=1e6)]] = Field(
        min_length=1, max_length=50
    )
    draws: int = Field(default=10_000, ge=100, le=100_000, description="Of weights.")
    seed: int = Field(default=0, ge=0, lt=2**63, description="The same seed, the same result.")

    @model_validator(mode="after")
    def _complete(self) -> "DecisionMatrix":
        if (key := repeated(o.id for o in self.options)) is not None:
            raise ValueError(f"two options have the id {key!r}")
        for option in self.options:
            if missing := sorted(set(self.weights) - set(option.scores)):
                raise ValueError(f"option {option.id!r} has no score for {missing[0]!r}")
        return self


def decision_matrix(params: DecisionMatrix) -> JsonValue:
    """Rank what is not excluded by weighted mean; ties go to the option listed first.

    Two measures say how firm the first place is: the smallest change of one weight, the others
    keeping their proportions, that takes it away; and the share of all possible weights (drawn
    evenly, Dirichlet with ones) under which each option comes first.
    """
    open_ = [o for o in params.options if not o.excluded]
    totals = _totals(open_, params.weights)
    ranking = sorted(totals, key=lambda key: -totals[key])
    flips = _flips({o.id: o.scores for o in open_}, ranking, params.weights)
    return {
        "totals": {key: totals[key] for key in ranking},
        "ranking": list(ranking),
        "excluded": {o.id: o.excluded for o in params.options if o.excluded},
        "margin": round(totals[ranking[0]] - totals[ranking[1]], 3) if ranking[1:] else None,
        "flips": flips,
        "leads": _leads(open_, params),
        "weights": dict(params.weights),
        "draws": params.draws,
        "seed": params.seed,
    }


def _totals(options: Sequence[Option], weights: Weights) -> dict[str, float]:
    whole = sum(weights.values())
    return {
        o.id: round(sum(o.scores[k] * w for k, w in weights.items()) / whole, 3) for o in options
    }


def _flips(
    scores: Mapping[str, Weights], ranking: Sequence[str], weights: Weights
) -> list[JsonValue]:
    """For each criterion, the nearest share of the weight at which another option ties.

    Smallest change first; a criterion at which no share does that is left out.
    """
    if not ranking:
        return []
    whole = sum(weights.values())
    shares = {k: w / whole for k, w in weights.items()}
    first = scores[ranking[0]]
    found: list[tuple[float, dict[str, JsonValue]]] = []
    for name, share in shares.items():
        ties = [(_tie(name, first, scores[key], shares), key) for key in ranking[1:]]
        near = [(abs(at - share), at, key) for at, key in ties if at is not None]
        if near:
            change, at, key = min(near)
            row: dict[str, JsonValue] = {"criterion": name, "from": round(share, 3)}
            found.append((change, row | {"to": round(at, 3) + 0.0, "then": key}))
    return [row for _, row in sorted(found, key=lambda f: f[0])]


def _tie(name: str, first: Weights, other: Weights, shares: Weights) -> float | None:
    """Share of *name* at which two options tie, the rest in proportion; None if there is none."""
    if shares[name] >= 1:
        return None
    ahead = {k: first[k] - other[k] for k in shares}
    rest = sum(s * ahead[k] for k, s in shares.items() if k != name) / (1 - shares[name])
    if rest == ahead[name]:
        return None
    at = rest / (rest - ahead[name])
    return at if 0 <= at <= 1 else None


def _leads(options: Sequence[Option], params: DecisionMatrix) -> dict[str, JsonValue]:
    """Share of evenly drawn weights under which each option comes first; ties are shared out."""
    if not options:
        return {}
    names = list(params.weights)
    rng = np.random.default_rng(params.seed)
    drawn = rng.dirichlet(np.ones(len(names)), params.draws)
    table = np.array([[o.scores[k] for k in names] for o in options])
    totals = np.round(drawn @ table.T, 9)
    firsts = totals == totals.max(axis=1, keepdims=True)
    share = (firsts / firsts.sum(axis=1, keepdims=True)).mean(axis=0)
    return {o.id: round(float(s), 2) for o, s in zip(options, share, strict=True)}


TOOL = Tool(
    name="decision_matrix",
    description="Rank options by weighted criteria and say how much the ranking hangs on the "
    "weights; an option given as excluded is not ranked.",
    params=DecisionMatrix,
    run=decision_matrix,
    of_plan=True,
)
