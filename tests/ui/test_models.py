"""The models of the sidebar: found, tested, asked by the run, and their key written nowhere."""

from dataclasses import replace

import pytest

from core.clock import SystemClock
from core.errors import CallerError
from core.events import CallEnded
from core.runs import RunService
from core.store import RunStore
from dr_rd.models.served.keys import Keys, Masks
from dr_rd.service import ResearchService
from dr_rd.ui.context import AppContext, close_context, open_context
from dr_rd.ui.session import Key
from dr_rd.workbench import Workbench
from tests import scripted
from tests.fake_llm import FakeLLMThread
from tests.ui.conftest import DEFAULTS

TYPED = "typed-key-000-for-tests"
MODEL = "scripted"

OBJECTIVE = "Find out in a field trial on plots whether lime raises the yield of clover."


@pytest.fixture
def fake():
    with FakeLLMThread(reply=scripted.GOOD, key=TYPED, log=99) as server:
        yield server


@pytest.fixture
def bare(tmp_path, workbench):
    """Open a context with the real workbench and an environment of its own."""

    def opened(service: type[RunService] = RunService, **environ: str) -> AppContext:
        ours = replace(workbench, environ=lambda: environ, keys=Keys(), masks=Masks())
        runs = service(RunStore(tmp_path / "audits"), ours.parts, SystemClock())
        context = AppContext(ResearchService(runs, ours, DEFAULTS))
        open_context(context)
        return context

    yield opened
    close_context()


def filled(app, url: str, key: str = "", model: str = MODEL):
    app.text_area(key=Key.OBJECTIVE).input(OBJECTIVE)
    app.text_input(key=Key.ENDPOINT).input(url)
    app.text_input(key=Key.MODEL).input(model)
    app.run()
    if key:
        app.text_input(key=Key.MODEL_KEY).input(key).run()
    return app


def started(app) -> str:
    app.button(key=Key.START).click().run()
    assert not app.exception
    assert not app.error, [e.value for e in app.error]
    run_id = app.query_params["run"]
    return run_id[0] if isinstance(run_id, list) else run_id


def settled(context: AppContext, run_id: str):
    context.service.runs.wait(run_id, 60)
    return context.service.runs.snapshot(run_id)


def texts(app) -> str:
    shown = [*app.markdown, *app.caption, *app.error, *app.warning, *app.text_input]
    return "\n".join(f"{e.value} {getattr(e, 'placeholder', '')}" for e in shown)


def test_a_test_says_what_the_server_can_do_in_rows(page, bare, fake):
    bare()
    app = filled(page(), fake.base_url, TYPED)
    app.button(key=Key.TEST_MODELS).click().run()
    assert not app.error
    shown = texts(app)
    for row in ("✓ answers", "✓ JSON schema", "✗ vision:", "context", "by a JSON schema"):
        assert row in shown.replace("\\", ""), shown
    assert fake.stats()["requests"] > 5


def test_what_cannot_be_tested_is_one_sentence(page, bare, fake):
    bare()
    app = filled(page(), fake.base_url, "another-key-000")
    app.button(key=Key.TEST_MODELS).click().run()
    (error,) = app.error
    assert "refuses the key" in error.value
    app = filled(page(), fake.base_url, model="")
    app.button(key=Key.TEST_MODELS).click().run()
    assert [e.value for e in app.error] == [
        "the models have no model; fill it in, or empty the other field"
    ]


def test_a_run_asks_the_models_of_the_sidebar_with_a_key_that_nothing_shows_or_holds(
    page, bare, fake
):
    context = bare()
    app = filled(page(), fake.base_url, TYPED)
    assert app.text_input(key=Key.MODEL_KEY).value == ""
    assert app.text_input(key=Key.MODEL_KEY).placeholder == "held in memory"
    app.text_input(key=Key.MODEL_JUDGE).input("referee").run()
    run_id = started(app)
    assert settled(context, run_id).status == "waiting"
    served = context.service.store.find(run_id).options().served
    assert served.base_url == fake.base_url
    assert {p: use.name for p, use in served.models.items()} == {
        "plan": MODEL,
        "work": MODEL,
        "write": MODEL,
        "judge": "referee",
    }
    calls = [
        r.event
        for r in context.service.runs.snapshot(run_id).events
        if r.event.kind == "call_ended"
    ]
    assert calls
    assert all(isinstance(c, CallEnded) and c.ok for c in calls)
    shown = page(run=run_id)
    assert any("tokens, cost 0.00 US dollars" in c.value for c in shown.caption), texts(shown)
    assert TYPED not in texts(app) + texts(shown)
    files = [p for p in context.service.store.root.rglob("*") if p.is_file()]
    assert len(files) > 5
    assert not [p for p in files if TYPED.encode() in p.read_bytes()]


