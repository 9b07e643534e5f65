"""What a clause does: states, intends, sets against, turns down."""

import re
from functools import lru_cache

from dr_rd.text.clauses import FEW
from dr_rd.text.cues import Cue
from dr_rd.text.lexicon import cued, lexicon

WILL = Cue.of(["will"])
DONE = re.compile(
    r"\b(?:is|are|be)\s(?:(?:\w+ly|also|then|again|first|later|now|still|each|all|both|there)\s)?(?:[\w-]+(?:ed|wn|en|ung|eld|orn|ought|aught)|cut|put|run|made|kept|built|left|sent|set|read|paid|sold|lost|found|met|fed|led|done|told|lent|spent|cast|laid|drunk|begun|shot|dug)\b"
    r"|\b(?:comes?|stems?)\sfrom\b|\b(?:serves?|enters?|acts?)\sas\b|^(?:added|joined|appended|attached)\b"
)
_SPELLED = Cue.of(
    "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred"
    " half".split()
)
_DIGIT = re.compile(r"\d")
CONTRAST = re.compile(r"^(?:but|however|whereas|while|yet|although|though)\b", re.IGNORECASE)
_REMOVED = r"(?:removed|deleted|dropped|scrapped|shelved|abandoned|withdrawn|discarded|cut|(?:taken|struck|crossed|voted|turned)\s(?:out|off|down|away))\b"
_OFFER = (
    r"(?:offer|request|idea|proposal|suggestion|invitation|letter|temptation|wish|option|advice)s?"
)
"""What others put to a study."""
DROPPED = Cue(
    "neither none leave leaves left leaving not t nothing no nobody said say says pass passed stay"
    " stays remain remains took take takes taken cut threw put struck crossed turned was were been drop drops"
    " dropped discard discards ignore ignores exclude excludes remove removes".split(),
    r"\b(?:neither|none)\b(?:\sof\s(?:them|these|those|it))?\s(?:is|are|was|were|will|has|have|can|enters?|takes|plays)\b"
    r"|\b(?:leave|leaves|left|leaving)\s(?:it|them|these|this|that|both|all)\s(?:out|aside|alone|off|away|at|there|to)\b"
    r"|\b(?:do|does|did|will|shall|can|could)(?:\snot|n[’']t)\s(?:\w+\s)?(?:use|include|touch|adopt|follow|need|run|take|add|want|pursue"
    r"|collect|enter|do|make use of|study|measure|count|analyse|analyze|ask for|look at|rely on|draw on)\s(?:it|them|so|these|this|that|any|either)\b"
    r"|\b(?:nothing|none|no one|nobody)\b[^.;,]*\b(?:it|them|there|then|these|those)\b"
    r"|\bsa(?:id|y|ys)\sno\b|\bno,?\sthanks?\b|\bwe(?:[’']ve|\shave)?\spass(?:ed)?[.,;]"
    r"|\b(?:stays?|remains?)\s(?:there|where)\b|\bno such\b|\bnothing of the (?:kind|sort)\b"
    r"|\b(?:run|runs|use|uses|take|takes|include|includes|need|needs|collect|contain|contains|get|gets|receive|receives|add|adds|have|has|brings?|sends?|buys?|asks? for)\s(?:none|neither|nothing)\b"
    r"|\b(?:took|takes?|taken|cut|threw|put|struck|crossed|turned)\s(?:it|them|both|this|these|that|all)\s(?:\w+\s)?(?:out|off|down|away|aside)\b"
    r"|\b(?:drop|discard|ignore|exclude|remove|leave)(?:s|d|ed|ped)?\s(?:out\s)?(?:the|all)\s(?:rest|others?|remainder)\b"
    r"|\bleave\s(?:it|them|that|this)(?=\s*[.,;])"
    rf"|\b(?:it|they|both|all|this|that|these|those)\s(?:was|were|(?:has|have|had)\sbeen|got)\s(?:\w+ly\s|then\s|later\s|soon\s)?{_REMOVED}"
    rf"|\b(?:the|this|that|these|both|such)\s{_OFFER}\s(?:\w+\s){{0,3}}?(?:declined|refused|rejected|unanswered|resisted|nowhere|nothing|not\staken|{_REMOVED})",
)
NAMED = Cue(
    "cite mention note acknowledge name quote".split(),
    r"\bwe\s(?:do\s|only\s|merely\s|just\s|also\s|duly\s)*(?:cite|mention|note|acknowledge|name|quote)\s(?:it|them|this|these|that|those|both)\b",
)
"""What is named, and no more than that."""
_SOME = re.compile(
    r"^(?:many|most|some|other|others|several|few|numerous)\s(?:(?!of\b)[\w’'-]+\s){0,4}?"
    r"(?:have|has|do|report|reports|use|include|add|prefer|argue|pair|rely|offer|allow|combine|follow|collect|measure|recommend|treat)\b",
    re.IGNORECASE,
)


