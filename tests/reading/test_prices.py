"""What one of something costs is paid for each unit, by how many of it a unit takes."""

import pytest

from dr_rd.reading import parse_brief

ROOFS = """Does a moss mat lower the lead in run-off from school roofs, against bare roofs?

- 60 roofs, 30 with a mat and 30 bare, by lot
- 25,000 euros, 10 months
- """


@pytest.mark.parametrize(
    ("said", "amount", "per", "times"),
    [
        ("each roof is sampled with one kit at 38 euros a kit", 38, "roof", 1),
        ("test kits cost 38 euros a kit, one kit for each roof", 38, "roof", 1),
        ("a test kit for the lead, 38 euros a kit, and two kits to a roof", 76, "roof", 1),
        ("printing at 0.90 euros a sheet, four sheets to a roof", 3.6, "roof", 1),
        ("the laboratory charges 38 euros a sample; two samples are taken from each roof", 76, "roof", 1),
        ("130 test kits at 38 euros a kit", 38, "kit", 130),
    ],
)  # fmt: skip
def test_a_price_of_a_thing_is_paid_for_as_many_as_the_units_take(said, amount, per, times):
    resources = parse_brief(f"{ROOFS}{said}").resources
    assert resources is not None
    assert [(p.amount, p.per, p.times) for p in resources.prices] == [(amount, per, times)]


@pytest.mark.parametrize("said", ["a mat costs 210 euros", "the warden earns 38 euros an hour"])
def test_a_price_of_nobody_knows_how_many_stays_out_of_the_costs(said):
    resources = parse_brief(f"{ROOFS}{said}").resources
    assert resources is None or resources.prices == ()


def test_the_cost_of_the_main_work_grows_with_the_units_by_that_price(workbench):
    asked = parse_brief(f"{ROOFS}printing at 0.90 euros a sheet, four sheets to a roof")
    scaling = workbench.design(asked, ()).scaling
    assert scaling.known == pytest.approx(60 * 4 * 0.9)
