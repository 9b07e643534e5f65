"""One question, several people: two clients of a server that is then killed, a page, a command line."""

import json
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from streamlit.testing.v1 import AppTest

from core.clock import SystemClock
from core.replay import replay
from core.runs import RunService
from core.settings import Flags
from core.store import RunFolder, RunStore
from core.trace import verify
from dr_rd import cli
from dr_rd.serve import command_line
from dr_rd.service import ResearchService
from dr_rd.ui.asgi import PAGE
from dr_rd.ui.context import AppContext, close_context, open_context
from dr_rd.workbench import EVIDENCE
from tests.modes.delivery.real import SHORT
from tests.modes.designs import workbench

CANARY = "heron-7Q-under-the-planks"
PATIENCE_S = 120
TABLE = {
    "title": "A ford",
    "person": {"seat": "osk"},
    "seats": [{"id": "dm", "lines": ["Night falls at {topic}."]}, {"id": "osk", "lines": ["Hm."]}],
}


class Case(NamedTuple):
    """A run that asks one question, and two answers to it."""

    body: Mapping[str, Any]
    question: str
    answers: tuple[str, str]


CASES = {
    "panel": Case(
        {"scenario": TABLE, "flags": {"APPROVAL_REQUIRED": False}},
        "turn-1-osk",
        ("I wade in.", "I turn back."),
    ),
    "delivery": Case({"brief": SHORT}, "pays-staff", ("no", "stop")),
}


class Server(NamedTuple):
    """A server of the workbench in a process of its own, before a client."""

    process: subprocess.Popen[str]
    client: httpx.Client

    def begun(self, mode: str) -> str:
        """Start a run and wait until it asks."""
        reply = self.client.post("/api/runs", json={"mode": mode, **CASES[mode].body})
        assert reply.status_code == 201, reply.text
        run_id: str = reply.json()["run_id"]
        self.stopped(run_id)
        return run_id

    def stopped(self, run_id: str) -> str:
        """Follow a run's events until it waits for people or has ended; returns which."""
        status = "running"
        while status == "running":
            told = self.client.get(f"/api/runs/{run_id}/events").text
            status = json.loads(told.rstrip().rpartition("data: ")[2])["status"]
        return status

    def answered_at_once(self, run_id: str, case: Case) -> list[httpx.Response]:
        """Let two people answer at the same moment."""
        gate = threading.Barrier(2)

        def answer(who: int) -> httpx.Response:
            body = {
                "question_id": case.question,
                "answer": case.answers[who],
                "by": ("ann", "bob")[who],
            }
            gate.wait()
            return self.client.post(f"/api/runs/{run_id}/answers", json=body)

        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(answer, range(2)))


@contextmanager
def served(audits: Path) -> Iterator[Server]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = command_line(port=port, headless=True, audits=audits, run_id=None)
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=audits) as process,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_S) as client,
    ):
        assert process.stdout
        assert any("URL" in line for line in process.stdout), "the server ended at once"
        try:
            yield Server(process, client)
        finally:
            process.kill()


class Left(NamedTuple):
    """What a server that was killed leaves of two runs of a mode."""

    replies: list[httpx.Response]
    """What two people were told who answered the question of the first run at the same moment."""
    status: str
    """How the first run stood then."""
    first: RunFolder
    second: RunFolder
    """It waited for its person when the server was killed."""


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Left]:
    audits = tmp_path_factory.mktemp("audits")
    found = {}
    with served(audits) as server:
        for mode, case in CASES.items():
            first, second = server.begun(mode), server.begun(mode)
            replies = server.answered_at_once(first, case)
            found[mode] = (replies, server.stopped(first), first, second)
        server.process.send_signal(signal.SIGKILL)
        assert server.process.wait() == -signal.SIGKILL
    store = RunStore(audits)
    return {
        mode: Left(replies, status, store.find(first), store.find(second))
        for mode, (replies, status, first, second) in found.items()
    }


@pytest.mark.parametrize("mode", CASES)
def test_of_two_clients_one_answer_counts_and_the_other_is_told(
    left: Mapping[str, Left], mode: str
) -> None:
    seen, case = left[mode], CASES[mode]
    late, taken = sorted(seen.replies, key=lambda reply: -reply.status_code)
    assert (taken.status_code, late.status_code) == (200, 409)
    assert late.json()["detail"] == (
        f"question {case.question!r} is answered already; its answer stands"
    )
    kept = seen.first.decision(case.question)
    assert kept and kept.answer == case.answers[seen.replies.index(taken)]
    assert seen.status in ("finished", "failed_gate")


@pytest.fixture
def restarted(left: Mapping[str, Left]) -> Iterator[AppContext]:
    """A server begun again over what the killed one left, as the page knows it."""
    store = RunStore(left["panel"].first.path.parents[1])
    runs = RunService(store, workbench().parts, SystemClock())
    context = AppContext(ResearchService(runs, workbench(), Flags()))
    open_context(context)
    yield context
    close_context()


def page(run_id: str) -> AppTest:
    at = AppTest.from_file(str(PAGE), default_timeout=PATIENCE_S)
    at.query_params["run"] = run_id
    return at.run()


def everything(folder: RunFolder) -> str:
    """Return all that is kept beside the run and in it."""
    audits = folder.path.parents[1]
    files = (path for path in audits.rglob("*") if path.is_file())
    return "\n".join(path.read_bytes().decode("utf-8", "replace") for path in files)


@pytest.mark.usefixtures("restarted")
@pytest.mark.parametrize("mode", CASES)
def test_a_question_outlives_the_server_and_is_answered_once_on_page_and_command_line(
    left: Mapping[str, Left], mode: str, tmp_path: Path
) -> None:
    folder, case = left[mode].second, CASES[mode]
    tab = page(folder.run_id)
    assert not tab.exception
    answer = next(f for f in (*tab.text_area, *tab.radio) if f.label == "Your answer")
    answer.set_value(CANARY if mode == "panel" else case.answers[1])
    name = next(f for f in tab.text_input if f.label == "Answered by")
    name.set_value("heron-7Q").run()  # typed and not sent
    assert "heron-7Q" not in everything(folder)
    words = ["--answer", f"{case.question}={case.answers[0]}", "--by", "cid"]
    assert cli.main(["resume", str(folder.path), *words]) == 0
    next(b for b in tab.button if b.label == "Answer").click().run()
    assert not tab.exception
    assert "was already answered by 'cid'" in tab.toast[0].value
    kept = folder.decision(case.question)
    assert kept and (kept.by, kept.answer) == ("cid", case.answers[0])
    assert "heron-7Q" not in everything(folder)
    assert verify(folder.path).problems == ()
    again = replay(folder.path, workbench().parts, tmp_path / "again", given=(EVIDENCE,))
    assert (again.first_difference, again.identical) == ("", True)
