"""The library that plans are written from: methods, techniques and roles, as data files."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, cached_property
from importlib.resources.abc import Traversable
from typing import Any, Literal, TypeVar, get_args

import yaml
from pydantic import Field, InstanceOf, ValidationError, model_validator

from core.errors import nearest, unknown
from core.graph.state import ThreePoint
from core.values import Frozen, unsaid
from dr_rd.actions import Reader, Vocabulary, load_vocabulary
from dr_rd.files import data_folder, parse_yaml
from dr_rd.tools import Registry, load_tools

Phase = Literal[
    "framing",  # question, estimand, protocol, comparison of directions
    "approvals",  # ethics, permits, licences, data-use agreements
    "sourcing",  # sites, participants, samples, data access, materials
    "build",  # apparatus, software, instrument, questionnaire
    "pilot",  # a cheap test that may stop the work
    "execution",  # intervention, experiment, fieldwork, data collection
    "processing",  # cleaning, coding, linkage, quality control
    "analysis",
    "robustness",  # checks that could overturn the result
    "reporting",
]

Topic = Literal[
    "design", "population", "sample-size", "intervention", "comparator", "outcome", "measurement",
    "data-source", "blinding", "randomisation", "confounding", "analysis", "robustness",
    "uncertainty", "budget", "schedule", "ethics", "consent", "scope", "equipment", "materials",
    "software", "performance", "safety", "legal", "reporting", "reproducibility", "selection",
]  # fmt: skip

Demand = Literal[
    "control", "sample_size", "randomisation", "blinding", "registration", "data_management",
    "ethics", "permits", "validation", "reproducibility",
]  # fmt: skip

SLOTS = (
    "topic",
    "treatment",
    "comparator",
    "outcome",
    "population",
    "unit",
    "units",
    "sample",
    "horizon",
    "measure",
    "artefact",
    "source",
)
"""Names that sentences may hold in braces; each is a bare noun phrase without article."""

_Entry = TypeVar("_Entry", bound=Frozen)

_SLOT = re.compile(r"\{([a-z0-9_.]+)\}")
_BARE_NUMBER = re.compile(r"(?<![A-Za-z0-9])\d+(?:[.,]\d+)*(?![A-Za-z0-9])")


class Signals(Frozen):
    """Words and phrases of a brief that speak for or against a file."""

    strong: tuple[str, ...] = Field(min_length=1)
    weak: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()
    """Strong or weak phrases that other fields use for something else, such as "leak detection":
    they count only beside another phrase, or a word of the field."""
    field: tuple[str, ...] = ()
    """Words that speak for nothing alone, but tell what an ambiguous phrase is about."""

    @model_validator(mode="after")
    def _coherent(self) -> "Signals":
        known = {*self.strong, *self.weak}
        for phrase in self.ambiguous:
            _require(phrase in known, f"ambiguous: {phrase!r} is neither strong nor weak")
        return self


class Parameter(Frozen):
    """A number the library assumes; shown as an assumption wherever it is used."""

    value: str
    """With its unit, such as "80 %" or "two-sided 0.05"."""
    why: str
    """Convention, source or reasoning, in a sentence."""


class Sizing(Frozen):
    """Which calculation the method's sample size is, where the brief asks for no other."""

    design: str = "two_means"
    """A design of the calculation."""
    arguments: Mapping[str, str] = {}
    """Arguments of the call, each with the parameter that gives it; `confidence` and `response`
    stand for one less alpha and attrition. Power, alpha, losses and clusters need no mention."""
    counts: str = ""
    """What is counted, such as "planted cases", where that is not what the brief samples and its
    number says nothing about; empty: the sampled units."""
    called: tuple[str, ...] = ()
    """What else a brief may call what is counted."""


class Driven(Frozen):
    """A three-point estimate and what scales it."""

    low: float = Field(ge=0)
    mode: float = Field(ge=0)
    high: float = Field(ge=0)
    driver: Literal["fixed", "units", "horizon"] = "fixed"
    """fixed: as it stands. units: per sampled unit, times how many the brief asks for.
    horizon: the brief's own study period replaces it (durations) or multiplies it per month
    (costs)."""
    basis: str
    """What the figure stands for, in a few words: "lead and analyst time", "per site: coring"."""

    @property
    def points(self) -> ThreePoint:
        """The estimate without its driver."""
        return ThreePoint(low=self.low, mode=self.mode, high=self.high)


class Step(Frozen):
    """Something to be done, and what doing it means."""

    text: str
    """Imperative and concrete."""
    actions: tuple[str, ...]
    """Actions of the vocabulary that it takes; () says that it takes none of them."""