@pytest.mark.parametrize("direct", [False, True])
def test_replies_come_whole_where_the_processor_is_spared(page, bare, fake, direct):
    context = bare()
    app = filled(page(), fake.base_url, TYPED)
    app.toggle(key=Key.DIRECT_CALLS).set_value(direct).run()
    fake.reset()
    settled(context, started(app))
    assert any(request.get("stream") for request in fake.requests) is not direct


def test_without_a_model_nothing_is_asked(page, bare, fake):
    context = bare(DRRD_API_KEY="of-the-operator")
    app = page()
    app.text_area(key=Key.OBJECTIVE).input(OBJECTIVE).run()
    assert context.service.store.find(started(app)).options().served is None
    assert fake.stats()["requests"] == 0


def test_the_fields_start_from_the_environment_whose_key_goes_to_its_own_server_only(
    page, bare, fake
):
    bare(DRRD_ENDPOINT=fake.base_url, DRRD_MODEL=MODEL, DRRD_API_KEY=TYPED, DRRD_MODEL_PLAN="p")
    app = page()
    assert app.text_input(key=Key.ENDPOINT).value == fake.base_url
    assert app.text_input(key=Key.MODEL_PLAN).value == "p"
    assert TYPED not in texts(app)
    app.button(key=Key.TEST_MODELS).click().run()
    assert not app.error
    with FakeLLMThread(reply=scripted.GOOD, key=TYPED) as other:
        app = filled(app, other.base_url)
        app.button(key=Key.TEST_MODELS).click().run()
        assert "refuses the key" in app.error[0].value


def test_a_key_that_was_typed_for_one_server_is_not_sent_to_the_next(page, bare, fake):
    bare()
    app = filled(page(), "http://127.0.0.1:9/v1", TYPED)
    app.text_input(key=Key.ENDPOINT).input(fake.base_url).run()
    assert app.text_input(key=Key.MODEL_KEY).placeholder == "none"
    app.button(key=Key.TEST_MODELS).click().run()
    assert "refuses the key" in app.error[0].value


def test_a_server_elsewhere_is_refused_where_only_this_machine_may_be_asked(page, bare):
    context = bare()
    app = filled(page(), "https://api.example.org/v1", TYPED)
    app.toggle(key=Key.LOCAL_ONLY).set_value(True)
    app.button(key=Key.START).click().run()
    assert "api.example.org is not certain to be on this machine" in app.error[0].value
    assert context.service.store.list() == []


def test_a_server_that_the_operator_did_not_list_is_refused(page, bare, fake):
    context = bare(DRRD_ENDPOINTS_ALLOWED="api.example.org")
    app = filled(page(), fake.base_url, TYPED)
    assert "This workbench may ask: api.example.org" in texts(app).replace("\\", "")
    app.button(key=Key.START).click().run()
    assert "choose from: api.example.org" in app.error[0].value
    app.button(key=Key.TEST_MODELS).click().run()
    assert "choose from: api.example.org" in app.error[0].value.replace("\\", "")
    assert fake.stats()["requests"] == 0
    assert context.service.store.list() == []


def test_a_server_that_does_not_answer_starts_no_run(page, bare):
    context = bare()
    app = filled(page(), "http://127.0.0.1:9/v1")
    app.button(key=Key.START).click().run()
    assert "http://127.0.0.1:9 cannot be reached" in app.error[0].value
    assert context.service.store.list() == []


def test_after_a_restart_the_run_says_that_its_key_is_missing_and_takes_it_again(page, bare, fake):
    context = bare()
    run_id = started(filled(page(), fake.base_url, TYPED))
    settled(context, run_id)
    close_context()
    context = bare()
    context.service.runs.answer(run_id, "approve-plan", "approve", by="Mina")
    assert settled(context, run_id).status == "paused"
    app = page(run=run_id)
    assert "refuses the key" in app.warning[0].value
    assert app.text_input(key=Key.RESUME_KEY).placeholder == "none"
    app.text_input(key=Key.RESUME_KEY).input(TYPED)
    app.button(key=Key.RESUME).click().run()
    assert not app.exception
    assert settled(context, run_id).status not in ("paused", "interrupted")


