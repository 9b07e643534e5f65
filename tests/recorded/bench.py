"""The bench of the recorded runs. Frozen: what it once answered, the records hold.

It depends on nothing that a release may change but the engine itself.
"""

from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

from anyio.lowlevel import checkpoint
from pydantic import BaseModel, ConfigDict

from core.breakers import Breakers
from core.calls import Caller, Policy, past_calls
from core.clock import Clock, seeded
from core.errors import TaskError
from core.events import Event
from core.graph.nodes import Stamp, Work
from core.graph.state import Answer, GraphState, GraphTask, ToolRequest
from core.kit import Kit, budget_for, make_kit
from core.modes import AnyMode, find_mode
from core.modes.graph import Steps
from core.requests import Calls, Fault, Reply, Request
from core.scores import Criterion, Rubric, Score, Scorecard, aggregate
from core.store import RunFolder
from core.tool_router import Retrieved, Tool
from core.trace import read_events

RUBRIC = Rubric(id="recorded", criteria=(Criterion(key="clarity"), Criterion(key="support")))


class Number(BaseModel):
    model_config = ConfigDict(extra="forbid")
    n: int


class Words(BaseModel):
    model_config = ConfigDict(extra="forbid")
    words: str


def halve(number: Number) -> Any:
    if number.n % 2:
        raise TaskError(f"{number.n} is odd")
    return {"half": number.n // 2}


def find(query: Words) -> Any:
    return [{"id": f"D1:{k}", "text": f"passage {k} on {query.words}"} for k in (1, 2)]


def _found(query: Words, output: Any) -> Retrieved:
    return Retrieved(query=query.words, ids=tuple(passage["id"] for passage in output))


TOOLS = (
    Tool("halve", "Halves an even number.", Number, halve),
    Tool("find", "Searches.", Words, find, retrieved=_found),
)


def _task(task_id: str, *needs: str, tools: tuple[ToolRequest, ...] = ()) -> GraphTask:
    return GraphTask(
        id=task_id, role="analyst", title=f"Do {task_id}", depends_on=needs, tool_request=tools
    )


def _asks(name: str, **args: Any) -> ToolRequest:
    return ToolRequest(name=name, args=args)


PLAN = (
    _task("T1", tools=(_asks("find", words="crumb and crust"),)),
    _task("T2", "T1", tools=(_asks("halve", n=8),)),
    _task("T3", "T1"),  # below the gate at first
    _task("T4"),  # its agent fails
    _task("T5", "T4"),  # so this one is not run
    _task("T6", "T2", "T3", tools=(_asks("halve", n=7), _asks("halve", n=6))),  # 7 is odd
)


class RecordedParts:
    """A plan of six tasks that go well, are sent back, fail, and are not run."""

    def __init__(self, folder: RunFolder) -> None:
        self.options = folder.options()
        self.brief: Mapping[str, Any] = folder.read_json("brief.json")
        self.version = f"dr-rd {version('dr-rd')}"
        self.calls: Calls | None = None

    def initial_state(self, folder: RunFolder) -> GraphState:
        return GraphState(idea=self.brief["idea"])

    @property
    def mode(self) -> AnyMode:
        return find_mode(self.options.mode)

    def kit(
        self,
        folder: RunFolder,
        record: Callable[[Event], None],
        clock: Clock,
        calls: Calls | None = None,
    ) -> Kit:
        budget = budget_for(self.options, folder, clock)
        self.calls = calls or Caller(
            send,
            record=record,
            keep=folder.keep,
            clock=clock,
            random=seeded(self.options.seed),
            budget=budget,
            breakers=Breakers(),
            policy=Policy(base_s=0.01),
            past=past_calls(read_events(folder.trace_path), folder.kept),
            price=lambda request, reply: 0.002,
        )
        return make_kit(
            self.options, folder, record, clock, tools=TOOLS, budget=budget, calls=self.calls
        )

    def content(self, kit: Kit) -> object:
        return None

    def steps(self, kit: Kit) -> Steps:
        return Steps(
            planner=self._plan,
            agent=self._work,
            evaluate=self._evaluate,
            synthesize=self._compose,
            review=self._review,
        )

    def partial_proposal(self, state: GraphState, standing: str) -> str:
        return f"# {state.idea}\n\n{standing}\n"

    async def _plan(self, state: GraphState) -> tuple[GraphTask, ...]:
        return PLAN

    async def _work(self, work: Work) -> Answer:
        await checkpoint()
        if work.task.id == "T4":
            raise TaskError("nobody knows")
        given = " ".join((*work.upstream, *(str(r.output or r.error) for r in work.tool_result)))
        text = f"{work.task.id} attempt {work.attempt} on [{given}] {' '.join(work.feedback)}"
        if self.brief.get("models"):
            text += await self._asked(work)
        return Answer(task_id=work.task.id, content=text)

    async def _asked(self, work: Work) -> str:
        assert self.calls
        body: dict[str, Any] = {"messages": [{"role": "user", "content": f"Do {work.task.id}"}]}
        request = Request("answer", work.task.id, "m", "http://model", body, work.attempt)
        return (await self.calls.call(request)).text

    async def _evaluate(self, task: GraphTask, answer: Answer, state: GraphState) -> Scorecard:
        weak = task.id == "T3" and "attempt 1" in answer.content
        return _card(0.3 if weak else 0.8, 0.55 if weak else 0.9)

    async def _compose(self, state: GraphState, stamp: Stamp) -> str:
        answers = (state.answers.get(task.id) for task in state.tasks)
        lines = [f"- {a.task_id}: {a.status} {a.content}{a.reason}" for a in answers if a]
        foot = f"{stamp.run_id} {stamp.started} {stamp.approved_by} {stamp.head}"
        return "\n".join((f"# {state.idea}", *lines, "", foot, ""))

    async def _review(self, proposal: str, state: GraphState) -> Scorecard:
        return _card(0.7, 0.9)


def _card(clarity: float, support: float) -> Scorecard:
    scores = [
        Score(key="clarity", score=clarity, rationale="It rambles.", fix_hint="Cut it."),
        Score(key="support", score=support, rationale="Some claims rest on nothing."),
    ]
    return aggregate(RUBRIC, scores, 0.6)


_tried: set[str] = set()


async def send(request: Request) -> Reply:
    """Answer, but T2 only at the second try, and T6 never."""
    await checkpoint()
    if request.task_id == "T6":
        raise Fault("permanent", "the request is not understood", status=400)
    if request.task_id == "T2" and request.digest not in _tried:
        _tried.add(request.digest)
        raise Fault("transient", "overloaded", status=503, partial="Half of it is ")
    said = f"so says the model of {request.task_id}"
    return Reply(text=said, finish="stop", model="m-1", prompt_tokens=9, completion_tokens=7)
