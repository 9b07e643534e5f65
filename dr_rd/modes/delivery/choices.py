"""Choices that several tasks rest on: between directions, and what techniques leave open."""

from collections.abc import Iterator, Sequence

from core.graph.state import GraphTask
from dr_rd.modes.delivery.bench import Bench
from dr_rd.modes.delivery.dossier import Choice, DecisionRecord, Dossier
from dr_rd.modes.delivery.wording import stems
from dr_rd.planning.directions import tied
from dr_rd.planning.techniques import Technique

_FEWEST = 2
"""Tasks, and options, from which on a choice is one of architecture."""
_ALIKE = 0.7
"""Share of a library step's words that a plan's step must have to be that step."""


def choices(bench: Bench, dossier: Dossier) -> tuple[DecisionRecord, ...]:
    """Return a record, as yet without a day, for each choice that touches several tasks."""
    found = (*_direction(bench, dossier), *_open_questions(bench, dossier))
    return tuple(
        record.model_copy(update={"id": f"ADR-{number}"}) for number, record in enumerate(found, 1)
    )


def _direction(bench: Bench, dossier: Dossier) -> Iterator[DecisionRecord]:
    design, tasks = bench.material.design, dossier.tasks
    if len(design.directions) < _FEWEST:
        return
    method = bench.material.library.method(design.method_id)
    deciding = next(f"{method.id}/{p.id}" for p in method.packages if p.decides)
    decider = next((t for t in tasks if t.source == deciding), tasks[0])
    rest = tuple(t.id for t in tasks if decider.id in t.depends_on)
    totals = {
        d.id: sum(weight * d.scores.get(name, 0.0) for name, weight in design.weights.items())
        for d in design.directions
    }
    ranked = sorted(totals, key=lambda i: -totals[i])
    chosen = design.chosen
    others = [i for i in ranked if i != chosen]
    level = tied(design.directions, design.weights)
    lead, apart = totals[chosen] - totals[others[0]], _apart(bench, chosen, others[0])
    yield DecisionRecord(
        id="",
        title="Which direction the work takes",
        context=f"{decider.id} weighs {len(design.directions)} directions; all later tasks rest on it",
        options=tuple(
            Choice(id=d.id, text=d.text, about=f"weighted score {totals[d.id]:.3g}")
            for d in design.directions
        ),
        decision=chosen if lead > 0 and not level else "",
        because=(
            f"it leads {others[0]} by {lead:.3g}, by {' and '.join(apart)}; the scores read words"
            if lead > 0 and not level
            else f"{' and '.join(d.id for d in level) or chosen} stand level on method: the scores decide nothing"
        ),
        touches=rest,
        decides=decider.role,
        reopen_if=_reopened(chosen, others[0], apart, _apart(bench, others[0], chosen)),
    )


def _apart(bench: Bench, one: str, other: str) -> tuple[str, ...]:
    """Return the measures by which one direction leads another."""
    by = {d.id: d.scores for d in bench.material.design.directions}
    names = bench.material.design.weights
    return tuple(n for n in names if by[one].get(n, 0.0) > by[other].get(n, 0.0) and names[n] > 0)


def _reopened(chosen: str, other: str, apart: Sequence[str], against: Sequence[str]) -> str:
    """Say what would turn a decision; "" where no one measure does."""
    if len(apart) == 1:
        return f"{apart[0]} counts for nothing: the lead of {chosen} rests on it alone"
    if against:
        return f"{' and '.join(against)} weighs more: there {other} leads {chosen}"
    return ""


def _open_questions(bench: Bench, dossier: Dossier) -> Iterator[DecisionRecord]:
    used = set(bench.material.design.techniques)
    asked = set(bench.material.design.questions)
    for technique in bench.material.library.techniques:
        if technique.title not in used:
            continue
        question = next((q for q in asked if _same(technique.question, q)), "")
        options = _options(question)
        touched = _touched(technique, dossier.tasks)
        if len(options) >= _FEWEST and len(touched) >= _FEWEST:
            yield DecisionRecord(
                id="",
                title=question,
                context=f"steps of “{technique.title}” in {', '.join(touched)} rest on the answer",
                options=tuple(Choice(id="abcdef"[n], text=text) for n, text in enumerate(options)),
                because="no fact of the brief or the plan decides it",
                touches=touched,
                decides="the analyst",
                reopen_if="",
            )


def _same(template: str, question: str) -> bool:
    mine = stems(template)
    return bool(mine) and len(mine & stems(question)) >= _ALIKE * len(mine)


def _options(question: str) -> tuple[str, ...]:
    """Return the answers that a question names after its colon; () where it names none."""
    _, colon, listed = question.rstrip("?").partition(": ")
    if not colon:
        return ()
    parts = listed.replace(" or ", ", ").split(",")
    return tuple(part.strip() for part in parts if part.strip())[:6]


def _touched(technique: Technique, tasks: Sequence[GraphTask]) -> tuple[str, ...]:
    """Return the tasks that have a step of a technique, in the plan's words."""
    wanted = [stems(step.text) for step in technique.steps]

    def has(task: GraphTask) -> bool:
        own = [stems(step) for step in task.steps]
        return any(len(w & o) >= _ALIKE * len(w) for w in wanted if w for o in own)

    return tuple(task.id for task in tasks if has(task))
