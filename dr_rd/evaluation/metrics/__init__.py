"""Deterministic metrics: defect detectors of high precision that say what they rest on.

They are blind to false facts, wrong logic and order; a person or a model must look at those.
What each can see, and how well, is measured in docs/metrics.md.
"""

from collections.abc import Callable, Mapping

from core.scores import Score
from dr_rd.evaluation.metrics.arithmetic import arithmetic
from dr_rd.evaluation.metrics.citations import citations
from dr_rd.evaluation.metrics.completeness import completeness
from dr_rd.evaluation.metrics.compliance import compliance
from dr_rd.evaluation.metrics.consistency import consistency
from dr_rd.evaluation.metrics.cost import cost
from dr_rd.evaluation.metrics.feasibility import feasibility
from dr_rd.evaluation.metrics.injection import injection
from dr_rd.evaluation.metrics.novelty import novelty
from dr_rd.evaluation.metrics.numbers import numbers
from dr_rd.evaluation.metrics.redundancy import redundancy
from dr_rd.evaluation.metrics.secrets import secrets
from dr_rd.evaluation.metrics.specificity import specificity
from dr_rd.evaluation.metrics.support import support
from dr_rd.evaluation.metrics.units import units
from dr_rd.evaluation.subject import Subject

Metric = Callable[[Subject], Score]

METRICS: Mapping[str, Metric] = {
    "compliance": compliance,
    "support": support,
    "numbers": numbers,
    "completeness": completeness,
    "cost": cost,
    "feasibility": feasibility,
    "consistency": consistency,
    "arithmetic": arithmetic,
    "units": units,
    "citations": citations,
    "redundancy": redundancy,
    "specificity": specificity,
    "secrets": secrets,
    "injection": injection,
    "novelty": novelty,
}
"""All of them by key; each answers "not applicable" where there is nothing to measure."""
