"""Whether a number counts what a bound counts, and all of it."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from dr_rd.adherence.reading import Stated
from dr_rd.ledger import Limit
from dr_rd.quantity import Quantity
from dr_rd.text import cued, lexicon, plural, stem


def counts(stated: Stated, found: Limit) -> bool:
    """Whether a count is of the bound's noun, and of all of it."""
    bound = nouns(found.quantity)
    bare = not stated.named and (stated.quantity.low or 0) % 1 > 0
    if bare or _ONE_IN.search(stated.lead) or _NUMBERED.search(stated.lead):
        return False
    if bound and _crossed(stated) and lexicon().meanings(bound[-1]) & lexicon().groups:
        return True
    words = _counted(stated, found, bound)
    if not words or not bound or _passing(stated, found) or _times_over(words[-1], bound[-1]):
        return False
    if _aside(stated) and not (_group_words(found.scope) and _group_size(stated, found)):
        return False
    sided = side(" ".join(bound[:-1]))
    alike = words == bound or _tried(words, bound, stated) or _alike(words, bound, stated.quantity)
    if not alike and not (sided and sided == side(words[-1])):
        return False
    if found.scope:
        return _per_group(stated, found)
    return _on_side(stated, found, sided) if sided else _of_all(stated, found, words)


_ONE_IN = re.compile(
    r"\b(?:one\s(?:in|out\sof)\s(?:every\s)?|\d\.\d+\s(?:of|out\sof)\s)$", re.IGNORECASE
)
"""Before a number it makes a share or a scale: "one in seven patients", "4.3 of 5"."""
_NUMBERED = re.compile(r"\b[^\W\d_]+\s(?:number|no\.|nr\.|code|id|ID)\s$")
"""Before a number it makes a name of that: "heat number 48213"."""


_OVER_TIME = re.compile(
    r"(?<!first)(?<!second)(?<!third)(?<!fourth)(?<!final)[-–](?:hour|day|night|week|month|quarter|season|term|year)s?",
    re.IGNORECASE,
)


def _times_over(said: str, bound: str) -> bool:
    """Whether things are counted once for each stretch of time: "1,440 firm-quarters"."""
    return bool(_OVER_TIME.search(said)) and not _OVER_TIME.search(bound)


def _counted(stated: Stated, found: Limit, bound: list[str]) -> list[str]:
    """The words of what a figure counts, where it says so or is of what the bound counts."""
    if bare_of_group(stated, found):
        return bound
    words = nouns(stated.quantity)
    sampled = bool(bound) and _sampled(bound)
    if _sized_cell(stated, found):
        return bound
    if sampled and ((not stated.named and _forms_sample(stated)) or words in (["n"], ["N"])):
        return bound
    return words


_SIZE_TITLE = re.compile(r"(?:[\w-]+\s)?(?:n|size|count)", re.IGNORECASE)


def _sized_cell(stated: Stated, found: Limit) -> bool:
    """Whether a cell says how many there are in each of what the bound is of each of."""
    titled = stated.share == "part" and _SIZE_TITLE.fullmatch(stated.quantity.noun)
    return bool(titled and found.scope and stated.scope and of_scope(stated, found))


def _on_side(stated: Stated, found: Limit, sided: str) -> bool:
    """Whether a count is of one side where two are compared."""
    if stated.share in ("whole", "sum"):
        return False
    told = side(stated.quantity.noun) or _placed(stated)
    return found.quantity.low is None or sided == told


def _of_all(stated: Stated, found: Limit, words: Sequence[str]) -> bool:
    """Whether a count is of all that the bound counts, and not of a part of it."""
    low = found.quantity.low
    if stated.share in ("whole", "sum"):
        return True
    if low is None:
        return not stated.scope or _upper(stated, found)
    if words[0].lower() in _ONE_SIDE and len(words) > 1:
        return False  # "140 treated firms" are a part of the firms
    if just(stated):
        return True
    return not stated.parts() and (not stated.scope or _upper(stated, found))


_OUT_OF = re.compile(r"\bof (?:which|whom|them|these)\W*$", re.IGNORECASE)


_OF_EACH = re.compile(r"\b(?:each|every|per|either)\s((?:[\w-]+\s?){1,4})", re.IGNORECASE)


def of_one_group(stated: Stated, found: Limit) -> Stated:
    """What a group has at most where a figure is told of all, of which there are two or more."""
    q = stated.quantity
    one = stated.scope or stated.share == "part"
    all_told = stated.share in ("whole", "sum") or (not one and _of_them_all(stated))
    if q.unit or not _group_words(found.scope) or not all_told or q.low is None:
        return stated
    update = {"low": q.low / 2, "high": q.low / 2}
    return replace(stated, quantity=q.model_copy(update=update))


