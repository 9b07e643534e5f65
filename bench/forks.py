"""Work in a fork of this process, to be killed at any moment.

Only a process without threads may be forked.
"""

import os
import traceback
from collections.abc import Callable


def forked(work: Callable[[], object]) -> int:
    """Do *work* in a fork; return its process id."""
    child = os.fork()
    if not child:
        try:
            work()
        except BaseException:  # noqa: BLE001 - shown, and told by the exit code
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return child


def ended(child: int) -> bool:
    """Wait for a fork to end; tell whether a signal killed it."""
    _, status = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(status) > 0:
        raise AssertionError("the work raised an error; see above")
    return os.WIFSIGNALED(status)
