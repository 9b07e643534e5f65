"""Figures that a text leaves to its reader to add up or to multiply out."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from dr_rd.adherence.reading import Stated
from dr_rd.quantity import DATE, TIME_UNITS, YEAR, is_money
from dr_rd.text import Stance, cued, lexicon, stem

_TIME_WORD = r"(?:hour|day|night|week|fortnight|month|quarter|season|term|semester|year)\b"
_PER = re.compile(
    rf"\s*(?:an?(?=\s(?:{_TIME_WORD}|group|arm|section|class|condition|cell))|per|(?:in|for|from|at|within|on|to|with|by)\s+(?:each|every)(?:\s+of(?:\s+the)?(?:\s+(?:two|three|four|five|six|\d+))?)?)\s+([^\W\d_]+)",
    re.IGNORECASE,
)
_THEN_PER = re.compile(
    r"(?:\s[^\W\d_]+){1,4}?\s(?:per|(?:in|for|from|at)\s(?:each|every)(?:\sof(?:\sthe)?(?:\s(?:two|three|four|five|six|\d+))?)?)\s(?!of\b)([^\W\d_]+)",
    re.IGNORECASE,
)
_IN_GROUP = re.compile(
    r"(?:\s+[^\W\d_]+)?\s+(?:in|to|from)\s+the\s+(?:[\w-]+\s+){1,2}?(group|arm|condition|section|class)\b",
    re.IGNORECASE,
)
_IN_EACH = re.compile(
    r"\s+(?:an?|per)\s+side\b|(?:\s+[^\W\d_]+)?\s+a\s+side\b|\s+(?:in|at|for|to|from)\s+(?:each|either)\b(?=\s*[,.;)]|\s*$|\sof\sthem)"
)
_EACH = re.compile(
    r"\b(?:each|every)\s+(?:of\s+(?:the\s+)?(?:\S+\s+)?)?(?!the\b|of\b)([^\W\d_]+)\b[^,;.]*$",
    re.IGNORECASE,
)
_MANY_EACH = re.compile(r"\b([^\W\d_]+s)\seach\s(?!of\b)[^,;.]*$", re.IGNORECASE)
"""Each of those named before it: "six clinics each bring"."""
_EACH_GIVE = re.compile(
    r"\b(?:with|of|at)\s(?:[^\W_]+\s){1,4}each\s(?:gives?|makes?|yields?|comes?\sto|adds?\sup\sto|means?)\s",
    re.IGNORECASE,
)
"""What many of so many each come to: "nine farms with three plots each give 27 plots"."""
_PARTED = re.compile(
    r"(?<!all )(?<!none )(?<!neither )\bof\s+(?:which|whom|these|those|them)\b", re.IGNORECASE
)
_IN_ALL = re.compile(r"\s*(?:in\s+all|in\s+total|altogether|overall)\b", re.IGNORECASE)
_ALONG = re.compile(
    r"(?:,|\b(?:and|plus|but|while|whereas|against|versus|compared with|set beside)\b|&|\+)",
    re.IGNORECASE,
)
_GAP = 60  # characters between figures that are said in one breath


_OF = re.compile(
    r"\s+(?:of|with|containing|comprising)\s+|,?\s+each\s+(?:of|with|containing)\s+|\s?[x×]\s?"
)
_IN_EACH_OF = re.compile(
    r",?\s+(?:in|for|at|from|on|within|to|per)\s+each\s+of\s+(?:(?:the|our|these)\s+)?",
    re.IGNORECASE,
)


def multiplied(stated: Sequence[Stated]) -> Iterator[Stated]:
    """Multiply what is said of each: "12 dogs per arm in three arms" is 36 dogs."""
    plain = [s for s in stated if countable(s)]
    here: dict[tuple[int, str], dict[float, Stated]] = {}
    anywhere: dict[str, dict[float, Stated]] = {}
    for one in plain:
        for meaning in _head(one):
            value = one.quantity.low or 0
            here.setdefault((one.sentence.start, meaning), {}).setdefault(value, one)
            anywhere.setdefault(meaning, {}).setdefault(value, one)
    beside, timed = _beside(plain), _timed(stated)
    for one in plain:
        yield from _halved(one)
        if times := beside.get(one) or _lasted(one, timed):
            yield _whole(one, times, one.scope)
        elif scope := one.scope:
            meanings = lexicon().units(scope, generic=True)[:1] or ("",)
            near = here.get((one.sentence.start, meanings[0]), {})
            if not near and {stem(scope), *meanings} & lexicon().groups:
                near = anywhere.get(meanings[0], {})
            times = next(iter(near.values())) if len(near) == 1 else None
            several = times and times is not one and (times.quantity.low or 0) > 1
            if times and several and not cued("lost", times.sentence.text):
                yield _whole(one, times, scope)


_HENCE = re.compile(
    r"\b(?:so|hence|thus|therefore|making|giving|i\.e\.|that is|which makes|in all|=)\W*(?:about\s|some\s|we have\s)?$",
    re.IGNORECASE,
)


def told_whole(stated: Sequence[Stated], products: Sequence[Stated]) -> list[Stated]:
    """Mark the figure in which a text multiplies out itself: "3 in each of two wards, so 6 nurses"."""
    wholes = {(p.sentence.start, p.quantity.low) for p in products if p.share == "whole"}
    return [
        replace(s, share="whole")
        if (s.sentence.start, s.quantity.low) in wholes
        and not s.share
        and not s.scope
        and _HENCE.search(s.lead)
        else s
        for s in stated
    ]


_OF_THEM = re.compile(r"\s+of\s+(?:them|these|those|which|whom)\b", re.IGNORECASE)
_OF_ALL = re.compile(r"\bof\s(?:the|these|those|our|all)?\s?$", re.IGNORECASE)


def reduced(stated: Sequence[Stated]) -> list[Stated]:
    """Add what is left of a count when some of it go: "ten farms. Three of them have sold up"."""
    whole: Stated | None = None
    gone: list[Stated] = []
    left: list[Stated] = []
    told: set[int] = set()
    for one in stated:
        q = one.quantity
        if whole and _goes(whole, one, gone):
            told |= {id(whole), id(one)}
            left = left[:-1] if gone else left
            gone.append(one)
            left.append(_left(whole, gone))
        elif one.named and not q.unit and q.noun not in (YEAR, DATE, "age") and (q.low or 0) > 1:
            whole, gone = one, []
    return [*(replace(s, stance="told") if id(s) in told else s for s in stated), *left]


_STOP = re.compile(r"[,;.]")


def _goes(whole: Stated, one: Stated, gone: Sequence[Stated]) -> bool:
    """Whether some of those counted before leave, or are left out."""
    if one.quantity.unit or one.quantity.start - whole.quantity.end > _REACH:
        return False
    here = one.sentence is whole.sentence
    meant = _OF_THEM.search(one.sentence.text[one.quantity.start - one.sentence.start :][:_NEAR])
    first = here and _OF_ALL.search(whole.lead) and not gone
    more = bool(gone) and gone[-1].sentence is one.sentence
    rest = _STOP.split(one.after[:_CLOSE], maxsplit=1)[0]
    left = (
        cued("left_out", rest) or cued("gone", rest) or cued("lost", rest) or cued("going", rest)
    )
    return bool(
        (meant or first or more) and left and (one.quantity.low or 0) < (whole.quantity.low or 0)
    )


def _left(whole: Stated, gone: Sequence[Stated]) -> Stated:
    value = (whole.quantity.low or 0) - sum(g.quantity.low or 0 for g in gone)
    said = f"{whole.quantity.text} but {' and '.join(g.quantity.text for g in gone)}, {value:g} in all"
    quantity = whole.quantity.model_copy(update={"low": value, "high": value, "text": said})
    return replace(
        gone[-1], quantity=quantity, share="whole", stance="affirmed", of=whole.quantity
    )


_NEAR = 40
_REACH = 250  # characters from a count to those of it who leave


def _halved(one: Stated) -> Iterator[Stated]:
    """One group of those who are shared out evenly: "fifty people, half of them in each group"."""
    if one.scope or one.share == "part" or not countable(one):
        return
    if len(one.after) > _CLOSE or not cued("evenly", one.after):
        return
    q = one.quantity
    value = (q.low or 0) / 2
    quantity = q.model_copy(update={"low": value, "high": value, "text": f"half of {q.text}"})
    yield replace(one, quantity=quantity, scope="group", share="part")


_CLOSE = 120  # characters after a count within which it may be shared out


def _timed(stated: Sequence[Stated]) -> dict[tuple[int, str], list[Stated]]:
    """The lengths of time of each sentence, by its beginning and their unit."""
    found: dict[tuple[int, str], list[Stated]] = {}
    for s in stated:
        if s.quantity.unit in TIME_UNITS:
            found.setdefault((s.sentence.start, s.quantity.unit), []).append(s)
    return found


def _lasted(one: Stated, timed: Mapping[tuple[int, str], list[Stated]]) -> Stated | None:
    """The time for which a rate goes on: "40 samples a day for 20 days"."""
    unit = stem(one.scope)
    if unit not in TIME_UNITS:
        return None
    here = timed.get((one.sentence.start, unit), [])
    return here[0] if len(here) == 1 else None


def _beside(plain: Sequence[Stated]) -> dict[Stated, Stated]:
    """For each figure the count that stands right beside it and says how many times it is meant."""
    found: dict[Stated, Stated] = {}
    for one, after in pairwise(plain):
        if parted(one, after):
            found[after] = one
        elif _between(one, after, _IN_EACH_OF):
            found[one] = after
    return found


_SET_IN = re.compile(r"\b(?:at|in|across|from)\s(?:all\s|the\s)?$", re.IGNORECASE)
"""Before a count it says where something is done, not of what: "at two sites with 24 patients"."""


def parted(before: Stated | None, one: Stated) -> str:
    """The noun of a count right before, each of which the figure is said of: "three groups of 15"."""
    if not before or not countable(before) or not countable(one) or not _between(before, one, _OF):
        return ""
    if before.up_to(one) == " with " and _SET_IN.search(before.lead):
        return ""
    return before.quantity.noun.split()[-1]


def _between(one: Stated, after: Stated, pattern: re.Pattern[str]) -> bool:
    if one.sentence is not after.sentence:
        return False
    return bool(pattern.fullmatch(one.up_to(after)))


def countable(stated: Stated) -> bool:
    """Whether this is a count that can be added or multiplied."""
    q = stated.quantity
    return (
        stated.named
        and not q.unit
        and q.noun not in (YEAR, DATE, "age")
        and q.comparison in ("stated", "exactly", "about")
        and bool(q.low)
        and stated.stance == "affirmed"
    )


def scope_of(stated: Stated) -> str:
    """What the figure is said of each of, such as "arm"."""
    body, at = stated.sentence.text, stated.sentence.start
    end = stated.quantity.end - at
    if after := _PER.match(body, end) or _THEN_PER.match(body, end) or _IN_GROUP.match(body, end):
        return str(after[1])
    if _IN_EACH.match(body, end):
        return "group"
    until = max(0, end - len(stated.quantity.text) - max(0, body.find(stated.clause)))
    if _EACH_GIVE.search(stated.clause, 0, until):
        return ""
    if many := _MANY_EACH.search(stated.clause, 0, until):
        return str(many[1])
    before = _EACH.search(stated.clause, 0, until)
    return str(before[1]) if before else ""


def _head(stated: Stated) -> frozenset[str]:
    return lexicon().meanings(stated.quantity.noun.split()[-1])


def _whole(one: Stated, times: Stated, scope: str) -> Stated:
    q = one.quantity
    value = (q.low or 0) * (times.quantity.low or 0)
    said = f"{q.text} in {times.quantity.text}, {value:g} in all"
    about = "about" if "about" in (q.comparison, times.quantity.comparison) else q.comparison
    update = {"low": value, "high": value, "text": said, "comparison": about}
    quantity = q.model_copy(update=update)
    over = bool(times.quantity.unit)
    said_first = over or (times.sentence is one.sentence and times.quantity.end <= q.start)
    split = said_first or {stem(scope)} & lexicon().groups or _head(one) & lexicon().sampled
    stance: Stance = "affirmed" if split else "perhaps"
    return replace(one, quantity=quantity, share="whole" if split else "sum", stance=stance)


def added(stated: Sequence[Stated]) -> list[Stated]:
    """Tell parts from wholes within each sentence, and add parts up that have no whole."""
    out: list[Stated] = []
    for _, group in groupby(stated, key=lambda s: s.sentence.start):
        said = list(group)
        out += _drawn(said) if _PARTED.search(said[0].sentence.text) else _summed(said)
    return out


def _drawn(said: list[Stated]) -> list[Stated]:
    """Doubt the pool where those taken from it are named: "60 dogs, of which 18 are enrolled"."""
    cut = _PARTED.search(said[0].sentence.text)
    begins = (cut.start() if cut else 0) + said[0].sentence.start
    taken = cued("taken", said[0].sentence.text[begins - said[0].sentence.start :])
    drawn = bool(taken) and begins > said[0].quantity.start
    return [
        replace(s, stance="perhaps")
        if drawn
        and s.quantity.start < begins
        and s.stance == "affirmed"
        and not is_money(s.quantity.unit)
        else s
        for s in said
    ]


def _summed(said: list[Stated]) -> list[Stated]:
    """Mark the figures of one noun, said in one breath, as parts of their whole."""
    out = list(said)
    plain = [s for s in said if countable(s) and not cued("lost", s.after[:_GAP])]
    for noun in dict.fromkeys(map(_last, plain)):
        same = [s for s in plain if _last(s) == noun]
        if len(same) == 2 and _topped(same[1]):
            out.append(replace(_sum(same), share="whole"))
            continue
        if len(same) < 2 or any(s.scope for s in same) or not _together(same):
            continue
        whole = _told_whole(same)
        out = [
            replace(s, share="whole" if s is whole else "part") if s in same else s for s in out
        ]
        if whole is None:
            out.append(_sum(same))
    return out


_TOP = re.compile(r"\b(?:another|a further|additional|extra|further)\s*$", re.IGNORECASE)
_ON_TOP = re.compile(
    r"\b(?:on top of|in addition to|beyond)\s(?:the|these|those)\s*$", re.IGNORECASE
)


def _topped(after: Stated) -> bool:
    """Whether a count is added to the one before: "450 tries and another 150"."""
    return bool(_TOP.search(after.lead) or _ON_TOP.search(after.lead))


def _last(stated: Stated) -> str:
    """The stem of the word that is counted."""
    return stem(stated.quantity.noun.split()[-1].lower().removeprefix("non-"))


def _together(same: Sequence[Stated]) -> bool:
    gaps = [a.up_to(b) for a, b in pairwise(same)]
    return all(len(g) <= _GAP and _ALONG.search(g) for g in gaps)


def _told_whole(same: Sequence[Stated]) -> Stated | None:
    """The figure that the text gives as the sum of the others."""
    total = sum(s.quantity.low or 0 for s in same)
    for s in same:
        half = len(same) > 2 and 2 * (s.quantity.low or 0) == total
        made = s is not same[0] and _MAKES.search(s.lead)
        if half or made or _IN_ALL.match(s.after):
            return s
    return None


_MAKES = re.compile(
    r"\b(?:(?:we|this) (?:have|makes?|gives?)|making|giving|hence|comes? to|total(?:s|ling)?(?: of)?)\s(?:about\s)?$",
    re.IGNORECASE,
)


def _sum(same: Sequence[Stated]) -> Stated:
    q = same[-1].quantity
    noun = next((s.quantity.noun for s in same[::-1] if "non-" not in s.quantity.noun), q.noun)
    value = sum(s.quantity.low or 0 for s in same)
    said = " and ".join(s.quantity.text for s in same) + f", {value:g} in all"
    quantity = q.model_copy(update={"low": value, "high": value, "text": said, "noun": noun})
    return replace(same[-1], quantity=quantity, share="whole" if _rowed(same) else "sum")


_TOLD = 2
"""Words of a count beyond which something tells those from others: "15 kitchen articles"."""


def _rowed(same: Sequence[Stated]) -> bool:
    """Whether the parts stand in one row, so that they cannot be counted twice: "15 cups, 15 jugs and 15 pans"."""
    gaps = [a.up_to(b).strip() for a, b in pairwise(same)]
    named = all(len(s.quantity.text.split()) > _TOLD for s in same)
    return named and len(same) > 2 and all(g in (",", "and", ", and") for g in gaps)
