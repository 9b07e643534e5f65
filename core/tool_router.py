"""How an agent reaches a tool: what is open to whom, how often, and what is written down."""

import inspect
import json
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass
from typing import Any, cast

from anyio.lowlevel import checkpoint
from pydantic import BaseModel, JsonValue, ValidationError

from core.clock import Clock
from core.compute import Compute, in_thread
from core.errors import CallerError, RefusedCall, TaskError, nearest
from core.events import Event, PassagesRetrieved, ToolCalled
from core.graph.state import ToolRequest, ToolResult
from core.redaction import Redactor
from core.values import canonical, digest, holders

MOST_OUTPUT = 8_000_000
"""Bytes of JSON that a tool may give, as many as a model's reply may have."""

Outcome = JsonValue | Awaitable[JsonValue]
Outside = Callable[[str, ToolRequest], JsonValue]
"""Answers a checked call, by its id, in a tool's place; raises TaskError as a tool does."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What a search looked for, and the ids of the passages it found."""

    query: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tool:
    """A named function with typed arguments that gives a JSON value."""

    name: str
    description: str
    """What it is for, in a sentence that an agent reads."""
    params: type[BaseModel]
    """The arguments; give it ``extra="forbid"``."""
    run: Callable[[Any], Outcome]
    """Takes one *params*; raises TaskError with a sentence when it cannot."""
    max_calls_per_run: int = 50
    heavy: bool = False
    """Whether it computes for long; *run*, a module's function, then runs beside the event loop."""
    of_plan: bool = False
    """Whether it works on the plan and the brief themselves: no model gives it other arguments."""
    retrieved: Callable[[Any, JsonValue], Retrieved] | None = None
    """For a search: reads what was searched and found from one *params* and its output."""


