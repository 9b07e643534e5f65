"""Options weighed against criteria, and how much the ranking hangs on the weights."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, JsonValue, model_validator

from core.tool_router import Tool
from core.values import Frozen

Share = Annotated[float, Field(ge=0, le=1)]


class Option(Frozen):
    """One option with its score on each criterion."""

    id: str
    scores: Mapping[str, Share]


class DecisionMatrix(Frozen):
    """What is weighed."""

    options: tuple[Option, ...] = Field(min_length=1, max_length=50)
    weights: Mapping[str, Annotated[float, Field(gt=0)]] = Field(min_length=1)

    @model_validator(mode="after")
    def _complete(self) -> "DecisionMatrix":
        for option in self.options:
            if missing := sorted(set(self.weights) - set(option.scores)):
                raise ValueError(f"option {option.id!r} has no score for {missing[0]!r}")
        return self


def decision_matrix(params: DecisionMatrix) -> JsonValue:
    """Rank by weighted mean; ties go to the option listed first.

    Stability is the share of cases, each with one weight halved or doubled, in which the same
    option comes first.
    """
    totals = _totals(params.options, params.weights)
    ranking = _ranked(totals)
    changed = [
        {**params.weights, name: weight * factor}
        for name, weight in params.weights.items()
        for factor in (0.5, 2.0)
    ]
    kept = sum(_ranked(_totals(params.options, w))[0] == ranking[0] for w in changed)
    second = totals[ranking[1]] if len(ranking) > 1 else 0.0
    return {
        "totals": {key: totals[key] for key in ranking},
        "ranking": list(ranking),
        "margin": round(totals[ranking[0]] - second, 3),
        "stability": round(kept / len(changed), 2),
        "weights": dict(params.weights),
    }


def _totals(options: tuple[Option, ...], weights: Mapping[str, float]) -> dict[str, float]:
    whole = sum(weights.values())
    return {
        o.id: round(sum(o.scores[k] * w for k, w in weights.items()) / whole, 3) for o in options
    }


def _ranked(totals: Mapping[str, float]) -> list[str]:
    return sorted(totals, key=lambda key: -totals[key])


TOOL = Tool(
    name="decision_matrix",
    description="Rank options by weighted criteria and test the ranking against the weights.",
    params=DecisionMatrix,
    run=decision_matrix,
)
