"""Figures and clauses of running text: a background in a folded block, shares told by example."""

import pytest

from dr_rd.reading import Given, Reader, load_taggers, parse_brief, understood
from dr_rd.reading.document import document_of
from dr_rd.reading.fractions import with_shares
from dr_rd.study import Study

FOLDED = """objective: >
  Does a net over the tank keep more fry alive
  than an open tank?
context: >
  Eleven hatcheries take part. In the open tank about 62 % of the fry are
  alive at the end. A rise of 9 percentage points would pay for the nets. The intracluster correlation
  between hatcheries was 0.04, and a hatchery keeps 30 batches on average. One batch in twenty
  cannot be counted. A university abroad found 80 % alive under light.
  No lamp may be used at night.
"""


def study(text: str, kind: str | None = None) -> Study:
    return understood(Given(text, kind, "brief"), Reader(load_taggers())).study


def stated(text: str) -> dict[str, object]:
    found = study(text).statistics
    return {k: v for k, v in found.model_dump().items() if v is not None}


def test_a_background_states_the_figures_for_a_sample_size():
    assert stated(FOLDED) == {
        "base_rate": 0.62, "effect": 0.09, "effect_kind": "proportion difference", "icc": 0.04,
        "cluster_size": 30, "loss": 0.05, "design": "cluster proportions",
    }  # fmt: skip


def test_a_clause_of_a_folded_block_is_quoted_by_itself():
    found = study(FOLDED, "yaml")
    quotes = {limit.quote for limit in found.limits}
    assert "No lamp may be used at night" in quotes
    assert max(map(len, quotes)) < 80
    begin, end = found.spans["objective"]
    assert " ".join(FOLDED[begin:end].split()) == found.objective


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("a: >\n  one two\n  three\n", "two three"),
        ("a: one two\n  three\n", "two three"),
    ],
)
def test_words_of_several_lines_lead_back_to_their_place(source, words):
    document = document_of(source, "x", structured=True)
    at = document.text.index(words)
    assert document.quote(at, at + len(words)).endswith(words)


def test_words_that_are_escaped_lead_back_to_the_whole():
    source = 'a: "one \\u0074wo\n  three"\n'
    document = document_of(source, "x", structured=True)
    at = document.text.index("three")
    assert document.quote(at, at + 5) == '"one \\u0074wo three"'


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("About one scan in twenty is blank.", "About 5 % of scan is blank."),
        ("Two eggs in fifty are lost.", "4 % of eggs are lost."),
        ("one in ten calls fails", "10 % of calls fails"),
        ("roughly three in four schools", "roughly 75 % of schools"),
        ("1 in 20.", "5 %."),
    ],
)
def test_a_share_that_is_told_by_example_is_a_percentage(text, read):
    assert with_shares(text).text == read


@pytest.mark.parametrize(
    "text",
    [
        "two sessions in three weeks",
        "one nurse in ten wards",
        "one in two weeks",
        "ten in five",
        "a third",
    ],
)
def test_what_is_so_many_in_a_place_or_a_time_is_no_share(text):
    assert with_shares(text).text == text


@pytest.mark.parametrize(
    ("told", "field", "value"),
    [
        ("The same mix made again varies by about 1.4 MPa (standard deviation between batches).", "sd", 1.4),
        ("The standard deviation between hens in the same house is about 9 g.", "sd", 9),
        ("The ICC for weight is around 0.2.", "icc", 0.2),
        ("Few forms are missing, say 3 %.", "loss", 0.03),
    ],
)  # fmt: skip
def test_a_figure_is_known_by_the_words_about_it(told, field, value):
    assert (
        stated(f"objective: Do perches change the weight of eggs?\ncontext: Power 80 %. {told}")[
            field
        ]
        == value
    )


def test_a_count_is_never_a_share():
    text = "Estimate the share of late trains to within plus or minus 3 points with 95 % confidence. The list has 800 trains from 23 depots now."
    assert "base_rate" not in stated(text)


@pytest.mark.parametrize(
    ("text", "design"),
    [
        (
            "Does a brace cut the load on the knee of skiers? Each skier skis with and without it. The "
            "standard deviation of the within-skier difference is 8 Nm. A difference of 4 Nm matters.",
            "paired",
        ),
        (
            "Estimate the mean moisture of stored hay, to plus or minus 1.5 points with 95 % confidence; "
            "bales with worse moisture are thrown out. The standard deviation between bales is 4 points.",
            "one mean",
        ),
    ],
)
def test_a_spread_of_differences_is_of_pairs_and_a_half_width_is_no_margin_of_inferiority(
    text, design
):
    assert parse_brief(text).statistics.design == design