def _per_group(stated: Stated, found: Limit) -> bool:
    """Whether a count is of one group, or of all where that alone is too few for one or for two."""
    low = found.quantity.low or 0
    value = stated.quantity.high or stated.quantity.low or 0
    if _OUT_OF.search(stated.lead):
        return False
    if not stated.share and not stated.scope and cued("evenly", stated.after):
        return False  # all of them, who are shared out
    if found.quantity.low is None:
        return stated.share not in ("whole", "sum") and not cued("all_told", stated.breath())
    grouped = bool(_group_words(found.scope))
    if stated.share in ("whole", "sum") or _of_them_all(stated):
        return value < (2 * low if grouped else low)
    if stated.scope:
        if value < low and found.of and _shared_scope(stated, found):
            return True  # for each of the one, of which each of the other has a part
        named = _scope_words(found.scope)
        if grouped or named & lexicon().meanings(stated.scope):
            return True
        return any(
            named & lexicon().meanings(m[1]) for m in _OF_EACH.finditer(stated.sentence.text)
        )
    if stated.share == "part":
        return True
    here = bool(_scope_words(found.scope) & stated.sentence.meanings)
    return (here and not stated.parts()) or (
        value < low and cued("taken", stated.clause) and not stated.parts()
    )


def _shared_scope(stated: Stated, found: Limit) -> bool:
    """Whether a count is of each of what else the bound is of each of."""
    return bool(lexicon().meanings(stated.scope) & set(lexicon().units(found.of, generic=True)))


def _of_them_all(stated: Stated) -> bool:
    """Whether a count is told of all; N is of all, as n is of one group."""
    return (stated.quantity.noun == "N" and not stated.scope) or cued("all_told", stated.breath())


def takes_groups(found: Limit) -> bool:
    """Whether a limit is of each of the groups that those who are studied make up."""
    return bool(_group_words(found.scope)) and _sampled(nouns(found.quantity) or [""])


def _group_words(scope: str) -> frozenset[str]:
    return lexicon().meanings(scope) & lexicon().groups


def bare_of_group(stated: Stated, found: Limit) -> bool:
    """Whether a figure without a noun is the size of a group: "22 deprived and 24 rested"."""
    q = stated.quantity
    if stated.named or q.unit or not _group_words(found.scope) or "|" in stated.sentence.text:
        return False
    if _group_size(stated, found) or _into_group(stated):
        return True
    if stated.scope:
        return bool(_scope_words(found.scope) & lexicon().meanings(stated.scope))
    value, low = q.low or 0, found.quantity.low or 0
    if _HOLDS.search(stated.before[-40:]) and value > 2 and value >= low / _FAR_FEWER:
        return bool(_scope_words(found.scope) & stated.sentence.meanings)
    left = lexicon().meanings(q.noun)
    told = not q.noun or bool(
        left & (lexicon().groups | lexicon().sampled | lexicon().meanings(found.scope))
    )
    here = bool(_scope_words(found.scope) & stated.sentence.meanings)
    return told and here and (q.low or 0) > 1 and bool(_SIZED.search(stated.sentence.text))


_SAMPLE = r"(?:analysis|analytic|final|study|whole|estimation|working|regression)?\s?(?:set|sample|cohort|panel|material|data\s?set|corpus)\b"
_FORMS = re.compile(
    rf"\s(?:[\w-]+\s){{0,2}}?(?:form|forms|make\sup|makes\sup|constitute|constitutes|enter|enters|are|is)\s(?:the|our)\s{_SAMPLE}"
    rf"|,\s(?:which\s(?:is|are|forms?|makes?\sup)\s)?(?:our|the)\s{_SAMPLE}",
    re.IGNORECASE,
)
_SAMPLE_HOLDS = re.compile(
    rf"\b{_SAMPLE}\s(?:then\s|now\s)?(?:holds?|comprises?|has|have|consists?\sof|counts?|numbers?|contains?)\s(?:about\s|some\s|only\s)?$",
    re.IGNORECASE,
)


_SAID_NEAR = 80  # characters before a count within which a sample is said to hold it


def _forms_sample(stated: Stated) -> bool:
    """Whether a figure is said to be the sample: "the remaining 222 form the analysis set"."""
    return bool(_FORMS.match(stated.after) or _SAMPLE_HOLDS.search(stated.before[-_SAID_NEAR:]))


