"""Where each flag leads, by rule, and what a configuration may be."""

import pytest
from pydantic import ValidationError

from core.errors import CallerError
from core.messages import MessageLog
from core.modes.delivery import (
    CLOSE,
    ESCALATE,
    Ask,
    Block,
    Config,
    Delivery,
    Option,
    Route,
    Update,
    after_gate,
    after_people,
    after_stage,
    apply,
    check_installed,
    stage_graph,
)

MENDABLE = Block(id="b1", text="no test", mendable=True)
LOST = Block(id="b2", text="no figure")
SCOPE = Ask(
    id="q",
    text="Does the limit pay staff?",
    options=(
        Option(answer="no", does="it holds"),
        Option(answer="yes", does="it does not", leads="rework"),
        Option(answer="stop", does="the end", leads="end"),
    ),
)


def state(**fields: object) -> Delivery:
    return Delivery().model_copy(update=fields)


@pytest.mark.parametrize("stage", ["analyst", "pm", "architect", "dev"])
def test_escalation_is_honoured_after_every_stage(stage: str) -> None:
    assert after_stage(state(escalate_to_human=True), stage)[0] == ESCALATE


def test_escalation_is_honoured_after_the_gate_too() -> None:
    ready = state(escalate_to_human=True, deployment_ready=True)
    assert after_gate(ready)[0] == ESCALATE


def test_analyst_leads_to_pm_unless_it_escalates() -> None:
    assert after_stage(state(), "analyst") == ("pm", "escalate_to_human is false")


def test_pm_leads_to_architect_only_if_architecture_is_needed() -> None:
    assert after_stage(state(needs_architecture=True), "pm")[0] == "architect"
    assert after_stage(state(), "pm") == ("dev", "needs_architecture is false")


def test_architect_leads_to_dev_and_dev_to_tea() -> None:
    assert after_stage(state(needs_architecture=True), "architect")[0] == "dev"
    assert after_stage(state(), "dev")[0] == "tea"


def test_tea_leads_to_dev_if_the_gate_is_blocked_and_to_the_end_if_not() -> None:
    shut = state(gate_blocked=True, blocks=(MENDABLE, LOST))
    assert after_gate(shut) == ("dev", "gate_blocked: 2 blocks, 1 mendable; rework 1")
    assert after_gate(state(deployment_ready=True))[0] == CLOSE


def test_tea_leads_to_dev_if_it_should_not_be_deployed_whatever_the_other_flag_says() -> None:
    assert after_gate(state(gate_blocked=False, deployment_ready=False))[0] == "dev"


def test_a_gate_that_says_nothing_is_shut_not_passed_by_default() -> None:
    assert after_gate(state())[0] == "dev"


def test_nothing_mendable_goes_to_a_person_before_the_rounds_are_used() -> None:
    to, why = after_gate(state(gate_blocked=True, blocks=(LOST,)))
    assert to == ESCALATE
    assert "0 mendable" in why and "0 of 2 rounds used" in why


def test_rework_that_is_used_up_goes_to_a_person() -> None:
    to, why = after_gate(state(gate_blocked=True, blocks=(MENDABLE,), round=2))
    assert (to, "rework is used up" in why) == (ESCALATE, True)


def test_what_people_have_answered_is_not_asked_again() -> None:
    done = state(gate_blocked=True, blocks=(LOST,), asks=(SCOPE,), settled={"q": "no"})
    assert after_gate(done)[0] == CLOSE


@pytest.mark.parametrize(
    ("answer", "from_", "to"),
    [
        ("no", "tea", "tea"),
        ("no", "analyst", "pm"),
        ("yes", "tea", "dev"),
        ("stop", "tea", CLOSE),
    ],
)
def test_an_answer_leads_where_it_says(answer: str, from_: str, to: str) -> None:
    stuck = Route(source=from_, destination=ESCALATE, reason="stuck")
    asked = state(asks=(SCOPE,), routes=(stuck,), settled={"q": answer})
    assert after_people(asked, (SCOPE,))[0] == to


def test_nobody_asked_leads_to_the_end() -> None:
    stuck = Route(source="tea", destination=ESCALATE, reason="stuck")
    assert after_people(state(routes=(stuck,)), (SCOPE,))[0] == CLOSE


def test_flags_are_declared_and_set_by_rule_from_what_blocks() -> None:
    fields = Delivery.model_fields
    assert {"needs_architecture", "escalate_to_human", "gate_blocked", "deployment_ready"} <= set(
        fields
    )
    assert {"messages", "current_agent", "handoff_context", "decisions"} <= set(fields)
    shut = apply(Delivery(), "tea", Update(said="x", blocks=(LOST,)), MessageLog())
    assert (shut.gate_blocked, shut.deployment_ready) == (True, False)
    open_ = apply(shut, "tea", Update(said="x", blocks=()), MessageLog())
    assert (open_.gate_blocked, open_.deployment_ready) == (False, True)


def test_an_update_is_partial_and_changes_nothing_it_was_given() -> None:
    before = Delivery(decisions=("one",), work={"a": 1})
    kept = before.model_dump_json()
    after = apply(before, "pm", Update(said="x", decisions=("two",), work={"b": 2}), MessageLog())
    assert before.model_dump_json() == kept
    assert after.decisions == ("one", "two")
    assert after.work == {"a": 1, "b": 2}
    assert after.blocks == before.blocks


def test_the_configuration_is_frozen() -> None:
    with pytest.raises(ValidationError):
        Config().rework_rounds = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"entry": "chef"}, "no stage 'chef' to enter at among analyst, pm"),
        ({"stages": ("pm", "pm"), "entry": "pm"}, "once"),
        ({"stages": ("dev", "escalate"), "entry": "dev"}, "once"),
        ({"rework_rounds": 10}, "less than or equal to 9"),
        ({"rework_rounds": -1}, "greater than or equal to 0"),
    ],
)
def test_an_unknown_entry_and_other_mistakes_are_rejected(
    fields: dict[str, object], why: str
) -> None:
    with pytest.raises(ValidationError, match=why):
        Config.model_validate(fields)


def test_an_unknown_stage_is_rejected_with_the_known_ones() -> None:
    config = Config(stages=("analyst", "dve", "tea"))
    with pytest.raises(CallerError, match=r"unknown stage 'dve'.*dev"):
        check_installed(config, {"analyst": None, "dev": None, "tea": None})  # type: ignore[dict-item]


def test_the_graph_has_the_edges_of_the_design_and_no_other() -> None:
    spec = stage_graph(Config())
    assert set(spec.nodes) == {"analyst", "pm", "architect", "dev", "tea", ESCALATE, CLOSE}
    assert {name: set(spec.targets(name)) for name in spec.nodes} == {
        "analyst": {"pm", ESCALATE},
        "pm": {"architect", "dev", ESCALATE},
        "architect": {"dev", ESCALATE},
        "dev": {"tea", ESCALATE},
        "tea": {"dev", ESCALATE, CLOSE},
        ESCALATE: {"analyst", "pm", "architect", "dev", "tea", CLOSE},
        CLOSE: {"__end__"},
    }
    assert spec.entry == "analyst"
    assert stage_graph(Config(entry="dev")).entry == "dev"
