"""Questions to people, and the one decision that answers each.

A mode asks as many as it likes; the run waits until each has its decision, which is a file that
is written once. What a question's deadline brings is written into the question itself.
"""

import json
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, JsonValue, TypeAdapter, field_validator

from core.errors import CallerError
from core.values import Frozen, digest, unsaid

QUESTION_ID = r"^[a-z0-9][a-z0-9-]{0,62}$"
"""What a question may be called: it names a file."""

Kind = Literal["approve_plan", "take_turn", "vote", "unblock", "confirm_reading"]
"""What a person is asked to do."""

ANYBODY = ""
"""Who may answer a question that is put to nobody in particular."""


class Question(Frozen):
    """What a person is asked before the run can go on."""

    id: str = Field(pattern=QUESTION_ID)
    """Its name within the run; the same question after a crash has the same."""
    kind: Kind
    text: str
    """What is asked, in a sentence."""
    answer_schema: Mapping[str, JsonValue]
    """The JSON schema (draft 2020-12) that an answer must fit."""
    who: str = Field(default=ANYBODY, exclude_if=unsaid)
    """The one person who may answer; ANYBODY may if empty."""
    context: Mapping[str, JsonValue] = Field(default={}, exclude_if=unsaid)
    """What the person should see: what is known, what each answer does, what was tried."""
    within_s: float | None = Field(default=None, gt=0, exclude_if=unsaid)
    """Seconds from its asking after which *otherwise* is the answer; None waits for ever."""
    otherwise: JsonValue = Field(default=None, exclude_if=lambda answer: answer is None)
    """The answer that is taken at the deadline; an empty one, 0 and false are answers too."""

    @field_validator("text")
    @classmethod
    def _asks_something(cls, text: str) -> str:
        if not text.strip():
            raise ValueError("a question needs a text")
        return text


class Decision(Frozen):
    """One person's answer to one question."""

    question_id: str
    by: str
    """Who decided; DEADLINE if nobody did in time."""
    at: str
    """When, in UTC."""
    answer: JsonValue

    @property
    def digest(self) -> str:
        """SHA-256 of the decision's file as canonical JSON."""
        return digest(self.model_dump(mode="json"))


DEADLINE = "deadline"
"""Who decided where the deadline passed and the question's default was taken."""


class OpenQuestion(Frozen):
    """A question that waits for its answer."""

    question: Question
    asked_at: str
    """When, in UTC."""
    deadline: str = ""
    """When its default becomes the answer, in UTC; "" is never."""


def check_question(question: Question) -> None:
    """Raise ValueError if nobody could answer *question*, or if its default would be no answer."""
    from jsonschema import Draft202012Validator, SchemaError  # noqa: PLC0415 - as below

    schema = dict(question.answer_schema)
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as wrong:
        raise ValueError(
            f"the answer schema of question {question.id!r} is no JSON schema: {_fault(wrong)}"
        ) from wrong
    if question.within_s is not None and not Draft202012Validator(schema).is_valid(
        question.otherwise
    ):
        raise ValueError(
            f"what is taken at the deadline of question {question.id!r}, "
            f"{_short(question.otherwise)}, does not fit its own answer schema"
        )


def check_answer(question: Question, answer: JsonValue, by: str) -> None:
    """Raise CallerError, in one sentence, if *by* may not give that *answer* to *question*."""
    # imported here: only who answers needs the library, and it takes a tenth of a second
    from jsonschema import Draft202012Validator  # noqa: PLC0415

    if question.who not in (ANYBODY, by):
        raise CallerError(
            f"question {question.id!r} is put to {question.who!r}, not to {by!r}; "
            f"let {question.who!r} answer it"
        )
    try:
        json.dumps(answer, ensure_ascii=False, allow_nan=False).encode()
    except ValueError as wrong:
        raise CallerError(
            f"the answer to {question.id!r} cannot be kept as JSON ({wrong}); use plain text and "
            "finite numbers"
        ) from wrong
    faults = sorted(
        Draft202012Validator(dict(question.answer_schema)).iter_errors(answer),
        key=lambda fault: list(map(str, fault.path)),
    )
    if faults:
        place = ".".join(str(part) for part in faults[0].path)
        where = f" at {place}" if place else ""
        raise CallerError(
            f"the answer to {question.id!r} does not fit{where}: {_fault(faults[0])}"
        )


def _fault(fault: Any) -> str:  # noqa: ANN401 - the library types its errors loosely
    """Return what is wrong in a line; of alternatives what each asks for."""
    if fault.validator in ("oneOf", "anyOf"):
        if meant := [inner for inner in fault.context if _is_object(fault, inner)]:
            return "; ".join(map(_placed, meant))
        asks = [_wanted(schema) for schema in fault.validator_value]
        return f"{_short(fault.instance)} is neither of: {'; '.join(asks)}"
    message: str = fault.message
    return message if len(message) <= _LONGEST else f"{message[:_LONGEST]}..."


def _is_object(fault: Any, inner: Any) -> bool:  # noqa: ANN401 - as above
    """Whether an object was given, and *inner* is wrong in it as one of the alternatives."""
    alternative = fault.validator_value[inner.schema_path[0]]
    return isinstance(fault.instance, dict) and alternative.get("type") == "object"


def _placed(fault: Any) -> str:  # noqa: ANN401 - as above
    place = ".".join(map(str, fault.path))
    return f"{place}: {_fault(fault)}" if place else _fault(fault)


_LONGEST = 300


def _wanted(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(map(str, schema["enum"]))
    names = ", ".join(schema.get("properties", {}))
    return f"an object with {names}" if names else f"a {schema.get('type', 'value')}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}..."


def answer_from_text(text: str) -> JsonValue:
    """Read what was typed for an answer: JSON, or else the text itself."""
    try:
        found: JsonValue = _JSON.validate_json(text)
    except ValueError:
        return text
    return found


_JSON: TypeAdapter[JsonValue] = TypeAdapter(JsonValue)
