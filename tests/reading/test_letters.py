"""Letters: what the writer wants of the reader, and how things have been, limit no work."""

from dr_rd.reading import Given, Reader, load_taggers, understood
from dr_rd.study import Study

LETTER = """Dear Ines,

the lichen on the north cornices is back eight months after we cleaned it. Does the new zinc strip keep it off,
compared with brushing?

There are 2,400 EUR left for this and that must include the strips. I need the answer by 12 March 2027.

What must not happen: no lead anywhere, no ladders within 3 m of the swifts, and the gate stays open all summer.

Do what you must and send me a spreadsheet on Monday.

Greetings from Lagos, where we have now waited for 50 minutes
Bruno
"""


def study(text: str) -> Study:
    return understood(Given(text, None, "letter"), Reader(load_taggers())).study


def test_each_thing_that_must_not_happen_is_a_ban_and_what_stays_is_a_demand():
    found = {limit.quote: limit.role for limit in study(LETTER).limits}
    assert {q for q, role in found.items() if role == "ban"} == {
        "no lead anywhere", "no ladders within 3 m of the swifts",
    }  # fmt: skip
    assert found["and the gate stays open all summer"] == "constraint"


def test_what_has_been_and_what_the_reader_is_asked_to_send_limit_nothing():
    said = " ".join(limit.quote for limit in study(LETTER).limits)
    for aside in ("eight months", "spreadsheet", "50 minutes"):
        assert aside not in said


def test_a_budget_that_includes_a_thing_says_nothing_of_staff():
    assert study(LETTER).budget.covers == "unsaid"
    all_in = LETTER.replace("include the strips", "include staff")
    assert study(all_in).budget.covers == "all"
