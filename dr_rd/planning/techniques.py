"""What a technique of the library is made of: the words that ask for it, its steps and its risk."""

from collections.abc import Mapping

from pydantic import Field, model_validator

from core.values import Frozen
from dr_rd.planning.methods import Parameter, Phase, Risk, Sizing, Step, check_sentences, require


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
            require(phrase in known, f"ambiguous: {phrase!r} is neither strong nor weak")
        return self


class TechniqueRisk(Risk):
    """A risk that comes with a technique; `package` is the phase that owns it."""

    package: Phase


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
            require(name in self.parameters, f"{self.id}: sizing needs the parameter {name!r}")
        return self

    @model_validator(mode="after")
    def _coherent(self) -> "Technique":
        texts = [s.text for s in self.steps]
        texts += [self.strength, self.weakness, self.check, self.question]
        texts += [self.risk.text, self.risk.sign, self.risk.mitigation] if self.risk else []
        texts += [self.risk.condition] if self.risk else []
        check_sentences(self.id, texts, self.parameters, self.names)
        return self
