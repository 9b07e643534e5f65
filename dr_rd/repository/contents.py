"""The files of a repository: listed, read by lines, and searched for literal text."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from core.clock import Clock
from core.errors import TaskError
from dr_rd.enclosure import Enclosure, Found, Refusal
from dr_rd.repository.git import tracked
from dr_rd.repository.glob import matches
from dr_rd.repository.kinds import Kinds
from dr_rd.repository.text import cut, readable

SECONDS = 20
"""Wall time of one look: a walk of twenty thousand files takes about two."""
MAX_BYTES = 1_000_000
"""Of one file that is read: source text; more is data or generated."""
MAX_TOTAL = 50_000_000
"""Bytes that one search reads."""
MAX_ROWS = 200
"""Files, lines or finds that one look shows."""
MAX_TEXT = 60_000
"""Characters of a file that one look shows."""
EXAMPLES = 20
"""Refused paths that are named; the rest is counted by reason."""


@dataclass
class Looked:
    """What a walk found, and what it left aside."""

    files: list[Found] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)

    def aside(self) -> dict[str, object]:
        """Return the refusals: counted by reason, and the first ones by name."""
        counted = Counter(r.reason for r in self.refused)
        first = [{"path": r.path, "reason": r.reason} for r in self.refused[:EXAMPLES]]
        return {"counted": dict(counted.most_common(EXAMPLES)), "first": first}


@dataclass(frozen=True)
class Contents:
    """The files below the folder that the analyst chose."""

    enclosure: Enclosure
    kinds: Kinds
    clock: Clock

    def look(self, under: str = "", glob: str = "**") -> Looked:
        """Walk the folder *under* and keep the files whose paths below it fit *glob*."""
        looked, skip = Looked(), len(under.rstrip("/")) + 1 if under not in ("", ".") else 0
        aside = _untracked(tracked(self.enclosure))
        for item in self.enclosure.walk(under, self._patience(), aside):
            if isinstance(item, Refusal):
                looked.refused.append(item)
            elif matches(glob, item.path[skip:]):
                looked.files.append(item)
        return looked

    def tree(self, under: str, depth: int) -> dict[str, object]:
        """Count files and bytes of each folder down to *depth*; its own files are named."""
        looked = self.look(under)
        rows: dict[str, Counter[str]] = {}
        top = len(self.enclosure.steps(under))
        for found in looked.files:
            for shown in _levels(found.path, top, depth):
                rows.setdefault(shown, Counter()).update(files=1, bytes=found.size)
        listed = [{"path": path, **counts} for path, counts in sorted(rows.items())]
        return {
            **_totals(looked.files),
            "entries": listed[:MAX_ROWS],
            "more": max(0, len(listed) - MAX_ROWS),
            "refused": looked.aside(),
        }

    def files(self, under: str, glob: str) -> dict[str, object]:
        """Name the files that fit *glob*."""
        looked = self.look(under, glob)
        rows = [{"path": f.path, "bytes": f.size} for f in looked.files]
        return {
            **_totals(looked.files),
            "paths": rows[:MAX_ROWS],
            "more": max(0, len(rows) - MAX_ROWS),
            "refused": looked.aside(),
        }

    def lines(self, path: str, first: int, last: int | None) -> dict[str, object]:
        """Return lines *first* to *last* of a file, counted from 1, as many as are shown."""
        if reason := _untracked(tracked(self.enclosure))("/".join(self.enclosure.steps(path))):
            raise TaskError(f"{path!r} {reason}")
        whole = readable(path, self.enclosure.read(path, MAX_BYTES))
        if first > max(1, len(whole)):
            raise TaskError(f"{path!r} has {len(whole)} lines; line {first} is not among them")
        asked = whole[first - 1 : last]
        shown = list(_within(map(cut, asked[:MAX_ROWS])))
        return {
            "path": path,
            "first": first,
            "lines": shown,
            "of": len(whole),
            "more": len(asked) - len(shown),
        }

    def search(
        self, under: str, glob: str, text: str, *, ignore_case: bool, whole_word: bool
    ) -> dict[str, object]:
        """Find *text*, letter by letter, in the lines of the files that fit *glob*."""
        looked = self.look(under, glob)
        pattern = _pattern(text, ignore_case=ignore_case, whole_word=whole_word)
        finds: list[dict[str, object]] = []
        searched = found = 0
        for path, lines in self.texts(looked):
            searched += 1
            for number, line in enumerate(lines, 1):
                if pattern.search(line):
                    found += 1
                    if found <= MAX_ROWS:
                        finds.append({"path": path, "line": number, "text": cut(line)})
        return {
            "searched": searched,
            "finds": finds,
            "more": found - len(finds),
            "refused": looked.aside(),
        }

    def texts(self, looked: Looked) -> Iterator[tuple[str, list[str]]]:
        """Yield the lines of each file that is text; the others are added to the refusals."""
        going_on, left = self._patience(), MAX_TOTAL
        for found in looked.files:
            left -= found.size
            if left < 0 or not going_on():
                what = "time is up" if left >= 0 else f"first {MAX_TOTAL:,} bytes are read"
                reason = f"and what follows are left out: the {what}"
                looked.refused.append(Refusal(found.path, reason))
                return
            try:
                lines = readable(found.path, self.enclosure.read(found.path, MAX_BYTES))
            except TaskError as error:
                reason = str(error).removeprefix(repr(found.path)).strip()
                looked.refused.append(Refusal(found.path, reason))
                continue
            yield found.path, lines

    def _patience(self) -> Callable[[], bool]:
        end = self.clock.monotonic() + SECONDS
        return lambda: self.clock.monotonic() < end


def _untracked(paths: frozenset[str] | None) -> Callable[[str], str]:
    """Say of what git does not track, files and folders, that it is left aside."""
    if paths is None:
        return lambda _: ""
    folders = {path[:end] for path in paths for end in _ends(path)}
    known = paths | folders
    return lambda path: "" if path in known else "is not tracked by git"


def _ends(path: str) -> list[int]:
    return [place for place, letter in enumerate(path) if letter == "/"]


def _levels(path: str, top: int, depth: int) -> Iterator[str]:
    """Yield the folders above a file that are shown, and the file itself if it is."""
    steps = path.split("/")
    for level in range(top + 1, min(len(steps), top + depth + 1)):
        yield "/".join(steps[:level]) + "/"
    if len(steps) <= top + depth:
        yield path


def _totals(files: Iterable[Found]) -> dict[str, object]:
    sizes = [f.size for f in files]
    return {"files": len(sizes), "bytes": sum(sizes)}


def _within(lines: Iterable[str]) -> Iterator[str]:
    left = MAX_TEXT
    for line in lines:
        left -= len(line)
        if left < 0:
            return
        yield line


def _pattern(text: str, *, ignore_case: bool, whole_word: bool) -> re.Pattern[str]:
    """Compile literal text: nothing in it repeats or branches, so a search takes linear time."""
    literal = re.escape(text)
    bounded = rf"(?<!\w){literal}(?!\w)" if whole_word else literal
    return re.compile(bounded, re.IGNORECASE if ignore_case else re.NOFLAG)
