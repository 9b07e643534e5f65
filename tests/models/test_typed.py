"""Whatever a model replies becomes a value of the type that was asked, or a reason why not."""

import json
from pathlib import Path
from typing import Literal

import anyio
import pytest
import yaml
from pydantic import Field, field_validator

from core.clock import SystemClock
from core.errors import CallerError, TaskError
from core.graph.state import GraphTask, checked
from core.requests import Reply, ToolCall
from core.testing import FakeCalls
from core.values import Frozen
from dr_rd.models.chat.send import chat_send
from dr_rd.models.typed.ask import Model, Question
from dr_rd.models.typed.schema import closed
from dr_rd.models.typed.shape import shaped
from tests.fake_llm import FakeLLM

_SHAPES = yaml.safe_load(
    (Path(__file__).parents[1] / "data/replies/shapes.yaml").read_text(encoding="utf-8")
)
_QUESTION = Question(purpose="plan", system="You plan.", user="Soil carbon.", task_id="T01")
_GOOD = '{"tasks": [{"id": "T1", "title": "Sample", "role": "statistician", "days": 5}]}'


class Task(Frozen):
    id: str
    title: str = Field(max_length=40)
    role: Literal["statistician", "field-coordinator"]
    days: float = Field(gt=0)
    depends_on: tuple[str, ...] = ()
    blind: bool = False
    note: str | None = None

    @field_validator("days", mode="before")
    @classmethod
    def _counts(cls, value):
        if isinstance(value, bool):
            raise ValueError("a number is asked, not true or false")
        return value


class Plan(Frozen):
    tasks: tuple[Task, ...] = Field(min_length=1)


class Claim(Frozen):
    text: str = Field(min_length=1)
    kind: Literal["quoted", "computed", "assumption"]
    evidence: tuple[str, ...] = ()


class Answer(Frozen):
    summary: str
    confidence: Literal["low", "medium", "high"]
    claims: tuple[Claim, ...] = Field(min_length=1)
    unknowns: tuple[str, ...] = ()


class Section(Frozen):
    heading: str = Field(max_length=60)
    paragraphs: tuple[str, ...] = Field(min_length=1)
    words: int | None = Field(default=None, ge=1)


def sound(plan: Plan) -> None:
    known = {t.id for t in plan.tasks}
    try:
        checked(
            tuple(
                GraphTask(
                    id=t.id, role=t.role, title=t.title, depends_on=tuple(known & {*t.depends_on})
                )
                for t in plan.tasks
            )
        )
    except CallerError as wrong:
        raise ValueError(str(wrong)) from wrong


def ask(calls: FakeCalls, kind=Plan, check=sound, form="schema"):
    async def go():
        return await Model(calls, "http://here", "m", form).ask(_QUESTION, kind, check=check)

    return anyio.run(go)


_KINDS = {"plan": (Plan, sound), "answer": (Answer, None), "section": (Section, None)}


@pytest.mark.parametrize("held", _SHAPES, ids=lambda held: held["name"])
def test_a_reply_of_another_shape_is_understood_or_sent_back_with_the_reason(held):
    kind, check = _KINDS[held.get("kind", "plan")]
    calls = FakeCalls([json.dumps(held["reply"]), "no"])
    if "refused" not in held:
        value = {"tasks": held["tasks"]} if "tasks" in held else held["value"]
        assert ask(calls, kind, check) == kind.model_validate(value)
        assert len(calls.asked) == 1
        return
    with pytest.raises(TaskError):
        ask(calls, kind, check)
    assert len(calls.asked) == 2
    said = calls.asked[1].body["messages"][-1]["content"]
    assert said.startswith(f"That reply cannot be used: {held['refused']}")


def test_the_shapes_are_many_and_those_of_plans_answers_and_sections():
    names = [held["name"] for held in _SHAPES]
    assert len(names) == len(set(names)) >= 60
    kinds = [held.get("kind", "plan") for held in _SHAPES]
    assert all(kinds.count(kind) >= 8 for kind in _KINDS)


def test_a_reply_that_cannot_be_read_goes_back_once_with_the_exact_reason():
    calls = FakeCalls(["I would rather not.", f"Sorry! ```json\n{_GOOD}\n```"])
    assert ask(calls).tasks[0].id == "T1"
    first, again = calls.asked
    assert (first.purpose, again.purpose) == ("plan", "plan-repair")
    assert again.body["messages"][:2] == first.body["messages"]
    assert [m["content"] for m in again.body["messages"][2:]] == [
        "I would rather not.",
        "That reply cannot be used: the reply holds no JSON object or array. Send the whole JSON "
        "again with this put right, and nothing else.",
    ]


