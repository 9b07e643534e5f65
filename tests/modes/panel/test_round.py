"""A round of the table, box by box of the design's checklist."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from core.errors import CallerError
from core.events import MessageAdded
from core.graph.build import draw_mermaid
from core.messages import Message, MessageLog
from core.modes import find_mode
from core.modes.panel import (
    END,
    HUMAN,
    PanelState,
    remembered,
    route_to_next_agent,
    run_single_round,
    spec_of,
)
from core.settings import Flags
from core.trace import read_events, verify
from tests.modes.panel.tables import (
    ASKING,
    Script,
    answer,
    begun,
    deps,
    driven,
    lived,
    log,
    party,
    table,
    waiting,
)

SIZES = range(9)


def one_round(state: PanelState, tmp_path: Path, **more: Any) -> tuple[PanelState, Script]:
    script, events = Script(state, **more), list[Any]()
    made = deps(begun(tmp_path), script, events)
    return asyncio.run(run_single_round(state, made)), script


# --- the workflow and its routes


def test_the_workflow_is_built_from_its_turn_queue_and_by_default_of_the_dm_alone() -> None:
    assert PanelState().turn_queue == ("dm",)
    assert PanelState().lead == spec_of(("dm",)).entry == "dm"
    picture = draw_mermaid(spec_of(party(3)))
    assert all(node in picture for node in ("dm", "pc1", "pc2", "pc3", "human"))


def test_one_node_per_participant_in_lower_case_and_one_for_the_person() -> None:
    assert set(spec_of(party(2)).nodes) == {"dm", "pc1", "pc2", "human", "settle", "close"}


@pytest.mark.parametrize("queue", [("dm", "Pc1"), ("dm", "human"), ("dm", "dm"), ("dm", ""), ()])
def test_a_queue_that_cannot_be_told_apart_is_refused(queue: tuple[str, ...]) -> None:
    with pytest.raises(CallerError, match="cannot sit at the table"):
        spec_of(queue)


@pytest.mark.parametrize("size", SIZES)
def test_parties_of_every_size_compile_and_run(size: int, tmp_path: Path) -> None:
    folder, script = begun(tmp_path), Script(table(party(size)))
    assert driven(folder, script).status == "finished"
    assert script.asked == list(party(size))
    assert verify(folder.path).problems == ()


def test_the_router_goes_from_dm_to_the_first_then_to_the_next_and_ends_after_the_last() -> None:
    at = table(party(2))
    routes = [
        route_to_next_agent(at.model_copy(update={"current_turn": turn}))
        for turn in ("dm", "pc1", "pc2")
    ]
    assert routes == ["pc1", "pc2", END]


def test_a_queue_of_the_dm_alone_ends_after_it() -> None:
    assert route_to_next_agent(table().model_copy(update={"current_turn": "dm"})) == END


def test_an_unknown_current_turn_falls_back_to_the_lead() -> None:
    at = table(party(2), current_turn="a stranger")
    assert route_to_next_agent(at) == "dm"


def test_one_invocation_is_one_round_and_the_next_begins_at_the_dm_again(tmp_path: Path) -> None:
    first, script = one_round(table(party(2)), tmp_path / "1")
    assert script.asked == ["dm", "pc1", "pc2"]
    second, again = one_round(first, tmp_path / "2")
    assert again.asked == ["dm", "pc1", "pc2"]
    assert [m.author for m in second.ground_truth_log.messages] == ["dm", "pc1", "pc2"] * 2


def test_a_scenario_may_ask_for_several_rounds_each_opened_by_the_lead(tmp_path: Path) -> None:
    folder, script = begun(tmp_path), Script(table(party(2), rounds=3))
    assert driven(folder, script).status == "finished"
    assert script.asked == ["dm", "pc1", "pc2"] * 3
    assert log(folder)[3] == "[dm]: round 2 after 3"


def test_current_turn_is_updated_by_each_node_when_it_acts(tmp_path: Path) -> None:
    folder, seen = begun(tmp_path), list[str]()

    class Watching(Script):
        async def speak(self, seat: str, state: PanelState) -> Any:
            seen.append(state.current_turn)
            return await super().speak(seat, state)

    driven(folder, Watching(table(party(2))))
    assert seen == ["", "dm", "pc1"]


@pytest.mark.parametrize("size", SIZES)
def test_every_response_is_appended_in_order_under_its_name(size: int, tmp_path: Path) -> None:
    after, _ = one_round(table(party(size)), tmp_path)
    lines = list(after.ground_truth_log.lines())
    assert len(lines) == size + 1
    assert [line.partition(":")[0] for line in lines] == [f"[{name}]" for name in party(size)]


def test_the_log_only_grows(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    driven(folder, Script(table(party(2), rounds=2)))
    numbers = [
        r.event.number for r in read_events(folder.trace_path) if isinstance(r.event, MessageAdded)
    ]
    assert numbers == [1, 2, 3, 4, 5, 6]


def test_the_state_that_went_in_is_never_changed(tmp_path: Path) -> None:
    before = table(party(2))
    copied = before.model_copy(deep=True)
    after, _ = one_round(before, tmp_path)
    assert before == copied
    assert after is not before


# --- a person in a seat


@pytest.mark.parametrize("size", range(1, 9))
def test_the_person_acts_instead_of_the_agent_exactly_once(size: int, tmp_path: Path) -> None:
    held = f"pc{(size + 1) // 2}"
    folder = begun(tmp_path)
    script = Script(table(party(size), human_active=True, controlled_character=held))
    assert lived(folder, script, lambda q: "I look under it.").status == "finished"
    assert script.asked == [name for name in party(size) if name != held]
    mine = [line for line in log(folder) if "I look under it." in line]
    assert mine == [f"[{held}]: I look under it."]
    assert len(log(folder)) == size + 1


def test_the_human_never_speaks_at_the_dms_turn(tmp_path: Path) -> None:
    script = Script(table(party(1), human_active=True, controlled_character="dm"))
    assert driven(begun(tmp_path), script).status == "finished"
    assert script.asked == ["dm", "pc1"]


def test_nobody_held_means_a_round_of_agents(tmp_path: Path) -> None:
    script = Script(table(party(2), human_active=True))
    assert driven(begun(tmp_path), script).status == "finished"
    assert script.asked == ["dm", "pc1", "pc2"]


def test_a_waiting_turn_survives_a_restart_and_goes_on_at_the_same_seat(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    seated = table(party(3), human_active=True, controlled_character="pc2")
    assert driven(folder, Script(seated)).status == "waiting"
    later = Script(seated)
    assert driven(folder, later).status == "waiting"
    [question] = waiting(folder)
    assert (question.id, question.kind) == ("turn-1-pc2", "take_turn")
    answer(folder, question.id, "Here I am.")
    assert driven(folder, later).status == "finished"
    assert later.asked == ["pc3"]
    assert log(folder)[2] == "[pc2]: Here I am."


def test_a_seat_released_in_its_turn_is_its_agents_in_that_turn(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    script = Script(table(party(2), human_active=True, controlled_character="pc1"))
    lived(folder, script, lambda q: {"release": True})
    assert script.asked == ["dm", "pc1", "pc2"]
    assert len(log(folder)) == 3


def test_a_person_may_speak_and_hand_the_seat_back_for_the_next_round(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    script = Script(table(party(1), rounds=2, human_active=True, controlled_character="pc1"))
    lived(folder, script, lambda q: {"say": "Once.", "release": True})
    assert script.asked == ["dm", "dm", "pc1"]


def test_a_held_seat_stays_the_persons_until_it_is_handed_back(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    script = Script(table(party(1), rounds=2, human_active=True, controlled_character="pc1"))
    lived(folder, script, lambda q: "Again.")
    assert script.asked == ["dm", "dm"]
    assert log(folder)[1::2] == ["[pc1]: Again."] * 2


def test_a_person_may_move_on_to_another_seat(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    script = Script(table(party(2), human_active=True, controlled_character="pc1"))
    lived(folder, script, lambda q: {"say": "I go.", "take": "pc2"} if "pc1" in q.id else "Here.")
    assert script.asked == ["dm"]
    assert log(folder)[1:] == ["[pc1]: I go.", "[pc2]: Here."]


def test_a_person_takes_a_seat_before_a_round(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    script = Script(table(party(2), ask_seat=True))
    assert driven(folder, script).reason == "Round 1: which seat do you take?"
    [question] = waiting(folder)
    assert question.answer_schema == {"enum": ["nobody", "pc1", "pc2"]}
    answer(folder, "seat-1", "pc2")
    assert driven(folder, script).reason == "Round 1: what does pc2 say?"
    answer(folder, "turn-1-pc2", "Mine.")
    driven(folder, script)
    assert log(folder)[2] == "[pc2]: Mine."


def test_with_approval_required_seat_and_offers_are_asked(tmp_path: Path) -> None:
    folder = begun(tmp_path, ASKING)
    script = Script(table(party(1)))
    replies = {"seat-1": "nobody", "take-m1": "yes"}
    assert lived(folder, script, lambda q: replies[q.id]).status == "finished"
    assert folder.read_json("result.json")["answers"] == {"take-m1": "yes"}


def test_two_people_and_one_seat_the_first_counts_and_the_other_is_told(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    script = Script(table(party(1), human_active=True, controlled_character="pc1"))
    driven(folder, script)
    answer(folder, "turn-1-pc1", "First.", by="ann")
    with pytest.raises(CallerError, match="ann"):
        answer(folder, "turn-1-pc1", "Second.", by="bob")
    driven(folder, script)
    assert log(folder) == ["[dm]: round 1 after 0", "[pc1]: First."]


def test_only_the_person_of_the_seat_may_speak_for_it(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    script = Script(table(party(1), human_active=True, controlled_character="pc1", person="ann"))
    driven(folder, script)
    with pytest.raises(CallerError, match="'ann', not to 'bob'"):
        answer(folder, "turn-1-pc1", "Me.", by="bob")


# --- what a round is worth when things go wrong


def test_the_step_limit_grows_with_the_queue() -> None:
    limits = [spec_of(party(n)).step_limit(table(party(n)), Flags()) for n in (1, 2, 4)]
    assert limits == [7, 9, 13]


def test_a_failing_seat_leaves_a_marked_entry_and_the_round_goes_on(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    outcome = driven(folder, Script(table(party(2)), failing=frozenset({"pc1"})))
    assert (outcome.status, outcome.reason) == ("holes", "no turn of pc1")
    assert log(folder)[1:] == [
        "[pc1]: (pc1 could not speak: the model does not answer)",
        "[pc2]: round 1 after 2",
    ]


def test_a_failing_engine_returns_the_state_as_it_was_and_the_error(tmp_path: Path) -> None:
    class Broken(Script):
        async def speak(self, seat: str, state: PanelState) -> Any:
            if seat == "pc2":
                raise CallerError("the folder is gone")
            return await super().speak(seat, state)

    before, events = table(party(2)), list[Any]()
    made = deps(begun(tmp_path), Broken(before), events)
    after = asyncio.run(run_single_round(before, made))
    assert after.error == "the folder is gone"
    assert after.model_copy(update={"error": ""}) == before


def test_seats_and_tests_are_scripted_no_model_is_called(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    driven(folder, Script(table(party(2))))
    kinds = {row.event.kind for row in read_events(folder.trace_path)}
    assert not kinds & {"call_tried", "call_ended"}


# --- a long log


def spoken(count: int, length: int) -> MessageLog:
    entries = (
        Message(author=f"pc{n % 4}", text=f"{n} " + "x" * length, round=n // 4)
        for n in range(count)
    )
    return MessageLog(messages=tuple(entries))


def test_a_short_log_is_remembered_as_it_is() -> None:
    said = spoken(8, 20)
    assert remembered(said, 2) == tuple(said.lines())


@pytest.mark.parametrize(("length", "longest"), [(900, 240), (20_000, 60)])
def test_a_long_log_is_shortened_in_at_most_two_passes_and_loses_no_author(
    length: int, longest: int
) -> None:
    said = spoken(40, length)
    lines = remembered(said, 9)
    assert [line.partition("]")[0] for line in lines] == [f"[{m.author}" for m in said.messages]
    assert all(len(line) <= longest + 10 for line in lines[:36])
    assert [line.split()[1] for line in lines] == [str(n) for n in range(40)]
    assert len(said) == 40


def test_the_log_is_shortened_before_the_lead_speaks_and_kept_whole_in_the_record(
    tmp_path: Path,
) -> None:
    long = "y" * 9_000
    folder, seen = begun(tmp_path), list[tuple[str, ...]]()

    class Talkative(Script):
        async def speak(self, seat: str, state: PanelState) -> Any:
            seen.append(state.memory)
            return (await super().speak(seat, state)).model_copy(update={"text": long})

    driven(folder, Talkative(table(party(1), rounds=2)))
    assert [len(m) for m in seen] == [0, 0, 2, 2]
    assert all(len(line) < 300 for line in seen[2])
    assert log(folder) == [f"[{name}]: {long}" for name in ("dm", "pc1", "dm", "pc1")]


def test_the_person_is_routed_to_at_the_turn_of_the_seat_held() -> None:
    held = table(party(2), human_active=True, controlled_character="pc2", current_turn="pc1")
    assert route_to_next_agent(held) == HUMAN
    assert find_mode("panel").spec(Flags()).entry == "dm"
