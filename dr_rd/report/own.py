"""The words of a proposal that are a person's or a model's; the rest is the workbench's own.

What the library, the templates and the calculations word is evidence for or against no limit:
steps declare what they do, and figures are compared as figures.
"""

import re
from collections.abc import Iterable, Iterator

from core.graph.state import GraphTask
from dr_rd.planning.design import Design
from dr_rd.planning.guesses import LIBRARY

_SECTIONS = re.compile(
    r"^<!-- words of a model -->\n(.*?)\n<!-- end of words -->$", re.M | re.DOTALL
)
"""The sections of a proposal that a model wrote, between comments of the template.

No value that a template is filled with can hold a comment, so that nobody forges them.
"""

_ADDED = re.compile(
    r"^\*\*(?:What is done beyond these steps|What it turns on)\*\*, as the model .*?\n\n(.*?)"
    r"(?=\n\n\*\*|\n\nOf what the model wrote|\Z)",
    re.M | re.DOTALL,
)
"""What a model added to an answer, under the headings of the template."""


def own_words(text: str, tasks: Iterable[GraphTask], design: Design) -> str:
    """Return what a model wrote of *text*, and the words of *tasks* that are not the library's."""
    added = [*_SECTIONS.findall(text), *_ADDED.findall(text)]
    theirs = {line for t in design.tasks if LIBRARY in t.source for line in _lines(t)}
    written = [line for t in tasks for line in _lines(t) if line not in theirs]
    return "\n\n".join([*written, *added])


def _lines(task: GraphTask) -> Iterator[str]:
    """What a task says, but for the items that it takes upon itself in the brief's own words."""
    yield f"### {task.id} {task.title}"
    yield from (line for line in (task.description, *task.steps) if line)
    yield from (a.text for a in task.acceptance if not a.ledger_ids)
    if task.deliverable:
        yield task.deliverable
