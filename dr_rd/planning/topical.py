"""Which sentences of the library belong to a brief: none that names a thing of another topic."""

import re
from dataclasses import dataclass
from functools import cached_property

from pydantic import Field

from core.values import Frozen
from dr_rd.files import read_yaml


class Topic(Frozen):
    """Things that are at home in some topics only."""

    things: tuple[str, ...] = Field(min_length=1)
    """Words and phrases; a plural counts as well."""
    shown_by: tuple[str, ...] = Field(min_length=1)
    """Beginnings of words of a brief that make room for them."""

    @cached_property
    def named(self) -> re.Pattern[str]:
        """Finds one of the things."""
        words = "|".join(sorted(map(re.escape, self.things), key=len, reverse=True))
        return re.compile(rf"(?<!\w)(?:{words})(?:s|es)?(?!\w)", re.IGNORECASE)

    @cached_property
    def shown(self) -> re.Pattern[str]:
        """Finds one of the words that show them."""
        return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, self.shown_by))})", re.IGNORECASE)


class Topical(Frozen):
    """What is at home where; `data/planning/topical.yaml`."""

    topics: tuple[Topic, ...]

    def absent_from(self, text: str) -> "Absent":
        """Return the topics that *text*, a brief's words, is not of."""
        return Absent(
            tuple(t.named for t in self.topics if not t.shown.search(text)), text.lower()
        )


@dataclass(frozen=True)
class Absent:
    """Topics that a brief is not of."""

    patterns: tuple[re.Pattern[str], ...]
    """What finds the things of each."""
    text: str
    """The brief's words, in small letters; it may name such a thing all the same."""

    def foreign(self, sentence: str) -> str:
        """Return the thing of another topic that *sentence* names; "" where it names none."""
        named = (m[0].lower() for p in self.patterns for m in p.finditer(sentence))
        return next((word for word in named if word.removesuffix("s") not in self.text), "")


def load_topical() -> Topical:
    """Read the table."""
    return Topical(
        topics=tuple(Topic.model_validate(t) for t in read_yaml("planning", "topical.yaml"))
    )
