"""What a text names one by one, or adds to what is there, instead of counting it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from dr_rd.adherence.counts import nouns, side
from dr_rd.adherence.reading import Page, Stated
from dr_rd.ledger import LedgerItem, Limit
from dr_rd.quantity import Quantity, months, spelled
from dr_rd.text import Sentence, cued, lexicon


@dataclass(frozen=True, slots=True)
class Roll:
    """Things named one by one."""

    count: int
    text: str
    sentence: Sentence
    all: bool = True
    """Whether the sentence says that these are what is studied, so that there are no more."""


def rolls(found: Limit, page: Page) -> Iterator[Roll]:
    """The things of a bound's kind that sentences name one by one."""
    bound = found.quantity
    heads = _heads(bound)
    if bound.unit or not heads:
        return
    if set(heads[-1:]) & lexicon().named:
        sided = side(" ".join(nouns(bound)[:-1]))
        yield from _sides(sided, page) if sided else _places(page)
    elif bound.high is not None and set(heads) & lexicon().groups:
        yield from _groups(set(heads), page)


def _heads(bound: Quantity) -> tuple[str, ...]:
    """The meanings of the word that a bound counts."""
    words = nouns(bound)
    return lexicon().units(" ".join(words), generic=True)[-1:] if words else ()


_NAME = (
    r"(?:(?-i:[A-Z])[\w’'-]+(?:\s(?:(?:of|de|la|am)\s)?(?-i:[A-Z])[\w’'-]+){0,2}(?:\s\([^()]*\))?)"
)
_NAMES = rf"{_NAME}(?:,\s{_NAME})*,?\s(?:and|or|plus|with|versus|against)\s{_NAME}"
_ROW = re.compile(_NAMES)
_OF_STUDY = re.compile(
    r"\b(?:compar\w+|analy[sz]\w+|stud(?:y|ies|ied)|evaluat\w+|cover\w*|includ\w+|examin\w+|tested|tests?|our|we|sites?|work|chosen|chose"
    r"|confined|limited|restricted|only|leav\w+|left|remain\w*|sample|data|stand|set)\b",
    re.IGNORECASE,
)
_LEADS = re.compile(
    r"^\W*$|\b(?:in|of|over|across|on|to|for|stud\w+|compar\w+|cover\w*|includ\w+|evaluat\w+|at|between|only|chose|chosen|leaving|namely|examine|use)"
    r"\s(?<!of these )(?<!of them )$|(?<!of these)(?<!of them)[,:]\s$",
    re.IGNORECASE,
)
"""What stands before the names of what is studied, as opposed to where data are from."""
_ONE_PLACE = re.compile(
    rf"\b(?:study|analysis|work|data|sample|project|trial|fieldwork|sites?|we)\b[^.;,]{{0,40}}?\b(?:set|located|based|confined|limited|restricted|conducted"
    rf"|carried\sout|stay|stays|keep|keeps|work|works|done)\s(?:wholly\s|entirely\s|solely\s|only\s)?(?:in|to|within)\s(?P<in>{_NAME})(?=[.,;]|$)(?!,\s(?-i:[A-Z]))"
    rf"|^(?P<alone>{_NAME})\s(?:is|will\sbe)\s(?:analy[sz]ed|studied|examined|our\s(?:only|sole|one)|the\s(?:only|sole|one))\b"
)
_SET_IN = re.compile(rf"\b(?:in|from|at|over|near|around|outside)\s(?P<name>{_NAME})")


def _places(page: Page) -> Iterator[Roll]:
    """Names in a row, names that figures are told of one after the other, or a single name."""
    stated: dict[int, list[Stated]] = {}
    for figure in page.stated:
        stated.setdefault(figure.sentence.start, []).append(figure)
    for sentence in page.sentences:
        row = max(_ROW.finditer(sentence.text), key=lambda m: len(m[0]), default=None)
        if row and _affirmed(sentence, row.start()):
            names = [n for n in _split(row[0]) if _is_name(n)]
            if len(names) > 1:
                before = sentence.text[: row.start()]
                studied = _OF_STUDY.search(sentence.text) and _LEADS.search(before)
                yield Roll(len(names), row[0], sentence, bool(studied))
                continue
        one = _ONE_PLACE.search(sentence.text)
        if one and _affirmed(sentence, one.start()):
            name = one["in"] or one["alone"]
            if _is_name(name):
                yield Roll(1, name, sentence)
                continue
        apart = list(dict.fromkeys(_counted_in(stated.get(sentence.start, []))))
        if len(apart) > 1:
            yield Roll(len(apart), " and ".join(apart), sentence)


