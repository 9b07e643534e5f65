"""What the ledger says of a direction's words; the one place here that knows how verdicts are made."""

import re
from collections.abc import Iterable

from core.values import Frozen
from dr_rd.checks import Ledger, LedgerItem, check
from dr_rd.planning.signals import stems

_SHARED = 2
"""Content words that a weakness and a limit must share for the one to bear on the other."""


class Broken(Frozen):
    """A hard limit that an option's own words break."""

    ledger_id: str
    item: str
    """The limit in the analyst's words."""
    reason: str
    quote: str = ""


def broken_by(ledger: Ledger, text: str) -> tuple[Broken, ...]:
    """Return the constraints and bans that a text breaks."""
    return tuple(
        Broken(ledger_id=v.id, item=v.text, reason=v.reason, quote=v.quote)
        for v in check(ledger, text)
        if v.verdict == "violated" and v.kind != "criterion"
    )


def bearing(
    ledger: Ledger, weakness: str, generic: Iterable[str]
) -> tuple[LedgerItem, list[str]] | None:
    """Return the limit or criterion whose words a weakness shares most, and those words."""
    own = _words(weakness)
    without = tuple(generic)
    best: tuple[int, LedgerItem, list[str]] | None = None
    for item in ledger.items:
        if item.kind == "ban":
            continue
        theirs = stems(_joined(item.text))
        shared = [w for stem, w in own.items() if stem in theirs and not stem.startswith(without)]
        if len(shared) >= _SHARED and (best is None or len(shared) > best[0]):
            best = (len(shared), item, shared)
    return best and (best[1], best[2])


def _words(text: str) -> dict[str, str]:
    """Return the words of a text by their stems, in order."""
    found: dict[str, str] = {}
    for word in _joined(text).split():
        bare = word.strip(".,;:()“”'\"")
        for stem in stems(bare):
            found.setdefault(stem, bare)
    return found


def _joined(text: str) -> str:
    """Write compounds as one word: what "fine-tuning" shares with "fine-tuned" is one thing."""
    return re.sub(r"(?<=\w)-(?=\w)", "", text)
