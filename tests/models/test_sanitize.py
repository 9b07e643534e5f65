"""What stands beside an answer costs no answer, and what is none says what it is."""

import json

import pytest

from core.requests import Fault
from dr_rd.models.chat.sanitize import InvalidResponse, sanitized_body
from tests.models.test_chat import answered, http

MESSAGE = {"role": "assistant", "content": "yes"}


def completion(message=MESSAGE, finish="stop", **fields) -> dict:
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {"id": "1", "object": "chat.completion", "created": 0, "model": "m",
            "choices": [choice], **fields}  # fmt: skip


def heard(**fields):
    return answered(http(json.dumps(completion(**fields))))


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        ({"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}, (3, 2)),
        ({"prompt_tokens": 3, "completion_tokens": 2}, (3, 2)),
        ({"total_tokens": 7}, (7, 0)),
        ({"prompt_tokens": 3, "total_tokens": 7}, (3, 4)),
        ({"completion_tokens": 3, "total_tokens": 7}, (4, 3)),
        ({"prompt_tokens": 1.0, "completion_tokens": 2.0, "total_tokens": 3.0}, (1, 2)),
        ({"prompt_tokens": -5, "completion_tokens": -1, "total_tokens": -6}, (None, None)),
        ({"prompt_tokens": 3}, (3, None)),
        ({"completion_tokens": 3, "total_tokens": 3}, (None, 3)),
        ({"prompt_tokens": "12", "completion_tokens": True, "total_tokens": None}, (None, None)),
        ({"prompt_tokens": float("nan"), "completion_tokens": float("inf")}, (None, None)),
        *((odd, (None, None)) for odd in ([1], "7", 7, {}, None)),
    ],
)
def test_counts_are_read_as_far_as_they_are_counts(usage, counts):
    reply = heard(usage=usage)
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ("yes", *counts)


@pytest.mark.parametrize(
    "fields",
    [
        *({"model": odd} for odd in (None, 7, ["m"], {"name": "m"})),
        *({"finish": odd} for odd in ({"type": "stop"}, 1, ["stop"])),
        {"service_tier": {"deep": [1]}, "created": "today"},
        {"message": {**MESSAGE, "tool_calls": "none"}},
        {"message": {**MESSAGE, "tool_calls": [None, {}, {"function": 5}]}},
        {"message": {**MESSAGE, "content": [{"type": "text", "text": "yes"}, {"type": "odd"}]}},
    ],
)
def test_what_is_odd_beside_an_answer_costs_no_answer(fields):
    assert (heard(**fields).text, heard(**fields).finish) == ("yes", "stop")


@pytest.mark.parametrize(
    ("content", "text"), [({"steps": [1]}, '{"steps": [1]}'), ([1, 2], "[1, 2]"), (5, "5")]
)
def test_an_answer_that_comes_as_a_value_is_the_text_of_it(content, text):
    assert heard(message={"role": "assistant", "content": content}).text == text


@pytest.mark.parametrize(
    ("arguments", "args"),
    [
        ({"a": 1}, {"a": 1}), ('{"a": 1}', {"a": 1}), (None, {}), ("", {}), ("null", {}),
        ([1], None), ("[1]", None), (5, None), ('{"a": ', None), ("a = 1", None), (False, None),
    ],
)  # fmt: skip
def test_a_tools_arguments_are_an_object_or_the_call_says_that_they_are_none(arguments, args):
    call = {"id": None, "function": {"name": "add", "arguments": arguments}}
    reply = heard(message={"content": None, "tool_calls": [call]}, finish="tool_calls")
    (found,) = reply.tool_calls
    assert (found.name, found.args, bool(found.problem)) == ("add", args, args is None)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"error": {"message": "model is loading", "code": 5}}', "failed: model is loading"),
        ('{"error": "out of memory"}', "failed: out of memory"),
        ('{"error": {"code": 7}, "choices": []}', 'failed: {"code": 7}'),
        ("\n <!doctype html><title>Sign in</title>", "sent a web page and no reply"),
        ('{"detail": "no"}', "sent a reply that is no chat completion"),
    ],
)
def test_what_is_no_reply_says_what_it_is(body, said):
    fault = answered(http(body))
    assert isinstance(fault, Fault)
    assert said in fault.message
    assert fault.kind == "transient"


def test_a_model_that_refuses_says_so_in_its_words():
    fault = heard(message={"role": "assistant", "content": None, "refusal": "I will not."})
    assert (fault.kind, fault.message) == (
        "permanent",
        "the model refuses to answer: I will not.",
    )


@pytest.mark.parametrize("body", [b"", b"null", b"[1]", b"{", b'{"data": [{"id": "m"}]}', b"\xff"])
def test_what_is_no_completion_stays_as_it_is(body):
    assert sanitized_body(body) == body


def test_a_long_failure_is_quoted_in_part():
    with pytest.raises(InvalidResponse):
        sanitized_body(b'{"error": "no"}')
    assert len(answered(http(json.dumps({"error": "x" * 9_000}))).message) < 300