def test_after_a_repair_that_does_not_help_the_task_fails_and_says_both_reasons():
    calls = FakeCalls(["no", '{"tasks": []}'])
    with pytest.raises(TaskError) as failed:
        ask(calls)
    assert str(failed.value) == (
        "the model 'm' gave no usable plan: tasks: list should have at least 1 item after "
        "validation, not 0, but it is []; the reply before was refused because the reply holds no "
        "JSON object or array"
    )
    assert len(calls.asked) == 2


def called(args, name="submit_plan", text="") -> Reply:
    call = ToolCall(id="c1", name=name, args=args)
    return Reply(text=text, tool_calls=(call,), finish="tool_calls")


@pytest.mark.parametrize("wrap", [lambda plan: plan, lambda plan: {"plan": plan}])
def test_the_arguments_of_a_tool_call_are_the_reply_where_they_fit(wrap):
    calls = FakeCalls([called(wrap(json.loads(_GOOD)))])
    assert ask(calls).tasks[0].id == "T1"
    assert len(calls.asked) == 1


def test_of_several_tool_calls_the_first_is_read():
    first, other = called(json.loads(_GOOD)), called({"tasks": []})
    both = first.model_copy(update={"tool_calls": (*first.tool_calls, *other.tool_calls)})
    assert ask(FakeCalls([both])).tasks[0].id == "T1"


def test_text_goes_before_a_tool_call():
    assert ask(FakeCalls([called({"tasks": []}, text=_GOOD)])).tasks[0].id == "T1"


@pytest.mark.parametrize(
    ("args", "wrong"),
    [
        ({"tasks": []}, "tasks: list should have at least 1 item after validation, not 0"),
        ({"query": "soil"}, "the reply calls the tool 'search', and JSON in its text is asked"),
        ({}, "the reply calls the tool 'search', and JSON in its text is asked"),
        (None, "the reply calls the tool 'search', and JSON in its text is asked"),
    ],
)
def test_a_tool_call_that_does_not_fit_goes_back_with_the_reason(args, wrong):
    calls = FakeCalls([called(args, name="search"), _GOOD])
    assert ask(calls).tasks[0].id == "T1"
    shown, reason = calls.asked[1].body["messages"][-2:]
    assert json.loads(shown["content"]) == [{"tool": "search", "args": args}]
    assert reason["content"].startswith(f"That reply cannot be used: {wrong}")


def test_a_tool_call_over_http_is_read_as_the_reply():
    plan = json.loads(_GOOD)

    async def go():
        async with (
            FakeLLM(reply=lambda request: {"tool_calls": [{"name": "x", "arguments": plan}]}) as f,
            chat_send(f.base_url, "", clock=SystemClock()) as send,
        ):
            return await Model(Sent(send), "http://here", "m").ask(_QUESTION, Plan)

    assert anyio.run(go).tasks[0].id == "T1"


class Sent:
    def __init__(self, send):
        self._send = send

    async def call(self, request, slot=None):
        del slot
        return await self._send(request)


@pytest.mark.parametrize(
    ("form", "held_to"), [("schema", "json_schema"), ("json", "json_object"), ("text", None)]
)
def test_each_server_is_held_to_json_in_the_strongest_form_it_understands(form, held_to):
    calls = FakeCalls([_GOOD])
    ask(calls, form=form)
    body = calls.asked[0].body
    assert body.get("response_format", {}).get("type") == held_to
    assert ("JSON schema" in body["messages"][0]["content"]) == (form != "schema")


def test_a_list_may_be_asked_and_a_list_is_preferred_to_objects_beside_it():
    calls = FakeCalls(['For {"x": 1}: ["a", "b"]'])
    assert ask(calls, kind=list[str], check=None) == ["a", "b"]


def test_a_strict_schema_leaves_no_field_open():
    schema = closed(Plan.model_json_schema())
    task = schema["$defs"]["Task"]
    assert schema["additionalProperties"] is task["additionalProperties"] is False
    assert task["required"] == list(task["properties"])
    assert "default" not in json.dumps(schema)


@pytest.mark.parametrize(
    ("said", "read"),
    [("2", 2), (" 1 ", 1), ("two", 2), (2, 2), ("3", "3"), ("2 sides", "2 sides"), (True, True)],
)
def test_a_number_given_as_text_is_read_where_a_fixed_one_was_asked(said, read):
    schema = {"type": "object", "properties": {"sides": {"enum": [1, 2], "type": "integer"}}}
    assert shaped({"sides": said}, schema) == {"sides": read}
