"""The library that plans are written from: methods, techniques and roles, as data files."""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache, cached_property
from importlib.resources.abc import Traversable
from typing import Any, TypeVar, get_args

import yaml
from pydantic import InstanceOf, ValidationError, model_validator

from core.errors import nearest, unknown
from core.values import Frozen
from dr_rd.actions import Reader, Vocabulary, load_vocabulary
from dr_rd.files import data_folder, parse_yaml
from dr_rd.planning.methods import Demand, Method, Topic, require
from dr_rd.planning.techniques import Technique
from dr_rd.tools import Registry, load_tools

_Entry = TypeVar("_Entry", bound=Frozen)


class Role(Frozen):
    """Who does a task."""

    id: str
    title: str
    field: str
    """What this person knows, in a few words."""
    text: str
    """How this person works and what they look at first; Markdown."""
    groups: tuple[str, ...] = ()
    """Groups of tools that are open to this person."""
    tools: tuple[str, ...] = ()
    """Names of the tools of these groups."""


class Library(Frozen):
    """Everything that plans are written from."""

    methods: tuple[Method, ...]
    techniques: tuple[Technique, ...]
    roles: tuple[Role, ...]
    vocabulary: Vocabulary
    """The actions that steps, packages, techniques and tools declare."""
    tools: InstanceOf[Registry]

    @cached_property
    def reader(self) -> Reader:
        """What tells which of those actions a limit names."""
        return Reader(self.vocabulary)

    @model_validator(mode="after")
    def _actions_exist(self) -> "Library":
        for place, actions in _declarations(self):
            for action in actions:
                fault = self.vocabulary.fault(action)
                require(not fault, f"{place}: {fault}")
        return self

    @model_validator(mode="after")
    def _tools_exist(self) -> "Library":
        for role in self.roles:
            unknown = set(role.groups) - self.tools.groups
            require(not unknown, f"{role.id}: no tool is of the groups {sorted(unknown)}")
        for method in self.methods:
            for package in method.packages:
                unknown = set(package.tools) - set(self.tools.by_name)
                require(not unknown, f"{method.id}/{package.id}: no tools {sorted(unknown)} exist")
        return self

    @model_validator(mode="after")
    def _tools_are_called(self) -> "Library":
        named = {group for role in self.roles for group in role.groups}
        for spec in self.tools.specs:
            rule, place = spec.plan, f"tool {spec.name!r}"
            _choose(place, "group", rule.group, named)
            _choose(place, "topic", rule.task.owns, get_args(Topic))
            _choose(place, "demand", rule.task.satisfies, get_args(Demand))
        return self

    @model_validator(mode="after")
    def _roles_exist(self) -> "Library":
        known = {r.id for r in self.roles}
        for method in self.methods:
            for package in method.packages:
                require(
                    package.role in known,
                    f"{method.id}/{package.id}: no role {package.role!r} among {sorted(known)}",
                )
        return self

    @model_validator(mode="after")
    def _covered_techniques_exist(self) -> "Library":
        known = {t.id for t in self.techniques}
        for method in self.methods:
            unknown = set(method.covers) - known
            require(not unknown, f"{method.id}: covers {sorted(unknown)}, which do not exist")
        return self

    def method(self, method_id: str) -> Method:
        """Return the method with that id."""
        return next(m for m in self.methods if m.id == method_id)

    def role(self, role_id: str) -> Role:
        """Return the role with that id; an unknown one is refused with the known ones."""
        found = next((r for r in self.roles if r.id == role_id), None)
        if found is None:
            raise unknown("role", role_id, [r.id for r in self.roles])
        return found


def load_library(folder: Traversable | None = None, tools: Registry | None = None) -> Library:
    """Read and validate the library; a broken file is named with what is wrong in it."""
    root, tools = folder or data_folder(), tools or load_tools()
    return Library(
        methods=tuple(_method(p, root / "methods") for p in _listed(root / "methods", ".yaml")),
        techniques=tuple(_load(Technique, p) for p in _listed(root / "techniques", ".yaml")),
        roles=tuple(_role(p, tools) for p in _listed(root / "roles", ".md")),
        vocabulary=load_vocabulary(),
        tools=tools,
    )


def _listed(folder: Traversable, ending: str) -> list[Traversable]:
    return sorted((p for p in folder.iterdir() if p.name.endswith(ending)), key=lambda p: p.name)


def _load(kind: type[_Entry], path: Traversable) -> _Entry:
    found: _Entry = _parsed(kind, path.name, path.read_text(encoding="utf-8"))
    return found


def _method(path: Traversable, folder: Traversable) -> Method:
    """Read a method; one with a base holds only what it has otherwise."""
    text = path.read_text(encoding="utf-8")
    named = _BASE.search(text)
    base = (folder / f"{named[1]}.yaml").read_text(encoding="utf-8") if named else ""
    return _parsed_method(path.name, text, base)


_BASE = re.compile(r"(?m)^base: ([a-z-]+)$")

_ADDED = ("risks", "questions", "strengths", "weaknesses", "names")
"""Lists of a method that those of its base are added to."""


@cache  # as below
def _parsed_method(name: str, text: str, base: str) -> Method:
    try:
        own = parse_yaml(text)
        return Method.model_validate(_based(own, parse_yaml(base)) if base else own)
    except (ValidationError, yaml.YAMLError) as wrong:
        raise ValueError(f"{name}: {wrong}") from wrong


def _based(own: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    """Return *base* with what a method has of its *own*: packages and gates are found by their id."""
    found = {**base, **own}
    for key in ("packages", "gates"):
        changed = {entry["id"]: entry for entry in own.get(key, ())}
        strange = changed.keys() - {entry["id"] for entry in base[key]}
        require(not strange, f"{own['id']}: its base has no {key} {sorted(strange)}")
        found[key] = [{**entry, **changed.get(entry["id"], {})} for entry in base[key]]
    for key in ("fallbacks", "parameters", "demands"):
        found[key] = {**base.get(key, {}), **own.get(key, {})}
    for key in _ADDED:
        found[key] = [*own.get(key, ()), *base.get(key, ())]
    return found


@cache  # a worker reads the library anew for each run, and most of it is as it was
def _parsed(kind: type[_Entry], name: str, text: str) -> _Entry:
    try:
        return kind.model_validate(parse_yaml(text))
    except (ValidationError, yaml.YAMLError) as wrong:
        raise ValueError(f"{name}: {wrong}") from wrong


def _role(path: Traversable, tools: Registry) -> Role:
    """Read a role: YAML between two lines of dashes, then Markdown."""
    _, head, text = path.read_text(encoding="utf-8").split("---\n", 2)
    given = parse_yaml(head)
    may = tools.named(given.get("groups", ()))
    return Role(id=path.name.removesuffix(".md"), text=text.strip(), tools=may, **given)


def _declarations(library: Library) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What steps, packages, techniques and tools declare, each with its place."""
    for method in library.methods:
        for package in method.packages:
            yield f"{method.id}/{package.id}", package.actions
            yield from ((f"{method.id}/{package.id}", s.actions) for s in package.steps)
    for technique in library.techniques:
        yield technique.id, technique.actions
        yield from ((technique.id, s.actions) for s in technique.steps)
    for spec in library.tools.specs:
        yield f"tool {spec.name!r}", spec.plan.actions


def _choose(place: str, what: str, given: str, choices: Collection[str]) -> None:
    """Refuse what is given and is none of the choices."""
    said = f"{place}: no {what} {given!r}{nearest(given, choices)}; choose from: "
    require(not given or given in choices, f"{said}{', '.join(sorted(choices))}")
