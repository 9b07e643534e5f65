"""Runs over HTTP: the same checks and sentences as the command line, each answer once."""

import io
import json
import re
import zipfile
from pathlib import Path

import anyio
import httpx
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from dr_rd.api import api_routes
from dr_rd.cli import main
from dr_rd.service import ResearchService
from dr_rd.workbench import Workbench
from tests.api.conftest import scripted

pytestmark = pytest.mark.anyio

BRIEF = {"objective": "Test whether a winter cover crop raises soil carbon"}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def begun(client: httpx.AsyncClient, service: ResearchService, **body: object) -> str:
    """Start a run and wait until it waits for its approval."""
    reply = await client.post("/api/runs", json={"brief": BRIEF, **body})
    assert reply.status_code == 201, reply.text
    run_id = reply.json()["run_id"]
    await anyio.to_thread.run_sync(service.runs.wait, run_id, 60)
    return run_id


async def approved(client: httpx.AsyncClient, service: ResearchService, run_id: str) -> None:
    body = {"question_id": "approve-plan", "answer": "approve", "by": "ann"}
    reply = await client.post(f"/api/runs/{run_id}/answers", json=body)
    assert reply.status_code == 200, reply.text
    await anyio.to_thread.run_sync(service.runs.wait, run_id, 60)


async def test_a_run_is_started_asked_about_answered_and_taken_home(
    client: httpx.AsyncClient, service: ResearchService
) -> None:
    run_id = await begun(client, service, seed=7)
    look = (await client.get(f"/api/runs/{run_id}")).json()
    assert (look["status"], look["seed"], look["mode"]) == ("waiting", 7, "graph")
    assert [task["id"] for task in look["tasks"]] == ["T01", "T02"]
    (asked,) = (await client.get(f"/api/runs/{run_id}/questions")).json()
    assert asked["question"]["kind"] == "approve_plan"
    await approved(client, service, run_id)
    ended = (await client.get(f"/api/runs/{run_id}", params={"since": look["count"]})).json()
    assert ended["status"] == "finished"
    assert ended["events"][0]["seq"] == look["count"]
    assert ended["result"]
    data = await client.get(f"/api/runs/{run_id}/bundle")
    names = zipfile.ZipFile(io.BytesIO(data.content)).namelist()
    assert f"{run_id}/trace.jsonl" in names
    (listed,) = (await client.get("/api/runs")).json()
    assert (listed["run_id"], listed["status"]) == (run_id, "finished")


async def test_one_key_starts_one_run_and_another_body_is_refused(
    client: httpx.AsyncClient, service: ResearchService
) -> None:
    key = {"Idempotency-Key": "order 1"}
    first = await client.post("/api/runs", json={"brief": BRIEF}, headers=key)
    again = await client.post("/api/runs", json={"brief": BRIEF}, headers=key)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["run_id"] == again.json()["run_id"]
    other = await client.post("/api/runs", json={"brief": BRIEF, "seed": 3}, headers=key)
    assert other.status_code == 409
    assert "another body" in other.json()["detail"]
    assert len(service.list()) == 1


async def test_the_first_answer_stands_and_the_second_is_told(
    client: httpx.AsyncClient, service: ResearchService
) -> None:
    run_id = await begun(client, service)
    await approved(client, service, run_id)
    body = {"question_id": "approve-plan", "answer": "stop", "by": "bob"}
    late = await client.post(f"/api/runs/{run_id}/answers", json=body)
    assert late.status_code == 409
    assert "its answer stands" in late.json()["detail"]


async def test_events_go_on_where_a_client_lost_them(
    client: httpx.AsyncClient, service: ResearchService
) -> None:
    run_id = await begun(client, service)
    await approved(client, service, run_id)
    whole = (await client.get(f"/api/runs/{run_id}/events")).text
    ids = [int(line[4:]) for line in whole.splitlines() if line.startswith("id: ")]
    assert ids == list(range(len(ids)))
    assert whole.rstrip().endswith('data: {"status": "finished"}')
    rest = await client.get(f"/api/runs/{run_id}/events", headers={"Last-Event-ID": str(ids[4])})
    assert [line for line in rest.text.splitlines() if line.startswith("id: ")] == [
        f"id: {number}" for number in ids[5:]
    ]
    rows = [json.loads(line[6:]) for line in rest.text.splitlines() if line.startswith("data: ")]
    assert rows[0]["seq"] == ids[5]


