"""The names that source files define, by universal-ctags where it is installed."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from core.errors import TaskError
from dr_rd.confined import Ended, Limits, execute
from dr_rd.repository.contents import MAX_ROWS, Contents

LIMITS = Limits(seconds=20, memory=1_000_000_000, wall=30)
MAX_FILES = 2_000
"""Files of one look: each is copied for the program, so that it reads what was checked."""


def symbols(contents: Contents, under: str, glob: str) -> dict[str, object]:
    """List what the files that fit *glob* define: name, kind, line, and what it stands in.

    Raises:
        TaskError: universal-ctags is not installed, or cannot cope.

    """
    program = installed()
    if not program:
        raise TaskError(
            "universal-ctags is not installed, so symbols cannot be listed; search for the text "
            "of a definition instead, or install the package universal-ctags"
        )
    looked = contents.look(under, glob)
    with tempfile.TemporaryDirectory(prefix="dr-rd-symbols-") as scratch:
        copied = dict(_copied(contents.texts(looked), Path(scratch)))
        found = list(_parsed_tags(_tags(program, scratch, copied), copied))
    return {
        "files": len(copied),
        "symbols": found[:MAX_ROWS],
        "more": max(0, len(found) - MAX_ROWS),
        "refused": looked.aside(),
    }


def installed() -> str:
    """Return the path of universal-ctags; "" if there is none. Other ctags have no JSON."""
    program = shutil.which("ctags")
    if not program:
        return ""
    try:
        said = execute([program, "--options=NONE", "--list-features"], LIMITS)
    except Ended:
        return ""
    return program if b"json" in said else ""


def _copied(texts: Iterable[tuple[str, list[str]]], scratch: Path) -> Iterator[tuple[str, str]]:
    """Copy files under names of our own, which end as theirs do; yield copy and path."""
    for number, (path, lines) in zip(range(MAX_FILES), texts, strict=False):
        folder = scratch / str(number)
        folder.mkdir()
        name = path.rpartition("/")[2]
        (folder / name).write_text("\n".join(lines), encoding="utf-8")
        yield f"{number}/{name}", path


def _tags(program: str, scratch: str, copied: Iterable[str]) -> bytes:
    command = [program, "--options=NONE", "--quiet=yes", "--links=no", "--sort=no", "--output-format=json",
               "--fields=+nKS-P", "-f", "-", "-L", "-"]  # fmt: skip
    folder = os.open(scratch, os.O_RDONLY)
    try:
        given = "".join(f"{name}\n" for name in copied).encode()
        return execute(command, LIMITS, given=given, inside=folder)
    except Ended as error:
        raise TaskError(f"listing the symbols {error}; ask for fewer files") from error
    finally:
        os.close(folder)


def _parsed_tags(tags: bytes, copied: dict[str, str]) -> Iterator[dict[str, object]]:
    for row in map(json.loads, tags.splitlines()):
        if row.get("_type") == "tag" and row.get("path") in copied:
            within = {"in": row["scope"]} if "scope" in row else {}
            place = {"path": copied[row["path"]], "line": row.get("line")}
            yield {"name": row["name"], "kind": row.get("kind", ""), **within, **place}
