"""The composition root: from settings and a library to runs."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version as release
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from core.calls import Calls
from core.clock import Clock
from core.compute import Compute, in_thread
from core.events import Event
from core.graph.nodes import Deps, Stamp, Work
from core.graph.state import Answer, GraphState, GraphTask, ToolRequest
from core.runs import BenchFor, deps_for
from core.scores import Rubric, Scorecard
from core.settings import RunOptions
from core.store import RunFolder
from dr_rd.adherence import LedgerVerdict, check
from dr_rd.agents.builtin import BuiltinAgent
from dr_rd.brief import Brief
from dr_rd.evaluation.scorecard import load_rubric, load_template, score
from dr_rd.evaluation.subject import Section, Subject
from dr_rd.evidence.corpus import Corpus, Refused
from dr_rd.evidence.files import find
from dr_rd.evidence.index import open_index
from dr_rd.evidence.ingest import read_documents
from dr_rd.files import data_digest
from dr_rd.images import NO_DOCUMENT
from dr_rd.ledger import Ledger, build_ledger
from dr_rd.planning.builtin import Planner, load_planner
from dr_rd.planning.design import Design
from dr_rd.report.proposal import FOOTER, Synthesizer
from dr_rd.tools import builtin_tools

DESIGN, EVIDENCE = "design.json", "evidence.json"
"""Files that the workbench adds to a run's folder."""


@dataclass(frozen=True)
class Workbench:
    """What all runs share."""

    planner: Planner
    answer_rubric: Rubric
    answer_template: tuple[Section, ...]
    proposal_rubric: Rubric
    proposal_template: tuple[Section, ...]
    version: str
    """The release, and the digest of all that it reads: its library, rubrics and templates."""
    compute: Compute = in_thread
    """Where heavy tools compute."""

    def bench(self, folder: RunFolder) -> "RunBench":
        """Build the bench of the run in *folder*."""
        return RunBench(self, folder)

    @property
    def bench_for(self) -> BenchFor:
        """What the run service builds benches with."""
        return self.bench

    def design(self, brief: Brief, docs: tuple[Path, ...], repo: Path | None = None) -> Design:
        """Plan *brief* without running it."""
        return self.planner.design(
            brief,
            build_ledger(brief),
            documents=bool(docs),
            pictures=any(isinstance(f, Refused) and f.reason == NO_DOCUMENT for f in find(docs)),
            repository=bool(repo),
        )


def load_workbench(compute: Compute = in_thread) -> Workbench:
    """Read the library and the rubrics; heavy tools go where *compute* says."""
    return Workbench(
        planner=load_planner(),
        answer_rubric=load_rubric("answer"),
        answer_template=load_template("answer"),
        proposal_rubric=load_rubric("proposal"),
        proposal_template=load_template("proposal"),
        version=f"dr-rd {release('dr-rd')}, library {data_digest()[:12]}",
        compute=compute,
    )


def benches(compute: Compute) -> BenchFor:
    """Build a worker's benches."""
    return load_workbench(compute).bench_for


