"""Record the runs that later releases must replay: `python -m tests.record`.

They are kept under the release that made them and are never made again: a release that cannot
replay those of an earlier one has changed what its users' records mean.
"""

import asyncio
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from core.clock import SystemClock, stamp
from core.driving import drive
from core.files import SUMS, lasting
from core.settings import Flags, RunOptions, prepare_process
from core.store import RunFolder, RunStore
from core.testing import approve
from tests.recorded.bench import PLAN, RecordedParts

RECORDED = Path(__file__).parent / "recorded"


def record(
    store: RunStore, name: str, mode: str = "graph", *, models: bool = False, **flags: bool
) -> RunFolder:
    """Start the run *name* and take it as far as it goes by itself."""
    chosen = Flags(BACKOFF_BASE_S=0.01, **flags)
    options = RunOptions(mode=mode, project_id=name, flags=chosen)
    folder = store.create("run", options, {"idea": "bake bread", "models": models})
    go_on(folder)
    return folder


def go_on(folder: RunFolder) -> None:
    """Drive the run on."""
    asyncio.run(drive(folder, RecordedParts(folder), SystemClock()))


def edited(store: RunStore) -> None:
    """A person leaves tasks out and then the run goes on."""
    folder = record(store, "edited", APPROVAL_REQUIRED=True)
    plan = tuple(task for task in PLAN if task.id in ("T1", "T2", "T3"))
    approve(folder, by="ana", at=stamp(SystemClock().now()), tasks=plan)
    go_on(folder)


def cut(store: RunStore, name: str, at: str, *, models: bool = False) -> RunFolder:
    """A run is killed at a crossing."""
    child = os.fork()
    if not child:
        record(RunStore(store.root, _killing(at)), name, models=models)
        os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL
    return store.open(store.root / name / "run")


def _killing(at: str) -> Callable[[str], None]:
    def crossing(where: str) -> None:
        if where == at:
            os.kill(os.getpid(), signal.SIGKILL)

    return crossing


def record_all(store: RunStore) -> None:
    """Record every kind of run."""
    record(store, "parallel", models=True)
    record(store, "sequential", PARALLEL_EXEC_ENABLED=False)
    record(store, "classic", "classic")
    edited(store)
    cut(store, "cut", "after attempt_judged")
    go_on(cut(store, "killed", "after call_ended", models=True))


def keep(root: Path, into: Path) -> None:
    """Copy what lasts of each run."""
    for run in sorted(root.glob("*/run")):
        for name in [*lasting(run), *([SUMS] if (run / SUMS).exists() else [])]:
            target = into / run.relative_to(root) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(run / name, target)


def main() -> None:
    prepare_process()
    into = RECORDED / version("dr-rd")
    if into.exists():
        sys.exit(f"{into} is there already, and a recorded run is never made again")
    with tempfile.TemporaryDirectory() as scratch:
        record_all(RunStore(Path(scratch)))
        keep(Path(scratch), into)


if __name__ == "__main__":
    main()
