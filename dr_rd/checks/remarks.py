"""What is to be said of a brief's limits as a whole, before any text is held against them."""

from collections.abc import Iterator

from core.errors import clipped
from dr_rd.checks.clashes import clashing
from dr_rd.checks.items import Ledger, LedgerItem
from dr_rd.checks.possible import impossible
from dr_rd.checks.refused import refusals
from dr_rd.checks.tongues import unread

_SHOWN = 100
"""Characters of an item that are shown of it."""


def remarks(ledger: Ledger) -> tuple[str, ...]:
    """Return what its author should put right, the gravest first; a sentence each.

    Limits that contradict each other, figures that cannot be meant, and limits that are held
    against nothing for want of a word, or in a language that is not understood.
    """
    return (
        *(_apart(one, other) for one, other in clashing(ledger)),
        *(_refused(one, other) for one, other in refusals(ledger)),
        *(f"{called(item)} {why}" for item, why in impossible(ledger)),
        *(
            f"{called(i)} is held against nothing, since {i.reason}"
            for i in ledger.items
            if i.lacking
        ),
        *_unread(ledger),
    )


def _apart(one: LedgerItem, other: LedgerItem) -> str:
    if one.id == other.id:
        return (
            f"{called(one)} contradicts itself: no plan can keep both of its figures. Change one "
            "of them, or say of what each holds"
        )
    return (
        f"{called(one)} and {called(other)} contradict each other: no plan can keep both. Change "
        "one of them, or say of what each holds"
    )


def _refused(asking: LedgerItem, refusing: LedgerItem) -> str:
    return (
        f"{called(asking)} asks for what {called(refusing)} refuses: no plan can keep both. Strike "
        "one of them, or say where each holds"
    )


def _unread(ledger: Ledger) -> Iterator[str]:
    tongue, items = unread(ledger)
    if items:
        ids = ", ".join(i.id for i in items)
        yield (
            f"{ids} {'is' if len(items) == 1 else 'are'} in {tongue.capitalize()}, of which only figures "
            "with units are understood: beyond their very words nothing is checked. Write them in English "
            "to have them checked"
        )


def called(item: LedgerItem) -> str:
    """Name an item by its id and its words, cut where they are many."""
    return f"{item.id} (“{clipped(item.text, _SHOWN)}”)"
