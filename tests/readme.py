"""Write the README's example and picture anew: `python -m tests.readme`."""

import asyncio
import tempfile
from pathlib import Path

from core.clock import SystemClock
from core.driving import drive
from core.settings import RunOptions
from core.store import RunStore
from dr_rd.workbench import load_workbench
from tests.conftest import Finished
from tests.test_readme import _EXAMPLE, _GRAPH, README, drawn, example


def finish(brief):
    with tempfile.TemporaryDirectory() as audits:
        folder = RunStore(Path(audits)).create("r1", RunOptions(), brief.model_dump(mode="json"))
        bench = load_workbench().parts(folder)
        outcome = asyncio.run(drive(folder, bench, SystemClock()))
        done = Finished(outcome, folder, bench)
        return type("Body", (), {"body": done.body})


if __name__ == "__main__":
    text = README.read_text(encoding="utf-8")
    text = _EXAMPLE.sub(lambda _: example(finish), text)
    text = _GRAPH.sub(lambda _: drawn(), text)
    README.write_text(text, encoding="utf-8")
