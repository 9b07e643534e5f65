"""What a brief states for a sample size, and the size that follows from it."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from core.values import Frozen

Share = Annotated[float, Field(ge=0, le=1)]
Finite = Annotated[float, Field(allow_inf_nan=False)]

EffectKind = Literal[
    "mean difference", "standardised", "percent change", "proportion difference", "ratio",
    "odds ratio", "risk ratio", "rate ratio", "hazard ratio", "correlation", "explained variance",
    "cohen's f", "area", "reliability",
]  # fmt: skip
MarginKind = Literal["precision", "non-inferiority", "equivalence"]


class Statistics(Frozen):
    """The figures as stated, shares as fractions; None where nothing is said."""

    alpha: Share | None = None
    sides: Literal[1, 2] | None = None
    power: Share | None = None
    effect: Finite | None = None
    """In the unit of its kind: of the outcome, standard deviations, a fraction, a ratio.

    A percent change, a share of the variance explained and a difference of proportions are fractions.
    """
    effect_kind: EffectKind | None = None
    per: str | None = Field(default=None, max_length=60, exclude_if=lambda per: per is None)
    """What a ratio is for one more of, where that is no group: "standard deviation", "10 dB"."""
    sd: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """Standard deviation, in the outcome's unit; of a paired design that of the differences."""
    variation: Annotated[float, Field(gt=0, le=10)] | None = None
    """Coefficient of variation: the standard deviation as a fraction of the mean."""
    reference: Finite | None = None
    """The value that an area or a reliability is to be told from."""
    groups: Annotated[int, Field(ge=2, le=50)] | None = None
    """Groups or levels that are compared, where the brief counts them."""
    base_rate: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """Present or expected rate of the outcome; events per unit of time in a design of rates."""
    second_rate: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """The rate to be told from it; of McNemar's test the other share of discordant pairs."""
    margin: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """Half-width, or how much worse or how far apart still counts as no worse or the same."""
    margin_kind: MarginKind | None = None
    confidence: Share | None = None
    icc: Share | None = None
    """Intracluster correlation."""
    cluster_size: Annotated[float, Field(ge=1, allow_inf_nan=False)] | None = None
    """Members of a cluster; in a stepped wedge those measured in each period."""
    loss: Share | None = None
    """Share of the enrolled that is lost."""
    response: Share | None = None
    """Share of the invited that answers."""
    population: Annotated[int, Field(ge=1)] | None = None
    """Units of the whole frame that a survey draws from."""
    design: str | None = Field(default=None, max_length=80)
    """In the words of statistics ("two means", "survival", "none"), also one that is not offered."""


class Layout(Frozen):
    """How a study is laid out, as far as its size rests on it; None where nothing is said."""

    steps: Annotated[int, Field(ge=2)] | None = None
    """Times at which clusters of a stepped wedge change over."""
    factors: Annotated[int, Field(ge=1)] | None = None
    """Of a two-level factorial."""
    ratio: Annotated[float, Field(gt=0)] | None = None
    """Units of the second group for each of the first."""
    follow_up: Annotated[float, Field(gt=0)] | None = None
    """Time that a unit is followed, in that of its rate."""


class Unused(Frozen):
    """A stated figure that the size does not rest on."""

    field: str
    """Its name in `Statistics`."""
    value: JsonValue
    why: str


class Needed(Frozen):
    """The size that follows from the statistics."""

    n: int | None = None
    """Units to enrol or invite, losses and refusals included; None where it does not follow."""
    per: str | None = None
    """What *n* counts: "group", "total", "clusters per arm", "clusters", "pairs", "events"."""
    design: str | None = None
    """The design that was sized, by the name that the calculation gives it."""
    call: Mapping[str, JsonValue] | None = None
    """Arguments of the calculation."""
    why_not: str = ""
    """Why no size follows, in a sentence that says what to add; "" where one does."""
    lacks: str = ""
    """The figure in `Statistics` that is missing for one; "" where something else is at fault."""
    converted: tuple[str, ...] = ()
    """Effects in another measure than that of the brief, each with the source of the formula."""
    analysed: int | None = None
    """Units of *n* that are left for the analysis, after losses and refusals."""
    participants: int | None = None
    """Those to enrol for *n* events, where the share that has one is stated."""
    assumed: tuple[str, ...] = ()
    """Conventions that stand in for what is not stated, a phrase each."""
    unused: tuple[Unused, ...] = ()
