"""What a run says of what left the machine, read from its own record."""

from pathlib import Path

from core.events import CallTried, Row, RunStarted, ToolCalled
from core.settings import ModelUse, RunOptions, Served
from core.testing import fake_call
from dr_rd.models.privacy.egress import left_machine
from dr_rd.models.served.prices import dollars, spent_usd

AWAY, HERE = "https://api.example.org", "http://localhost:11434"


def rows(*events):
    return [Row(n, "run", "", event, "", "") for n, event in enumerate(events)]


def tried(endpoint=AWAY, purpose="work", chars=1000, outcome="answered"):
    return CallTried(
        call_id="T1-call-1",
        task_id="T1",
        purpose=purpose,
        endpoint=endpoint,
        attempt=1,
        outcome=outcome,
        elapsed_ms=1,
        chars=chars,
    )


def tool(name):
    return ToolCalled(
        id="T1-1", name=name, task_id="T1", role="", args_digest="", elapsed_ms=1, ok=True
    )


def said(*events):
    return left_machine(rows(*events)).sentence()


def ended(model, purpose="work", **values):
    return fake_call(model=model, purpose=purpose, **{"endpoint": AWAY, **values})


def began(**served):
    models = {"work": ModelUse(name="m", form="text")}
    settings = RunOptions(served=Served(base_url=f"{AWAY}/v1", models=models, **served))
    return RunStarted(project_id="p", brief_digest="", settings=settings)


def test_a_run_without_a_model_sent_nothing():
    assert said() == "Nothing left this machine for models."
    assert said(tool("simulate")) == "Nothing left this machine for models."


def test_every_request_counts_whatever_came_of_it_and_repairs_count_as_what_they_repair():
    events = [
        tried(purpose="plan", chars=300),
        tried(outcome="transient"),
        tried(outcome="cancelled"),
        tried(purpose="work-repair", chars=1234),
    ]
    assert said(*events) == (
        "Left this machine for models: 3,534 characters to https://api.example.org in 1 call to "
        "plan, 3 calls to work."
    )
    assert [(s.purpose, s.calls, s.chars) for s in left_machine(rows(*events)).sent] == [
        ("plan", 1, 300),
        ("work", 3, 3234),
    ]


def test_a_model_on_this_machine_is_named_as_such():
    assert said(tried(HERE)) == (
        "Nothing left this machine for models. Went to models on this machine: 1,000 characters "
        "to http://localhost:11434 in 1 call to work."
    )


def test_two_servers_are_told_apart():
    label = said(tried(), tried(HERE, "judge", 7), tried("https://other.example.org"))
    assert "1,000 characters to https://api.example.org in 1 call to work; 1,000" in label
    assert label.endswith("machine: 7 characters to http://localhost:11434 in 1 call to judge.")


def test_every_model_that_was_asked_is_named_by_what_it_did_once():
    events = [tried(purpose="plan"), ended("a", "plan"), tried(), ended("b"), tried(), ended("c")]
    events += [tried(), ended("b", "work-repair"), ended("d", "judge"), tried(HERE, "judge")]
    assert "to plan by a, 3 calls to work by b and c. Went" in said(*events)
    assert said(*events).endswith("in 1 call to judge.")
    told = left_machine(rows(*events)).sentence(lambda name: f"<{name}>")
    assert "by <b> and <c>" in told


def test_how_many_words_were_masked_is_said_and_never_which():
    assert said(began(masked=3), tried()).endswith(" to work. 3 words or figures were masked.")
    assert said(began(masked=1), tried()).endswith("One word or figure was masked.")
    assert "masked" not in said(began(), tried())
    assert "masked" not in said(began(masked=3))
    assert said(began(mask=Path("of-an-earlier-release")), tried()).endswith(
        "Some words or figures were masked."
    )


def test_what_an_earlier_release_did_not_count_is_unknown():
    assert "an unknown number of characters to" in said(tried(), tried(chars=0))


def test_tools_of_other_programs_are_named_since_they_may_be_anywhere():
    assert said(tool("bank.rates"), tool("bank.rates"), tool("simulate")) == (
        "Nothing left this machine for models. Went to other programs, wherever they are: "
        "2 calls of bank.rates."
    )


# ----------------------------------------------------------------------------------- cost


def cost(*calls):
    return spent_usd(rows(*calls))


def test_what_a_run_costs_is_the_sum_of_its_calls():
    assert cost() == 0
    assert cost(fake_call(cost_usd=0.25), fake_call(cost_usd=0.5)) == 0.75


def test_one_call_of_unknown_cost_makes_the_sum_unknown():
    away = {"endpoint": AWAY}
    assert cost(fake_call(cost_usd=0.25), fake_call(**away)) is None
    assert cost(fake_call(ok=False, **away)) is None


def test_a_call_that_was_answered_from_the_record_is_not_paid_again():
    assert cost(fake_call(endpoint=AWAY, tries=0)) == 0


def test_a_call_that_failed_on_this_machine_cost_nothing():
    assert cost(fake_call(ok=False, endpoint=HERE)) == 0
    assert cost(fake_call(endpoint=HERE, reply_digest="0" * 64)) is None


def test_a_cost_is_written_for_a_reader_and_unknown_is_never_nothing():
    assert [dollars(c) for c in (None, 0.0, 0.001234, 0.5, 12.345)] == [
        "unknown",
        "0.00 US dollars",
        "0.0012 US dollars",
        "0.5 US dollars",
        "12.35 US dollars",
    ]