class Package(Frozen):
    """A work package: what one task of the plan is written from."""

    id: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    role: str
    phase: Phase
    title: str
    """Imperative, with slots, at most about 12 words."""
    purpose: str
    steps: tuple[Step, ...] = Field(min_length=3, max_length=8)
    deliverable: str
    acceptance: tuple[str, ...] = Field(min_length=1, max_length=4)
    """Each a test somebody else could apply."""
    owns: tuple[Topic, ...] = Field(min_length=1)
    """Ledger topics this package answers for, strongest first."""
    actions: tuple[str, ...]
    """Actions without which it is nothing; steps may take more."""
    depends_on: tuple[str, ...] = ()
    duration: Driven
    """Working days."""
    cost: Driven
    """Direct costs, in units of about one euro, dollar or pound."""
    needs: tuple[str, ...] = ()
    """Only in the plan if the brief shows one of these words; empty: always."""
    decides: bool = False
    """The package that compares the brief's plausible directions; one a method."""
    satisfies: tuple[Demand, ...] = ()
    """The method's demands that this package answers."""
    tools: tuple[str, ...] = ()
    """Tools that this package calls beside those that every method places by topic."""


class Risk(Frozen):
    """What can go wrong, how one sees it early, what is done."""

    text: str
    sign: str
    """The early sign, measurable."""
    mitigation: str
    package: str
    """The work package that owns it."""
    likelihood: Literal["low", "medium", "high"] = "medium"
    impact: Literal["low", "medium", "high"] = "medium"
    condition: str = ""
    """What must be shown before money is spent, for else the study cannot answer; a clause."""


class Gate(Frozen):
    """A point where the work is continued, changed or stopped."""

    id: str
    after: str
    """The work package whose end it waits for."""
    question: str
    must_meet: tuple[str, ...] = Field(min_length=1)
    kill: str
    """The observation that ends the work here."""


class Screening(Frozen):
    """A first model of the outcome, with the library's ranges: which inputs decide it."""

    why: str
    """What it is good for and when it is replaced."""
    inputs: tuple[Mapping[str, Any], ...] = Field(min_length=1)
    """As the simulation takes them."""
    formulas: tuple[Mapping[str, Any], ...] = Field(min_length=1)


class Method(Frozen):
    """A study or development archetype."""

    id: str
    base: str = Field(default="", exclude_if=unsaid)
    """Id of the method whose packages, gates and words it shares where it has none of its own."""
    title: str
    summary: str
    """What question it answers and when it is the wrong choice; two or three sentences."""
    fallbacks: Mapping[str, str]
    """What each slot says when the brief does not."""
    default_units: int = Field(default=20, ge=1)
    """How many units the estimates assume where the brief does not say."""
    default_months: float = Field(default=12.0, gt=0)
    """How long the study period is in the estimates where the brief does not say."""
    general_steps: int = Field(default=2, ge=2)
    """How many steps a package keeps where the brief's words speak for fewer; more where the craft
    of the family lies in steps that name nothing of a brief."""
    sizing: Sizing | None = Sizing()
    """None where its design, and so the calculation, is chosen only in the course of the work."""
    screening: Screening | None = None
    parameters: Mapping[str, Parameter] = {}
    names: tuple[str, ...] = ()
    """Standards and guidelines, with digits in their names, that the texts mention."""
    covers: tuple[str, ...] = ()
    """Ids of techniques whose steps the packages hold already; they are not said twice."""
    packages: tuple[Package, ...] = Field(min_length=6, max_length=14)
    risks: tuple[Risk, ...] = Field(min_length=4)
    gates: tuple[Gate, ...] = Field(min_length=2)
    questions: tuple[str, ...] = Field(min_length=3)
    """What only the analyst can answer."""
    demands: Mapping[Demand, str] = Field(min_length=3)
    """Checks the method demands, each with the sentence that says what satisfies it."""
    strengths: tuple[str, ...] = Field(min_length=1)
    weaknesses: tuple[str, ...] = Field(min_length=1)

    @cached_property
    def by_id(self) -> Mapping[str, Package]:
        """Packages by their id."""
        return {p.id: p for p in self.packages}

    @model_validator(mode="after")
    def _coherent(self) -> "Method":
        ids = [p.id for p in self.packages]
        _require(len(set(ids)) == len(ids), f"{self.id}: a package id is used twice")
        for package in self.packages:
            for other in package.depends_on:
                _require(
                    other in ids[: ids.index(package.id)],
                    f"{self.id}/{package.id}: depends on {other!r}, which does not come before it",
                )
        for owner in [r.package for r in self.risks] + [g.after for g in self.gates]:
            _require(owner in ids, f"{self.id}: no package {owner!r}")
        _require(
            sum(p.decides for p in self.packages) == 1,
            f"{self.id}: exactly one package must decide between directions",
        )
        for name in self.sizing.arguments.values() if self.sizing else ():
            _require(name in self.parameters, f"{self.id}: sizing needs the parameter {name!r}")
        met = {d for p in self.packages for d in p.satisfies}
        _require(set(self.demands) <= met, f"{self.id}: unmet demands {set(self.demands) - met}")
        _require(
            set(SLOTS) <= set(self.fallbacks),
            f"{self.id}: no fallback for {sorted(set(SLOTS) - set(self.fallbacks))}",
        )
        _check_sentences(self.id, _sentences(self), self.parameters, self.names)
        return self


