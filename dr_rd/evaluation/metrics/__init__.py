"""Deterministic metrics: defect detectors of high precision that say what they rest on.

They are blind to false facts, wrong logic and order; a person or a model must look at those.
"""

from collections.abc import Callable, Mapping

from core.scores import Score
from dr_rd.evaluation.metrics.arithmetic import budget, schedule
from dr_rd.evaluation.metrics.completeness import completeness
from dr_rd.evaluation.metrics.ledger import ledger
from dr_rd.evaluation.metrics.numbers import numbers
from dr_rd.evaluation.metrics.support import support
from dr_rd.evaluation.subject import Subject

Metric = Callable[[Subject], Score]

METRICS: Mapping[str, Metric] = {
    "ledger": ledger,
    "support": support,
    "numbers": numbers,
    "completeness": completeness,
    "budget": budget,
    "schedule": schedule,
}
