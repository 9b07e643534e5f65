"""The answers of a run, in the order of its plan."""

from collections.abc import Iterator

from core.graph.state import Answer, Claim, GraphState, GraphTask


def in_order(state: GraphState) -> list[tuple[GraphTask, Answer]]:
    """Return each task that has an answer, with it."""
    return [(t, state.answers[t.id]) for t in state.tasks if t.id in state.answers]


def assumed(state: GraphState) -> Iterator[tuple[GraphTask, Claim]]:
    """What a model took for granted in its answers; the design's own assumptions are elsewhere."""
    for task, answer in in_order(state):
        own = f"{task.id}-"
        yield from (
            (task, c) for c in answer.claims if c.kind == "assumption" and c.source.startswith(own)
        )


def answer_text(task: GraphTask, answer: Answer) -> str:
    """Return what an answer says; of a hole, that it is one."""
    if answer.usable:
        return answer.content.strip()
    return f"### {task.id} {task.title}\n\n**No answer**: {answer.status}, {answer.reason}."


def score_row(answer: Answer) -> dict[str, str]:
    """Return how an answer came about and was judged, as a row of a table."""
    card = answer.evaluation
    return {
        "id": answer.task_id,
        "status": answer.status.replace("_", " "),
        "attempts": _attempts(answer),
        "score": f"{card.overall:.2f}" if card and card.overall is not None else "not judged",
        "coverage": f"{card.coverage:.2f}" if card else "–",
    }


def _attempts(answer: Answer) -> str:
    """How many there were; of several, each one's score and which is the one above."""
    if not answer.tried:
        return str(answer.attempts)
    each = ", ".join("not judged" if s is None else f"{s:.2f}" for s in answer.tried)
    return f"{answer.attempts} ({each}; kept {answer.kept})"