def _counted_in(said: Sequence[Stated]) -> Iterator[str]:
    """The names in each of which something is counted: "60 in Leeds and 45 in Lyon"."""
    for stated in said:
        if stated.stance == "affirmed" and stated.share != "sum":
            found = _SET_IN.match(stated.after.lstrip())
            if found and _is_name(found["name"]):
                yield found["name"]


def _is_name(said: str) -> bool:
    """Whether words are a name, and not a sentence's first word or a season."""
    first = said.split()[0].lower()
    dated = first in _NO_NAMES or first in months()
    return not (dated or lexicon().words(first)[0].stop or _CODE.search(said))


_CODE = re.compile(r"\b(?:[A-Z]{4,}|\w*\d\w*)\b")
_NO_NAMES = frozenset(
    "data table figure evaluation participants monday tuesday wednesday thursday friday saturday"
    " sunday".split()
)


def _split(listed: str) -> list[str]:
    parts = re.split(
        r";\s*(?:and\s)?|,\s(?:and\s|or\s)?|\s(?:and|or|plus|with|versus|against)\s", listed
    )
    return [p for p in parts if p.strip()]


def _affirmed(sentence: Sentence, at: int) -> bool:
    return sentence.stance(at + sentence.start) == "affirmed"


_LABEL = re.compile(r"(?:^|[.;\n]\s*)(?P<label>[A-Z][\w -]{0,30}):\s(?P<list>[^.\n]+)")
_BESIDE = re.compile(
    rf"(?P<one>{_NAME}(?:,\s{_NAME})*(?:,?\sand\s{_NAME})?)(?:,\swh[^,]*,)?\s(?:is|are|will\sbe)\s(?:compared|set|contrasted|matched|paired)\s"
    rf"(?:with|against|to|beside)\s(?P<other>{_NAME}(?:,\s{_NAME})*(?:,?\sand\s{_NAME})?)"
)


def _sides(wanted: str, page: Page) -> Iterator[Roll]:
    """The names of one of two sides: "Treated: Ohio, Iowa", "Ohio is compared with Iowa"."""
    for sentence in page.sentences:
        for match in _LABEL.finditer(sentence.text):
            if side(match["label"]) == wanted and not re.match(r"\s*\d", match["list"]):
                names = [n for n in _split(match["list"]) if n.strip()[:1].isupper()]
                if names:
                    yield Roll(len(names), ", ".join(names), sentence)
        pair = _BESIDE.search(sentence.text)
        if pair and _affirmed(sentence, pair.start()):
            listed = pair["one" if wanted == "treated" else "other"]
            yield Roll(len(_split(listed)), listed, sentence)


_ITEM = r"(?:[\w-]+\s){0,3}[\w-]+"
_LIST = rf"{_ITEM}(?:,\s{_ITEM})+,?\s(?:and|or|versus)\s{_ITEM}"
_CHOICES = re.compile(
    rf"\b(?:assigned|allocated|allotted|randomi[sz]ed)\s(?:at\srandom\s)?to\s(?P<to>{_LIST})"
    rf"|^(?P<list>{_LIST})\s(?:are|will\sbe)\s(?:compared|contrasted)\b",
    re.IGNORECASE,
)
_MARKED = re.compile(
    r"\b(?P<noun>[a-z]+)\s(?P<mark>(?-i:IV|V?I{1,3}|[A-F]|[1-9]))\b(?!\s?%)", re.I
)
_EITHER = re.compile(
    r"\beither\s(?:to\s)?(?:[\w-]+\s){1,6}?or\b|\bcoin\b|\bone or the other\b|\bonly (?:one|1) of the two\b|\bboth\s(?:the\s)?(?P<noun>\w+)\b",
    re.IGNORECASE,
)


