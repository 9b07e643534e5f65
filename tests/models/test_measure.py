"""A model's window is found out from servers of each kind, over real HTTP."""

import asyncio
from contextlib import asynccontextmanager

import anyio
import pytest

from core.clock import SystemClock
from dr_rd.models.chat.http import open_server_query
from dr_rd.models.chat.send import chat_send
from dr_rd.models.served.endpoint import Endpoint
from dr_rd.models.served.measure import context_of
from dr_rd.models.served.probe import find_window
from dr_rd.models.window import CONTEXT, Rates, Window
from tests.fake_llm import FakeLLM

_KEY = "local-key-000-for-tests"


def found(*, set_to: int | None = None, **settings) -> tuple[Window, FakeLLM]:
    async def go():
        async with FakeLLM(model="m", **settings) as fake:
            endpoint = Endpoint(base_url=fake.base_url, model="m", context=set_to)
            async with chat_send(fake.base_url, "", clock=SystemClock()) as send:
                return await find_window(send, endpoint, "m"), fake

    return anyio.run(go)


@pytest.mark.parametrize("server", ["vllm", "llama.cpp", "ollama", "lmstudio"])
def test_each_server_says_how_much_its_model_reads(server):
    window, _ = found(server=server, context=6_144)
    assert window.description == "context 6,144 tokens, said by the server; 4.0 characters a token"


@pytest.mark.parametrize("server", ["vllm", "llama.cpp"])
def test_a_server_that_counts_tokens_is_asked_for_no_reply(server):
    window, fake = found(server=server, context=6_144)
    assert window.rates.measured
    assert fake.stats()["requests"] == 0


def test_a_server_that_says_nothing_is_measured_by_what_it_reports_of_prompts():
    window, fake = found()
    assert (window.context, window.source) == (CONTEXT, "default")
    assert window.rates.measured
    assert window.rates.words == pytest.approx(4, abs=0.05)
    assert fake.stats()["requests"] == 4


def test_a_server_that_counts_nothing_leaves_the_rates_assumed():
    window, _ = found(faults={"no_usage": 1.0})
    assert window == Window(rates=Rates())


@pytest.mark.parametrize("fault", ["500", "html", "401", "reset", "context"])
def test_a_server_that_fails_leaves_all_unknown(fault):
    assert found(faults={fault: 1.0})[0] == Window()


def test_a_setting_goes_before_what_the_server_says():
    window, _ = found(set_to=2_048, context=6_144, server="vllm")
    assert (
        window.description == "context 2,048 tokens, set by DRRD_CONTEXT; 4.0 characters a token"
    )


# ------------------------------------------------------------------ what is said, and how


def said(pages: dict[str, object], model: str = "m") -> int | None:
    async def query(path, body):
        del body
        return pages.get(path)

    return anyio.run(context_of, query, model)


@pytest.mark.parametrize(
    ("pages", "tokens"),
    [
        ({"models": {"data": [{"id": "m", "max_model_len": 8192}]}}, 8192),
        ({"models": {"data": [{"id": "n", "context_length": 1}, {"id": "m"}]}}, None),
        (
            {"models": {"data": [{"id": "n", "context_length": 512}, {"id": "m", "n_ctx": 999}]}},
            999,
        ),
        ({"models": {"data": [{"id": "another name", "context_window": 131_072}]}}, 131_072),
        ({"models": {"data": [{"id": "m", "meta": {"n_ctx_train": 32_768}}]}}, 32_768),
        (
            {
                "models": {"data": [{"id": "m", "meta": {"n_ctx_train": 32_768}}]},
                "/props": {"default_generation_settings": {"n_ctx": 2048}},
            },
            2048,
        ),
        ({"/props": {"n_ctx": 4096}}, 4096),
        ({"/api/ps": {"models": [{"name": "m:latest", "context_length": 4096}, {}]}}, 4096),
        ({"/api/v0/models": {"data": [{"id": "m", "max_context_length": 32_768}]}}, None),
        ({"models": {"data": [{"id": "m", "max_model_len": 0}]}}, None),
        ({"models": {"data": [{"id": "m", "max_model_len": True}]}}, None),
        ({"models": {"data": [{"id": "m", "max_model_len": "8192"}]}}, None),
        ({"models": {"data": [{"id": "m", "max_model_len": 10**12}]}}, None),
        ({"models": {"data": "m"}, "/props": [], "/api/ps": {"models": [3]}}, None),
        ({"models": {"data": [{"id": "n", "n_ctx": 512}, {"id": "o", "n_ctx": 512}]}}, None),
        ({}, None),
    ],
)
def test_a_window_is_taken_from_what_is_said_of_this_model_and_from_nothing_else(pages, tokens):
    assert said(pages) == tokens


