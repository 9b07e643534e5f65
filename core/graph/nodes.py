"""The steps of a run, each (state, deps) → Update, shared by every way of running them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from itertools import islice
from typing import Protocol

from anyio.lowlevel import checkpoint

from core.errors import TaskError
from core.events import (
    AttemptJudged,
    BackedOff,
    Judgement,
    NodeEnded,
    NodeStarted,
    PlanApproved,
    PlanProposed,
    ProposalJudged,
    ProposalStamped,
    Row,
    TaskFinished,
)
from core.graph import gate
from core.graph.files import (
    PROPOSAL,
    SCORECARD,
    Settled,
    read_plan,
    read_settled,
    write_answer,
    write_plan,
)
from core.graph.revision import Revision, read_revision
from core.graph.state import (
    Answer,
    Attempt,
    Cursor,
    GraphState,
    GraphTask,
    ToolRequest,
    ToolResult,
    Update,
    apply,
    checked,
)
from core.kit import Kit
from core.scheduler import ExponentialBackoff, Slot
from core.scores import Scorecard
from core.trace import tool_rows, trace_rows

MAX_CALLS_PER_TASK = 32
"""Tool calls after which a task that still asks for more has failed."""

_LOOKS = 2
"""How often an attempt is evaluated while its evaluation fails."""


@dataclass(frozen=True, slots=True)
class Work:
    """What an agent is given to try a task."""

    task: GraphTask
    state: GraphState
    """The run, with the answers that the task builds on, directly or not, and no others."""
    upstream: Mapping[str, Answer]
    """The answers that the task depends on directly."""
    attempt: int
    """1 for the first."""
    feedback: tuple[str, ...]
    """What the gate said of the attempt before."""
    tool_result: tuple[ToolResult, ...]
    """What the task's tool calls have given so far."""
    slot: Slot | None = None
    """The task's right to run, given back while a call of its agent only waits."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a proposal says of the run it comes from."""

    run_id: str
    project_id: str
    mode: str
    seed: int
    started: str
    """When the run began, in UTC."""
    plan_digest: str
    approved_by: str
    """Who approved the plan; "settings" when no approval was required."""
    head: str
    """Hash of the newest event when the proposal was composed."""
    rows: Callable[[], Sequence[Row]]
    """Returns what is on record by now, which is more once the proposal took calls."""


Planner = Callable[[GraphState], Awaitable[tuple[GraphTask, ...]]]
"""Plans; raises TaskError if it cannot, and the run pauses."""
Agent = Callable[[Work], Awaitable[tuple[ToolRequest, ...] | Answer]]
"""Asks for tool calls or answers; raises TaskError if it cannot, and the task fails.

An answer that calls were made for on the way has their results, after those given in the work.
"""
Evaluate = Callable[[GraphTask, Answer, GraphState], Awaitable[Scorecard]]
"""Scores an answer; the state is the one that the agent saw."""
Review = Callable[[str, GraphState], Awaitable[Scorecard]]
"""Scores the composed proposal."""
Synthesize = Callable[[GraphState, Stamp], Awaitable[str]]
"""Writes the proposal; raises TaskError if it cannot, and the run pauses."""
Partial = Callable[[GraphState, str], str]
"""Writes what is known so far, given where the run stands in a sentence; asks nobody."""


Revisable = Callable[[GraphTask, Answer], bool]


def always(task: GraphTask, answer: Answer) -> bool:
    """Say of any answer that its author may give another."""
    del task, answer
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Deps(Kit):
    """What the steps of a run of tasks use and do not make."""

    initial: GraphState
    """The run as asked."""
    planner: Planner
    agent: Agent
    evaluate: Evaluate | None
    """None when evaluators are off."""
    synthesize: Synthesize
    review: Review | None
    """None when evaluators are off or there is none."""
    partial: Partial
    revisable: Revisable = always
    """Whether whoever answered may answer otherwise."""
    slot: Slot | None = None
    """The slot that the task in hand holds, if tasks share slots."""


