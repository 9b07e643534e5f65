"""Whole runs, and heavy calculations of them, on the workers of a Dask scheduler.

The record is what both sides share. A run is one task that drives it from its record, so a worker
that takes it up after another died goes on from what that one wrote; the submitting side follows
the record as it grows. The scheduler carries only the task, its outcome, and a wish to stop.

Every value crosses the wire as a pickle: scheduler and workers are machines that are trusted with
everything this process may do.
"""

import asyncio
import logging
import platform
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import anyio.to_thread
from anyio.from_thread import start_blocking_portal
from distributed import Client, Future, LocalCluster, Security, get_client, get_worker, secede
from distributed.comm.core import connect
from distributed.scheduler import KilledWorker

from core.clock import Clock, SystemClock, fresh_random, new_run_id
from core.compute import Compute, T
from core.driving import Outcome, Stop, drive
from core.errors import CallerError, Stopped
from core.events import Row, read_row
from core.modes.spec import RunPartsFor
from core.records import open_records
from core.settings import environment, prepare_process, read_services
from core.store import TRACE, RunFolder, RunStore, open_run

LOCAL: Final = "local"
"""The address that asks for workers of this machine's own, one for each core."""

PartsOn = Callable[[Compute], RunPartsFor]
"""Makes runs' parts that calculate where it is told; a module's function, so that it can be sent."""

_LOOK_S = 0.2
"""How often the record is read for news, and the scheduler for a stop, in seconds."""
_FETCH_S = 1
"""How often the records of a run are read for news where they are not on this disk, in seconds."""
_GRACE_S = 20
"""How long a worker has to say that it has paused a run, in seconds."""

MUST_MATCH = ("dr-rd", "langgraph", "numpy", "pydantic")
"""Packages whose versions decide what a run does and how it is written down."""
_LOADER = "langgraph.checkpoint.serde._msgpack"
"""The graph library's reader of checkpoints, which decides when it is imported what it trusts."""
_LOCAL_SETUP = (
    "core.workers",
    "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)",  # Ctrl-C is the submitter's
)


def dask_setup(worker: object) -> None:
    """Prepare a worker that is started with ``--preload core.workers``."""
    del worker
    prepare_process()


@contextmanager
def open_workers(
    address: str, parts_on: PartsOn, clock: Clock, *, patience_s: float = 3
) -> Iterator["Workers"]:
    """Connect to the scheduler at *address*, or start workers on this machine.

    Args:
        address: ``tcp://HOST:PORT``; "local" or "" is one process for each core.
        parts_on: What the workers make a run's parts with.
        clock: The time of this side.
        patience_s: How long a scheduler may take to answer.

    Raises CallerError if nobody answers, no worker is there, or a worker has other versions.

    """
    # the scheduler's own log would come between the lines of the run's progress
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    if address in ("", LOCAL):
        with _local_cluster() as cluster, Client(cluster, set_as_default=False) as client:
            yield Workers(client, "this machine", parts_on, clock)
        return
    with _connected(address, patience_s) as client:
        _check_all(client, address)
        yield Workers(client, address, parts_on, clock)


def _local_cluster() -> LocalCluster:
    """Start one process for each core; only who has this process's certificate is let in."""
    return LocalCluster(
        threads_per_worker=1,
        host="127.0.0.1",
        security=True,
        dashboard_address=None,
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # its metrics have no off switch
        preload=_LOCAL_SETUP,
        silence_logs=logging.CRITICAL,
    )


def _connected(address: str, patience_s: float) -> Client:
    security = Security()  # as Dask's own settings say
    arguments = security.get_connection_args("client")
    if address.startswith("tls:") and not arguments["ssl_context"]:
        raise CallerError(
            f"{address} asks for a certificate; name yours in Dask's settings "
            "distributed.comm.tls.client"
        )
    try:
        # a client that has failed to connect would complain again when the process ends
        with start_blocking_portal() as portal:
            portal.call(_reach, address, patience_s, arguments)
        return Client(address, timeout=patience_s, security=security, set_as_default=False)
    except (OSError, ValueError) as error:
        raise CallerError(
            f"no Dask scheduler answers at {address!r}; start one with `dask scheduler`, or "
            "leave the work on this machine with --workers local"
        ) from error


async def _reach(address: str, patience_s: float, arguments: Mapping[str, Any]) -> None:
    comm = await connect(address, timeout=patience_s, **arguments)
    await comm.close()