class TechniqueRisk(Frozen):
    """A risk that comes with a technique; `package` is the phase that owns it."""

    text: str
    sign: str
    mitigation: str
    package: Phase
    likelihood: Literal["low", "medium", "high"] = "medium"
    impact: Literal["low", "medium", "high"] = "medium"
    condition: str = ""
    """As that of a risk of a method."""


class Technique(Frozen):
    """A way of measuring, analysing or building that experts of a field would expect."""

    id: str
    title: str
    signals: Signals
    actions: tuple[str, ...]
    """Actions without which it cannot be used; a plan that may not take one does without it."""
    phases: Mapping[Phase, tuple[Step, ...]] = Field(min_length=1)
    """Steps it adds to a plan, by phase."""
    strength: str
    """What it can show, in a sentence; used when directions are compared."""
    weakness: str
    """Where it fails or what it assumes, in a sentence."""
    check: str = ""
    """What a hard reviewer of the field asks, as an acceptance test."""
    question: str = ""
    """What only the analyst can answer."""
    risk: TechniqueRisk | None = None
    sizing: Sizing | None = None
    """Which calculation the sample size is where it is used, in place of the method's."""
    references: tuple[str, ...] = ()
    """Standards or well-known publications, by name; not quoted."""
    parameters: Mapping[str, Parameter] = {}
    names: tuple[str, ...] = ()

    @property
    def steps(self) -> tuple[Step, ...]:
        """Its steps of all phases."""
        return tuple(step for steps in self.phases.values() for step in steps)

    @model_validator(mode="after")
    def _sized(self) -> "Technique":
        for name in self.sizing.arguments.values() if self.sizing else ():
            _require(name in self.parameters, f"{self.id}: sizing needs the parameter {name!r}")
        return self

    @model_validator(mode="after")
    def _coherent(self) -> "Technique":
        texts = [s.text for s in self.steps]
        texts += [self.strength, self.weakness, self.check, self.question]
        texts += [self.risk.text, self.risk.sign, self.risk.mitigation] if self.risk else []
        texts += [self.risk.condition] if self.risk else []
        _check_sentences(self.id, texts, self.parameters, self.names)
        return self


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
                _require(not fault, f"{place}: {fault}")
        return self

    @model_validator(mode="after")
    def _tools_exist(self) -> "Library":
        for role in self.roles:
            unknown = set(role.groups) - self.tools.groups
            _require(not unknown, f"{role.id}: no tool is of the groups {sorted(unknown)}")
        for method in self.methods:
            for package in method.packages:
                unknown = set(package.tools) - set(self.tools.by_name)
                _require(
                    not unknown, f"{method.id}/{package.id}: no tools {sorted(unknown)} exist"
                )
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
                _require(
                    package.role in known,
                    f"{method.id}/{package.id}: no role {package.role!r} among {sorted(known)}",
                )
        return self

    @model_validator(mode="after")
    def _covered_techniques_exist(self) -> "Library":
        known = {t.id for t in self.techniques}
        for method in self.methods:
            unknown = set(method.covers) - known
            _require(not unknown, f"{method.id}: covers {sorted(unknown)}, which do not exist")
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
        _require(not strange, f"{own['id']}: its base has no {key} {sorted(strange)}")
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


def _require(holds: bool, otherwise: str) -> None:  # noqa: FBT001 - an assertion reads this way
    if not holds:
        raise ValueError(otherwise)


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
    _require(not given or given in choices, f"{said}{', '.join(sorted(choices))}")


def _sentences(method: Method) -> list[str]:
    texts = [*method.questions, *method.demands.values(), *method.strengths, *method.weaknesses]
    for package in method.packages:
        texts += [package.title, package.purpose, package.deliverable]
        texts += [*(s.text for s in package.steps), *package.acceptance]
    for risk in method.risks:
        texts += [risk.text, risk.sign, risk.mitigation, risk.condition]
    for gate in method.gates:
        texts += [gate.question, gate.kill, *gate.must_meet]
    return texts


def _check_sentences(
    owner: str, texts: Iterable[str], parameters: Mapping[str, Parameter], names: Iterable[str]
) -> None:
    """Every slot is known and every number is a declared parameter or part of a name."""
    known = {*SLOTS, *(f"p.{name}" for name in parameters)}
    for text in texts:
        for slot in _SLOT.findall(text):
            _require(slot in known, f"{owner}: unknown slot {slot!r} in {text!r}")
        bare = text
        for name in names:
            bare = bare.replace(name, "")
        found = _BARE_NUMBER.findall(_SLOT.sub("", bare))
        _require(not found, f"{owner}: {found} in {text!r} are neither parameters nor in names")
