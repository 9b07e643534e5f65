"""A brief under the keys of `Brief`, checked: what a mapping holds, as a value."""

import json
import re
from collections.abc import Mapping
from typing import Any

from core.errors import CallerError
from core.values import Frozen
from dr_rd.brief.blocks import block_of
from dr_rd.brief.fields import check_size, mapping, value_of
from dr_rd.brief.question import Question
from dr_rd.brief.resources import Resources
from dr_rd.brief.tasks import tasks_of
from dr_rd.brief.values import Brief

_BLOCKS: Mapping[str, type[Frozen]] = {"resources": Resources, "question": Question}
"""Keys whose values have keys of their own."""

_APART = ("tasks", *_BLOCKS)
"""Keys whose values are lists and tables of their own form."""

ALIASES = {
    "idea": "objective",
    "constraints": "hard_constraints",
    "background": "context",
}


def is_typed(raw: Mapping[Any, Any]) -> bool:
    """Whether all keys of *raw* are a brief's own, and no block of it is told in prose."""
    own = all(k in Brief.model_fields or k in ALIASES for k in raw)
    return own and not any(_told(raw.get(key)) for key in _BLOCKS)


def _told(block: Any) -> bool:  # noqa: ANN401 - whatever the file holds
    """Whether a block is lines or a sentence, which are read as those of any document."""
    listed = isinstance(block, list) and all(isinstance(line, str) for line in block)
    return listed or isinstance(block, str)


def typed_brief(raw: Mapping[Any, Any], name: str) -> Brief:
    """Return the brief that *raw* holds; *name* is what error messages call it.

    Raises CallerError with one sentence if a value does not fit its key.
    """
    given = mapping(raw, Brief, name, ALIASES)
    fields = {k: value_of(k, v, f"{name}: {k}") for k, v in given.items() if k not in _APART}
    if not str(fields.get("objective", "")).strip():
        raise CallerError(
            f"{name} has no objective; say in a sentence what is to be found out, "
            "under the key 'objective'"
        )
    check_size(fields, name)
    brief = Brief(
        **fields,
        tasks=tasks_of(given.get("tasks"), name, whole=fields.get("tasks_mode") != "merge"),
        **{k: block_of(given.get(k), model, f"{name}: {k}") for k, model in _BLOCKS.items()},
    )
    check_characters(json.dumps(brief.model_dump(), ensure_ascii=False, default=str), name)
    return brief


def check_characters(text: str, name: str) -> None:
    """Raise CallerError if *text* holds what JSON and command lines can write, and no file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise CallerError(
            f"{name} holds half a character, which no text has; take it out"
        ) from error


_MOST_DIGITS, _MOST_NUMBERS = 1_000, 20_000
_NUMBER = re.compile(r"\d+")


def check_numbers(text: str, name: str) -> None:
    """Raise CallerError if *text* is full of digits as no brief is: each number is read and compared."""
    lengths = [len(found) for found in _NUMBER.findall(text)]
    if (longest := max(lengths, default=0)) > _MOST_DIGITS:
        raise CallerError(
            f"{name} has a number of {longest:,} digits, and {_MOST_DIGITS:,} at most are read; "
            "take it out"
        )
    if len(lengths) > _MOST_NUMBERS:
        raise CallerError(
            f"{name} has {len(lengths):,} numbers, and {_MOST_NUMBERS:,} at most are read; hand in what asks "
            "for the study, and data as a document"
        )


def fitting(raw: Mapping[Any, Any], name: str) -> dict[str, Any]:
    """Return the values of *raw* that fit a key of a brief; others are left to be read as text."""
    found: dict[str, Any] = {}
    for key, value in raw.items():
        field = ALIASES.get(key, key)
        if field not in Brief.model_fields or value is None or field in found:
            continue
        if field == "tasks":
            found[field] = tasks_of(value, name, whole=raw.get("tasks_mode") != "merge")
            continue
        if field in _BLOCKS:
            if not _told(value):
                found[field] = block_of(value, _BLOCKS[field], f"{name}: {field}")
            continue
        try:
            held = value_of(field, value, f"{name}: {key}")
            check_size({field: held}, name)
        except CallerError:
            continue
        found[field] = held
    return found
