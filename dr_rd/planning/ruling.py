"""Which techniques and sentences of the library the brief's limits rule out."""

from collections.abc import Iterable, Iterator, Sequence

from core.values import Frozen
from dr_rd.checks import Ledger, LedgerItem, Prohibition, check
from dr_rd.planning.library import Technique
from dr_rd.text import lexicon

_RESTS = 2
"""Texts of a card that take in what is ruled out, from which it cannot be done without it.

One step alone is left out, and the rest stands.
"""


class LeftOut(Frozen):
    """A step of the library that the brief's limits do not allow."""

    text: str
    ledger_id: str


def sifted(texts: Iterable[str], ledger: Ledger) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    """Part *texts* into those that the brief's limits allow, and those that break one."""
    found = [(text, _breach(text, ledger)) for text in texts]
    left = tuple(LeftOut(text=text, ledger_id=broken) for text, broken in found if broken)
    return tuple(text for text, broken in found if not broken), left


def _breach(text: str, ledger: Ledger) -> str:
    """The id of the first item that *text* breaks; "" if it breaks none."""
    return next((v.id for v in check(ledger, text) if v.verdict == "violated"), "")


def ruled_out(technique: Technique, ledger: Ledger) -> str:
    """Return the id of the ban that rules out what *technique* rests on; "" if none does."""
    return next((i.id for i in _bans(ledger) if _rests_on(technique, i, ledger)), "")


def _bans(ledger: Ledger) -> Iterator[LedgerItem]:
    for item in ledger.items:
        if item.checks and all(isinstance(c, Prohibition) for c in item.checks):
            yield item


def _rests_on(technique: Technique, ban: LedgerItem, ledger: Ledger) -> bool:
    alone = ledger.model_copy(update={"items": (ban,)})
    steps = [s for texts in technique.phases.values() for s in texts]
    risk = technique.risk
    others = [technique.strength, technique.weakness, technique.check, technique.question]
    others += [risk.text, risk.mitigation] if risk else []
    done = sum(v == "violated" for v in _verdicts(steps, ban, alone))
    if ban.kind != "ban":
        return done >= _RESTS  # a limit has other words beside what it rules out
    told = [*_verdicts(steps, ban, alone), *_verdicts(others, ban, alone)]
    return done > 0 and len(told) >= _RESTS


def _verdicts(texts: Sequence[str], ban: LedgerItem, alone: Ledger) -> list[str]:
    """The verdict on each of *texts* that takes in, or may, what a ban rules out in so many words."""
    found = (check(alone, text)[0].verdict for text in texts if text and _names(text, ban))
    return [v for v in found if v in ("violated", "unclear")]


def _names(text: str, ban: LedgerItem) -> bool:
    """Whether a text has each telling word of a thing ruled out that the brief does not plan with."""
    words = lexicon()
    held = frozenset(m for w in words.words(text) for m in w.meanings)
    for found in (c for c in ban.checks if isinstance(c, Prohibition)):
        dull = words.heads | words.verbs | set(found.known)
        telling = ({u for u in words.units(t) if u not in dull} for t in found.terms)
        if any(units and units <= held for units in telling):
            return True
    return False
