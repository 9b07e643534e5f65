"""A reply as a run keeps it, whoever has read it from what the server sent."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from core.requests import Reply, ToolCall
from core.values import MOST
from dr_rd.models.chat.sanitize import without_lone_surrogates


def made_reply(
    text: str,
    wished: Iterable[Mapping[str, Any]],
    finish: str | None,
    model: str | None,
    counted: tuple[int, int] | None,
) -> Reply:
    """Return the reply of those parts.

    Args:
        text: The answer.
        wished: The tools to call, each with its name, its args (an object, or text) and its id.
        finish: Why it ends there.
        model: Who answered.
        counted: The tokens of the prompt and of the answer.

    """
    prompt, completion = counted or (None, None)
    said = {
        "text": text,
        "tool_calls": [call.model_dump() for call in _tool_calls(wished)],
        "finish": finish or "",
        "model": model or "",
        "prompt_tokens": _count(prompt),
        "completion_tokens": _count(completion),
    }
    return Reply.model_validate(without_lone_surrogates(said))


def _count(said: int | None) -> int | None:
    """Take a server's count of tokens; one below nothing would raise the run's caps."""
    return said if said is not None and 0 <= said <= MOST else None


def _tool_calls(wished: Iterable[Mapping[str, Any]]) -> list[ToolCall]:
    """Read the tool calls, and say what is wrong with those that cannot be made."""
    calls: list[ToolCall] = []
    for number, wish in enumerate(wished, 1):
        name, args = wish["name"] or "", _arguments(wish["args"])
        call_id = wish["id"] or f"call-{number}"
        problem = "" if args is not None else "its arguments are no JSON object"
        if call_id in {call.id for call in calls}:
            problem = f"its id {call_id!r} was used before in the same reply"
        calls.append(ToolCall(id=call_id, name=name, args=args, problem=problem))
    return calls


def _arguments(args: object) -> dict[str, Any] | None:
    try:
        found = without_lone_surrogates(json.loads(args) if isinstance(args, str) else args)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
