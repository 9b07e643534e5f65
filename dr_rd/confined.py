"""Work in a child process with limits: what goes wrong there costs itself, never the run."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from core.errors import TaskError

if sys.platform != "win32":
    import resource


@dataclass(frozen=True, slots=True)
class Limits:
    """What a child may use up."""

    seconds: int
    """Processor time."""
    memory: int
    """Bytes of address space."""
    wall: float
    """Seconds until it is ended, however it spends them."""

    def impose(self) -> None:
        """Put this process under the limits; the system ends it when its time is up."""
        if sys.platform != "win32":
            with suppress(ValueError, OSError):  # macOS refuses this limit
                resource.setrlimit(resource.RLIMIT_AS, (self.memory, self.memory))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_CPU, (self.seconds, self.seconds + 1))


class Ended(Exception):
    """The child ended without an answer; the message says why, as "needs more than 0.6 GB"."""

    def __init__(self, why: str, raised: str = "") -> None:
        super().__init__(why)
        self.raised = raised
        """The error that its code raised, in its words, as "KeyError: 'plots'"; "" for none."""


class Late(Ended):
    """It took more than its time: "takes more than 5 s"."""


def answer(module: str, question: bytes, limits: Limits) -> bytes:
    """Return what ``main(question)`` of *module* returns in a child under *limits*.

    The child imports *module* first and imposes the limits then; it knows nothing of this
    process's environment, so no secret is in its reach.

    Raises:
        Ended: It broke a limit, or broke.

    """
    child = subprocess.Popen(  # noqa: S603 - our own interpreter and our own module
        [sys.executable, "-c", _PROGRAM, module, *_numbers(limits), *sys.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=_ENVIRONMENT if sys.platform != "win32" else None,
        start_new_session=True,
    )
    return _waited(child, limits, question)


def ask(module: str, question: bytes, limits: Limits) -> Any:  # noqa: ANN401 - any JSON value
    """Return what `reply` wrote in a child, as `answer` runs one.

    Raises:
        Ended: It broke a limit, or broke.
        TaskError: It refused; a sentence says why.

    """
    told = json.loads(answer(module, question, limits))
    if "refused" in told:
        raise TaskError(told["refused"])
    return told["found"]


def reply(find: Callable[[], object]) -> bytes:
    """Write in a child what *find* returns, or the TaskError by which it refuses, for `ask`."""
    try:
        told = {"found": find()}
    except TaskError as error:
        told = {"refused": str(error)}
    return json.dumps(told, allow_nan=False).encode()


MOST_OUTPUT = 32_000_000
"""Bytes that a program may write, as its answer and into files."""


def execute(
    command: Sequence[str],
    limits: Limits,
    *,
    given: bytes = b"",
    inside: int | None = None,
    environment: Mapping[str, str] | None = None,
) -> bytes:
    """Return what another program writes to its standard output, under *limits*.

    Args:
        command: The program, by its absolute path, and its arguments.
        limits: What it may use up; the processes that it starts end with it.
        given: Its standard input.
        inside: Descriptor of the folder it works in, which no rename can exchange for another.
        environment: All that it sees of one; nothing of this process's.

    Raises:
        Ended: It broke a limit, wrote more than MOST_OUTPUT, or failed.

    """
    folder = -1 if inside is None else inside
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as output:
        source.write(given)
        source.seek(0)
        child = subprocess.Popen(  # noqa: S603 - the caller's program, without a shell
            [sys.executable, "-I", "-c", _STEP, *_numbers(limits)[:2], str(folder), *command],
            stdin=source,
            stdout=output,
            stderr=subprocess.DEVNULL,
            env={**_ENVIRONMENT, **(environment or {})},
            pass_fds=() if inside is None else (inside,),
            start_new_session=True,
        )
        _waited(child, limits)
        output.seek(0)
        return output.read()


def _waited(
    child: "subprocess.Popen[bytes]", limits: Limits, question: bytes | None = None
) -> bytes:
    """Return what comes through a child's pipes, where it has some, once it is done.

    What it has started and let out of its group may hold the pipes for ever; nobody waits for that.
    """
    with child:  # closes the pipes on this side
        try:
            output, complaint = child.communicate(question, timeout=limits.wall)
        except subprocess.TimeoutExpired as error:
            os.killpg(child.pid, signal.SIGKILL)  # the group is its own until it is waited for
            raise Late(f"takes more than {limits.wall:g} s") from error
    if child.returncode:
        raise _cause(child.returncode, complaint or b"", limits)
    return output or b""


_STEP = f"""
import os, resource, sys
seconds, memory, folder, *command = sys.argv[1:]
if int(folder) >= 0:
    os.fchdir(int(folder))
try:
    resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
except (ValueError, OSError):
    pass
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
resource.setrlimit(resource.RLIMIT_FSIZE, ({MOST_OUTPUT}, {MOST_OUTPUT}))
resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
os.execv(command[0], command)
"""
"""Limits itself and then becomes the program: safe where threads run, unlike code after a fork."""

_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""A thread reserves address space, which is limited."""

_PROGRAM = (
    "import sys; module, seconds, memory, wall, *sys.path[:] = sys.argv[1:]; "
    "from importlib import import_module; from dr_rd.confined import Limits; "
    "main = import_module(module).main; "
    "Limits(int(seconds), int(memory), float(wall)).impose(); "
    "sys.stdout.buffer.write(main(sys.stdin.buffer.read()))"
)


def _numbers(limits: Limits) -> tuple[str, str, str]:
    return str(limits.seconds), str(limits.memory), str(limits.wall)


def _cause(code: int, stderr: bytes, limits: Limits) -> Ended:
    if code < 0:
        return _ended_by(-code, limits)
    told = stderr.decode(errors="replace").strip().rpartition(_TRACEBACK)
    words = told[2].splitlines() or [""]
    # a traceback's error is the first line after its frames, and its words may have more lines
    raised = next((w for w in words if not w.startswith(" ")), "") if told[1] else words[-1]
    kind, colon, said = raised.partition(":")
    name = kind.rpartition(".")[2]
    if name.endswith("MemoryError"):
        return Ended(f"needs more than {limits.memory / 1e9:.1f} GB")
    why = f"ended without an answer ({name[:100] or f'exit code {code}'})"
    return Ended(why, f"{name}{colon}{said}"[:_MOST_WORDS] if told[1] else "")


_TRACEBACK = "Traceback (most recent call last):\n"
_MOST_WORDS = 1_000
"""Characters of an error that are told."""


def _ended_by(number: int, limits: Limits) -> Ended:
    """What a signal says: the system sends those of two limits, anybody may send the others."""
    known = {s.value: s.name for s in signal.Signals}
    name = known.get(number, f"signal {number}")
    if name == "SIGXFSZ":
        return Ended(f"writes more than {MOST_OUTPUT // 1_000_000} MB")
    if name == "SIGXCPU":
        return Late(f"takes more than {limits.seconds} s of processor time")
    return Ended(f"ended without an answer ({name})")  # SIGKILL may tell of no memory, too
