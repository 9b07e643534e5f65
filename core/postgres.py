"""Runs recorded in PostgreSQL; imported only where a database is named, for it needs an extra.

A run's folder stays the working copy. The database has every file and every line of the trace
before anything depends on it, so that another machine can go on where this one died. One
session a run holds an advisory lock and does all its writing: while that session lives nobody
else drives the run, and when it is lost the lock is taken anew before the next write.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256 as hashed
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import psycopg
from psycopg import AsyncConnection, Connection
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from core.clock import Clock
from core.errors import CallerError, Stopped
from core.files import SUMS, is_inside, lasting, sha256, write_whole
from core.records import Copy, Recorded
from core.settings import valid_id
from core.store import DECISIONS, TRACE

if TYPE_CHECKING:
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

_ONCE = ("answers/", "artifacts/", "brief.json", "inputs/")
"""Files that are written once: two versions of one mean two runs under one name."""
_CLAIMED = ("decision.json", f"{DECISIONS}/")
"""Files of which the record's version stands: whoever wrote another one was second."""

_VERSIONS = (
    """
    CREATE TABLE drrd_runs (
        run_id text PRIMARY KEY,
        project_id text NOT NULL,
        term bigint NOT NULL DEFAULT 0,
        at timestamptz NOT NULL DEFAULT now());
    CREATE TABLE drrd_files (
        run_id text REFERENCES drrd_runs,
        name text,
        data bytea NOT NULL,
        sha256 text NOT NULL,
        at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (run_id, name));
    CREATE TABLE drrd_lines (
        run_id text REFERENCES drrd_runs,
        seq bigint,
        line bytea NOT NULL,
        PRIMARY KEY (run_id, seq));
    """,
)
"""What makes each version of the tables from the one before; add to it, never change it."""

_PUT_FILES = """
    INSERT INTO drrd_files (run_id, name, data, sha256)
    SELECT %s, * FROM unnest(%s::text[], %s::bytea[], %s::text[])
    ON CONFLICT (run_id, name) DO UPDATE
    SET data = excluded.data, sha256 = excluded.sha256, at = now()
    WHERE drrd_files.sha256 <> excluded.sha256
"""
_PUT_LINES = """
    INSERT INTO drrd_lines (run_id, seq, line) SELECT %s, * FROM unnest(%s::bigint[], %s::bytea[])
    ON CONFLICT (run_id, seq) DO UPDATE SET line = excluded.line
    WHERE drrd_lines.line = excluded.line
"""  # a line that is there already counts as put only if it is the same
_TAKE = """
    INSERT INTO drrd_runs (run_id, project_id, term) VALUES (%s, %s, 1)
    ON CONFLICT (run_id) DO UPDATE SET term = drrd_runs.term + 1 RETURNING project_id, term
"""
_DRIVERS = """
    SELECT l.classid::bigint << 32 | l.objid::bigint, a.application_name
    FROM pg_locks l JOIN pg_stat_activity a USING (pid)
    WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND l.database = (
        SELECT oid FROM pg_database WHERE datname = current_database())
"""
_LIST = """
    SELECT run_id, project_id, (SELECT count(*) FROM drrd_lines l WHERE l.run_id = r.run_id)
    FROM drrd_runs r ORDER BY run_id DESC
"""
_SESSION = {
    # a machine that lost its power must not hold a run for the two hours that are the default
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
}
_CONNECT_S = 5
_BATCH = 256
"""Files sent in one transaction when a whole folder is."""