def _group_size(stated: Stated, found: Limit) -> bool:
    """Whether a bare figure is how many a group has: "two arms of 28"."""
    size = _SIZE.search(stated.lead)
    meant = size and lexicon().meanings(size["noun"]) & _group_words(found.scope)
    return bool(meant) and not stated.named


_INTO = re.compile(
    r"\s(?:[\w-]+\s){0,2}?(?:enters?|joins?|in|to|are\sin|form|get|gets)?\s?the\s(?:[\w-]+\s){0,2}?(?P<group>arm|group|condition|section|cell|class|controls?)\b",
    re.IGNORECASE,
)


def _into_group(stated: Stated) -> bool:
    """Whether a bare figure says how many are in one of the groups: "fifteen the control arm"."""
    return not stated.scope and (stated.quantity.low or 0) > 1 and bool(_INTO.match(stated.after))


_HOLDS = re.compile(
    r"\b(?:has|have|numbers?|holds?|gets?|size|group|arm|section|one)\s(?:about\s|only\s|just\s)?$",
    re.I,
)
_FAR_FEWER = 20
_SIZED = re.compile(r"\b(?:sizes?|numbers?|have|has|holds?|compris\w+|n)\b", re.IGNORECASE)


def _crossed(stated: Stated) -> bool:
    """Whether a figure multiplies factors out: "a 2 × 2 design" has four conditions."""
    q = stated.quantity
    crossed = _TIMES.search(q.text)
    designed = q.noun.split()[:1] in (["design"], ["factorial"])
    return bool(crossed and (designed or crossed["levels"]))


_TIMES = re.compile(r"\d\s?(?P<levels>\([^()]*[:,/][^()]*\)\s?)?[x×]\s?\d")


def _sampled(bound: Sequence[str]) -> bool:
    """Whether *bound* counts those who or what is studied."""
    return bool(lexicon().meanings(bound[-1]) & lexicon().sampled)


_SIZE = re.compile(
    r"\b(?P<noun>[^\W\d_]+)\s+of\s+(?:up to|about|at most|at least|some|around)?\s*$", re.I
)
_ODDS = re.compile(
    r"\s+(?:in|out\sof)\s+(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twenty|a\shundred)\b",
    re.I,
)
_ONE_OF = re.compile(r"\b(?:per|every|out of)\s*$", re.IGNORECASE)


def per_one(before: str) -> bool:
    """Whether what stands *before* a number makes it a denominator: "one in every 10"."""
    return bool(_ONE_OF.search(before[-_SAID_NEAR:]))


def _aside(stated: Stated) -> bool:
    """Whether a number counts nothing of its own: the size of a group, a ratio's denominator."""
    q, at, body = stated.quantity, stated.sentence.start, stated.sentence.text
    before = stated.lead
    if stated.named:
        return per_one(before)
    if _ODDS.match(stated.after):
        return True
    until = body[: q.end - at].partition(q.text.split()[-1])[0]
    size = _SIZE.search(before) or _SIZE.search(until[-_SAID_NEAR:])
    sized = size and stem(size["noun"]) in lexicon().groups
    return bool(sized or "|" in body or per_one(before))


def side(said: str) -> str:
    """The side that words are of where two are compared; "" where they tell none."""
    if cued("compared", said):
        return "compared"
    return "treated" if cued("treated", said) else ""


_SET_AGAINST = re.compile(
    r"\b(?:against|versus|vs\.?|compared (?:with|to)|matched (?:with|to)|set beside|contrasted with)\s"
    r"(?:the\s|some\s|another\s|only\s|just\s)*$",
    re.IGNORECASE,
)


def _placed(stated: Stated) -> str:
    """The side that a count is of by its place: what others are set against is the other side."""
    if _SET_AGAINST.search(stated.lead):
        return "compared"
    return side(stated.after.split(",")[0][:_NEAR_BY]) or "treated"


_NEAR_BY = 40
_ONE_SIDE = frozenset(
    "treated untreated control comparison exposed unexposed exempt covered affected intervention matched".split()
)


def _tried(words: Sequence[str], bound: Sequence[str], stated: Stated) -> bool:
    """Whether a verb says what is counted: "each is tried five times" counts attempts."""
    if words[:1] != ["times"]:
        return False
    before = stated.clause.partition(stated.quantity.text)[0].split()
    heads = lexicon().units(bound[-1], generic=True)
    named = {stem(w) for w in bound}
    verbs = [w for w in before if stem(w) not in named or not w.lower().endswith("s")]
    return any(_means(w, heads) for w in verbs)


