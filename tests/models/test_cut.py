"""A reply that its length limit cut is continued, or known to be a part: never taken for whole."""

import json
from dataclasses import dataclass, field

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.breakers import Breakers
from core.budget import Budget
from core.calls import Caller, Recall, past_calls
from core.clock import SystemClock, seeded
from core.errors import TaskError
from core.events import CallEnded, Row
from core.requests import Incomplete, Reply, Request
from core.settings import Flags
from core.testing import FakeCalls
from core.values import Frozen, digest
from dr_rd.models.chat.send import chat_send
from dr_rd.models.typed.ask import TOO_LONG, Model, Question, Unfinished
from dr_rd.models.typed.read import Unreadable, read_value
from tests.fake_llm import FakeLLM

_QUESTION = Question(purpose="answer", system="You answer.", user="Soil carbon.", task_id="T01")


class Claim(Frozen):
    text: str
    evidence: str


class Answer(Frozen):
    summary: str
    claims: tuple[Claim, ...] = ()


_CLAIMS = [{"text": f"Plot {n} was sampled.", "evidence": f"E00{n}"} for n in range(1, 5)]
_WHOLE = json.dumps({"summary": "Four plots.", "claims": _CLAIMS})
_ANSWER = Answer.model_validate_json(_WHOLE)
_SEAMS = [n for n in range(len(_WHOLE)) if _WHOLE[n - 1] == " "]
"""Where a reply may be cut and go on with no word lost."""


def cut(text: str, finish: str = "length") -> Incomplete:
    return Incomplete(f"the answer was cut ({finish})", Reply(text=text, finish=finish))


def ask(calls, form="schema", kind=Answer, check=None):
    async def go():
        model = Model(calls, "http://here", "m", form)
        return await model.ask(_QUESTION, kind, check=check)

    return anyio.run(go)


# ------------------------------------------------------------------------------ continued


@pytest.mark.parametrize("form", ["schema", "json", "text"])
def test_a_reply_that_was_cut_goes_on_where_it_stopped(form):
    one, two = _SEAMS[5], _SEAMS[9]
    calls = FakeCalls([cut(_WHOLE[:one]), cut(_WHOLE[one:two]), _WHOLE[two:]])
    assert ask(calls, form) == _ANSWER
    assert [r.purpose for r in calls.asked] == ["answer", "answer-more", "answer-more"]
    assert [r.task_id for r in calls.asked] == ["T01"] * 3
    begun = calls.asked[0].body["messages"]
    for request, part in zip(calls.asked[1:], (_WHOLE[:one], _WHOLE[:two]), strict=True):
        said = request.body["messages"][len(begun) :]
        assert said[0] == {"role": "assistant", "content": part}
        assert said[1]["content"].startswith(
            f"Your reply was cut off after these characters:\n{part[-40:]}\nWrite only what comes"
        )
        assert "response_format" not in request.body  # it would make the server begin anew


def test_a_repair_that_was_cut_goes_on_as_well():
    one = _SEAMS[5]
    calls = FakeCalls(["no", cut(_WHOLE[:one]), _WHOLE[one:]])
    assert ask(calls) == _ANSWER
    assert [r.purpose for r in calls.asked] == ["answer", "answer-repair", "answer-repair-more"]


def test_the_word_in_which_a_reply_was_cut_is_asked_again():
    one = next(n for n in _SEAMS if _WHOLE[n:].startswith("sampled"))
    calls = FakeCalls([cut(_WHOLE[: one + 4]), _WHOLE[one:]])
    assert ask(calls) == _ANSWER
    assert calls.asked[1].body["messages"][-2]["content"] == _WHOLE[:one]


def test_a_model_that_ends_after_a_few_words_is_asked_for_the_rest():
    one, two = _SEAMS[5], _SEAMS[9]
    calls = FakeCalls([cut(_WHOLE[:one]), _WHOLE[one:two], _WHOLE[two:]])
    assert ask(calls) == _ANSWER
    assert [r.purpose for r in calls.asked] == ["answer", "answer-more", "answer-more"]


def test_parts_that_make_no_usable_reply_go_back_joined():
    calls = FakeCalls([cut('{"sum": '), '"x"}', _WHOLE])
    assert ask(calls) == _ANSWER
    again = calls.asked[2]
    assert again.purpose == "answer-repair"
    assert again.body["messages"][-2]["content"] == '{"sum": "x"}'
    assert "summary: field required" in again.body["messages"][-1]["content"]


@pytest.mark.parametrize("after", ["", "\n" * 400, "\n```", " \n \t"])
def test_a_value_that_was_closed_before_the_cut_is_whole(after):
    calls = FakeCalls([cut(_WHOLE + after)])
    assert ask(calls) == _ANSWER
    assert len(calls.asked) == 1


