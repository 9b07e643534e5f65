"""A model as a second reader of a brief's limits: code looks for its quotations and compares its figures.

It never overrules a violation that code found. What code did not see it can raise, to violated only
where code finds the quotation and, of a figure, confirms the comparison; what code left open it can
clear with a quotation that is of the limit.
"""

import re
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from core.errors import TaskError
from core.values import Frozen
from dr_rd.checks import Kind, Ledger, LedgerItem, LedgerVerdict, Limit, Period, Verdict, check
from dr_rd.checks.compare import breaks, keeps, same_unit
from dr_rd.checks.figures import apart
from dr_rd.checks.restated import restated
from dr_rd.evaluation.subject import Subject
from dr_rd.evidence.words import plain
from dr_rd.models.typed.ask import Model, Question
from dr_rd.prompts import delimiter, prompt
from dr_rd.text import lexicon, read, reported

Answer = Literal["broken", "kept", "cannot_tell"]

_KINDS: dict[Kind, str] = {
    "constraint": "which the plan must keep",
    "criterion": "which the plan must reach",
    "ban": "a thing that the plan must not do",
}


class LimitOpinion(Frozen):
    """What a model says of one limit; the reason comes first, so that the answer follows from it."""

    reason: str = Field(min_length=1, max_length=2000)
    quote: str = Field(max_length=1000)
    figure: str = Field(max_length=200)
    answer: Answer


class SecondVerdict(Frozen):
    """A verdict with what it rests on."""

    verdict: LedgerVerdict
    code: Verdict
    """What code alone said."""
    opinion: LimitOpinion | None = None
    """What the reader said; None where it was not asked or gave nothing that could be used."""

    def to_json(self) -> dict[str, Any]:
        """The verdict as `check` prints it, with both readers'."""
        said = self.opinion.model_dump(mode="json") if self.opinion else None
        return {**self.verdict.model_dump(mode="json"), "code": self.code, "reader": said}


@dataclass(frozen=True)
class SecondReader:
    """An odd number of seats, each a model that is asked alone.

    Args:
        panel: The models; one may sit twice.
        seed: Where the marks around the text come from.

    """

    panel: tuple[Model, ...]
    seed: str

    @property
    def name(self) -> str:
        """What its verdicts are signed with."""
        return ", ".join(dict.fromkeys(model.name for model in self.panel))

    async def verdicts(self, ledger: Ledger, text: str) -> AsyncIterator[SecondVerdict]:
        """Yield a verdict for each item, in its order; what code calls violated is not asked about."""
        for found in check(ledger, text):
            item = ledger.item(found.id)
            opinion = None if found.verdict == "violated" else await self.opinion(text, item)
            yield SecondVerdict(
                verdict=combined(found, opinion, item, text, self.name),
                code=found.verdict,
                opinion=opinion,
            )

    async def opinion(self, text: str, item: LedgerItem, *, take: int = 0) -> LimitOpinion | None:
        """Ask every seat about one limit; None unless more than half of all seats agree.

        *take* says which repetition this is; each has marks of its own.
        """
        shown = Subject(text=text).visible
        mark = delimiter(f"{self.seed}/{take}", f"{shown}\n{item.text}")
        values = {"mark": mark, "text": shown, "limit": item.text, "kind": _KINDS[item.kind]}
        asked = prompt("limit", values)
        said: list[LimitOpinion] = []
        for seat, model in enumerate(self.panel, 1):
            question = Question(
                purpose="judge", system=asked.system, user=asked.user, attempt=seat
            )
            said += await _opinion(model, question, shown)
        counts = Counter(o.answer for o in said)
        return next((o for o in said if 2 * counts[o.answer] > len(self.panel)), None)


async def _opinion(model: Model, question: Question, text: str) -> Sequence[LimitOpinion]:
    """Ask one model; nothing where it fails, or quotes what does not stand in the text."""

    def quoted(opinion: LimitOpinion) -> None:
        if opinion.answer == "cannot_tell":
            return
        if not plain(opinion.quote):
            raise ValueError("quote: an answer has a passage of the plan that decides it")
        if _folded(opinion.quote) not in _folded(text):
            raise ValueError(
                "quote: these words do not stand in the plan; copy them letter by letter"
            )
        if _folded(opinion.figure) not in _folded(opinion.quote):
            raise ValueError("figure: it does not stand in the quote; copy it from there")

    try:
        return (await model.ask(question, LimitOpinion, check=quoted),)
    except TaskError:
        return ()


