"""Plan, wait for approval, fan out, collect, compose: as a LangGraph graph."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, Protocol, runtime_checkable

from anyio import to_thread
from pydantic import JsonValue, ValidationError

from core.approval import Approval, approval_question, read_approval
from core.conversations import Converse
from core.errors import CallerError
from core.events import (
    Event,
    ModeFellBack,
    PlanApproved,
    PlanProposed,
    QuestionAnswered,
    Row,
    TaskFinished,
)
from core.graph.files import (
    LEGACY_DECISION,
    PLAN,
    PROPOSAL,
    PlanRecord,
    all_settled,
    planned_tasks,
    read_answer,
    read_answers,
    read_plan,
    read_scorecard,
    restore_answer,
    restore_plan,
)
from core.graph.nodes import (
    MAX_CALLS_PER_TASK,
    Agent,
    Deps,
    Evaluate,
    Planner,
    Review,
    Revisable,
    Synthesize,
    TaskNode,
    agent_node,
    always,
    announce,
    approve_node,
    collect_node,
    fan_out_node,
    plan_node,
    route_node,
    synth_node,
    tool_node,
)
from core.graph.revision import REVISION, read_revision
from core.graph.state import (
    Answer,
    Attempt,
    Cursor,
    GraphState,
    GraphTask,
    ToolRequest,
    ToolResult,
    apply,
    checked,
    how_far,
    plan_digest,
)
from core.graph.walk import walk
from core.kit import Kit
from core.modes.spec import END, START, Ending, GraphSpec, Mode, Node, RunParts, View
from core.pluralize import few
from core.questions import Question
from core.settings import Flags
from core.store import RunFolder

_BEFORE_WORK = 4
"""Steps up to the approved plan, and one to spare."""

_NAMED = 8
"""How many tasks a sentence names."""

_LIBRARY = ("langgraph", "langchain_core", "aiosqlite")


@dataclass(frozen=True, slots=True)
class Steps:
    """What plans, works, scores and composes a run of tasks."""

    planner: Planner
    agent: Agent
    evaluate: Evaluate
    synthesize: Synthesize
    review: Review | None = None
    revisable: Revisable = always
    """Whether whoever answered may answer otherwise; a task of others is not tried again."""


@runtime_checkable
class TaskParts(RunParts, Protocol):
    """The parts of a run of tasks."""

    def initial_state(self, folder: RunFolder) -> GraphState:
        """Return the run as asked: idea, constraints, risk posture."""
        ...

    def steps(self, kit: Kit, converse: Converse | None = None) -> Steps:
        """Return what plans, works, scores and composes.

        With *converse* a model answers tasks in conversations.
        """
        ...

    def partial_proposal(self, state: GraphState, standing: str) -> str:
        """Write what is known so far, its missing parts labelled; asks nobody."""
        ...


class PlanView(View):
    """What is seen of a run of tasks."""

    tasks: tuple[GraphTask, ...] = ()
    answers: Mapping[str, Answer] = {}


class _Codec:
    """A checkpoint of a run of tasks: where it is, in ids and digests; the rest is in files."""

    def pack(self, state: GraphState, folder: RunFolder) -> dict[str, JsonValue]:
        """Put what is large into artifacts: a late checkpoint stays as small as the first."""
        cursor = state.cursor
        return {
            "task_id": cursor.task_id,
            "feedback": list(cursor.feedback),
            "attempts": [folder.keep(attempt) for attempt in cursor.attempts],
            "requests": [folder.keep(request) for request in cursor.requests],
            "tool_result": [folder.keep(result) for result in cursor.tool_result],
            "draft": folder.keep(cursor.draft) if cursor.draft else "",
            "sent_back": list(state.sent_back),
            "approved": state.approved,
            "stopped": state.stopped,
        }

    def unpack(
        self, state: GraphState, packed: Mapping[str, Any], folder: RunFolder
    ) -> GraphState:
        """Return the state, its plan and answers as the run's files have them."""
        draft = packed["draft"]
        cursor = Cursor(
            task_id=packed["task_id"],
            feedback=tuple(packed["feedback"]),
            attempts=tuple(Attempt(**folder.kept(n)) for n in packed["attempts"]),
            requests=tuple(ToolRequest(**folder.kept(n)) for n in packed["requests"]),
            tool_result=tuple(ToolResult(**folder.kept(n)) for n in packed["tool_result"]),
            draft=Answer(**folder.kept(draft)) if draft else None,
        )
        tasks = planned_tasks(folder)
        return state.model_copy(
            update={
                "cursor": cursor,
                "sent_back": tuple(packed["sent_back"]),
                "approved": packed["approved"],
                "stopped": packed["stopped"],
                "tasks": tasks,
                "answers": read_answers(folder, tasks),
            }
        )


