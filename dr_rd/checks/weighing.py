"""The words by which limits are held against each other, and against what can be."""

from functools import cache

from core.values import Frozen
from dr_rd.files import read_yaml
from dr_rd.text import Cue, lexicon, stem, stems_of


class Weighing(Frozen):
    """The lists; `data/language/clashes.yaml` says what each holds."""

    idle: frozenset[str]
    acts: frozenset[str]
    persons: frozenset[str]
    shares: frozenset[str]
    compared: frozenset[str]
    sources: frozenset[str]
    begun: frozenset[str]


@cache
def weighing() -> Weighing:
    """Return the lists; they are read once."""
    return Weighing.model_validate(read_yaml("language", "clashes.yaml"))


@cache
def stems_in(name: str) -> frozenset[str]:
    """Return one of the lists as stems."""
    return frozenset(map(stem, getattr(weighing(), name)))


@cache
def cue(name: str) -> Cue:
    """Return what finds a word of one of the lists."""
    return Cue.of(getattr(weighing(), name))


def said(text: str) -> tuple[str, ...]:
    """Return the stems of *text*, in order, that say more than that there is a thing.

    Prepositions are among them: what is before a thing is not what is after it.
    """
    return tuple(s for s in stems_of(text) if s not in stems_in("idle") | lexicon().bounding)
