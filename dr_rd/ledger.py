"""The brief's limits as numbered items, each with a checkable form where there is one."""

from typing import Annotated, Literal

from pydantic import Field

from core.values import Frozen
from dr_rd.brief import Brief
from dr_rd.quantity import Quantity

Kind = Literal["constraint", "criterion", "ban"]


class Limit(Frozen):
    """A bound on something counted or measured."""

    type: Literal["limit"] = "limit"
    quantity: Quantity


class Prohibition(Frozen):
    """Things that must not be part of the work."""

    type: Literal["prohibition"] = "prohibition"
    what: str
    terms: tuple[str, ...]
    """The forbidden things, each on its own enough for a violation."""


class Exclusive(Frozen):
    """One thing and no other of its kind."""

    type: Literal["exclusive"] = "exclusive"
    only: str
    """What is to be used."""
    against: tuple[str, ...] = ()
    """What is named as not to be used; empty where the text names nothing."""


class Requirement(Frozen):
    """Something that must be part of the work."""

    type: Literal["requirement"] = "requirement"
    terms: tuple[str, ...]
    """The content words, in order."""


class Period(Frozen):
    """Calendar years that the work must cover or stay within."""

    type: Literal["period"] = "period"
    first: int
    last: int


Check = Annotated[
    Limit | Prohibition | Exclusive | Requirement | Period, Field(discriminator="type")
]


class LedgerItem(Frozen):
    """One constraint, criterion or ban."""

    id: str
    """"C01" for the first constraint, "S01" for the first criterion, "B01" for the first ban."""
    kind: Kind
    text: str
    """The analyst's words, unchanged."""
    checks: tuple[Check, ...] = ()
    reason: str = ""
    """Why there is no checkable form; "" where there is one."""

    @property
    def checkable(self) -> bool:
        """Whether code can tell that a text breaks it."""
        return bool(self.checks)


class Ledger(Frozen):
    """All items of a brief."""

    items: tuple[LedgerItem, ...] = ()

    def item(self, item_id: str) -> LedgerItem:
        """Return the item with that id."""
        return next(i for i in self.items if i.id == item_id)


def build_ledger(brief: Brief) -> Ledger:
    """Number the limits of *brief*: constraints C01…, criteria S01…, bans B01…."""
    groups: tuple[tuple[str, Kind, tuple[str, ...]], ...] = (
        ("C", "constraint", brief.hard_constraints),
        ("S", "criterion", brief.success_criteria),
        ("B", "ban", brief.banned_moves),
    )
    return Ledger(
        items=tuple(
            LedgerItem(id=f"{letter}{n:02}", kind=kind, text=text, reason="not read yet")
            for letter, kind, texts in groups
            for n, text in enumerate(texts, 1)
        )
    )