def _check_all(client: Client, address: str) -> None:
    """Refuse a cluster that has no workers, or one that would do other work than this process."""
    try:
        theirs = client.run(versions)
    except ModuleNotFoundError as error:
        raise CallerError(
            f"a worker of {address} lacks {error.name}; install the same version of dr-rd there"
        ) from error
    if not theirs:
        raise CallerError(
            f"the scheduler at {address} has no workers; start one with "
            f"`dask worker {address} --preload core.workers`"
        )
    for worker, found in theirs.items():
        _check_same(worker, found, versions())


def versions() -> dict[str, str]:
    """Return what must be the same wherever a run is driven."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {"python": python} | {name: version(name) for name in MUST_MATCH}


def _check_same(worker: str, theirs: Mapping[str, str], ours: Mapping[str, str]) -> None:
    for name, wanted in ours.items():
        if (found := theirs.get(name, "none")) != wanted:
            raise CallerError(
                f"worker {worker} has {name} {found}, but the run was submitted with {wanted}; "
                "install the same version on both"
            )


# The submitting side.


@dataclass(frozen=True, slots=True)
class Workers:
    """Drives runs on a cluster's workers; called as `core.driving.Driver` says."""

    client: Client
    address: str
    """The scheduler's, as a person knows it."""
    parts_on: PartsOn
    clock: Clock

    async def __call__(
        self,
        folder: RunFolder,
        *,
        stop: Stop,
        watch: Callable[[Row], None] | None = None,
    ) -> Outcome:
        """Hand a run to the workers and follow it to its end, or until it is stopped.

        Raises CallerError naming the holder while another driver has the run.
        """
        with folder.lease(self.clock):
            async with folder.recorded():  # where a worker without this disk finds it
                news = _News(folder, watch)
        name = new_run_id(self.clock, fresh_random())
        job = Job(folder.path, folder.records is not None, name, versions())
        future = self.client.submit(
            there, job, self.parts_on, key=f"{folder.run_id}-{name}", pure=False
        )
        try:
            await stop.guard(self._until_done(future, news))
        except Stopped as stopped:
            await self._paused(future, news, name, str(stopped))
        return self._outcome(future, folder, stop)

    async def _until_done(
        self, future: "Future[Outcome]", news: "_News", patience_s: float = float("inf")
    ) -> None:
        start = self.clock.monotonic()
        while not future.done() and self.clock.monotonic() - start < patience_s:
            await self.clock.sleep(news.every_s)
            with suppress(CallerError):  # records that are away for a while
                await news.tell()
        await news.tell()

    async def _paused(
        self, future: "Future[Outcome]", news: "_News", name: str, reason: str
    ) -> None:
        with suppress(OSError):  # a scheduler that is gone; the outcome says so
            await anyio.to_thread.run_sync(self.client.set_metadata, [_STOP, name], reason)
        await self._until_done(future, news, _GRACE_S)

    def _outcome(self, future: "Future[Outcome]", folder: RunFolder, stop: Stop) -> Outcome:
        if not future.done():
            future.cancel()
            reason = f"{stop.reason}; no worker has confirmed it yet"
            return Outcome("paused", folder.path, reason)
        if future.status != "finished":
            return self._failure(future, folder)
        found: Outcome = future.result()
        return replace(found, run_dir=folder.path)

    def _failure(self, future: "Future[Outcome]", folder: RunFolder) -> Outcome:
        if future.cancelled():
            reason = f"the scheduler at {self.address} is gone; a worker may still drive the run"
            return Outcome("paused", folder.path, reason)
        error = future.exception()
        if isinstance(error, KilledWorker):
            died = error.allowed_failures + 1
            reason = f"{died} worker{'s' * (died > 1)} died while driving the run"
            return Outcome("paused", folder.path, reason)
        raise error


class _News:
    """What is new in a run that another process drives."""

    def __init__(self, folder: RunFolder, watch: Callable[[Row], None] | None) -> None:
        self._folder, self._watch = folder, watch
        path = folder.trace_path
        # a torn last line will be cut off and written anew
        self._at = path.read_bytes().rfind(b"\n") + 1 if path.exists() else 0

    @property
    def every_s(self) -> float:
        """How long to wait between two looks, in seconds."""
        return _FETCH_S if self._folder.records else _LOOK_S

    async def tell(self) -> None:
        """Tell the watcher of each whole line since the last time."""
        if records := self._folder.records:
            root = self._folder.path.parent.parent
            await anyio.to_thread.run_sync(records.fetch, self._folder.run_id, root)
        for row in self._rows():
            if self._watch:
                self._watch(row)

    def _rows(self) -> Iterator[Row]:
        if not self._folder.has(TRACE):
            return
        with self._folder.trace_path.open("rb") as file:
            file.seek(self._at)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                self._at += len(line)
                yield read_row(line)


