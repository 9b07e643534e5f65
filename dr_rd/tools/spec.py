"""What a tool's folder declares: the call, its place in plans and proposals, its words, its page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Literal, TypeVar, get_args

import yaml
from pydantic import BaseModel, Field, JsonValue, ValidationError

from core.files import sha256
from core.tool_router import Tool
from core.values import Frozen, digest
from dr_rd.files import parse_yaml
from dr_rd.templates import fill
from dr_rd.tools.context import Arguments, CallContext, PlanContext
from dr_rd.tools.sources import Sources

Source = Literal["documents", "pictures", "repository"]
"""What the analyst may give besides the brief."""

Need = Literal[Source, "conversions", "costs", "screening", "sizing"]
"""What there may be for a tool to be called with: that, or what a plan decides."""

Section = Literal["design", "alternatives", "risks", "gates", "evidence"]
"""Where a proposal shows what a tool gave."""

ResultKind = Literal["budget", "contingency", "decision", "passages", "schedule", "size"]
"""What a proposal is built from, whichever tool gives it; the fields are those that our tool of
that kind gives."""

PLAN, VIEW, FAILURE, PAGE = "plan.yaml", "view.md.j2", "failure.yaml", "README.md"
"""The files of a tool's folder beside its code; only the first and the last must be there."""

_Data = TypeVar("_Data", bound=Frozen)


class Caller(Frozen):
    """Which task of a plan makes the call; another one where no role of these tasks may."""

    pick: Literal["first", "last", "each"] = "first"
    """The first or last task that fits, else the first or last at all; or each of them."""
    owns: str = ""
    """Fits if the task's work package answers for this topic."""
    satisfies: str = ""
    """Fits if it answers this demand of the method."""
    decides: bool = False
    """Fits if it compares the directions."""
    required: bool = False
    """Whether nobody makes the call where no package fits."""


class PlanRule(Frozen):
    """When a plan calls a tool, and what becomes of what it gives; `plan.yaml`."""

    group: str = Field(pattern="^[a-z][a-z-]*$")
    """Roles name the groups of tools that are open to them."""
    actions: tuple[str, ...]
    """Actions of the vocabulary that a call takes; () says that it takes none of them."""
    when: Literal["always", "unprescribed", "requested"] = "always"
    """In every plan; in those whose tasks the brief does not prescribe; or only where a work
    package of the method asks for it."""
    needs: Need | None = None
    """What must be there to call it with."""
    task: Caller = Caller()
    order: int = 100
    """Where the call stands among those of one task; the lowest comes first."""
    seeks: tuple[str, ...] = ()
    """What a task that calls it looks for in documents, beside its own words."""
    section: Section | None = None
    gives: ResultKind | None = None

    @property
    def looks_into(self) -> str:
        """What the tool looks into of that which the analyst gave; "" if it only computes."""
        return next((source for source in get_args(Source) if source == self.needs), "")


class FailureWords(Frozen):
    """How a reader is told that a calculation gave nothing; `failure.yaml`."""

    result: str
    """What the tool gives, such as "The budget"."""
    arguments: Mapping[str, str] = {}
    """What a reader calls an argument, where its name says too little."""
    remedy: str = ""
    """What to do about it, in a sentence; "" for what is said of every tool."""


def at_once(context: CallContext) -> Sequence[Arguments]:
    """Ask for all that there is, in one call without arguments."""
    del context
    return ({},)


@dataclass(frozen=True)
class ToolSpec:
    """One tool, with the folder that holds everything about it."""

    name: str
    package: str
    """The package that is its folder."""
    params: type[BaseModel]
    """The arguments of a call."""
    open: Callable[[Sources], Tool | None]
    """Makes the tool of a run; None only where what its `plan.yaml` says it needs is not there."""
    arguments: Callable[[CallContext], Sequence[Arguments]] = at_once
    """The arguments of each call that a plan makes."""

    @cached_property
    def plan(self) -> PlanRule:
        """When a plan calls it."""
        return self._data(PLAN, PlanRule)

    @cached_property
    def failure(self) -> FailureWords | None:
        """How its failure is told; None for a tool that looks and does not compute."""
        return self._data(FAILURE, FailureWords) if self._has(FAILURE) else None

    @cached_property
    def page(self) -> str:
        """What a person reads about it, with worked examples; Markdown."""
        return self._text(PAGE)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of its data files: what a plan rests on besides the code."""
        there = [name for name in (PLAN, VIEW, FAILURE, PAGE) if self._has(name)]
        return digest({name: sha256(self._text(name).encode()) for name in there})

    def check(self) -> None:
        """Read what the folder holds; raises ValueError with the tool, the file and the fault."""
        _ = self.plan, self.failure, self.page

    def shown(self, call_id: str, output: JsonValue, plan: PlanContext, *, short: bool) -> str:
        """Return what a call gave, as Markdown; "" where that is not shown.

        Args:
            call_id: The call's id, which is cited for it.
            output: What it gave.
            plan: What the plan decided.
            short: Whether it stands in a proposal, beside the answer that says it in full.

        """
        values = {"id": call_id, "out": output, "plan": plan, "short": short}
        return fill(self._view, values).strip() if self._view else ""

    @cached_property
    def _view(self) -> str:
        return self._text(VIEW) if self._has(VIEW) else ""

    def _has(self, name: str) -> bool:
        return files(self.package).joinpath(name).is_file()

    def _text(self, name: str) -> str:
        try:
            return files(self.package).joinpath(name).read_text(encoding="utf-8")
        except FileNotFoundError as missing:
            raise ValueError(
                f"tool {self.name!r}: {self.package} has no {name}; write one, as docs/tools.md says"
            ) from missing

    def _data(self, name: str, kind: type[_Data]) -> _Data:
        try:
            return kind.model_validate(parse_yaml(self._text(name)))
        except (ValidationError, yaml.YAMLError) as wrong:
            raise ValueError(f"tool {self.name!r}: {name}: {wrong}") from wrong


def constant(tool: Tool) -> Callable[[Sources], Tool]:
    """Return an *open* for a tool that looks into nothing: it is the same in every run."""

    def opened(sources: Sources) -> Tool:
        del sources
        return tool

    return opened