async def test_events_go_on_where_a_server_was_that_is_no_more(
    client: httpx.AsyncClient, service: ResearchService, workbench: Workbench
) -> None:
    run_id = await begun(client, service)
    known = (await client.get(f"/api/runs/{run_id}/events")).text
    service.close()
    again = scripted(service.store.root, workbench)
    try:
        app = Starlette(routes=api_routes(lambda: again))
        second = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost")
        last = {"Last-Event-ID": ids_in(known)[-1]}
        nothing = await second.get(f"/api/runs/{run_id}/events", headers=last)
        assert ids_in(nothing.text) == []
        await approved(second, again, run_id)
        rest = await second.get(f"/api/runs/{run_id}/events", headers=last)
    finally:
        again.close()
    ids = [int(name) for name in (*ids_in(known), *ids_in(rest.text))]
    assert ids == list(range(len(ids)))
    assert rest.text.rstrip().endswith('data: {"status": "finished"}')


def ids_in(text: str) -> list[str]:
    return [line[4:] for line in text.splitlines() if line.startswith("id: ")]


MISTAKES = {
    "no JSON": ("/api/runs", b"{", 400, "not JSON"),
    "no brief": ("/api/runs", b"{}", 400, "the brief is empty"),
    "a field nobody knows": ("/api/runs", b'{"breif": "x"}', 400, "the fields are brief, mode"),
    "no such mode": ("/api/runs", b'{"brief": "Test A on B", "mode": "grpah"}', 400, "graph"),
    "no such flag": ("/api/runs", b'{"brief": "Test A on B", "flags": {"X": 1}}', 400, "setting"),
    "a flag out of range": (
        "/api/runs", b'{"brief": "Test A on B", "flags": {"MAX_RETRIES": 99}}', 400, "from 0 to 10",
    ),
    "a project that is a path": (
        "/api/runs", b'{"brief": "Test A on B", "project": "../x"}', 400, "project",
    ),
    "a scenario where none is taken": (
        "/api/runs", b'{"brief": "Test A on B", "scenario": {"title": "x"}}', 400, "neither",
    ),
    "a run to build on that is none": (
        "/api/runs", b'{"brief": "Test A on B", "runs": ["nope"]}', 400, "no run 'nope'",
    ),
    "too long": ("/api/runs", b"x" * 2_000_001, 413, "larger than"),
    "a text for a number": ("/api/runs", b'{"brief": "Test A on B", "seed": "5"}', 400, "seed"),
    "deep": ("/api/runs", b"[" * 100_000, 400, "not JSON"),
    "half a character": ("/api/runs", b'{"scenario": {"title": "\\ud800"}}', 400, "not JSON"),
    "no number": ("/api/runs", b'{"scenario": {"rounds": NaN}}', 400, "not JSON"),
    "infinity": ("/api/runs", b'{"scenario": {"rounds": 1e999}}', 400, "not JSON"),
    "ten thousand digits": ("/api/runs", b'{"seed": ' + b"9" * 10_000 + b"}", 400, "not JSON"),
    "no such route": ("/api/nothing", b"", 404, "/api/openapi.json"),
}  # fmt: skip


@pytest.mark.parametrize("since", ["--5", "-1", "5-", "\N{SUPERSCRIPT TWO}", "1e3", "9" * 13])
async def test_a_place_in_the_events_is_a_whole_number(
    since: str, client: httpx.AsyncClient, service: ResearchService
) -> None:
    run_id = await begun(client, service)
    reply = await client.get(f"/api/runs/{run_id}", params={"since": since})
    assert reply.status_code == 400, reply.text
    assert "give a whole number" in reply.json()["detail"]


@pytest.mark.parametrize("case", MISTAKES)
async def test_a_mistake_is_a_problem_with_one_sentence(
    case: str, client: httpx.AsyncClient, service: ResearchService
) -> None:
    path, body, status, words = MISTAKES[case]
    reply = await client.post(path, content=body)
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    told = reply.json()
    assert told["status"] == status
    assert words in told["detail"]
    assert "\n" not in told["detail"]
    assert service.list() == []


@pytest.mark.parametrize("path", ["", "/events", "/questions", "/bundle"])
async def test_a_run_that_is_not_there_is_a_404(path: str, client: httpx.AsyncClient) -> None:
    for name in ("none", "..%2f..%2fetc", "A", "x" * 300):
        reply = await client.get(f"/api/runs/{name}{path}")
        assert reply.status_code == 404, name


