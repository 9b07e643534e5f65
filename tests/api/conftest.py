"""The API before a service whose runs follow a script."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from core.clock import SystemClock
from core.modes.spec import RunParts
from core.runs import RunService
from core.settings import Flags, read_flags
from core.store import RunFolder, RunStore
from core.testing import FakeParts, fake_task
from dr_rd.api import api_routes
from dr_rd.listing import run_index
from dr_rd.service import ResearchService
from dr_rd.workbench import Workbench, load_workbench

DEFAULTS = read_flags({"BACKOFF_BASE_S": "0"}, defaults=Flags(APPROVAL_REQUIRED=True))


class ScriptedParts(FakeParts):
    """Two tasks that are answered at once."""


@pytest.fixture(scope="session")
def workbench() -> Workbench:
    return load_workbench()


def scripted(audits: Path, workbench: Workbench) -> ResearchService:
    """Return a service whose plans follow the script, and games their rules; its owner closes it."""
    tasks = (fake_task("T01"), fake_task("T02", "T01"))

    def parts_for(folder: RunFolder) -> RunParts:
        options = folder.options()
        if options.mode == "referee":
            return workbench.parts(folder)
        return ScriptedParts(tasks, options=options)

    runs = RunService(RunStore(audits, index=run_index(audits)), parts_for, SystemClock())
    return ResearchService(runs, workbench, DEFAULTS)


@pytest.fixture
def service(tmp_path: Path, workbench: Workbench) -> Iterator[ResearchService]:
    opened = scripted(tmp_path / "audits", workbench)
    yield opened
    opened.close()


@pytest.fixture
def app(service: ResearchService) -> Starlette:
    return Starlette(routes=api_routes(lambda: service))


@pytest.fixture
def client(app: Starlette) -> httpx.AsyncClient:
    """A client that calls the application itself; nothing goes over a socket."""
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost")