def _applied(node: TaskNode) -> Node[GraphState, Deps]:
    async def step(state: GraphState, deps: Deps) -> GraphState:
        return apply(state, await node(state, deps))

    return step


def _questions(state: GraphState, deps: Deps) -> Iterator[Question]:
    """Yield the question about the plan, unless another run or release has its answer."""
    answered = deps.folder.has(LEGACY_DECISION) or deps.folder.has(REVISION)
    if deps.flags.APPROVAL_REQUIRED and not answered:
        yield approval_question(len(state.sent_back))


def _after_approval(state: GraphState) -> str:
    if state.stopped:
        return "synth"
    return "" if state.approved else "plan"


def _step_limit(state: GraphState, flags: Flags) -> int:
    rounds = (flags.MAX_RETRIES + 1) * 2 + 2 * MAX_CALLS_PER_TASK
    return _BEFORE_WORK + len(state.tasks) * (rounds + 1) + 2


def _spec(
    nodes: Mapping[str, TaskNode],
    edges: tuple[tuple[str, str], ...],
    choices: Mapping[str, tuple[Callable[[GraphState], str], tuple[str, ...]]],
) -> GraphSpec[GraphState, Deps]:
    """Put planning and approval before *edges*: both ways of working begin alike."""
    return GraphSpec(
        codec=_Codec(),
        nodes={
            "plan": _applied(plan_node),
            "approve": _applied(approve_node),
            **{name: _applied(node) for name, node in nodes.items()},
            "synth": _applied(synth_node),
        },
        edges=((START, "plan"), ("plan", "approve"), *edges, ("synth", END)),
        choices=choices,
        detours={"approve": (_after_approval, ("plan", "synth"))},
        asks={"approve": _questions},
        step_limit=_step_limit,
        measured_after=("approve",),
        traced=False,
    )


def sequential() -> GraphSpec[GraphState, Deps]:
    """Return the graph that takes one task after another, each step a node."""
    return _spec(
        {"route": route_node, "agent": agent_node, "tool": tool_node, "collect": collect_node},
        (("approve", "route"), ("tool", "agent")),
        {
            "route": (lambda s: "agent" if s.cursor.task_id else "synth", ("agent", "synth")),
            "agent": (lambda s: "collect" if s.cursor.draft else "tool", ("tool", "collect")),
            "collect": (lambda s: "agent" if s.cursor.task_id else "route", ("agent", "route")),
        },
    )


def parallel() -> GraphSpec[GraphState, Deps]:
    """Return the graph whose one node starts each task as soon as it can run."""
    return _spec(
        {"fan_out": fan_out_node}, (("approve", "fan_out"), ("fan_out", "synth")), choices={}
    )


