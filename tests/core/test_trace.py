"""The trace: chained, recovered, viewed, proved."""

import hashlib
import json
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.approval import approval_question
from core.errors import CallerError
from core.events import (
    ApprovalAsked,
    Booted,
    Event,
    NodeEnded,
    NodeStarted,
    PassagesRetrieved,
    ProposalStamped,
    Recovered,
    Row,
    RunEnded,
    RunPaused,
    RunWaiting,
    TaskFinished,
    ToolCalled,
)
from core.settings import Flags, RunOptions
from core.testing import FakeClock, fake_call
from core.trace import (
    GENESIS,
    Trace,
    graph_trace,
    read_events,
    read_kinds,
    status_of,
    trace_rows,
    verify,
)
from core.values import canonical

BOOT = Booted(pid=1, python="3.11")
DONE = TaskFinished(task_id="T1", answer_digest="ab", status="done")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trace.jsonl"


def write(path: Path, *events: Event) -> list[Row]:
    with Trace(path, "run", FakeClock()) as trace:
        for event in events:
            trace.record(event)
    return list(read_events(path))


def test_each_line_is_linked_to_the_one_before(path: Path) -> None:
    rows = write(path, BOOT, DONE, RunPaused(reason="x"))
    assert [row.prev for row in rows] == [GENESIS, rows[0].hash, rows[1].hash]
    assert [row.seq for row in rows] == [0, 1, 2]


def test_a_stranger_can_check_a_line_with_json_and_sha256_alone(path: Path) -> None:
    write(path, BOOT, DONE)
    for line in path.read_text().splitlines():
        fields = json.loads(line)
        claimed = fields.pop("hash")
        text = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert hashlib.sha256(text.encode()).hexdigest() == claimed


