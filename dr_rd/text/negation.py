"""Where a sentence negates."""

import re
from collections.abc import Iterator, Sequence

from dr_rd.text.clauses import ADVERB
from dr_rd.text.cues import Cue
from dr_rd.text.lexicon import lexicon

_AIM = re.compile(r"\b(?:to|can be|could be)\s$", re.IGNORECASE)
"""Before a verb of refusal it says what something is for: "to avoid headaches"."""
_BOUNDING = Cue(
    "no not never cannot t".split(),
    r"\b(?:no|not|never|cannot|\w+n[’']t)\s(?:\w+\s)?"
    r"(?:(?!other\b|rather\b)\w+er\sthan|(?:more|less)\sthan|exceed\w*|(?:below|above|over|beyond|under)\s\S*\d)",
)
_NONE_WITHOUT = Cue(["without"], r"\b(?:no|never|nobody|none|no one)\b[^.;:]*?\bwithout\b")
"""Two negations that make a demand: no child takes part without consent."""
KEPT_IN = Cue(
    "no not never t".split(),
    r"\b(?:no|not|never|\w+n[’']t)\s(?:[\w-]+\s){0,4}?(?:(?:is|are|was|were|be|been)\s(?:\w+ly\s)?)?"
    r"(?:removed|excluded|dropped|discarded|deleted|omitted|barred|filtered out|screened out|left out|taken out|struck off|turned away|weeded out)\b",
)
"""Two negations by which a thing is kept: "were not removed"."""
RESERVED = Cue(
    ["aside"],
    r"\b(?:set|put|laid|lay|sets|puts)\s(?:[^\s,;.]+\s){0,2}?aside\s(?:for(?!\s(?:lack|want|now|this reason|reasons|its|their|being|fear|good)\b)|in\sa|until)\b",
)
"""What is kept for later is not given up: "thirty cups are set aside for the test"."""
_CONTRACTED = Cue(["t"], r"\b\w+(?-i:n[’']t)\b")
_RELATIVE = Cue(
    "not never cannot t".split(),
    r"\b(?:who|which|that|whom|whose\s(?:[\w-]+\s){0,3}?[\w-]+)\s(?:(?:(?:we|they|it|you|the|treated|control|other|most)\s(?:\w+\s){0,2}?)?"
    r"(?:do|does|did|is|are|was|were|have|has|had|can|could|will)\s)?"
    r"(?:not|never|cannot|\w+n[’']t)\b"
    r"(?:(?=[,;)])|(?:\s\w+){1,3}?(?=\s(?:is|are|was|were|will|may|can|must)\b|[,.;]|$)|(?:\s\w+){1,3})",
)
_IN_NO = Cue(
    ["no", "none", "neither"],
    r"(?<!\bor )(?<!\bversus )(?<!\bvs )(?<!\band )"
    r"\b(?:in|into|to|at|on|under|from|by|for)\s(?:no|none|neither)\b(?!\s(?:particular|time|longer|reason|more|fewer|less|later|earlier|cost|charge|extra)\b)",
)
"""Behind a verb it denies the whole: "appear in no table", but not "to planting or to no planting"."""
_PUT_IN = Cue(
    ["never", "not"],
    r",\s(?:never|not(?=\s(?:yet|before|present|part|among|known)\b|\s\w+ed\b))\s[^,;.]{1,60}(?=,)",
)
"""Between commas it says what the things just named are not: "thirty cups, never seen before, are for the test"."""
_THAT_ARE = re.compile(
    r"\b(?:that|which|who)\s(?:is|are|was|were|appears?|occurs?|stands?)\s(?:also\s)?$",
    re.IGNORECASE,
)
"""Before "in no" it says what the thing is like that is counted: "30 cups that are in no film"."""
_LEST = Cue(
    ["not"], r"\b(?:so as|in order|so that [^\s,;.]+ (?:do|does|will|may|need))\snot\b[^,;:]*"
)
"""Behind it stands what is to be prevented, up to a comma."""
_REPLACED = Cue.of("replace replaces replaced replacing".split())
_BY = re.compile(r"\b(?:by|with)\b", re.IGNORECASE)


def denials_of(body: str) -> Iterator[tuple[int, int, bool]]:
    """Where each negation begins, where it ends, and whether it takes in the whole clause."""
    yield from _replaced(body)
    relative = [m.span() for cue in (_RELATIVE, _LEST, _PUT_IN) for m in cue.finditer(body)]
    for first, last in relative:
        yield first, last, False
    names = ("brief", "ahead", "whole")
    told = [(n, m) for n in names for m in lexicon().cues[n].finditer(body)]
    whole = [m for cue in (_IN_NO, _CONTRACTED) for m in cue.finditer(body)]
    vain = [*(_harmless(body) if told or whole else []), *relative]
    for name, match in told:
        if not _inside(match, vain) and not (name == "whole" and _no_denial(body, match)):
            yield match.start(), _end(body, name, match), _takes_in_all(body, name, match)
    for match in whole:
        if not _inside(match, vain):
            yield match.start(), len(body), not _THAT_ARE.search(body, 0, match.start())


def _inside(match: re.Match[str], spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a match begins in one of some stretches of text."""
    return any(a <= match.start() < b for a, b in spans)


_COMPOUND = re.compile(r"-\w")
_LENGTH = re.compile(
    r"\b(?:[cmk]?m|(?:centi|milli|kilo)?met(?:er|re)s?|inch|inches|feet|ft|or more|well|clear)\s$"
)


def _no_denial(body: str, match: re.Match[str]) -> bool:
    """Whether words are no denial: a noun of them, "a drop-in", or a distance, "5 cm off the table"."""
    away = match[0].lower().startswith("off") and _LENGTH.search(body, 0, match.start())
    return bool(away or _COMPOUND.match(body, match.end()))


def _takes_in_all(body: str, name: str, match: re.Match[str]) -> bool:
    """Whether a negation takes in the whole clause: not one that tells an aim, nor "nothing else"."""
    if name != "whole":
        return match[0].lower() == "not" and _after_auxiliary(body, match.start())
    aim = _AIM.search(body, 0, match.start())
    return not aim and not body.startswith(" else", match.end())


def _end(body: str, name: str, match: re.Match[str]) -> int:
    """Where what is negated ends: at a comma where the negation is brief."""
    comma = body.find(",", match.end()) if name == "brief" else -1
    return _hyphenated(body, match) or (comma if comma >= 0 else len(body))


def _harmless(body: str) -> list[tuple[int, int]]:
    """Where words stand that negate nothing: "no later than", or two negations together."""
    doubled = (lexicon().cues["harmless"], _BOUNDING, _NONE_WITHOUT, KEPT_IN, RESERVED)
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
