"""One run: what plans it, works it, scores it and composes its proposal."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from anyio.lowlevel import checkpoint

from core.bench import budget_for, deps_for
from core.clock import Clock
from core.events import Event
from core.graph.nodes import Agent, Deps, Stamp, Work
from core.graph.state import Answer, GraphState, GraphTask, ToolRequest
from core.requests import Calls
from core.scores import Scorecard
from core.store import RunFolder
from core.tool_router import Tool
from dr_rd.adherence import LedgerVerdict
from dr_rd.agents.builtin import BuiltinAgent
from dr_rd.agents.model import ModelAgent, about_theirs
from dr_rd.evaluation.claims import Judged, claims_of, judged, to_json
from dr_rd.evaluation.judge import Judge, load_criteria
from dr_rd.evaluation.opinions import with_opinions
from dr_rd.evaluation.subject import Subject
from dr_rd.evidence.index import open_index
from dr_rd.models.served import RunModels
from dr_rd.planning.design import Design
from dr_rd.planning.proposed import proposed_design
from dr_rd.prompts import delimiter
from dr_rd.report.grounds import Grounds
from dr_rd.report.proposal import FOOTER, Synthesizer
from dr_rd.report.tables import counts
from dr_rd.report.writing import Writer
from dr_rd.tools import builtin_tools
from dr_rd.tools.mcp import read_offers, server_tools, tool_names
from dr_rd.workbench.asking import asking
from dr_rd.workbench.inputs import DESIGN, OFFERS, Inputs
from dr_rd.workbench.scoring import EVALUATOR, GATE, evaluator, scored
from dr_rd.workbench.subjects import subject_of


class RunBench(Inputs):
    """One run: what its steps do."""

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
            calls, close = asking(
                self._workbench, folder, self.options, served, record, clock, budget
            )
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

    def _tools(self) -> tuple[Tool, ...]:
        index, options = open_index(self.corpus), self.options
        ours = builtin_tools(self.corpus, index, options.docs, options.repo)
        theirs = server_tools(self.servers, self._workbench.environ)
        shared = self._workbench
        asks = evaluator(shared.plugins, shared.answer_rubric, options.flags)
        return (*ours, *theirs, asks)

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
        update = {
            "task": task,
            "template": self._workbench.answer_template,
            "verdicts": self._verdicts(answer.content, (task,), {task.id: answer}),
        }
        rubric, flags = self._workbench.answer_rubric, self.options.flags
        return await scored(subject.model_copy(update=update), rubric, flags)

    async def _synthesize(self, models: RunModels | None, state: GraphState, stamp: Stamp) -> str:
        judging = self.options.flags.EVALUATORS_ENABLED
        judged = models and judging and "judge" in models.served.models
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
        subject = self.proposal_subject(body, state.answers)
        card = await scored(subject, rubric, self.options.flags)
        if models is None or not models.does("judge"):
            return card
        seed = f"{self._folder.run_id}/{rubric.digest}"
        author = models.model("write").name if models.does("write") else ""
        judge = Judge((models.model("judge"),), seed, author=author)
        return await with_opinions(card, rubric, body, judge, load_criteria())

    # --- the finished proposal

    def verdicts(self, proposal: str) -> tuple[LedgerVerdict, ...]:
        """Hold the proposal against the ledger."""
        plan = self._folder.plan()
        tasks = plan.tasks if plan else self.design.tasks
        return self._verdicts(proposal, tasks, self._folder.answers(tasks))

    def _verdicts(
        self, text: str, tasks: Sequence[GraphTask], answers: Mapping[str, Answer]
    ) -> tuple[LedgerVerdict, ...]:
        calls = [r for a in answers.values() for r in a.tool_result]
        return Grounds(self.brief, self.ledger, self.design, tasks, calls).verdicts(text)

    def claims(self, answers: Mapping[str, Answer]) -> tuple[Judged, ...]:
        """Hold every claim of the answers against what it cites."""
        return judged(claims_of(answers.values()), self.subject("", answers))

    def proposal_subject(self, text: str, answers: Mapping[str, Answer]) -> Subject:
        """What is scored of the whole proposal; its ledger may be counted."""
        subject, verdicts = self.subject(text, answers), self.verdicts(text)
        counted = [len(self.ledger.items), *counts(verdicts).values()]
        return subject.model_copy(
            update={
                "computed": {
                    **subject.computed,
                    "counts": counted,
                    "claims": to_json(self.claims(answers)),
                },
                "template": self._workbench.proposal_template,
                "verdicts": verdicts,
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
        return subject_of(
            text,
            answers,
            tasks,
            count,
            brief=self.brief,
            ledger=self.ledger,
            corpus=self.corpus,
            design=self.design,
        )
