"""The words by which limits are held against each other, and against what can be."""

from functools import cache

from core.values import Frozen
from dr_rd.files import read_yaml
from dr_rd.prose import Cue, lexicon, stem, stems_of


class Weighing(Frozen):
    """The lists; `data/language/clashes.yaml` says what each holds."""

    idle: frozenset[str]
    acts: frozenset[str]
    persons: frozenset[str]
    shares: frozenset[str]
    compared: frozenset[str]


@cache
def weighing() -> Weighing:
    """Return the lists; they are read once."""
    return Weighing.model_validate(read_yaml("language", "clashes.yaml"))


@cache
def stems_in(name: str) -> frozenset[str]:
    """Return one of the lists as stems."""
    return frozenset(map(stem, getattr(weighing(), name)))


@cache
def share() -> Cue:
    """What finds a word for a part of a whole."""
    return Cue.of(weighing().shares)


@cache
def compared() -> Cue:
    """What finds a word for a value that a share may be more than all of."""
    return Cue.of(weighing().compared)


def said(text: str) -> tuple[str, ...]:
    """Return the stems of *text*, in order, that say more than that there is a thing.

    Prepositions are among them: what is before a thing is not what is after it.
    """
    return tuple(s for s in stems_of(text) if s not in stems_in("idle") | lexicon().bounding)
