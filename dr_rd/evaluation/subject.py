"""What an evaluator sees: a text and everything it may rest on."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from core.graph.state import Claim, GraphTask
from core.values import Frozen
from dr_rd.brief import Brief
from dr_rd.checks import Ledger, LedgerVerdict
from dr_rd.evaluation.labels import NamedQuantity, named_quantities
from dr_rd.evaluation.sentences import Segment, sentences
from dr_rd.evaluation.tables import Table, tables
from dr_rd.evaluation.workplan import Workplan, workplan
from dr_rd.evidence.corpus import Corpus

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_UNSEEN = re.compile(
    r"[\x00\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)
UNPARTED = "一-鿿぀-ヿ"
"""Han characters and kana, for a set: nothing parts words there, so each counts as one."""

_WORD = re.compile(rf"[{UNPARTED}]|[^\W\d_]+")


class Section(Frozen):
    """A part that a text of this kind must have."""

    title: str
    also: tuple[str, ...] = ()
    """Other headings that mean the same."""
    required: bool = True
    """Whether the text cannot do without it."""
    least: int = 5
    """Different words below which it says nothing."""


class Subject(Frozen):
    """A text to be scored; what is None or empty was not given.

    What several metrics need is found once and kept here.
    """

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
    verdicts: tuple[LedgerVerdict, ...] | None = None
    """What a run knows of its ledger; None: the words of the text alone tell."""

    @property
    def brief_text(self) -> str:
        """Everything the brief says; "" without one."""
        if self.brief is None:
            return ""
        return "\n".join(_strings(self.brief.model_dump(mode="json")))

    @cached_property
    def visible(self) -> str:
        """The text as a reader sees it, in composed letters and with plain line ends.

        Comments and characters without a shape are gone: they earn nothing and prove nothing.
        """
        plain = self.text.replace("\r\n", "\n").replace("\r", "\n")
        shown = _UNSEEN.sub("", _COMMENT.sub("", plain))
        return unicodedata.normalize("NFC", shown)

    @cached_property
    def length(self) -> int:
        """Words of the visible text."""
        return len(_WORD.findall(self.visible))

    @cached_property
    def sentences(self) -> tuple[Segment, ...]:
        """The sentences of the visible text."""
        return sentences(self.visible)

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The tables of the visible text."""
        return tables(self.visible)

    @cached_property
    def named_quantities(self) -> tuple[NamedQuantity, ...]:
        """The quantities that the visible text names."""
        return named_quantities(self.sentences)

    @cached_property
    def workplan(self) -> Workplan | None:
        """The work plan of the visible text; None if it has none that code can read."""
        return workplan(self.tables, self.sentences)


def _strings(value: Any) -> Iterator[str]:  # noqa: ANN401 - any JSON value
    """Every string in a JSON value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)
