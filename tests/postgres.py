"""A real PostgreSQL server for a test, thrown away after it."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import psycopg

PASSWORD = "open-sesame-7"  # noqa: S105 - of a server that lives for a test


@dataclass
class Server:
    """A server of one's own, on loopback and on a socket in its folder."""

    programs: Path
    folder: Path
    port: int
    owner: str | None
    """Who runs it; None is this user. The server refuses to be run by root."""
    settings: str = "-c fsync=off"
    _names: Iterator[int] = field(default_factory=count)

    def start(self) -> None:
        # a stopped server loses nothing without syncing: only a power cut would
        options = f"-p {self.port} -k {self.folder} -h 127.0.0.1 {self.settings}"
        log = str(self.folder / "log")
        self._do("pg_ctl", "start", "-w", "-D", self._data, "-o", options, "-l", log)

    def stop(self, how: str = "immediate") -> None:
        """Stop it; "immediate" is a crash: nothing is written that was not before."""
        self._do("pg_ctl", "stop", "-w", "-D", self._data, "-m", how)

    def make(self) -> None:
        secret = self.folder / "secret"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        self._do(
            *("initdb", "-D", self._data, "-U", "ann", "-A", "scram-sha-256", "--no-sync"),
            *("-E", "UTF8", "--locale=C", f"--pwfile={secret}"),
        )

    def url(self, name: str = "postgres", password: str = PASSWORD) -> str:
        return f"postgresql://ann:{password}@127.0.0.1:{self.port}/{name}"

    def end_sessions(self) -> None:
        """End what others still hold open, and wait until it is: locks on runs are not of one schema."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
                "WHERE usename = current_user AND pid <> pg_backend_pid()"
            )

    def database(self) -> str:
        """Return the address of a place without tables."""
        name = f"test{next(self._names)}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}".encode())
        return f"{self.url()}?options=-csearch_path%3D{name}"  # a database takes a second

    @property
    def _data(self) -> str:
        return str(self.folder / "data")

    def _do(self, program: str, *arguments: str) -> None:
        # no pipes: the server would keep them, and we would wait for its end
        with (self.folder / "said").open("w+") as said:
            done = subprocess.run(
                [str(self.programs / program), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                cwd=self.folder,
                user=self.owner,
                group=pwd.getpwnam(self.owner).pw_gid if self.owner else None,
                extra_groups=() if self.owner else None,
            )
            said.seek(0)
            assert not done.returncode, f"{program}: {said.read()}"


def missing() -> str:
    """Why no server can be made here; "" if one can."""
    if not _programs():
        return "initdb and pg_ctl are not installed (package postgresql)"
    if os.geteuid() == 0 and not _owner():
        return "the server refuses to be run by root, and there is no user postgres or nobody"
    return ""


@contextmanager
def running() -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="drrd-pg-"))  # a socket's path must be short
    server = Server(_programs(), folder, _free_port(), _owner())
    try:
        if server.owner:
            shutil.chown(folder, server.owner)
        server.make()
        server.start()
        yield server
    finally:
        if (folder / "data/postmaster.pid").exists():
            server.stop()
        shutil.rmtree(folder)


def _programs() -> Path | None:
    places = [Path(found).parent] if (found := shutil.which("initdb")) else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((p for p in places if (p / "initdb").exists() and (p / "pg_ctl").exists()), None)


def _owner() -> str | None:
    if os.geteuid():
        return None
    known = {user.pw_name for user in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in known), None)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
