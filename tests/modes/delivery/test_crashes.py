"""A delivery that is killed anywhere goes on to the same end: every node, event and checkpoint."""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from core.driving import Outcome
from core.events import QuestionAnswered, QuestionAsked, RouteTaken, WorkflowStarted
from core.modes.delivery import Update
from core.settings import prepare_process
from core.store import RunFolder
from core.trace import read_events, status_of, verify
from tests.faults.forks import MEMORY, Crossings, killed, said_twice, watch_checkpoints
from tests.modes.delivery.script import BLOCKED, FINE, Script, answer, begun, driven, nodes, of
from tests.modes.delivery.test_paths import ASKED, ROOT

SAYS = {
    "pm": [Update(said="a choice is shared", needs_architecture=True)],
    "tea": [BLOCKED, ASKED, FINE],
}
"""Every node, one rework and one question."""
ARTIFACT = re.compile(r"[0-9a-f]{64}")


def lived(folder: RunFolder) -> Outcome:
    """Drive a run to its end, answering what it asks."""
    outcome = driven(folder, Script(SAYS))
    while outcome.status == "waiting":
        answer(folder, "no")
        outcome = driven(folder, Script(SAYS))
    return outcome


def faults(folder: RunFolder, expected: str, ways: list[str]) -> list[str]:
    """Take the killed run up again and say what differs from one that was never killed."""
    outcome = lived(folder)
    proof = verify(folder.path)
    checks = {
        f"status {outcome.status}": outcome.status == "finished",
        "another result": folder.read_text("result.md") == expected,
        f"verify: {proof.problems}": proof.ok,
        "said twice": not said_twice(folder.trace_path),
        "asked or answered twice": len(of(folder, QuestionAsked)) == 1
        and len(of(folder, QuestionAnswered)) == 1,
        "started twice": len(of(folder, WorkflowStarted)) == 1,
        "other routes": [e.destination for e in of(folder, RouteTaken)] == ways,
    }
    return [fault for fault, fine in checks.items() if not fine]


def fatal_points(seen: list[str]) -> dict[int, str]:
    """Return what comes before each write of a node, an event, a result or a checkpoint, and the end.

    What comes after a write finds on the disk what comes before the next one does. Of artifacts,
    which many writes are, each ninth is taken.
    """
    before = [n for n, where in enumerate(seen) if where.startswith("before")]
    small = [n for n in before if ARTIFACT.search(seen[n]) or "writes" in seen[n]]
    left_out = {n for place, n in enumerate(small) if place % 9}
    return {n: seen[n] for n in (*before, len(seen) - 1) if n not in left_out}


def every_crash() -> dict[str, object]:
    def again(path: Path, crossing: Callable[[str], None]) -> Outcome:
        return lived(RunFolder(path, crossing))

    with tempfile.TemporaryDirectory(dir=MEMORY) as root:
        counting, whole = Crossings(), begun(Path(root, "whole"))
        again(whole.path, counting)
        expected, kills, wrong = whole.read_text("result.md"), 0, []
        ways = [e.destination for e in of(whole, RouteTaken)]
        points = fatal_points(counting.seen)
        for fatal, where in points.items():
            life = begun(Path(root, str(fatal)))
            kills += killed(lambda: again(life.path, Crossings(fatal)))  # noqa: B023 - done at once
            wrong += [f"{fatal}, {where}: {f}" for f in faults(life, expected, ways)]
        done = nodes(whole)
    return {"points": list(points.values()), "kills": kills, "faults": wrong, "nodes": done}


def test_killed_at_any_write_it_goes_on_to_the_same_end() -> None:
    program = subprocess.run(
        [sys.executable, "-m", "tests.modes.delivery.test_crashes"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert program.returncode == 0, program.stderr
    report = json.loads(program.stdout)
    assert report["faults"] == []
    assert report["kills"] == len(report["points"]) > 80
    walked = ["analyst", "pm", "architect", "dev", "tea", "dev", "tea", "escalate", "tea", "close"]
    assert report["nodes"] == walked
    assert {"before money.json", "before aput"} <= set(report["points"])


def test_a_run_that_waits_outlives_its_process(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from core.store import RunFolder;"
        "from tests.modes.delivery.test_crashes import SAYS;"
        "from tests.modes.delivery.script import Script, driven;"
        "print(driven(RunFolder(Path(sys.argv[1])), Script(SAYS)).status)"
    )
    folder = begun(tmp_path)
    command = [sys.executable, "-c", program, str(folder.path)]
    first = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert first.stdout.strip() == "waiting"
    assert status_of(folder.trace_path, driven=False) == "waiting"
    answer(folder, "no")
    last = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert last.stdout.strip() == "finished"
    assert len(list(read_events(folder.trace_path))) > 30


if __name__ == "__main__":
    prepare_process()
    watch_checkpoints()
    sys.stdout.write(json.dumps(every_crash()))
