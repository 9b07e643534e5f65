"""Who works, for what share and at what rate."""

import pytest

from dr_rd.reading import Reader, load_taggers
from dr_rd.reading.document import document_of

READER = Reader(load_taggers())


def people(text: str) -> list[tuple]:
    found = READER.read(document_of(text, "x")).people
    return [(p.role, p.count, p.share, p.rate, p.per) for p in found]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("We have Wanda, half time, and a boat.", [("Wanda", 1, 0.5, None, None)]),
        ("Team: Lee (hydraulics, 40 %), Marta (field, 3 d/wk)", [("hydraulics", 1, 0.4, None, None), ("field", 1, 0.6, None, None)]),
        ("Personnel: two study nurses 75 %, 1 monitor at 88 EUR/h.", [("study nurses", 2, 0.75, None, None), ("monitor", 1, None, 88, "hour")]),
        ("Interviewers: 6 (22 EUR per hour)", [("Interviewers", 6, None, 22, "hour")]),
        ("Staff: PI 0.1, 5 nurses @ 0.3", [("PI", 1, 0.1, None, None), ("nurses", 5, 0.3, None, None)]),
        ("The vendor charges 1,200 USD per day.", [("vendor", None, None, 1200, "day")]),
        ("Team: one PhD student at 80 %, 1 workshop technician 20 %", [("PhD student", 1, 0.8, None, None), ("workshop technician", 1, 0.2, None, None)]),
        ("Team: horticulturist 0.25 FTE, two UX researchers half time", [("horticulturist", 1, 0.25, None, None), ("UX researchers", 2, 0.5, None, None)]),
        ("Staff: one weaver, one statistician, 15 days @ £410", [("statistician", 1, None, 410, "day")]),
        ("Budget 9,000 EUR; two assistants at 14.50 per hour.", [("assistants", 2, None, 14.5, "hour")]),
        ("Team:\n- analyst, count 2, rate 90 EUR per hour", [("analyst", 2, None, 90, "hour")]),
        ("Readers: 6 family doctors, blinded to histology.", [("family doctors", 6, None, None, None)]),
        ("Find out why Monday, half time, is quiet.", []),
    ],
)  # fmt: skip
def test_people_with_their_figures(text, read):
    assert people(text) == read


def test_a_table_of_people_is_read_by_its_rows():
    text = "## Staff\n\n| Role | Number | Share |\n|---|---|---|\n| Diver | 2 | 50 % |\n| Boat hand | 1 | 0.2 |\n"
    assert people(text) == [("Diver", 2, 0.5, None, None), ("Boat hand", 1, 0.2, None, None)]
