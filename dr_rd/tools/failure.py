"""What a call that gave nothing tells a reader, without the words of the program."""

import re
from collections.abc import Mapping

from core.values import Frozen
from dr_rd.files import read_yaml
from dr_rd.tools.spec import FailureWords

_TOOL = re.compile(r"^tool '[^']*': ")
_CHOICES = re.compile(r"; its arguments are .*$", re.DOTALL)
_FAULT = re.compile(r"(?P<name>[a-z_][\w.]*): (?P<said>[^;]+)")
_VALUE = re.compile(r"^Value error, ")


class Defaults(Frozen):
    """What is said of every tool; `data/report/failure.yaml`."""

    remedy: str


def failure_text(name: str, words: FailureWords | None, error: str) -> tuple[str, str]:
    """Return what gave nothing, and the rest of the sentence: what was wrong and what to give.

    *name* is the tool's, *error* what it said. Of a tool that computes, its result is named.
    """
    said = _CHOICES.sub("", _TOOL.sub("", error)).rstrip(". ")
    if words is None:
        return name, f"gave no result: {said}."
    faults = [_fault(m, words.arguments) for m in _FAULT.finditer(said)]
    if said == error.rstrip(". ") or not faults:
        return words.result, f"was not computed: {said}."
    remedy = words.remedy or _defaults().remedy
    return words.result, f"was not computed: {'; '.join(faults)}. {remedy}"


def _fault(found: re.Match[str], arguments: Mapping[str, str]) -> str:
    name, said = found["name"].partition(".")[0], _VALUE.sub("", found["said"]).strip()
    if name == "arguments":
        return said
    called = arguments.get(name, name.replace("_", " "))
    if said == "Field required":
        return f"the {called} is missing"
    return f"the {called} {said.replace('Input should be', 'should be', 1)}"


def _defaults() -> Defaults:
    return Defaults.model_validate(read_yaml("report", "failure.yaml"))
