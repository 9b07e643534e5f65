"""Ours with everything on: graph, trace, sync checkpoints, stored answers, evaluators."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

import yaml

from bench.engine.clients import KEY, MODEL, Setting
from bench.engine.contenders import Solve
from bench.engine.server import ROOT
from bench.engine.work import REPLY_BYTES, Task
from core.breakers import Breakers
from core.calls import Caller
from core.clock import Clock, SystemClock
from core.driving import drive
from core.events import Event
from core.graph.nodes import Evaluate, Work
from core.graph.state import Answer, GraphState, GraphTask, ThreePoint
from core.kit import Kit
from core.redaction import Redactor
from core.requests import Calls, Reply, Request, Send
from core.scores import Scorecard
from core.settings import Flags, RunOptions
from core.store import RunFolder, RunStore
from core.testing import FakeParts, pass_all
from core.trace import verify
from dr_rd.evaluation.scorecard import score
from dr_rd.models.address import endpoint_of
from dr_rd.models.chat.send import chat_send
from dr_rd.workbench import ResearchRun, Workbench, load_workbench

_BRIEF = ROOT / "dr_rd/data/briefs/classroom-air.yaml"


@asynccontextmanager
async def everything(setting: Setting) -> AsyncIterator[Solve]:
    """One call a task, scored by a script."""
    async with chat_send(setting.url, KEY, clock=SystemClock()) as send:
        with _verified(setting) as engine:
            yield engine.solving(send)


@asynccontextmanager
async def direct(setting: Setting) -> AsyncIterator[Solve]:
    """The same without the client library."""
    async with chat_send(setting.url, KEY, clock=SystemClock(), direct=True) as send:
        with _verified(setting) as engine:
            yield engine.solving(send)


@asynccontextmanager
async def rubric(setting: Setting) -> AsyncIterator[Solve]:
    """One call a task, scored by the workbench's rubric for answers."""
    workbench = load_workbench()
    async with chat_send(setting.url, KEY, clock=SystemClock()) as send:
        with _verified(setting) as engine:
            yield engine.solving(send, workbench)


@asynccontextmanager
async def empty(setting: Setting) -> AsyncIterator[Solve]:
    """No call: what is left is the engine."""
    with _verified(setting) as engine:
        yield engine.solving(None)


@contextmanager
def _verified(setting: Setting) -> Iterator["_Engine"]:
    """Check each run's files once all is measured."""
    engine = _Engine(setting)
    yield engine
    for folder in engine.folders:
        if problems := verify(folder.path).problems:
            raise AssertionError(f"{folder.path}: {problems[0]}")


class _Engine:
    """Does tasks as runs under one audits folder."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._store = RunStore(setting.folder)
        self.folders: list[RunFolder] = []

    def solving(self, send: Send | None, workbench: Workbench | None = None) -> Solve:
        """Return what does tasks as one run; without *send* no call is made."""

        async def solve(tasks: Sequence[Task]) -> Sequence[str]:
            options = self._options(scripted=workbench is None)
            brief = yaml.safe_load(_BRIEF.read_text("utf-8"))
            folder = self._store.create(f"run-{len(self.folders)}", options, brief)
            self.folders.append(folder)
            bench = _Bench(
                tuple(map(_graph_task, tasks)),
                options,
                evaluate=_judge(workbench, folder) if workbench else pass_all,
                work={task.name: task for task in tasks},
                send=send,
                endpoint=endpoint_of(self._setting.url),
            )
            outcome = await drive(folder, bench, SystemClock())
            if outcome.status not in ("finished", "failed_gate"):
                raise AssertionError(f"{outcome.status}: {outcome.reason}")
            return [bench.said[task.name] for task in tasks]

        return solve

    def _options(self, *, scripted: bool) -> RunOptions:
        # the server's filler text fails the real rubric: asked once, it is scored once
        retries = 2 if scripted else 0
        flags = Flags(MAX_CONCURRENCY=self._setting.slots, MAX_RETRIES=retries)
        return RunOptions(mode="graph", flags=flags)


@dataclass
class _Bench(FakeParts):
    work: dict[str, Task] = field(default_factory=dict)
    send: Send | None = None
    endpoint: str = ""
    said: dict[str, str] = field(default_factory=dict)

    def kit(
        self,
        folder: RunFolder,
        record: Callable[[Event], None],
        clock: Clock,
        calls: Calls | None = None,
    ) -> Kit:
        self.agent = self._answer if self.send else self._at_once
        kit = super().kit(folder, record, clock, calls)
        if self.send:
            self.caller = Caller(
                self.send,
                record=record,
                keep=folder.keep,
                commit=folder.commits.commit_files,
                clock=clock,
                random=kit.chance,
                budget=kit.budget,
                breakers=Breakers(),
                redactor=Redactor([KEY]),
            )
        return kit

    async def _answer(self, work: Work) -> Answer:
        task = self.work[work.task.id]
        request = Request(
            purpose="answer",
            task_id=task.name,
            model=MODEL,
            endpoint=self.endpoint,
            body={"messages": [{"role": "user", "content": task.prompt}]},
            attempt=work.attempt,
        )
        reply: Reply = await self.caller.call(request)
        return self._said(task.name, reply.text)

    async def _at_once(self, work: Work) -> Answer:
        return self._said(work.task.id, "x" * REPLY_BYTES)

    def _said(self, name: str, text: str) -> Answer:
        self.said[name] = text
        return Answer(task_id=name, content=text)


def _graph_task(task: Task) -> GraphTask:
    days = task.latency_ms / 100
    return GraphTask(
        id=task.name,
        role="analyst",
        title=f"Do {task.name}",
        depends_on=tuple(f"T{number:04d}" for number in task.needs),
        duration_days=ThreePoint(low=days, mode=days, high=days),
    )


def _judge(workbench: Workbench, folder: RunFolder) -> Evaluate:
    run = ResearchRun(workbench, folder)

    async def judge(task: GraphTask, answer: Answer, state: GraphState) -> Scorecard:
        del state
        subject = run.subject(answer.content, {answer.task_id: answer}).model_copy(
            update={"task": task, "template": workbench.answer_template}
        )
        return score(subject, workbench.answer_rubric, threshold=0.6, weights={})

    return judge
