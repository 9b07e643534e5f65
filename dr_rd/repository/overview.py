"""What a stranger asks of a repository first: its languages, tests, landmarks and history."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from core.errors import TaskError
from dr_rd.enclosure import Enclosure, Found
from dr_rd.repository.contents import Contents
from dr_rd.repository.history import history
from dr_rd.repository.kinds import Kinds

_NAMED = 3
"""Files that are named of each kind."""


def overview(contents: Contents) -> dict[str, object]:
    """Survey the files and the history; a history that cannot be read says why."""
    looked = contents.look()
    return {
        "files": len(looked.files),
        "bytes": sum(f.size for f in looked.files),
        "languages": _languages(looked.files, contents.kinds),
        "tests": _tests(looked.files, contents.kinds),
        "landmarks": _landmarks(looked.files, contents.kinds),
        "history": _history(contents.enclosure),
        "refused": looked.aside(),
    }


def _languages(files: Sequence[Found], kinds: Kinds) -> list[dict[str, object]]:
    """Count files and bytes by language, most bytes first."""
    counts: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for found in files:
        language = kinds.language(found.path)
        counts[language] += 1
        sizes[language] += found.size
    total = sizes.total() or 1
    return [
        {"language": name, "files": counts[name], "bytes": size, "share": round(size / total, 3)}
        for name, size in sorted(sizes.items(), key=lambda row: (-row[1], row[0]))
    ]


def _tests(files: Sequence[Found], kinds: Kinds) -> dict[str, object]:
    named = [f.path for f in files if kinds.is_test(f.path)]
    return {"files": len(named), "first": named[:_NAMED]}


def _landmarks(files: Sequence[Found], kinds: Kinds) -> dict[str, list[str]]:
    """Name the first files of each landmark, those nearest to the root; none is an empty list."""
    found: dict[str, list[str]] = defaultdict(list)
    for file in sorted(files, key=lambda f: (f.path.count("/"), f.path)):
        found[kinds.landmark(file.path)].append(file.path)
    return {kind: found[kind][:_NAMED] for kind in kinds.landmarks}


def _history(enclosure: Enclosure) -> dict[str, object]:
    try:
        return history(enclosure)
    except TaskError as error:
        return {"absent": str(error)}
