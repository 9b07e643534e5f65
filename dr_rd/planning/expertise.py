"""What an expert knows beside tasks and findings: typed, bounded, and left out only by name."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from core.values import Frozen, unsaid
from dr_rd.models.typed.schema import bounds
from dr_rd.plain import ADDRESS, code, plain
from dr_rd.templates import clipped

_LONGEST = 600
"""Characters of one statement; what is longer is cut between words, and that is listed."""

_CELL = 200

_MOST, _MOST_ROWS, _MOST_COLUMNS = 8, 40, 10

_NAMED = 60
"""Characters of a statement that name it in the list of what was left out."""


def _among(*choices: str) -> BeforeValidator:
    """Read what is none of *choices* as not said."""
    return BeforeValidator(lambda value: value if value in choices else "")


Basis = Annotated[
    Literal["source", "computed", "knowledge", ""], _among("source", "computed", "knowledge")
]
"""What a claim rests on: a source named, a calculation, or what its author knows."""

Confidence = Annotated[Literal["low", "medium", "high", ""], _among("low", "medium", "high")]

_Text = Annotated[str, bounds(maxLength=_LONGEST)]
_Few = bounds(maxItems=_MOST)


class Objection(Frozen):
    """Why the brief, as it stands, may not give what it asks for."""

    text: _Text = ""
    basis: Basis = ""
    confidence: Confidence = ""
    would_change: _Text = ""
    """What would settle it."""


class DecisionRule(Frozen):
    """What is concluded from which result."""

    text: _Text = ""
    threshold: _Text = ""


class Alternative(Frozen):
    """What was considered and is not done."""

    text: _Text = ""
    why_not: _Text = ""


class ExpertRisk(Frozen):
    """What may go wrong, how that shows, and what is done."""

    text: _Text = ""
    sign: _Text = ""
    mitigation: _Text = ""


class ExpertGate(Frozen):
    """A decision after a task."""

    after: _Text = ""
    question: _Text = ""
    stop: _Text = ""
    """What is seen when the work ends there."""


class Table(Frozen):
    """A table."""

    title: _Text = ""
    columns: Annotated[tuple[str, ...], bounds(maxItems=_MOST_COLUMNS)] = ()
    rows: Annotated[tuple[tuple[str, ...], ...], bounds(maxItems=_MOST_ROWS)] = ()


class Formula(Frozen):
    """A formula or a piece of code, and what it gives."""

    text: _Text = ""
    meaning: _Text = ""


class Expertise(Frozen):
    """All of it; every field may be empty."""

    objections: Annotated[tuple[Objection, ...], _Few] = Field(default=(), exclude_if=unsaid)
    hypotheses: Annotated[tuple[_Text, ...], _Few] = Field(default=(), exclude_if=unsaid)
    decision_rules: Annotated[tuple[DecisionRule, ...], _Few] = Field(
        default=(), exclude_if=unsaid
    )
    alternatives: Annotated[tuple[Alternative, ...], _Few] = Field(default=(), exclude_if=unsaid)
    risks: Annotated[tuple[ExpertRisk, ...], _Few] = Field(default=(), exclude_if=unsaid)
    gates: Annotated[tuple[ExpertGate, ...], _Few] = Field(default=(), exclude_if=unsaid)
    stop_rules: Annotated[tuple[_Text, ...], _Few] = Field(default=(), exclude_if=unsaid)
    protocol: Annotated[tuple[_Text, ...], bounds(maxItems=_MOST_ROWS)] = Field(
        default=(), exclude_if=unsaid
    )
    tables: Annotated[tuple[Table, ...], bounds(maxItems=3)] = Field(default=(), exclude_if=unsaid)
    formulas: Annotated[tuple[Formula, ...], _Few] = Field(default=(), exclude_if=unsaid)
    references: Annotated[tuple[_Text, ...], _Few] = Field(default=(), exclude_if=unsaid)
    """Publications by name; nobody looked them up."""


_DONE = ("hypotheses", "decision_rules", "stop_rules", "protocol")
"""What would be done: held against the limits. The rest speaks of them, and quotes nobody's plan."""


