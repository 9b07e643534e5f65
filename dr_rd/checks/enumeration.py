"""Things that a text names one by one, more of them than a limit has room for."""

import re

from dr_rd.checks.findings import Finding
from dr_rd.checks.items import Limit
from dr_rd.checks.nouns import KINDS, nouns
from dr_rd.text import Page, lexicon

_NAME = r"[A-Z][\w’'.-]*(?:\s(?:of\s|de\s|upon\s)?[A-Z][\w’'.-]*)*"
_LIST = re.compile(
    rf"(?P<lead>\b[^\W\d_]+:?)(?:\s(?:of|are|were|will\sbe|namely))?\s"
    rf"(?P<all>{_NAME}(?:,\s{_NAME})*,?\s(?:and|&)\s{_NAME})(?![\w-])"
)
_WHERE = frozenset("in at from across".split())


def enumerated(found: Limit, page: Page, *, none: bool) -> Finding | None:
    """More names than a bound has room for; of places, or of what the words before them count."""
    bound = found.quantity
    if bound.unit or bound.noun in KINDS or bound.high is None or not bound.noun:
        return None
    wanted = lexicon().units(bound.noun, generic=True)[-1:]
    placed = bool(lexicon().meanings(nouns(bound)[-1]) & lexicon().located)
    for sentence in page.sentences:
        for match in _LIST.finditer(sentence.text):
            names = re.split(r",\s(?:and\s)?|\s(?:and|&)\s", match["all"])
            lead = lexicon().meanings(match["lead"])
            own = bool(set(wanted) & lead) or (none and placed and match["lead"] in _WHERE)
            sure = sentence.stance(sentence.start + match.start("all")) == "affirmed"
            if len(names) > bound.high and own and sure:
                reason = f"it names {match['all']}, but the limit is {bound.text}"
                return Finding("violated", reason, sentence)
    return None
