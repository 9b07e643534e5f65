"""What is filled into a text for people stays words."""

from dr_rd.templates import environment, stop


def test_nothing_that_is_filled_in_hides_what_follows_it():
    filled = environment().from_string("{{ name }} <!-- ours -->")
    assert filled.render(name="a <!-- b") == "a < !-- b <!-- ours -->"


def test_a_sentence_is_ended_once():
    assert [stop(t) for t in ("It is", "It is.", "“It is.”", "Is it?", "")] == [
        "It is.",
        "It is.",
        "“It is.”",
        "Is it?",
        "",
    ]
