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


def test_a_turn_s_words_and_choices_are_one_answer():
    def app():
        from types import SimpleNamespace  # noqa: PLC0415 - run by the page's own thread

        import streamlit as st  # noqa: PLC0415

        from core.questions import OpenQuestion, Question, check_answer  # noqa: PLC0415
        from dr_rd.ui import questions  # noqa: PLC0415

        fields = {"say": {"type": "string"}, "release": {"const": True}, "take": {"enum": ["b_c"]}}
        schema = {
            "oneOf": [
                {"type": "string", "pattern": r"\S"},
                {"type": "object", "properties": fields, "minProperties": 1},
            ]
        }
        told = {"log": "one", "to hand the seat back": "type JSON"}
        asked = Question(
            id="turn-1", kind="take_turn", text="Say?", answer_schema=schema, context=told
        )

        def answer(run_id, question_id, given, *, by):
            check_answer(asked, given, by)
            st.session_state["given"] = given

        service = SimpleNamespace(runs=SimpleNamespace(answer=answer))
        questions.draw(
            SimpleNamespace(service=service, markdown=str),
            SimpleNamespace(run_id="r"),
            OpenQuestion(question=asked, asked_at=""),
        )

    shown = AppTest.from_function(app).run(timeout=30)
    assert [m.value for m in shown.markdown] == ["**Log**: one"]
    assert shown.selectbox[0].options == ["B c"]
    shown.text_area[0].input("We begin. ")
    shown.button[0].click().run()
    assert shown.session_state["given"] == "We begin."
    shown.selectbox[0].select("B c")
    shown.button[0].click().run()
    assert shown.session_state["given"] == {"say": "We begin.", "take": "b_c"}
    shown.text_area[0].input("")
    shown.selectbox[0].set_value(None)
    shown.checkbox[0].check()
    shown.button[0].click().run()
    assert shown.session_state["given"] == {"release": True}


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
