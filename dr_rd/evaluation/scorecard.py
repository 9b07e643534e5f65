"""Scorecards: what a rubric's evaluators find of one text, added up."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.metadata import version as release
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from core.errors import CallerError, unknown
from core.scores import Criterion, Evaluator, Rubric, Score, Scorecard, aggregate
from dr_rd.evaluation.isolation import measure
from dr_rd.evaluation.metrics import METRICS
from dr_rd.evaluation.plugins import Plugins, ask
from dr_rd.evaluation.subject import Section, Subject
from dr_rd.files import data_folder, parse_yaml, read_text

Others = Callable[[Criterion, Subject], Score]
"""Answers the criteria that are not this package's."""


def score(
    subject: Subject,
    rubric: Rubric,
    *,
    threshold: float,
    weights: Mapping[str, float],
    others: Others | None = None,
) -> Scorecard:
    """Measure *subject* on every criterion of *rubric*, one after another.

    An evaluator that fails, hangs or answers nonsense is a score that says so; what it would
    have said stays open.

    Args:
        subject: The text, and what it may rest on.
        rubric: What is measured.
        threshold: The overall from which the text passes, 0 to 1.
        weights: Replace the rubric's own; names that the rubric does not have are passed over.
        others: Answers criteria that no evaluator of this package does; None asks those of
            installed packages.

    """
    used = rubric.reweighted(weights)
    own = _evaluator()
    strange = others or asking(Plugins())
    scores = [
        measure(c, METRICS[c.key], subject, own) if c.key in METRICS else strange(c, subject)
        for c in used.criteria
    ]
    return aggregate(used, scores, threshold)


@cache
def _evaluator() -> Evaluator:
    """Return who measures what this package measures; finding its release reads a long file."""
    return Evaluator(id="dr-rd", version=release("dr-rd"))


def asking(plugins: Plugins) -> Others:
    """Return what asks the evaluators of installed packages."""
    return lambda criterion, subject: plugins.score(ask(criterion, subject))


def check_weights(weights: Mapping[str, float], rubrics: Iterable[Rubric]) -> None:
    """Refuse weights that a rubric cannot be used with; raises CallerError."""
    rubrics = tuple(rubrics)
    criteria = [c for rubric in rubrics for c in rubric.criteria]
    counted = {c.key for c in criteria if not c.report_only}
    for name in sorted(set(weights) - counted):
        if name in {c.key for c in criteria}:
            raise CallerError(
                f"criterion {name!r} in EVALUATOR_WEIGHTS is only reported and takes no weight; "
                f"choose from: {', '.join(sorted(counted))}"
            )
        raise unknown("criterion in EVALUATOR_WEIGHTS", name, counted)
    for rubric in rubrics:
        if not any(weights.get(c.key, c.weight) for c in rubric.criteria if not c.report_only):
            raise CallerError(
                f"EVALUATOR_WEIGHTS leaves the rubric {rubric.id!r} no weight to share out; "
                "give one of its criteria a weight above 0"
            )


def load_rubric(name: str) -> Rubric:
    """Read the rubric with that id, or in that YAML file.

    Raises CallerError with one sentence if there is none, or if it cannot be used.
    """
    held = {k: v for k, v in _rubric_file(name).items() if k != "template"}
    try:
        return Rubric.model_validate(held)
    except ValidationError as error:
        raise _unusable(name, error) from error


def load_template(name: str) -> tuple[Section, ...]:
    """Read the sections that a rubric's texts must have."""
    try:
        return tuple(Section.model_validate(s) for s in _rubric_file(name).get("template") or ())
    except (ValidationError, TypeError) as error:
        raise _unusable(name, error) from error


def rubric_ids() -> tuple[str, ...]:
    """Ids of all rubrics."""
    names = (p.name for p in (data_folder() / "rubrics").iterdir())
    return tuple(sorted(n.removesuffix(".yaml") for n in names if n.endswith(".yaml")))


def _rubric_file(name: str) -> Mapping[str, Any]:
    """Return what the rubric's file holds."""
    try:
        held = _parsed(_text(name))
    except (yaml.YAMLError, ValueError) as error:
        where = getattr(error, "problem_mark", None)
        line = f", line {where.line + 1}" if where else ""
        raise CallerError(f"rubric {name!r} is not YAML{line}; {_EXAMPLE}") from error
    if not isinstance(held, dict):
        raise CallerError(f"rubric {name!r} has no criteria; {_EXAMPLE}")
    return held


_parsed = cache(parse_yaml)
"""By text: a run scores by the same few rubrics again and again."""


def _text(name: str) -> str:
    if name in rubric_ids():
        return read_text("rubrics", f"{name}.yaml")
    path = Path(name)
    if path.suffix not in (".yaml", ".yml"):
        raise unknown("rubric", name, rubric_ids())
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise CallerError(f"rubric {name!r} is not UTF-8 text; save it as UTF-8") from error
    except (OSError, ValueError) as error:
        raise CallerError(
            f"cannot read the rubric {name!r} ({getattr(error, 'strerror', error)}); "
            f"name a YAML file or one of: {', '.join(rubric_ids())}"
        ) from error


def _unusable(name: str, error: ValidationError | TypeError) -> CallerError:
    if isinstance(error, TypeError):
        return CallerError(f"rubric {name!r}: its template is no list of sections; {_EXAMPLE}")
    first = error.errors(include_url=False)[0]
    place = " ".join(str(step) for step in first["loc"])
    what = first["msg"].removeprefix("Value error, ")
    return CallerError(f"rubric {name!r}: {f'{place}: ' if place else ''}{what}; {_EXAMPLE}")


_EXAMPLE = (
    "write id and criteria, such as "
    "{id: mine, criteria: [{key: completeness, weight: 2, floor: 0.5}]}"
)
