"""One run: what plans it, works it, scores it and composes its proposal."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from anyio.lowlevel import checkpoint

from core.clock import Clock
from core.compute import in_thread
from core.conversations import Converse
from core.events import Event
from core.graph.files import notes, read_answers, read_plan
from core.graph.nodes import Agent, Stamp, Work
from core.graph.state import Answer, GraphState, GraphTask, ToolRequest
from core.kit import Kit, budget_for, make_kit
from core.live import LiveCall
from core.modes import AnyMode, find_mode
from core.modes.graph import Steps
from core.requests import Calls
from core.scores import Scorecard
from core.store import RunFolder
from core.tool_router import Tool
from dr_rd.agents.builtin import BuiltinAgent
from dr_rd.agents.conversing import ConversingAgent
from dr_rd.agents.model import ModelAgent, about_theirs
from dr_rd.brief import Brief
from dr_rd.checks import LedgerVerdict, build_ledger
from dr_rd.evaluation.claims import Judged, claims_of, judge_claims, to_json
from dr_rd.evaluation.judge import load_criteria
from dr_rd.evaluation.subject import Subject
from dr_rd.findings import RunFindings
from dr_rd.language import language
from dr_rd.models.served.run import RunModels
from dr_rd.modes import find_content
from dr_rd.modes.spec import Material, read_inputs
from dr_rd.planning.design import Design
from dr_rd.planning.proposed import proposed_design
from dr_rd.planning.resent import resent
from dr_rd.prompts import delimiter
from dr_rd.report.calls import results
from dr_rd.report.critique import Critic
from dr_rd.report.findings import task_findings
from dr_rd.report.grounds import Grounds
from dr_rd.report.partial import before_planning, unfinished
from dr_rd.report.preview import Preview, preview
from dr_rd.report.proposal import FOOTER, Synthesizer
from dr_rd.report.tables import counts
from dr_rd.report.writing import Writer
from dr_rd.tools import Sources
from dr_rd.tools.mcp import read_offers, server_tools, tool_names
from dr_rd.workbench.asking import asking
from dr_rd.workbench.inputs import OFFERS, Inputs, design_file
from dr_rd.workbench.scoring import EVALUATOR, GATE, evaluator, scored
from dr_rd.workbench.subjects import subject_of

_TELLING = 8
"""Passages of the documents that a planning model is shown."""


class ResearchRun(Inputs):
    """The parts of one run: what its steps do."""

    @property
    def mode(self) -> AnyMode:
        """How the run is orchestrated."""
        return find_mode(self.options.mode)

    def kit(
        self,
        folder: RunFolder,
        record: Callable[[Event], None],
        clock: Clock,
        calls: Calls | None = None,
    ) -> Kit:
        """Return what every mode is given; models are asked by *calls*, or by the run's own."""
        served, budget, close = self.options.served, budget_for(self.options, folder, clock), None
        if served and calls is None:
            calls, close = asking(
                self._workbench,
                folder,
                self.options,
                served,
                record,
                clock,
                budget,
                self._server_secrets,
            )
        return make_kit(
            self.options,
            folder,
            record,
            clock,
            tools=self._tools(),
            allowed=self._tools_by_role(),
            budget=budget,
            calls=calls if served else None,
            compute=self._workbench.compute,
            close=close or checkpoint,
            redactor=self._redactor(),
        )

    def live_calls(self) -> tuple[LiveCall, ...]:
        """Return the calls to models that are made now; without words where the run hides some."""
        return self._workbench.live_calls(self._folder.run_id, self.options.mode)

    def content(self, kit: Kit) -> object:
        """Return what the workbench says in the run's mode; None where it says nothing."""
        found = find_content(self.options.mode)
        served = self.options.served
        models = RunModels(kit.calls, served) if served and kit.calls else None
        return found and found.content(self.material(models), kit)

    def material(self, models: RunModels | None = None) -> Material:
        """Return what a mode works from."""
        return Material(
            options=self.options,
            brief=self.brief,
            ledger=self.ledger,
            library=self._workbench.planner.library,
            inputs=read_inputs(self._folder),
            make_design=lambda: self.design,
            read_corpus=lambda: self.corpus,
            models=models,
        )

    def steps(self, kit: Kit, converse: Converse | None = None) -> Steps:
        """Return what plans, works, scores and composes a run of tasks.

        With *converse* the model answers tasks in conversations.
        """
        served, tools = self.options.served, self._tools()
        models = RunModels(kit.calls, served) if served and kit.calls else None
        make: Callable[..., ModelAgent] = ModelAgent
        if converse:
            make = partial(ConversingAgent, converse=converse, toolbox=kit.toolbox)
        return Steps(
            planner=partial(self._plan, models, tools, live=kit.live),
            agent=self._agent(models, tools, make),
            evaluate=self._evaluate,
            synthesize=partial(self._synthesize, models),
            review=self._review,
            revisable=partial(_revisable, models),
        )

    def _tools(self) -> tuple[Tool, ...]:
        options, shared = self.options, self._workbench
        sources = Sources(self.corpus, self.index, options.docs, options.repo)
        ours = shared.planner.library.tools.open(sources)
        theirs = server_tools(self.servers, shared.environ)
        asks = evaluator(shared.plugins, shared.answer_rubric, options.flags)
        return (*ours, *theirs, asks)

    def _tools_by_role(self) -> dict[str, Sequence[str]]:
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
        live: bool,
    ) -> tuple[GraphTask, ...]:
        name = design_file(len(state.sent_back))
        if self._folder.has(name):
            return self.design_with(state.sent_back).tasks
        brief = self.brief_with(state.sent_back)
        if models and models.does("plan") and not self.brief.tasks:
            if self.servers.servers and live and not self._folder.has(OFFERS):
                asked = await read_offers(self.servers, self._workbench.environ())
                said = self._redactor().json(asked.model_dump(mode="json"))
                self._folder.write_json(OFFERS, said)
            design = await self._model_design(models, tools, brief)
        else:
            design = await in_thread(self._make_design, brief)
        self._folder.write_json(name, design)
        return self.design_with(state.sent_back).tasks

    async def _model_design(
        self, models: RunModels, tools: Sequence[Tool], brief: Brief
    ) -> Design:
        theirs = self._offers.said
        await self.index.prepare()
        passages = self._passages(brief)
        told = "\n".join((brief.words, *theirs.values(), *passages))
        found = await proposed_design(
            models.model("plan"),
            brief,
            build_ledger(brief),
            library=self._workbench.planner.library,
            tools={tool.name: tool.description for tool in tools},
            mark=delimiter(f"{self._seed}/plan", told),
            theirs=theirs,
            passages=passages,
            window=models.window("plan"),
            designed=self._make_design,
        )
        return found.model_copy(update={"notes": (*found.notes, *self._offers.problems)})

    def _passages(self, brief: Brief) -> tuple[str, ...]:
        """The documents' passages that speak most to the brief, each with its place."""
        hits = self.index.search(brief.words, _TELLING)
        return tuple(f"({h.place}) {h.passage.text}" for h in hits if not h.superseded_by)

    def _agent(
        self, models: RunModels | None, tools: Sequence[Tool], make: Callable[..., ModelAgent]
    ) -> Agent:
        """Return what works tasks: the library alone, or with a model beside it, by *make*."""

        async def work(work: Work) -> tuple[ToolRequest, ...] | Answer:
            if work.task.tool_request:
                await self.index.prepare()
            builtin = BuiltinAgent(
                brief=self.brief,
                ledger=self.ledger,
                design=self.agreed,
                library=self._workbench.planner.library,
                seed=self.options.seed,
                documents=bool(self.corpus.documents),
            )
            if models is None or not models.does("work"):
                return await builtin(work)
            agent = make(
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
        subject = await in_thread(self._answer_subject, task, answer, len(state.tasks))
        return await scored(subject, self._workbench.answer_rubric, self.options.flags)

    def _answer_subject(self, task: GraphTask, answer: Answer, planned: int) -> Subject:
        answers = {task.id: answer}
        update = {
            "task": task,
            "template": self._workbench.answer_template,
            "verdicts": self._verdicts(answer.content, (task,), answers),
        }
        return self._subject(answer.content, answers, (task,), planned).model_copy(update=update)

    async def _synthesize(self, models: RunModels | None, state: GraphState, stamp: Stamp) -> str:
        if not _any_usable(state):
            models = None  # nothing to put into prose, or to have an opinion of
        compose = self._synthesizer(
            writer=self._writer(models) if models and models.does("write") else None,
            worker=(lambda role: models.model("work", role).name)
            if models and models.does("work")
            else None,
            critic=self._critic(models) if models else None,
        )
        return await compose(state, stamp)

    def _synthesizer(
        self,
        writer: Writer | None = None,
        worker: Callable[[str], str] | None = None,
        critic: Critic | None = None,
    ) -> Synthesizer:
        return Synthesizer(
            brief=self.brief,
            ledger=self.ledger,
            design=self.agreed,
            library=self._workbench.planner.library,
            corpus=self.corpus,
            writer=writer,
            worker=worker,
            critic=critic,
        )

    def partial_proposal(self, state: GraphState, standing: str) -> str:
        """Write what is known so far, its missing parts labelled; asks nobody."""
        if not state.tasks:
            return before_planning(self.brief, self.ledger, standing)
        return unfinished(self._synthesizer(), state, standing)

    def _writer(self, models: RunModels) -> Writer:
        window = models.window("write")
        return Writer(models.model("write"), self.ledger, f"{self._seed}/write", window)

    def _critic(self, models: RunModels) -> Critic | None:
        """Return who reads the whole draft; None where nobody is to."""
        if not (self.options.flags.CRITIQUE_ENABLED and models.does("judge")):
            return None
        return Critic(
            models.model("judge"),
            load_criteria(),
            f"{self._seed}/critique",
            models.window("judge"),
            language(self.brief.words),
        )

    async def _review(self, proposal: str, state: GraphState) -> Scorecard:
        body, rubric = proposal.partition(FOOTER)[0], self._workbench.proposal_rubric
        subject = await in_thread(self.proposal_subject, body, state.answers)
        return await scored(subject, rubric, self.options.flags)

    def resent(self) -> tuple[str, ...]:
        """Say what the newest plan changed of the one that was sent back; nothing if none was."""
        written = notes(self._folder)
        plan = read_plan(self._folder)
        if not written or plan is None or plan.sent_back < len(written):
            return ()
        item = next((i.id for i in self.ledger.items if i.text == written[-1]), "")
        design = self.design_with(written)
        before = self.design_with(written[:-1]).tasks
        return (resent(before, design.tasks, item=item, by_model=bool(design.planned_by)),)

    def preview(self, tasks: Sequence[GraphTask]) -> Preview:
        """Return what an edited plan comes to, before anybody approves it."""
        return preview(
            tasks,
            design=self.design,
            library=self._workbench.planner.library,
            brief=self.brief,
            ledger=self.ledger,
            seed=self.options.seed,
        )

    def findings(self) -> RunFindings:
        """Return what the run came to, for a comparison with others."""
        content = find_content(self.options.mode)
        name = self.mode.result_files[-1]
        if content:
            found = self._folder.read_json(name) if self._folder.has(name) else None
            return content.findings(found) if found is not None else RunFindings()
        plan = read_plan(self._folder)
        if plan is None:
            return RunFindings()
        answers, text = read_answers(self._folder, plan.tasks), self.mode.result_files[0]
        verdicts = self.verdicts(self._folder.read_text(text)) if self._folder.has(text) else ()
        tools, units = self._workbench.planner.library.tools, self._synthesizer().units
        calls = results(answers.values(), tools, self.agreed)
        return task_findings(self.agreed, answers.values(), verdicts, calls, units)

    # --- the finished proposal

    def verdicts(self, proposal: str) -> tuple[LedgerVerdict, ...]:
        """Hold the proposal against the ledger."""
        plan = read_plan(self._folder)
        tasks = plan.tasks if plan else self.design.tasks
        return self._verdicts(proposal, tasks, read_answers(self._folder, tasks))

    def _verdicts(
        self, text: str, tasks: Sequence[GraphTask], answers: Mapping[str, Answer]
    ) -> tuple[LedgerVerdict, ...]:
        calls = results(answers.values(), self._workbench.planner.library.tools, self.agreed)
        return Grounds(self.brief, self.ledger, self.agreed, tasks, calls).verdicts(text)

    def claims(self, answers: Mapping[str, Answer]) -> tuple[Judged, ...]:
        """Hold every claim of the answers against what it cites."""
        return judge_claims(claims_of(answers.values()), self.subject("", answers))

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
        plan = read_plan(self._folder)
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
            design=self.agreed,
        )


def _revisable(models: RunModels | None, task: GraphTask, answer: Answer) -> bool:
    """Whether an answer may come out otherwise: a model's, or one that quotes documents."""
    asks = models is not None and models.does("work", task.role)
    return asks or any(claim.kind == "quoted" for claim in answer.claims)


def _any_usable(state: GraphState) -> bool:
    return any(answer.usable for answer in state.answers.values())
