"""Hard limits, held against every option before any debate."""

import re
from collections.abc import Sequence

from core.values import Frozen
from dr_rd.modes.directions import DirectionPrices
from dr_rd.modes.downselect.ledger import broken_by
from dr_rd.modes.spec import Material
from dr_rd.planning.signals import stems


class Screened(Frozen):
    """An option that did not come to the table, and what would let it."""

    id: str
    text: str
    ledger_ids: tuple[str, ...]
    why: str
    """What it breaks, by how much."""
    repair: str = ""
    """Its words with the least struck out that passes; "" where none of that kind does."""
    struck: str = ""
    """What is struck out."""


def screen(
    material: Material, options: Sequence[tuple[str, str]], prices: DirectionPrices
) -> tuple[Screened, ...]:
    """Return those of the *options*, ids with texts, that break a hard limit."""
    found = []
    for key, text in options:
        broken = broken_by(material.ledger, text)
        dear = _too_dear(material, key, text, prices)
        if broken or dear:
            reasons = [*(b.reason for b in broken), *(dear[1:2] if dear else ())]
            repair, struck = _repaired(material, key, text, " ".join(reasons), prices)
            why = [f"{b.ledger_id} (“{b.item}”): {b.reason}" for b in broken]
            ids = [b.ledger_id for b in broken]
            found.append(
                Screened(
                    id=key,
                    text=text,
                    ledger_ids=(*ids, *(dear[:1] if dear else ())),
                    why="; ".join([*why, *(dear[1:2] if dear else ())]),
                    repair=repair,
                    struck=struck,
                )
            )
    return tuple(found)


def _too_dear(
    material: Material, key: str, text: str, prices: DirectionPrices
) -> tuple[str, str] | None:
    """Return the money limit that a direction breaks at the posture's percentile, and how.

    What the plan breaks as well sets no direction apart: it is the plan's to mend.
    """
    limit = material.design.scaling.limit
    cost = prices.of(key, text) if limit else None
    if cost is None or cost.chance is None or cost.chance >= prices.percentile:
        return None
    if not cost.words and cost.dearer <= 1:
        return None
    item = next((i for i in material.ledger.items if _is_of(i.text, limit or 0.0)), None)
    why = (
        f"“{cost.words}” asks for {cost.rounds:g} rounds of sampling where the plan has "
        f"{cost.planned}"
        if cost.words
        else f"its own tasks make the work {cost.dearer - 1:.0%} dearer than the plan's"
    )
    says = (
        f"{why}, so it costs {cost.cost:,.0f} {material.design.scaling.currency} at "
        f"P{prices.percentile * 100:.0f} against {limit:,.0f}, kept with {cost.chance:.2f} where "
        f"the posture asks {prices.percentile:.2f}"
    )
    return (item.id if item else "budget", f"{item.id} (“{item.text}”): {says}" if item else says)


def _is_of(text: str, limit: float) -> bool:
    plain = text.replace(",", "").replace(" ", "")
    return f"{limit:.0f}" in plain


def _repaired(
    material: Material, key: str, text: str, reasons: str, prices: DirectionPrices
) -> tuple[str, str]:
    """Strike the fewest words in a row that make a direction pass; "" if three do not do it.

    Of as many words, those come first that the reasons name. A number goes with what it counts.
    Returns the words left, and those struck.
    """
    words, named = text.split(), stems(reasons)
    spans = [
        (at, at + size)
        for size in (1, 2, 3)
        for at in range(len(words) - size + 1)
        if not _NUMBER.fullmatch(words[at + size - 1]) or at + size == len(words)
    ]
    spans.sort(key=lambda s: (s[1] - s[0], not stems(" ".join(words[slice(*s)])) & named))
    for start, end in spans:
        rest = " ".join((*words[:start], *words[end:]))
        if not broken_by(material.ledger, rest) and not _too_dear(material, key, rest, prices):
            return rest, " ".join(words[start:end])
    return "", ""


_NUMBER = re.compile(r"\d[\d.,]*")