_LOST = (psycopg.OperationalError, psycopg.InterfaceError)
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for a database that is away."""

    total_s: float = 30
    first_s: float = 0.1
    longest_s: float = 2

    def pauses(self, clock: Clock) -> Iterator[None]:
        """Yield at once, then after growing pauses, until the time is up."""
        end, pause = clock.monotonic() + self.total_s, self.first_s
        yield
        while clock.monotonic() < end:
            anyio.run(clock.sleep, pause)  # the threads that commit have no loop of their own
            pause = min(2 * pause, self.longest_s)
            yield


@dataclass(frozen=True)
class Database:
    """A PostgreSQL database and how to reach it; its password is in no text of this class."""

    conninfo: str = field(repr=False)
    clock: Clock
    patience: Patience = Patience()

    @property
    def place(self) -> str:
        """HOST:PORT/NAME."""
        given = conninfo_to_dict(self.conninfo)
        host, port = given.get("host", "localhost"), given.get("port", 5432)
        return f"{host}:{port}/{given.get('dbname', given.get('user', ''))}"

    def connect(self, name: str = "dr-rd") -> "Connection[Any]":
        """Open a session under that name; raises psycopg.OperationalError."""
        connection = Connection.connect(
            self.conninfo, autocommit=True, application_name=name.encode()[:63].decode()
        )
        try:
            connection.execute(
                "SELECT set_config(key, value, false) FROM unnest(%s::text[], %s::text[])"
                " AS given (key, value)",
                (list(_SESSION), list(_SESSION.values())),
            )
        except psycopg.Error:
            connection.close()
            raise
        return connection

    def away(self, error: Exception) -> Stopped:
        """Build the sentence of a run that lost its database."""
        return Stopped(
            f"the database at {self.place} does not answer ({_first_line(error)}); "
            "the run is paused, resume it when the database is back"
        )


def database_at(url: str, clock: Clock, patience: Patience | None = None) -> Database:
    """Read a database's address; raises CallerError if *url* is none."""
    defaults: dict[str, Any] = {
        "connect_timeout": _CONNECT_S,
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 20_000,
    }
    try:
        given = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        # its message quotes the address, and the password with it
        raise CallerError(
            "DRRD_DATABASE_URL is no PostgreSQL address; "
            "write postgresql://USER:PASSWORD@HOST:PORT/NAME"
        ) from None
    return Database(make_conninfo(**(defaults | given)), clock, patience or Patience())


@contextmanager
def open_records(
    url: str, clock: Clock, patience: Patience | None = None
) -> Iterator["PostgresRecords"]:
    """Open the database at *url* and make its tables; raises CallerError if it cannot be used."""
    database = database_at(url, clock, patience)
    try:
        with database.connect() as connection:
            _upgrade(connection, database)
    except _LOST as error:
        raise CallerError(
            f"the database at {database.place} cannot be used ({_first_line(error)}); "
            "correct DRRD_DATABASE_URL or start the database"
        ) from error
    yield PostgresRecords(database)


def _upgrade(connection: "Connection[Any]", database: Database) -> None:
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_key("tables"),))
        connection.execute("CREATE TABLE IF NOT EXISTS drrd_schema (version int NOT NULL)")
        row = connection.execute("SELECT max(version) FROM drrd_schema").fetchone()
        version = (row and row[0]) or 0
        if version > len(_VERSIONS):
            raise CallerError(
                f"the database at {database.place} has tables of version {version} and this "
                f"dr-rd knows versions to {len(_VERSIONS)}; install a newer dr-rd"
            )
        for number, statement in enumerate(_VERSIONS[version:], version + 1):
            connection.execute(statement.encode())
            connection.execute("INSERT INTO drrd_schema VALUES (%s)", (number,))


