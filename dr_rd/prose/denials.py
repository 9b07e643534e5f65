"""Where a sentence negates."""

import re
from collections.abc import Iterator

from dr_rd.prose.clauses import ADVERB
from dr_rd.prose.cues import Cue
from dr_rd.prose.lexicon import lexicon

_AIM = re.compile(r"\b(?:to|can be|could be)\s$", re.IGNORECASE)
"""Before a verb of refusal it says what something is for: "to avoid headaches"."""
_BOUNDING = Cue(
    "no not never cannot t".split(),
    r"\b(?:no|not|never|cannot|\w+n[’']t)\s(?:\w+\s)?"
    r"(?:(?!other\b|rather\b)\w+er\sthan|(?:more|less)\sthan|exceed\w*|(?:below|above|over|beyond|under)\s\S*\d)",
)
_NONE_WITHOUT = Cue(["without"], r"\b(?:no|never|nobody|none|no one)\b[^.;:]*?\bwithout\b")
"""Two negations that make a demand: no child takes part without consent."""
_CONTRACTED = Cue(["t"], r"\b\w+(?-i:n[’']t)\b")
_RELATIVE = Cue(
    "not never cannot t".split(),
    r"\b(?:who|which|that|whom)\s(?:(?:(?:we|they|it|you|the|treated|control|other|most)\s(?:\w+\s){0,2}?)?"
    r"(?:do|does|did|is|are|was|were|have|has|had|can|could|will)\s)?"
    r"(?:not|never|cannot|\w+n[’']t)\b"
    r"(?:(?=[,;)])|(?:\s\w+){1,3}?(?=\s(?:is|are|was|were|will|may|can|must)\b|[,.;]|$)|(?:\s\w+){1,3})",
)
_IN_NO = Cue(
    ["no", "none", "neither"],
    r"\b(?:in|into|to|at|on|under|from|by|for)\s(?:no|none|neither)\b(?!\s(?:particular|time|longer|reason|more|fewer|less|later|earlier|cost|charge|extra)\b)",
)
"""Behind a verb it denies the whole: "appear in no table"."""
_REPLACED = Cue.of("replace replaces replaced replacing".split())
_BY = re.compile(r"\b(?:by|with)\b", re.IGNORECASE)


def denials_of(body: str) -> Iterator[tuple[int, int, bool]]:
    """Where each negation begins, where it ends, and whether it takes in the whole clause."""
    cues = lexicon().cues
    yield from _replaced(body)
    relative = [m.span() for m in _RELATIVE.finditer(body)]
    for first, last in relative:
        yield first, last, False
    said = {name: list(cues[name].finditer(body)) for name in ("brief", "ahead", "whole")}
    refused = list(_IN_NO.finditer(body))
    harmless = _harmless(body) if refused or any(said.values()) else []
    for name, matches in said.items():
        for match in matches:
            if any(a <= match.start() < b for a, b in (*harmless, *relative)):
                continue
            comma = body.find(",", match.end()) if name == "brief" else -1
            negated = match[0].lower() == "not" and _after_auxiliary(body, match.start())
            whole = name == "whole" and not _AIM.search(body, 0, match.start())
            whole = whole and not body.startswith(
                " else", match.end()
            )  # "from it and nothing else"
            end = _hyphenated(body, match) or (comma if comma >= 0 else len(body))
            yield match.start(), end, whole or negated
    for match in refused:
        if not any(a <= match.start() < b for a, b in harmless):
            yield match.start(), len(body), True
    for match in _CONTRACTED.finditer(body):
        if not any(a <= match.start() < b for a, b in relative):
            yield match.start(), len(body), True


def _harmless(body: str) -> list[tuple[int, int]]:
    """Where words stand that negate nothing: "no later than", or two negations together."""
    doubled = (lexicon().cues["harmless"], _BOUNDING, _NONE_WITHOUT)
    return [m.span() for cue in doubled for m in cue.finditer(body)]


def _hyphenated(body: str, match: re.Match[str]) -> int:
    """Where the word ends to which "no" is joined, as in "the no-comment group"; 0 if to none."""
    joined = re.compile(r"-\w+").match(body, match.end())
    return joined.end() if joined else 0


def _replaced(body: str) -> Iterator[tuple[int, int, bool]]:
    """What gives way to another thing: what stands before "is replaced by", or after "replace"."""
    for match in _REPLACED.finditer(body):
        by = _BY.search(body, match.end(), match.end() + 80)
        passive = by and not body[match.end() : by.start()].strip()
        clause = max(body.rfind(mark, 0, match.start()) for mark in ",;:.") + 1
        begin = clause if passive else match.start()
        yield begin, by.start() if by else len(body), False


def _after_auxiliary(body: str, position: int) -> bool:
    left = body[max(0, position - 40) : position].lower().split()
    while left and ADVERB.fullmatch(left[-1]):
        left.pop()
    return bool(left) and left[-1] in lexicon().auxiliaries