@dataclass(frozen=True, slots=True)
class Cleaner:
    """Makes plain text of what a model knows, and lists what it takes out.

    Args:
        unfit: Says why a statement of something to be done cannot stand; "" if it can.
        known: The text that addresses may come from.

    """

    unfit: Callable[[str], str]
    known: str = ""
    left_out: list[str] = field(default_factory=list)
    """A line each: how it begins, and why it is gone."""

    def expertise(self, written: Expertise | None) -> Expertise:
        """Return *written* as it may stand."""
        if written is None:
            return Expertise()
        found = {name: tuple(self._items(name, written)) for name in Expertise.model_fields}
        return Expertise.model_validate(found)

    def line(self, text: str, *, reference: bool = False) -> str:
        """Return one statement as a plain line; addresses that nobody gave are taken out.

        A *reference* keeps the DOI that is a part of it.
        """
        said = plain(text)
        for address in dict.fromkeys(ADDRESS.findall(said)):
            if address not in self.known and not (reference and _DOI.match(address)):
                said = " ".join(said.replace(address, " ").split())
                self._leave_out("an address", said, "nobody gave it")
        said = said.replace("[", "(").replace("]", ")")  # in square brackets stand sources alone
        if len(said) > _LONGEST:
            self._leave_out(
                "the end of a statement", said, f"it is longer than {_LONGEST} characters"
            )
        return clipped(said, _LONGEST) if re.search(r"\w", said) else ""

    def _items(self, name: str, written: Expertise) -> Iterator[Any]:
        items: Sequence[Any] = getattr(written, name)
        most = {"protocol": _MOST_ROWS, "tables": 3}.get(name, _MOST)
        for number, item in enumerate(items):
            shown = name.replace("_", " ")
            if number >= most:
                self._leave_out("one of the " + shown, str(item), f"{most} are kept")
                continue
            kept = self._item(item, reference=name == "references")
            if kept and self._fits(name, kept):
                yield kept

    def _item(self, item: Any, *, reference: bool) -> Any:  # noqa: ANN401 - a field's own kind
        if isinstance(item, str):
            return self.line(item, reference=reference)
        if isinstance(item, Table):
            return self._table(item)
        if isinstance(item, Formula):
            return self._formula(item)
        said = {k: self.line(v) if isinstance(v, str) else v for k, v in dict(item).items()}
        kept = item.model_copy(update=said)
        return kept if any(v for k, v in said.items() if k in ("text", "question")) else None

    def _fits(self, name: str, item: Any) -> bool:  # noqa: ANN401 - a field's own kind
        text = item if isinstance(item, str) else getattr(item, "text", "")
        why = self.unfit(text) if name in _DONE else ""
        if why:
            self._leave_out("a statement", text, why)
        return not why

    def _table(self, table: Table) -> Table | None:
        columns = tuple(self._cell(c) for c in table.columns[:_MOST_COLUMNS])
        width = len(columns)
        rows = [tuple(self._cell(c) for c in (*r, *[""] * width)[:width]) for r in table.rows]
        if not (columns and rows):
            return None
        wide = len(table.columns) > width or any(len(r) > width for r in table.rows)
        if wide or len(rows) > _MOST_ROWS:
            size = f"{_MOST_ROWS} rows of {width} columns are kept"
            self._leave_out("a part of a table", table.title, size)
        title = self.line(table.title)
        return Table(title=title, columns=columns, rows=tuple(rows[:_MOST_ROWS]))

    def _cell(self, text: str) -> str:
        return clipped(self.line(text), _CELL) if text.strip() else ""

    def _formula(self, formula: Formula) -> Formula | None:
        text = " ".join(formula.text.split())
        if not text or ADDRESS.search(text) or len(text) > _LONGEST:
            if text:
                self._leave_out("a formula", text, "it holds an address or is too long")
            return None
        return Formula(text=code(text), meaning=self.line(formula.meaning))

    def _leave_out(self, what: str, text: str, why: str) -> None:
        self.left_out.append(f"{what}{beginning(text)}, because {why}")


_DOI = re.compile(r"(?:doi:\s?)?10\.", re.IGNORECASE)


def beginning(text: str) -> str:
    """Return how a statement begins, to name it where it is gone; never all of it."""
    words = plain(text).split()
    first = words[: min(6, len(words) // 2)]
    return f" that begins “{clipped(' '.join(first), _NAMED)}”" if first else ""
