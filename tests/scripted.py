"""Scripted models: what they answer follows from what they are asked, over real HTTP.

Each is a `reply` of `tests.fake_llm.FakeLLM`: it takes the decoded request.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

Json = dict[str, Any]
_IDS = re.compile(r"^\[([A-Z]\w*(?:-\d+)?)\] ", re.MULTILINE)


def fields(body: Json) -> set[str]:
    """The fields of the JSON object that is asked for; none where it is none."""
    held = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
    return set(held.get("properties", ()))


def asked(body: Json) -> str:
    """Everything that the model is shown."""
    return "\n".join(m["content"] for m in body["messages"] if isinstance(m["content"], str))


def material(body: Json) -> dict[str, str]:
    """What the user part shows under an id, by id."""
    user = next(m["content"] for m in body["messages"] if m["role"] == "user")
    parts = _IDS.split(user)[1:]
    return {key: text.split("\n\n")[0] for key, text in zip(parts[::2], parts[1::2], strict=True)}


def model(**roles: Callable[[Json], Any]) -> Callable[[Json], Any]:
    """Return a model that does the probe as a strong server does, and else as its roles say.

    Args:
        roles: By a field that only replies of that kind have, such as ``findings``.

    """

    def reply(body: Json) -> Any:
        wanted = fields(body)
        if "colour" in wanted:
            return {"colour": "teal", "amount": 3}
        for field, role in roles.items():
            if field in wanted:
                return role(body)
        return "ready"

    return reply


def good_work(body: Json) -> Json:
    """Quote one passage, if there is any, and add one step that nobody can object to."""
    passages = {k: v for k, v in material(body).items() if re.fullmatch(r"E\d+", k)}
    findings = [
        {"text": text.split(") ", 1)[-1].split(". ")[0], "sources": [key]}
        for key, text in list(passages.items())[:1]
    ]
    steps = [{"text": "Agree with the team who keeps the records of this task.", "sources": []}]
    return {"calls": [], "steps": steps, "findings": findings, "unknowns": []}


def met(body: Json) -> Json:
    """Judge as one who cannot tell."""
    return {"reason": "The text does not let me decide.", "quote": "", "level": "cannot_tell"}


def only(body: Json, reply: Mapping[str, Any]) -> Json:
    """Leave out what the schema does not have."""
    return {k: v for k, v in reply.items() if k in fields(body)}


GOOD = model(findings=lambda body: only(body, good_work(body)), level=met)


def text_of(value: Any) -> str:
    """How a model without a schema would write it."""
    return f"Sure! Here it is:\n```json\n{json.dumps(value)}\n```"
