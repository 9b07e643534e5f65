"""The question that every plan raises: whether it may be worked as it stands."""

from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

from pydantic import JsonValue, ValidationError

from core.errors import CallerError
from core.questions import Question
from core.values import Frozen

Verdict = Literal["approve", "send_back", "stop"]

_ID: Final = "approve-plan"


class Approval(Frozen):
    """A person's answer to a plan."""

    verdict: Verdict
    note: str = ""
    """What the planner is to change, or why the run stops."""
    tasks: tuple[Mapping[str, Any], ...] | None = None
    """The plan as the person edited it; None as it was proposed."""


_SCHEMA: Final[Mapping[str, JsonValue]] = {
    "oneOf": [
        {"enum": ["approve", "stop"]},
        {
            "type": "object",
            "required": ["verdict"],
            "additionalProperties": False,
            "properties": {
                "verdict": {"enum": list(get_args(Verdict))},
                "note": {"type": "string"},
                "tasks": {"type": "array", "minItems": 1, "items": {"type": "object"}},
            },
            "if": {"properties": {"verdict": {"const": "send_back"}}},
            "then": {"required": ["note"], "properties": {"note": {"pattern": r"\S"}}},
        },
    ]
}


def approval_id(sent_back: int) -> str:
    """Return the id of the question about the plan that was made after so many were sent back."""
    return _ID if not sent_back else f"{_ID}-{sent_back + 1}"


def approval_question(sent_back: int = 0) -> Question:
    """Return the question about that plan."""
    return Question(
        id=approval_id(sent_back),
        kind="approve_plan",
        text="Approve the plan?",
        answer_schema=_SCHEMA,
    )


def read_approval(answer: JsonValue) -> Approval:
    """Read an answer to that question; raises CallerError if it is none."""
    try:
        given = {"verdict": answer} if isinstance(answer, str) else answer
        return Approval.model_validate(given)
    except ValidationError as error:
        raise CallerError(
            f"{answer!r} is no answer to a plan; choose from: {', '.join(get_args(Verdict))}"
        ) from error
