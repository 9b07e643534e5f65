"""What is scored: a text, and everything that it may rest on."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import JsonValue

from core.graph.state import Answer, GraphTask
from dr_rd.brief import Brief
from dr_rd.checks import Ledger
from dr_rd.evaluation.subject import Subject
from dr_rd.evidence.corpus import Corpus
from dr_rd.planning.design import Design, PlansCompared
from dr_rd.report.people import breaking_rate, efforts, figures


def subject_of(
    text: str,
    answers: Mapping[str, Answer],
    tasks: Sequence[GraphTask],
    count: int,
    *,
    brief: Brief,
    ledger: Ledger,
    corpus: Corpus,
    design: Design,
) -> Subject:
    """What is scored of a *text* on *tasks* of a plan that has *count* of them.

    An answer is scored on its own task: the work does not grow with the plan.
    """
    computed: dict[str, Any] = {
        r.id: {"args": dict(r.args), "output": r.output}
        for a in answers.values()
        for r in a.tool_result
    }
    computed["plan"] = {
        **_planned_figures(design, tasks, count),
        "people": figures(tasks, design),
        "rates": _rates(computed, design, tasks),
    }
    if brief.resources:
        computed["resources"] = brief.resources.model_dump(mode="json")
    computed["scores"] = [_recorded_scores(a) for a in answers.values()]
    return Subject(
        text=text,
        brief=brief,
        ledger=ledger,
        claims=tuple(c for a in answers.values() for c in a.claims),
        corpus=corpus,
        computed=computed,
        assumed=(
            *(a.text for a in design.assumptions),
            *_assumption_texts(answers.values()),
            *_expertise_texts(design, answers.values()),
        ),
        names=(*design.references, *design.names),
    )


def _assumption_texts(answers: Iterable[Answer]) -> Iterator[str]:
    """What answers take for granted, each in its own words and under its own id."""
    for answer in answers:
        yield from (c.text for c in answer.claims if c.kind == "assumption")


def _expertise_texts(design: Design, answers: Iterable[Answer]) -> Iterator[str]:
    """What models know beside plan and answers, which is shown as unchecked."""
    yield from _strings([c.model_dump() for c in design.changes])
    if design.expertise:
        yield from _strings(design.expertise.model_dump(mode="json"))
    for answer in answers:
        yield from _strings([dict(answer.expertise), list(answer.left_out)])


def _strings(value: Any) -> Iterator[str]:  # noqa: ANN401 - any JSON value
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _strings(part)


def _planned_figures(
    design: Design, tasks: Sequence[GraphTask], count: int
) -> dict[str, JsonValue]:
    """Figures that the planner computed: counts, scaling, scores."""
    beside = design.compared
    return {
        "tasks": count,
        **({"compared": beside.model_dump(), "apart": _apart(beside)} if beside else {}),
        "estimates": [e.model_dump() for t in tasks for e in (t.duration_days, t.cost) if e],
        "scaling": design.scaling.model_dump(mode="json"),
        "scores": [m.score for m in design.ranking],
        "outlines": [[o.tasks, o.days, o.cost] for d in design.directions if (o := d.outline)],
    }


def _apart(compared: PlansCompared) -> list[JsonValue]:
    """How far a model's plan is from the library's."""
    ours, theirs = compared.library, compared.model
    units = abs((theirs.units or 0) - (ours.units or 0))
    return [abs(theirs.cost - ours.cost), abs(theirs.days - ours.days), units]


def _rates(
    computed: Mapping[str, Any], design: Design, tasks: Sequence[GraphTask]
) -> list[JsonValue]:
    """The day rates at which the budget breaks."""
    limit, days = design.scaling.limit, sum(e.days for e in efforts(tasks, design))
    outputs = [c["output"] for c in computed.values() if isinstance(c, dict) and "output" in c]
    costs = [o["at_confidence"] for o in outputs if isinstance(o, dict) and "at_confidence" in o]
    return [breaking_rate(limit, cost, days) for cost in costs] if limit is not None else []


def _recorded_scores(answer: Answer) -> list[JsonValue]:
    """What the gate recorded of an answer."""
    card = answer.evaluation
    numbers = [card.overall, card.coverage] if card else []
    return [answer.attempts, answer.kept, *answer.tried, *numbers]
