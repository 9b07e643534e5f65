"""A live room on a clock that the test moves: locks, timers, order of events, independence."""

from collections.abc import Callable, Coroutine
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any

import anyio
import pytest

from core.modes.downselect.room import Room
from core.modes.downselect.state import Broadcast, Refused, Wish
from core.modes.downselect.voices import Look, Speech
from tests.modes.downselect.tables import HandClock, Scripted, room, settled

QUICK = {"typing_s": (1.0, 1.0), "messages_a_round": 20}


@asynccontextmanager
async def played(made: Room, clock: HandClock):
    """Run the room meanwhile; what everybody is told is collected."""
    told: list[Broadcast] = []
    stream = made.listen()

    async def collect() -> None:
        async with stream:
            async for event in stream:
                told.append(event)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(made.run)
        tasks.start_soon(collect)
        await settled()
        yield told
        tasks.cancel_scope.cancel()


def in_loop(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    anyio.run(test)


def silent(**more: Any) -> Scripted:
    return Scripted(**more)


def names(told: list[Broadcast], *wanted: str) -> list[str]:
    return [b.event for b in told if not wanted or b.event in wanted]


def test_typing_start_message_and_stop_come_in_order_and_the_queue_is_drained_once() -> None:
    async def check() -> None:
        made, clock = room(
            {"v1": Scripted(lines=["hello"]), "v2": silent(), "v3": silent()}, people=1, **QUICK
        )
        async with played(made, clock) as told:
            await clock.advance(5)
            mine = [b for b in told if b.event in ("typing", "message")]
            label = made.game.label("v1")
            assert [(b.event, b.data.get("active")) for b in mine] == [
                ("typing", True),
                ("message", None),
                ("typing", False),
            ]
            assert {b.data["by"] for b in mine} == {label}
            assert made.game.broadcast_queue == ()
            await clock.advance(5)
            assert len([b for b in told if b.event == "message"]) == 1

    in_loop(check)


def test_a_double_trigger_gives_one_reply_per_agent() -> None:
    async def check() -> None:
        gate = anyio.Event()
        slow = Scripted(lines=["once", "twice"], slow=gate)
        made, clock = room({"v1": slow, "v2": silent(), "v3": silent()}, people=1, **QUICK)
        async with played(made, clock) as told:
            await clock.advance(1)
            for n in range(3):
                await made.say("p1", f"anybody? {n}")
                await clock.advance(3)
            assert [kind for kind, _ in slow.seen] == ["wish"]  # marked once, however often asked
            gate.set()
            await clock.advance(12)
            by_it = [
                b for b in told if b.event == "message" and b.data["by"] == made.game.label("v1")
            ]
            assert len(by_it) == 1

    in_loop(check)


def test_generation_is_outside_the_lock_so_that_others_go_on() -> None:
    async def check() -> None:
        made, clock = room(
            {"v1": Scripted(lines=["x"], slow=anyio.Event()), "v2": silent(), "v3": silent()},
            people=1,
            **QUICK,
        )
        async with played(made, clock):
            await clock.advance(1)
            with anyio.fail_after(1):
                await made.say("p1", "I am not held up")
                assert made.view("p1").chat_history[-1]["text"] == "I am not held up"

    in_loop(check)


class SlowSpeech(Scripted):
    """A voice that decides at once and is slow to find its words."""

    async def speak(self, look: Look) -> Speech:
        assert self.slow
        await self.slow.wait()
        self.slow = None
        return await super().speak(look)

    async def wish(self, look: Look) -> Wish:
        return Wish(should_respond=self.said < len(self.lines), reason="has lines")


@pytest.mark.parametrize("slow", ["generation", "typing delay"])
def test_phase_is_checked_again_a_late_message_discarded_typing_stopped_pending_cleared(
    slow: str,
) -> None:
    async def check() -> None:
        gate = anyio.Event()
        if slow == "generation":
            voice, typing = SlowSpeech(lines=["too late"], slow=gate), (1.0, 1.0)
        else:
            voice, typing = Scripted(lines=["too late"]), (30.0, 30.0)
        made, clock = room(
            {"v1": voice, "v2": silent(), "v3": silent()},
            people=1,
            discussion_s=20,
            cooldown_s=0,
            typing_s=typing,
            messages_a_round=20,
        )
        async with played(made, clock) as told:
            await clock.advance(21)
            assert made.game.phase == "voting"
            assert made.game.pending_ai_messages == ()
            assert [b.data["active"] for b in told if b.event == "typing"] == [True]
            gate.set()
            await clock.advance(20)
            assert "message" not in names(told)
            assert [b.data["active"] for b in told if b.event == "typing"] == [True, False]
            assert made.discarded == 1

    in_loop(check)


def test_a_late_ballot_is_discarded() -> None:
    async def check() -> None:
        gate = anyio.Event()
        late = Scripted(slow=None)
        made, clock = room(
            {"v1": late, "v2": silent(), "v3": silent()},
            people=1,
            discussion_s=5,
            voting_s=10,
            **QUICK,
        )
        async with played(made, clock):
            await clock.advance(4)
            late.slow = gate
            await clock.advance(12)
            assert made.game.round == 2
            gate.set()
            await settled()
            assert made.discarded == 1
            assert {b.voter for b in made.game.ballots} == {"v2", "v3"}

    in_loop(check)


def test_discussion_ends_by_its_timer_and_voting_by_its_own() -> None:
    async def check() -> None:
        made, clock = room({"v1": silent(), "v2": silent(), "v3": silent()}, people=1)
        async with played(made, clock):
            await clock.advance(179)
            assert made.game.phase == "discussion"
            await clock.advance(2)
            assert made.game.phase == "voting"  # the person is waited for
            await clock.advance(57)
            assert made.game.phase == "voting"
            await clock.advance(4)
            assert made.game.round == 2

    in_loop(check)


def test_voting_ends_when_all_have_voted() -> None:
    async def check() -> None:
        made, clock = room({"v1": silent(), "v2": silent()}, people=1)
        async with played(made, clock) as told:
            await clock.advance(182)
            await made.vote("p1", made.game.label("SECRET-1"))
            await clock.advance(1)
            assert made.game.round == 2
            assert [b.data["voted"] for b in told if b.event == "voted"] == [1, 2, 3]

    in_loop(check)


def test_no_voice_speaks_twice_running() -> None:
    async def check() -> None:
        made, clock = room(
            {"v1": Scripted(lines=["a", "b", "c"]), "v2": silent(), "v3": silent()},
            people=1,
            **QUICK,
        )
        async with played(made, clock):
            await clock.advance(60)
            assert [m.text for m in made.game.chat_history.messages] == ["a"]
            await made.say("p1", "go on")
            await clock.advance(30)
            assert [m.text for m in made.game.chat_history.messages] == ["a", "go on", "b"]

    in_loop(check)


def test_silence_of_more_than_ten_seconds_gives_a_proactive_turn() -> None:
    async def check() -> None:
        shy = Scripted(lines=["well"], wishes=[False, False, True])
        made, clock = room({"v1": shy, "v2": silent(), "v3": silent()}, people=1, **QUICK)
        async with played(made, clock):
            await clock.advance(10)
            assert shy.wished == 1  # the round's beginning
            await clock.advance(2)
            assert shy.wished == 2 and shy.seen[-1][1].proactive
            assert shy.seen[-1][1].quiet_s > 10
            await clock.advance(14)
            assert [m.text for m in made.game.chat_history.messages] == ["well"]

    in_loop(check)


def test_voices_are_asked_at_most_every_two_seconds() -> None:
    async def check() -> None:
        asked = silent()
        made, clock = room({"v1": asked, "v2": silent(), "v3": silent()}, people=1, **QUICK)
        async with played(made, clock):
            await clock.advance(5)
            before = asked.wished
            for _ in range(8):
                await made.say("p1", "and?")
                await clock.advance(0.5)
            assert asked.wished - before == 2

    in_loop(check)


def test_ten_seconds_pass_between_messages_of_agents() -> None:
    async def check() -> None:
        voices = {f"v{n}": Scripted(lines=[f"line {n}"]) for n in (1, 2, 3)}
        made, clock = room(voices, people=1, **QUICK)
        times: list[float] = []
        async with played(made, clock) as told:
            for _ in range(100):
                before = len([b for b in told if b.event == "message"])
                await clock.advance(0.5)
                if len([b for b in told if b.event == "message"]) > before:
                    times.append(clock.passed)
        assert len(times) == 3
        assert all(b - a >= 10 for a, b in pairwise(times))

    in_loop(check)


def test_messages_and_votes_outside_their_phase_are_refused_with_a_reason() -> None:
    async def check() -> None:
        made, clock = room({"v1": silent(), "v2": silent(), "v3": silent()}, people=1)
        async with played(made, clock):
            with pytest.raises(Refused, match="in discussion: ballots"):
                await made.vote("p1", "Option A")
            with pytest.raises(Refused, match="empty"):
                await made.say("p1", "  ")
            await clock.advance(182)
            with pytest.raises(Refused, match="in voting: messages"):
                await made.say("p1", "one more thing")
            with pytest.raises(Refused, match="in voting"):
                await made.typing("p1", active=True)
            with pytest.raises(Refused, match="there is no 'Option Z'"):
                await made.vote("p1", "Option Z")

    in_loop(check)


def test_two_rooms_are_independent() -> None:
    async def check() -> None:
        clock = HandClock()
        stuck, _ = room(
            {"v1": Scripted(lines=["x"], slow=anyio.Event()), "v2": silent(), "v3": silent()},
            clock=clock,
            **QUICK,
        )
        free, _ = room(
            {"v1": Scripted(lines=["y"]), "v2": silent(), "v3": silent()},
            clock=clock,
            people=1,
            seed=1,
            **QUICK,
        )
        async with played(stuck, clock), played(free, clock) as told:
            await clock.advance(5)
            assert [b.data["text"] for b in told if b.event == "message"] == ["y"]
            assert stuck.game.chat_history.messages == ()
            assert stuck.game.pseudonym_map != free.game.pseudonym_map

    in_loop(check)


def test_a_room_of_voices_alone_goes_to_its_end_without_waiting_for_its_timers() -> None:
    async def check() -> None:
        made, clock = room({f"v{n}": Scripted(lines=["only"]) for n in (1, 2, 3)}, **QUICK)
        async with played(made, clock) as told:
            await clock.advance(170)
            assert made.game.phase == "game_over"
            assert told[-1].event == "game_over"
            assert set(told[-1].data["options"].values()) == {"SECRET-1", "SECRET-2", "SECRET-3"}

    in_loop(check)


def test_who_leaves_is_not_waited_for() -> None:
    async def check() -> None:
        made, clock = room({"v1": silent(), "v2": silent()}, people=1)
        async with played(made, clock) as told:
            await made.leave("p1")
            await settled()
            label = made.game.label("p1")
            assert label not in [b for b in told if b.event == "player_list"][-1].data["players"]
            await clock.advance(30)
            assert made.game.phase == "game_over"

    in_loop(check)


def test_a_hundred_rooms_answer_state_while_every_voice_is_slow() -> None:
    """None of them waits for a voice: each answers though not one voice has said a word."""

    async def check() -> None:
        clock, never = HandClock(), anyio.Event()
        rooms = [
            room(
                {f"v{n}": Scripted(lines=["x"], slow=never) for n in (1, 2, 3)},
                clock=clock,
                people=1,
                seed=seed,
            )[0]
            for seed in range(100)
        ]
        async with anyio.create_task_group() as tasks:
            for made in rooms:
                tasks.start_soon(made.run)
            await clock.advance(2)
            for made in rooms:
                with anyio.fail_after(1):
                    await made.say("p1", "hello")
                assert made.view("p1").chat_history[-1]["text"] == "hello"
                assert made.view().phase == "discussion"
            tasks.cancel_scope.cancel()

    in_loop(check)


def test_a_viewer_sees_labels_and_its_own_ballot_and_nothing_else_before_the_end() -> None:
    async def check() -> None:
        made, clock = room({"v1": silent(), "v2": silent(), "v3": silent()}, people=1)
        async with played(made, clock):
            await clock.advance(182)
            await made.vote("p1", made.game.label("SECRET-2"))
            mine, theirs = made.view("p1"), made.view()
            assert mine.my_ballot == made.game.label("SECRET-2")
            assert theirs.my_ballot is None and theirs.view_for == ""
            assert mine.revealed is None and mine.winner is None
            for seen in (mine, theirs):
                shown = seen.model_dump_json()
                for secret in ("SECRET-", "secret-role", "Secret Title", "ann1", "human", '"ai"'):
                    assert secret not in shown

    in_loop(check)
