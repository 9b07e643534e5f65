"""A run of the past as what another run works from: its brief, plan, answers and result."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field, JsonValue

from core.errors import CallerError
from core.files import SUMS
from core.graph.files import planned_tasks, read_answers
from core.graph.state import Answer, GraphTask
from core.store import RunFolder
from core.trace import status_of
from core.values import Frozen
from dr_rd.brief import Brief
from dr_rd.planning.design import Design

RESULT = "result.json"


class PastRun(Frozen):
    """What a run left that has ended; it is copied, so that the new run stands alone."""

    run_id: str
    project_id: str
    mode: str
    status: str
    """How it ended."""
    seed: int
    brief: Brief
    """What was asked, with the notes on plans that were sent back as limits."""
    design: Design | None = None
    """Why its plan is as it is; None where its mode plans nothing."""
    tasks: tuple[GraphTask, ...] = ()
    """The plan as it was approved."""
    answers: Mapping[str, Answer] = Field(default={})
    """The answers to its tasks, by task."""
    result: JsonValue = None
    """What a mode without a plan came to."""


def read_past(folder: RunFolder, design: Design | None, brief: Brief) -> PastRun:
    """Return the run in *folder*, made from that *design* and *brief*.

    Raises CallerError if it has not ended.
    """
    if not folder.has(SUMS):
        status = status_of(folder.trace_path, driven=folder.is_driven())
        raise CallerError(
            f"run {folder.run_id!r} is {status}; only a run that has ended can be built on, "
            f"so finish it first: dr-rd resume {folder.path}"
        )
    options, tasks = folder.options(), planned_tasks(folder)
    result: Any = folder.read_json(RESULT) if folder.has(RESULT) else None
    return PastRun(
        run_id=folder.run_id,
        project_id=folder.project_id,
        mode=options.mode,
        status=status_of(folder.trace_path, driven=False),
        seed=options.seed,
        brief=brief,
        design=design,
        tasks=tasks,
        answers=read_answers(folder, tasks),
        result=result,
    )