class TaskNode(Protocol):
    """A step of a run."""

    async def __call__(self, state: GraphState, deps: Deps) -> Update:
        """Do the step and return what it changed."""
        ...


def _traced(name: str) -> Callable[[TaskNode], TaskNode]:
    """Wrap a node so that it cannot run without its start and end in the trace."""

    def wrap(node: TaskNode) -> TaskNode:
        @wraps(node)
        async def traced(state: GraphState, deps: Deps) -> Update:
            task_id = state.cursor.task_id
            deps.record(NodeStarted(node=name, task_id=task_id))
            started = deps.clock.monotonic()
            update = await node(state, deps)
            elapsed = round((deps.clock.monotonic() - started) * 1000)
            deps.record(NodeEnded(node=name, task_id=task_id, duration_ms=elapsed))
            return update

        return traced

    return wrap


@_traced("plan")
async def plan_node(state: GraphState, deps: Deps) -> Update:
    """Make the plan, or take up the one that is recorded: it is made once, and anew if sent back."""
    plan, sent_back = read_plan(deps.folder), len(state.sent_back)
    if plan is None or plan.sent_back < sent_back:
        revision = read_revision(deps.folder)
        tasks = revision.tasks if revision else checked(await deps.planner(state))
        plan = write_plan(deps.folder, tasks, sent_back=sent_back)
    proposed = deps.folder.kept(plan.proposed)
    deps.record(PlanProposed(plan_digest=plan.proposed, tasks=len(proposed)))
    return Update(tasks=plan.tasks)


@_traced("approve")
async def approve_node(state: GraphState, deps: Deps) -> Update:
    """Take a person's word on the plan: what is approved, as the person left it, is executed."""
    if revision := read_revision(deps.folder):
        return await _taken_over(revision, state, deps)
    settled = read_settled(deps.folder, len(state.sent_back)) if _asks_approval(deps) else None
    approval = settled.approval if settled else None
    if approval and approval.verdict == "send_back":
        return Update(sent_back=(*state.sent_back, approval.note))
    if settled and approval and approval.verdict == "stop":
        note = f": {approval.note}" if approval.note else ""
        return Update(stopped=f"{settled.by} stopped the run at its plan{note}")
    edited = settled.tasks if settled else None
    plan = write_plan(deps.folder, state.tasks if edited is None else edited)
    by, at = (settled.by, settled.at) if settled else ("settings", "")
    deps.record(PlanApproved(plan_digest=plan.digest, by=by, at=at, edited=edited is not None))
    return Update(tasks=plan.tasks, approved=True)


async def _taken_over(revision: Revision, state: GraphState, deps: Deps) -> Update:
    """Approve the plan that was approved before, and take over the answers that hold."""
    plan = write_plan(deps.folder, state.tasks)
    deps.record(
        PlanApproved(plan_digest=plan.digest, by=revision.by, at=revision.at, edited=False)
    )
    for answer in revision.answers.values():
        await finish(answer, deps)
    return Update(tasks=plan.tasks, approved=True, answers=revision.answers)


def _asks_approval(deps: Deps) -> bool:
    return deps.flags.APPROVAL_REQUIRED


@_traced("route")
async def route_node(state: GraphState, deps: Deps) -> Update:
    """Take up the first task whose dependencies are answered; settle those that cannot run."""
    answers = dict(state.answers)
    settled: dict[str, Answer] = {}
    while blocked := _next_blocked(state.tasks, answers):
        answers[blocked.id] = settled[blocked.id] = await _not_run(blocked, answers, deps)
    chosen = (
        task.id
        for task in state.tasks
        if task.id not in answers and answers.keys() >= _needs(task)
    )
    return Update(cursor=Cursor(task_id=next(chosen, "")), answers=settled)


