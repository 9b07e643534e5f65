"""How a run is worked: no control is dead, and each says what it is for."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from core.settings import Flags, RunOptions
from dr_rd.ui.session import KEPT, Key
from dr_rd.ui.settings import LABELS, flag_label

CHANGES = [
    (Key.APPROVAL_REQUIRED, "toggle", False),
    (Key.EVALUATOR_WEIGHTS, "text_input", '{"support": 2}'),
    (Key.GRAPH_ENABLED, "toggle", False),
    (Key.PARALLEL_EXEC_ENABLED, "toggle", False),
    (Key.EVALUATORS_ENABLED, "toggle", False),
    (Key.EVALUATOR_MIN_OVERALL, "slider", 0.75),
    (Key.MAX_CONCURRENCY, "number_input", 2),
    (Key.CRITIQUE_ENABLED, "toggle", False),
    (Key.DIRECT_CALLS, "toggle", True),
    (Key.STREAM_REPLIES, "toggle", False),
    (Key.MAX_RETRIES, "number_input", 5),
    (Key.BACKOFF_BASE_S, "number_input", 3.0),
    (Key.BACKOFF_FACTOR, "number_input", 3.0),
    (Key.BACKOFF_MAX_S, "number_input", 60.0),
    (Key.MAX_CALLS, "number_input", 10),
    (Key.MAX_TOKENS, "number_input", 1000),
    (Key.MAX_COST_USD, "number_input", 1.0),
    (Key.MAX_WALL_S, "number_input", 600.0),
    (Key.MAX_ATTEMPTS, "number_input", 50),
    (Key.CALL_TIMEOUT_S, "number_input", 20.0),
]


ELSEWHERE = {
    "AUTOGEN_ENABLED": "test_the_autogen_mode_is_opened_on_the_page_and_asks_for_a_model",
    "mode": "test_mode_and_seed_are_saved_too",
    "seed": "test_mode_and_seed_are_saved_too",
    "project_id": "tests/ui/test_new.py",
    "docs": "tests/ui/test_new.py",
    "repo": "tests/ui/test_new.py",
    "served": "tests/ui/test_models.py",
    "flags": "test_each_flag_changes_the_saved_settings",
}
"""Where each other setting is changed on the page, and a run seen to heed it."""
WITHOUT_A_CONTROL = {
    "mcp": "it starts programs on the server's machine, which is for whoever has its command line",
}
"""Settings that nobody changes on the page, each with the reason."""


def test_every_setting_has_a_control_or_a_reason_to_have_none():
    fields = {*RunOptions.model_fields, *Flags.model_fields}
    changed_here = {flag_of(key) for key, _, _ in CHANGES}
    assert fields == {*changed_here, *ELSEWHERE, *WITHOUT_A_CONTROL}
    assert not {*changed_here, *ELSEWHERE} & WITHOUT_A_CONTROL.keys()


def test_every_control_of_a_flag_has_words_of_its_own_and_outlasts_a_visit_elsewhere():
    assert {*map(flag_of, LABELS)} == {*Flags.model_fields}
    assert {*LABELS} <= {*KEPT}
    assert len({*LABELS.values()}) == len(LABELS)
    for key, label in LABELS.items():
        assert flag_label(flag_of(key)) == label
        assert flag_of(key) not in label


def test_every_control_of_a_flag_is_on_the_page_with_what_it_does(page, context):
    app = page()
    for key, kind, _ in CHANGES:
        control, name = getattr(app, kind)(key=key), flag_of(key)
        assert control.label == LABELS[key]
        assert control.help == f"{name}. {Flags.model_fields[name].description}"


def flag_of(key: Key) -> str:
    return key.upper().replace("-", "_")


def saved(context, run_id: str) -> dict:
    return context.service.store.find(run_id).read_json("settings.json")


def changed(app: AppTest, key: Key, kind: str, value: object) -> AppTest:
    return getattr(app, kind)(key=key).set_value(value).run()


@pytest.mark.parametrize(("key", "kind", "value"), CHANGES, ids=[c[0] for c in CHANGES])
def test_each_flag_changes_the_saved_settings(page, context, start, key, kind, value):
    name, asked = flag_of(key), json.loads(value) if isinstance(value, str) else value
    untouched = context.service.defaults.model_dump(mode="json")
    flags = saved(context, start(changed(page(), key, kind, value)))["flags"]
    assert flags == {**untouched, name: asked}
    assert untouched.get(name) != asked


def test_mode_and_seed_are_saved_too(page, context, start):
    app = changed(page(), Key.MODE, "radio", "classic")
    app = changed(app, Key.SEED, "number_input", 7)
    settings = saved(context, start(app))
    assert (settings["mode"], settings["seed"]) == ("classic", 7)


def test_without_approval_the_run_goes_to_its_end(page, context, start):
    run_id = start(changed(page(), Key.APPROVAL_REQUIRED, "toggle", False))
    assert context.service.runs.snapshot(run_id).status not in ("waiting", "running")
    assert saved(context, run_id)["flags"]["APPROVAL_REQUIRED"] is False


def test_a_weight_for_no_criterion_is_refused_when_the_run_is_asked_for(page, context):
    app = changed(page(), Key.EVALUATOR_WEIGHTS, "text_input", '{"suport": 2}')
    app.button(key=Key.START).click().run()
    assert any("did you mean 'support'?" in e.value for e in app.error)


def test_weights_that_are_no_json_are_named_at_the_field_and_nothing_starts(page, context):
    app = changed(page(), Key.EVALUATOR_WEIGHTS, "text_input", "support=2")
    assert [e.value for e in app.error] == [
        "EVALUATOR_WEIGHTS='support=2' cannot be used; it must be a JSON object of "
        'non-negative numbers, such as {"support": 2}'
    ]
    assert app.button(key=Key.START).disabled


def test_a_control_without_effect_is_greyed_out(page, context):
    app = changed(page(), Key.MODE, "radio", "classic")
    assert app.toggle(key=Key.GRAPH_ENABLED).disabled
    assert app.toggle(key=Key.PARALLEL_EXEC_ENABLED).disabled
    assert app.number_input(key=Key.MAX_CONCURRENCY).disabled
    app = changed(app, Key.EVALUATORS_ENABLED, "toggle", False)
    assert app.number_input(key=Key.MAX_RETRIES).disabled
    app = changed(app, Key.DIRECT_CALLS, "toggle", True)
    assert app.toggle(key=Key.STREAM_REPLIES).disabled


def test_the_autogen_mode_is_opened_on_the_page_and_asks_for_a_model(page, context):
    app = page()
    assert app.toggle(key=Key.AUTOGEN_ENABLED).disabled
    app = changed(app, Key.OBJECTIVE, "text_area", "Compare two lime doses.")
    if any(box.key == Key.FAMILY for box in app.selectbox):
        app.selectbox(key=Key.FAMILY).select_index(0).run()
    app = changed(app, Key.MODE, "radio", "autogen")
    assert not app.toggle(key=Key.PARALLEL_EXEC_ENABLED).disabled
    app.button(key=Key.START).click().run()
    assert any("set AUTOGEN_ENABLED=true" in e.value for e in app.error)
    app = changed(app, Key.AUTOGEN_ENABLED, "toggle", True)
    app.button(key=Key.START).click().run()
    assert any("needs a model that works tasks" in e.value for e in app.error)
    assert context.service.list() == []


def test_the_page_starts_from_the_environment_and_asks_for_approval(page, context):
    app = page()
    assert app.number_input(key=Key.BACKOFF_BASE_S).value == 0.0
    assert app.toggle(key=Key.APPROVAL_REQUIRED).value is True
    assert app.slider(key=Key.EVALUATOR_MIN_OVERALL).value == Flags().EVALUATOR_MIN_OVERALL
