"""What an endpoint is, and what is found out about one, over real HTTP."""

import json

import anyio
import pytest

from core.clock import SystemClock
from core.errors import CallerError
from dr_rd.cli import main
from dr_rd.models.chat.send import chat_send
from dr_rd.models.served.endpoint import PURPOSES, Endpoint, read_endpoint
from dr_rd.models.served.probe import Abilities, probe
from tests.fake_llm import FakeLLM, FakeLLMThread

_HERE = {"DRRD_ENDPOINT": "http://localhost:1/v1", "DRRD_MODEL": "m"}


def able(request):
    """Reply as a server that can do everything."""
    asked = request["messages"][-1]["content"]
    held = request.get("response_format", {}).get("type")
    if isinstance(asked, list):
        return "Red."
    if request.get("tools"):
        return {"tool_calls": [{"name": "add", "arguments": {"a": 17, "b": 25}}]}
    if held == "json_schema":
        return '{"colour": "teal", "amounts": [3]}'
    return '{"colour": "blue"}' if held else "ready"


def deaf(request):
    """Reply as a server that reads nothing but the text."""
    del request
    return "Here you are: {colour: 'blue'}"


def probed(**settings) -> Abilities:
    async def go():
        async with FakeLLM(**settings) as fake:
            endpoint = Endpoint(base_url=fake.base_url, model="m")
            async with chat_send(fake.base_url, "", clock=SystemClock()) as send:
                return await probe(send, endpoint)

    return anyio.run(go)


def test_a_server_that_can_do_everything_is_found_out():
    abilities = probed(reply=able)
    assert [a.name for a in abilities.tried if not a.works] == []
    assert abilities.reply_format == "schema"


def test_a_server_that_refuses_the_bounds_of_a_schema_is_held_to_json_by_its_json_mode():
    def strict(request):
        if "maxLength" in json.dumps(request):
            raise ValueError("'maxLength' is not permitted")
        return able(request)

    assert probed(reply=strict).reply_format == "json"


def test_a_server_that_reads_only_text_is_held_to_json_by_words():
    abilities = probed(reply=deaf)
    assert {a.name: a.said for a in abilities.tried if not a.works} == {
        "JSON schema": "the schema is not followed: \"Here you are: {colour: 'blue'}\"",
        "JSON mode": "no bare JSON object: \"Here you are: {colour: 'blue'}\"",
        "tools": "no call of the tool: \"Here you are: {colour: 'blue'}\"",
        "vision": "it does not see that a red square is red",
    }
    assert abilities.reply_format == "text"


@pytest.mark.parametrize(
    ("first", "lost"),
    [
        (["ok", "400"], "JSON schema"),
        (["ok", "ok", "html"], "JSON mode"),
        (["ok", "ok", "ok", "bad_tool_json"], "tools"),
        (["ok", "ok", "ok", "ok", "reset"], "streaming"),
        (["no_usage"], "token counts"),
    ],
)
def test_an_ability_that_fails_is_no_ability_and_the_others_are_still_tried(first, lost):
    abilities = probed(reply=able, first=first)
    assert [a.name for a in abilities.tried if not a.works] == [lost]
    assert len(abilities.tried) == 7


@pytest.mark.parametrize("fault", ["401", "404", "500", "reset", "307", "quota"])
def test_a_server_that_answers_nothing_is_refused_in_one_sentence(fault):
    with pytest.raises(CallerError, match="nothing else was tried"):
        probed(reply=able, first=[fault] * 9)


def test_the_command_says_what_works(capsys, monkeypatch):
    with FakeLLMThread(reply=able) as fake:
        assert main(["endpoint", "test", "--endpoint", fake.base_url, "--model", "m"]) == 0
        said = capsys.readouterr().out
        assert (
            main(["endpoint", "test", "--endpoint", fake.base_url, "--model", "m", "--json"]) == 0
        )
    assert said.startswith(f"m at {fake.base_url.removesuffix('/v1')}\n  yes  answers\n")
    assert said.endswith(
        "\n  context 8,192 tokens, assumed: the server says nothing of it, and DRRD_CONTEXT is not "
        "set; 4.0 characters a token\nIt is held to JSON by a JSON schema.\n"
    )
    found = json.loads(capsys.readouterr().out)
    assert found["form"] == "schema"
    assert found["window"]["rates"]["measured"] is True