@_traced("agent")
async def agent_node(state: GraphState, deps: Deps) -> Update:
    """Let the task's agent answer or ask for tools.

    Calls planned with their arguments are made first; for the others the agent finds them.
    """
    cursor, task = state.cursor, state.task(state.cursor.task_id)
    if settled := state.answers.get(task.id):  # written just before a crash; never made again
        return Update(cursor=cursor.model_copy(update={"draft": settled}))
    if not cursor.attempts and not cursor.tool_result:
        deps.budget.before_attempt()
    ready = tuple(r for r in task.tool_request if r.args)
    if ready and not cursor.tool_result:
        return Update(cursor=cursor.model_copy(update={"requests": ready}))
    try:
        reply = _within_reason(await deps.agent(_work(task, state, deps)), cursor)
    except TaskError as error:
        reply = Answer(task_id=task.id, content="", status="failed", reason=str(error))
    if not isinstance(reply, Answer):
        return Update(cursor=cursor.model_copy(update={"requests": reply}))
    known = reply.tool_result or cursor.tool_result
    owned = {"task_id": task.id, "tool_result": known, "evaluation": None}
    draft = reply.model_copy(update=owned)
    return Update(cursor=cursor.model_copy(update={"draft": draft, "tool_result": known}))


@_traced("tool")
async def tool_node(state: GraphState, deps: Deps) -> Update:
    """Make the calls asked for; one that the task's plan does not name is refused."""
    cursor, task = state.cursor, state.task(state.cursor.task_id)
    planned = {request.name for request in task.tool_request}
    deps.toolbox.in_hand(cursor.tool_result)
    results = [
        await deps.toolbox.call(request, task_id=task.id, role=task.role, planned=planned)
        for request in cursor.requests
    ]
    known = (*cursor.tool_result, *results)
    return Update(cursor=cursor.model_copy(update={"requests": (), "tool_result": known}))


@_traced("collect")
async def collect_node(state: GraphState, deps: Deps) -> Update:
    """Judge the attempt: settle the task with the best one, or send it back with feedback."""
    cursor, task = state.cursor, state.task(state.cursor.task_id)
    if task.id in state.answers:  # written just before a crash; never judged again
        return Update(cursor=Cursor())
    number = len(cursor.attempts) + 1
    answer = await _judged(task, state, deps)
    attempt = Attempt(number=number, answer=answer, feedback=cursor.feedback)
    attempts = (*cursor.attempts, attempt)
    most = deps.flags.MAX_RETRIES if deps.revisable(task, answer) else 0
    ruling = gate.decide(attempts, most)
    judged = _judgement(attempt, deps, retry=isinstance(ruling, gate.Retry))
    if isinstance(ruling, gate.Accept):
        final = gate.without_tries(ruling.answer) if deps.legacy_record else ruling.answer
        named = judged.answer_digest if final == answer else ""
        settled = await finish(final, deps, judged, named)
        return Update(cursor=Cursor(), answers={task.id: settled})
    await deps.folder.commits.commit_files()
    deps.record(judged)
    deps.budget.before_attempt()
    await _back_off(task.id, number, deps)
    again = cursor.model_copy(
        update={"feedback": ruling.feedback, "attempts": attempts, "draft": None}
    )
    return Update(cursor=again)


@_traced("synth")
async def synth_node(state: GraphState, deps: Deps) -> Update:
    """Compose the proposal; one that is written already is kept."""
    if state.stopped and not deps.folder.has(PROPOSAL):
        deps.folder.write_text(PROPOSAL, deps.partial(state, state.stopped))
    if not deps.folder.has(PROPOSAL):
        rows = _stamped(deps)
        seen = {"trace": tuple(trace_rows(rows)), "tool_trace": tuple(tool_rows(rows))}
        text = await deps.synthesize(state.model_copy(update=seen), _stamp(rows, deps))
        if deps.review:
            _keep_card(await deps.review(text, state), deps)
        deps.folder.write_text(PROPOSAL, text)
    return Update(proposal=deps.folder.read_text(PROPOSAL))


def _keep_card(card: Scorecard, deps: Deps) -> None:
    """Put the proposal's scorecard beside it and say so in the trace."""
    deps.folder.write_json(SCORECARD, card)
    deps.record(
        ProposalJudged(
            score=card.overall,
            verdict=card.verdict,
            rationale="; ".join((*card.blockers, *gate.feedback(card))),
            card_digest=deps.folder.keep(card),
        )
    )


