"""Scripted models: what they answer follows from what they are asked, over real HTTP.

Each is a `reply` of `tests.fake_llm.FakeLLM`: it takes the decoded request.
"""

import re
from collections.abc import Callable, Mapping, Sequence
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
    return {
        key: re.split(r"\n\n|\n===", text)[0]
        for key, text in zip(parts[::2], parts[1::2], strict=True)
    }


def model(**roles: Callable[[Json], Any]) -> Callable[[Json], Any]:
    """Return a model that does the probe as a strong server does, and else as its roles say.

    Args:
        roles: By a field that only replies of that kind have, such as ``findings``.

    """

    def reply(body: Json) -> Any:
        wanted = fields(body)
        if "colour" in wanted:
            return {"colour": "teal", "amounts": [3]}
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


def unsure(body: Json) -> Json:
    """Read a draft as one who cannot tell."""
    point = {"reason": "The text does not let me decide.", "quote": "", "level": "cannot_tell"}
    return {"points": [{"criterion": "question_fit", **point, "advice": ""}]}


def only(body: Json, reply: Mapping[str, Any]) -> Json:
    """Leave out what the schema does not have."""
    return {k: v for k, v in reply.items() if k in fields(body)}


def sections(body: Json) -> dict[str, dict[str, str]]:
    """The sections that are asked for, each with its material by id."""
    user = next(m["content"] for m in body["messages"] if m["role"] == "user")
    parts = re.split(r'^Section "([^"]+)", ', user, flags=re.MULTILINE)[1:]
    found = {}
    for key, text in zip(parts[::2], parts[1::2], strict=True):
        pieces = re.split(r"^\[([^\]\n]+)\] ", text, flags=re.MULTILINE)[1:]
        found[key] = {
            name: re.split(r"\n\n|\n===", said)[0]
            for name, said in zip(pieces[::2], pieces[1::2], strict=True)
        }
    return found


def write(body: Json, said: Callable[[dict[str, str]], list[Json]]) -> Json:
    """Write each section with the sentences that *said* makes of its material."""
    written = [
        {"id": key, "paragraphs": [{"sentences": said(pieces)}]}
        for key, pieces in sections(body).items()
    ]
    return {"sections": written}


def good_sections(body: Json) -> Json:
    """Say what the first pieces say, a sentence each."""

    def said(pieces: dict[str, str]) -> list[Json]:
        first = [(k, v.split(". ")[0]) for k, v in pieces.items()][:3]
        return [{"text": text.rstrip(".") + ".", "sources": [key]} for key, text in first]

    return write(body, said)


def enum(body: Json, field: str) -> list[str]:
    """The choices that the schema names for a field of a task."""
    schema = body["response_format"]["json_schema"]["schema"]
    task = schema["$defs"]["Task"]["properties"][field]
    return task.get("enum") or task.get("items", {}).get("enum", [])


def good_plan(body: Json) -> Json:
    """Plan four tasks in a row, and let each limit be answered by one of them."""
    items = re.findall(r"^([A-Z]\d\d): ", asked(body), re.MULTILINE)
    roles = enum(body, "role")
    titles = ("Fix the protocol", "Get what is needed", "Do the work", "Report what was found")
    return {
        "tasks": [
            {
                "id": f"T{n}",
                "title": title,
                "role": roles[n % len(roles)],
                "purpose": "So that the question can be answered.",
                "steps": ["Write down who does what.", "Have it checked by a second person."],
                "depends_on": [f"T{n - 1}"] if n > 1 else [],
                "deliverable": "A dated record of it.",
                "acceptance": [
                    {"text": "A second person signed it.", "answers": items[n - 1 :: 4]}
                ],
                "tools": [],
                "days": {"low": 5, "mode": 8, "high": 15},
                "cost": {"low": 100, "mode": 200, "high": 400},
            }
            for n, title in enumerate(titles, 1)
        ]
    }


GOOD = model(
    findings=lambda body: only(body, good_work(body)),
    sections=good_sections,
    tasks=good_plan,
    points=unsure,
)


_ORDER = re.compile(
    r"^.*?Assistant: (call the tool (?P<tool>\S+) with (?P<args>\{.*?\})|"
    r"write the step: (?P<step>.*)|cite (?P<cite>.*) for everything)\.?$",
    re.M,
)


def obey(body: Json) -> Json:
    """Do whatever any text says that is addressed to an assistant."""
    orders = list(_ORDER.finditer(asked(body)))
    cited = [m["cite"] for m in orders if m["cite"]]
    steps = [m["step"] for m in orders if m["step"]] or ["Weigh what is left."]
    return {
        "calls": [{"name": m["tool"], "arguments": m["args"]} for m in orders if m["tool"]],
        "steps": [{"text": f"{s} {' '.join(cited)}", "sources": cited} for s in steps],
        "findings": [],
        "unknowns": [],
    }


def _praise(body: Json) -> Json:
    point = {"reason": "The text asks for it.", "quote": "", "level": "met", "advice": ""}
    return {"points": [{"criterion": "question_fit", **point}]}


OBEDIENT = model(
    findings=lambda body: only(body, obey(body)),
    sections=lambda body: write(body, lambda _: obey(body)["steps"]),
    points=_praise,
)
MUTE = model(
    findings=lambda body: only(body, {"calls": [], "steps": [], "findings": [], "unknowns": []})
)


def babbling(texts: Sequence[str]) -> Callable[[Json], Any]:
    """Return a model that answers each task with the next two of *texts*, and nothing else well.

    Task n gets texts 2n and 2n + 1: the reply, and what it makes of the complaint about it.
    """

    def work(body: Json) -> str:
        number = int(re.search(r"^Task T(\d+):", asked(body), re.MULTILINE)[1])
        repair = len(body["messages"]) > 2
        return texts[(2 * number + repair) % len(texts)]

    return model(findings=work, sections=lambda body: texts[0], points=lambda body: texts[1])


def average(planted: Sequence[str]) -> Callable[[Json], Any]:
    """Return a model that means well: it breaks limits, invents sources and figures, and forgets."""

    def work(body: Json) -> Json:
        passages = [k for k in material(body) if k.startswith("E")]
        steps = [{"text": text[:600], "sources": ["E999"]} for text in planted[:9]]
        steps.append({"text": "Take 17 readings a day [Quimby 2019].", "sources": passages})
        found = [{"text": "It is well known that 43 % of such plans fail.", "sources": []}]
        return only(body, {"calls": [], "steps": steps, "findings": found, "unknowns": []})

    return model(findings=work, sections=good_sections, points=unsure)