class TaskMode(Mode[GraphState, Deps]):
    """What is common to all ways of working a plan of tasks."""

    result_files: ClassVar[tuple[str, ...]] = (PROPOSAL,)
    started_files: ClassVar[tuple[str, ...]] = (PLAN,)

    def deps(self, kit: Kit, parts: RunParts) -> Deps:
        """Join the kit with what plans, works, scores and composes."""
        parts = _task_parts(parts)
        steps, scored = self.steps(kit, parts), kit.flags.EVALUATORS_ENABLED
        return Deps(
            **{name: getattr(kit, name) for name in Kit.__dataclass_fields__},
            initial=parts.initial_state(kit.folder),
            planner=steps.planner,
            agent=steps.agent,
            evaluate=steps.evaluate if scored else None,
            synthesize=steps.synthesize,
            review=steps.review if scored else None,
            partial=parts.partial_proposal,
            revisable=steps.revisable,
        )

    def steps(self, kit: Kit, parts: TaskParts) -> Steps:
        """Return what plans, works, scores and composes in this mode."""
        return parts.steps(kit)

    def begin(self, deps: Deps) -> GraphState:
        """Return the run as asked, with the notes on what is done again."""
        revision = read_revision(deps.folder)
        notes = revision.notes if revision else {}
        return deps.initial.model_copy(update={"notes": notes})

    def resume(self, state: GraphState, deps: Deps, events: Sequence[Event]) -> GraphState:
        """Add the plan and the answers that an earlier process left."""
        plan = read_plan(deps.folder)
        if plan is None:
            return state
        answers = read_answers(deps.folder, plan.tasks)
        _check_plan(plan, deps.folder, events)
        for answer in answers.values():
            announce(answer, deps)  # a crash may have come between the file and its event
        return state.model_copy(update={"tasks": plan.tasks, "answers": answers})

    def restore(self, folder: RunFolder, events: Sequence[Event]) -> None:
        """Make plan and answers anew from their artifacts, and those from them."""
        proposed = [e.plan_digest for e in events if isinstance(e, PlanProposed)]
        approved = [e.plan_digest for e in events if isinstance(e, PlanApproved)]
        if proposed:
            restore_plan(folder, proposed, [*proposed, *approved][-1])
        for event in events:
            if isinstance(event, TaskFinished):
                restore_answer(folder, event.task_id, event.answer_digest)

    def ending(self, folder: RunFolder, state: GraphState | None = None) -> Ending:
        """Read from the answers and the scorecard how the run ended."""
        settled = list(all_settled(folder))
        if settled and settled[-1].approval.verdict == "stop":
            note = settled[-1].approval.note
            return Ending("stopped", f"{settled[-1].by} stopped it at its plan {note}".strip())
        answers = state.answers if state else read_answers(folder, planned_tasks(folder))
        in_order = [answers[t.id] for t in planned_tasks(folder)]
        return _ending(in_order, folder)

    def partial_result(self, folder: RunFolder, parts: RunParts, standing: str) -> str:
        """Write the proposal as far as its tasks are answered."""
        parts, tasks = _task_parts(parts), planned_tasks(folder)
        known = {"tasks": tasks, "answers": read_answers(folder, tasks)}
        state = parts.initial_state(folder).model_copy(update=known)
        return parts.partial_proposal(state, standing)

    def remaining(self, folder: RunFolder) -> str:
        """Say how far the tasks are; where none is left, only the proposal is."""
        tasks = planned_tasks(folder)
        answers = read_answers(folder, tasks)
        found = how_far(tasks, answers)
        return found if len(answers) < len(tasks) else f"{found}; the proposal is not written"

    def accept(self, folder: RunFolder, question: Question, answer: JsonValue) -> JsonValue:
        """Check an edited plan; one that was not changed is approved as it was proposed."""
        if question.kind != "approve_plan":
            return answer
        approval = read_approval(answer)
        if approval.tasks is None:
            return _recorded(approval)
        try:
            tasks = tuple(GraphTask.model_validate(task) for task in approval.tasks)
        except ValidationError as error:
            raise CallerError(f"the edited plan cannot be read: {_first_fault(error)}") from error
        checked(tasks)
        changed = tasks if tasks != planned_tasks(folder) else None
        plain = tuple(t.model_dump(mode="json") for t in changed) if changed else None
        return _recorded(approval.model_copy(update={"tasks": plain}))

    def view(self, folder: RunFolder, rows: Sequence[Row], before: View | None = None) -> PlanView:
        """Return the plan and the answers so far; those seen before are not read again."""
        known = dict(before.answers) if isinstance(before, PlanView) else {}
        finished = (r.event.task_id for r in rows if isinstance(r.event, TaskFinished))
        for task_id in finished:
            if task_id not in known and (answer := read_answer(folder, task_id)):
                known[task_id] = answer
        return PlanView(tasks=planned_tasks(folder), answers=known)


