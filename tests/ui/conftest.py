"""A context whose runs follow a script, one with the real workbench, and the page before them."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import anyio
import pytest
from streamlit.testing.v1 import AppTest

from core.clock import SystemClock
from core.graph.nodes import Work
from core.graph.state import Answer
from core.runs import RunService
from core.settings import Flags, RunOptions, read_flags
from core.store import RunFolder, RunStore
from core.testing import FakeParts, echo_agent, fake_task
from dr_rd.listing import run_index
from dr_rd.reading import parse_brief
from dr_rd.service import ResearchService
from dr_rd.ui.asgi import PAGE
from dr_rd.ui.context import AppContext, close_context, open_context
from dr_rd.ui.session import Key
from dr_rd.ui.source import samples
from dr_rd.workbench import Workbench, load_workbench

Page = Callable[..., AppTest]

DEFAULTS = read_flags({"BACKOFF_BASE_S": "0"}, defaults=Flags(APPROVAL_REQUIRED=True))


class ScriptedBench(FakeParts):
    """Three tasks that are answered at once; the brief is the form's."""


class Shift:
    """An agent that never answers before it is told that its shift has begun."""

    def __init__(self) -> None:
        self.open = True
        self.begun = Event()
        """Set as soon as a task is in hand."""

    async def __call__(self, work: Work) -> Answer:
        self.begun.set()
        if not self.open:
            await anyio.sleep_forever()
        return await echo_agent(work)


@pytest.fixture(scope="session")
def workbench() -> Workbench:
    """The library takes a second or two to read; nothing changes it."""
    return load_workbench()


@pytest.fixture
def shift() -> Shift:
    return Shift()


@pytest.fixture
def context(tmp_path: Path, workbench: Workbench, shift: Shift) -> Iterator[AppContext]:
    """The context of a server whose runs follow a script."""
    tasks = (fake_task("T01"), fake_task("T02", "T01"), fake_task("T03", "T01"))

    def parts_for(folder: RunFolder) -> ScriptedBench:
        return ScriptedBench(tasks, options=folder.options(), agent=shift)

    service = RunService(RunStore(tmp_path / "audits"), parts_for, SystemClock())
    opened = AppContext(ResearchService(service, workbench, DEFAULTS))
    open_context(opened)
    yield opened
    close_context()


def real(audits: Path, workbench: Workbench) -> AppContext:
    store = RunStore(audits, index=run_index(audits))
    service = RunService(store, workbench.parts, SystemClock())
    return AppContext(ResearchService(service, workbench, DEFAULTS))


@pytest.fixture(scope="session")
def waiting_audits(tmp_path_factory: pytest.TempPathFactory, workbench: Workbench) -> Path:
    """An audits folder with one real run, which waits for approval."""
    audits = tmp_path_factory.mktemp("audits")
    context = real(audits, workbench)
    name, text = next(iter(samples().items()))
    options = RunOptions(flags=DEFAULTS, project_id="classroom-air")
    context.service.start(options, parse_brief(text, name=name), context.service.runs.new_id())
    context.service.runs.wait(context.service.store.list()[0].run_id, 60)
    context.close()
    return audits


@pytest.fixture(scope="session")
def shared_audits(tmp_path_factory: pytest.TempPathFactory, waiting_audits: Path) -> Path:
    """A copy of it, whose run goes on as soon as a test approves it."""
    return Path(shutil.copytree(waiting_audits, tmp_path_factory.mktemp("shared") / "audits"))


@pytest.fixture
def real_context(shared_audits: Path, workbench: Workbench) -> Iterator[AppContext]:
    """The context of a server that was restarted over one real run."""
    yield from opened_over(shared_audits, workbench)


@pytest.fixture
def waiting_context(waiting_audits: Path, workbench: Workbench) -> Iterator[AppContext]:
    """The same over a run that no test approves."""
    yield from opened_over(waiting_audits, workbench)


def opened_over(audits: Path, workbench: Workbench) -> Iterator[AppContext]:
    opened = real(audits, workbench)
    open_context(opened)
    yield opened
    close_context()


@pytest.fixture
def page() -> Page:
    def visit(**query: str) -> AppTest:
        app = AppTest.from_file(str(PAGE), default_timeout=30)
        for name, value in query.items():
            app.query_params[name] = value
        return app.run()

    return visit


@pytest.fixture
def start(context: AppContext) -> Callable[[AppTest], str]:
    """Give an objective unless there is one, start, and wait for the run."""

    def started(app: AppTest) -> str:
        if not app.text_area(key=Key.OBJECTIVE).value:
            app.text_area(key=Key.OBJECTIVE).input("Compare two lime doses.")
            app.run()
        if (design := app.selectbox(key=Key.FAMILY)).label.startswith("Which"):
            design.select_index(0)
        app.button(key=Key.START).click().run()
        assert not app.exception
        run_id = app.query_params["run"]
        run_id = run_id[0] if isinstance(run_id, list) else run_id
        context.service.runs.wait(run_id, 60)
        return run_id

    return started