@_traced("fan_out")
async def fan_out_node(state: GraphState, deps: Deps) -> Update:
    """Work on every task as soon as its own dependencies are answered, a few at once."""

    async def body(task_id: str, answers: Mapping[str, Answer], slot: Slot) -> Answer:
        task = state.task(task_id)
        seen = _seen_by(task, state, answers)
        return await work(task, seen, replace(deps, slot=slot))

    needs = {task.id: task.depends_on for task in state.tasks}
    cost = {t.id: t.duration_days.mean for t in state.tasks if t.duration_days}
    answers = await deps.limiter.run_dag(needs, body, cost=cost, done=state.answers)
    return Update(answers=answers)


async def work(task: GraphTask, state: GraphState, deps: Deps) -> Answer:
    """Bring the task in hand to its final answer by the same steps that the whole run takes."""
    if _next_blocked((task,), state.answers):
        return await _not_run(task, state.answers, deps)
    while state.cursor.task_id:
        await checkpoint()  # a node that never waits must not keep a stop from being heard
        state = apply(state, await next_node(state)(state, deps))
    return state.answers[task.id]


def next_node(state: GraphState) -> TaskNode:
    """Return the step that the task in hand needs next."""
    if state.cursor.draft:
        return collect_node
    return tool_node if state.cursor.requests else agent_node


async def finish(
    answer: Answer, deps: Deps, judged: AttemptJudged | None = None, named: str = ""
) -> Answer:
    """Make a final answer safe, then say so: only then may anything depend on it.

    Its artifact comes first, so that no line of the trace ever names a file that is not there;
    it is kept already if it is *named*.
    """
    name = named or deps.folder.keep(answer)
    if deps.slot and not deps.folder.commits.mirror:
        # another task need not wait for the disk; but none starts while a database is away
        deps.slot.give_back_early()
    await deps.folder.commits.commit_files()
    if judged:
        deps.record(judged)
    write_answer(deps.folder, answer)
    deps.record(_finished(answer, name))
    await deps.folder.commits.commit()
    return answer


def announce(answer: Answer, deps: Deps) -> None:
    """Say of an answer that an earlier process wrote that it is there."""
    deps.record(_finished(answer, deps.folder.keep(answer)))


def _finished(answer: Answer, name: str) -> TaskFinished:
    return TaskFinished(
        task_id=answer.task_id, answer_digest=name, status=answer.status, reason=answer.reason
    )


def _needs(task: GraphTask) -> set[str]:
    return set(task.depends_on)


def _next_blocked(tasks: tuple[GraphTask, ...], answers: Mapping[str, Answer]) -> GraphTask | None:
    open_tasks = (task for task in tasks if task.id not in answers)
    return next((task for task in open_tasks if _holes(task, answers)), None)


def _holes(task: GraphTask, answers: Mapping[str, Answer]) -> list[str]:
    return [d for d in task.depends_on if d in answers and not answers[d].usable]


async def _not_run(task: GraphTask, answers: Mapping[str, Answer], deps: Deps) -> Answer:
    reason = f"needs {', '.join(_holes(task, answers))}"
    answer = Answer(task_id=task.id, content="", status="not_run", reason=reason, attempts=0)
    return await finish(answer, deps)


def _work(task: GraphTask, state: GraphState, deps: Deps) -> Work:
    return Work(
        task=task,
        state=_seen_by(task, state, state.answers),
        upstream={d: state.answers[d] for d in task.depends_on},
        attempt=len(state.cursor.attempts) + 1,
        feedback=state.cursor.feedback or _note(task, state),
        tool_result=state.cursor.tool_result,
        slot=deps.slot,
    )


def _note(task: GraphTask, state: GraphState) -> tuple[str, ...]:
    return (state.notes[task.id],) if task.id in state.notes else ()


