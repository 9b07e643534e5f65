"""Whether a figure is told of others than the work that is planned."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from dr_rd.adherence.bounds import same_unit
from dr_rd.adherence.reading import Page, Stated, reported
from dr_rd.quantity import Quantity
from dr_rd.text import Sentence, cued

_FAR = 240  # characters about a figure in which it may be told of whom it is; keeps reading linear
_GATE = re.compile(
    r"\b(?:unless|with fewer than|with less than|pilot|piloting|feasibility)\b[^,;]*$",
    re.IGNORECASE,
)
_KEPT_OUT = re.compile(
    r"\b(?:whose|who|which|that|with|anyone|those)\b[^.;]*\b(?:are|is|will be)\s(?:also\s)?"
    r"(?:replaced|excluded|removed|dropped|discarded|left out|turned away|not\s\w+ed|ineligible|not\seligible)\b"
    r"|\b(?:exclud\w+|leav\w+|keep\w*|kept) (?:them|these|those)(?: \w+)? (?:out of|from) "
    r"|\band (?:are|is|will be)(?: then)? (?:excluded|left out|kept out)(?: of| from)? the (?:main|final|real|panel|analys[ie]s)\b",
    re.IGNORECASE,
)


def told_of_others(stated: Stated) -> bool:
    """Whether a figure is what a source says, or what something is made to depend on."""
    at = stated.sentence.start
    body = stated.sentence.text[
        max(0, stated.quantity.start - at - _FAR) : stated.quantity.end - at + _FAR
    ]
    at = max(at, stated.quantity.start - _FAR)
    cited = reported(stated.sentence)
    gated = _GATE.search(body[: stated.quantity.end - at])
    tried = cued("preliminary", body) or cued("variants", stated.breath())
    return bool(cited or gated or tried or _KEPT_OUT.search(body))


_PAST = re.compile(
    r"\b(?:was|were|had|did|spent|needed|ran|came|took|gave|asked|used|relied|made)\b",
    re.IGNORECASE,
)
_OURS = re.compile(
    r"^(?:but\s|by contrast,?\s|in contrast,?\s|however,?\s)?(?:ours?|we|here|there we|this|in our|for our|for this|for the|the\s(?:study|trial|project|work|plan)|the\s\w+\s(?:itself|proper))\b"
    r"|\b(?:itself|themselves|proper|ours|nevertheless|by contrast|here we)\b",
    re.IGNORECASE,
)


_MAY = re.compile(
    r"\b(?:may|can|might|could)\s(?:still\s|then\s|also\s)?(?:be|reach|rise\s\w+|fall\s\w+|drop\s\w+|go\s\w+|climb\s\w+|last|take|extend\s\w+|get|sit|come)\b[^,;]*$",
    re.IGNORECASE,
)


def admitted(stated: Stated) -> bool:
    """Whether the plan lets a figure come about: "nitrate may reach 12 mg/L"."""
    return stated.stance == "perhaps" and bool(_MAY.search(stated.before[-_NEAR:]))


_NEAR = 60  # characters before a figure in which it is let come about


def set_against(stated: Stated, page: Page) -> bool:
    """Whether what others did is set against what the next sentence says of this work."""
    after = _own_after(stated, page)
    return after is not None and bool(_PAST.search(stated.sentence.text))


def outdone(stated: Stated, good: Sequence[Stated], page: Page) -> bool:
    """Whether a figure of others is set against one of this work that is in order."""
    after = _own_after(stated, page)
    return after is not None and any(g.sentence is after for g in good)


def taken_up(
    seen: Sequence[Stated], bound: Quantity, stated: Sequence[Stated], page: Page
) -> Iterator[Stated]:
    """The figures that this work sets against those of others: "Others wait 72 h. We wait 36 h."."""
    after = {a.start for s in seen if (a := _own_after(s, page))}
    held = set(seen)
    for one in stated:
        alike = same_unit(one.quantity, bound) is not None and bool(one.quantity.unit)
        amount = one.after.startswith(" of ")  # of something else: "two years of logs"
        said = one.stance == "affirmed" and not told_of_others(one) and not amount
        if one.sentence.start in after and alike and said and one not in held:
            yield one


def _own_after(stated: Stated, page: Page) -> Sentence | None:
    """The next sentence, if it turns from others to this work."""
    if cued("own", stated.sentence.text):
        return None
    at = bisect_left(page.sentences, stated.sentence.start, key=lambda s: s.start) + 1
    after = page.sentences[at] if at < len(page.sentences) else None
    return after if after and _OURS.search(after.text) else None
