"""The items of a ledger, and the forms in which code can check them."""

from typing import Annotated, Literal

from pydantic import Field

from core.values import Frozen, unsaid
from dr_rd.quantity import Quantity

Kind = Literal["constraint", "criterion", "ban"]

Span = tuple[float | None, float | None, str]
"""From, to, and the unit."""


class Limit(Frozen):
    """A bound on something counted or measured."""

    type: Literal["limit"] = "limit"
    quantity: Quantity
    scope: str = ""
    """What the bound holds for each of, such as "group"; "" for the whole."""
    of: str = Field(default="", exclude_if=unsaid)
    """What else it holds for each of: "each lake … per season"; "" for nothing."""
    known: tuple[Span, ...] = ()
    """Figures of the brief's own objective: they are of what is studied."""
    whole: bool = False
    """Whether it bounds the work as a whole and says little else, such as "12 months"."""
    part: bool = Field(default=False, exclude_if=unsaid)
    """Whether the brief names another sum, or another end, for the work as a whole."""


class Prohibition(Frozen):
    """Things that must not be part of the work."""

    type: Literal["prohibition"] = "prohibition"
    what: str
    terms: tuple[str, ...]
    """The forbidden things, each on its own enough for a violation."""
    where: str = ""
    """What narrows them, such as "during practice trials"; "" where nothing does."""
    bound: bool = Field(default=False, exclude_if=unsaid)
    """Whether they are nothing but what that does: "grow", of "the scope must not grow"."""
    fresh: bool = Field(default=False, exclude_if=unsaid)
    """Whether only more of them is ruled out than there is: "no new hardware"."""
    source: bool = False
    """Whether *where* says what they come from, so that taking that in may be taking them in."""
    excepted: str = ""
    """The one of the things that may be; "" where none may."""
    clear: Quantity | None = Field(default=None, exclude_if=unsaid)
    """How long before or after something they must be kept from; None where that is not said."""
    lacking: str = ""
    """What lets it pass where it is there: "without a check by a reader"; "" where nothing does."""
    known: tuple[str, ...] = ()
    """Those of its words that the brief itself plans with, so that they tell little."""
    settled: tuple[str, ...] = ()
    """Those of them that stand in more than a direction, which may yet be left."""


class Exclusive(Frozen):
    """One thing and no other of its kind."""

    type: Literal["exclusive"] = "exclusive"
    only: str
    """What is to be used."""
    against: tuple[str, ...] = ()
    """What is not to be used: named in the text, or an opposite in the lexicon."""
    where: str = ""
    """Words that must stand near for it to count; "" where naming it is enough."""
    near: bool = False
    """Whether those words must stand near without exception."""
    known: tuple[str, ...] = ()
    """Those of the words against it that the brief itself plans with."""
    settled: tuple[str, ...] = ()
    """Those of them that stand in more than a direction, which may yet be left."""


class Requirement(Frozen):
    """Something that must be part of the work."""

    type: Literal["requirement"] = "requirement"
    terms: tuple[str, ...]
    """The content words, in order."""
    told: tuple[str, ...] = ()
    """Those of them that the brief's objective does not say anyway."""
    examples: tuple[str, ...] = ()
    """What the item names as an example of what it asks for; any of them will do."""
    figures: tuple[Span, ...] = ()
    """The measured figures that belong to it, such as 14 days."""
    thresholds: tuple[Quantity, ...] = ()
    """The shares and values that a criterion wants reached: "in at least 95 percent of samples"."""


class Period(Frozen):
    """Calendar years that the work must cover or stay within, or stay out of."""

    type: Literal["period"] = "period"
    first: int
    last: int
    outside: bool = False
    """Whether they are the years to stay out of."""


Check = Annotated[
    Limit | Prohibition | Exclusive | Requirement | Period,
    Field(discriminator="type"),
]


NOTHING = "it names nothing that code can look for"
"""Why an item has no checkable form where no word that is lacking would give it one."""


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

    @property
    def lacking(self) -> bool:
        """Whether it would be checkable with a word more, which its reason names."""
        return self.reason not in ("", NOTHING)

    @property
    def whole(self) -> bool:
        """Whether it bounds the work as a whole and says little else, such as "12 months"."""
        return any(isinstance(c, Limit) and c.whole for c in self.checks)


class Ledger(Frozen):
    """All items of a brief."""

    items: tuple[LedgerItem, ...] = ()
    objective: str = ""
    """The brief's; saying it again keeps none of them."""

    def item(self, item_id: str) -> LedgerItem:
        """Return the item with that id."""
        return next(i for i in self.items if i.id == item_id)