# The worker's side.

_STOP = "dr-rd-stop"
"""Under this name the scheduler keeps which runs are to stop, and why."""


@dataclass(frozen=True, slots=True)
class Job:
    """A run to drive, as a worker is told of it."""

    path: Path
    """Its folder where it was submitted."""
    recorded: bool
    """Whether a worker takes it from the records, rather than from a disk that both see."""
    name: str
    """Under which a stop is heard."""
    versions: Mapping[str, str]
    """Those of the submitting side."""


def there(job: Job, parts_on: PartsOn) -> Outcome:
    """Drive a run on this worker, from wherever its record says it is."""
    _check_same(platform.node(), versions(), job.versions)
    _prepare()
    client, scratch = get_client(), Path(get_worker().local_directory)
    secede()  # a run mostly waits, and its calculations need the worker's thread
    with _opened(job, scratch) as folder:
        return asyncio.run(_driven(folder, parts_on(_on(client)), client, job.name))


def _prepare() -> None:
    """Do what must come before the graph library is loaded; refuse if that is too late."""
    prepare_process()
    loaded = sys.modules.get(_LOADER)
    if loaded and not loaded.STRICT_MSGPACK_ENABLED:
        raise CallerError(
            f"worker {platform.node()} loaded the graph library in its open form for other work; "
            "start it anew with --preload core.workers"
        )


@contextmanager
def _opened(job: Job, scratch: Path) -> Iterator[RunFolder]:
    """Find the run on the disk, or fetch it from the records into this worker's own folder."""
    here = platform.node()
    if not job.recorded:
        if not job.path.is_dir():
            raise CallerError(
                f"worker {here} cannot see {job.path}; give it the same disk, or both sides the "
                "same DRRD_DATABASE_URL"
            )
        yield open_run(job.path)
        return
    with open_records(read_services(environment()), SystemClock()) as records:
        if records is None:
            raise CallerError(
                f"worker {here} does not know the run's records; start it with the same "
                "DRRD_DATABASE_URL"
            )
        root = scratch / "audits"
        root.mkdir(mode=0o700, exist_ok=True)  # scratch space is often under a common /tmp
        yield RunStore(root, records=records).find(job.path.name)


async def _driven(folder: RunFolder, parts_for: RunPartsFor, client: Client, name: str) -> Outcome:
    stop, clock = Stop(), SystemClock()
    hearing = asyncio.create_task(_hear(client, name, stop, clock))
    try:
        await stop.guard(freed(folder, clock))
        return await drive(folder, parts_for(folder), clock, stop=stop)
    except Stopped as stopped:
        return Outcome("paused", folder.path, str(stopped))
    finally:
        hearing.cancel()


async def freed(folder: RunFolder, clock: Clock) -> None:
    """Wait while a worker that was given up for dead still has the run."""
    while folder.is_driven() or await _is_driven_elsewhere(folder):
        await clock.sleep(_LOOK_S)


async def _is_driven_elsewhere(folder: RunFolder) -> bool:
    if not folder.records:
        return False
    runs = await anyio.to_thread.run_sync(folder.records.list)
    return any(run.driver for run in runs if run.run_id == folder.run_id)


async def _hear(client: Client, name: str, stop: Stop, clock: Clock) -> None:
    """Stop the run once the scheduler has a wish to."""
    reason = ""
    while not reason:
        await clock.sleep(_LOOK_S)
        ask = client.get_metadata
        reason = await anyio.to_thread.run_sync(ask, [_STOP, name], "")
    stop.request(reason)


def _on(client: Client) -> Compute:
    """Return what hands a calculation to any worker of the cluster."""

    async def compute(function: Callable[..., T], /, *args: Any) -> T:  # noqa: ANN401 - any
        future = client.submit(function, *args, pure=False)
        result: T = await anyio.to_thread.run_sync(future.result, abandon_on_cancel=True)
        return result

    return compute
