"""Figures that a text leaves to its reader to add up or to multiply out."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from dr_rd.adherence.reading import Stated
from dr_rd.prose import Stance, lexicon, stem
from dr_rd.quantity import DATE, YEAR, is_money

_PER = re.compile(
    r"\s*(?:per|(?:in|for|from|at|within|on|to)\s+(?:each|every)(?:\s+of(?:\s+the)?(?:\s+(?:two|three|four|five|six|\d+))?)?)\s+([^\W\d_]+)",
    re.IGNORECASE,
)
_THEN_PER = re.compile(
    r"(?:\s[^\W\d_]+){1,4}?\s(?:per|(?:in|for|from|at)\s(?:each|every))\s([^\W\d_]+)",
    re.IGNORECASE,
)
_IN_GROUP = re.compile(
    r"(?:\s+[^\W\d_]+)?\s+(?:in|to|from)\s+the\s+(?:[\w-]+\s+){1,2}?(group|arm|condition|section|class)\b",
    re.IGNORECASE,
)
_LOST = re.compile(r"\b(?:withdraw\w*|drop\w*\sout|dropout|lost|lose)\b", re.IGNORECASE)
_EACH = re.compile(
    r"\b(?:each|every)\s+(?:of\s+(?:the\s+)?(?:\S+\s+)?)?([^\W\d_]+)\b[^,;.]*$", re.IGNORECASE
)
_PARTED = re.compile(r"\bof\s+(?:which|whom|these|those|them)\b", re.IGNORECASE)
TAKEN = re.compile(
    r"\b(?:enrol\w*|recruit\w*|select\w*|sampled|chosen|take\s+part|takes\s+part|participate\w*|includ\w+|studied|randomi[sz]ed|used|tests?|tested|analy[sz]ed?|collect\w*|evaluated|assigned|treated|spread|holds?|has|have|sample|in all|in total)\b",
    re.IGNORECASE,
)
_IN_ALL = re.compile(r"\s*(?:in\s+all|in\s+total|altogether|overall)\b", re.IGNORECASE)
_ALONG = re.compile(r"(?:,|\band\b|\bplus\b|&|\+)", re.IGNORECASE)
_GAP = 60  # characters between figures that are said in one breath


def multiplied(stated: Sequence[Stated]) -> Iterator[Stated]:
    """Multiply what is said of each: "12 dogs per arm in three arms" is 36 dogs."""
    plain = [s for s in stated if _plain(s)]
    here: dict[tuple[int, str], dict[float, Stated]] = {}
    anywhere: dict[str, dict[float, Stated]] = {}
    for one in plain:
        for meaning in _head(one):
            value = one.quantity.low or 0
            here.setdefault((one.sentence.start, meaning), {}).setdefault(value, one)
            anywhere.setdefault(meaning, {}).setdefault(value, one)
    for one in plain:
        if scope := one.scope:
            meanings = lexicon().units(scope, generic=True)[:1] or ("",)
            near = here.get((one.sentence.start, meanings[0]), {})
            if not near and {stem(scope), *meanings} & lexicon().groups:
                near = anywhere.get(meanings[0], {})
            times = next(iter(near.values())) if len(near) == 1 else None
            several = times and times is not one and (times.quantity.low or 0) > 1
            if times and several and not _LOST.search(times.sentence.text):
                yield _whole(one, times, scope)


def _plain(stated: Stated) -> bool:
    """Whether this is a count that can be added or multiplied."""
    q = stated.quantity
    return (
        bool(q.noun)
        and q.noun in q.text
        and not q.unit
        and q.noun not in (YEAR, DATE, "age")
        and q.comparison in ("stated", "exactly")
        and bool(q.low)
        and stated.stance == "affirmed"
    )


def scope_of(stated: Stated) -> str:
    """What the figure is said of each of, such as "arm"."""
    body, at = stated.sentence.text, stated.sentence.start
    end = stated.quantity.end - at
    if after := _PER.match(body, end) or _THEN_PER.match(body, end) or _IN_GROUP.match(body, end):
        return str(after[1])
    before = _EACH.search(stated.clause, 0, max(0, stated.clause.find(stated.quantity.text)))
    return str(before[1]) if before else ""


def _head(stated: Stated) -> frozenset[str]:
    return frozenset[str]().union(
        *(w.meanings for w in lexicon().words(stated.quantity.noun.split()[-1]))
    )


def _whole(one: Stated, times: Stated, scope: str) -> Stated:
    q = one.quantity
    value = (q.low or 0) * (times.quantity.low or 0)
    said = f"{q.text} in {times.quantity.text}, {value:g} in all"
    quantity = q.model_copy(update={"low": value, "high": value, "text": said})
    said_first = times.sentence is one.sentence and times.quantity.end <= q.start
    split = said_first or {stem(scope)} & lexicon().groups or _head(one) & lexicon().sampled
    stance: Stance = "affirmed" if split else "perhaps"
    return replace(one, quantity=quantity, share="whole" if split else "sum", stance=stance)


def added(stated: Sequence[Stated]) -> list[Stated]:
    """Tell parts from wholes within each sentence, and add parts up that have no whole."""
    out: list[Stated] = []
    for _, group in groupby(stated, key=lambda s: s.sentence.start):
        said = list(group)
        out += _drawn(said) if _PARTED.search(said[0].sentence.text) else _summed(said)
        out += _spent(said)
    return out


_TIMES_SPENT = re.compile(
    r"\b(?:per|each|every|an?\s(?:year|month|week|day|hour|head|person))\b", re.IGNORECASE
)


def _spent(said: list[Stated]) -> Iterator[Stated]:
    """Add up the money of a sentence that gives parts and no whole."""
    money = [s for s in said if is_money(s.quantity.unit) and s.stance == "affirmed"]
    plain = [s for s in money if s.quantity.comparison in ("stated", "about", "exactly")]
    units = {s.quantity.unit for s in money}
    if len(plain) < 2 or plain != money or len(units) > 1 or any(s.totals() for s in money):
        return
    if any(not s.quantity.low for s in money) or _TIMES_SPENT.search(said[0].sentence.text):
        return
    if _PARTED.search(said[0].sentence.text) or not _apart(money):
        return
    value = sum(s.quantity.low or 0 for s in money)
    told = " and ".join(s.quantity.text for s in money) + f", {value:g} in all"
    quantity = money[-1].quantity.model_copy(update={"low": value, "high": value, "text": told})
    yield replace(money[-1], quantity=quantity, share="whole")


def _apart(money: Sequence[Stated]) -> bool:
    """Whether figures are joined by "and" or commas, not held against each other."""
    body, at = money[0].sentence.text, money[0].sentence.start
    gaps = [body[a.quantity.end - at : b.quantity.start - at] for a, b in pairwise(money)]
    return all(
        _ALONG.search(g) and not re.search(r"\b(?:instead|not|from|than|of)\b", g) for g in gaps
    )


def _drawn(said: list[Stated]) -> list[Stated]:
    """Doubt the pool where those taken from it are named: "60 dogs, of which 18 are enrolled"."""
    cut = _PARTED.search(said[0].sentence.text)
    begins = (cut.start() if cut else 0) + said[0].sentence.start
    taken = TAKEN.search(said[0].sentence.text, begins - said[0].sentence.start)
    drawn = bool(taken) and begins > said[0].quantity.start
    return [
        replace(s, stance="perhaps")
        if drawn and s.quantity.start < begins and s.stance == "affirmed"
        else s
        for s in said
    ]


def _summed(said: list[Stated]) -> list[Stated]:
    """Mark the figures of one noun, said in one breath, as parts of their whole."""
    out = list(said)
    for noun in dict.fromkeys(s.quantity.noun.lower() for s in said if _plain(s)):
        same = [s for s in said if _plain(s) and s.quantity.noun.lower() == noun]
        if len(same) < 2 or any(s.scope for s in same) or not _together(same):
            continue
        whole = _told_whole(same)
        out = [
            replace(s, share="whole" if s is whole else "part") if s in same else s for s in out
        ]
        if whole is None:
            out.append(_sum(same))
    return out


def _together(same: Sequence[Stated]) -> bool:
    body, at = same[0].sentence.text, same[0].sentence.start
    gaps = [body[a.quantity.end - at : b.quantity.start - at] for a, b in pairwise(same)]
    return all(len(g) <= _GAP and _ALONG.search(g) for g in gaps)


def _told_whole(same: Sequence[Stated]) -> Stated | None:
    """The figure that the text gives as the sum of the others."""
    body, at = same[0].sentence.text, same[0].sentence.start
    total = sum(s.quantity.low or 0 for s in same)
    for s in same:
        half = len(same) > 2 and 2 * (s.quantity.low or 0) == total
        if half or _IN_ALL.match(body, s.quantity.end - at):
            return s
    return None


def _sum(same: Sequence[Stated]) -> Stated:
    q = same[-1].quantity
    value = sum(s.quantity.low or 0 for s in same)
    said = " and ".join(s.quantity.text for s in same) + f", {value:g} in all"
    quantity = q.model_copy(update={"low": value, "high": value, "text": said})
    return replace(same[-1], quantity=quantity, share="sum")
