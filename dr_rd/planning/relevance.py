"""Which sentences of the library earn their place in a plan for one brief."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from dr_rd.planning.signals import stems
from dr_rd.planning.topical import Absent

_SLOT = re.compile(r"\{([a-z0-9_.]+)\}")

_SHARED = 2
"""Content words that a sentence has in common with the brief, if it speaks of what that asks."""

_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Relevance:
    """Tells a brief's own sentences from those that would fit any brief, or another."""

    filled: Collection[str]
    """Slots that the brief fills."""
    words: frozenset[str]
    """Stems of its content words."""
    absent: Absent

    def foreign(self, template: str) -> bool:
        """Whether a sentence, its slots not yet filled, names a thing of another topic."""
        return bool(self.absent.foreign(_SLOT.sub(" ", template)))

    def own(self, template: str) -> bool:
        """Whether a sentence says something of this brief: in a slot, or in words of its own."""
        if any(slot in self.filled for slot in _SLOT.findall(template)):
            return True
        return len(stems(_SLOT.sub(" ", template)) & self.words) >= _SHARED

    def kept(
        self, items: Iterable[_Item], text: Callable[[_Item], str], least: int
    ) -> Sequence[_Item]:
        """Return the items that are the brief's own, and general ones only to make up *least*.

        *text* gives an item's sentence; one that names a thing of another topic is never kept.
        """
        fitting = [item for item in items if not self.foreign(text(item))]
        own = [self.own(text(item)) for item in fitting]
        missing, found = least - sum(own), list[_Item]()
        for item, is_own in zip(fitting, own, strict=True):
            if is_own or missing > 0:
                found.append(item)
            missing -= not is_own
        return found
