"""Git's own records of a repository, read without trusting them.

Git reads a repository's configuration, hooks and attributes before it does anything, and they can
name programs to run. So it never sees them: it is given an empty repository of ours, and of theirs
the objects, or the list of tracked files, and nothing else.
"""

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from core.errors import TaskError
from dr_rd.confined import Ended, Limits, execute
from dr_rd.enclosure import Enclosure

LIMITS = Limits(seconds=20, memory=2_000_000_000, wall=40)

_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REF = re.compile(r"refs(?:/[A-Za-z0-9_][A-Za-z0-9_.@+=-]*)+")
_SMALL = 50_000_000
"""Bytes of git's own files, such as the index of a hundred thousand files."""

_CAREFUL = (
    "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
    "-c", "core.attributesFile=", "-c", "protocol.allow=never", "-c", "safe.directory=*",
    "-c", "core.packedGitWindowSize=32m", "-c", "core.packedGitLimit=512m",
)  # fmt: skip
"""What git is told besides; the empty repository says nothing else."""


@dataclass(frozen=True, slots=True)
class Lent:
    """An empty repository of ours that borrows objects of theirs."""

    own: Path
    objects: int
    """Descriptor of the folder with the objects, which git works in."""
    head: str
    """The hash of the commit that is checked out."""

    def output(self, *command: str) -> str:
        """Return what git says; raises TaskError if it cannot."""
        return _git_output(self.own, command, inside=self.objects, GIT_OBJECT_DIRECTORY=".")


@contextmanager
def lent(enclosure: Enclosure) -> Iterator[Lent]:
    """Borrow the objects of a repository.

    Raises:
        TaskError: It has none of its own, or no commit, or git is not installed.

    """
    if not _has_records(enclosure):
        raise TaskError(
            "the folder is not the top of a git repository with its records in it, so there is "
            "no history to read"
        )
    head = _head(enclosure)
    if not head:
        raise TaskError("the repository has no commit yet, or keeps its branches in a new format")
    with _empty(len(head)) as own:
        if shallow := _HASH.findall(_small(enclosure, "shallow").decode("ascii", "replace")):
            (own / "shallow").write_text("\n".join(shallow) + "\n")
        with enclosure.folder(".git/objects") as objects:
            _require_own(objects)
            yield Lent(own, objects, head)


def tracked(enclosure: Enclosure) -> frozenset[str] | None:
    """Return the paths that git tracks below the root; None where git keeps no records."""
    if not _has_records(enclosure) or not shutil.which("git"):
        return None
    with _empty(len(_head(enclosure))) as own:
        if index := _small(enclosure, "index"):  # there is none before the first file is added
            (own / "index").write_bytes(index)
        said = _git_output(own, ("ls-files", "-z"), GIT_WORK_TREE=str(own))
    return frozenset(path for path in said.split("\0") if path)


def _git_output(own: Path, command: Sequence[str], inside: int | None = None, **more: str) -> str:
    git = shutil.which("git")
    if not git:
        raise TaskError("git is not installed, so its records cannot be read")
    try:
        found = execute(
            [git, *_CAREFUL, *command],
            LIMITS,
            inside=inside,
            environment={**_environment(own), **more},
        )
    except Ended as error:
        raise TaskError(f"git {error}, so its records cannot be read") from error
    return found.decode(errors="surrogateescape")


def _environment(own: Path) -> Mapping[str, str]:
    return {
        "GIT_DIR": str(own),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "HOME": str(own),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
    }


@contextmanager
def _empty(letters: int) -> Iterator[Path]:
    """Make an empty repository whose hashes have that many letters."""
    new = "\n[extensions]\n\tobjectformat = sha256\n" if letters == 64 else ""
    version = 1 if new else 0
    with tempfile.TemporaryDirectory(prefix="dr-rd-git-") as scratch:
        own = Path(scratch)
        for folder in ("refs", "objects"):
            (own / folder).mkdir()
        (own / "HEAD").write_text("ref: refs/heads/none\n")
        (own / "config").write_text(f"[core]\n\trepositoryformatversion = {version}{new}")
        yield own


def _has_records(enclosure: Enclosure) -> bool:
    try:
        with enclosure.folder(".git"):
            return True
    except TaskError:
        return False


def _require_own(objects: int) -> None:
    """Refuse objects that are kept elsewhere, by git's own list of places or by links."""
    for name in [*os.listdir(objects), *_packs(objects)]:
        if stat.S_ISLNK(os.stat(name, dir_fd=objects, follow_symlinks=False).st_mode):
            raise TaskError("the repository's objects are links, so its history is not read")
    for name in ("info/alternates", "info/http-alternates"):
        try:
            os.stat(name, dir_fd=objects, follow_symlinks=False)
        except OSError:
            continue
        raise TaskError(
            "the repository borrows objects from another one, so its history is not read; "
            "repack it with: git repack -a -d && rm .git/objects/info/alternates"
        )


def _packs(objects: int) -> list[str]:
    try:
        folder = os.open("pack", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=objects)
    except OSError:  # a link, which is told of as one, or nothing packed yet
        return []
    try:
        return [f"pack/{name}" for name in os.listdir(folder)]
    finally:
        os.close(folder)


def _head(enclosure: Enclosure) -> str:
    """Return the hash of the commit that is checked out; "" if there is none."""
    said = _line(_small(enclosure, "HEAD"))
    if said.startswith("ref: "):
        name = said.removeprefix("ref: ")
        if not _REF.fullmatch(name) or ".." in name:
            return ""
        said = _line(_small(enclosure, name)) or _packed(enclosure, name)
    return said if _HASH.fullmatch(said) else ""


def _packed(enclosure: Enclosure, name: str) -> str:
    lines = _small(enclosure, "packed-refs").decode("ascii", "replace").splitlines()
    rows = (line.partition(" ") for line in lines)
    return next((value for value, _, named in rows if named == name), "")


def _line(data: bytes) -> str:
    return data.decode("ascii", "replace").strip()


def _small(enclosure: Enclosure, name: str) -> bytes:
    """Return one of git's own files; nothing if there is none that may be read."""
    try:
        return enclosure.record(f".git/{name}", _SMALL)
    except TaskError:
        return b""
