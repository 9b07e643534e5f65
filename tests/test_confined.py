"""Work in a child with limits: every way to break them ends in a reason."""

import sys

import pytest

from dr_rd.confined import Ended, Limits, answer

LIMITS = Limits(seconds=1, memory=600_000_000, wall=30)
CHILD = """
import os, sys, time
def main(question):
    return {"echo": lambda: question,
            "spin": spin,
            "eat": lambda: b"x" * 10**9,
            "rest": lambda: time.sleep(60),
            "fail": lambda: [][1],
            "leave": lambda: os._exit(3),
            "look": lambda: repr(dict(os.environ)).encode()}[question.decode()]()
def spin():
    while True: pass
"""


@pytest.fixture(scope="module", autouse=True)
def _module(tmp_path_factory):
    folder = tmp_path_factory.mktemp("child")
    (folder / "confined_child.py").write_text(CHILD)
    sys.path.append(str(folder))
    yield
    sys.path.remove(str(folder))


def test_a_child_answers():
    assert answer("confined_child", b"echo", LIMITS) == b"echo"


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        (b"spin", "takes more than 1 s of processor time"),
        (b"eat", r"needs more than 0\.6 GB"),
        (b"fail", r"ended without an answer \(IndexError\)"),
        (b"leave", r"ended without an answer \(exit code 3\)"),
    ],
)
def test_a_child_that_breaks_its_limits_or_itself_tells_why(question, reason):
    with pytest.raises(Ended, match=reason):
        answer("confined_child", question, LIMITS)


def test_a_child_that_rests_is_ended_by_the_wall_limit():
    with pytest.raises(Ended, match="takes more than 1 s"):
        answer("confined_child", b"rest", Limits(seconds=1, memory=600_000_000, wall=1))


def test_a_child_sees_nothing_of_the_environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    assert b"canary" not in answer("confined_child", b"look", LIMITS)
