"""A brief and its run with a scripted model, over real HTTP."""

import asyncio
import json
from dataclasses import dataclass

import pytest

from core.clock import SystemClock, seeded
from core.driving import Outcome, run_here
from core.settings import RunOptions
from core.store import RunFolder, RunStore
from core.trace import read_events
from dr_rd.brief import Brief, GivenTask
from dr_rd.models.privacy.masking import read_mask
from dr_rd.models.served.endpoint import Endpoint
from dr_rd.models.served.run import find_served
from dr_rd.workbench import ResearchRun
from tests.fake_llm import FakeLLMThread

KEY = "local-key-000-for-tests"
BRIEF = Brief(
    objective="Does storage temperature change how fast wood pellets crumble?",
    hard_constraints=(
        "At most 40 samples.",
        "No radioactive tracers are used.",
        "Under 20,000 EUR.",
    ),
    banned_moves=("Do not add a survey of users.",),
    tasks=(
        GivenTask(id="T1", title="Choose the stores", role="field-coordinator"),
        GivenTask.model_validate(
            {
                "id": "T2",
                "title": "Measure the durability of pellets from each store",
                "role": "laboratory-scientist",
                "depends_on": ["T1"],
                "tools": [{"name": "search_documents", "args": {"query": "pellets durability"}}],
            }
        ),
    ),
)
KNOWN = "Pellets stored at 35 °C lost 12 % of their durability within 6 months."
NOTE = f"{KNOWN} Pellets stored at 15 °C lost 2 % of it. Damp stores were left out of that trial."


@dataclass
class Ran:
    folder: RunFolder
    bench: ResearchRun
    outcome: Outcome
    seen: str
    """Everything that the server was sent, where it keeps a log."""

    @property
    def proposal(self) -> str:
        return self.folder.read_text("proposal.md")

    @property
    def events(self):
        return [row.event for row in read_events(self.folder.trace_path)]


@pytest.fixture
def run(tmp_path, workbench, monkeypatch):
    """Run the brief with a scripted model and the documents given."""
    monkeypatch.setenv("DRRD_API_KEY", KEY)
    return runner(tmp_path, workbench)


@pytest.fixture(scope="module")
def run_once(tmp_path_factory, workbench):
    """The same for the tests of a module that look at one run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DRRD_API_KEY", KEY)
        yield runner(tmp_path_factory.mktemp("once"), workbench)


def runner(tmp_path, workbench):
    """Return what runs a brief in a folder of its own."""

    def go(model, *documents, brief=BRIEF, mask=None, models=None, mcp=None, **settings) -> Ran:
        docs = tmp_path / "docs"
        docs.mkdir(exist_ok=True)
        for number, text in enumerate(documents):
            (docs / f"note-{number}.md").write_text(text, encoding="utf-8")
        with FakeLLMThread(reply=model, **settings) as fake:
            roles = {"laboratory-scientist": "chemist"}
            endpoint = Endpoint(
                base_url=fake.base_url, key=KEY, model="scripted", models=models or {}, roles=roles
            )
            hidden = read_mask(mask, seeded(0)("mask")) if mask else None
            served = asyncio.run(find_served(endpoint, SystemClock(), hidden))
            options = RunOptions(docs=(docs,), served=served, mcp=mcp)
            store = RunStore(tmp_path / "audits")
            folder = store.create("run-1", options, brief.model_dump(mode="json"))
            bench = workbench.parts(folder)
            outcome = run_here(folder, bench, SystemClock())
            return Ran(folder, bench, outcome, json.dumps(list(fake.requests)))

    return go
