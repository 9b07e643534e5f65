"""The page that lays runs side by side."""

from streamlit.testing.v1 import AppTest

from core.settings import RunOptions
from dr_rd.brief import Brief
from dr_rd.ui.session import Key


def visit() -> AppTest:
    def script() -> None:
        from dr_rd.ui import compare  # noqa: PLC0415 - the script is run as a file of its own

        compare.draw()

    return AppTest.from_function(script, default_timeout=30).run()


def test_without_two_ended_runs_it_says_what_to_do(context):
    assert any("Fewer than two" in found.value for found in visit().markdown)


def test_chosen_runs_stand_side_by_side(context):
    service = context.service
    flags = service.defaults.model_copy(update={"APPROVAL_REQUIRED": False})
    for mode in ("graph", "classic"):
        options = RunOptions(mode=mode, flags=flags)
        run_id = service.start(options, Brief(objective="bread"), service.runs.new_id())
        service.runs.wait(run_id, 60)
    app = visit()
    app.multiselect(key=Key.COMPARED).set_value([run.run_id for run in service.list()]).run()
    assert not app.exception
    recommended = app.table[0].value
    assert list(recommended["Mode"]) == ["Classic", "Plan and fan\\-out"]
    assert all("bread" in told for told in recommended["Recommendation"])
    assert list(app.dataframe[0].value.columns) == ["Figure", "Classic", "Plan and fan-out"]
