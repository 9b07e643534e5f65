"""How a repository came about, by its commits."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dr_rd.enclosure import Enclosure, printable_path
from dr_rd.repository.git import Lent, lent

MOST_COMMITS = 20_000
"""Commits that are counted, newest first."""
MOST_NAMED = 1_000
"""Commits whose changed files are counted: naming them compares two trees a commit."""
NEWEST = 10
"""Commits whose subjects are given, and files that are named as changed most often."""
_SUBJECT = 200
"""Characters of a subject that are shown."""


@dataclass(frozen=True, slots=True)
class Commit:
    """What git says of one commit."""

    hash: str
    day: str
    author: str
    """The e-mail address, in lower case: authors are told apart by it, and never named."""
    subject: str


def history(enclosure: Enclosure) -> dict[str, object]:
    """Summarise the commits that the checked-out one descends from.

    Raises:
        TaskError: There is no git, no repository, or none that may be read; a sentence says why.

    """
    with lent(enclosure) as repository:
        commits, changed = _commits(repository), _changed(repository)
    kept = {path: n for path, n in changed.items() if not _closed(enclosure, path)}
    return _summary(commits, Counter(kept))


def _commits(repository: Lent) -> list[Commit]:
    said = _log(repository, f"--max-count={MOST_COMMITS}", "--format=%H%x1f%cs%x1f%aE%x1f%s%x1e")
    rows = [row.lstrip("\n").split("\x1f", 3) for row in said.split("\x1e")[:-1]]
    return [Commit(h, day, mail.lower(), subject) for h, day, mail, subject in rows]


def _changed(repository: Lent) -> Counter[str]:
    said = _log(repository, f"--max-count={MOST_NAMED}", "--format=", "--name-only", "-z")
    return Counter(path for path in said.split("\0") if path)


def _log(repository: Lent, *asked: str) -> str:
    return repository.output(
        "log", "--no-show-signature", "--no-mailmap", "--no-ext-diff", "--no-textconv",
        "--no-renames", *asked, repository.head, "--",
    )  # fmt: skip


def _closed(enclosure: Enclosure, path: str) -> bool:
    return any(enclosure.reason(step) for step in path.split("/"))


def _summary(commits: Sequence[Commit], changed: Counter[str]) -> dict[str, object]:
    authors = Counter(c.author for c in commits)
    newest = [
        {"hash": c.hash[:10], "day": c.day, "subject": printable_path(c.subject[:_SUBJECT])}
        for c in commits[:NEWEST]
    ]
    return {
        "head": commits[0].hash,
        "commits": len(commits),
        "complete": len(commits) < MOST_COMMITS,
        "first": min(c.day for c in commits),
        "last": max(c.day for c in commits),
        "years": dict(sorted(Counter(c.day[:4] for c in commits).items())),
        "authors": len(authors),
        "authors_of_half": _half(authors),
        "newest": newest,
        "changed_most": [{"path": printable_path(p), "commits": n} for p, n in _most(changed)],
    }


def _half(authors: Counter[str]) -> int:
    """Return how few authors wrote half of the commits between them."""
    written, half = 0, authors.total() / 2
    for number, (_, count) in enumerate(authors.most_common(), 1):
        written += count
        if written >= half:
            return number
    return len(authors)


def _most(changed: Counter[str]) -> list[tuple[str, int]]:
    return sorted(changed.items(), key=lambda row: (-row[1], row[0]))[:NEWEST]
