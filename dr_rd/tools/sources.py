"""What the analyst gave besides the brief, which tools look into."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path

from dr_rd.evidence.agreement import Disputes, disputed
from dr_rd.evidence.corpus import Corpus
from dr_rd.evidence.index import Index


@dataclass(frozen=True)
class Sources:
    """Documents, pictures and a repository."""

    corpus: Corpus
    """The documents that were read."""
    index: Index
    """Searches them."""
    docs: Sequence[Path] = ()
    """The folders and files that they were read from, which may hold pictures too."""
    repo: Path | None = None
    """The folder or git repository that the analyst chose."""

    @cached_property
    def conflicts(self) -> Disputes:
        """Gives the values that documents contradict; read when there is a first question."""
        return cache(partial(disputed, self.corpus))
