"""Risks with what they may cost, who owns them, and what is to be set aside for all of them."""

from bisect import bisect_left

import numpy as np
from pydantic import Field, JsonValue, model_validator

from core.graph.state import ThreePoint
from core.tool_router import Tool
from core.values import MOST, Frozen, repeated
from dr_rd.schedule.montecarlo import percentile
from dr_rd.schedule.spread import Draws, draw

PROBABILITY_EDGES = (0.1, 0.3, 0.5, 0.7)
"""Upper ends of the probability bands 1 to 4."""
IMPACT_EDGES = (0.05, 0.1, 0.2, 0.4)
"""Upper ends of the impact bands 1 to 4, as shares of the budget.

PMBOK Guide, 4th ed. (2008), table 11-1: up to 10 %, 20 % and 40 % of cost are low, moderate and
high; what it calls insignificant is taken as 5 %.
"""
_SHOWN = (0.5, 0.7, 0.8, 0.9)


class Risk(Frozen):
    """What may happen, and what then."""

    id: str = Field(min_length=1, max_length=80)
    description: str = Field(default="", max_length=1000)
    probability: float = Field(ge=0, le=1, description="Chance that it happens.")
    impact: ThreePoint = Field(description="What it costs if it happens, in the currency.")
    owner: str = Field(default="", max_length=200, description="Who watches it.")
    trigger: str = Field(default="", max_length=1000, description="The sign that it happens.")
    response: str = Field(default="", max_length=1000, description="What is done about it.")


class RiskRegister(Frozen):
    """The risks of one plan, independent of each other."""

    risks: tuple[Risk, ...] = Field(min_length=1, max_length=200)
    currency: str = Field(min_length=1, max_length=10)
    budget: float = Field(gt=0, le=MOST, description="What the impact bands are shares of.")
    iterations: int = Field(default=10_000, ge=100, le=100_000)
    seed: int = Field(default=0, ge=0, lt=2**63, description="The same seed, the same result.")

    @model_validator(mode="after")
    def _distinct(self) -> "RiskRegister":
        if (key := repeated(r.id for r in self.risks)) is not None:
            raise ValueError(f"two risks have the id {key!r}")
        return self


def risk_register(params: RiskRegister) -> JsonValue:
    """Rank by expected loss, place in the 5 × 5 grid, and add up by Monte Carlo.

    Expected losses and their total are exact, P × (low + 4 mode + high) / 6; the percentiles are
    drawn. Amounts are whole units of the currency.
    """
    ranked = sorted(params.risks, key=lambda r: -_expected(r))
    total = _losses(params)
    return {
        "currency": params.currency,
        "risks": [_row(r, params.budget) for r in ranked],
        "expected_loss": round(sum(map(_expected, ranked))),
        "contingency": {f"P{round(100 * s)}": round(percentile(total, s)) for s in _SHOWN},
        "chance_of_no_loss": float(f"{np.prod([1 - r.probability for r in ranked]):.4g}"),
        "gaps": [gap for r in ranked for gap in _gaps(r)],
        "iterations": params.iterations,
        "seed": params.seed,
    }


def _expected(risk: Risk) -> float:
    return risk.probability * risk.impact.mean


def _losses(params: RiskRegister) -> Draws:
    """Draw which risks happen and what they cost, in the order given."""
    rng = np.random.default_rng(params.seed)
    total = np.zeros(params.iterations)
    for risk in params.risks:
        happens = rng.random(params.iterations) < risk.probability
        total += happens * draw([risk.impact], "pert", params.iterations, rng)[0]
    return total


def _row(risk: Risk, budget: float) -> dict[str, JsonValue]:
    likely = bisect_left(PROBABILITY_EDGES, risk.probability) + 1
    severe = bisect_left(IMPACT_EDGES, risk.impact.mean / budget) + 1
    return {
        "id": risk.id,
        "description": risk.description,
        "probability": risk.probability,
        "expected_impact": round(risk.impact.mean),
        "expected_loss": round(_expected(risk)),
        "probability_band": likely,
        "impact_band": severe,
        "score": likely * severe,
        "rating": _rating(likely * severe),
        "owner": risk.owner,
        "trigger": risk.trigger,
        "response": risk.response,
    }


def _rating(score: int) -> str:
    """Name the product of the bands: 15 and more is high, 5 to 14 medium."""
    return "high" if score >= 15 else "medium" if score >= 5 else "low"


def _gaps(risk: Risk) -> list[str]:
    """Say what a risk lacks to be managed."""
    wanted = {"owner": risk.owner, "trigger": risk.trigger, "response": risk.response}
    return [f"{risk.id} has no {name}" for name, given in wanted.items() if not given.strip()]


TOOL = Tool(
    name="risk_register",
    description="Risks ranked by expected loss, in a 5 × 5 grid, and what to set aside for all "
    "of them (P50, P70, P80, P90 by Monte Carlo).",
    params=RiskRegister,
    run=risk_register,
    heavy=True,
    of_plan=True,
)