class PlanAndFanOut(TaskMode):
    """The planner-to-synthesizer graph; as its fallback where the graph is off or missing."""

    id = "graph"
    label = "Plan and fan-out"
    question = "Turn this idea into a checked research plan"
    rank = 10
    own_flags: ClassVar[tuple[str, ...]] = ("GRAPH_ENABLED", "PARALLEL_EXEC_ENABLED")
    fallback: ClassVar[str] = "classic"
    """The mode that does the same without the graph library."""

    def spec(self, flags: Flags) -> GraphSpec[GraphState, Deps]:
        """Return the graph that works on tasks side by side, or one after another."""
        return parallel() if flags.PARALLEL_EXEC_ENABLED else sequential()

    async def run(self, state: GraphState, deps: Deps) -> GraphState:
        """Drive the graph to its proposal, or fall back and say so in the trace."""
        if not deps.flags.GRAPH_ENABLED:
            return await self._without(state, deps, "GRAPH_ENABLED is false")
        try:
            # it takes half a second, in which other runs go on
            await to_thread.run_sync(import_module, "core.graph.build")
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in _LIBRARY:
                raise
            return await self._without(state, deps, f"the graph library is missing ({error.name})")
        return await super().run(state, deps)

    async def _without(self, state: GraphState, deps: Deps, reason: str) -> GraphState:
        deps.record(ModeFellBack(mode=self.fallback, reason=reason))
        return await walk(sequential(), state, deps)


MODE = PlanAndFanOut()


def _task_parts(parts: RunParts) -> TaskParts:
    if not isinstance(parts, TaskParts):
        raise AssertionError(f"{type(parts).__name__} cannot plan and work tasks")
    return parts


def _ending(answers: Iterable[Answer], folder: RunFolder) -> Ending:
    answers = tuple(answers)
    holes = [a.task_id for a in answers if not a.usable]
    weak = [a.task_id for a in answers if a.status == "below_gate"]
    if holes:
        return Ending("holes", f"no answer to {few(holes, _NAMED)}")
    if weak:
        return Ending("failed_gate", f"below the gate: {few(weak, _NAMED)}")
    card = read_scorecard(folder)
    if card and card.verdict == "fail":
        why = "; ".join(card.blockers) or f"it scores {card.overall}"
        return Ending("failed_gate", f"the proposal is below the gate: {why}")
    return Ending("finished")


def _check_plan(plan: PlanRecord, folder: RunFolder, events: Sequence[Event]) -> None:
    """Refuse to go on with a plan that is not the one on record."""
    # a crash may have come between a plan that was edited, or made anew, and its event
    words = [e for e in events if isinstance(e, PlanProposed | PlanApproved | QuestionAnswered)]
    if not words or isinstance(words[-1], QuestionAnswered):
        return
    edits = [settled.tasks for settled in all_settled(folder) if settled.tasks]
    on_record = words[-1].plan_digest
    if plan_digest(plan.tasks) != on_record and plan.tasks not in edits:
        raise CallerError(
            f"{folder.path / PLAN} is not the plan on record; restore it from "
            f"artifacts/{on_record} or start the run anew"
        )


def _recorded(approval: Approval) -> JsonValue:
    plain: JsonValue = approval.model_dump(mode="json", exclude_defaults=True)
    return plain


def _first_fault(error: ValidationError) -> str:
    fault = error.errors()[0]
    return f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"
