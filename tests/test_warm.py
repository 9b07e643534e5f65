"""A program in a fork ends as it would in a process of its own."""

import signal

from tests.warm import python


def test_a_program_has_its_arguments_its_environment_and_its_streams():
    code = (
        "import os, sys; print(sys.argv[1:], os.getenv('A'), os.getenv('HOME')); "
        "print('said', file=sys.stderr)"
    )
    done = python("-c", code, "x", 3, env={"A": "b"})
    assert (done.returncode, done.stdout, done.stderr) == (0, "['x', '3'] b None\n", "said\n")


def test_the_command_line_says_what_is_wrong_with_its_exit_code():
    done = python("-m", "dr_rd", "replan")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("dr-rd: ")


def test_a_program_that_is_killed_or_fails_is_told_apart():
    kill = "import os, signal; print('begun', flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    killed = python("-c", kill)
    assert (killed.returncode, killed.stdout) == (-signal.SIGKILL, "begun\n")
    failed = python("-c", "raise ZeroDivisionError('a bug')")
    assert failed.returncode == 1
    assert "a bug" in failed.stderr


def test_one_program_leaves_nothing_to_the_next():
    assert python("-c", "import core; core.left = 'behind'").returncode == 0
    assert python("-c", "import core; print(hasattr(core, 'left'))").stdout == "False\n"
