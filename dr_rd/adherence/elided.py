"""The nouns, units and currencies that a text leaves to be understood from the figure beside."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice, takewhile

from dr_rd.adherence.reading import Stated
from dr_rd.adherence.sides import LONG_LABEL, label_of, names_side, unpaired
from dr_rd.quantity import DATE, TIME_UNITS, YEAR, is_money
from dr_rd.text import cued, lexicon, plural, stem

_BARE = re.compile(
    r"\s*,?\s*(?:per|(?:in|for|from|at|within|on|to)\s+(?:each|every|both|the\s+(?:[\w-]+\s+){1,2}(?:group|arm|condition|section|class))|each)\b",
    re.I,
)
_LINKED = re.compile(
    r"[^.;]*(?:[,:]|\(|[–—]|\b(?:and|or|plus|but|while|though|although|whereas|which|whom|by|with|against|leaving|just|only))\s*"
    r"(?:(?:about|only|some|the other|another|a further|around|with|just|n =)\s)*$"
    r"|[^.;]*\b(?:on top of|in addition to|beyond)\s(?:the|these|those)\s$"
    r"|[^.;]*\b(?:carry on|carried on|continue\w*|go on|rise|raise[ds]?|increase[ds]?|extend\w*|grow)\s(?:up\s)?to\s$",
    re.IGNORECASE,
)
_LINK = 80  # characters between a count and a figure that leaves its noun to be understood
_FILLER = re.compile(r"(?:\b(?:about|only|just|some|the|these|around)\s)+$", re.IGNORECASE)
_WE = re.compile(r"\bwe\s(?:[a-z]+\s){1,2}$", re.IGNORECASE)
_BESIDE = re.compile(r"\s*(?:,|and|or|plus)\s*$", re.IGNORECASE)
_APART = 40  # characters between a figure and the one that says what both count


def completed(placed: Sequence[Stated]) -> list[Stated]:
    """Give a figure the noun that its neighbour says for both.

    "30 people, 15 in each group" counts people twice; "600 treated and 900 control homes" homes.
    """
    out: list[Stated] = []
    before: Stated | None = None
    for one in map(_bared, _shared(_paid(_crossed([_trimmed(unpaired(s)) for s in placed])))):
        out.append(_completed(_sided(_labelled(one), before), out, before))
        before = out[-1] if _counts(out[-1]) else before
    return out


def _completed(one: Stated, out: Sequence[Stated], before: Stated | None) -> Stated:
    """Give one figure the noun or the unit of those before it; *before* is the last that counts."""
    last, q = out[-1] if out else None, one.quantity
    here = last if last and last.sentence is one.sentence else None
    if here and _timed(here, one, before):
        return _counting(one, here.quantity.noun, here.quantity.unit)
    if q.unit or q.noun in (YEAR, DATE, "n", "N") or one.named or _THE_NTH.search(one.before):
        return one
    if of := _OF_THE.match(one.after):
        return _counting(one, of[1])
    here = here if here and _countable(here) else None
    if here and not here.quantity.unit and _BARE.match(one.after):
        return _counting(one, _counted(out, here))
    told = _BARE.match(one.after) or _HENCE.search(one.before)
    if told and before and before.sentence is one.sentence:
        return _counting(one, before.quantity.noun)
    if here and not here.quantity.unit and _understood(here, one):
        return _counting(one, _others(one, here.quantity.noun))
    if before and _again(before, one):
        return _counting(one, _others(one, before.quantity.noun))
    return one


_OF_THE = re.compile(
    r"\sof\s(?:the|our|these|those)\s(?:[a-z-]+\s)?(?!ones\b)([a-z]+s)\b(?!\s(?:and|or)\b)"
)
"""After a figure it says what that counts: "only two of the orchards"."""


def _countable(stated: Stated) -> bool:
    """Whether a figure may count something: d = 0.3 counts nothing."""
    q = stated.quantity
    value = q.low if q.low is not None else q.high
    return len(q.noun) > 1 and value is not None and (value >= 1 or value == 0)


_HENCE = re.compile(
    r"[,;:–—(]\s(?:and\s)?(?:so|hence|thus|therefore|making|which\smakes|i\.e\.)\s(?:about\s)?$",
    re.IGNORECASE,
)
_THE_NTH = re.compile(r"\bthe\sfirst\s(?:and|or)\s(?:the\s)?$", re.IGNORECASE)
"""Before another place in a row it picks some out of those that were counted."""


def _sided(one: Stated, before: Stated | None) -> Stated:
    """Say of what the others are that are set beside some: "84 treated firms and 71 controls"."""
    alone = one.named and cued("compared", one.quantity.noun) and " " not in one.quantity.noun
    if not alone or not before or before.sentence is not one.sentence:
        return one
    if not cued("treated", before.quantity.noun) or len(before.up_to(one)) > _APART:
        return one
    noun = f"{one.quantity.noun.removesuffix('s')} {before.quantity.noun.split()[-1]}"
    return replace(one, quantity=one.quantity.model_copy(update={"noun": noun}))


def _others(one: Stated, noun: str) -> str:
    """The noun of others of a kind: they are not those that were counted before."""
    if one.quantity.text.lower().endswith("others"):
        return f"other {noun.split()[-1]}"
    return noun.split()[-1] if cued("treated", noun) or cued("compared", noun) else noun


def _counts(one: Stated) -> bool:
    """Whether a figure counts several things that it names."""
    q = one.quantity
    several = (q.low if q.low is not None else q.high or 0) > 1
    nth = q.comparison == "at_least" and q.text.lower().startswith(("a ", "an ", "the "))
    return one.named and several and not nth and not q.unit and q.noun not in (YEAR, DATE, "age")


_PRONOUN = re.compile(r"\s+of\s+(?:them|these|those|whom|which)\b", re.IGNORECASE)
_IN_SUM = re.compile(r"\s*(?:in\s(?:all|total)|altogether|overall|all\stold)\b", re.IGNORECASE)
_THING_BEFORE = re.compile(r"[.:;]\s*$|^\W*$")


def _again(before: Stated, one: Stated) -> bool:
    """Whether a bare figure counts, a sentence or more on, what was counted before: "Six passed"."""
    if one.quantity.start - before.quantity.end > _FAR or "|" in one.sentence.text:
        return False
    if one.quantity.comparison == "between" or one.quantity.text[:1] in "(-.":
        return False
    if names_side(label_of(one)):
        return True
    left = _FILLER.sub("", one.before[-_NEAR:])
    kept = any(m.end() == len(left.rstrip()) for m in lexicon().cues["left_over"].finditer(left))
    if _PRONOUN.match(one.after) or kept or _WE.search(left):
        return True
    told = cued("told_of", one.after[:_NEAR].split(",")[0])
    return bool(_THING_BEFORE.search(one.before)) and told


_FAR = 300  # characters from a count to a figure in a later sentence that means the same things
_NEAR = 24


_THEN = re.compile(
    r"\s(?:in\s(?:all|total)|altogether|before|ahead|after|afterwards|thereafter|prior|following|on\s(?:either|each)\sside)\b",
    re.I,
)


def _timed(last: Stated, one: Stated, before: Stated | None) -> bool:
    """Whether a bare figure is of the unit before it: "six years before and six after"."""
    q = one.quantity
    if before and before.sentence is one.sentence and _IN_SUM.match(one.after):
        return False  # "50 tries a day over nine days, 450 in all"
    if last.quantity.unit not in TIME_UNITS or q.unit or one.named or q.noun in (YEAR, DATE):
        return False
    gap = last.up_to(one)
    then = _THEN.match(one.after)
    return bool(then) and len(gap) < _LINK and bool(_LINKED.fullmatch(gap))


def _understood(last: Stated, one: Stated) -> bool:
    """Whether a figure counts what the one before it names: "13 corridors, 5 with a lane"."""
    gap = last.up_to(one)
    noun = last.quantity.noun
    plain = last.named and noun not in (YEAR, DATE) and last.quantity.comparison != "between"
    plain = plain and one.quantity.text[:1] not in "(-" and "|" not in one.sentence.text
    return plain and len(gap) < _LINK and bool(_LINKED.fullmatch(gap))


_LISTED = re.compile(r"\b(?:and|,)\s$|[,:]\s$")


def _bared(one: Stated) -> Stated:
    """A figure without the verb that was taken for its noun: "and six carry on"."""
    q = one.quantity
    words = q.noun.lower().split()
    if words[-1:] in (["ones"], ["others"]) and one.named:
        return replace(one, quantity=q.model_copy(update={"noun": ""}))
    if not one.named or q.unit or q.noun in (YEAR, DATE, "age") or (q.low or 0) <= 1:
        return one
    if "-" in q.text or any(map(plural, words)):
        return one
    if q.comparison != "stated":
        return one
    done = len(words) == 1 and (_DONE.search(words[0]) or stem(words[0]) in lexicon().verbs)
    if not done and not _LISTED.search(one.lead):
        return one
    digits = q.text[: q.text.find(q.noun)].rstrip()
    return replace(
        one,
        quantity=q.model_copy(update={"noun": "", "text": digits, "end": q.start + len(digits)}),
    )


_DONE = re.compile(r"(?<!ee)(?<!\bb)(?<!\bs)ed$")
"""What was done to some, and not what they are: "fifteen rested", but not "twenty beds"."""


def _trimmed(one: Stated) -> Stated:
    """A figure without the verb that was taken into its noun: "six clinics contribute"."""
    q = one.quantity
    words = q.noun.split()
    if not one.named or q.unit or q.noun in (YEAR, DATE, "age") or len(words) < 2:
        return one
    many = [n for n, w in enumerate(words) if plural(w)]
    if not many or many[0] == len(words) - 1:
        return one
    last = many[0]
    if last + 1 in many and not _EACH_OF.search(one.lead):
        last += 1
    at = q.text.find(q.noun)
    gone = len(" ".join(words[last + 1 :])) + 1 if last + 1 < len(words) else 0
    if at < 0 or not gone or not q.text.endswith(q.noun):
        return one
    text = q.text[:-gone]
    update = {"noun": " ".join(words[: last + 1]), "text": text, "end": q.start + len(text)}
    return replace(one, quantity=q.model_copy(update=update))


_EACH_OF = re.compile(r"\b(?:each|every one|one|either)\sof\s(?:the|these|those|our)\s$", re.I)


_CROSS = re.compile(r"\s?(?:\([^()]{1,80}\)\s?)?[x×]\s?")


def _factor(stated: Stated) -> bool:
    """Whether a number may be the first factor of a product."""
    q = stated.quantity
    return not q.unit and (q.noun == "x" or not stated.named)


def _crossed(placed: Sequence[Stated]) -> list[Stated]:
    """Multiply bare numbers out: "2 × 50 people"."""
    out: list[Stated] = []
    for one in placed:
        last = out[-1] if out else None
        if last and last.sentence is one.sentence and _factor(last):
            at, q = one.sentence.start, one.quantity
            begin = last.quantity.end - at - (last.quantity.noun == "x")
            gap = one.sentence.text[begin : q.start - at]
            if _CROSS.fullmatch(gap) and q.low and q.low == q.high and last.quantity.low:
                value = q.low * last.quantity.low
                text = one.sentence.text[last.quantity.start - at : q.end - at]
                update = {"low": value, "high": value, "text": text, "start": last.quantity.start,
                          "noun": "" if q.noun == "x" else q.noun}  # fmt: skip
                out[-1] = replace(one, quantity=q.model_copy(update=update))
                continue
        out.append(one)
    return out


_LEAST_MONEY = 100  # a bare number below is a count of something


def _paid(placed: Sequence[Stated]) -> list[Stated]:
    """Give bare numbers the currency that their sentence names: "Budget (GBP): staff 9,000"."""
    out: list[Stated] = []
    units: dict[int, str] = {}
    for one in placed:
        if is_money(one.quantity.unit):
            units.setdefault(one.sentence.start, one.quantity.unit)
    for one in placed:
        if _may_be_money(one):
            start = one.sentence.start
            if start not in units:
                units[start] = _named_currency(one.sentence.text)
            update = {"unit": units[start]}
            one = replace(one, quantity=one.quantity.model_copy(update=update))
        out.append(one)
    return out


def _may_be_money(one: Stated) -> bool:
    """Whether a figure says nothing of what it counts, and is large enough for a sum of money."""
    q = one.quantity
    bare = not q.unit and not one.named and q.noun not in (YEAR, DATE, "age")
    return bare and q.comparison != "between" and (q.low or q.high or 0) >= _LEAST_MONEY


def _named_currency(said: str) -> str:
    """The currency that a sentence names beside its figures; "" where it names none."""
    named = _CURRENCY.search(said)
    return named[1] or named[2] if named else ""


_CURRENCY = re.compile(r"(?:\(|\b[Ii]n\s)(?:([A-Z]{3})\b)\)?|\bCosts? in ([A-Z]{3})\b")


_NUMBER_OF = re.compile(
    r"\bnumber of ([a-z-]+(?:\s[a-z-]+)??)(?:\s(?:\w+ed|used|run|chosen|taken))?(?::|\s(?:is|was|will be))\s$",
    re.IGNORECASE,
)


def _labelled(one: Stated) -> Stated:
    """Give a bare figure the noun of its label: "Specimens: 26", "number of sites: 4"."""
    q = one.quantity
    if q.unit or one.named or "|" in one.sentence.text:
        return one
    if number := _NUMBER_OF.search(one.before[-LONG_LABEL:]):
        return _counting(one, number[1].lower())
    if q.noun:
        return one
    label = label_of(one)
    if names_side(label):
        return one  # of the ones of that side, whatever they are
    sized = label and label.split()[-1].lower() in (
        "size",
        "sizes",
        "number",
        "numbers",
        "total",
        "sum",
        "sample",
    )
    return _counting(one, label.lower()) if label and not sized else one


def _counting(one: Stated, noun: str, unit: str = "") -> Stated:
    q = one.quantity
    whole = noun and (noun in q.text or q.text.endswith("others"))
    shown = q.text if whole else f"{q.text} {noun}".strip()
    return replace(one, quantity=q.model_copy(update={"noun": noun, "unit": unit, "text": shown}))


def _shared(placed: Sequence[Stated]) -> list[Stated]:
    """Give the first figures of a row what the last says: "1, 2 or 4 hours"."""
    out: list[Stated] = []
    for one in reversed(placed):
        after = out[-1] if out else None
        if after and after.sentence is one.sentence and _attributed(one, after):
            out.append(_counting(one, after.quantity.noun))
        elif after and after.sentence is one.sentence and _shares(one, after):
            noun = after.quantity.noun
            unit = after.quantity.unit
            out.append(_counting(one, noun if unit else noun.split()[-1], unit))
        else:
            out.append(one)
    return out[::-1]


_MEASURED = re.compile(r"\d[\d.,]*(?:[BMKk]|-[^\W\d]+)\s")


def _attributed(one: Stated, after: Stated) -> bool:
    """Whether a measure stands between a count and what it counts: "two 7B models", "six 2-hour sessions"."""
    q, other = one.quantity, after.quantity
    bare = not q.unit and not one.named and q.low == q.high and (q.low or 0) % 1 == 0
    many = after.named and plural(other.noun.split()[-1]) == ((q.low or 0) > 1)
    return bare and many and one.up_to(after) == " " and bool(_MEASURED.match(other.text))


def _counted(out: Sequence[Stated], last: Stated) -> str:
    """What "four at each" counts: of "16 bars at four heats", bars."""
    here = takewhile(lambda s: s.sentence is last.sentence, reversed(out))
    said = [s.quantity.noun for s in islice((s for s in here if not s.quantity.unit), 2)]
    return said[-1]


def _shares(one: Stated, after: Stated) -> bool:
    """Whether two joined figures count one thing, which only the second names."""
    q, other = one.quantity, after.quantity
    if q.unit or YEAR in (q.noun, other.noun) or DATE in (q.noun, other.noun):
        return False
    if is_money(other.unit) or (one.named and " " in q.noun) or not (other.unit or after.named):
        return False
    gap = one.up_to(after)
    joined = bool(_BESIDE.search(gap)) and len(gap) < _APART and q.noun.lower() != "n"
    bare = not gap.replace(",", " ").split()[:-1] or gap.strip() == ","
    if other.unit:
        return joined and bare and not one.named
    return joined and (not one.named or not (plural(q.noun) or q.low == 1))
