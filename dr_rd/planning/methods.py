"""What a method of the library is made of: work packages, risks, gates, and what sizes it."""

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Literal

from pydantic import Field, model_validator

from core.graph.state import ThreePoint
from core.values import Frozen, unsaid

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

_SLOT = re.compile(r"\{([a-z0-9_.]+)\}")
_BARE_NUMBER = re.compile(r"(?<![A-Za-z0-9])\d+(?:[.,]\d+)*(?![A-Za-z0-9])")


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
        require(len(set(ids)) == len(ids), f"{self.id}: a package id is used twice")
        for package in self.packages:
            for other in package.depends_on:
                require(
                    other in ids[: ids.index(package.id)],
                    f"{self.id}/{package.id}: depends on {other!r}, which does not come before it",
                )
        for owner in [r.package for r in self.risks] + [g.after for g in self.gates]:
            require(owner in ids, f"{self.id}: no package {owner!r}")
        require(
            sum(p.decides for p in self.packages) == 1,
            f"{self.id}: exactly one package must decide between directions",
        )
        for name in self.sizing.arguments.values() if self.sizing else ():
            require(name in self.parameters, f"{self.id}: sizing needs the parameter {name!r}")
        met = {d for p in self.packages for d in p.satisfies}
        require(set(self.demands) <= met, f"{self.id}: unmet demands {set(self.demands) - met}")
        require(
            set(SLOTS) <= set(self.fallbacks),
            f"{self.id}: no fallback for {sorted(set(SLOTS) - set(self.fallbacks))}",
        )
        check_sentences(self.id, _sentences(self), self.parameters, self.names)
        return self


def require(holds: bool, otherwise: str) -> None:  # noqa: FBT001 - an assertion reads this way
    """Raise ValueError with the words *otherwise* unless something *holds*."""
    if not holds:
        raise ValueError(otherwise)


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


def check_sentences(
    owner: str, texts: Iterable[str], parameters: Mapping[str, Parameter], names: Iterable[str]
) -> None:
    """Refuse texts of *owner* with an unknown slot, or a number that is no declared parameter nor part of a name."""
    known = {*SLOTS, *(f"p.{name}" for name in parameters)}
    for text in texts:
        for slot in _SLOT.findall(text):
            require(slot in known, f"{owner}: unknown slot {slot!r} in {text!r}")
        bare = text
        for name in names:
            bare = bare.replace(name, "")
        found = _BARE_NUMBER.findall(_SLOT.sub("", bare))
        require(not found, f"{owner}: {found} in {text!r} are neither parameters nor in names")