def _groups(heads: set[str], page: Page) -> Iterator[Roll]:
    """Groups that are listed, or marked by letters or numbers."""
    groups = heads | lexicon().groups
    marks: dict[str, Sentence] = {}
    for sentence in page.sentences:
        match = _CHOICES.search(sentence.text)
        if match and _affirmed(sentence, match.start()):
            listed = match["to"] or match["list"]
            yield Roll(len(_split(listed)), listed, sentence)
        for label in _LABEL.finditer(sentence.text):
            if lexicon().meanings(label["label"]) & groups:
                listed = label["list"]
                parts = listed.split(";") if ";" in listed else _split(listed)
                yield Roll(len(parts), listed, sentence)
        for one in _MARKED.finditer(sentence.text):
            if lexicon().meanings(one["noun"]) & groups and _affirmed(sentence, one.start()):
                marks.setdefault(one["mark"], sentence)
        two = _EITHER.search(sentence.text)
        meant = two and (not two["noun"] or lexicon().meanings(two["noun"]) & groups)
        if two and meant and _affirmed(sentence, two.start()):
            yield Roll(2, two[0], sentence)
    if len(marks) > 1:
        yield Roll(len(marks), " and ".join(marks), list(marks.values())[-1])


_PLUS = re.compile(
    r"\b(?:another|(?:an?|one)\s(?:additional|further|extra|more|new|third|fourth|fifth)|additional|extra"
    r"|the\s(?:subsequent|following|next))\s(?:[\w-]+\s){0,2}?$",
    re.IGNORECASE,
)
_ADDING = re.compile(
    r"\b(?:add|adds|adding|introduc\w+|includ\w+|with)\s(?:an?|the)\s(?:[\w-]+\s){0,3}?$",
    re.IGNORECASE,
)
_ADDED = re.compile(
    r"^\W*(?:[\w-]+\s){0,4}?(?:is|are|will\sbe|gets?|be)\s(?:also\s)?(?:added|introduced)\b", re.I
)
_FEW = 6


def adds(found: Limit, item: LedgerItem, page: Page) -> Sentence | None:
    """The sentence that adds one more of what is already as many as may be."""
    bound = found.quantity
    heads = set(_heads(bound))
    full = bound.high is not None and 1 <= bound.high < _FEW and not bound.unit
    if not heads or not full:
        return None
    grouped = bool(heads & lexicon().groups)
    if item.kind != "ban" and not grouped and not cued("durations", item.text):
        return None
    for sentence in page.sentences:
        if _one_more(sentence, heads, item) or _beyond(sentence, bound):
            return sentence
    return _ranked(bound, page) if item.kind == "ban" or grouped else None


def _one_more(sentence: Sentence, heads: set[str], item: LedgerItem) -> bool:
    """Whether a sentence adds one of the things that are meant."""
    for n, word in enumerate(sentence.words):
        if not heads & word.meanings or sentence.stances[n] != "affirmed":
            continue
        body, at = sentence.text, sentence.start
        before, after = (
            body[max(0, word.start - at - 60) : word.start - at],
            body[word.end - at :],
        )
        added = _PLUS.search(before) or _ADDED.match(after)
        if added or (item.kind == "ban" and _ADDING.search(before)):
            return True
    return False


@cache
def _besides() -> re.Pattern[str]:
    words = "|".join(sorted(spelled(), reverse=True))
    return re.compile(
        r"\b(?:besides|in addition to|on top of|alongside|next to|along with|over and above)\s(?:the|these|those|our|both)?\s?"
        rf"(?P<number>\d|{words})\b",
        re.IGNORECASE,
    )


def _beyond(sentence: Sentence, bound: Quantity) -> bool:
    """Whether a sentence takes in something besides as many as may be: "besides the two we …"."""
    for match in _besides().finditer(sentence.text):
        number = match["number"].lower()
        value = spelled().get(number) or float(number if number.isdigit() else 0)
        if value == bound.high and _affirmed(sentence, match.start()):
            return True
    return False


def _ranked(bound: Quantity, page: Page) -> Sentence | None:
    """The sentence with a thing that stands in a row after as many as may be: "as a third line"."""
    for stated in page.stated:
        q = stated.quantity
        nth = q.comparison == "at_least" and q.text.lower().startswith(("a ", "an ", "the "))
        past = nth and (q.low or 0) > (bound.high or 0) and stated.stance == "affirmed"
        if past and q.noun and cued("rows", q.noun):
            return stated.sentence
    return None
