"""The fake server does what its docstring says, over real HTTP."""

import asyncio
import http.client
import json
import urllib.error
import urllib.request

import pytest

from core.clock import seeded
from tests.fake_llm import FAULTS, FakeLLM, FakeLLMThread, Latency, _options, schema_instance


def ask(fake: FakeLLM, prompt: str = "hi", timeout: float = 5, **body) -> tuple[int, bytes]:
    asked = {"model": "fake", "messages": [{"role": "user", "content": prompt}], **body}
    url = f"{fake.base_url}/chat/completions"
    request = urllib.request.Request(url, json.dumps(asked).encode())  # noqa: S310 - loopback
    try:
        with urllib.request.urlopen(request, timeout=timeout) as reply:  # noqa: S310
            return reply.status, reply.read()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read()


def look(fake: FakeLLM, path: str, **body) -> tuple[int, dict]:
    url = f"{fake.base_url.removesuffix('/v1')}{path}"
    request = urllib.request.Request(url, json.dumps(body).encode() if body else None)  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=5) as reply:  # noqa: S310 - loopback
            return reply.status, json.loads(reply.read())
    except urllib.error.HTTPError as refusal:
        return refusal.code, json.loads(refusal.read())


def message(body: bytes) -> dict:
    return json.loads(body)["choices"][0]["message"]


def test_a_reply_has_the_size_asked_for_and_is_counted():
    with FakeLLMThread(latency="2", reply_bytes=500) as fake:
        status, body = ask(fake)
        assert status == 200
        assert len(message(body)["content"]) == 500
        assert fake.stats()["status"] == {"200": 1}
        assert fake.stats()["inflight"] == 0


def test_a_stream_brings_the_same_text_as_a_whole_reply():
    with FakeLLMThread(reply=lambda request: "one two three " * 20) as fake:
        whole = message(ask(fake)[1])["content"]
        lines = ask(fake, stream=True)[1].decode().split("\n\n")
        parts = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
        assert "".join(p["choices"][0]["delta"].get("content", "") for p in parts) == whole
        assert parts[-1]["choices"][0]["finish_reason"] == "stop"


def test_a_server_with_a_key_lets_nobody_else_in():
    with FakeLLMThread(key="k") as fake:
        assert ask(fake)[0] == 401
        assert fake.stats()["status"] == {"401": 1}


def test_the_first_requests_fail_as_told_and_later_ones_do_not():
    with FakeLLMThread(first=["500", "429:2"]) as fake:
        assert [ask(fake, f"q{i}")[0] for i in range(4)] == [500, 429, 200, 200]
        assert fake.stats()["faults"] == {"500": 1, "429:2": 1}


def test_a_prompt_may_bring_its_own_script():
    with FakeLLMThread() as fake:
        prompt = "x [[fake fault=429:2,quota,ok]]"
        assert [ask(fake, prompt)[0] for _ in range(4)] == [429, 429, 200, 200]


def test_what_fails_does_not_depend_on_the_order_of_arrival():
    prompts = [f"q{i}" for i in range(30)]
    outcomes = []
    for order in (prompts, prompts[::-1]):
        with FakeLLMThread(faults={"503": 0.4}, seed=3) as fake:
            outcomes.append({prompt: ask(fake, prompt)[0] for prompt in order})
    assert outcomes[0] == outcomes[1]
    assert set(outcomes[0].values()) == {200, 503}


def test_every_fault_of_a_whole_reply_is_served():
    ends = {"hang", "reset", "stall", "keepalive", "drip", "truncate", "html_503"}
    with FakeLLMThread(huge_bytes=300_000) as fake:
        served = {name: ask(fake, f"[[fake fault={name}]]") for name in sorted(FAULTS - ends)}
    assert {name for name, (status, _) in served.items() if status != 200} == {
        *("quota", "context", "filtered")
    }
    assert served["no_body"][1] == b""
    assert json.loads(served["no_choices"][1])["choices"] == []
    assert "error" in json.loads(served["error_200"][1])
    assert len(json.loads(served["huge"][1])["choices"][0]["message"]["content"]) == 300_000
    with pytest.raises(ValueError, match=r"Expecting|Unterminated"):
        json.loads(served["cut_json"][1])


@pytest.mark.parametrize("fault", ["hang", "stall", "keepalive", "drip", "reset", "truncate"])
@pytest.mark.parametrize("stream", [False, True])
def test_a_reply_that_does_not_come_or_not_whole_ends_in_an_error(fault, stream):
    gap = 5 if fault == "drip" else 0.01
    with (
        FakeLLMThread(faults={fault: 1}, hang_s=0.05, drip_gap_s=gap) as fake,
        pytest.raises((OSError, http.client.HTTPException)),
    ):
        ask(fake, timeout=0.5, stream=stream)


def test_a_stream_may_end_without_saying_why():
    with FakeLLMThread(faults={"no_finish": 1}) as fake:
        body = ask(fake, stream=True)[1]
    assert b"[DONE]" in body
    assert b'"finish_reason": "stop"' not in body


def test_beyond_its_limit_the_server_says_429():
    with FakeLLMThread(max_inflight=1, latency="200") as fake:

        async def both():
            return await asyncio.gather(*(asyncio.to_thread(ask, fake, p) for p in ("a", "b")))

        assert sorted(status for status, _ in asyncio.run(both())) == [200, 429]


