"""Which package of a method a time, a pace or a price of the brief belongs to."""

import re
from collections.abc import Sequence

from dr_rd.planning.methods import Package
from dr_rd.planning.signals import stems

MAIN = "execution"
"""The phase in which units are measured."""

_SLOT = re.compile(r"\{[^}]*\}")


def main_package(packages: Sequence[Package]) -> Package | None:
    """Return the package in which units are measured; None in a method without one.

    It is the one that lasts as long as the study, or else the longest.
    """
    held = [p for p in packages if p.phase == MAIN]
    collecting = [p for p in held if collects(p)] or held
    return max(
        [p for p in collecting if p.duration.driver == "horizon"] or collecting,
        key=lambda p: p.duration.points.mean,
        default=None,
    )


def collects(package: Package) -> bool:
    """Whether units are measured in it, or read and coded by people."""
    taken = {*package.actions, *(a for s in package.steps for a in s.actions)}
    return "collect-new-data" in taken or "annotate-data" in package.actions


def place_of(what: str, packages: Sequence[Package], main: Package) -> Package:
    """Return the package that *what* names by words of the method's own; *main* where it names none.

    Words that a title takes from the brief stand in most titles and tell no package from another.
    """
    words = stems(what)

    def likeness(package: Package) -> tuple[int, bool]:
        return len(words & own_words(package.title)), package is main

    best = max(packages, key=likeness)
    return best if likeness(best)[0] else main


def own_words(*texts: str) -> frozenset[str]:
    """Return the stems of a package's *texts* without what their slots take from the brief."""
    return stems(_SLOT.sub(" ", " ".join(texts)))
