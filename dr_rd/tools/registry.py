"""The tools that there are: the folders beside this file, and those of other packages.

A package offers one in the entry-point group ``dr_rd.tools``. Its name is the tool's, its value the
tool's ToolSpec::

    [project.entry-points."dr_rd.tools"]
    find_row = "acme.find_row:SPEC"
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pkgutil import iter_modules
from typing import get_args

from core.errors import CallerError
from core.graph.state import ToolRequest, ToolResult
from core.offers import load_offer, owner
from core.tool_router import Tool
from core.values import digest, repeated
from dr_rd.templates import render
from dr_rd.tools.context import PlanContext
from dr_rd.tools.failure import failure_text
from dr_rd.tools.sources import Sources
from dr_rd.tools.spec import Need, ResultKind, Section, Source, ToolSpec

GROUP = "dr_rd.tools"


@dataclass(frozen=True)
class Registry:
    """Every tool that can be called; a name that is none may be a tool of another program."""

    specs: tuple[ToolSpec, ...]

    @cached_property
    def by_name(self) -> dict[str, ToolSpec]:
        """The tools by their names."""
        return {spec.name: spec for spec in self.specs}

    @cached_property
    def by_order(self) -> tuple[ToolSpec, ...]:
        """The tools in the order in which a task calls them."""
        return tuple(sorted(self.specs, key=lambda s: s.plan.order))

    @cached_property
    def groups(self) -> frozenset[str]:
        """The groups that roles may name."""
        return frozenset(spec.plan.group for spec in self.specs)

    def named(self, groups: Iterable[str]) -> tuple[str, ...]:
        """Return the names of the tools of those *groups*."""
        wanted = frozenset(groups)
        return tuple(spec.name for spec in self.specs if spec.plan.group in wanted)

    def open(self, sources: Sources) -> tuple[Tool, ...]:
        """Return the tools of a run; some only if there is what they look into."""
        opened = (spec.open(sources) for spec in self.specs)
        return tuple(tool for tool in opened if tool is not None)

    def give(self, name: str, kind: ResultKind) -> bool:
        """Whether the tool of that *name* gives what a proposal needs of that *kind*."""
        spec = self.by_name.get(name)
        return spec is not None and spec.plan.gives == kind

    def taking(self, need: Need) -> ToolSpec:
        """Return the first tool that is called with what *need* names; raises KeyError without."""
        return {spec.plan.needs: spec for spec in reversed(self.specs)}[need]

    def needs(self, requests: Iterable[ToolRequest]) -> frozenset[Need]:
        """Return what the tools of *requests* are called with."""
        specs = (self.by_name.get(r.name) for r in requests)
        return frozenset(s.plan.needs for s in specs if s and s.plan.needs)

    def sought(self, requests: Iterable[ToolRequest]) -> tuple[str, ...]:
        """Return what the tools of *requests* look for in documents."""
        specs = (self.by_name.get(r.name) for r in requests)
        return tuple(phrase for spec in specs if spec for phrase in spec.plan.seeks)

    def of_section(self, section: Section) -> tuple[ToolSpec, ...]:
        """Return the tools whose results stand in that *section* of a proposal."""
        return tuple(spec for spec in self.specs if spec.plan.section == section)

    def shown(self, result: ToolResult, plan: PlanContext, *, short: bool = False) -> str:
        """Return what a call gave, or why it gave nothing, as Markdown."""
        if not result.ok:
            what, said = self.failure(result)
            return f"**{what}** [{result.id}] {said}"
        if spec := self.by_name.get(result.name):
            return spec.shown(result.id, result.output, plan, short=short)
        return render(
            "other-tool.md.j2", {"name": result.name, "id": result.id, "out": result.output}
        ).strip()

    def failure(self, result: ToolResult) -> tuple[str, str]:
        """Return what gave nothing, and the rest of the sentence that says why."""
        spec = self.by_name.get(result.name)
        return failure_text(result.name, spec.failure if spec else None, result.error)

    def digest(self) -> str:
        """SHA-256 of all the tools' data files."""
        return digest({spec.name: spec.digest for spec in self.specs})


def offered() -> Sequence[EntryPoint]:
    """Return the tools that installed packages offer."""
    return tuple(entry_points(group=GROUP))


def load_tools(offers: Callable[[], Sequence[EntryPoint]] = offered) -> Registry:
    """Find the tools, and read what their folders say of them.

    Raises:
        CallerError: What another package offers is no tool, or has a name that is taken.
        ValueError: A data file is wrong; the message names the tool and the file.

    """
    specs = [*_builtin(), *map(_loaded, offers())]
    for spec in specs:
        spec.check()
    if (name := repeated(spec.name for spec in specs)) is not None:
        places = " and ".join(spec.package for spec in specs if spec.name == name)
        raise CallerError(f"{places} both offer the tool {name!r}; uninstall all but one")
    return Registry(tuple(sorted(specs, key=_place)))


def _place(spec: ToolSpec) -> tuple[int, str]:
    """Those that only compute come first, then those that look into what the analyst gave."""
    return ("", *get_args(Source)).index(spec.plan.looks_into), spec.name


def _builtin() -> Iterator[ToolSpec]:
    package = import_module(__package__)
    for module in iter_modules(package.__path__):
        if module.ispkg:
            yield import_module(f"{__package__}.{module.name}").SPEC


def _loaded(offer: EntryPoint) -> ToolSpec:
    by, spec = owner(offer), load_offer(offer, "tool")
    if not isinstance(spec, ToolSpec) or spec.name != offer.name:
        raise CallerError(
            f"{by!r} offers {offer.value!r} as the tool {offer.name!r}, which is no ToolSpec of that "
            f"name; mend or uninstall {by}"
        )
    return spec