class Toolbox:
    """The tools of one run: allow-lists, call limits, and the record of each call.

    Args:
        tools: Every tool of the run.
        allowed: The tool names open to each role; None opens all to all.
        record: Where the ToolCalled events go.
        keep: Stores a JSON value as an artifact and returns its SHA-256.
        commit: Makes what was kept safe before an event names it.
        clock: Times each call.
        past: Calls that an earlier process of this run recorded, oldest first; the same
            request at the same place in a task is answered from them.
        compute: Where heavy tools compute.
        redactor: Takes secrets out of what tools give and say; None knows their forms alone.

    """

    def __init__(
        self,
        tools: Iterable[Tool],
        *,
        record: Callable[[Event], None],
        keep: Callable[[JsonValue], str],
        commit: Callable[[], Awaitable[None]] = checkpoint,
        clock: Clock,
        allowed: Mapping[str, Collection[str]] | None = None,
        past: Iterable[tuple[ToolCalled, JsonValue]] = (),
        compute: Compute = in_thread,
        redactor: Redactor | None = None,
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._allowed = allowed
        self._record, self._keep, self._clock = record, keep, clock
        self._commit = commit
        self._compute = compute
        self._redactor = redactor or Redactor()
        self._outside: Outside | None = None
        self._rows: list[ToolCalled] = []
        self._calls: Counter[str] = Counter()
        self._numbers: Counter[str] = Counter()
        self._past: dict[str, list[tuple[ToolCalled, JsonValue]]] = defaultdict(list)
        for call, output in past:
            self._note(call)
            self._past[call.task_id].append((call, output))

    def open_to(self, role: str) -> tuple[Tool, ...]:
        """Return the tools that *role* may call."""
        names = self._tools if self._allowed is None else self._allowed.get(role, ())
        return tuple(tool for name, tool in self._tools.items() if name in names)

    def answered_by(self, outside: Outside) -> "Toolbox":
        """Return a twin that runs no tool and sets no limit: *outside* gives every output."""
        twin = copy(self)
        twin._outside = outside
        return twin

    def provenance(self) -> tuple[ToolCalled, ...]:
        """Return every call of the run so far, oldest first."""
        return tuple(self._rows)

    def in_hand(self, results: Iterable[ToolResult]) -> None:
        """Take note that a task has these results already: they are not to be recalled."""
        ids = {result.id for result in results}
        for task_id, waiting in self._past.items():
            self._past[task_id] = [past for past in waiting if past[0].id not in ids]

    async def call(
        self, request: ToolRequest, *, task_id: str, role: str, planned: Collection[str] | None
    ) -> ToolResult:
        """Make one call; whatever the caller got wrong comes back as the result's error."""
        if recalled := self._recall(request, task_id):
            return recalled
        started, refused = self._clock.monotonic(), False
        try:
            tool, params = self._checked(request, role, planned)
            self._calls[tool.name] += 1
            found = await self._output(tool, params, request, task_id)
            output, error = self._redactor.json(found), ""
            self._searched(tool, params, output, task_id)
        except (TaskError, CallerError) as refusal:
            output, error = None, self._redactor.text(str(refusal))
            refused = isinstance(refusal, RefusedCall)
        elapsed = round((self._clock.monotonic() - started) * 1000)
        return await self._written(request, task_id, role, output, error, elapsed, refused=refused)

    async def _output(
        self, tool: Tool, params: BaseModel, request: ToolRequest, task_id: str
    ) -> JsonValue:
        if self._outside:
            return self._outside(self._next_id(task_id), request)
        try:
            return await _run(tool, params, self._compute)
        except OverflowError as error:  # what else arithmetic raises is the tool's own bug
            raise TaskError(
                f"tool {tool.name!r} cannot compute with numbers so large or so small; "
                "give values nearer to what is planned"
            ) from error

    def _recall(self, request: ToolRequest, task_id: str) -> ToolResult | None:
        waiting = self._past[task_id]
        if not waiting:
            return None
        call, output = waiting[0]
        if (call.name, call.args_digest) != (request.name, digest(dict(request.args))):
            waiting.clear()  # the task now goes another way; its later calls are new ones
            return None
        del waiting[0]
        return ToolResult(
            id=call.id, name=call.name, args=request.args, output=output, error=call.error
        )

    def _checked(
        self, request: ToolRequest, role: str, planned: Collection[str] | None
    ) -> tuple[Tool, BaseModel]:
        tool = self._found(request.name, role, planned)
        if not self._outside and self._calls[tool.name] >= tool.max_calls_per_run:
            raise RefusedCall(
                f"tool {tool.name!r} has been called {tool.max_calls_per_run} times in this run, "
                "which is its limit; go on with what you have"
            )
        try:
            return tool, tool.params.model_validate(dict(request.args))
        except ValidationError as error:
            raise RefusedCall(_condensed(tool, error)) from error

    def _found(self, name: str, role: str, planned: Collection[str] | None) -> Tool:
        roles_tools = {tool.name: tool for tool in self.open_to(role)}
        names = sorted(set(roles_tools) if planned is None else set(roles_tools) & set(planned))
        if name in names:
            return roles_tools[name]
        choices = f"choose from: {', '.join(names)}" if names else "no tool is open here"
        if name not in self._tools:
            raise RefusedCall(f"no tool {name!r}{nearest(name, self._tools)}; {choices}")
        if name not in roles_tools:
            raise RefusedCall(f"tool {name!r} is not open to role {role!r}; {choices}")
        raise RefusedCall(f"tool {name!r} is not planned for this task; {choices}")

    async def _written(
        self,
        request: ToolRequest,
        task_id: str,
        role: str,
        output: JsonValue,
        error: str,
        elapsed_ms: int,
        *,
        refused: bool,
    ) -> ToolResult:
        call = ToolCalled(
            id=self._next_id(task_id),
            name=request.name,
            task_id=task_id,
            role=role,
            args_digest=self._keep(dict(request.args)),
            output_digest="" if error else self._keep(output),
            elapsed_ms=elapsed_ms,
            ok=not error,
            error=error,
            refused=refused,
        )
        await self._commit()
        self._note(call, count=False)
        self._record(call)
        return ToolResult(
            id=call.id, name=call.name, args=request.args, output=output, error=error
        )

    def _searched(self, tool: Tool, params: BaseModel, output: JsonValue, task_id: str) -> None:
        if not tool.retrieved:
            return
        found = tool.retrieved(params, output)
        # before the call's own event: a call without it is made again after a crash
        self._record(
            PassagesRetrieved(
                call_id=self._next_id(task_id),
                task_id=task_id,
                query=found.query,
                ids=found.ids,
            )
        )

    def _next_id(self, task_id: str) -> str:
        return f"{task_id}-{self._numbers[task_id] + 1}"

    def _note(self, call: ToolCalled, *, count: bool = True) -> None:
        self._rows.append(call)
        self._numbers[call.task_id] += 1
        self._calls[call.name] += count


async def _run(tool: Tool, params: BaseModel, compute: Compute) -> JsonValue:
    """Run a tool; its output has the form that a recorded one is read back in."""
    output = await compute(tool.run, params) if tool.heavy else tool.run(params)
    found = await output if inspect.isawaitable(output) else output
    try:
        text = canonical(found).encode()
    except (TypeError, ValueError) as error:
        raise TaskError(
            f"tool {tool.name!r} gave what cannot be kept as JSON ({error}); "
            "have it give finite numbers, text, lists and objects"
        ) from error
    if len(text) > MOST_OUTPUT:
        raise TaskError(
            f"tool {tool.name!r} gave {len(text):,} bytes, and {MOST_OUTPUT:,} are kept; have it give "
            "the part that the task needs"
        )
    return cast(JsonValue, json.loads(text))


def _condensed(tool: Tool, error: ValidationError) -> str:
    """Say each wrong argument once, without the values' types and links pydantic adds."""
    errors = error.errors(include_url=False)
    holding = holders(fault["loc"] for fault in errors)
    faults = "; ".join(
        f"{'.'.join(map(str, fault['loc'])) or 'arguments'}: {fault['msg'].replace('tuple', 'array')}"
        for fault in errors
        # what holds a wrong value is called too short as well, since that value does not count
        if fault["loc"] not in holding
    )
    names = (field.alias or name for name, field in tool.params.model_fields.items())
    return f"tool {tool.name!r}: {faults}; its arguments are {', '.join(names)}"


_current: ContextVar[Toolbox] = ContextVar("toolbox")


@contextmanager
def using(toolbox: Toolbox) -> Iterator[Toolbox]:
    """Make *toolbox* the one that call_tool and get_provenance speak to, within the block."""
    token = _current.set(toolbox)
    try:
        yield toolbox
    finally:
        _current.reset(token)


async def call_tool(
    name: str,
    args: Mapping[str, Any],
    *,
    task_id: str,
    role: str,
    planned: Collection[str] | None = None,
) -> ToolResult:
    """Call a tool of the current run; a refusal comes back as the result's error.

    Args:
        name: The tool.
        args: Its arguments, checked against its *params*.
        task_id: The task that needs it; call ids count within it.
        role: Who asks; a tool not open to that role is refused.
        planned: The tools planned for the task; None means any.

    """
    request = ToolRequest(name=name, args=args)
    return await _toolbox().call(request, task_id=task_id, role=role, planned=planned)


def get_provenance() -> tuple[ToolCalled, ...]:
    """Return the current run's tool calls so far, oldest first."""
    return _toolbox().provenance()


def _toolbox() -> Toolbox:
    toolbox = _current.get(None)
    if toolbox is None:
        raise RuntimeError("tools can be called only within a run: enter `using(toolbox)` first")
    return toolbox
