"""Effects in the measures that people name them in, and the design and size that follow."""

import pytest

from dr_rd.reading.document import document_of
from dr_rd.reading.effects import effects_and_places
from dr_rd.reading.reader import Reader
from dr_rd.reading.tagger import load_taggers
from dr_rd.tools.sample_size import needed


def brief(*criteria, objective="Does a cold rinse keep lettuce crisp longer than a warm one?"):
    """Return a brief as its author would hand it in."""
    return "\n".join(
        [f"objective: {objective}", "success_criteria:", *(f"  - {c}" for c in criteria)]
    )


def read(text):
    return Reader(load_taggers(), None, needed).read(document_of(text, "brief", structured=True))


@pytest.mark.parametrize(
    ("said", "measure", "value", "bound"),
    [
        ("wilting is at least 15 % lower after the cold rinse", "percent change", -0.15, ">="),
        ("crispness rises by 8 percent or more", "percent change", 0.08, ">="),
        ("wilted heads fall by 6 percentage points", "percentage points", -0.06, "="),
        ("the rinse explains at least 12 % of the variance", "explained variance", 0.12, ">="),
        ("partial eta squared of .06 or larger", "explained variance", 0.06, ">="),
        ("Cohen's f of 0.3", "cohen's f", 0.3, "="),
        ("a standardised mean difference of 0.4", "standardised difference", 0.4, "="),
        ("Cohen's d for the cold against the lukewarm rinse of heads exceeds 0.6", "standardised difference", 0.6, ">="),
        ("scores differ by half a standard deviation", "standardised difference", 0.5, "="),
        ("an odds ratio for wilting of 0.5 or lower", "odds ratio", 0.5, "<="),
        ("relative risk of wilting 0.8", "risk ratio", 0.8, "="),
        ("incidence rate ratio of 0.75", "rate ratio", 0.75, "="),
        ("hazard ratio 1.4", "hazard ratio", 1.4, "="),
        ("a rank correlation of at least 0.3", "correlation", 0.3, ">="),
        ("the smallest worthwhile change of 2.5 crispness points", "difference", 2.5, "="),
        ("AUC of at least 0.9", "area", 0.9, ">="),
    ],
)  # fmt: skip
def test_every_usual_measure_is_read_with_its_value_and_bound(said, measure, value, bound):
    (effect, _), *_ = effects_and_places(document_of(brief(said), "brief", structured=True).text)
    assert (effect.measure, effect.value, effect.bound) == (measure, value, bound)


@pytest.mark.parametrize(
    "said",
    [
        "allow for 10 % drop-out",
        "the share is known within 5 percentage points",
        "the rack stays 15 % above the tank",
        "the intracluster correlation is 0.02",
        "a model with R2 above 0.8",
        "difference of no more than 0.5 points",
    ],
)
def test_what_is_no_effect_worth_finding_is_none(said):
    assert not effects_and_places(document_of(brief(said), "brief", structured=True).text)


@pytest.mark.parametrize(
    ("said", "design", "size"),
    [
        (("Cohen's f of 0.25 among 3 rinses", "3 treatments in all"), "anova", (53, "group")),
        (("odds ratio of 0.5 for wilting", "wilting now is 40 %"), "two_proportions", (152, "group")),
        (("crispness rises by 20 percent", "coefficient of variation 25 %"), "two_means", (26, "group")),
        (("partial R² of 0.09 of the regression on rinse time",), "correlation", (84, "total")),
        (("AUC of 0.9 against 0.8",), "area", (132, "total")),
        (("wilted heads fall from 30 % to 20 %",), "two_proportions", (294, "group")),
    ],
)  # fmt: skip
def test_a_named_effect_reaches_the_calculation_that_has_it(said, design, size):
    found = read(brief(*said)).needed
    assert found is not None
    assert (found.design, (found.n, found.per)) == (design, size)


def test_the_layout_of_one_direction_among_several_is_not_that_of_the_study():
    said = brief("Cohen's d of 0.5 between the rinses")
    apart = f"{said}\nplausible_directions:\n  - Rinse other heads\n  - A crossover of both rinses"
    assert read(apart).statistics.design == "two means"


@pytest.mark.parametrize(
    ("said", "lacks"),
    [
        ("crispness rises by 20 percent", "variation"),
        ("odds ratio of 0.5 for wilting", "base_rate"),
        ("the smallest worthwhile change of 2.5 crispness points", "sd"),
        ("eta squared of 0.1 among rinses", "groups"),
    ],
)
def test_what_is_missing_beside_an_effect_is_named(said, lacks):
    found = read(brief(said)).needed
    assert found is not None
    assert (found.n, found.lacks) == (None, lacks)
