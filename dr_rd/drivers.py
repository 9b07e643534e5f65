"""Where runs are driven: in this process, or on the workers that an address names."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from typing import Protocol, cast

from core.clock import Clock
from core.compute import Compute
from core.driving import Driver, Here
from core.errors import CallerError
from core.modes.spec import RunPartsFor
from dr_rd.workbench import Workbench, parts_on


class _Workers(Protocol):
    def open_workers(
        self, address: str, parts_on: Callable[[Compute], RunPartsFor], clock: Clock
    ) -> AbstractContextManager[Driver]: ...


@contextmanager
def driver_at(address: str | None, workbench: Workbench, clock: Clock) -> Iterator[Driver]:
    """Open what drives runs: *workbench* in this process, or workers if there is an *address*.

    Raises CallerError if the workers cannot be used.
    """
    if address is None:
        yield Here(workbench.parts, clock)
        return
    with _workers().open_workers(address, parts_on, clock) as driver:
        yield driver


def _workers() -> _Workers:
    try:
        return cast(_Workers, import_module("core.workers"))  # late: it needs an extra
    except ModuleNotFoundError as missing:
        if missing.name != "distributed":
            raise
        raise CallerError(
            "--workers needs the package distributed; install it with: pip install -e '.[workers]'"
        ) from missing
