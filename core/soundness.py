"""Whether a run's files are those that its trace and its checksums say, a line for each that is not."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any

from pydantic import ValidationError

from core.diff import only_adds
from core.events import (
    ProposalStamped,
    Ref,
    Row,
    RunEnded,
    RunFinished,
    RunStarted,
    SettingsChanged,
)
from core.files import SUMS, file_digests, is_inside, is_reserved, lasting, sha256
from core.settings import RunOptions
from core.values import canonical, digest

_HASH = re.compile(r"\b[0-9a-f]{64}\b")


def broken_references(rows: Iterable[Row], run_dir: Path) -> list[str]:
    """Return what is wrong with the files that events name."""
    problems: list[str] = []
    files: dict[str, Ref] = {}
    for row in rows:
        if isinstance(row.event, ProposalStamped) and row.event.head != row.prev:
            problems.append(f"event {row.seq}: the proposal is stamped with another hash")
        for ref in row.event.refs():
            if ref.file:
                files[ref.file] = ref
            else:
                problems += _artifact(run_dir, ref)
    return problems + [problem for ref in files.values() for problem in _file(run_dir, ref)]


def _artifact(run_dir: Path, ref: Ref) -> list[str]:
    path = run_dir / "artifacts" / ref.digest
    if not path.is_file():
        return [f"artifact {ref.digest} of {ref.what} is missing"]
    whole = sha256(path.read_bytes()) == ref.digest
    return [] if whole else [f"artifact {ref.digest} of {ref.what} was changed"]


def _file(run_dir: Path, ref: Ref) -> list[str]:
    try:
        data = (run_dir / ref.file).read_bytes()
    except OSError:
        return [f"{ref.file} is missing"]
    try:
        found = sha256(data) if ref.form == "bytes" else _digest(data, ref.key)
    except (ValueError, TypeError, KeyError):
        return [f"{ref.file} cannot be read"]
    return [] if found == ref.digest else [f"{ref.file} is not what the trace recorded"]


def _digest(data: bytes, key: str) -> str:
    value = json.loads(data)
    return digest(value[key] if key else value)


def broken_files(
    rows: Sequence[Row], run_dir: Path, known: Sequence[str], view: Mapping[str, Any]
) -> list[str]:
    """Return what is wrong with a run's files besides what is *known*, a line a file.

    Args:
        rows: The trace.
        run_dir: The run's folder.
        known: What was found before.
        view: The derived view of the trace.

    """
    ended = any(isinstance(row.event, RunEnded) for row in rows)
    problems = _checksums(run_dir) if ended or (run_dir / SUMS).exists() else []
    said = "\n".join((*known, *problems))
    found = [*_given(rows, run_dir, ended=ended), *_misnamed(run_dir), *_printed(rows, run_dir)]
    if ended:
        found += [*_recorded(rows, run_dir), *_view(rows, run_dir, view), *_strays(run_dir)]
    for name, problem in found:
        if name not in said:
            problems.append(f"{name} {problem}")
            said += f"\n{name}"
    return problems


def broken_inputs(rows: Sequence[Row], run_dir: Path) -> list[str]:
    """Return what is wrong with what a run that goes on builds upon: what it was given and made."""
    return [
        *(f"{n} {wrong}" for n, wrong in _given(rows, run_dir, ended=False)),
        *broken_references(rows, run_dir),
    ]


def _given(rows: Sequence[Row], run_dir: Path, *, ended: bool) -> Iterator[tuple[str, str]]:
    """Yield brief and settings where they are not those that the run began with."""
    events = [row.event for row in rows]
    started = next((e for e in events if isinstance(e, RunStarted)), None)
    if started is None:
        return
    try:
        brief = digest(json.loads((run_dir / "brief.json").read_bytes()))
    except (OSError, ValueError):
        brief = ""
    if brief != started.brief_digest:
        yield "brief.json", _OTHER
    changes = [e.flags for e in events if isinstance(e, SettingsChanged)]
    in_force = started.settings.model_copy(
        update={"flags": [started.settings.flags, *changes][-1]}
    )
    try:
        options = RunOptions.model_validate_json((run_dir / "settings.json").read_bytes())
    except (OSError, ValidationError):
        yield "settings.json", "cannot be read"
        return
    if not ended:  # a new cap is told of when the run goes on
        options = options.model_copy(update={"flags": in_force.flags})
    if options != in_force:
        yield "settings.json", _OTHER


_OTHER = "is not what the trace recorded"


def _misnamed(run_dir: Path) -> Iterator[tuple[str, str]]:
    """Yield the artifacts that are not what their names say."""
    for path in sorted((run_dir / "artifacts").glob("*")):
        if path.is_file() and sha256(path.read_bytes()) != path.name:
            yield f"artifacts/{path.name}", "was changed"


def _printed(rows: Sequence[Row], run_dir: Path) -> Iterator[tuple[str, str]]:
    """Yield the proposal if it prints hashes, and not the one with which it was stamped."""
    stamps = [row.event.head for row in rows if isinstance(row.event, ProposalStamped)]
    path = run_dir / "proposal.md"
    printed = _HASH.findall(path.read_text("utf-8", "replace")) if path.is_file() else []
    if stamps and printed and stamps[0] not in printed:
        yield "proposal.md", "prints another head than the one that the trace recorded"


def _recorded(rows: Sequence[Row], run_dir: Path) -> Iterator[tuple[str, str]]:
    """Yield what is not as the end record has it, if that says more than the result."""
    ends = [row.event for row in rows if isinstance(row.event, RunFinished)]
    wanted = ends[-1].file_digests if ends else {}
    if not wanted:
        return  # so the first release ended
    found = file_digests(run_dir)
    for name in sorted({*wanted, *found}):
        if name not in found:
            yield name, "is missing"
        elif name not in wanted:
            yield name, "was added after the run ended"
        elif found[name] != wanted[name]:
            what = "does not hold the files that the trace recorded"
            yield name, what if name.endswith("/") else _OTHER


def _view(
    rows: Sequence[Row], run_dir: Path, view: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Yield the derived view if it is another than the trace gives."""
    name = "graph_trace.json"
    try:
        data = (run_dir / name).read_bytes()
        said = json.loads(data)
    except (OSError, ValueError):
        yield name, "cannot be read"
        return
    first = not any(isinstance(r.event, RunFinished) and r.event.file_digests for r in rows)
    grew = first and only_adds(said, view)  # the first release said less of some events
    if data != f"{canonical(view)}\n".encode() and not grew:
        yield name, "is not what the trace gives"