def test_without_an_endpoint_the_command_says_how_to_name_one(capsys, monkeypatch):
    for name in ("DRRD_ENDPOINT", "DRRD_MODEL"):
        monkeypatch.delenv(name, raising=False)
    assert main(["endpoint", "test"]) == 2
    assert capsys.readouterr().err == (
        "dr-rd: no endpoint is set; give --endpoint URL and --model NAME, or set DRRD_ENDPOINT "
        "and DRRD_MODEL\n"
    )


def test_what_is_given_goes_before_the_environment_and_each_purpose_may_have_its_model():
    environ = {
        **_HERE,
        "DRRD_MODEL_JUDGE": "j",
        "DRRD_API_KEY": "local-key-000-for-tests",
        "DRRD_CONTEXT": "16384",
    }
    found = read_endpoint(environ, None, "better")
    assert found is not None
    assert (found.host, found.model_for("work"), found.model_for("judge")) == (
        "http://localhost:1",
        "better",
        "j",
    )
    assert found.context == 16_384
    assert "local-key" not in repr(found)
    assert read_endpoint({}) is None


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"DRRD_MODEL": "m"}, "the model 'm' has no endpoint; give --endpoint or DRRD_ENDPOINT"),
        (
            {"DRRD_ENDPOINT": "http://h/v1"},
            "the endpoint 'http://h/v1' has no model; give --model or DRRD_MODEL",
        ),
        (
            {"DRRD_ENDPOINT": "http://h:99999/v1", "DRRD_MODEL": "m"},
            "the address of the model's server has a port that is none: Port out of range 0-65535; "
            "use 1 to 65535",
        ),
        (
            {"DRRD_ENDPOINT": "h:80", "DRRD_MODEL": "m"},
            "the address 'h:80' of the model's server cannot be used; write it like "
            "https://api.example.org/v1",
        ),
        *(
            (
                {**_HERE, "DRRD_CONTEXT": text},
                f"DRRD_CONTEXT={text!r} is no context size; give a whole number of tokens from "
                "1,024 on, such as 8192, or none to leave it to the server",
            )
            for text in ("8k", "-1", "1023", "1e4", "٨١٩٢")
        ),
    ],
)
def test_half_an_endpoint_is_refused_in_one_sentence(environ, said):
    with pytest.raises(CallerError) as refused:
        read_endpoint(environ)
    assert str(refused.value) == said


@pytest.mark.parametrize(
    ("named", "judge"),
    [
        ({}, "m"),
        ({"DRRD_MODEL_WRITE": "w"}, "m"),
        ({"DRRD_MODEL_PLAN": "p"}, "p"),
        ({"DRRD_MODEL_ROLES": "study-statistician=r"}, "r"),
        ({"DRRD_MODEL_PLAN": "p", "DRRD_MODEL_JUDGE": "m"}, "m"),
    ],
)
def test_what_judges_is_another_than_what_writes_unless_one_is_named(named, judge):
    assert read_endpoint(_HERE | named).model_for("judge") == judge


def test_a_model_that_has_nothing_to_do_is_refused():
    nobody = {f"DRRD_MODEL_{p.upper()}": "none" for p in PURPOSES}
    with pytest.raises(CallerError, match="has nothing to do: plan, work, judge and write"):
        read_endpoint(_HERE | nobody)


def test_a_model_called_none_is_nobody():
    assert read_endpoint(_HERE | {"DRRD_MODEL_JUDGE": "none"}).purposes == (
        "plan",
        "work",
        "write",
    )
    assert read_endpoint(_HERE).purposes == ("plan", "work", "judge", "write")
    unwritten = read_endpoint(_HERE | {"DRRD_MODEL_WRITE": "none"})
    assert unwritten.model_for("judge") == "m"


def test_models_of_roles_are_read_by_commas():
    found = read_endpoint(_HERE | {"DRRD_MODEL_ROLES": " a=m1 , b = m2,"})
    assert found.roles == {"a": "m1", "b": "m2"}
    with pytest.raises(CallerError, match="no role and model in 'statistician'; write ROLE=MODEL"):
        read_endpoint(_HERE | {"DRRD_MODEL_ROLES": "a=m1, statistician"})
