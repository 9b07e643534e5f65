"""The composition root: from settings and a library to runs."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from importlib.metadata import version as release
from pathlib import Path
from random import SystemRandom
from typing import Any

from anyio.lowlevel import checkpoint
from pydantic import JsonValue

from core.budget import Budget
from core.calls import Breakers, Caller, Calls, Policy, Send, past_calls
from core.clock import Clock, seeded
from core.compute import Compute, in_thread
from core.errors import TaskError, unknown
from core.events import Event
from core.graph.nodes import Agent, Deps, Stamp, Work
from core.graph.state import Answer, GraphState, GraphTask, ToolRequest
from core.redaction import Redactor
from core.runs import BenchFor, budget_for, deps_for
from core.scores import Criterion, Rubric, Score, Scorecard
from core.settings import Flags, RunOptions, Served, environment, read_services
from core.store import TRACE, RunFolder
from core.tool_router import Tool, call_tool
from core.trace import read_events
from dr_rd.adherence import LedgerVerdict
from dr_rd.agents.builtin import BuiltinAgent
from dr_rd.agents.model import ModelAgent, about_theirs
from dr_rd.brief import Brief
from dr_rd.evaluation.claims import Judged, claims_of, judged, to_json
from dr_rd.evaluation.judge import Judge, load_criteria
from dr_rd.evaluation.metrics import METRICS
from dr_rd.evaluation.opinions import with_opinions
from dr_rd.evaluation.plugins import Ask, Plugins, ask
from dr_rd.evaluation.scorecard import check_weights, load_rubric, load_template, score
from dr_rd.evaluation.subject import Section, Subject
from dr_rd.evidence.corpus import Corpus, Refused
from dr_rd.evidence.files import find
from dr_rd.evidence.index import open_index
from dr_rd.evidence.ingest import read_documents
from dr_rd.files import data_digest
from dr_rd.images import NO_DOCUMENT
from dr_rd.ledger import Ledger, build_ledger
from dr_rd.models.chat import patience_s
from dr_rd.models.clients import Clients
from dr_rd.models.egress import check_allowed
from dr_rd.models.keys import Keys, Masks
from dr_rd.models.masking import Mask, masked
from dr_rd.models.prices import read_prices
from dr_rd.models.served import RunModels, server_of
from dr_rd.models.typed import Model
from dr_rd.planning.builtin import Planner, load_planner
from dr_rd.planning.design import Design
from dr_rd.planning.proposed import proposed_design
from dr_rd.prompts import delimiter
from dr_rd.report.grounds import grounded, owners_of
from dr_rd.report.proposal import FOOTER, Synthesizer
from dr_rd.report.writing import Writer
from dr_rd.tools import builtin_tools
from dr_rd.tools.mcp import Offers, Servers, read_offers, read_servers, server_tools, tool_names

DESIGN, EVIDENCE, SERVERS = "design.json", "evidence.json", "servers.json"
OFFERS = "offers.json"
"""Files that the workbench adds to a run's folder."""

EVALUATOR = "evaluator"
"""The tool that asks another package's evaluator, so that its word is on record like a tool's."""