class RunBench:
    """One run: its brief, ledger, evidence and design."""

    def __init__(self, workbench: Workbench, folder: RunFolder) -> None:
        self._workbench, self._folder = workbench, folder
        self.options: RunOptions = folder.options()
        self.brief = folder.read(Brief, "brief.json")
        self.ledger: Ledger = build_ledger(self.brief)

    @cached_property
    def corpus(self) -> Corpus:
        """The documents as they were when the run began; later changes do not reach it."""
        if not self._folder.has(EVIDENCE):
            self._folder.write_json(EVIDENCE, read_documents(self.options.docs))
        return self._folder.read(Corpus, EVIDENCE)

    @cached_property
    def design(self) -> Design:
        """The design that the plan was made from."""
        if not self._folder.has(DESIGN):
            made = self._workbench.planner.design(
                self.brief,
                self.ledger,
                documents=bool(self.corpus.passages),
                pictures=bool(self.corpus.pictures),
                repository=bool(self.options.repo),
            )
            self._folder.write_json(DESIGN, made)
        return self._folder.read(Design, DESIGN)

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

    def deps(
        self,
        folder: RunFolder,
        record: Callable[[Event], None],
        clock: Clock,
        calls: Calls | None = None,
    ) -> Deps:
        """Return what the steps use; this version calls no model."""
        del calls
        return deps_for(
            self.options,
            folder,
            record,
            clock,
            planner=self._plan,
            agent=self._work,
            evaluate=self._evaluate,
            synthesize=self._synthesize,
            review=self._review,
            tools=builtin_tools(
                self.corpus, open_index(self.corpus), self.options.docs, self.options.repo
            ),
            compute=self._workbench.compute,
        )

    async def _plan(self, state: GraphState) -> tuple[GraphTask, ...]:
        del state
        return self.design.tasks

    async def _work(self, work: Work) -> tuple[ToolRequest, ...] | Answer:
        agent = BuiltinAgent(
            brief=self.brief,
            ledger=self.ledger,
            design=self.design,
            library=self._workbench.planner.library,
            seed=self.options.seed,
            documents=bool(self.corpus.documents),
        )
        return await agent(work)

    async def _evaluate(self, task: GraphTask, answer: Answer, state: GraphState) -> Scorecard:
        del state
        subject = self.subject(answer.content, {answer.task_id: answer}).model_copy(
            update={"task": task, "template": self._workbench.answer_template}
        )
        return self._score(subject, self._workbench.answer_rubric)

    async def _synthesize(self, state: GraphState, stamp: Stamp) -> str:
        compose = Synthesizer(
            brief=self.brief,
            ledger=self.ledger,
            design=self.design,
            library=self._workbench.planner.library,
            corpus=self.corpus,
        )
        return await compose(state, stamp)

    async def _review(self, proposal: str, state: GraphState) -> Scorecard:
        body = proposal.partition(FOOTER)[0]
        subject = self.proposal_subject(body, state.answers)
        return self._score(subject, self._workbench.proposal_rubric)

    # --- the finished proposal

    def verdicts(self, proposal: str) -> tuple[LedgerVerdict, ...]:
        """Hold the proposal against the ledger."""
        return check(self.ledger, proposal)

    def _score(self, subject: Subject, rubric: Rubric) -> Scorecard:
        flags = self.options.flags
        return score(
            subject,
            rubric,
            threshold=flags.EVALUATOR_MIN_OVERALL,
            weights=flags.EVALUATOR_WEIGHTS,
        )

    def proposal_subject(self, text: str, answers: Mapping[str, Answer]) -> Subject:
        """What is scored of the whole proposal; its ledger may be counted."""
        subject = self.subject(text, answers)
        counts = Counter(v.verdict for v in check(self.ledger, text))
        counted = [len(self.ledger.items), *counts.values(), 0]
        return subject.model_copy(
            update={
                "computed": {**subject.computed, "counts": counted},
                "template": self._workbench.proposal_template,
            }
        )

    def subject(self, text: str, answers: Mapping[str, Answer]) -> Subject:
        """What is scored of *text*: it may rest on everything the run has recorded."""
        design = self.design
        plan = self._folder.plan()
        tasks = plan.tasks if plan else design.tasks
        computed: dict[str, Any] = {
            r.id: {"args": dict(r.args), "output": r.output}
            for a in answers.values()
            for r in a.tool_result
        }
        computed["plan"] = _planned(design, tasks)
        computed["scores"] = [_scored(a) for a in answers.values()]
        return Subject(
            text=text,
            brief=self.brief,
            ledger=self.ledger,
            claims=tuple(c for a in answers.values() for c in a.claims),
            corpus=self.corpus,
            computed=computed,
            assumed=tuple(a.text for a in design.assumptions),
            names=(*design.references, *design.names),
        )


def _planned(design: Design, tasks: tuple[GraphTask, ...]) -> dict[str, JsonValue]:
    """Figures that the planner computed: counts, scaling, scores."""
    return {
        "tasks": len(tasks),
        "estimates": [e.model_dump() for t in tasks for e in (t.duration_days, t.cost) if e],
        "scaling": design.scaling.model_dump(mode="json"),
        "scores": [m.score for m in design.ranking],
    }


def _scored(answer: Answer) -> list[JsonValue]:
    """What the gate recorded of an answer."""
    card = answer.evaluation
    return [answer.attempts, *([card.overall, card.coverage] if card else [])]
