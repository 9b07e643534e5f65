"""What a panel proposes is taken over on its page."""

from streamlit.testing.v1 import AppTest


def test_a_plan_is_worked_with_the_amendments_that_are_chosen():
    def app():
        from types import SimpleNamespace  # noqa: PLC0415 - run by the page's own thread

        import streamlit as st  # noqa: PLC0415

        from dr_rd.ui.views import panel  # noqa: PLC0415

        def take_over(run_id, taken, *, by):
            st.session_state["taken"] = (run_id, tuple(taken), by)
            return "run-2"

        standing = [
            SimpleNamespace(id="M1", title="Read it twice", status="proposed"),
            SimpleNamespace(id="M2", title="Begin in May", status="accepted"),
        ]
        context = SimpleNamespace(service=SimpleNamespace(take_over=take_over), user="ann")
        panel.draw_takeover(context, "run-1", SimpleNamespace(standing=standing))

    shown = AppTest.from_function(app).run(timeout=30)
    (chosen,) = shown.multiselect
    assert chosen.value == ["M2"]
    chosen.select("M1").run()
    shown.button[0].click().run()
    assert shown.session_state["taken"] == ("run-1", ("M2", "M1"), "ann")
    assert "run-2" in shown.query_params["run"]
    for amendment in ("M1", "M2"):
        shown.multiselect[0].unselect(amendment)
    assert shown.run().button[0].disabled
