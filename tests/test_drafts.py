"""Drafts of briefs: kept whole, bounded, without secrets, inside their folder."""

import os
from pathlib import Path

import pytest

from core.errors import CallerError
from core.store import RunStore
from core.testing import FakeClock
from dr_rd.drafts import DRAFTS, MAX_BYTES, Draft, Drafts


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def drafts(tmp_path: Path, clock: FakeClock) -> Drafts:
    return Drafts(tmp_path / "audits", clock)


def test_a_draft_comes_back_as_it_was_typed(drafts, tmp_path, clock):
    saved = drafts.save("first", {"objective": "Prüfe Mulch", "days": 3, "limits": ["a", None]})
    brief = {"objective": "Prüfe Mulch", "days": 3, "limits": ["a", None]}
    assert saved == Draft(id="first", saved="2026-01-01T00:00:00.000Z", brief=brief)
    assert Drafts(tmp_path / "audits", clock).read("first") == saved


def test_drafts_are_listed_newest_first_and_deleted(drafts, clock):
    for draft_id in ("b", "c", "a"):
        drafts.save(draft_id, {})
        clock.slept.append(60)
    drafts.save("c", {"objective": "again"})
    assert [d.id for d in drafts.list()] == ["c", "a", "b"]
    drafts.delete("a")
    drafts.delete("a")
    assert [d.id for d in drafts.list()] == ["c", "b"]
    with pytest.raises(CallerError, match="no draft 'a'"):
        drafts.read("a")


def test_no_drafts_is_an_empty_list_and_makes_no_folder(drafts, tmp_path):
    assert drafts.list() == []
    assert not (tmp_path / "audits").exists()


def test_a_draft_is_bounded_and_the_earlier_one_stays(drafts):
    drafts.save("d", {"objective": "short"})
    with pytest.raises(CallerError, match=f"at most {MAX_BYTES:,} are kept; shorten it"):
        drafts.save("d", {"objective": "x" * MAX_BYTES})
    assert drafts.read("d").brief == {"objective": "short"}
    largest = MAX_BYTES - len(
        b'{\n  "saved": "2026-01-01T00:00:00.000Z",\n  "brief": {"a": ""}\n}'
    )
    with pytest.raises(CallerError):
        drafts.save("d", {"a": "x" * largest})  # its own lines take more
    drafts.save("d", {"a": "x" * (largest - 20)})
    assert len(drafts.read("d").brief["a"]) == largest - 20


def test_secrets_are_left_out_of_a_draft(drafts, tmp_path):
    key = "sk-abcdefghijklmnop0123456789"
    saved = drafts.save("d", {"objective": f"use {key}", "api_key": "hunter22"})
    assert saved.brief == {"objective": "use [redacted]", "api_key": "[redacted]"}
    text = (tmp_path / "audits" / DRAFTS / "d.json").read_text()
    assert key not in text
    assert "hunter22" not in text


@pytest.mark.parametrize("draft_id", ["", "..", "../x", "a/b", "A", "x" * 64])
def test_no_id_leads_out_of_the_drafts(drafts, draft_id):
    for act in (drafts.read, drafts.delete, lambda d: drafts.save(d, {})):
        with pytest.raises(CallerError, match="draft id"):
            act(draft_id)


def test_no_link_leads_out_of_the_audits(drafts, tmp_path):
    drafts.save("d", {})
    outside = tmp_path / "outside.json"
    outside.write_text('{"saved": "", "brief": {}}')
    (tmp_path / "audits" / DRAFTS / "e.json").symlink_to(outside)
    for act in (drafts.read, drafts.delete, lambda d: drafts.save(d, {"a": 1})):
        with pytest.raises(CallerError, match="leads out"):
            act("e")
    assert "leads out" in drafts.list()[-1].problem
    assert outside.read_text() == '{"saved": "", "brief": {}}'


@pytest.mark.parametrize(
    "text", [b"{", b"[]", b'{"saved": 1}', b"\xff", b'{"saved": "", "brief": 1}', b" " * 1_000_001]
)
def test_a_damaged_draft_is_listed_with_what_is_wrong(drafts, tmp_path, text):
    drafts.save("good", {})
    (tmp_path / "audits" / DRAFTS / "bad.json").write_bytes(text)
    good, bad = drafts.list()
    assert (good.id, good.problem) == ("good", "")
    assert "bad.json" in bad.problem
    drafts.delete("bad")
    assert [d.id for d in drafts.list()] == ["good"]


def nested(depth: int) -> list:
    inner: list = []
    for _ in range(depth):
        inner = [inner]
    return inner


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), "\ud800", nested(500), nested(100_000)]
)
def test_what_is_no_json_is_refused_and_the_earlier_draft_stays(drafts, value):
    earlier = drafts.save("d", {"a": "b"})
    with pytest.raises(CallerError, match="cannot be kept as JSON"):
        drafts.save("d", {"a": value})
    assert drafts.list() == [earlier]


def test_audits_that_cannot_be_written_are_the_callers_business(tmp_path, clock):
    (tmp_path / "file").write_text("")
    drafts = Drafts(tmp_path / "file", clock)
    with pytest.raises(CallerError, match="choose another --audits"):
        drafts.save("d", {})
    with pytest.raises(CallerError, match="cannot be deleted"):
        drafts.delete("d")
    assert drafts.list() == []


def test_a_draft_is_no_run(drafts, tmp_path):
    drafts.save("d", {})
    assert RunStore(tmp_path / "audits").list() == []
    assert not RunStore(tmp_path / "audits").has("d")


def test_half_a_file_is_no_draft(drafts, tmp_path):
    drafts.save("d", {})
    (tmp_path / "audits" / DRAFTS / f"e.json.{os.getpid()}.part").write_text("{")
    assert [d.id for d in drafts.list()] == ["d"]
