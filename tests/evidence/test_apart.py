"""Values under different conditions are said not to have been compared."""

import pytest

from dr_rd.evidence.agreement import same_quantity
from dr_rd.evidence.apart import kept_apart
from dr_rd.evidence.ingest import read_documents

TEXT = "Issued: 2024-01-01\n\n{}\n\n{}\n"
OWN = ("Alice wrote of kilns, clay, ash and glaze.", "Bees, honey and wax were sold in markets.")


def corpus_of(folder, one, other):
    files = zip(("a.md", "b.md"), OWN, (one, other), strict=True)
    return read_documents([folder({name: TEXT.format(own, s) for name, own, s in files})])


@pytest.mark.parametrize(
    ("one", "other", "names"),
    [
        (
            "The mice found the platform after 21 s at 22 °C in the dark phase.",
            "The mice found the platform after 31 s at 28 °C in the dark phase.",
            None,
        ),
        (
            "The membrane lets 12 mL of water pass under 2 bar of pressure.",
            "Under 5 bar of pressure the membrane lets 30 mL of water pass.",
            None,
        ),
        (
            "The mean yield of winter rye in Norwich was 5.2 t/ha.",
            "The mean yield of winter rye in Leeds was 6.1 t/ha.",
            ("Norwich", "Leeds"),
        ),
    ],
)
def test_values_of_one_kind_under_different_conditions_are_named(folder, one, other, names):
    corpus = corpus_of(folder, one, other)
    assert same_quantity(corpus) == ()
    (found,) = kept_apart(corpus)
    assert (found.first.value, found.second.value, found.names) == (one, other, names)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # one figure differs: that is a contradiction, and stands elsewhere
        ("The oven stays at 850 C for 2 h a day.", "The oven stays at 900 C for 2 h a day."),
        # nothing differs
        ("The rods of the frame are 12 mm at 20 °C.", "The rods of the frame are 12 mm at 20 °C."),
        # other things
        ("The rods of the frame are 12 mm at 20 °C.", "The pipes of the stove are 9 mm at 90 °C."),
        # the same place
        ("Winter rye in Norwich gives 5.2 t/ha.", "Winter rye in Norwich gives 5.2 t/ha."),
    ],
)
def test_nothing_else_is(folder, one, other):
    assert kept_apart(corpus_of(folder, one, other)) == ()


def test_an_older_edition_is_no_other_condition(folder):
    root = folder(
        {
            "plan_v1.md": "The trial of the frame runs at 8 sites for 3 months.",
            "plan_v2.md": "The trial of the frame runs at 12 sites for 5 months.",
        }
    )
    assert kept_apart(read_documents([root])) == ()
