"""The risks of a plan, and what the words for likelihood and impact are taken for in figures."""

from collections.abc import Iterator, Mapping, Sequence

from core.graph.state import GraphTask, ThreePoint
from core.values import Frozen
from dr_rd.files import read_yaml
from dr_rd.planning.doers import Doers
from dr_rd.planning.draft import Draft
from dr_rd.planning.methods import Parameter, Risk
from dr_rd.planning.steps import home
from dr_rd.planning.techniques import TechniqueRisk
from dr_rd.tools.context import PlannedRisk

_LEAST = 3
"""Risks of a method that are named; where fewer speak of the brief, general ones make them up."""

_Faced = tuple[Risk | TechniqueRisk, str, Mapping[str, Parameter]]
"""A risk, the id of the package that owns it, and the parameters its texts may name."""


class RiskScale(Frozen):
    """Figures for words; `data/planning/risks.yaml`."""

    likelihood: Mapping[str, float]
    """Chance, by "low", "medium" and "high"."""
    impact: Mapping[str, ThreePoint]
    """Share of the expected direct costs, by the same words."""
    why: str

    def assumption(self) -> tuple[str, str]:
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


def planned_risks(
    draft: Draft, tasks: Sequence[GraphTask], by: Doers, scale: RiskScale
) -> tuple[PlannedRisk, ...]:
    """Return the risks, owned by who does their packages' work."""
    say = draft.wording.say
    planned = tuple(
        PlannedRisk(
            id=f"R{n}",
            text=say(r.text, parameters),
            sign=say(r.sign, parameters),
            mitigation=say(r.mitigation, parameters),
            task_id=by.get(owner, tasks[0].id),
            likelihood=r.likelihood,
            impact=r.impact,
            probability=scale.likelihood[r.likelihood],
            share=scale.impact[r.impact],
            condition=say(r.condition, parameters),
        )
        for n, (r, owner, parameters) in enumerate(_faced(draft), 1)
    )
    draft.assumed.cite(*scale.assumption())
    return planned


def _faced(draft: Draft) -> Iterator[_Faced]:
    """The risks of the method, then those of the techniques."""
    kept = draft.relevance.kept(draft.method.risks, _words, _LEAST)
    yield from ((r, r.package, {}) for r in kept)
    for technique in draft.techniques:
        if risk := technique.risk:
            owner = home(risk.package, risk.text, draft.packages)
            yield risk, owner.id, technique.parameters


def _words(risk: Risk) -> str:
    return f"{risk.text} {risk.sign} {risk.mitigation}"