EVENTS = get_args(get_args(Event)[0])
GIVEN = {
    "settings": st.just(RunOptions()),
    "flags": st.just(Flags(MAX_CALLS=3)),
    "question": st.sampled_from([approval_question(), approval_question(2)]),
}


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Return values of a type; no number is infinite or none, for JSON has no such numbers."""
    if kind is float:
        return st.floats(allow_nan=False, allow_infinity=False)
    if float in get_args(kind):
        return st.one_of([values(one) for one in get_args(kind)])
    return st.from_type(kind)


@given(data=st.data(), kind=st.sampled_from(EVENTS))
def test_an_event_is_written_as_the_library_would_write_it(
    data: st.DataObject, kind: type
) -> None:
    fields = {n: f.annotation for n, f in kind.model_fields.items() if n != "kind"}
    event = kind(**{n: data.draw(GIVEN.get(n, values(t))) for n, t in fields.items()})
    assert event.canonical() == canonical(event.model_dump(mode="json"))


def test_a_trace_goes_on_where_it_was_left(path: Path) -> None:
    write(path, BOOT)
    rows = write(path, DONE)
    assert [row.seq for row in rows] == [0, 1]
    assert rows[1].prev == rows[0].hash


def test_a_lasting_fact_is_said_once_even_by_two_processes(path: Path) -> None:
    write(path, BOOT, DONE, DONE)
    rows = write(path, BOOT, DONE)
    assert [row.event.kind for row in rows] == ["booted", "task_finished", "booted"]


@given(cut=st.integers(1, 400))
def test_a_torn_tail_is_cut_and_the_cut_recorded(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    path = tmp_path_factory.mktemp("torn") / "trace.jsonl"
    rows = write(path, BOOT, DONE, RunPaused(reason="später"))
    last = len(path.read_bytes().splitlines(keepends=True)[-1])
    torn = path.read_bytes()[: -min(cut, last - 1)]
    path.write_bytes(torn)
    after = write(path)
    assert after[:2] == rows[:2]
    assert after[2].event == Recovered(bytes_cut=last - min(cut, last - 1))
    assert after[2].prev == rows[1].hash


def test_a_damaged_line_in_the_middle_is_not_forgiven(path: Path) -> None:
    write(path, BOOT, DONE)
    path.write_bytes(b"{}\n" + path.read_bytes())
    with pytest.raises(CallerError, match=r"line 1 of .* is damaged"):
        Trace(path, "run", FakeClock())


def test_who_watches_is_told_of_what_is_written_already(path: Path) -> None:
    seen: list[int] = []

    def watch(row: Row) -> None:
        seen.append(len(list(read_events(path))))

    with Trace(path, "run", FakeClock(), watch=watch) as trace:
        trace.record(BOOT)
        trace.record(DONE)
    assert seen == [1, 2]


@pytest.mark.parametrize(
    ("last", "driven", "status"),
    [
        (BOOT, True, "running"),
        (BOOT, False, "interrupted"),
        (ApprovalAsked(plan_digest="ab"), False, "waiting"),
        (RunWaiting(question_ids=("q",)), False, "waiting"),
        (RunPaused(reason="x"), False, "paused"),
        (RunPaused(reason="x"), True, "running"),
        (RunEnded(count=1), False, "interrupted"),
    ],
)
def test_the_last_events_tell_the_status(
    path: Path, last: Event, driven: bool, status: str
) -> None:
    write(path, last)
    assert status_of(path, driven=driven) == status


def test_the_view_pairs_a_nodes_start_with_its_end(path: Path) -> None:
    rows = write(
        path,
        NodeStarted(node="agent", task_id="T1"),
        NodeStarted(node="agent", task_id="T2"),
        NodeEnded(node="agent", task_id="T2", duration_ms=1500),
    )
    assert [row["duration_s"] for row in trace_rows(rows)] == [None, 1.5, 1.5]


def test_the_view_has_the_contracts_rows(path: Path) -> None:
    call = ToolCalled(
        id="T1-1", name="add", task_id="T1", role="r", args_digest="a", elapsed_ms=2, ok=True
    )
    search = PassagesRetrieved(call_id="T1-1", task_id="T1", query="ice", ids=("E1",))
    rows = write(path, BOOT, call, search)
    view = graph_trace(rows, run_id="run", project_id="p", mode="graph")
    assert set(view["trace"][0]) >= {"seq", "event", "node", "task_id", "ts", "duration_s"}
    assert view["tool_trace"][0]["elapsed_ms"] == 2
    assert view["retrieval_trace"][0]["ids"] == ["E1"]
    assert view["built_from"] == rows[-1].hash
    assert [row["seq"] for row in view["trace"]] == [0]


def test_a_run_that_was_cut_off_is_sound_as_far_as_it_went(path: Path) -> None:
    write(path, BOOT, BOOT)
    assert (verify(path.parent).ok, verify(path.parent).ended) == (True, False)
    path.write_bytes(path.read_bytes()[:-9])  # killed in the middle of a line
    found = verify(path.parent)
    assert (found.ok, found.ended, found.events) == (True, False, 1)
    path.write_bytes(path.read_bytes().replace(b"run", b"ran", 1))
    assert not verify(path.parent).ok


def test_a_run_with_checksums_has_ended_and_its_end_is_missed(path: Path) -> None:
    write(path, BOOT)
    (path.parent / "SHA256SUMS").write_text("")
    found = verify(path.parent)
    assert (found.ok, found.ended) == (False, True)
    assert any("no end record" in problem for problem in found.problems)


def test_where_there_is_no_trace_there_is_nothing_to_prove(tmp_path: Path) -> None:
    with pytest.raises(CallerError, match=r"has no trace\.jsonl"):
        verify(tmp_path)


def test_what_a_call_asked_and_heard_must_be_there(path: Path) -> None:
    run = path.parent / "run"
    (run / "artifacts").mkdir(parents=True)
    asked = hashlib.sha256(b"asked").hexdigest()
    (run / "artifacts" / asked).write_bytes(b"asked")
    call = fake_call(request_digest=asked, reply_digest="ab" * 32)
    write(run / "trace.jsonl", BOOT, call)
    said = [problem for problem in verify(run).problems if "T1-call-1" in problem]
    assert said == [f"artifact {'ab' * 32} of T1-call-1 is missing"]


def test_a_stamp_names_the_event_before_it(path: Path) -> None:
    run = path.parent / "run"
    run.mkdir()
    rows = write(run / "trace.jsonl", BOOT)
    write(run / "trace.jsonl", ProposalStamped(head=rows[0].hash))
    assert not any("stamped" in problem for problem in verify(run).problems)
    write(run / "trace.jsonl", ProposalStamped(head="ab" * 32))
    assert "event 2: the proposal is stamped with another hash" in verify(run).problems


def test_events_of_one_kind_are_read_alone_whatever_is_damaged(path):
    with Trace(path, "r", FakeClock()) as trace:
        for event in (BOOT, fake_call(error='not "kind":"task_finished"'), DONE):
            trace.record(event)
    path.write_bytes(path.read_bytes() + b'{"kind":"task_finished"}\n{"kind":"task_fin')
    assert [row.event for row in read_kinds(path, ("task_finished",))] == [DONE]
    assert read_kinds(path.with_name("none"), ("task_finished",)) == []
