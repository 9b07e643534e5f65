"""Prompts for models: data files that declare what they are filled with."""

import random
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import Template, meta

from core.values import Frozen
from dr_rd.files import parse_yaml, read_text
from dr_rd.templates import environment

_FILE = re.compile(
    r"---\n(?P<head>.*?)\n---\n# system\n(?P<system>.*?)\n# user\n(?P<user>.*)", re.S
)
_DELIMITER = re.compile(r"\s*===\s?[0-9a-f]{24}\s?===")


class Prompt(Frozen):
    """A filled prompt."""

    system: str
    user: str


def prompt(name: str, values: Mapping[str, Any]) -> Prompt:
    """Fill `data/prompts/NAME.md`.

    Values that differ from what the file declares are our bug and raise ValueError.
    """
    declared, system, user = _parts(name)
    if declared != values.keys():
        raise ValueError(f"prompt {name!r} takes {sorted(declared)}, not {sorted(values)}")
    return Prompt(system=system.render(values).strip(), user=user.render(values).strip())


def delimiter(seed: str, text: str) -> str:
    """Draw a line that does not stand in *text*, to part material from what is asked.

    Nobody who wrote the material can have known it; the same *seed* draws it again.
    """
    chance = random.Random(seed)  # noqa: S311 - it must come out the same in a replay
    while (line := f"=== {chance.getrandbits(96):024x} ===") in text:
        continue
    return line


def undelimited(text: str) -> str:
    """Return *text* without the lines that part material: a model may repeat them."""
    return _DELIMITER.sub("", text)


@cache
def _parts(name: str) -> tuple[frozenset[str], Template, Template]:
    found = _FILE.fullmatch(read_text("prompts", f"{name}.md"))
    if found is None:
        raise ValueError(f"prompt {name!r} has no head, system and user part")
    declared = frozenset(parse_yaml(found["head"])["variables"])
    filled = environment()
    used = meta.find_undeclared_variables(filled.parse(found["system"] + found["user"]))
    if used != declared:
        raise ValueError(f"prompt {name!r} declares {sorted(declared)} and uses {sorted(used)}")
    return (
        declared,
        filled.from_string(found["system"]),
        filled.from_string(found["user"]),
    )
