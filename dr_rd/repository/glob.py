"""Patterns of paths, matched name by name in time that grows with their length alone."""

from collections.abc import Iterable
from fnmatch import fnmatchcase


def matches(pattern: str, path: str) -> bool:
    """Whether *path* fits *pattern*: ``*`` and ``?`` within a name, ``**`` for any folders.

    A pattern without ``/`` is one of the last name, in any folder.
    """
    if "/" not in pattern and pattern != "**":
        return fnmatchcase(path.rpartition("/")[2], pattern)
    wanted = pattern.split("/")
    places = _on(wanted, [0])
    for name in path.split("/"):
        places = _on(wanted, _after(wanted, places, name))
    return len(wanted) in places


def _after(wanted: list[str], places: Iterable[int], name: str) -> Iterable[int]:
    """Places in the pattern that one more name of the path leads to."""
    for place in places:
        if place < len(wanted):
            if wanted[place] == "**":
                yield place
            elif fnmatchcase(name, wanted[place]):
                yield place + 1


def _on(wanted: list[str], places: Iterable[int]) -> set[int]:
    """Places, and those behind each ``**`` there, for it may stand for nothing."""
    found = set(places)
    for place in range(len(wanted)):
        if place in found and wanted[place] == "**":
            found.add(place + 1)
    return found
