"""What a task quotes: the sentences that bear on it, each in one task only."""

import pytest

from core.graph.state import GraphTask, ToolRequest
from dr_rd.agents.quoting import select_quotes
from dr_rd.tools import load_tools

TOOLS = load_tools()


def task(key, title, *tools):
    asked = tuple(ToolRequest(name=n) for n in ("search_documents", *tools))
    return GraphTask(id=key, role="r", title=title, tool_request=asked)


TASKS = (
    task("T01", "Fix the number of looms and the analysis", "sample_size"),
    task("T02", "Order yarn and book the weaving hall", "budget"),
    task("T03", "Weave the cloth and record thread breaks"),
)


def hit(text, key="E001", place="Pilot", status="live"):
    return {"id": key, "text": text, "document": "pilot.md", "place": place, "status": status}


PILOT = hit(
    "Thread breaks had a standard deviation of 2.1 per bolt. Yarn costs 14 EUR a cone. "
    "The weaving hall can be booked from May. Two looms were repaired in spring."
)


def readings(*hits, known=""):
    return {t.id: select_quotes(hits, t, TASKS, known, TOOLS) for t in TASKS}


def test_a_sentence_is_quoted_in_the_one_task_that_it_bears_on_most():
    quoted = {k: [q.text for q in r.quotes] for k, r in readings(PILOT).items()}
    assert quoted["T01"] == ["Thread breaks had a standard deviation of 2.1 per bolt."]
    assert quoted["T02"][0] == "Yarn costs 14 EUR a cone."
    everything = [text for texts in quoted.values() for text in texts]
    assert len(everything) == len(set(everything))


def test_at_most_two_sentences_of_a_passage_are_quoted_and_each_is_in_it():
    long = hit(" ".join(f"Yarn costs {n} EUR a cone in hall {n}." for n in range(9)))
    quotes = readings(long)["T02"].quotes
    assert len(quotes) == 2
    assert all(q.text in long["text"] for q in quotes)


def test_a_task_points_to_a_passage_that_another_task_quotes():
    breaks = hit("The standard deviation of the thread breaks was 2.1 per bolt.")
    found = readings(breaks)
    assert [q.id for q in found["T01"].quotes] == ["E001"]
    assert [(p.id, p.task_id) for p in found["T03"].pointers] == [("E001", "T01")]


def test_a_passage_about_something_else_is_not_quoted():
    found = readings(hit("Otters were seen at the mill pond."))
    assert all(not r.quotes and not r.pointers for r in found.values())


def test_what_the_question_says_anyway_is_no_reason_to_quote():
    text = hit("Looms weave cloth.")
    assert not any(
        r.quotes for r in readings(text, known="Which looms weave cloth best?").values()
    )


def test_a_document_that_is_not_live_is_marked():
    note = [q.note for q in readings({**PILOT, "status": "draft"})["T02"].quotes]
    assert set(note) == {" (draft)"}


@pytest.mark.parametrize("text", ["", "42", "?", "Item: Yarn cone; Price EUR: 14"])
def test_odd_passages_are_read_without_fuss(text):
    readings(hit(text, place="row 1"))


def test_a_heading_cannot_make_a_link_of_the_place_that_it_names():
    odd = {**PILOT, "place": "Costs](https://evil.example.org/?q="}
    (first, *_) = select_quotes([odd], TASKS[1], TASKS, "", TOOLS).quotes
    assert first.place == "pilot.md, Costs)(https://evil.example.org/?q="


@pytest.mark.parametrize(
    ("superseded", "said"),
    [
        (True, "superseded: the newer [E002] says 19 EUR"),
        (False, "in conflict: [E002] says 19 EUR, and no date tells which holds"),
    ],
)
def test_a_value_that_does_not_hold_is_quoted_after_the_others_and_says_so(superseded, said):
    against = {"value": "14 EUR", "against": "19 EUR", "passage": "E002", "superseded": superseded}
    old = hit("Yarn costs 14 EUR a cone.") | {"disputed": [against]}
    new = hit("A cone of yarn costs 19 EUR.", key="E002")
    quotes = readings(old, new)["T02"].quotes
    assert [(q.id, q.note) for q in quotes] == [("E002", ""), ("E001", f" ({said})")]
