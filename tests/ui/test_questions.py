"""A question's context in words, and what its options are beside them."""

from streamlit.testing.v1 import AppTest

from dr_rd.ui.questions import context_markdown


def test_a_context_is_shown_in_words_and_never_as_markup():
    assert context_markdown("topic", "A *room*") == "**Topic**: A \\*room\\*"
    assert context_markdown("log", "one\ntwo") == "**Log**:\n\n- one\n- two"
    assert context_markdown("left_over", ["a", {"b": 1}]) == "**Left over**:\n\n- a\n- b 1"
    assert context_markdown("view", {"hand": ["3", "4"], "bid": None}) == (
        "**View**:\n\n- hand: 3, 4\n- bid: –"
    )


def test_what_is_said_of_each_option_stands_beside_it():
    def app():
        from types import SimpleNamespace  # noqa: PLC0415 - run by the page's own thread

        from core.questions import OpenQuestion, Question  # noqa: PLC0415
        from dr_rd.ui import questions  # noqa: PLC0415

        asked = Question(
            id="seat-1",
            kind="take_turn",
            text="Which seat?",
            answer_schema={"enum": ["nobody", "ethics"]},
            context={"seats": {"ethics": "Research ethics"}, "said so far": []},
        )
        opened = OpenQuestion(question=asked, asked_at="")
        questions.draw(None, SimpleNamespace(run_id="r"), opened)

    shown = AppTest.from_function(app).run(timeout=30)
    assert not shown.exception
    assert list(shown.radio[0].proto.captions) == ["", "Research ethics"]
    assert [m.value for m in shown.markdown] == []