def _strays(run_dir: Path) -> Iterator[tuple[str, str]]:
    """Yield what no run that has ended has: links, pipes, files half-written or by odd names."""
    listed = {*lasting(run_dir)}
    for path in sorted(run_dir.rglob("*")):
        name, mode = path.relative_to(run_dir).as_posix(), path.lstat().st_mode
        if not (S_ISDIR(mode) or S_ISREG(mode)):
            yield name, "is a link, or no file at all"
        elif S_ISREG(mode) and name not in listed and not is_reserved(name):
            yield name, "was added after the run ended"


def _checksums(run_dir: Path) -> list[str]:
    sums = run_dir / SUMS
    if not sums.is_file():
        return [f"{SUMS} is missing"]
    try:
        lines = sums.read_text("utf-8").splitlines()
    except UnicodeDecodeError:
        return [f"{SUMS} is not text"]
    listed = {name: expected for expected, _, name in (line.partition("  ") for line in lines)}
    unlisted = sorted(set(lasting(run_dir)) - set(listed))
    problems = [f"{name} is not listed in {SUMS}" for name in unlisted]
    return problems + [
        p for name, expected in listed.items() if (p := _sum(run_dir, name, expected))
    ]


def _sum(run_dir: Path, name: str, expected: str) -> str:
    """What is wrong with one listed file; "" if nothing."""
    path = run_dir / name
    if not is_inside(run_dir.resolve(), path):
        return f"{SUMS} names {name!r}, which is outside the run's folder"
    if not path.is_file():
        return f"{name} is missing"
    return (
        "" if sha256(path.read_bytes()) == expected else f"{name} was changed after the run ended"
    )