# --------------------------------------------------------------------- under which rules


@asynccontextmanager
async def looking(page: bytes, status: str = "200 OK", more: str = "", **limits):
    """Open queries to a server that answers everything with one page, and note what it was sent."""
    heard: list[bytes] = []

    async def answer(reader, writer):
        heard.append(await reader.readuntil(b"\r\n\r\n"))
        head = f"HTTP/1.1 {status}\r\nContent-Length: {len(page)}\r\n{more}"
        writer.write(f"{head}Connection: close\r\n\r\n".encode() + page)
        writer.close()

    async with listening(answer) as url, open_server_query(url, _KEY, **limits) as query:
        yield query, heard


@asynccontextmanager
async def listening(answer):
    server = await asyncio.start_server(answer, "127.0.0.1")
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    finally:
        server.close()


def looked(page: bytes, path: str = "/props", body=None, **settings):
    async def go():
        async with looking(page, **settings) as (query, heard):
            return await query(path, body), [text.decode() for text in heard]

    return anyio.run(go)


def test_the_key_goes_to_the_server_and_paths_count_from_its_root_or_its_base():
    value, (heard,) = looked(b'{"n_ctx": 1}')
    assert value == {"n_ctx": 1}
    assert heard.startswith("GET /props HTTP/1.1\r\n")
    assert f"authorization: bearer {_KEY}" in heard.lower()
    _, (heard,) = looked(b"{}", "models")
    assert heard.startswith("GET /v1/models HTTP/1.1\r\n")
    _, (heard,) = looked(b"{}", "/tokenize", {"content": "x"})
    assert heard.startswith("POST /tokenize HTTP/1.1\r\n")


def test_a_redirect_is_not_followed():
    more = "Location: http://127.0.0.1:9/elsewhere\r\n"
    value, heard = looked(b'{"n_ctx": 1}', status="307 Temporary Redirect", more=more)
    assert value is None
    assert len(heard) == 1


@pytest.mark.parametrize(
    "settings",
    [
        {"page": b"<p>no JSON</p>"},
        {"page": b"\xff\xfe"},
        {"page": b""},
        {"page": b"[" * 100_000},
        {"page": b'{"n_ctx": 1}', "status": "404 Not Found"},
        {"page": b'{"n_ctx": 1}', "status": "500 Oops"},
        {"page": b'{"n_ctx": "' + b"x" * 2000 + b'"}', "max_bytes": 1000},
        {"page": b'{"n_ctx": 1}', "more": "Content-Encoding: gzip\r\n"},
    ],
)
def test_what_cannot_be_read_is_unknown(settings):
    assert looked(**settings)[0] is None


def test_a_server_that_is_silent_or_not_there_is_unknown():
    async def go():
        async with FakeLLM() as fake:
            gone = fake.base_url
        async with open_server_query(gone, "") as query:
            away = await query("models", None)
        hushed = asyncio.Event()

        async def hush(reader, writer):
            del reader
            await hushed.wait()
            writer.close()

        async with listening(hush) as url, open_server_query(url, "", read_s=0.1) as query:
            silent = await query("models", None)
            hushed.set()
        return away, silent

    assert anyio.run(go) == (None, None)
