"""How a run is scored: by our metrics, and by evaluators of other packages on record."""

from functools import partial

from pydantic import JsonValue

from core.compute import in_thread
from core.errors import TaskError
from core.scores import Criterion, Rubric, Score, Scorecard
from core.settings import Flags
from core.tool_router import Tool, call_tool
from dr_rd.evaluation.metrics import METRICS
from dr_rd.evaluation.plugins import Ask, Plugins, ask
from dr_rd.evaluation.scorecard import score
from dr_rd.evaluation.subject import Subject

EVALUATOR = "evaluator"
"""The tool that asks another package's evaluator, so that its word is on record like a tool's."""

GATE = "gate"
"""The role that asks for scores."""


def evaluator(plugins: Plugins, rubric: Rubric, flags: Flags) -> Tool:
    """Return the tool that asks evaluators of other packages; no task can plan it."""

    async def run(asked: Ask) -> JsonValue:
        found = await in_thread(plugins.score, asked)
        return found.model_dump(mode="json")

    most = flags.MAX_ATTEMPTS * len(rubric.criteria) * 2
    about = "Asks the evaluator of another package."
    return Tool(EVALUATOR, about, Ask, run, max_calls_per_run=most)


async def scored(subject: Subject, rubric: Rubric, flags: Flags) -> Scorecard:
    """Score beside the event loop; what other packages say is on record first."""
    strange = [c for c in rubric.criteria if c.key not in METRICS]
    said = {c.key: await _plugin_score(c, subject) for c in strange}
    scoring = partial(
        score,
        threshold=flags.EVALUATOR_MIN_OVERALL,
        weights=flags.EVALUATOR_WEIGHTS,
        others=lambda criterion, _: said[criterion.key],
    )
    return await in_thread(scoring, subject, rubric)


async def _plugin_score(criterion: Criterion, subject: Subject) -> Score:
    """Return what the evaluator of another package says, from the record if it is there."""
    asked = ask(criterion, subject).model_dump(mode="json")
    task_id = subject.task.id if subject.task else ""
    said = await call_tool(EVALUATOR, asked, task_id=task_id, role=GATE, planned=(EVALUATOR,))
    if said.error:
        raise TaskError(said.error)
    return Score.model_validate(said.output)
