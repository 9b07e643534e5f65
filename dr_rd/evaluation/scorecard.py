"""Scorecards: a rubric's metrics on one text, added up."""

from collections.abc import Mapping

from core.errors import unknown
from core.scores import Rubric, Scorecard, aggregate
from dr_rd.evaluation.metrics import METRICS
from dr_rd.evaluation.subject import Section, Subject
from dr_rd.files import data_folder, read_yaml


def score(
    subject: Subject, rubric: Rubric, *, threshold: float, weights: Mapping[str, float]
) -> Scorecard:
    """Measure *subject* on every criterion of *rubric*; *weights* replace the rubric's own."""
    used = rubric.reweighted(known_weights(weights))
    return aggregate(used, [METRICS[c.key](subject) for c in used.criteria], threshold)


def known_weights(weights: Mapping[str, float]) -> Mapping[str, float]:
    """Return *weights* if each names a metric; a stranger is refused with the known ones."""
    if strangers := sorted(set(weights) - set(METRICS)):
        raise unknown("criterion in EVALUATOR_WEIGHTS", strangers[0], METRICS)
    return weights


def load_rubric(rubric_id: str) -> Rubric:
    """Read a rubric; an unknown id is refused with the known ones."""
    if rubric_id not in rubric_ids():
        raise unknown("rubric", rubric_id, rubric_ids())
    held = read_yaml("rubrics", f"{rubric_id}.yaml")
    return Rubric.model_validate({k: v for k, v in held.items() if k != "template"})


def load_template(rubric_id: str) -> tuple[Section, ...]:
    """Read the sections that a rubric's texts must have."""
    held = read_yaml("rubrics", f"{rubric_id}.yaml")
    return tuple(Section.model_validate(s) for s in held.get("template", ()))


def rubric_ids() -> tuple[str, ...]:
    """Ids of all rubrics."""
    names = (p.name for p in (data_folder() / "rubrics").iterdir())
    return tuple(sorted(n.removesuffix(".yaml") for n in names if n.endswith(".yaml")))
