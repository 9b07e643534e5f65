"""The same quantity in two documents: the live or newer value holds."""

import pytest

from dr_rd.evidence.agreement import disputed, same_quantity
from dr_rd.evidence.ingest import read_documents


def conflicts(root):
    found = same_quantity(read_documents([root]))
    return [(c.current.value, c.superseded.value, c.decided) for c in found]


def test_the_live_value_holds_against_the_stale_one(folder):
    root = folder(
        {
            "plan_v1.md": "The trial runs at 8 paired sites. Rods of 12 mm hold the frame.",
            "plan_v2.md": "The trial runs at 12 paired sites. Rods of 12 mm hold the frame.",
        }
    )
    assert conflicts(root) == [("12 paired sites", "8 paired sites", True)]
    (found,) = same_quantity(read_documents([root]))
    assert found.reason == "plan_v1.md is superseded (plan_v2.md is a later version)"


def test_the_newer_of_two_live_documents_holds(folder):
    text = "Date: {}\n\nThe oven is set to {} C for the second firing.\n\n{}"
    root = folder(
        {
            "a.txt": text.format("2022-01-01", 850, "Alice wrote of kilns, clay, ash and glaze."),
            "b.txt": text.format(
                "2024-01-01", 900, "Bees, honey and wax were sold on market days."
            ),
        }
    )
    assert [c[2] for c in conflicts(root)] == [True]
    assert conflicts(root)[0][0].startswith("900")


def test_two_undated_documents_are_shown_as_undecided(folder):
    root = folder(
        {
            "a.txt": "The dry room holds at most 4 people at once.",
            "b.txt": "The dry room holds at most 6 people at once.",
        }
    )
    assert [c[2] for c in conflicts(root)] == [False]


def test_the_same_value_in_another_unit_is_no_conflict(folder):
    root = folder(
        {
            "a.txt": "The wall of the large tank is 2 cm thick.",
            "b.txt": "The wall of the large tank is 20 mm thick.",
        }
    )
    assert conflicts(root) == []


def test_different_things_are_never_joined(folder):
    root = folder(
        {
            "a.txt": "The wall of the tank is 2 cm thick. It was built in 2019.",
            "b.txt": "The lid of the tank is 4 cm thick. It was built in 2021.",
        }
    )
    assert conflicts(root) == []


def test_table_rows_are_compared_cell_by_cell(folder):
    root = folder(
        {
            "budget.csv": "Item,Quantity,Cost GBP\nSteel wrist sensors,40,9600\nLamps,3,60\n",
            "archive/budget.csv": "Item,Quantity,Cost GBP\nSteel wrist sensors,40,6900\nLamps,3,60\n",
        }
    )
    assert conflicts(root) == [("9600", "6900", True)]


OTHER = ("We wrote this in spring of other matters.", "Bees and honey are sold on market days.")
METERS = ("The share of homes whose meter fails during a winter is 0.8 %.", "0.8 %")


def dated(one, other, days=("2023-04-01", "2025-02-01")):
    """Two documents that have one sentence each beside words of their own."""
    texts = zip(days, OTHER, (one, other), strict=True)
    files = zip(("a.md", "b.md"), texts, strict=True)
    return {
        n: f"Issued: {d}\n\n{own}\n\n{s}\n" if d else f"{own}\n\n{s}\n" for n, (d, own, s) in files
    }


@pytest.mark.parametrize(
    ("old", "new", "values"),
    [
        (METERS[0], "The share of homes whose meter fails during one winter is now 1.4 %.",
         ("1.4 %", "0.8 %")),
        ("A meter reading visit costs 42 GBP.", "A reading visit to the meter costs £55.",
         ("£55", "42 GBP")),
        ("The dropout rate of enrolled farms was 8 %.",
         "In 2025, the dropout rate of enrolled farms amounted to 12 %, which is why 60 are asked.",
         ("12 %", "8 %")),
        ("Delivery of the brush strips takes 6 weeks.",
         "The delivery of brush strips takes 9 weeks (suppliers are short of stock).",
         ("9 weeks", "6 weeks")),
    ],
)  # fmt: skip
def test_the_newer_value_holds_however_the_sentence_is_turned(folder, old, new, values):
    assert conflicts(folder(dated(old, new))) == [(*values, True)]


def test_without_dates_two_values_conflict_and_none_is_preferred(folder):
    root = folder(dated(METERS[0], METERS[0].replace("0.8", "1.4"), days=("", "")))
    (found,) = same_quantity(read_documents([root]))
    assert not found.decided
    assert set(disputed(read_documents([root]))) == {
        found.current.passage.id,
        found.superseded.passage.id,
    }


def test_the_year_that_a_statement_is_of_goes_before_the_day_of_its_document(folder):
    texts = [f"In {year} the vacancy rate of homes was {rate} %." for year, rate in
             ((2024, 2), (2019, 5))]  # fmt: skip
    (found,) = same_quantity(read_documents([folder(dated(*texts))]))
    assert (found.current.value, found.reason) == ("2 %", "it is of 2024 and the other of 2019")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The share of rural homes whose meter fails is 0.8 %.",
         "The share of homes whose meter fails is 1.4 %."),
        ("In the north, the failure rate of meters was 0.8 %.",
         "In the south, the failure rate of meters was 1.4 %."),
        ("At 20 C the dried seed germinates in 4 days.", "At 30 C the dried seed germinates in 2 days."),
        ("The crew drove 40 km to the site on day 2.", "The crew drove 60 km to the site on day 5."),
        ("Page 3 of the annual safety manual", "Page 5 of the annual safety manual"),
        ("They say that the roof repair costs 40 EUR.", "The roof repair costs 60 EUR."),
        ("The median response time of the pumps is 40 s.", "The mean response time of the pumps is 55 s."),
    ],
)  # fmt: skip
def test_what_differs_in_a_telling_word_or_a_condition_is_not_compared(folder, one, other):
    assert conflicts(folder(dated(one, other))) == []
