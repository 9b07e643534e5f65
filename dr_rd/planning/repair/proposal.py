"""A task that a model plans, as it is used."""

from typing import ClassVar, Literal

from core.graph.state import Acceptance
from dr_rd.brief import GivenTask


class ProposedTask(GivenTask):
    """A task that a model plans."""

    source: ClassVar[Literal["brief", "model"]] = "model"

    answers: tuple[tuple[str, ...], ...] = ()
    """The ledger ids that each of its acceptance criteria answers."""

    @property
    def tests(self) -> tuple[Acceptance, ...]:
        """Return its acceptance criteria with what they answer."""
        pairs = zip(self.acceptance, self.answers, strict=True)
        return tuple(Acceptance(text=text, ledger_ids=ids) for text, ids in pairs)