def of_scope(stated: Stated, found: Limit) -> bool:
    """Whether a figure is of each of what the bound is of each of, or of one that is not named."""
    scope = lexicon().meanings(stated.scope) if stated.scope else frozenset[str]()
    of = set(lexicon().units(found.of, generic=True))
    return not scope or bool(scope & (_scope_words(found.scope) | of))


def _scope_words(scope: str) -> frozenset[str]:
    return frozenset(lexicon().units(scope, generic=True)) | lexicon().groups


def nouns(quantity: Quantity) -> list[str]:
    """The words of what is counted up to a verb: "languages" of "languages evaluated"."""
    words = quantity.noun.split()
    for n in range(1, len(words)):
        said = _VERBAL.search(words[n]) and not _VERBAL.search(words[n - 1])
        done = plural(words[n - 1]) and stem(words[n]) in lexicon().verbs
        if said or done:
            return words[:n]
    return words


def _attributes(quantity: Quantity) -> bool:
    """Whether a count only qualifies another noun: "a four-parameter law" has no count of its own."""
    return f"-{quantity.noun}" in quantity.text


_VERBAL = re.compile(r"(?:ing|ed)$", re.IGNORECASE)


def _alike(words: Sequence[str], bound: Sequence[str], quantity: Quantity) -> bool:
    """Whether two noun phrases count the same: their heads agree, or one names the other's kind."""
    wanted = set(lexicon().units(" ".join(bound), generic=True)[-1:])
    said = lexicon().words(" ".join(words))
    at = next((n for n, w in enumerate(said) if wanted & w.meanings), None)
    if at is not None and len(lexicon().units(" ".join(words[at:]), generic=True)) == 1:
        return not _attributes(quantity)
    if at is not None:
        return _is_head(words, at, quantity)
    if _wider(words[-1], bound[-1]):
        return True
    others = [u for w in bound[:-1] for u in lexicon().units(w)]
    return _means(words[-1], others) and words[-1].lower() not in bound


def _wider(said: str, bound: str) -> bool:
    """Whether a word names the kind of what is bound: participants, where patients are."""
    kind = set(lexicon().units(said, generic=True))
    return bool(kind & lexicon().meanings(bound) & _GENERAL)


_GENERAL = frozenset({"participant", "site"})


def _passing(stated: Stated, found: Limit) -> bool:
    """Whether "one participant" is said in passing, where several are asked for."""
    one = stated.quantity.low == stated.quantity.high == 1
    if not one or (found.quantity.low or 0) <= 1:
        return False
    alone = cued("single", stated.clause) and stated.quantity.noun in stated.quantity.text
    return not (alone or stated.share == "whole" or _the_one(stated))


_LOOK_AT = re.compile(
    r"\b(?:look at|go deep\w*|work (?:in|at|on|with)|stud(?:y|ies)|analy[sz]es?|uses?|takes?|reduces?|covers?|with|from|this|number of [\w ]+[:=])\s$",
    re.IGNORECASE,
)


def _the_one(stated: Stated) -> bool:
    """Whether one is all that is studied: "One visit is analysed", "we look at one city"."""
    if stated.scope or stated.parts():
        return False
    return not stated.before.strip() or bool(_LOOK_AT.search(stated.lead))


def _upper(stated: Stated, found: Limit) -> bool:
    """Whether one part alone already passes an upper bound."""
    return (stated.quantity.low or 0) > (found.quantity.high or math.inf)


def _means(word: str, wanted: Sequence[str]) -> bool:
    return bool(set(wanted) & lexicon().meanings(word))


def _is_head(words: Sequence[str], at: int, quantity: Quantity) -> bool:
    """Whether the word is what is counted: "4 clinics", not "4 clinic visits"."""
    at = min(at, len(words) - 1)
    ordinal = quantity.text.lower().startswith(("a ", "an ", "the "))
    return (
        at == len(words) - 1 or plural(words[at]) or ordinal or 1 in (quantity.low, quantity.high)
    )


_JUST = re.compile(r"\b(?:just|only|merely)\s$", re.IGNORECASE)
_FEW_ONLY = re.compile(r"(?:just|only|merely)\b", re.IGNORECASE)
_OF_THEM = re.compile(r"\s+of\s+(?:them|these|those|which|whom)\b", re.IGNORECASE)


def just(stated: Stated) -> bool:
    """Whether a figure says how few of those before are left: "only two of them"."""
    body, at = stated.sentence.text, stated.sentence.start
    end = stated.quantity.start - at
    after = _OF_THEM.search(body[end : end + 24])
    few = _JUST.search(body[max(0, end - 10) : end]) or _FEW_ONLY.match(stated.quantity.text)
    return bool(after and few)
