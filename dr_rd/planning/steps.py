"""Which steps of which techniques go into which work package."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from core.values import Frozen
from dr_rd.planning.methods import Package, Parameter, Phase, Step
from dr_rd.planning.signals import stems
from dr_rd.planning.techniques import Technique

_MOST = 11
"""Steps a task may have; a longer list is not read."""

_INSTEAD: Mapping[Phase, tuple[Phase, ...]] = {
    "approvals": ("sourcing", "framing"),
    "sourcing": ("build", "framing"),
    "build": ("sourcing", "execution"),
    "pilot": ("build", "execution", "sourcing"),
    "execution": ("processing", "analysis"),
    "processing": ("execution", "analysis"),
    "robustness": ("analysis",),
    "analysis": ("processing", "execution"),
    "framing": (),
    "reporting": ("analysis",),
}
"""Where steps go when the method has no package of their phase."""

_SIZING = re.compile(
    r"\b(?:power|sized?|sample|precision|variance|standard error|how many|number of|replicates)\b",
    re.IGNORECASE,
)
"""Words of a step that belongs with the sample size; nothing else is put there."""

_Item = TypeVar("_Item")


class TechniqueStep(Frozen):
    """One step of a technique, with the parameters its slots name."""

    step: Step
    parameters: Mapping[str, Parameter]


def home(phase: Phase, text: str, packages: Sequence[Package]) -> Package:
    """Package that a step of that phase and wording belongs in."""
    for wanted in (phase, *_INSTEAD[phase]):
        if found := [p for p in packages if p.phase == wanted]:
            said = stems(text)
            fitting = [p for p in found if _may_hold(p, text)] or found
            return max(fitting, key=lambda p: len(said & _words(p)))
    return packages[0]


def shared_out(
    techniques: Iterable[Technique], packages: Sequence[Package]
) -> dict[str, tuple[TechniqueStep, ...]]:
    """Steps of *techniques* by package id, at most as many as a task can hold."""
    found: dict[str, list[TechniqueStep]] = {p.id: [] for p in packages}
    queues = [list(_steps(t)) for t in techniques]
    for phase, added in interleaved(queues):
        package = home(phase, added.step.text, packages)
        if len(found[package.id]) + len(package.steps) < _MOST:
            found[package.id].append(added)
    return {key: tuple(steps) for key, steps in found.items()}


def interleaved(queues: Iterable[Sequence[_Item]]) -> list[_Item]:
    """First of each queue, then second of each, so that no technique crowds out another."""
    rows = [list(q) for q in queues]
    longest = max((len(q) for q in rows), default=0)
    return [q[n] for n in range(longest) for q in rows if n < len(q)]


def _steps(technique: Technique) -> list[tuple[Phase, TechniqueStep]]:
    return [
        (phase, TechniqueStep(step=step, parameters=technique.parameters))
        for phase, steps in technique.phases.items()
        for step in steps
    ]


def _may_hold(package: Package, text: str) -> bool:
    return "sample_size" not in package.satisfies or bool(_SIZING.search(text))


def _words(package: Package) -> frozenset[str]:
    return stems(" ".join([package.title, package.purpose, *(s.text for s in package.steps)]))