def test_a_tool_that_must_be_called_gets_arguments_that_fit():
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer", "minimum": 4}, "tag": {"enum": ["a"]}},
        "required": ["n", "tag"],
    }
    tool = {"type": "function", "function": {"name": "count", "parameters": schema}}
    with FakeLLMThread() as fake:
        calls = message(ask(fake, tools=[tool], tool_choice="required")[1])["tool_calls"]
        again = message(ask(fake, "[[fake fault=duplicate_tool]]", tools=[tool])[1])["tool_calls"]
    assert json.loads(calls[0]["function"]["arguments"]) == {"n": 5, "tag": "a"}
    assert [call["id"] for call in again] == ["call_twice"] * 2


def test_each_server_says_of_itself_what_its_kind_says():
    pages = ("/v1/models", "/props", "/api/ps", "/api/v0/models")
    served = {}
    for server in ("bare", "vllm", "llama.cpp", "ollama", "lmstudio"):
        with FakeLLMThread(server=server, context=4096) as fake:
            ask(fake)
            served[server] = {path for path in pages if look(fake, path)[0] == 200}
            listed = look(fake, "/v1/models")[1]["data"][0]
            assert listed.get("max_model_len") == (4096 if server == "vllm" else None)
            assert ("meta" in listed) == (server == "llama.cpp")
    assert served == {
        "bare": {"/v1/models"},
        "vllm": {"/v1/models"},
        "llama.cpp": {"/v1/models", "/props"},
        "ollama": {"/v1/models", "/api/ps"},
        "lmstudio": {"/v1/models", "/api/v0/models"},
    }


def test_servers_that_count_tokens_do_so_each_in_its_way():
    with FakeLLMThread(server="vllm", context=4096) as fake:
        told = look(fake, "/tokenize", model="fake", prompt="x" * 40)[1]
        assert (told["count"], told["max_model_len"]) == (10, 4096)
    with FakeLLMThread(server="llama.cpp") as fake:
        assert look(fake, "/tokenize", content="x" * 40)[1] == {"tokens": list(range(10))}
    with FakeLLMThread(server="ollama") as fake:
        assert look(fake, "/tokenize", content="x" * 40)[0] == 404


def test_a_model_is_loaded_once_it_is_asked():
    with FakeLLMThread(server="ollama", context=4096) as fake:
        assert look(fake, "/api/ps")[1] == {"models": []}
        ask(fake)
        assert look(fake, "/api/ps")[1]["models"][0]["context_length"] == 4096


@pytest.mark.parametrize(
    ("server", "said"),
    [
        ("bare", "context_length_exceeded"),
        ("vllm", "maximum context length is 10 tokens"),
        ("llama.cpp", "exceed_context_size_error"),
        ("ollama", '"finish_reason": "stop"'),
    ],
)
def test_a_prompt_that_does_not_fit_is_refused_in_the_servers_words(server, said):
    with FakeLLMThread(server=server, context=10) as fake:
        status, body = ask(fake, "x" * 80)
        assert ask(fake, "x" * 40)[0] == 200
    assert status == (200 if server == "ollama" else 400)
    assert said in body.decode()


def test_a_reply_ends_at_the_most_tokens_asked_for():
    with FakeLLMThread(reply=lambda request: "x" * 80) as fake:
        choice = json.loads(ask(fake, max_tokens=5)[1])["choices"][0]
    assert (choice["message"]["content"], choice["finish_reason"]) == ("x" * 20, "length")


def test_a_schema_with_references_is_filled_in():
    schema = {
        "$defs": {"P": {"type": "object", "properties": {"x": {"type": "number"}}}},
        "type": "array",
        "minItems": 2,
        "items": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/P"}]},
    }
    assert schema_instance(schema, seeded(0)("schema")) == [{"x": 1.0}, {"x": 1.0}]


@pytest.mark.parametrize("text", ["", "-1", "gauss:1", "uniform:1", "lognormal:1:2:3", "nan"])
def test_a_latency_that_cannot_be_read_is_refused(text):
    with pytest.raises(ValueError, match="latency"):
        Latency.parse(text)


def test_a_latency_has_the_mean_it_is_given():
    latency, chance = Latency.parse("lognormal:100:0.5"), seeded(1)("latency")
    assert sum(latency.draw(chance) for _ in range(20_000)) / 20_000 == pytest.approx(
        100, rel=0.03
    )


def test_an_unknown_fault_or_setting_or_host_is_refused():
    for wrong in (
        {"faults": {"503x": 1}},
        {"first": ["flood"]},
        {"speed": 1},
        {"server": "bard"},
        {"host": "192.0.2.1"},
    ):
        with pytest.raises(ValueError, match=r"fault|setting|loopback|server"):
            FakeLLM(**wrong)


def test_the_command_line_gives_settings():
    argv = ["--latency", "exp:5", "--fault", "429:1=0.05", "--first", "500,ok", "--seed", "3"]
    fake = FakeLLM(**_options(argv))
    assert fake.config.latency == Latency("exp", 5)
    assert fake.config.faults == {"429:1": 0.05}
    assert fake.config.first == ("500", "ok")
