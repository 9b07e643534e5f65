"""The same quantity in two documents: the live or newer value holds."""

from dr_rd.evidence.agreement import same_quantity
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
