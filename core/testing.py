"""Fakes for tests of what is built on the engine: time that never waits, parts with a script."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import anyio.lowlevel
from pydantic import JsonValue

from core.approval import approval_id
from core.clock import Clock
from core.compute import Compute, in_thread
from core.conversations import Converse
from core.errors import TaskError
from core.events import CallEnded, Event
from core.graph.nodes import Agent, Evaluate, Planner, Review, Stamp, Synthesize, Work
from core.graph.state import Answer, GraphState, GraphTask, ToolRequest
from core.kit import Kit, make_kit
from core.modes import AnyMode, find_mode
from core.modes.graph import Steps
from core.questions import Decision
from core.requests import Calls, Reply, Request, Slot
from core.scores import Criterion, Rubric, Score, Scorecard, aggregate
from core.settings import RunOptions
from core.store import RunFolder
from core.tool_router import Tool

_RUBRIC = Rubric(id="fake", criteria=(Criterion(key="clarity"),))


@dataclass
class FakeClock:
    """Time that moves only when somebody sleeps, and then at once."""

    start: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    slept: list[float] = field(default_factory=list)
    """Every wait asked for, in seconds."""

    def now(self) -> datetime:
        """Return the start and all that was slept."""
        return self.start + timedelta(seconds=self.monotonic())

    def monotonic(self) -> float:
        """Return the seconds slept."""
        return sum(self.slept)

    async def sleep(self, seconds: float) -> None:
        """Let others run once, and count the wait as over."""
        await anyio.lowlevel.checkpoint()
        self.slept.append(seconds)


def fake_task(task_id: str, *needs: str, tools: tuple[ToolRequest, ...] = ()) -> GraphTask:
    """Return a task with that id and those dependencies."""
    return GraphTask(
        id=task_id, role="analyst", title=f"Do {task_id}", depends_on=needs, tool_request=tools
    )


def fake_card(score: float | None, *, threshold: float = 0.6) -> Scorecard:
    """Return the scorecard of a rubric with one criterion; None is one that nobody scored."""
    clarity = Score(key="clarity", score=score or 0.0, rationale="It rambles.", fix_hint="Cut it.")
    return aggregate(_RUBRIC, [] if score is None else [clarity], threshold)


def fake_call(**said: object) -> CallEnded:
    """Return the end of an answered call of task T1; *said* are fields that differ."""
    usual = CallEnded(
        call_id="T1-call-1",
        task_id="T1",
        purpose="answer",
        endpoint="http://localhost",
        model="m",
        request_digest="",
        ok=True,
        tries=1,
    )
    return usual.model_copy(update=said)


@dataclass
class FakeCalls:
    """Calls to models that give one reply after the other, to whichever model is asked."""

    replies: Sequence[str | Reply | TaskError]
    """A text is a whole reply; a failure is raised."""
    asked: list[Request] = field(default_factory=list)
    """Every request, in order."""

    async def call(self, request: Request, slot: Slot | None = None) -> Reply:  # noqa: ARG002
        """Return the next reply."""
        self.asked.append(request)
        said = self.replies[len(self.asked) - 1]
        if isinstance(said, TaskError):
            raise said
        return Reply(text=said, finish="stop") if isinstance(said, str) else said


async def echo_agent(work: Work) -> Answer:
    """Answer with the task's id, the attempt, and what it was given."""
    given = " ".join((*work.upstream, *(str(r.output) for r in work.tool_result)))
    content = f"{work.task.id} attempt {work.attempt} on [{given}]"
    return Answer(task_id=work.task.id, content=content)


async def pass_all(task: GraphTask, answer: Answer, state: GraphState) -> Scorecard:  # noqa: ARG001
    """Give every answer full marks."""
    return fake_card(1.0)


async def join_answers(state: GraphState, stamp: Stamp) -> str:
    """Write a proposal of the answers, in the plan's order."""
    parts = (f"- {t.id}: {_line(state.answers.get(t.id))}" for t in state.tasks)
    return "\n".join((f"# {state.idea} ({stamp.plan_digest[:8]})", *parts, ""))


def _line(answer: Answer | None) -> str:
    return f"{answer.status} {answer.content}{answer.reason}" if answer else "missing"


@dataclass
class FakeParts:
    """Parts of a run, each a function that a test may replace."""

    tasks: tuple[GraphTask, ...]
    options: RunOptions = field(default_factory=RunOptions)
    agent: Agent = echo_agent
    evaluate: Evaluate = pass_all
    synthesize: Synthesize = join_answers
    review: Review | None = None
    planner: Planner | None = None
    """None plans *tasks*."""
    tools: tuple[Tool, ...] = ()
    compute: Compute = in_thread
    version: str = ""
    allowed: Mapping[str, Collection[str]] | None = None
    make_content: Callable[[Kit], object] | None = None
    worked: list[tuple[str, int]] = field(default_factory=list)
    """Each task and attempt that the agent was asked for, in order."""

    def initial_state(self, folder: RunFolder) -> GraphState:
        """Return the brief's idea, or its objective."""
        brief = folder.read_json("brief.json")
        return GraphState(idea=brief.get("idea") or brief["objective"])

    @property
    def mode(self) -> AnyMode:
        """The mode that the options name."""
        return find_mode(self.options.mode)

    def kit(
        self,
        folder: RunFolder,
        record: Callable[[Event], None],
        clock: Clock,
        calls: Calls | None = None,
    ) -> Kit:
        """Return the engine's part."""
        return make_kit(
            self.options,
            folder,
            record,
            clock,
            tools=self.tools,
            allowed=self.allowed,
            calls=calls,
            compute=self.compute,
        )

    def content(self, kit: Kit) -> object:
        """Return what a mode without tasks is given."""
        return self.make_content and self.make_content(kit)

    def steps(self, kit: Kit, converse: Converse | None = None) -> Steps:
        """Return the functions."""
        del kit, converse
        return Steps(
            planner=self.planner or self._plan,
            agent=self._noted,
            evaluate=self.evaluate,
            synthesize=self.synthesize,
            review=self.review,
        )

    def partial_proposal(self, state: GraphState, standing: str) -> str:
        """List the answers under where the run stands."""
        parts = (f"- {t.id}: {_line(state.answers.get(t.id))}" for t in state.tasks)
        return "\n".join((f"# {state.idea} ({standing})", *parts, ""))

    async def _plan(self, state: GraphState) -> tuple[GraphTask, ...]:  # noqa: ARG002
        return self.tasks

    async def _noted(self, work: Work) -> tuple[ToolRequest, ...] | Answer:
        self.worked.append((work.task.id, work.attempt))
        return await self.agent(work)


def approve(
    folder: RunFolder,
    *,
    by: str = "ann",
    at: str = "noon",
    tasks: Sequence[GraphTask] | None = None,
) -> Decision:
    """Approve a run's first plan, edited or not, whether or not it was asked for yet."""
    answer: dict[str, JsonValue] = {"verdict": "approve"}
    if tasks is not None:
        answer["tasks"] = [task.model_dump(mode="json") for task in tasks]
    return folder.decide(Decision(question_id=approval_id(0), by=by, at=at, answer=answer))