GATE = "gate"
"""The role that asks for scores."""


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
    plugins: Plugins = field(default_factory=Plugins)
    """The evaluators of other packages."""
    environ: Callable[[], Mapping[str, str]] = environment
    """Holds the keys of the analyst's own servers, and of the models', when one is called."""
    clients: Clients = field(default_factory=Clients)
    """The clients of models' servers, which runs share."""
    keys: Keys = field(default_factory=Keys)
    """The keys that people gave to runs; the environment's is for those without."""
    masks: Masks = field(default_factory=Masks)
    """The words and figures that people typed for runs, which no server is told."""
    breakers: Breakers = field(default_factory=Breakers)

    def bench(self, folder: RunFolder) -> "RunBench":
        """Build the bench of the run in *folder*."""
        return RunBench(self, folder)

    @property
    def bench_for(self) -> BenchFor:
        """What the run service builds benches with."""
        return self.bench

    def check(self, flags: Flags, roles: Iterable[str] = ()) -> None:
        """Refuse what no run could be scored with, and models for roles that nobody has.

        Raises CallerError.
        """
        check_weights(flags.EVALUATOR_WEIGHTS, (self.answer_rubric, self.proposal_rubric))
        known = [role.id for role in self.planner.library.roles]
        if stranger := next((role for role in roles if role not in known), None):
            raise unknown("role in DRRD_MODEL_ROLES", stranger, known)

    def design(self, brief: Brief, docs: tuple[Path, ...], repo: Path | None = None) -> Design:
        """Plan *brief* without running it."""
        return self.planner.design(
            brief,
            build_ledger(brief),
            documents=bool(docs),
            pictures=any(isinstance(f, Refused) and f.reason == NO_DOCUMENT for f in find(docs)),
            repository=bool(repo),
        )

    async def design_by(
        self,
        model: Model,
        brief: Brief,
        docs: tuple[Path, ...],
        repo: Path | None,
        theirs: Mapping[str, str],
    ) -> Design:
        """Have *model* plan *brief* without running it; the library does if it cannot.

        It may plan with *theirs*, tools of the analyst's own servers, with what those say of them.
        """
        tools = builtin_tools(Corpus(), open_index(Corpus()), docs, repo)
        return await proposed_design(
            model,
            brief,
            build_ledger(brief),
            library=self.planner.library,
            tools={tool.name: tool.description for tool in tools},
            mark=delimiter(
                str(SystemRandom().getrandbits(96)), "\n".join((brief.words, *theirs.values()))
            ),
            theirs=theirs,
            designed=lambda asked: self.design(asked, docs, repo),
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
            self._folder.write_json(
                EVIDENCE, read_documents(self.options.docs, Redactor([self._key]))
            )
        return self._folder.read(Corpus, EVIDENCE)

    @cached_property
    def servers(self) -> Servers:
        """The servers whose tools may be called, as they were named when the run began."""
        if not self.options.mcp:
            return Servers()
        if not self._folder.has(SERVERS):
            self._folder.write_json(SERVERS, read_servers(self.options.mcp))
        return self._folder.read(Servers, SERVERS)

    @cached_property
    def design(self) -> Design:
        """The design that the plan was made from."""
        if not self._folder.has(DESIGN):
            self._folder.write_json(DESIGN, self._designed(self.brief))
        return self._folder.read(Design, DESIGN)

    def _designed(self, brief: Brief) -> Design:
        return self._workbench.planner.design(
            brief,
            self.ledger,
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

    def deps(
        self,
        folder: RunFolder,
        record: Callable[[Event], None],
        clock: Clock,
        calls: Calls | None = None,
    ) -> Deps:
        """Return what the steps use; models are asked by *calls*, or else by the run's own."""
        served, budget, close = self.options.served, budget_for(self.options, folder, clock), None
        replayed = calls is not None
        if served and calls is None:
            mask = self._mask(served)
            lease = self._workbench.clients.lease(served.base_url, self._key, clock)
            send = masked(lease.send, mask) if mask else lease.send
            policy = Policy(deadline_s=2 * patience_s(served.base_url))
            calls, close = self._caller(send, folder, record, clock, budget, policy), lease.close
        models = RunModels(calls, served) if served and calls else None
        tools = self._tools()
        return deps_for(
            self.options,
            folder,
            record,
            clock,
            planner=partial(self._plan, models, tools, replayed=replayed),
            agent=self._agent(models, tools),
            evaluate=self._evaluate,
            synthesize=partial(self._synthesize, models),
            review=partial(self._review, models),
            tools=tools,
            allowed=self._allowed(),
            budget=budget,
            compute=self._workbench.compute,
            close=close or checkpoint,
        )

    def _mask(self, served: Served) -> Mask | None:
        """Return what the server is not told; raises CallerError if it may not be asked at all."""
        allowed = read_services(self._workbench.environ()).endpoints_allowed
        check_allowed(server_of(served), allowed, local_only=served.local_only)
        return self._workbench.masks.mask(self._folder.run_id, served)

    @property
    def _key(self) -> str:
        served, shared = self.options.served, self._workbench
        if served is None:
            return ""
        key = shared.keys.key(self._folder.run_id, served.base_url, shared.environ())
        return key.get_secret_value()

    def _caller(
        self,
        send: Send,
        folder: RunFolder,
        record: Callable[[Event], None],
        clock: Clock,
        budget: Budget,
        policy: Policy,
    ) -> Caller:
        past = read_events(folder.trace_path) if folder.has(TRACE) else ()
        return Caller(
            send,
            record=record,
            keep=folder.keep,
            commit=folder.commits.commit_files,
            clock=clock,
            random=seeded(self.options.seed),
            budget=budget,
            breakers=self._workbench.breakers,
            policy=policy,
            redactor=Redactor([self._key]),
            past=past_calls(past, folder.kept),
            price=read_prices(self._workbench.environ()).price,
        )

    def _tools(self) -> tuple[Tool, ...]:
        index, options = open_index(self.corpus), self.options
        ours = builtin_tools(self.corpus, index, options.docs, options.repo)
        theirs = server_tools(self.servers, self._workbench.environ)
        return (*ours, *theirs, self._evaluator())

    def _allowed(self) -> dict[str, Sequence[str]]:
        """Return the tools of each role: its own, and those of the analyst's servers."""
        theirs = tool_names(self.servers)
        roles = {r.id: (*r.tools, *theirs) for r in self._workbench.planner.library.roles}
        return {**roles, GATE: (EVALUATOR,)}

    async def _plan(
        self,
        models: RunModels | None,
        tools: Sequence[Tool],
        state: GraphState,
        *,
        replayed: bool,
    ) -> tuple[GraphTask, ...]:
        del state
        planning = models and models.does("plan") and not self.brief.tasks
        if models and planning and not self._folder.has(DESIGN):
            if self.servers.servers and not (replayed or self._folder.has(OFFERS)):
                asked = await read_offers(self.servers, self._workbench.environ())
                self._folder.write_json(OFFERS, asked)
            self._folder.write_json(DESIGN, await self._proposed(models, tools))
        return self.design.tasks

    @cached_property
    def _offers(self) -> Offers:
        """What the servers told of their tools before a model planned with them."""
        has = self._folder.has(OFFERS)
        return self._folder.read(Offers, OFFERS) if has else Offers()

    async def _proposed(self, models: RunModels, tools: Sequence[Tool]) -> Design:
        theirs = self._offers.said
        found = await proposed_design(
            models.model("plan"),
            self.brief,
            self.ledger,
            library=self._workbench.planner.library,
            tools={tool.name: tool.description for tool in tools},
            mark=delimiter(f"{self._seed}/plan", "\n".join((self.brief.words, *theirs.values()))),
            theirs=theirs,
            designed=self._designed,
        )
        return found.model_copy(update={"notes": (*found.notes, *self._offers.problems)})

    @property
    def _seed(self) -> str:
        """Where the lines that part material from what is asked come from."""
        return f"{self._folder.run_id}/{self.options.seed}"

    def _agent(self, models: RunModels | None, tools: Sequence[Tool]) -> Agent:
        """Return what works tasks: the library alone, or with a model beside it."""

        async def work(work: Work) -> tuple[ToolRequest, ...] | Answer:
            builtin = BuiltinAgent(
                brief=self.brief,
                ledger=self.ledger,
                design=self.design,
                library=self._workbench.planner.library,
                seed=self.options.seed,
                documents=bool(self.corpus.documents),
            )
            if models is None or not models.does("work"):
                return await builtin(work)
            agent = ModelAgent(
                model=models.model("work", work.task.role),
                builtin=builtin,
                tools={tool.name: tool for tool in tools},
                theirs={
                    name: about_theirs(name, offer.about, offer.arguments)
                    for name, offer in self._offers.tools.items()
                },
                window=models.window("work", work.task.role),
                seed=self._seed,
            )
            return await agent(work)

        return work

    async def _evaluate(self, task: GraphTask, answer: Answer, state: GraphState) -> Scorecard:
        subject = self._subject(answer.content, {task.id: answer}, (task,), len(state.tasks))
        update = {"task": task, "template": self._workbench.answer_template}
        return await self._score(subject.model_copy(update=update), self._workbench.answer_rubric)

    async def _synthesize(self, models: RunModels | None, state: GraphState, stamp: Stamp) -> str:
        scored = self.options.flags.EVALUATORS_ENABLED
        judged = models and scored and "judge" in models.served.models
        compose = Synthesizer(
            brief=self.brief,
            ledger=self.ledger,
            design=self.design,
            library=self._workbench.planner.library,
            corpus=self.corpus,
            writer=self._writer(models) if models and models.does("write") else None,
            worker=(lambda role: models.model("work", role).name)
            if models and models.does("work")
            else None,
            judge=models.model("judge").name if models and judged else "",
        )
        return await compose(state, stamp)

    def _writer(self, models: RunModels) -> Writer:
        return Writer(models.model("write"), self.ledger, f"{self._seed}/write")

    async def _review(
        self, models: RunModels | None, proposal: str, state: GraphState
    ) -> Scorecard:
        body, rubric = proposal.partition(FOOTER)[0], self._workbench.proposal_rubric
        card = await self._score(self.proposal_subject(body, state.answers), rubric)
        if models is None or not models.does("judge"):
            return card
        seed = f"{self._folder.run_id}/{rubric.digest}"
        author = models.model("write").name if models.does("write") else ""
        judge = Judge((models.model("judge"),), seed, author=author)
        return await with_opinions(card, rubric, body, judge, load_criteria())

    def _evaluator(self) -> Tool:
        """Return the tool that asks evaluators of other packages; no task can plan it."""

        async def run(asked: Ask) -> JsonValue:
            found = await in_thread(self._workbench.plugins.score, asked)
            return found.model_dump(mode="json")

        most = self.options.flags.MAX_ATTEMPTS * len(self._workbench.answer_rubric.criteria) * 2
        about = "Asks the evaluator of another package."
        return Tool(EVALUATOR, about, Ask, run, max_calls_per_run=most)

    async def _score(self, subject: Subject, rubric: Rubric) -> Scorecard:
        """Score beside the event loop; what other packages say is on record first."""
        flags = self.options.flags
        strange = [c for c in rubric.criteria if c.key not in METRICS]
        said = {c.key: await _told(c, subject) for c in strange}
        scoring = partial(
            score,
            threshold=flags.EVALUATOR_MIN_OVERALL,
            weights=flags.EVALUATOR_WEIGHTS,
            others=lambda criterion, _: said[criterion.key],
        )
        return await in_thread(scoring, subject, rubric)

    # --- the finished proposal

    def verdicts(self, proposal: str) -> tuple[LedgerVerdict, ...]:
        """Hold the proposal against the ledger."""
        plan = self._folder.plan()
        return grounded(self.ledger, proposal, owners_of(plan.tasks if plan else ()))

    def claims(self, answers: Mapping[str, Answer]) -> tuple[Judged, ...]:
        """Hold every claim of the answers against what it cites."""
        return judged(claims_of(answers.values()), self.subject("", answers))

    def proposal_subject(self, text: str, answers: Mapping[str, Answer]) -> Subject:
        """What is scored of the whole proposal; its ledger may be counted."""
        subject = self.subject(text, answers)
        counts = Counter(v.verdict for v in self.verdicts(text))
        counted = [len(self.ledger.items), *counts.values(), 0]
        return subject.model_copy(
            update={
                "computed": {
                    **subject.computed,
                    "counts": counted,
                    "claims": to_json(self.claims(answers)),
                },
                "template": self._workbench.proposal_template,
            }
        )

    def subject(self, text: str, answers: Mapping[str, Answer]) -> Subject:
        """What is scored of *text*: it may rest on everything the run has recorded."""
        plan = self._folder.plan()
        tasks = plan.tasks if plan else self.design.tasks
        return self._subject(text, answers, tasks, len(tasks))

    def _subject(
        self, text: str, answers: Mapping[str, Answer], tasks: Sequence[GraphTask], count: int
    ) -> Subject:
        """What is scored of a *text* on *tasks* of a plan that has *count* of them.

        An answer is scored on its own task: the work does not grow with the plan.
        """
        design = self.design
        computed: dict[str, Any] = {
            r.id: {"args": dict(r.args), "output": r.output}
            for a in answers.values()
            for r in a.tool_result
        }
        computed["plan"] = _planned(design, tasks, count)
        computed["scores"] = [_scored(a) for a in answers.values()]
        return Subject(
            text=text,
            brief=self.brief,
            ledger=self.ledger,
            claims=tuple(c for a in answers.values() for c in a.claims),
            corpus=self.corpus,
            computed=computed,
            assumed=(*(a.text for a in design.assumptions), *assumed(answers.values())),
            names=(*design.references, *design.names),
        )


async def _told(criterion: Criterion, subject: Subject) -> Score:
    """Return what the evaluator of another package says, from the record if it is there."""
    asked = ask(criterion, subject).model_dump(mode="json")
    task_id = subject.task.id if subject.task else ""
    said = await call_tool(EVALUATOR, asked, task_id=task_id, role=GATE, planned=(EVALUATOR,))
    if said.error:
        raise TaskError(said.error)
    return Score.model_validate(said.output)


def assumed(answers: Iterable[Answer]) -> Iterator[str]:
    """What answers take for granted, each in its own words and under its own id."""
    for answer in answers:
        yield from (c.text for c in answer.claims if c.kind == "assumption")


def _planned(design: Design, tasks: Sequence[GraphTask], count: int) -> dict[str, JsonValue]:
    """Figures that the planner computed: counts, scaling, scores."""
    return {
        "tasks": count,
        "estimates": [e.model_dump() for t in tasks for e in (t.duration_days, t.cost) if e],
        "scaling": design.scaling.model_dump(mode="json"),
        "scores": [m.score for m in design.ranking],
        "outlines": [[o.tasks, o.days, o.cost] for d in design.directions if (o := d.outline)],
    }


def _scored(answer: Answer) -> list[JsonValue]:
    """What the gate recorded of an answer."""
    card = answer.evaluation
    numbers = [card.overall, card.coverage] if card else []
    return [answer.attempts, answer.kept, *answer.tried, *numbers]
