"""A text read as a brief, whatever format it is in."""

import json
import re
from typing import Any, Literal

from core.errors import CallerError
from dr_rd.brief.fields import check_size, mapping, value_of
from dr_rd.brief.markup import from_json, from_yaml
from dr_rd.brief.prose import prose
from dr_rd.brief.tasks import tasks_of
from dr_rd.brief.values import Brief

Kind = Literal["yaml", "json", "markdown", "text"]
_ALIASES = {"idea": "objective", "constraints": "hard_constraints"}


def parse_brief(text: str, kind: Kind | None = None, name: str = "brief") -> Brief:
    """Read a brief from *text*; *name* is what error messages call it.

    Without *kind*, JSON is known by its brace, YAML by a first key, Markdown by a heading.
    """
    if not text.strip():
        raise CallerError(f"{name} is empty; write at least an objective")
    readers = {"yaml": from_yaml, "json": from_json, "markdown": prose, "text": prose}
    brief = _brief(readers[kind or _guess_kind(text)](text, name), name)
    try:  # JSON can write what no file can hold
        json.dumps(brief.model_dump(), ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError as error:
        raise CallerError(
            f"{name} holds half a character, which no text has; take it out"
        ) from error
    return brief


def _guess_kind(text: str) -> Kind:
    start = text.lstrip()
    if start.startswith("{"):
        return "json"
    tops = [line for line in start.splitlines() if line[:1].strip()]
    keyed = [t for t in tops if _KEY.match(t)]
    if keyed and keyed[0] == next(t for t in tops if t[0] != "#") and _all_yaml(tops):
        return "yaml"
    return "markdown"


def _all_yaml(tops: list[str]) -> bool:
    """Whether every unindented line is a key, an item, a comment or a bracket."""
    return all(t[0] in "-#]}" or _KEY.match(t) for t in tops)


_KEY = re.compile(r"[a-z_]+:(?:\s|$)")


def _brief(raw: Any, name: str) -> Brief:  # noqa: ANN401 - whatever the file holds
    if isinstance(raw, str):
        raw = {"objective": raw}
    given = mapping(raw, Brief, name, _ALIASES)
    fields = {k: value_of(k, v, f"{name}: {k}") for k, v in given.items() if k != "tasks"}
    if not str(fields.get("objective", "")).strip():
        raise CallerError(
            f"{name} has no objective; say in a sentence what is to be found out, "
            "under the key 'objective'"
        )
    check_size(fields, name)
    return Brief(**fields, tasks=tasks_of(given.get("tasks"), name))
