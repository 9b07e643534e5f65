"""Whether a text goes on for longer than may be, though it states no length of the whole."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from dr_rd.adherence.reading import Stated
from dr_rd.ledger import LedgerItem
from dr_rd.quantity import DATE, TIME_UNITS, YEAR, Quantity
from dr_rd.text import Sentence, cued, lexicon

_TURN = r"(?:year|month|season|cycle|rotation|turn|harvest|crop|term|semester|wave|round|phase|winter|summer|spring|autumn)s?\b"
_MORE = re.compile(
    rf"\b(?:another|(?:an?|one|two|three|four|\d+)\s(?:further|additional|extra|more)|further|additional|extra)\s(?:[\w-]+\s){{0,2}}?{_TURN}"
    rf"|\ba\s(?:second|new|repeat)\s(?:[\w-]+\s){{0,2}}?(?:rotation|cycle|turn|round)\b|\b(?:two|three|four|both)\s(?:full|whole|complete)?\s?(?:rotations|cycles|turns)\b",
    re.IGNORECASE,
)


def prolonged(bound: Quantity, item: LedgerItem, page: Sequence[Sentence]) -> Sentence | None:
    """The sentence that goes on once more with what must not be extended."""
    words = {w.stem for w in lexicon().words(item.text)}
    extends = item.kind == "ban" and bool(words & lexicon().stretching)
    if not extends or bound.unit not in TIME_UNITS or bound.high is None:
        return None
    for sentence in page:
        found = _MORE.search(sentence.text)
        at = found.start() + sentence.start if found else 0
        if found and sentence.stance(at) in ("affirmed", "told") and not _apart(sentence):
            return sentence
    return None


def _apart(sentence: Sentence) -> bool:
    """Whether a sentence tells of others, or of what goes before and after the work."""
    return cued("moments", sentence.text) or cued("others", sentence.text)


_FIRST = re.compile(
    r"\b(?:starts?|begins?|baseline|opens?|launch(?:es)?|first|drilled|sown|kick-?off)\b", re.I
)
_LAST = re.compile(
    r"\b(?:ends?|final|finish(?:es)?|last|clos(?:es|ing)|complet\w+|until|through)\b", re.I
)


def across(stated: Sequence[Stated]) -> Iterator[Stated]:
    """The time from what is dated as the first to what is dated as the last, line by line."""
    dated = [s for s in stated if s.quantity.noun in (DATE, YEAR) and s.stance == "affirmed"]
    dated = [s for s in dated if s.quantity.comparison != "between"]
    first = _leading(_FIRST, dated)
    last = _leading(_LAST, dated[::-1])
    if not first or not last or first.sentence is last.sentence:
        return
    begin, end = first.quantity, last.quantity
    if begin.noun != end.noun or (begin.low or 0) >= (end.high or end.low or 0):
        return
    text = f"{begin.text} to {end.text}"
    update = {"comparison": "between", "low": begin.low, "high": end.high or end.low, "text": text}
    yield replace(last, quantity=end.model_copy(update=update))


def _leading(telling: re.Pattern[str], dated: Sequence[Stated]) -> Stated | None:
    """The first date whose sentence has what is looked for; each sentence is read once."""
    told = {id(s.sentence): s for s in reversed(dated)}  # the first of each sentence
    mine = (s for s in dated if told[id(s.sentence)] is s)
    return next((s for s in mine if telling.search(s.sentence.text)), None)