async def test_pausing_or_resuming_what_does_not_run_is_told(
    client: httpx.AsyncClient, service: ResearchService
) -> None:
    run_id = await begun(client, service)
    for verb in ("pause", "resume"):
        reply = await client.post(f"/api/runs/{run_id}/{verb}")
        assert reply.status_code == 409, verb
    for since in ("-1", "one", "9" * 400):
        reply = await client.get(f"/api/runs/{run_id}", params={"since": since})
        assert reply.status_code == 400


async def test_a_brief_is_read_without_a_run(
    client: httpx.AsyncClient, service: ResearchService
) -> None:
    text = "# Aim\nFind out whether rye helps bees.\n\nBudget: 20,000 EUR\n"
    found = (await client.post("/api/read", json={"brief": text})).json()
    assert found["objective"] == "Find out whether rye helps bees."
    assert found["budget"] == {"amount": 20_000, "currency": "EUR", "covers": "unsaid"}
    assert service.list() == []


async def test_a_brief_is_planned_and_a_text_is_checked_without_a_run(
    client: httpx.AsyncClient, service: ResearchService
) -> None:
    plan = await client.post("/api/plan", json={"brief": BRIEF})
    assert plan.json()["tasks"]
    limits = {**BRIEF, "hard_constraints": ["At most 12 months"]}
    body = {"brief": limits, "text": "The study runs for 18 months."}
    found = (await client.post("/api/check", json=body)).json()
    assert [item["verdict"] for item in found["items"]] == ["violated"]
    assert service.list() == []


async def test_the_description_names_every_route_and_its_body(client: httpx.AsyncClient) -> None:
    told = (await client.get("/api/openapi.json")).json()
    assert told["openapi"] == "3.1.0"
    started = told["paths"]["/api/runs"]["post"]
    body = started["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    fields = told["components"]["schemas"][body.rpartition("/")[2]]["properties"]
    assert {"brief", "mode", "flags", "seed"} <= set(fields)
    for path, operations in told["paths"].items():
        for operation in operations.values():
            assert operation["summary"], path
            given = operation["parameters"]
            named = {p["name"] for p in given if p["in"] == "path"}
            assert named == set(re.findall(r"{(\w+)}", path))


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"])
async def test_another_method_is_told_which_there_are(
    method: str, client: httpx.AsyncClient
) -> None:
    reply = await client.request(method, "/api/runs")
    assert (reply.status_code, reply.headers["allow"]) == (405, "GET, HEAD, POST")
    assert reply.json()["detail"] == f"there is no {method} /api/runs; see /api/openapi.json"


@pytest.mark.parametrize("broken", ["trace.jsonl", "settings.json", "brief.json", "plan.json"])
async def test_of_a_broken_run_every_route_says_what_is_broken(
    broken: str, client: httpx.AsyncClient, service: ResearchService
) -> None:
    run_id = await begun(client, service)
    path = service.store.find(run_id).path / broken
    for text in ("{", "", "[]", '{"seq": 1}\n', "\x00\n", None):
        if text is None:
            path.unlink()
        else:
            path.write_text(text)
        for route in ("", "/events", "/questions", "/bundle", "/pause", "/resume", "/answers"):
            method = "POST" if route in ("/pause", "/resume", "/answers") else "GET"
            body = {"question_id": "approve-plan", "answer": "stop", "by": "ann"}
            reply = await client.request(method, f"/api/runs/{run_id}{route}", json=body)
            assert reply.status_code < 500, (route, text)


ORDER = "Please order two boxes of gloves and send the invoice."

SAME = {
    "a mode that is none": (
        ["run", "Test A on B", "--mode", "grpah"], {"brief": "Test A on B", "mode": "grpah"},
    ),
    "a setting that is none": (
        ["run", "Test A on B", "--set", "X=1"], {"brief": "Test A on B", "flags": {"X": 1}},
    ),
    "a setting out of range": (
        ["run", "Test A on B", "--set", "MAX_RETRIES=99"],
        {"brief": "Test A on B", "flags": {"MAX_RETRIES": 99}},
    ),
    "a project that leads out": (
        ["run", "Test A on B", "--project", "../x"], {"brief": "Test A on B", "project": "../x"},
    ),
    "a brief that asks for no research": (["run", ORDER], {"brief": ORDER}),
}  # fmt: skip


@pytest.mark.parametrize("case", SAME)
def test_the_command_line_says_the_same(
    case: str, app: Starlette, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    typed, body = SAME[case]
    reply = TestClient(app).post("/api/runs", json=body)
    code = main([*typed, "--audits", str(tmp_path / "cli")])
    assert (reply.status_code, code) == (400, 2)
    told = capsys.readouterr().err.strip().splitlines()
    assert told[-1] == f"dr-rd: {reply.json()['detail']}"