class PostgresRecords:
    """All runs recorded in one database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._checkpoints_ready = False

    def list(self) -> tuple[Recorded, ...]:
        """Return every run, newest first."""
        return self._asked(_listed)

    def fetch(self, run_id: str, root: Path) -> Path:
        """Make or refresh a run's folder under *root* and return it.

        Raises CallerError if no such run is recorded, or if the folder contradicts the record.
        """
        return self._asked(lambda c: _fetched(c, valid_id("run id", run_id), root, self.place))

    def claim(self, folder: Copy, name: str, data: bytes) -> bytes:
        """Record a file that only one may write, and return what stands: *data* or the first."""
        return self._asked(lambda c: _claimed(c, folder, name, data))

    @contextmanager
    def lease(self, folder: Copy, holder: str) -> Iterator["HeldRun"]:
        """Hold the run for one driver; free at once when the holder's connection dies.

        Raises CallerError naming the holder if another driver has it.
        """
        held = HeldRun(self._database, folder, holder)
        try:
            held.take()
            yield held
        finally:
            held.close()

    @asynccontextmanager
    async def saver(self) -> "AsyncIterator[AsyncPostgresSaver]":
        """Open the graph library's checkpoints; raises Stopped if the database stays away."""
        # only here: the graph library takes a second to import, and lists do not need it
        from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver  # noqa: PLC0415

        pool: AsyncConnectionPool[AsyncConnection[DictRow]] = AsyncConnectionPool(
            self._database.conninfo,
            kwargs={"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row},
            min_size=1,
            max_size=2,  # the saver takes one step at a time; its set-up needs a second session
            timeout=self._database.patience.total_s,
            check=AsyncConnectionPool.check_connection,
            open=False,
        )
        try:
            async with pool:
                saver = AsyncPostgresSaver(pool)
                await self._set_up(saver, pool)
                yield saver
        except _LOST as error:
            raise self._database.away(error) from error

    async def _set_up(self, saver: "AsyncPostgresSaver", pool: "AsyncConnectionPool[Any]") -> None:
        if self._checkpoints_ready:
            return
        key = (_key("checkpoints"),)
        async with pool.connection() as connection:
            # tried, not waited for: a session that waits would stop the other's CREATE INDEX
            while not await _true(connection, "SELECT pg_try_advisory_lock(%s) AS ok", key):
                await self._database.clock.sleep(self._database.patience.first_s)
            await saver.setup()
            await connection.execute("SELECT pg_advisory_unlock(%s)", key)
        self._checkpoints_ready = True

    @property
    def place(self) -> str:
        """Where the database is: HOST:PORT/NAME."""
        return self._database.place

    def _asked(self, question: "Callable[[Connection[Any]], Found]") -> Found:
        try:
            with self._database.connect() as connection:
                return question(connection)
        except _LOST as error:
            raise CallerError(
                f"the database at {self.place} does not answer ({_first_line(error)}); "
                "try again when it is back"
            ) from error


class HeldRun:
    """A recorded run in the hands of its one driver; used by one thread at a time."""

    def __init__(self, database: Database, folder: Copy, holder: str) -> None:
        self._database, self._folder, self._holder = database, folder, holder
        self._connection: Connection[Any] | None = None
        self._term = 0
        self._gave_up = False

    def take(self) -> None:
        """Take the run; raises CallerError naming the holder if another driver has it."""
        self._patiently(lambda _: None)

    def save(self, files: Mapping[str, bytes], lines: Sequence[tuple[int, bytes]]) -> None:
        """Commit files by name and trace lines by number, all or nothing.

        Raises Stopped if the database stays away, or if another driver has the run by now.
        """
        self._patiently(lambda connection: self._put(connection, files, lines))

    def receive(self) -> None:
        """Bring the folder to the record's state where the record knows more.

        What the folder has beyond the record is kept. Raises CallerError if they contradict.
        """
        self._patiently(lambda c: _received(c, self._folder, self._database.place))

    def send(self) -> None:
        """Commit whatever the folder has beyond the record, the trace last."""
        known = self._patiently(lambda c: _hashes(c, self._folder.run_id))
        here = {n: h for n, h in _local_hashes(self._folder).items() if known.get(n) != h}
        names = sorted(here)
        for start in range(0, len(names), _BATCH):
            batch = names[start : start + _BATCH]
            self.save({n: (self._folder.path / n).read_bytes() for n in batch}, ())
        count = self._patiently(lambda c: _count(c, self._folder.run_id))
        self.save({}, list(enumerate(_whole_lines(self._folder)))[count:])

    def close(self) -> None:
        """Let go of the run."""
        if self._connection:
            self._connection.close()

    def _patiently(self, work: "Callable[[Connection[Any]], Found]") -> Found:
        lost: Exception | None = None
        for _ in self._database.patience.pauses(self._database.clock):
            try:
                found = work(self._session())
            except _LOST as error:
                lost = error
                self.close()
                if self._gave_up:
                    break  # whoever was told that the run pauses does not wait once more
            else:
                self._gave_up = False
                return found
        self._gave_up = True
        raise self._database.away(lost or TimeoutError("no time to ask")) from lost

    def _session(self) -> "Connection[Any]":
        """Return the session that holds the lock; a new one takes it anew."""
        if self._connection is None or self._connection.closed:
            connection = self._database.connect(self._holder)
            try:
                self._lock(connection)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _lock(self, connection: "Connection[Any]") -> None:
        run_id, key = self._folder.run_id, _key(self._folder.run_id)
        if not _value(connection, "SELECT pg_try_advisory_lock(%s)", (key,)):
            other = _drivers(connection).get(key, "")
            if self._term and other in ("", connection.info.parameter_status("application_name")):
                raise psycopg.OperationalError("the lost session still holds the run")
            kind = Stopped if self._term else CallerError
            raise kind(
                f"run {run_id!r} is being driven by another process ({other or 'just ending'}); "
                "wait for it to end or stop it"
            )
        if not self._term:
            self._term = self._taken(connection)
        elif self._term != _value(
            connection, "SELECT term FROM drrd_runs WHERE run_id = %s", (run_id,)
        ):
            raise Stopped(
                f"another process drove run {run_id!r} while the database at "
                f"{self._database.place} was away from this one; resume the run to go on from there"
            )

    def _taken(self, connection: "Connection[Any]") -> int:
        folder = self._folder
        row = connection.execute(_TAKE, (folder.run_id, folder.project_id)).fetchone()
        project, term = row or ("", 0)
        if project != folder.project_id:
            raise CallerError(
                f"run {folder.run_id!r} belongs to project {project!r} in the database at "
                f"{self._database.place}, not to {folder.project_id!r}; choose another run id"
            )
        return int(term)

    def _put(
        self,
        connection: "Connection[Any]",
        files: Mapping[str, bytes],
        lines: Sequence[tuple[int, bytes]],
    ) -> None:
        run_id = self._folder.run_id
        with connection.transaction():
            if files:
                sums = [sha256(data) for data in files.values()]
                connection.execute(_PUT_FILES, (run_id, [*files], [*files.values()], sums))
            if lines:
                numbers, texts = zip(*lines, strict=True)
                put = connection.execute(_PUT_LINES, (run_id, [*numbers], [*texts]))
                if put.rowcount != len(lines):
                    raise _parted(self._folder, self._database.place, numbers[0])


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _key(name: str) -> int:
    """Return the number of an advisory lock."""
    return int.from_bytes(hashed(f"dr-rd {name}".encode()).digest()[:8], signed=True)


def _value(connection: "Connection[Any]", query: str, values: tuple[Any, ...]) -> Any:  # noqa: ANN401 - what was asked for
    row = connection.execute(query.encode(), values).fetchone()
    return row[0] if row else None


async def _true(connection: Any, query: str, values: tuple[Any, ...]) -> bool:  # noqa: ANN401 - rows as dicts
    row = await (await connection.execute(query, values)).fetchone()
    return bool(row["ok"])


def _drivers(connection: "Connection[Any]") -> dict[int, str]:
    """Return who holds which lock."""
    return dict(connection.execute(_DRIVERS).fetchall())


def _count(connection: "Connection[Any]", run_id: str) -> int:
    return int(_value(connection, "SELECT count(*) FROM drrd_lines WHERE run_id = %s", (run_id,)))


def _hashes(connection: "Connection[Any]", run_id: str) -> dict[str, str]:
    query = "SELECT name, sha256 FROM drrd_files WHERE run_id = %s"
    return dict(connection.execute(query, (run_id,)).fetchall())


def _listed(connection: "Connection[Any]") -> tuple[Recorded, ...]:
    drivers = _drivers(connection)
    return tuple(
        Recorded(run_id=run, project_id=project, events=n, driver=drivers.get(_key(run), ""))
        for run, project, n in connection.execute(_LIST)
    )


def _claimed(connection: "Connection[Any]", folder: Copy, name: str, data: bytes) -> bytes:
    run_id = folder.run_id
    with connection.transaction():
        connection.execute(
            "INSERT INTO drrd_runs (run_id, project_id) VALUES (%s, %s) ON CONFLICT DO NOTHING",
            (run_id, folder.project_id),
        )
        connection.execute(
            "INSERT INTO drrd_files (run_id, name, data, sha256) VALUES (%s, %s, %s, %s)"
            " ON CONFLICT DO NOTHING",
            (run_id, name, data, sha256(data)),
        )
        return _file(connection, run_id, name)


def _file(connection: "Connection[Any]", run_id: str, name: str) -> bytes:
    query = "SELECT data FROM drrd_files WHERE run_id = %s AND name = %s"
    return bytes(_value(connection, query, (run_id, name)))


# The folder and the record, side by side.


@dataclass(frozen=True, slots=True)
class _Place:
    path: Path
    run_id: str
    project_id: str


def _fetched(connection: "Connection[Any]", run_id: str, root: Path, place: str) -> Path:
    project = _value(connection, "SELECT project_id FROM drrd_runs WHERE run_id = %s", (run_id,))
    if project is None:
        raise CallerError(f"no run {run_id!r} in the database at {place}; `dr-rd list` shows all")
    path = root.resolve() / valid_id("project id", project) / run_id
    path.mkdir(parents=True, exist_ok=True)
    _received(connection, _Place(path, run_id, project), place)
    return path


def _received(connection: "Connection[Any]", folder: Copy, place: str) -> None:
    """Bring a folder to the record's state; the trace comes last, for it says what is there."""
    mine = _whole_lines(folder)
    with connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")  # one moment
        count = _count(connection, folder.run_id)
        _agree(connection, folder, mine[:count], place)
        for name in _wanted(connection, folder, place, behind=count > len(mine)):
            write_whole(_inside(folder, name), _file(connection, folder.run_id, name))
        query = "SELECT line FROM drrd_lines WHERE run_id = %s AND seq >= %s ORDER BY seq"
        newer = [bytes(row[0]) for row in connection.execute(query, (folder.run_id, len(mine)))]
    if newer:
        write_whole(folder.path / TRACE, b"".join(mine + newer))


def _agree(
    connection: "Connection[Any]", folder: Copy, shared: Sequence[bytes], place: str
) -> None:
    """Refuse two histories; each line carries the hash of the one before, so one look is all."""
    if not shared:
        return
    query = "SELECT line FROM drrd_lines WHERE run_id = %s AND seq = %s"
    if bytes(_value(connection, query, (folder.run_id, len(shared) - 1))) != shared[-1]:
        raise _parted(folder, place, len(shared) - 1)


def _wanted(connection: "Connection[Any]", folder: Copy, place: str, *, behind: bool) -> list[str]:
    """Return the files to take from the record; refuse two versions of one written once."""
    here, wanted = _local_hashes(folder), []
    for name, expected in _hashes(connection, folder.run_id).items():
        if here.get(name) == expected:
            continue
        if name not in here or behind or name.startswith(_CLAIMED):
            wanted.append(name)
        elif name.startswith(_ONCE):
            raise CallerError(
                f"{folder.path / name} is not the one in the database at {place}; "
                "move that file away and resume: the database's is then taken"
            )
    return wanted


def _parted(folder: Copy, place: str, seq: int) -> CallerError:
    return CallerError(
        f"run {folder.run_id!r} went another way in {folder.path} than in the database at "
        f"{place}: their traces differ by event {seq}; move that folder away and resume: "
        "the database's is then taken"
    )


def _local_hashes(folder: Copy) -> dict[str, str]:
    names = [n for n in (*lasting(folder.path), SUMS) if n != TRACE]
    found = ((name, folder.path / name) for name in names)
    return {name: sha256(path.read_bytes()) for name, path in found if path.is_file()}


def _whole_lines(folder: Copy) -> list[bytes]:
    """Return the trace's lines; one that a crash tore is not among them."""
    path = folder.path / TRACE
    lines = path.read_bytes().splitlines(keepends=True) if path.is_file() else []
    return lines[:-1] if lines and not lines[-1].endswith(b"\n") else lines


def _inside(folder: Copy, name: str) -> Path:
    path = folder.path / name
    if not is_inside(folder.path, path):
        raise CallerError(f"the database has a file {name!r} outside of run {folder.run_id!r}")
    return path
