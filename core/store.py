"""Runs on disk: one folder a run, each file written whole or not at all, one driver at a time."""

import fcntl
import json
import os
import platform
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import Any, TypeVar

from anyio import to_thread
from pydantic import BaseModel, JsonValue, ValidationError

from core.clock import Clock, stamp
from core.commit import GroupCommit
from core.errors import CallerError
from core.events import Row, RunEnded, RunStarted
from core.files import (
    CHECKPOINTS,
    LEASE,
    NO_SPACE,
    SUMS,
    Crossing,
    is_inside,
    lasting,
    nothing,
    sha256,
    sync,
    write_once,
    write_soon,
    write_whole,
)
from core.index import RunIndex, RunInfo
from core.lease import is_driven, looking
from core.questions import Decision
from core.records import Records
from core.redaction import Redactor
from core.settings import Flags, RunOptions, valid_id
from core.trace import ENDED, read_kinds, status_of
from core.values import Frozen, canonical

TRACE = "trace.jsonl"
VIEW = "graph_trace.json"
DECISIONS = "decisions"
"""The folder of what people decided, a file a question."""
DRAFTS = ".drafts"
"""The folder of a project in which its runs are made."""
OWNER = "inputs/owner.json"
"""Whose a run is; one that a server without users or the command line began has none."""


Kind = TypeVar("Kind", bound=BaseModel)


class Owner(Frozen):
    """Whose a run is."""

    user: str


def decision_file(question_id: str) -> str:
    """Return where the decision on a question is kept; raises CallerError for no id."""
    return f"{DECISIONS}/{valid_id('question id', question_id)}.json"


