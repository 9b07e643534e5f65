"""What a call that gave nothing tells a reader, without the words of the program."""

import re
from collections.abc import Mapping

from core.values import Frozen
from dr_rd.files import read_yaml

_TOOL = re.compile(r"^tool '[^']*': ")
_CHOICES = re.compile(r"; its arguments are .*$", re.DOTALL)
_FAULT = re.compile(r"(?P<name>[a-z_][\w.]*): (?P<said>[^;]+)")
_VALUE = re.compile(r"^Value error, ")


class Words(Frozen):
    """How a reader is told; `data/report/failing.yaml`."""

    results: Mapping[str, str]
    """What each tool gives, by its name."""
    arguments: Mapping[str, str]
    """What a reader calls an argument."""
    remedy: str


def failing(name: str, error: str) -> tuple[str, str]:
    """Return what gave nothing, and the rest of the sentence: what was wrong and what to give.

    *name* is the tool's, *error* what it said. Of a tool that computes, its result is named.
    """
    words = _words()
    said = _CHOICES.sub("", _TOOL.sub("", error)).rstrip(". ")
    if name not in words.results:
        return name, f"gave no result: {said}."
    faults = [_fault(m, words.arguments) for m in _FAULT.finditer(said)]
    if said == error.rstrip(". ") or not faults:
        return words.results[name], f"was not computed: {said}."
    return words.results[name], f"was not computed: {'; '.join(faults)}. {words.remedy}"


def _fault(found: re.Match[str], arguments: Mapping[str, str]) -> str:
    name, said = found["name"].partition(".")[0], _VALUE.sub("", found["said"]).strip()
    if name == "arguments":
        return said
    called = arguments.get(name, name.replace("_", " "))
    if said == "Field required":
        return f"the {called} is missing"
    return f"the {called} {said.replace('Input should be', 'should be', 1)}"


def _words() -> Words:
    return Words.model_validate(read_yaml("report", "failing.yaml"))
