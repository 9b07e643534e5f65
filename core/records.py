"""Where runs are recorded beyond this machine's disk, so that another machine can go on."""

from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from core.clock import Clock
from core.commit import Mirror
from core.errors import CallerError
from core.settings import Services
from core.values import Frozen


class Recorded(Frozen):
    """One line of a list of recorded runs."""

    run_id: str
    project_id: str
    events: int
    """How many lines its trace has."""
    driver: str
    """Who drives it now; "" if nobody does."""


class Copy(Protocol):
    """A run's folder on this machine's disk."""

    @property
    def path(self) -> Path:
        """``<audits>/<project_id>/<run_id>``."""
        ...

    @property
    def run_id(self) -> str:
        """The run."""
        ...

    @property
    def project_id(self) -> str:
        """The project it belongs to."""
        ...


class Held(Mirror, Protocol):
    """A recorded run in the hands of its one driver, for its commits to be mirrored there."""

    def receive(self) -> None:
        """Bring the folder to the record's state where the record knows more.

        What the folder has beyond the record is kept. Raises CallerError if they contradict.
        """
        ...

    def send(self) -> None:
        """Commit whatever the folder has beyond the record."""
        ...


class Records(Protocol):
    """All recorded runs."""

    def list(self) -> tuple[Recorded, ...]:
        """Return every run, newest first."""
        ...

    def fetch(self, run_id: str, root: Path) -> Path:
        """Make or refresh a run's folder under *root* and return it.

        Raises CallerError if no such run is recorded, or if the folder contradicts the record.
        """
        ...

    def claim(self, folder: Copy, name: str, data: bytes) -> bytes:
        """Record a file that only one may write, and return what stands: *data* or the first."""
        ...

    def lease(self, folder: Copy, holder: str) -> AbstractContextManager[Held]:
        """Hold the run for one driver; free at once when the holder dies.

        Raises CallerError naming the holder if another driver has it.
        """
        ...

    def saver(self) -> AbstractAsyncContextManager[Any]:
        """Open the graph library's checkpoints on the same database."""
        ...


class _Module(Protocol):
    def open_records(self, url: str, clock: Clock) -> AbstractContextManager[Records]: ...


def open_records(services: Services, clock: Clock) -> AbstractContextManager[Records | None]:
    """Open the records that *services* name; None if they name none.

    Raises CallerError if they cannot be used.
    """
    url = services.database_url.get_secret_value()
    if not url:
        return nullcontext(None)
    try:
        module = import_module("core.postgres")
    except ModuleNotFoundError as missing:
        raise CallerError(
            f"DRRD_DATABASE_URL is set but the package {missing.name!r} is not installed; "
            "install it with pip install -e '.[postgres]' or unset it"
        ) from missing
    return cast(_Module, module).open_records(url, clock)