class RunFolder:
    """One run's files.

    Args:
        path: ``<audits>/<project_id>/<run_id>``.
        crossing: Told before and after each durable write.
        records: Where the run is recorded too, if anywhere.

    """

    def __init__(
        self, path: Path, crossing: Crossing = nothing, records: Records | None = None
    ) -> None:
        self.path = path.resolve()
        self.run_id = valid_id("run id", self.path.name)
        self.project_id = valid_id("project id", self.path.parent.name)
        self.crossing, self.records = crossing, records
        self.commits = GroupCommit(self.path)
        self._folders: dict[str, str] = {}
        self._sums: dict[str, str] = {}

    @property
    def trace_path(self) -> Path:
        """Where the trace is."""
        return self.path / TRACE

    @property
    def checkpoint_path(self) -> Path:
        """Where the graph library keeps its place; made readable by the owner only."""
        path = self.path / CHECKPOINTS
        os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600))
        path.chmod(0o600)
        return path

    def has(self, name: str) -> bool:
        """Whether the run has a file of that name."""
        return self._inside(name).is_file()

    def write_json(self, name: str, value: object) -> None:
        """Write a JSON file for people to read, whole or not at all."""
        self.write_text(name, readable(value))

    def read_json(self, name: str) -> Any:  # noqa: ANN401 - any JSON value
        """Read a JSON file of the run."""
        text = self.read_text(name)
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            raise CallerError(
                f"{self.path / name} is not JSON ({error}); restore it from a copy"
            ) from error

    def read(self, kind: type[Kind], name: str) -> Kind:
        """Read a JSON file of the run as a value of that kind."""
        try:
            return kind.model_validate_json(self.read_text(name))
        except ValidationError as error:
            faults = error.error_count()
            raise CallerError(
                f"{self.path / name} cannot be read ({faults} fault{'s' * (faults > 1)}); "
                "restore it from a copy or start the run anew"
            ) from error

    def write_text(self, name: str, text: str) -> None:
        """Write a text file, whole or not at all, after all that was written before it."""
        self.commits.sync()
        data = text.encode()
        write_whole(self._inside(name), data, self.crossing)
        self.commits.wrote(name, data, synced=True)

    def read_text(self, name: str) -> str:
        """Read a text file of the run."""
        path = self._inside(name)
        if not path.is_file():  # a pipe would be waited for, a folder cannot be read
            raise CallerError(f"run {self.run_id!r} has no file {name} in {self.path}")
        try:
            return path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise CallerError(
                f"{path} cannot be read ({error}); restore it from a copy"
            ) from error

    def store_artifact(self, data: bytes) -> str:
        """Keep *data* under its SHA-256 and return that; the same bytes are kept once."""
        name = sha256(data)
        if not os.path.exists(self._place("artifacts", name)):
            self._write_soon("artifacts", name, data)
        return name

    def artifact(self, name: str) -> bytes:
        """Return the artifact with that SHA-256."""
        path = self._inside(f"artifacts/{name}")
        data = path.read_bytes() if path.is_file() else None
        if data is None:
            raise CallerError(f"run {self.run_id!r} has lost {path}; restore it from a copy")
        if sha256(data) != name:
            raise CallerError(f"{path} was changed; restore it from a copy")
        return data

    def restore_artifact(self, value: object, name: str) -> None:
        """Keep a JSON value anew if its artifact of that *name* is not whole, and *value* is."""
        data, path = canonical(value).encode(), self._inside(f"artifacts/{name}")
        if sha256(data) == name and not (path.is_file() and path.read_bytes() == data):
            self._write_soon("artifacts", name, data)

    def keep(self, value: object) -> str:
        """Keep a JSON value as an artifact; its name is the value's digest."""
        plain = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
        return self.store_artifact(canonical(plain).encode())

    def kept(self, name: str) -> Any:  # noqa: ANN401 - any JSON value
        """Return the JSON value kept under that digest."""
        return json.loads(self.artifact(name))

    def options(self) -> RunOptions:
        """Return what was chosen for the run."""
        return self.read(RunOptions, "settings.json")

    def write_derived(self, kind: str, name: str, data: bytes) -> None:
        """Write a file of *kind* that can be made again from an artifact, which a commit saves."""
        self._write_soon(kind, name, data, derived=True)
        self._sums[f"{kind}/{name}"] = sha256(data)

    def read_bytes(self, name: str) -> bytes:
        """Return what a file of the run holds; nothing if there is no such file."""
        path = self._inside(name)
        return path.read_bytes() if path.exists() else b""

    def decision(self, question_id: str) -> Decision | None:
        """Return the decision on a question, or None if there is none yet."""
        name = decision_file(question_id)
        return self.read(Decision, name) if self.has(name) else None

    def decide(self, decision: Decision) -> Decision:
        """Record a decision and return it; the first one on a question stands.

        Raises CallerError if somebody has decided already.
        """
        name = decision_file(decision.question_id)
        data = readable(decision).encode()
        stands = data
        if self.records and not self.has(name):
            stands = self.records.claim(self, name, data)  # somebody elsewhere may be first
        try:
            path = self._inside(name)
            path.parent.mkdir(exist_ok=True)
            write_once(path, stands, self.crossing)
            self.commits.wrote(name, stands, synced=True)
        except FileExistsError:
            stands = b""
        if stands != data:
            first = self.read(Decision, name)
            raise CallerError(
                f"question {decision.question_id!r} of run {self.run_id!r} was already answered "
                f"by {first.by!r} at {first.at}; that decision stands"
            )
        return decision

    @asynccontextmanager
    async def recorded(self) -> AsyncIterator[None]:
        """Keep the run in its records as well while it is driven; nothing if it has none.

        Raises CallerError if another machine drives it, Stopped if the records stay away.
        """
        if self.records is None:
            yield
            return
        holder = f"process {os.getpid()} on {platform.node()}"
        with ExitStack() as stack:
            lease = self.records.lease(self, holder)
            held = await to_thread.run_sync(stack.enter_context, lease)
            await to_thread.run_sync(held.receive)
            await to_thread.run_sync(held.send)
            self.commits.mirror = held
            stack.callback(setattr, self.commits, "mirror", None)
            yield
            await self.commits.commit()

    @contextmanager
    def lease(self, clock: Clock) -> Iterator[None]:
        """Hold the run for one driver; it is free at once when its holder dies.

        Raises CallerError naming the holder if another driver has it.
        """
        try:
            handle = os.open(self.path / LEASE, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            if error.errno in NO_SPACE:
                raise
            raise CallerError(
                f"run {self.run_id!r} cannot be driven in {self.path} ({error.strerror}); "
                "make that folder writable or copy it elsewhere"
            ) from error
        try:
            with looking(self.path):
                self._lock(handle)
            note = canonical({"pid": os.getpid(), "since": stamp(clock.now())})
            os.truncate(handle, 0)
            os.pwrite(handle, note.encode(), 0)
            yield
        finally:
            os.close(handle)

    def is_driven(self) -> bool:
        """Whether some process drives the run now."""
        return is_driven(self.path)

    def write_sums(self) -> None:
        """List every file's SHA-256, the way ``sha256sum --check`` reads it."""
        lines = [f"{self._sum(n)}  {n}" for n in self.files()]
        self.write_text(SUMS, "\n".join(lines) + "\n")

    def _sum(self, name: str) -> str:
        """Return a file's SHA-256; what was written here counts, whatever has become of it."""
        folder, _, kept = name.partition("/")
        known = kept if folder == "artifacts" else self._sums.get(name)
        return known or sha256((self.path / name).read_bytes())

    def files(self) -> list[str]:
        """Return the names of the run's lasting files, sorted."""
        return lasting(self.path)

    def sweep(self) -> None:
        """Remove what a crash left half-written; only the holder of the lease may."""
        for part in self.path.rglob("*.part"):
            part.unlink()

    def _lock(self, handle: int) -> None:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            held = os.pread(handle, 200, 0).decode(errors="replace")
            raise CallerError(
                f"run {self.run_id!r} is being driven by another process ({held}); "
                "wait for it to end or stop it"
            ) from error

    def change_flags(self, flags: Flags) -> None:
        """Let the run go on under other *flags*."""
        self.write_json("settings.json", self.options().model_copy(update={"flags": flags}))

    def _write_soon(self, kind: str, name: str, data: bytes, *, derived: bool = False) -> None:
        write_soon(self._place(kind, name), data, self.crossing)
        self.commits.wrote(f"{kind}/{name}", data, derived=derived)

    def _place(self, kind: str, name: str) -> str:
        """Return a file's path in one of the run's two folders, which is looked at once."""
        if kind not in self._folders:
            folder = self._inside(kind)
            folder.mkdir(parents=True, exist_ok=True)
            self._folders[kind] = str(folder)
        return f"{self._folders[kind]}/{name}"

    def _inside(self, name: str) -> Path:
        path = self.path / name
        if not is_inside(self.path, path):
            raise CallerError(f"{path} leads out of the run's folder; remove that link")
        return path


@dataclass(frozen=True, slots=True)
class Summarizer:
    """What a list tells of each run beyond what the engine knows."""

    kinds: tuple[str, ...] = ()
    """The events that it reads."""
    title: Callable[[Any], str] = lambda _: ""
    """Reads a title from the JSON value of a brief, whatever that is."""
    facts: Callable[[Sequence[Row]], Mapping[str, JsonValue]] = lambda _: {}
    """Reads facts from events of those kinds."""


class RunStore:
    """All runs under one audits root.

    Args:
        root: The audits folder; made when the first run is.
        crossing: Handed to every run's folder.
        records: Where runs are recorded too; those that are not here are fetched from there.
        index: Lists the runs under the same root; None lists what the engine knows of them.
        owner: Whose runs alone are there, and whose new ones are; "" keeps no owners apart.

    """

    def __init__(
        self,
        root: Path,
        crossing: Crossing = nothing,
        records: Records | None = None,
        index: RunIndex | None = None,
        owner: str = "",
    ) -> None:
        self.root = root.resolve()
        self._crossing, self._records, self._owner = crossing, records, owner
        self._index = index or RunIndex(root, read_run)

    def owned_by(self, owner: str) -> "RunStore":
        """Return the same store with the runs of one owner alone."""
        return RunStore(self.root, self._crossing, self._records, self._index, owner)

    def create(
        self,
        run_id: str,
        options: RunOptions,
        brief: Mapping[str, JsonValue],
        inputs: Mapping[str, JsonValue] | None = None,
    ) -> RunFolder:
        """Make a run's folder with its brief and settings; secrets in the brief are left out.

        *inputs* are further files that it is given, by name, without their secrets too. Raises
        CallerError if the id is taken or no folder can be made there.
        """
        asked = Redactor().json(dict(brief))
        path = self.root / options.project_id / valid_id("run id", run_id)
        taken = CallerError(f"there is a run {run_id!r} in {path.parent} already")
        if path.exists():
            raise taken
        # a run is there with all it needs, or not at all
        drafts = path.parent / DRAFTS
        draft = drafts / path.name
        try:
            drafts.mkdir(parents=True, exist_ok=True)
            with _held(drafts):
                for left in drafts.iterdir():  # whoever made it was killed
                    rmtree(left, ignore_errors=True)
                draft.mkdir()
                write_whole(draft / "brief.json", readable(asked).encode())
                write_whole(draft / "settings.json", readable(options).encode())
                if self._owner:
                    write_whole(draft / OWNER, readable(Owner(user=self._owner)).encode())
                for name, value in (inputs or {}).items():
                    write_whole(draft / name, readable(Redactor().json(value)).encode())
                draft.rename(path)
        except OSError as error:
            rmtree(draft, ignore_errors=True)
            if path.exists():
                raise taken from error
            raise CallerError(
                f"cannot make a run's folder {path} ({error.strerror}); choose another --audits"
            ) from error
        sync(path.parent)
        return self.open(path)

    def open(self, run_dir: Path) -> RunFolder:
        """Return the run in *run_dir*; raises CallerError if it is no run's folder."""
        if self._records and not run_dir.is_dir():
            self._records.fetch(run_dir.name, self.root)
        if not run_dir.is_dir():
            raise CallerError(f"{run_dir} is no folder; name a run's folder, audits/PROJECT/RUN")
        return RunFolder(run_dir, self._crossing, self._records)

    def latest(self, run_dir: Path) -> RunFolder:
        """Return the run in *run_dir* with all that its record knows by now."""
        if self._records and any(r.run_id == run_dir.name for r in self._records.list()):
            self._records.fetch(run_dir.name, self.root)
        return self.open(run_dir)

    def has(self, run_id: str) -> bool:
        """Whether there is a run with that id, whatever its project."""
        return bool(self._paths(run_id))

    def find(self, run_id: str) -> RunFolder:
        """Return the run with that id, whatever its project."""
        missing = CallerError(
            f"no run {run_id!r} under {self.root}; `dr-rd list` shows those there"
        )
        for path in self._paths(run_id):
            return self.open(path)
        if self._records:
            try:
                found = self.open(self._records.fetch(run_id, self.root))
            except CallerError as unrecorded:
                if self._owner:  # another's run is told of in the same words
                    raise missing from unrecorded
                raise
            if self._shows(found.path):
                return found
        raise missing

    def list(self) -> list[RunInfo]:
        """Return every run, newest first; of a broken one, what is wrong with it."""
        return [run for run in self._index.list() if self._shows(run.run_dir)]

    def _paths(self, run_id: str) -> tuple[Path, ...]:
        found = self.root.glob(f"*/{valid_id('run id', run_id)}")
        inside = (path for path in found if path.resolve().parent.parent == self.root)
        return tuple(path for path in inside if self._shows(path))

    def _shows(self, run_dir: Path) -> bool:
        return not self._owner or owner_of(run_dir) == self._owner


def owner_of(run_dir: Path) -> str:
    """Return whose a run is; "" where no file says so, or it cannot be read."""
    path = os.path.join(run_dir, OWNER)
    if os.path.islink(path) or os.path.islink(os.path.dirname(path)):
        return ""  # it may lead to another run's
    try:
        with open(path, "rb") as file:
            return Owner.model_validate_json(file.read()).user
    except (OSError, ValidationError):
        return ""


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Hold a folder in which one run at a time is made; waits for whoever holds it."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


_NO_SUMMARY = Summarizer()


def read_run(run_dir: Path, summarizer: Summarizer = _NO_SUMMARY) -> RunInfo:
    """Read what a list tells of a run; its status is the one that it has while nobody drives it.

    Raises nothing: of a broken run the problem is returned.
    """
    place = run_dir.name, run_dir.parent.name, run_dir
    try:
        folder = RunFolder(run_dir)
        status = status_of(folder.trace_path, driven=False)
        mode = folder.options().mode
        rows = read_kinds(folder.trace_path, {"run_started", "run_ended", *summarizer.kinds})
    except (CallerError, OSError) as error:
        return RunInfo(*place, problem=str(error))
    return RunInfo(
        *place,
        mode=mode,
        status=status,
        started=_time_of(RunStarted, rows),
        ended=_time_of(RunEnded, rows) if status in ENDED else "",
        title=_title(folder, summarizer),
        facts=summarizer.facts([r for r in rows if r.event.kind in summarizer.kinds]),
    )


def open_run(run_dir: Path) -> RunFolder:
    """Return the run in *run_dir*, as it is on this disk.

    Raises CallerError if it is no run's folder.
    """
    return RunStore(run_dir.parent.parent).open(run_dir)


def _time_of(kind: type[RunStarted | RunEnded], rows: Iterable[Row]) -> str:
    return next((row.ts for row in rows if isinstance(row.event, kind)), "")


def _title(folder: RunFolder, summarizer: Summarizer) -> str:
    """Return the brief's title; "" if the brief cannot be read, which is for others to tell."""
    try:
        title = summarizer.title(folder.read_json("brief.json"))
    except CallerError:
        return ""
    return title.encode(errors="replace").decode()  # JSON can hold what no text can


def readable(value: object) -> str:
    """Write JSON for people to read."""
    if isinstance(value, BaseModel):
        return value.model_dump_json(indent=2) + "\n"
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
