"""The brief's limits and what a plan shows of them: the one place that reads the ledger's own types."""

from collections.abc import Iterable

from core.values import Frozen
from dr_rd.modes.spec import Material
from dr_rd.report.preview import Preview


class Item(Frozen):
    """A limit of the brief."""

    id: str
    kind: str
    """constraint, criterion or ban."""
    text: str


class Held(Frozen):
    """What a plan shows of a limit."""

    id: str
    verdict: str
    reason: str
    quote: str = ""


def items(material: Material) -> tuple[Item, ...]:
    """Return the brief's limits in their order."""
    return tuple(Item(id=i.id, kind=i.kind, text=i.text) for i in material.ledger.items)


def held(seen: Preview) -> dict[str, Held]:
    """Return what a plan shows, by limit."""
    return {
        v.id: Held(id=v.id, verdict=v.verdict, reason=v.reason, quote=v.quote) for v in seen.ledger
    }


def banned_actions(material: Material) -> dict[str, str]:
    """Return, by limit, what it rules out that steps of the library would declare."""
    return {r.ledger_id: r.does for r in material.design.rulings if r.banned}


def named(tasks: Iterable[str], words: str) -> tuple[str, ...]:
    """Return those of the *tasks* whose ids stand in *words*."""
    return tuple(t for t in tasks if t in words.replace(",", " ").split())
