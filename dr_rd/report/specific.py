"""The steps of a plan that are this study's own, as many as the first pages have room for."""

from collections.abc import Iterator

from dr_rd.brief import Brief
from dr_rd.planning.design import Design
from dr_rd.planning.library import Library
from dr_rd.report.content import content_stems

MOST_WORDS = 2_490
"""Words that a proposal holds before its annexes, with some to spare."""

_ALIKE = 0.6
"""Share of a technique's words by which a step of a plan is known as its own."""

_BEGINNING = 60
"""Characters by which a step that the body shows already is known."""

_EACH = 3
"""Steps of one task that are shown."""

_ANNEXES = "## Annexes"


def specific_steps(brief: Brief, design: Design, library: Library, body: str) -> tuple[str, ...]:
    """Return the steps that techniques of this brief bring in, and that speak of it, each behind its task.

    They come in the order of the work, and only as many as leave *body*, the proposal without them,
    within `MOST_WORDS` before its annexes.
    """
    body = body.partition(_ANNEXES)[0]
    left = MOST_WORDS - len(body.split())
    taken: dict[tuple[int, int], str] = {}
    used: dict[str, int] = {}
    for _, place, number, task_id, step in sorted(_ranked(brief, design, library, body)):
        text = f"{task_id}: {step.rstrip('.')}."
        words = len(text.split())
        if words > left or used.get(task_id, 0) >= _EACH:
            continue
        left, used[task_id] = left - words, used.get(task_id, 0) + 1
        taken[place, number] = text
    return tuple(taken[key] for key in sorted(taken))


def _ranked(
    brief: Brief, design: Design, library: Library, body: str
) -> Iterator[tuple[int, int, int, str, str]]:
    """The steps that are this study's own, those that share most with its brief first in order."""
    chosen = next(d.text for d in design.directions if d.id == design.chosen)
    lines = (*brief.hard_constraints, *brief.success_criteria, chosen)
    slots = design.slots
    everywhere = content_stems(f"{slots.get('outcome', '')} {slots.get('treatment', '')}")
    asked = content_stems(" ".join(lines)) - everywhere
    known = [
        content_stems(s.text)
        for t in library.techniques
        if t.title in design.techniques
        for steps in t.phases.values()
        for s in steps
    ]
    for place, task in enumerate(design.tasks):
        for number, step in enumerate(task.steps):
            words = content_stems(step)
            brought = any(len(k & words) >= _ALIKE * len(k) for k in known if k)
            if brought and step[:_BEGINNING] not in body:
                yield -len(asked & words), place, number, task.id, step