def tells(said: str) -> bool:
    """Whether words are long enough to say something of a thing, and not only to name it."""
    return len(said.split()) > FEW


def figured(said: str) -> bool:
    """Whether words state a figure: who does plans with it."""
    return bool(_DIGIT.search(said) or _SPELLED.search(said))


_WE = Cue(
    ["we", "ours", "us"],
    r"\b(?:we|ours)\b|\b(?:with|for|to|helps?|gives?|lends?|lets|provides?|supplies|sends?|shows?|tells?)\sus\b",
)
_OURS = Cue(
    "our here study trial project work plan".split(),
    r"^(?:\W*+\w++){0,3}?\W*(?<!before )(?<!of )(?<!for )(?<!to )\b(?:our|this (?:study|trial|project|work|plan)|here|the (?:present|current) (?:study|trial))\b",
)


@lru_cache(maxsize=8192)
def acting(said: str) -> bool:
    """Whether this study is the one who does what words tell, and not only named in them."""
    return bool(_WE.search(said) or _OURS.search(said))


def intended(said: str) -> bool:
    """Whether words tell what this study does."""
    return acting(said) or bool(WILL.search(said))


_TOO = Cue(["too"], r"\btoo\b(?=\s*(?:[.,;:)]|$))|\b(?:it|they|we|these|this),?\stoo\b")


def adds(said: str) -> bool:
    """Whether words add a thing to what there is."""
    return bool(cued("further", said) or _TOO.search(said))


_COMES_TO = re.compile(
    r"(?:that|this|which)\s(?:is|makes|gives|leaves|means|comes\sto)\s(?=\W*\w*\d)", re.IGNORECASE
)
"""At the beginning of a clause it tells what was counted before: "that is 192 in all"."""


def of_the_world(before: str, after: str, *, parted: bool = False) -> bool:
    """Whether a clause tells how things are, and the next one what this study does instead."""
    if not (parted or CONTRAST.match(after)) or not contrasts(after):
        return False
    if intended(before) or adds(before) or _COMES_TO.match(before):
        return False
    return cued("usual", before) or not DONE.search(before)


def contrasts(said: str) -> bool:
    """Whether words tell what this study does, or that it is the only thing."""
    return cued("own", said) or cued("sole", said)


def dropped(said: str) -> bool:
    """Whether words turn down what was named before them."""
    return bool(DROPPED.search(said))


_NONE_OF = re.compile(
    r"[,;–—]\s(?:and\s)?(?:none|neither|not one|no one)\sof\s(?:which|whom|them|these)\b",
    re.IGNORECASE,
)
_RELATIVE = re.compile(
    r"[,;–—]\s(?:(?:all|most|some|both|many)\sof\s)?(?:which|who|whom|whose)\b|;\s", re.I
)


def elsewhere(body: str) -> int | None:
    """Where a sentence begins to tell of other work; None where it does not.

    What this study does, and a count of which something is told, stay apart from a clause that tells of others.
    """
    if _SOME.match(body):
        return 0
    told = lexicon().cues["others"].search(body)
    if not told:
        return None
    none = _NONE_OF.search(body, 0, told.start())
    if none:
        return none.start()
    inner = list(_RELATIVE.finditer(body, 0, told.start()))
    said = body[: inner[-1].start()] if inner else ""
    own = acting(said) or (figured(said) and DONE.search(said))
    return inner[-1].start() if inner and own else 0
