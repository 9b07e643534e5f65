"""A run that builds on another one: what still holds is taken over, the rest is done again."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core.driving import drive
from core.errors import CallerError
from core.events import PlanApproved, TaskFinished
from core.graph.files import read_answer
from core.graph.nodes import Work
from core.graph.revision import REVISION, ClaimEdit, Redo, revise
from core.graph.state import Answer, Claim
from core.replay import replay
from core.settings import Flags, RunOptions
from core.store import RunFolder, RunStore
from core.testing import FakeClock, FakeParts, fake_task
from core.trace import read_events, verify

PLAN = (fake_task("T1"), fake_task("T2", "T1"), fake_task("T3"))
OPTIONS = RunOptions(flags=Flags(APPROVAL_REQUIRED=False))
ASKS = RunOptions(flags=Flags(APPROVAL_REQUIRED=True))


async def claims(work: Work) -> Answer:
    heard = f" heeding {work.feedback[0]}" if work.feedback else ""
    text = f"{work.task.id} holds{heard}"
    claim = Claim(kind="assumption", text=text, source="A1")
    return Answer(task_id=work.task.id, content=f"So: {text}.", claims=(claim,))


def parts(folder: RunFolder) -> FakeParts:
    return FakeParts(PLAN, folder.options(), agent=claims)


@pytest.fixture
def first(tmp_path: Path) -> RunFolder:
    folder = RunStore(tmp_path).create("first", OPTIONS, {"idea": "bake"})
    asyncio.run(drive(folder, parts(folder), FakeClock()))
    return folder


def second(first: RunFolder, **asked: Any) -> tuple[RunFolder, FakeParts]:
    revision = revise(first, by="ann", at="noon", **asked)
    store = RunStore(first.path.parent.parent)
    folder = store.create("second", ASKS, first.read_json("brief.json"))
    folder.write_json(REVISION, revision)
    made = parts(folder)
    assert asyncio.run(drive(folder, made, FakeClock())).status == "finished"
    assert verify(folder.path).problems == ()
    again = replay(folder.path, parts, first.path.parent.parent / "again")
    assert again.first_difference == ""
    return folder, made


def contents(folder: RunFolder, ids: Sequence[str] = ("T1", "T2", "T3")) -> dict[str, str]:
    found = {task_id: read_answer(folder, task_id) for task_id in ids}
    return {task_id: answer.content for task_id, answer in found.items() if answer}


def test_a_task_is_done_again_with_the_note_and_so_is_what_rests_on_it(first: RunFolder) -> None:
    folder, made = second(first, redo=[Redo(task_id="T1", note="the draught")])
    assert made.worked == [("T1", 1), ("T2", 1)]
    assert contents(folder) == {
        "T1": "So: T1 holds heeding the draught.",
        "T2": "So: T2 holds.",
        "T3": "So: T3 holds.",
    }
    events = [row.event for row in read_events(folder.trace_path)]
    approved = [(e.by, e.at) for e in events if isinstance(e, PlanApproved)]
    assert approved == [("ann", "noon")]
    assert sorted(e.task_id for e in events if isinstance(e, TaskFinished)) == ["T1", "T2", "T3"]
    assert contents(first)["T1"] == "So: T1 holds."


def test_an_edited_claim_is_the_persons_and_what_rests_on_it_is_done_again(
    first: RunFolder,
) -> None:
    edit = ClaimEdit(task_id="T1", number=1, text="T1 holds in winter")
    folder, made = second(first, edits=[edit])
    assert made.worked == [("T2", 1)]
    answer = read_answer(folder, "T1")
    assert answer
    assert answer.content == "So: T1 holds in winter."
    assert answer.claims[0].source == "said by ann"
    assert answer.evaluation is None


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({}, "nothing is to change"),
        ({"redo": [Redo(task_id="T9")]}, "unknown task 'T9'"),
        ({"edits": [ClaimEdit(task_id="T9", number=1, text="x")]}, "unknown answered task 'T9'"),
        ({"edits": [ClaimEdit(task_id="T1", number=2, text="x")]}, "claims 1 to 1"),
        ({"edits": [ClaimEdit(task_id="T1", number=1, text=" ")]}, "needs some words"),
    ],
)
def test_what_is_not_there_cannot_be_revised(
    first: RunFolder, asked: dict[str, Any], told: str
) -> None:
    with pytest.raises(CallerError, match=told):
        revise(first, by="ann", at="noon", **asked)
