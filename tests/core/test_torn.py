"""A run cut off half way, one of its files torn: it goes on equal, or is refused in a sentence."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from core.driving import Outcome, drive
from core.errors import CallerError, Stopped
from core.graph.nodes import Work
from core.graph.state import Answer, ToolRequest
from core.settings import RunOptions
from core.store import DRAFTS, RunFolder, RunStore
from core.testing import FakeClock, FakeParts, echo_agent, fake_task
from core.trace import read_events, verify
from tests.core.test_crashes import DOUBLE

PLAN = (
    fake_task("T1", tools=(ToolRequest(name="double", args={"n": 4}),)),
    fake_task("T2", "T1"),
    fake_task("T3", "T2"),
)
OPTIONS = RunOptions(mode="graph")


def parts(agent: Callable = echo_agent) -> FakeParts:
    return FakeParts(PLAN, OPTIONS, agent=agent, tools=(DOUBLE,))


async def stops_at_t2(work: Work) -> Answer:
    if work.task.id == "T2":
        raise Stopped("cut off")
    return await echo_agent(work)


def driven(folder: RunFolder, agent: Callable = echo_agent) -> Outcome:
    return asyncio.run(drive(folder, parts(agent), FakeClock()))


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = RunStore(tmp_path_factory.mktemp("a")).create("run", OPTIONS, {"idea": "bake"})
    assert driven(folder, stops_at_t2).status == "paused"
    return folder.path


@pytest.fixture(scope="module")
def whole(cut: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = shutil.copytree(cut, tmp_path_factory.mktemp("b") / "default" / "run")
    assert driven(RunFolder(path)).status == "finished"
    return (path / "proposal.md").read_text()


def digest_in(path: Path, kind: str, name: str) -> str:
    rows = read_events(path / "trace.jsonl")
    return next(getattr(row.event, name) for row in rows if row.event.kind == kind)


FILES = {
    "brief": lambda _: "brief.json",
    "settings": lambda _: "settings.json",
    "plan": lambda _: "plan.json",
    "answer": lambda _: "answers/T1.json",
    "artifact of the plan": lambda p: f"artifacts/{digest_in(p, 'plan_proposed', 'plan_digest')}",
    "artifact of an answer": lambda p: (
        f"artifacts/{digest_in(p, 'task_finished', 'answer_digest')}"
    ),
    "artifact of a tool": lambda p: f"artifacts/{digest_in(p, 'tool_called', 'output_digest')}",
    "checkpoints": lambda _: "checkpoint.sqlite",
    "trace": lambda _: "trace.jsonl",
}
FORMS: dict[str, Callable[[bytes], bytes | None]] = {
    "missing": lambda _: None,
    "empty": lambda _: b"",
    "cut": lambda data: data[: len(data) * 2 // 3],
    "zeros": lambda data: data[: len(data) // 3] + bytes(len(data) - len(data) // 3),
}
MENDED = {"plan", "answer", "artifact of the plan", "artifact of an answer"}


@pytest.mark.sampled
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", FILES)
def test_a_torn_file_is_mended_or_the_run_refused(
    cut: Path, whole: str, tmp_path: Path, name: str, form: str
) -> None:
    path = shutil.copytree(cut, tmp_path / "default" / "run")
    file = path / FILES[name](path)
    torn = FORMS[form](file.read_bytes())
    file.unlink()
    if torn is not None:
        file.write_bytes(torn)
    try:
        outcome = driven(RunFolder(path))
        reason = outcome.reason
    except CallerError as refused:
        outcome, reason = None, str(refused)
    assert outcome or name not in MENDED, reason
    if outcome and outcome.status == "finished":
        assert (path / "proposal.md").read_text() == whole
        assert verify(path).problems == ()
    else:
        assert outcome is None or outcome.exit_code == 4
        assert len(reason) > 20
        assert "\n" not in reason


def test_a_run_that_lost_its_artifacts_is_mended_as_far_as_its_files_go(
    cut: Path, tmp_path: Path
) -> None:
    path = shutil.copytree(cut, tmp_path / "default" / "run")
    shutil.rmtree(path / "artifacts")
    with pytest.raises(CallerError, match=r"artifact \w+ of T1-1 is missing"):
        driven(RunFolder(path))


def test_a_missing_plan_is_never_an_empty_one(cut: Path, tmp_path: Path) -> None:
    path = shutil.copytree(cut, tmp_path / "default" / "run")
    (path / "plan.json").unlink()
    (path / FILES["artifact of the plan"](path)).unlink()
    with pytest.raises(CallerError, match=r"has lost .*artifacts"):
        driven(RunFolder(path))
    assert not (path / "proposal.md").exists()


def test_what_a_kill_left_of_a_folder_in_the_making_is_swept(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    left = tmp_path / "default" / DRAFTS / "run-0"
    left.mkdir(parents=True)
    (left / "brief.json").write_text("{")
    store.create("run-1", OPTIONS, {"idea": "bake"})
    assert list(left.parent.iterdir()) == []