def test_words_of_the_field_are_told_to_no_server_and_kept_in_memory_only(page, bare, fake):
    context = bare()
    app = filled(page(), fake.base_url, TYPED)
    app.text_area(key=Key.MASK).input("lime\nZyx Works").run()
    run_id = started(app)
    assert settled(context, run_id).status == "waiting"
    served = context.service.store.find(run_id).options().served
    assert (served.masked, served.mask) == (2, None)
    seen = str(list(fake.requests))
    assert "clover" in seen
    assert "lime" not in seen
    shown = page(run=run_id)
    assert any("2 words or figures were masked" in c.value for c in shown.caption), texts(shown)
    files = [p for p in context.service.store.root.rglob("*") if p.is_file()]
    assert not [p for p in files if b"Zyx" in p.read_bytes()]


def test_after_a_restart_the_run_asks_for_its_words_before_it_sends_anything(page, bare, fake):
    context = bare()
    app = filled(page(), fake.base_url, TYPED)
    app.text_area(key=Key.MASK).input("lime").run()
    run_id = started(app)
    settled(context, run_id)
    close_context()
    context = bare(DRRD_API_KEY=TYPED)
    context.service.runs.answer(run_id, "approve-plan", "approve", by="Mina")
    with pytest.raises(CallerError, match="not here now"):
        context.service.runs.wait(run_id, 60)
    app = page(run=run_id)
    assert "keeps listed words, 1 in all, from its model's server" in app.warning[0].value
    app.text_area(key=Key.RESUME_MASK).input("lime")
    app.button(key=Key.RESUME).click().run()
    assert not app.exception
    assert settled(context, run_id).status not in ("paused", "interrupted")
    assert "lime" not in str(list(fake.requests))


class Watched(RunService):
    """A service that resumes nothing, and tells what it would have resumed with."""

    def watch(self, workbench: Workbench, base_url: str) -> list[tuple[str, bool]]:
        """Return the list that each resuming adds to: the run's key, and whether its words are here."""
        self.workbench, self.base_url, self.seen = workbench, base_url, []
        return self.seen

    def resume(self, run_id: str) -> None:
        key = self.workbench.keys.key(run_id, self.base_url, {})
        self.seen.append((key.get_secret_value(), self.workbench.masks.has(run_id)))


def test_resume_goes_on_with_what_was_typed_last_and_takes_it_once(page, bare, fake):
    context = bare()
    app = filled(page(), fake.base_url, TYPED)
    app.text_area(key=Key.MASK).input("lime").run()
    run_id = started(app)
    settled(context, run_id)
    close_context()
    context = bare(service=Watched)
    seen = context.service.runs.watch(context.service.workbench, fake.base_url)
    context.service.runs.answer(run_id, "approve-plan", "approve", by="Mina")
    with pytest.raises(CallerError, match="not here now"):
        context.service.runs.wait(run_id, 60)
    app = page(run=run_id)
    app.text_input(key=Key.RESUME_KEY).input(TYPED)
    app.text_area(key=Key.RESUME_MASK).input("lime")
    app.button(key=Key.RESUME).click().run()
    assert not app.exception
    app.button(key=Key.RESUME).click().run()
    assert seen == [(TYPED, True), (TYPED, True)]


def test_words_that_cannot_be_masked_start_no_run(page, bare, fake):
    context = bare()
    app = filled(page(), fake.base_url, TYPED)
    app.text_area(key=Key.MASK).input("lime\n7").run()
    app.button(key=Key.START).click().run()
    assert "the words to mask, line 2: a figure of fewer than 3 digits" in app.error[0].value
    assert context.service.store.list() == []


def test_a_server_that_was_struck_off_the_list_is_not_asked_again(page, bare, fake):
    context = bare()
    run_id = started(filled(page(), fake.base_url, TYPED))
    settled(context, run_id)
    close_context()
    context = bare(DRRD_ENDPOINTS_ALLOWED="api.example.org", DRRD_API_KEY=TYPED)
    before = fake.stats()["requests"]
    context.service.runs.answer(run_id, "approve-plan", "approve", by="Mina")
    with pytest.raises(CallerError):
        context.service.runs.wait(run_id, 60)
    app = page(run=run_id)
    assert "choose from: api.example.org" in app.warning[0].value.replace("\\", "")
    assert fake.stats()["requests"] == before
