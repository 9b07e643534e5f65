"""The same quantity stated twice with different values: which one holds."""

from core.values import Frozen
from dr_rd.evidence.corpus import Corpus, Passage


class Stated(Frozen):
    """A value as a passage states it."""

    passage: Passage
    value: str


class Conflict(Frozen):
    """Two documents that give one quantity two values."""

    label: str
    """What is measured, in the current document's words."""
    current: Stated
    superseded: Stated
    decided: bool
    """False when neither status nor date says which of the two holds."""
    reason: str


def same_quantity(corpus: Corpus) -> tuple[Conflict, ...]:
    """Find quantities that two documents of *corpus* state with different values."""
    raise NotImplementedError(corpus)