def _folded(text: str) -> str:
    """Return *text* as quotations are compared: its letters, whatever their typography and case."""
    return plain(text).casefold()


def combined(
    found: LedgerVerdict, opinion: LimitOpinion | None, item: LedgerItem, text: str, name: str
) -> LedgerVerdict:
    """Put a reader's opinion, whose quotation stands in *text*, to what code found.

    ============ ==================================== =================================
    code         "broken"                             "kept"
    ============ ==================================== =================================
    violated     violated                             violated
    met          unclear                              met
    other        violated if sure, otherwise unclear  met if sure and code left it open
    ============ ==================================== =================================

    Sure of a figure is who names an amount of the quotation that code finds beyond, or within, the
    bound. Sure of a breach is a passage that the text does not set aside; of the rest, one that
    shares a telling word with the limit, does more than say it again, and breaks nothing.
    """
    if opinion is None or opinion.answer == "cannot_tell" or found.verdict == "violated":
        return found
    start, end = _place(opinion.quote, text)
    bounded = any(isinstance(c, Limit | Period) for c in item.checks)
    outcome = _compared(item, opinion) if bounded else None
    if opinion.answer == "broken":
        sure = outcome == "beyond" if bounded else _planned(text, start, end)
        verdict: Verdict = "violated" if sure and found.verdict != "met" else "unclear"
        if verdict == found.verdict:
            return found
    else:
        sure = outcome == "within" if bounded else _of_the_limit(item, opinion.quote)
        if found.verdict not in ("unclear", "not_shown") or not sure or not _sound(item, opinion):
            return found
        verdict = "met"
    update = {
        "verdict": verdict,
        "reason": f"{name}: {opinion.reason}",
        "quote": text[start:end] or opinion.quote,
        "start": start,
        "end": end,
        "nearest": False,
    }
    return found.model_copy(update=update)


def _place(quote: str, text: str) -> tuple[int, int]:
    """Where a quotation stands in the text, whatever its blanks, signs and case; (0, 0) if nowhere."""
    words = (re.sub(r"[^\w\s]", ".", word) for word in quote.split())
    found = re.search(r"\s+".join(words), text, re.IGNORECASE)
    return found.span() if found else (0, 0)


def _compared(item: LedgerItem, opinion: LimitOpinion) -> Literal["beyond", "within"] | None:
    """Hold the figure that a reader names against the item's bounds, as code reads the quotation.

    None where the figure is denied, told of others, of another kind or of each of another thing.
    """
    page = read(opinion.quote)
    stated = [f for f in page.facts if f.polarity == "affirmed" and not reported(f)]
    stated = [f for f in stated if not f.derived and _overlap(f.amount.text, opinion.figure)]
    for found in (c for c in item.checks if isinstance(c, Limit)):
        bound = found.quantity
        for fact in stated:
            amount = same_unit(fact.amount, bound)
            if amount is None or apart(fact, bound) or bool(fact.per) != bool(found.scope):
                continue
            if breaks(amount, bound):
                return "beyond"
            if keeps(amount, bound):
                return "within"
    return None


def _overlap(stated: str, figure: str) -> bool:
    one, other = _folded(stated), _folded(figure)
    return bool(other) and (one in other or other in one)


def _planned(text: str, start: int, end: int) -> bool:
    """Whether a passage stands where a text says what is planned, not what is set aside."""
    here = [s for s in read(text).sentences if s.start < end and start < s.end]
    return any(not s.aside for s in here)


def _of_the_limit(item: LedgerItem, quote: str) -> bool:
    """Whether a passage shares a telling word with an item."""
    return bool(set(lexicon().units(item.text)) & lexicon().meanings(quote))


def _sound(item: LedgerItem, opinion: LimitOpinion) -> bool:
    """Whether a passage by itself says more than the item over again, and code finds no breach in it."""
    ledger, page = Ledger(items=(item,)), read(opinion.quote)
    again = restated(ledger, page).named
    (alone,) = check(ledger, opinion.quote)
    return alone.verdict != "violated" and any(s.start not in again for s in page.sentences)
