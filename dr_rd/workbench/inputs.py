"""What one run works from: read once, and kept as it was when the run began."""

from collections.abc import Sequence
from functools import cached_property

from core.graph.files import notes, read_plan
from core.graph.state import GraphState
from core.redaction import Redactor
from core.settings import RunOptions
from core.store import RunFolder
from dr_rd.brief import Brief
from dr_rd.checks import Ledger, build_ledger
from dr_rd.evidence.corpus import Corpus
from dr_rd.evidence.index import Index, open_index
from dr_rd.evidence.ingest import read_documents
from dr_rd.planning.design import Design
from dr_rd.planning.edited import edited_design
from dr_rd.tools.mcp import Offers, Servers, read_servers, secret_names
from dr_rd.workbench.asking import key_of
from dr_rd.workbench.shared import Shared

EVIDENCE, SERVERS = "evidence.json", "servers.json"
OFFERS = "offers.json"
"""Files that the workbench adds to a run's folder."""


class Inputs:
    """A run's brief, ledger, evidence, servers and design."""

    def __init__(self, workbench: Shared, folder: RunFolder) -> None:
        self._workbench, self._folder = workbench, folder
        self.options: RunOptions = folder.options()
        self._asked = folder.read(Brief, "brief.json")
        self._designs: dict[str, Design] = {}
        self.brief = asked_in(folder)
        self.ledger: Ledger = build_ledger(self.brief)

    def brief_with(self, notes: Sequence[str]) -> Brief:
        """Return the brief with what people wrote on plans they sent back as further limits."""
        return _with_notes(self._asked, notes)

    @cached_property
    def corpus(self) -> Corpus:
        """The documents as they were when the run began; later changes do not reach it."""
        if not self._folder.has(EVIDENCE):
            documents = read_documents(self.options.docs, self._redactor())
            self._folder.write_json(EVIDENCE, documents)
        return self._folder.read(Corpus, EVIDENCE)

    @cached_property
    def index(self) -> Index:
        """Searches the documents."""
        return open_index(self.corpus)

    @cached_property
    def servers(self) -> Servers:
        """The servers whose tools may be called, as they were named when the run began."""
        if not self.options.mcp:
            return Servers()
        if not self._folder.has(SERVERS):
            self._folder.write_json(SERVERS, read_servers(self.options.mcp))
        return self._folder.read(Servers, SERVERS)

    @property
    def _server_secrets(self) -> tuple[str, ...]:
        """The values of the environment that the servers are given."""
        environ = self._workbench.environ()
        return tuple(environ[n] for n in secret_names(self.servers) if n in environ)

    def _redactor(self) -> Redactor:
        """Return what takes the run's keys out of what is written down."""
        key = key_of(self._workbench, self._folder, self.options.served)
        return Redactor([key, *self._server_secrets])

    @cached_property
    def _offers(self) -> Offers:
        """What the servers told of their tools before a model planned with them."""
        has = self._folder.has(OFFERS)
        return self._folder.read(Offers, OFFERS) if has else Offers()

    @property
    def design(self) -> Design:
        """The design that the newest plan was made from."""
        return self.design_with(notes(self._folder))

    def design_with(self, notes: Sequence[str]) -> Design:
        """Return the design of the plan that heeds these notes; it is made once."""
        name = design_file(len(notes))
        if name not in self._designs:
            if not self._folder.has(name):
                self._folder.write_json(name, self._make_design(self.brief_with(notes)))
            self._designs[name] = self._folder.read(Design, name)
        return self._designs[name]

    @property
    def agreed(self) -> Design:
        """The same with the figures of the plan that was approved, which a person may have edited."""
        plan = read_plan(self._folder)
        if plan is None:
            return self.design
        if plan.digest not in self._designs:
            self._designs[plan.digest] = edited_design(
                self.design, plan.tasks, self.brief, self.ledger
            )
        return self._designs[plan.digest]

    def _make_design(self, brief: Brief) -> Design:
        return self._workbench.planner.design(
            brief,
            build_ledger(brief),
            documents=bool(self.corpus.passages),
            pictures=bool(self.corpus.pictures),
            repository=bool(self.options.repo),
        )

    @property
    def version(self) -> str:
        """The release and the library that do the work."""
        return self._workbench.version

    def initial_state(self, folder: RunFolder) -> GraphState:
        """Return the run as asked."""
        del folder
        return GraphState(
            idea=self.brief.objective,
            constraints=self.brief.hard_constraints,
            risk_posture=self.brief.risk_posture,
        )

    @property
    def _seed(self) -> str:
        """Where the lines that part material from what is asked come from."""
        return f"{self._folder.run_id}/{self.options.seed}"


def asked_in(folder: RunFolder) -> Brief:
    """Return what a run was asked, with what people wrote on plans they sent back as limits."""
    return _with_notes(folder.read(Brief, "brief.json"), notes(folder))


def _with_notes(brief: Brief, notes: Sequence[str]) -> Brief:
    limits = (*brief.hard_constraints, *notes)
    return brief.model_copy(update={"hard_constraints": limits})


def design_file(sent_back: int) -> str:
    """Return where the design is kept that was made after so many plans were sent back."""
    return "design.json" if not sent_back else f"design-{sent_back + 1}.json"
