"""The workbench's own commands as tools for other programs: text in, JSON out; no file but a run's."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, JsonValue

from core.errors import CallerError, TaskError
from core.settings import Flags
from core.tool_router import Tool
from core.trace import verify
from core.values import Frozen
from dr_rd.brief import Brief
from dr_rd.checks import build_ledger, check, to_json
from dr_rd.evaluation.scorecard import load_rubric, load_template, score
from dr_rd.evaluation.subject import Subject
from dr_rd.families import load_ranker
from dr_rd.reading import full_reader, parse_brief, understood
from dr_rd.reading.files import Given
from dr_rd.report.proposal import FOOTER
from dr_rd.workbench import Workbench, load_workbench

_MOST = 200_000
"""Characters of a text."""

_FLAGS = Flags()


class OfBrief(Frozen):
    """A brief."""

    brief: str = Field(
        min_length=1, max_length=_MOST, description="The brief's text: YAML, JSON or prose."
    )


class OfText(OfBrief):
    """A text under a brief."""

    text: str = Field(min_length=1, max_length=_MOST, description="Any plan or proposal.")


class Evaluated(Frozen):
    """A text to be scored."""

    text: str = Field(min_length=1, max_length=_MOST, description="Any plan or proposal.")
    brief: str = Field(default="", max_length=_MOST, description="Its brief's text, if known.")


class OfRun(Frozen):
    """A run on this machine."""

    run_dir: Path = Field(description="The run's folder.")
    head: str = Field(default="", description="The trace head that it must end with, if known.")


def command_tools() -> tuple[Tool, ...]:
    """Return read, plan, check, evaluate and verify as tools; the library is read at first use."""
    held: list[Workbench] = []

    def workbench() -> Workbench:
        if not held:
            held.append(load_workbench())
        return held[0]

    def plan(asked: OfBrief) -> JsonValue:
        design = workbench().design(_brief(asked.brief), ())
        return design.model_dump(mode="json")

    return (
        _tool("read", "What is understood of a research brief, and what is not.", OfBrief, _read),
        _tool("plan", "Plans a research brief: tasks, directions, risks, gates, costs, questions.",
              OfBrief, plan),
        _tool("check", "Holds any text against each limit of a brief: met, violated, unclear or not shown.",
              OfText, _check),
        _tool("evaluate", "Scores a plan or proposal; a score says which defects code found, not that it is "
              "good science.", Evaluated, _evaluate),
        _tool("verify", "Whether the record of a run in a folder is whole and unchanged.", OfRun, _verify),
    )  # fmt: skip


def _tool(name: str, about: str, params: type[BaseModel], run: Callable[[Any], JsonValue]) -> Tool:
    def told(asked: Any) -> JsonValue:  # noqa: ANN401 - one of the parameters above
        try:
            return run(asked)
        except CallerError as mistake:
            raise TaskError(str(mistake)) from mistake

    return Tool(name=name, description=about, params=params, run=told, max_calls_per_run=1000)


def _brief(text: str) -> Brief:
    return parse_brief(text)


def _read(asked: OfBrief) -> JsonValue:
    given = Given(asked.brief, None, "brief")
    found = understood(given, full_reader(load_ranker()))
    study: JsonValue = found.study.model_dump(mode="json", by_alias=True)
    return study


def _check(asked: OfText) -> JsonValue:
    return to_json(check(build_ledger(_brief(asked.brief)), asked.text))


def _evaluate(asked: Evaluated) -> JsonValue:
    brief = _brief(asked.brief) if asked.brief.strip() else None
    subject = Subject(
        text=asked.text.partition(FOOTER)[0],
        brief=brief,
        ledger=build_ledger(brief) if brief else None,
        template=load_template("proposal"),
    )
    least = _FLAGS.EVALUATOR_MIN_OVERALL
    card = score(subject, load_rubric("proposal"), threshold=least, weights={})
    return card.model_dump(mode="json")


def _verify(asked: OfRun) -> JsonValue:
    return verify(asked.run_dir, asked.head.strip().lower()).model_dump(mode="json")
