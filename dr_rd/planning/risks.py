"""What the words for likelihood and impact are taken for in figures."""

from collections.abc import Mapping

from core.graph.state import ThreePoint
from core.values import Frozen
from dr_rd.files import read_yaml


class RiskScale(Frozen):
    """Figures for words; `data/planning/risks.yaml`."""

    likelihood: Mapping[str, float]
    """Chance, by "low", "medium" and "high"."""
    impact: Mapping[str, ThreePoint]
    """Share of the expected direct costs, by the same words."""
    why: str

    def said(self) -> tuple[str, str]:
        """Return the scale as an assumption, and why."""
        chances = ", ".join(f"{k} {v:g}" for k, v in self.likelihood.items())
        shares = "; ".join(
            f"{k} {v.low:g}, {v.mode:g}, {v.high:g}" for k, v in self.impact.items()
        )
        return (
            f"chance of a risk: {chances}; its impact as a share of the expected direct costs "
            f"(low, likely, high): {shares}",
            self.why,
        )


def load_scale() -> RiskScale:
    """Read the scale."""
    return RiskScale.model_validate(read_yaml("planning", "risks.yaml"))
