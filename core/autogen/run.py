"""An AutoGen assistant that answers requests; the run's own calls ask its model.

It is driven here and not by a team: a team's runtime makes of a reached cap a RuntimeError with a
traceback in its text, and leaves tasks behind where a run is stopped.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

from core.conversations import Function, Review
from core.errors import CallerError, TaskError, clipped
from core.requests import Calls, Reply, Request, Slot
from core.values import canonical

try:
    from autogen_agentchat.agents import AssistantAgent
    from autogen_agentchat.conditions import MaxMessageTermination, StopMessageTermination
    from autogen_agentchat.messages import (
        BaseChatMessage,
        StopMessage,
        TextMessage,
        ToolCallSummaryMessage,
    )
    from autogen_core import CancellationToken
    from autogen_core.models import ModelFamily, ModelInfo
    from autogen_core.tools import (
        ParametersSchema,
        TextResultContent,
        ToolResult,
        ToolSchema,
        Workbench,
    )
    from autogen_ext.models.openai import BaseOpenAIChatCompletionClient
    from openai.types.chat import ChatCompletion
except ModuleNotFoundError as missing:
    raise CallerError(
        f"the AutoGen mode needs a package that is missing ({missing.name}): "
        'pip install "dr-rd[autogen]"'
    ) from missing

MOST_MESSAGES = 7
"""Of one conversation: what is asked, and three answers with what the reviewer says of each."""

MOST_ROUNDS = 6
"""How many times in a row the assistant may ask for tools before it answers."""

_COMPLAINT = 450
"""How much of the reviewer's last words a reader is shown, in characters."""

_ANSWER_NOW = "No more tools are called now. Answer with what their results above say."

_MODEL = ModelInfo(
    vision=False,
    function_calling=True,
    json_output=False,
    structured_output=False,
    family=ModelFamily.UNKNOWN,
)


async def converse(
    calls: Calls,
    request: Request,
    functions: Sequence[Function],
    review: Review,
    slot: Slot | None = None,
) -> None:
    """Let an assistant and *review* talk until an answer stands, as `core.conversations` has it."""
    bench, token = _Bench(functions), CancellationToken()
    system, asked = (str(cast(Any, m)["content"]) for m in cast(Any, request.body["messages"]))
    options = {name: value for name, value in request.body.items() if name != "messages"}
    assistant = AssistantAgent(
        "assistant",
        BaseOpenAIChatCompletionClient(
            cast(Any, _client(calls, request, bench, slot)),
            create_args=options,
            model_info=_MODEL,
            include_name_in_message=False,
        ),
        workbench=bench,
        system_message=system,
        max_tool_iterations=MOST_ROUNDS,
        reflect_on_tool_use=False,
    )
    condition = StopMessageTermination() | MaxMessageTermination(MOST_MESSAGES)
    said: BaseChatMessage = TextMessage(content=asked, source="user")
    ended = await condition([said])
    try:
        while ended is None:
            reply = (await assistant.on_messages([said], token)).chat_message
            said = _reviewed(reply, review)
            ended = await condition([reply, said])
    finally:
        token.cancel()  # of a stopped run no tool goes on
    if not isinstance(said, StopMessage):
        raise TaskError(
            f"the model {request.model!r} gave no usable {request.purpose} in a conversation of "
            f"{MOST_MESSAGES} messages: {clipped(said.to_text(), _COMPLAINT)}"
        )


def _reviewed(reply: BaseChatMessage, review: Review) -> BaseChatMessage:
    if isinstance(reply, ToolCallSummaryMessage):
        return TextMessage(content=_ANSWER_NOW, source="reviewer")
    if complaint := review(reply.to_text()):
        return TextMessage(content=complaint, source="reviewer")
    return StopMessage(content="The answer stands.", source="reviewer")


class _Bench(Workbench):
    """The tools of one conversation; calls are made one after another, in the order asked for."""

    def __init__(self, functions: Sequence[Function]) -> None:
        self._functions = {_wire_name(f.name): f for f in functions}
        self._turn = asyncio.Lock()
        self.failure: BaseException | None = None
        """What a call ended with, which the next call to the model raises.

        AutoGen reads results from a queue that an error never ends, and would wait for ever.
        """

    async def list_tools(self) -> list[ToolSchema]:
        """Return the schema of each tool."""
        return [
            ToolSchema(
                name=name,
                description=function.description,
                parameters=cast(ParametersSchema, dict(function.parameters)),
            )
            for name, function in self._functions.items()
        ]

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,  # noqa: ARG002 - the run numbers its calls itself
    ) -> ToolResult:
        """Make a call through the run's toolbox, when those asked for before it are made."""
        text = ""
        async with self._turn:
            if self.failure is None:
                made = asyncio.ensure_future(self._made(name, arguments or {}))
                if cancellation_token:
                    cancellation_token.link_future(made)
                await asyncio.wait({made})
                self.failure = made.exception()
                text = "" if self.failure else made.result()
        return ToolResult(name=name, result=[TextResultContent(content=text)])

    async def _made(self, name: str, arguments: Mapping[str, Any]) -> str:
        return await self._functions[name].call(arguments)

    async def start(self) -> None:
        """Do nothing: the run opened its tools."""

    async def stop(self) -> None:
        """Do nothing: the run closes its tools."""

    async def reset(self) -> None:
        """Do nothing: there is no state."""

    async def save_state(self) -> Mapping[str, Any]:
        """Return none: the run's record is the state."""
        return {}

    async def load_state(self, state: Mapping[str, Any]) -> None:
        """Do nothing: there is no state."""


def _wire_name(name: str) -> str:
    """Return a tool's name as the protocol allows it: those of other programs have a dot."""
    return re.sub(r"[^\w-]", "_", name, flags=re.ASCII)[:64]


def _client(calls: Calls, request: Request, bench: _Bench, slot: Slot | None) -> object:
    """Return what stands in for the OpenAI client: each completion is one of the run's calls."""

    async def create(*, messages: Any, tools: Any, **asked: Any) -> ChatCompletion:  # noqa: ANN401
        if bench.failure:
            raise bench.failure
        offered = (
            {"tools": tools} if isinstance(tools, list) else {}
        )  # else a mark for "not given"
        body = {name: value for name, value in asked.items() if name != "stream"}
        body |= {"messages": messages, **offered}
        return _completion(await calls.call(replace(request, body=body), slot))

    return SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=create)))


def _completion(reply: Reply) -> ChatCompletion:
    """Write a reply as the protocol has it; AutoGen reads no other."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.tool_calls:
        message["tool_calls"] = [
            {
                "id": f"call-{number}" if call.problem else call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": canonical(dict(call.args or {}))},
            }
            for number, call in enumerate(reply.tool_calls)
        ]
    choice = {
        "index": 0,
        "finish_reason": "tool_calls" if reply.tool_calls else "stop",
        "message": message,
    }
    return ChatCompletion.model_validate(
        {
            "id": "",
            "object": "chat.completion",
            "created": 0,
            "model": reply.model,
            "choices": [choice],
            "usage": {
                "prompt_tokens": reply.prompt_tokens or 0,
                "completion_tokens": reply.completion_tokens or 0,
                "total_tokens": reply.tokens or 0,
            },
        }
    )