def _seen_by(task: GraphTask, state: GraphState, answers: Mapping[str, Answer]) -> GraphState:
    """Return the run as *task* may see it: what others do meanwhile must not change its answer."""
    known: dict[str, Answer] = {}
    waiting = list(task.depends_on)
    while waiting:
        needed = waiting.pop()
        if needed not in known:
            known[needed] = answers[needed]
            waiting += state.task(needed).depends_on
    ordered = {task_id: known[task_id] for task_id in sorted(known, key=state.places.__getitem__)}
    return state.model_copy(update={"answers": ordered, "cursor": Cursor(task_id=task.id)})


def _within_reason(
    reply: tuple[ToolRequest, ...] | Answer, cursor: Cursor
) -> tuple[ToolRequest, ...] | Answer:
    if isinstance(reply, Answer):
        return reply
    if not reply:
        raise TaskError("the agent neither answered nor asked for a tool")
    if len(cursor.tool_result) + len(reply) > MAX_CALLS_PER_TASK:
        raise TaskError(f"the agent asked for more than {MAX_CALLS_PER_TASK} tool calls")
    return reply


async def _judged(task: GraphTask, state: GraphState, deps: Deps) -> Answer:
    draft = state.cursor.draft
    if draft is None:
        raise AssertionError("a task is collected only with a draft")
    if deps.evaluate is None or draft.status == "failed":
        return draft
    seen = _seen_by(task, state, state.answers)
    reason = ""
    for _ in range(_LOOKS):  # what failed is the evaluator, not its author
        try:
            card = await deps.evaluate(task, draft, seen)
        except TaskError as error:
            reason = f"it could not be judged: {error}"
        else:
            return draft.model_copy(update={"evaluation": card})
    return draft.model_copy(update={"status": "below_gate", "reason": reason})


def _judgement(attempt: Attempt, deps: Deps, *, retry: bool) -> AttemptJudged:
    answer, card = attempt.answer, attempt.answer.evaluation
    verdict: Judgement = card.verdict if card else "not_judged"
    return AttemptJudged(
        task_id=answer.task_id,
        attempt=attempt.number,
        score=card.overall if card else None,
        verdict=verdict,
        retry=retry,
        rationale="; ".join((*card.blockers, *gate.feedback(card))) if card else answer.reason,
        answer_digest=deps.folder.keep(answer),
        feedback=() if deps.legacy_record else attempt.feedback,
    )


async def _back_off(task_id: str, attempt: int, deps: Deps) -> None:
    flags = deps.flags
    if not flags.BACKOFF_BASE_S:
        return
    waits = ExponentialBackoff(
        flags.BACKOFF_BASE_S,
        flags.BACKOFF_FACTOR,
        flags.BACKOFF_MAX_S,
        deps.chance(f"backoff/{task_id}"),
    )
    wait = next(islice(waits, attempt - 1, None))
    deps.record(BackedOff(task_id=task_id, attempt=attempt + 1, wait_ms=round(wait * 1000)))
    rest = deps.budget.wait(wait)
    await (deps.slot.without(rest) if deps.slot else rest)


def _stamp(rows: Sequence[Row], deps: Deps) -> Stamp:
    plan = read_plan(deps.folder)
    settled = _last_word(deps) if _asks_approval(deps) else None
    return Stamp(
        run_id=deps.folder.run_id,
        project_id=deps.folder.project_id,
        mode=deps.options.mode,
        seed=deps.options.seed,
        started=rows[0].ts,
        plan_digest=plan.digest if plan else "",
        approved_by=settled.by if settled else "settings",
        head=rows[-1].hash,
        rows=deps.rows,
    )


def _last_word(deps: Deps) -> Settled | None:
    plan = read_plan(deps.folder)
    return read_settled(deps.folder, plan.sent_back if plan else 0)


def _stamped(deps: Deps) -> tuple[Row, ...]:
    """Return the record that the proposal is made from: all before the stamp, once for all."""
    rows = tuple(deps.rows())
    ends = [n for n, row in enumerate(rows) if isinstance(row.event, ProposalStamped)]
    if ends:
        return rows[: ends[0]]
    deps.record(ProposalStamped(head=rows[-1].hash))
    return rows