def test_a_value_with_more_behind_it_may_have_another_to_come():
    calls = FakeCalls([cut(f"{_WHOLE}\nOn second thoughts"), f" it is this:\n{_WHOLE}"])
    assert ask(calls) == _ANSWER
    assert len(calls.asked) == 2


# ----------------------------------------------------------------------------- unfinished


def unfinished(replies, **wanted) -> Unfinished:
    calls = FakeCalls(replies)
    with pytest.raises(Unfinished) as failed:
        ask(calls, **wanted)
    assert len(calls.asked) == len(replies)
    return failed.value


def parts_of(text: str, *seams: int):
    ends = [_SEAMS[n] for n in seams]
    return [cut(text[a:b]) for a, b in zip((0, *ends), ends, strict=False)]


def test_after_three_more_calls_what_is_whole_of_a_list_is_marked_as_a_part():
    found = unfinished(parts_of(_WHOLE, 3, 7, 12, -2))
    assert str(found) == (
        "the answer of the model 'm' was cut at its length limit and is not whole after 3 more "
        "calls; allow it more tokens or ask less"
    )
    assert found.text == _WHOLE[: _SEAMS[-2]]
    assert found.value == Answer(summary="Four plots.", claims=_ANSWER.claims[:3])


def test_a_model_that_begins_anew_each_time_is_asked_no_more():
    found = unfinished([cut(_WHOLE[:120]), cut(_WHOLE[:110])])
    assert str(found).endswith("and begins anew each time; allow it more tokens or ask less")
    assert found.text == _WHOLE[:120]


def test_a_model_that_begins_anew_and_ends_is_whole():
    assert ask(FakeCalls([cut(_WHOLE[:120]), _WHOLE])) == _ANSWER


def test_a_part_that_is_no_value_of_the_kind_is_none():
    assert unfinished([cut('{"sum'), cut(", "), cut(", "), cut(", ")]).value is None


def test_a_part_that_does_not_pass_the_check_is_none():
    def four(answer):
        if len(answer.claims) < 4:
            raise ValueError("four claims are asked")

    assert unfinished(parts_of(_WHOLE, 3, 7, 12, -2), check=four).value is None


@pytest.mark.parametrize(
    "failure",
    [TaskError(f"{TOO_LONG}; give the task less to read"), cut("", "stop"), cut("x", "content_filter")],
)  # fmt: skip
def test_a_reply_that_cannot_be_continued_is_a_part_that_says_why(failure):
    found = unfinished([cut(_WHOLE[:100]), failure])
    assert "was cut at its length limit and could not be continued: " in str(found)
    assert f"continued: {failure}; allow it more tokens or ask less" in str(found)
    assert found.value.claims == _ANSWER.claims[:1]


@pytest.mark.parametrize("end", [cut(_WHOLE[:50], "content_filter"), cut("", "length")])
def test_what_a_filter_cut_or_left_nothing_of_is_not_continued(end):
    calls = FakeCalls([end])
    with pytest.raises(Incomplete):
        ask(calls)
    assert len(calls.asked) == 1


# ------------------------------------------------------------------------- what is whole


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2, 3', {"a": [1, 2]}),
        ('{"a": [1, 2, 3,', {"a": [1, 2, 3]}),
        ('{"a": [{"b": 1}, {"b": 2', {"a": [{"b": 1}]}),
        ('{"a": [{"b": 1}, {"b": 2}', {"a": [{"b": 1}, {"b": 2}]}),
        ('{"a": ["x", "y', {"a": ["x"]}),
        ('{"a": "x", "b": "the first ha', {"a": "x"}),
        ('{"a": "x", "b": tru', {"a": "x"}),
        ('{"a": "x", "b": -1.', {"a": "x"}),
        ('{"a": "x", "b', {"a": "x"}),
        ('{"a": "x", "b": "\\u00', {"a": "x"}),
        ('{"a": "x", "b": "\\', {"a": "x"}),
        ('{"a": {"b": [1, {"c": [2,', {"a": {"b": [1]}}),
        ('```json\n{"a": [1, 2,\n', {"a": [1, 2]}),
        ('Here: {"a": [1,', {"a": [1]}),
        ('{"a"', {}),
        ('{"a": [1, 2]}', {"a": [1, 2]}),
    ],
)
def test_of_a_cut_value_only_what_was_closed_is_read(text, value):
    assert read_value(text, dict, partial=True) == value


@pytest.mark.parametrize("text", ["", "{a b", '{"a": [1, 2}', '{"a": 1} {"b": [1,', "<think>{"])
def test_a_part_that_is_broken_and_not_only_cut_is_refused(text):
    with pytest.raises(Unreadable):
        read_value(text, dict, partial=True)


