"""Work in a child process with limits: what goes wrong there costs itself, never the run."""

import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass

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
    """The child ended without an answer; the message says why, as "takes more than 5 s"."""


def answer(module: str, question: bytes, limits: Limits) -> bytes:
    """Return what ``main(question)`` of *module* returns in a child under *limits*.

    The child imports *module* first and imposes the limits then; it knows nothing of this
    process's environment, so no secret is in its reach.

    Raises:
        Ended: It broke a limit, or broke.

    """
    try:
        child = subprocess.run(  # noqa: S603 - our own interpreter and our own module
            [sys.executable, "-c", _PROGRAM, module, *_numbers(limits), *sys.path],
            input=question,
            capture_output=True,
            timeout=limits.wall,
            check=False,
            env=_ENVIRONMENT if sys.platform != "win32" else None,
        )
    except subprocess.TimeoutExpired as error:
        raise Ended(f"takes more than {limits.wall:g} s") from error
    if child.returncode:
        raise Ended(_cause(child.returncode, child.stderr, limits))
    return child.stdout


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


def _cause(code: int, stderr: bytes, limits: Limits) -> str:
    known = {s.value: s.name for s in signal.Signals}
    ended = known.get(-code, f"exit code {code}")
    if ended in ("SIGXCPU", "SIGKILL"):
        return f"takes more than {limits.seconds} s of processor time"
    last = stderr.decode(errors="replace").strip().rpartition("\n")[2]
    name = last.partition(":")[0].rpartition(".")[2]
    if name.endswith("MemoryError"):
        return f"needs more than {limits.memory / 1e9:.1f} GB"
    return f"ended without an answer ({name[:100] or ended})"
