"""Work in a child with limits: every way to break them ends in a reason."""

import fcntl
import os
import signal
import sys

import pytest

from dr_rd.confined import Ended, Limits, answer, execute

LIMITS = Limits(seconds=1, memory=600_000_000, wall=30)

# The programs below that rest are what the limits are for: they wait for a signal that never comes.
# An alarm ends them where a limit does not hold, so that it fails its test and hangs none.
OFFSPRING = """
import fcntl, os, signal
def offspring(folder="."):
    file = open(f"{folder}/lock", "w")
    fcntl.flock(file, fcntl.LOCK_EX)
    with open(f"{folder}/began", "w") as began:
        began.write(str(os.getpid()))
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.alarm(30)
    signal.pause()  # is killed here; outlives it only if the limits do not hold
    open(f"{folder}/ended", "w").close()
"""
CHILD = f"""
import os, signal, sys
{OFFSPRING}
def main(question):
    order, _, given = question.decode().partition(" ")
    return {{"echo": lambda: question,
            "spin": spin,
            "eat": lambda: b"x" * 10**9,
            "rest": rest,
            "fail": lambda: [][1],
            "leave": lambda: os._exit(3),
            "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
            "fork": lambda: fork(given),
            "part": lambda: part(given),
            "look": lambda: repr(dict(os.environ)).encode()}}[order]()
def spin():
    while True: pass
def rest():  # uses no processor: only the wall limit ends it
    signal.alarm(30)
    signal.pause()
def fork(folder):
    if not os.fork():
        offspring(folder)
    os.wait()
def part(folder):  # answers, but its offspring keeps its pipes, and no signal to its group ends that
    if not os.fork():
        os.setsid()
        offspring(folder)
    while not os.path.exists(f"{{folder}}/began"): pass
    return b"parted"
"""


def assert_gone(folder):
    """Wait for the offspring's lock: whoever had it is gone, before its work was done."""
    assert (folder / "began").exists()
    with open(folder / "lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
    assert not (folder / "ended").exists()


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
        (b"kill", r"ended without an answer \(SIGKILL\)"),
    ],
)
def test_a_child_that_breaks_its_limits_or_itself_tells_why(question, reason):
    with pytest.raises(Ended, match=reason):
        answer("confined_child", question, LIMITS)


def test_a_child_that_rests_is_ended_by_the_wall_limit():
    with pytest.raises(Ended, match="takes more than 1 s"):
        answer("confined_child", b"rest", Limits(seconds=1, memory=600_000_000, wall=1))


def test_what_a_child_has_forked_ends_with_it(tmp_path):
    with pytest.raises(Ended, match="takes more than 3 s"):
        limits = Limits(seconds=1, memory=600_000_000, wall=3)
        answer("confined_child", f"fork {tmp_path}".encode(), limits)
    assert_gone(tmp_path)


def test_nobody_waits_for_what_has_left_a_childs_group_and_keeps_its_pipes(tmp_path):
    with pytest.raises(Ended, match="takes more than 3 s"):
        limits = Limits(seconds=3, memory=600_000_000, wall=3)
        answer("confined_child", f"part {tmp_path}".encode(), limits)
    os.kill(int((tmp_path / "began").read_text()), signal.SIGKILL)  # it is there still
    assert_gone(tmp_path)


def test_a_child_sees_nothing_of_the_environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    assert b"canary" not in answer("confined_child", b"look", LIMITS)


def run(program, *, inside=None, wall=30.0, given=b"", **environment):
    limits = Limits(seconds=1, memory=600_000_000, wall=wall)
    return execute(
        [sys.executable, "-I", "-c", program], limits, given=given, inside=inside,
        environment=environment,
    )  # fmt: skip


def test_another_program_answers_from_its_input_and_its_environment():
    program = "import os, sys; print(sys.stdin.read(), os.environ['A'], 'HOME' in os.environ)"
    assert run(program, given=b"in", A="a") == b"in a False\n"


def test_another_program_works_in_the_folder_whose_descriptor_it_is_given(tmp_path):
    (tmp_path / "here").write_text("")
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        assert run("import os; print(os.listdir())", inside=folder) == b"['here']\n"
    finally:
        os.close(folder)


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("while True: pass", "takes more than 1 s of processor time"),
        ("while True: print('x' * 10**6)", "writes more than 32 MB"),
        ("import sys; sys.exit(3)", "exit code 3"),
        ("b'x' * 10**9", "exit code 1"),
    ],
)
def test_another_program_that_breaks_its_limits_or_itself_tells_why(program, reason):
    program = f"import signal; signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n{program}"
    with pytest.raises(Ended, match=reason):
        run(program)


def test_what_another_program_starts_ends_with_it(tmp_path):
    started = f"{OFFSPRING}\noffspring()"
    program = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {started!r}])"
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        with pytest.raises(Ended, match=r"takes more than 2 s"):
            run(program, inside=folder, wall=2)
    finally:
        os.close(folder)
    assert_gone(tmp_path)
