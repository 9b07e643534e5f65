"""A delivery as a function, a stage from a temporary folder, and the thread ids of both."""

import asyncio
from pathlib import Path

import pytest

from core.modes.delivery import Config, Delivery
from core.settings import RunOptions
from core.store import RunStore
from core.testing import FakeClock
from dr_rd.modes.delivery.stages import GROUP, installed_stages
from dr_rd.modes.delivery.workflow import StageEnded, run_workflow, stream_workflow
from tests.modes.delivery.real import driven, real_run
from tests.modes.delivery.script import BLOCKED, FINE, Script, last_state, nodes, parts
from tests.modes.delivery.test_results import short_brief
from tests.toys.installed import installed

BRIEF = {"idea": "bread"}


def ran(root: Path, script: Script, thread_id: str = "") -> Delivery:
    return asyncio.run(
        run_workflow(
            BRIEF,
            store=RunStore(root),
            parts_for=lambda folder: parts(script),
            clock=FakeClock(),
            thread_id=thread_id,
        )
    )


def threads(root: Path) -> list[Path]:
    return [p for p in (root / "default").iterdir() if p.is_dir() and p.name[0] != "."]


def test_run_workflow_returns_the_final_state(tmp_path: Path) -> None:
    state = ran(tmp_path, Script({"tea": [BLOCKED, FINE]}))
    assert state.deployment_ready
    assert state.routes[-1].destination == "__end__"


def test_a_thread_without_an_id_gets_one_and_a_checkpoint_by_itself(tmp_path: Path) -> None:
    ran(tmp_path, Script())
    [thread] = threads(tmp_path)
    assert len(thread.name) > 10
    assert (thread / "checkpoint.sqlite").exists()


def test_a_given_thread_id_is_used_and_goes_on_where_it_was(tmp_path: Path) -> None:
    script = Script({"tea": [FINE]})
    ran(tmp_path, script, "bread-1")
    ran(tmp_path, script, "bread-1")
    assert [t.name for t in threads(tmp_path)] == ["bread-1"]
    assert len(script.seen) == 4  # nothing was done again


def test_two_threads_do_not_meet(tmp_path: Path) -> None:
    ran(tmp_path, Script({"tea": [BLOCKED]}), "one")
    assert ran(tmp_path, Script(), "two").deployment_ready
    assert sorted(t.name for t in threads(tmp_path)) == ["one", "two"]


def test_without_checkpointing_there_is_no_checkpoint(tmp_path: Path) -> None:
    state = ran(tmp_path, Script(config=Config(enable_checkpointing=False)), "bare")
    assert state.deployment_ready
    assert not (tmp_path / "default" / "bare" / "checkpoint.sqlite").exists()


def test_stream_workflow_yields_one_event_a_node_in_order_while_it_works(tmp_path: Path) -> None:
    script = Script({"tea": [BLOCKED, FINE]})

    async def watched() -> list[tuple[StageEnded, int]]:
        stream = stream_workflow(
            BRIEF,
            store=RunStore(tmp_path),
            parts_for=lambda folder: parts(script),
            clock=FakeClock(),
            thread_id="live",
        )
        return [(event, len(script.seen)) async for event in stream]

    found = asyncio.run(watched())
    names = [event.node for event, _ in found]
    assert names == ["analyst", "pm", "dev", "tea", "dev", "tea", "close"]
    assert found[0][1] < len(script.seen)  # the first came before the last stage had begun
    assert {event.thread_id for event, _ in found} == {"live"}
    assert [event.destination for event, _ in found][-1] == "__end__"
    assert all(event.reason for event, _ in found)


def test_who_stops_listening_pauses_the_run_and_it_can_go_on(tmp_path: Path) -> None:
    script = Script()

    async def first() -> str:
        stream = stream_workflow(
            BRIEF,
            store=RunStore(tmp_path),
            parts_for=lambda folder: parts(script),
            clock=FakeClock(),
            thread_id="left",
        )
        async for event in stream:
            await stream.aclose()  # type: ignore[attr-defined]
            return event.node
        return ""

    assert asyncio.run(first()) == "analyst"
    assert ran(tmp_path, script, "left").deployment_ready
    folder = RunStore(tmp_path).open(tmp_path / "default" / "left")
    assert nodes(folder).count("close") == 1
    assert last_state(folder).deployment_ready


def test_a_stage_of_one_file_in_another_folder_is_put_in_line_by_a_scenario(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = installed("safety_stage", GROUP, "safety_stage:STAGE", tmp_path)
    monkeypatch.syspath_prepend(place)
    installed_stages.cache_clear()
    try:
        assert "toy" in installed_stages()
        stages = ["analyst", "pm", "architect", "toy", "dev", "tea"]
        scenario = {"stages": stages, "when_stuck": "report"}
        folder = real_run(tmp_path / "audits", short_brief(), scenario)
        driven(folder)
        assert "toy" in nodes(folder)
        assert "3 of 3 packages name no gloves" in str(last_state(folder).messages.messages)
        assert last_state(folder).decisions[-3:] == ("T1", "T2", "T3")
    finally:
        installed_stages.cache_clear()


def test_options_name_the_mode() -> None:
    assert RunOptions(mode="delivery").mode == "delivery"
