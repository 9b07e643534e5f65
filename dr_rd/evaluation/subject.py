"""What an evaluator sees: a text and everything it may rest on."""

from collections.abc import Iterator, Mapping
from typing import Any

from core.graph.state import Claim, GraphTask
from core.values import Frozen
from dr_rd.brief import Brief
from dr_rd.evidence.corpus import Corpus
from dr_rd.ledger import Ledger


class Section(Frozen):
    """A part that a text of this kind must have."""

    title: str
    also: tuple[str, ...] = ()
    """Other headings that mean the same."""


class Subject(Frozen):
    """A text to be scored; what is None or empty was not given."""

    text: str
    brief: Brief | None = None
    ledger: Ledger | None = None
    task: GraphTask | None = None
    claims: tuple[Claim, ...] = ()
    corpus: Corpus | None = None
    computed: Mapping[str, Any] = {}
    """Outputs of recorded calls, by call id."""
    assumed: tuple[str, ...] = ()
    """Texts of the recorded assumptions."""
    names: tuple[str, ...] = ()
    """Names with digits that are no figures, such as "ISO 14044"."""
    template: tuple[Section, ...] = ()

    @property
    def asked(self) -> str:
        """Everything the brief says; "" without one."""
        if self.brief is None:
            return ""
        return "\n".join(_strings(self.brief.model_dump(mode="json")))


def _strings(value: Any) -> Iterator[str]:  # noqa: ANN401 - any JSON value
    """Every string in a JSON value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)
