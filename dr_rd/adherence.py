"""Whether a text keeps to a ledger: a verdict on each item, with the words that decide it."""

from collections.abc import Iterable
from typing import Any, Literal

from core.values import Frozen
from dr_rd.ledger import Kind, Ledger

Verdict = Literal["met", "violated", "unclear", "not_checkable"]


class LedgerVerdict(Frozen):
    """What a text says about one item."""

    id: str
    kind: Kind
    text: str
    """The item's words."""
    verdict: Verdict
    reason: str
    quote: str = ""
    """The words of the checked text that decide; "" where none do."""
    start: int = 0
    end: int = 0


def check(ledger: Ledger, text: str) -> tuple[LedgerVerdict, ...]:
    """Return one verdict per item of *ledger*, in its order."""
    del text
    return tuple(
        LedgerVerdict(id=i.id, kind=i.kind, text=i.text, verdict="not_checkable", reason=i.reason)
        for i in ledger.items
    )


def to_json(verdicts: Iterable[LedgerVerdict]) -> dict[str, Any]:
    """Return the verdicts as the command line prints them, with the number of violations."""
    items = [v.model_dump(mode="json") for v in verdicts]
    return {"items": items, "violated": sum(i["verdict"] == "violated" for i in items)}
