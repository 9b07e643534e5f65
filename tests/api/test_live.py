"""What models write is told while they write it, between the events of a run."""

import json
from contextlib import contextmanager
from dataclasses import replace

import anyio
import httpx
import pytest

from core.clock import SystemClock
from core.live import LiveCalls
from core.testing import FakeClock
from dr_rd.api import runs
from dr_rd.api.runs import BEAT_S, POLL_S, _CallNews
from dr_rd.service import ResearchService
from tests.api.test_runs import begun

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@contextmanager
def writing(live: LiveCalls, run_id: str, *pieces: str):
    with live.watched(run_id, SystemClock(), "T01-call-1", "T01", "work", "m") as call:
        partial = call.begin_try(str)
        for piece in pieces:
            partial.add(piece)
        yield partial


def test_a_listener_is_told_what_is_new_and_that_a_call_goes_on() -> None:
    live, clock = LiveCalls(), FakeClock()
    news = _CallNews(clock)

    def told() -> list[tuple[int, str]]:
        return [(new["from"], new["text"]) for new in news.tell(live.of("r"))]

    with writing(live, "r", "Rye ") as partial:
        assert told() == [(0, "Rye ")]
        assert told() == []
        partial.add("held.")
        assert told() == [(4, "held.")]
        clock.slept.append(BEAT_S)
        assert told() == [(9, "")]
    with writing(live, "r", "Rust "):  # as of a reply that is begun anew
        assert told() == [(1, "ust ")]
    assert told() == []
    assert BEAT_S + POLL_S < 2


async def test_calls_stand_between_the_events_without_an_id(
    client: httpx.AsyncClient, service: ResearchService, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = await begun(client, service)
    monkeypatch.setattr(runs, "STREAM_S", 0.0)
    with writing(service.workbench.live, run_id, "<b>Rye</b>"):
        look = (await client.get(f"/api/runs/{run_id}")).json()
        assert [(c["call_id"], c["text"]) for c in look["calls"]] == [("T01-call-1", "<b>Rye</b>")]
        sent = (await client.get(f"/api/runs/{run_id}/events")).text
    (block,) = (part for part in sent.split("\n\n") if part.startswith("event: call\n"))
    told = json.loads(block.split("data: ")[1])
    assert (told["task_id"], told["purpose"], told["from"]) == ("T01", "work", 0)
    assert told["text"] == "<b>Rye</b>"
    assert (await client.get(f"/api/runs/{run_id}")).json()["calls"] == []


async def test_of_a_run_that_hides_no_word_is_told(
    client: httpx.AsyncClient, service: ResearchService
) -> None:
    run_id = await begun(client, service)
    look = await anyio.to_thread.run_sync(service.runs.snapshot, run_id)
    options = look.options.model_copy(update={"mode": "downselect"})
    with writing(service.workbench.live, run_id, "I am the person."):
        (call,) = service.live_calls(look)
        assert call.text == "I am the person."
        (call,) = service.live_calls(replace(look, options=options))
        assert (call.text, call.task_id) == ("", "T01")