@given(st.integers(1, len(_WHOLE) - 1))
def test_wherever_a_reply_is_cut_its_part_holds_nothing_that_the_whole_does_not(end):
    part = read_value(_WHOLE[:end], dict, partial=True)
    assert part.get("summary", "Four plots.") == "Four plots."
    held = part.get("claims", [])
    assert held == _CLAIMS[: len(held)]
    with pytest.raises(Unreadable):
        read_value(_WHOLE[:end], dict)


# ------------------------------------------------------------------------ on record, in use


@dataclass
class Recorded:
    """A run's record, kept in memory."""

    rows: list[Row] = field(default_factory=list)
    held: dict[str, object] = field(default_factory=dict)

    def record(self, event) -> None:
        self.rows.append(Row(len(self.rows), "r", "", event, prev="", hash=""))

    def keep(self, value) -> str:
        self.held[digest(value)] = value
        return digest(value)

    def caller(self, send, past=()) -> Caller:
        clock = SystemClock()
        return Caller(
            send,
            record=self.record,
            keep=self.keep,
            clock=clock,
            random=seeded(1),
            budget=Budget(Flags(), clock),
            breakers=Breakers(),
            past=past,
        )


def going_on(request: dict) -> str:
    """Reply with the answer, or with what is left of it after what was said already."""
    said = "".join(m["content"] for m in request["messages"] if m["role"] == "assistant")
    return _WHOLE[len(said) :].lstrip()  # no model begins a turn with a blank


def test_over_http_a_cut_reply_is_continued_recorded_and_answered_from_the_record():
    question = _QUESTION.model_copy(update={"max_tokens": 20})
    recorded = Recorded()

    async def no_network(request: Request) -> Reply:
        raise AssertionError(request)

    async def go():
        async with (
            FakeLLM(reply=going_on) as fake,
            chat_send(fake.base_url, "", clock=SystemClock()) as send,
        ):
            live = Model(recorded.caller(send), "http://here", "m")
            first = await live.ask(question, Answer)
        return first, fake.stats()["requests"]

    answer, requests = anyio.run(go)
    assert answer == _ANSWER
    ended = [row.event for row in recorded.rows if isinstance(row.event, CallEnded)]
    assert requests == len(ended) == 4
    assert [e.purpose for e in ended] == ["answer", *["answer-more"] * 3]
    assert [e.ok for e in ended] == [False, False, False, True]
    assert all(e.completion_tokens for e in ended)

    recall = Recall(past_calls(recorded.rows, recorded.held.get))

    async def again():
        return await Model(Recalled(recall), "http://elsewhere", "m").ask(question, Answer)

    assert anyio.run(again) == _ANSWER


@dataclass
class Recalled:
    recall: Recall

    async def call(self, request: Request, slot=None) -> Reply:
        del slot
        answer = self.recall(request)
        if isinstance(answer, TaskError):
            raise answer
        assert answer, "a call that is not on record"
        return answer


# ------------------------------------------------------------------------------- too long


def test_a_request_that_is_too_long_is_asked_once_more_with_half_the_material():
    calls = FakeCalls([TaskError(f"{TOO_LONG}; give the task less to read"), _WHOLE])
    assert within(calls) == _ANSWER
    assert [r.body["messages"][1]["content"] for r in calls.asked] == ["100%", "50%"]


def test_half_the_material_is_the_last_try():
    failure = TaskError(f"{TOO_LONG}; give the task less to read")
    calls = FakeCalls([failure, failure])
    with pytest.raises(TaskError, match=TOO_LONG):
        within(calls)


def test_another_failure_is_not_asked_again():
    calls = FakeCalls([TaskError("the provider's content filter refuses the request")])
    with pytest.raises(TaskError, match="filter"):
        within(calls)


def within(calls):
    def question_for(share: float) -> Question:
        return _QUESTION.model_copy(update={"user": f"{share:.0%}"})

    async def go():
        return await Model(calls, "http://here", "m").ask_within(question_for, Answer)

    return anyio.run(go)


@pytest.mark.parametrize("server", ["vllm", "llama.cpp", "bare"])
def test_over_http_every_servers_refusal_leads_to_half_the_material(server):
    def question_for(share: float) -> Question:
        return _QUESTION.model_copy(update={"user": "x" * round(4000 * share)})

    async def go():
        async with (
            FakeLLM(reply=lambda request: _WHOLE, server=server, context=800) as fake,
            chat_send(fake.base_url, "", clock=SystemClock()) as send,
        ):
            model = Model(Recorded().caller(send), "http://here", "m")
            return await model.ask_within(question_for, Answer), fake.stats()["status"]

    assert anyio.run(go) == (_ANSWER, {"400": 1, "200": 1})
