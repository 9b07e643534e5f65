"""What a text states: amounts with what they are of, how they are meant, and what follows from several."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby, pairwise

from dr_rd.quantity import DATE, TIME_UNITS, YEAR, Comparison, Quantity, is_money, quantities
from dr_rd.text.context import answered
from dr_rd.text.document import Cell, document
from dr_rd.text.lexicon import cued, lexicon
from dr_rd.text.numbered import NTH, numbered
from dr_rd.text.polarity import Stance
from dr_rd.text.sentences import Sentence, sentences
from dr_rd.text.stems import stem


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """An amount in its sentence."""

    amount: Quantity
    sentence: Sentence
    polarity: Stance
    clause: str
    per: str = ""
    """What it is said of each of, such as "arm"; "" where it is said of all."""
    derived: bool = False
    """Whether it follows from others and is not written itself."""
    whole: bool = False
    """Whether it is said to be of everything: a total, a product."""
    part: bool = False
    """Whether it is one of several that make up a whole."""

    @property
    def before(self) -> str:
        """The last words of the sentence before it."""
        at = self.amount.start - self.sentence.start
        return self.sentence.text[max(0, at - _REACH) : max(0, at)]

    @property
    def after(self) -> str:
        """The first words of the sentence behind it."""
        at = self.amount.end - self.sentence.start
        return self.sentence.text[at : at + _REACH]

    @property
    def is_price(self) -> bool:
        """Whether it says what one of something costs, and bounds nothing: "14 EUR each"."""
        q = self.amount
        money = is_money(q.unit.partition("/")[0])
        return money and bool(self.per or "/" in q.unit) and q.comparison in _PLAIN

    @property
    def named(self) -> bool:
        """Whether the noun stands in the amount's own text, rather than somewhere before it."""
        return bool(self.amount.noun) and self.amount.noun in self.amount.text

    def breath(self) -> str:
        """The words about it from one comma to the next."""
        lead = self.before[max(map(self.before.rfind, ",;:(")) + 1 :]
        return f"{lead}{self.amount.text}{_PAUSE.split(self.after, maxsplit=1)[0]}"

    def held(self, reach: int = 240) -> frozenset[str]:
        """The meanings of the words of its clause that stand within *reach* characters."""
        words, clauses, q = self.sentence.words, self.sentence.clauses, self.amount
        if not words:
            return frozenset()
        first = bisect_left(words, q.start - reach, key=lambda w: w.start)
        last = bisect_right(words, q.end + reach, key=lambda w: w.start)
        at = min(bisect_right(words, q.start, key=lambda w: w.end), len(words) - 1)
        near = zip(words[first:last], clauses[first:last], strict=True)
        return frozenset[str]().union(*(w.meanings for w, c in near if c == clauses[at]))


_PAUSE = re.compile(r"[,;:)]")
_REACH = 120
"""Characters about an amount in which words say how it is meant; keeps reading linear."""


_SHORT = 6


@dataclass(frozen=True, slots=True)
class Page:
    """A text, read once for whatever asks."""

    sentences: tuple[Sentence, ...]
    facts: tuple[Fact, ...]
    text: str

    @property
    def short(self) -> bool:
        """Whether it has so few sentences that they may be all about one thing."""
        return len(self.sentences) <= _SHORT

    def without(self, starts: frozenset[int] | set[int]) -> "Page":
        """Leave out the sentences that begin at *starts*, and what they state."""
        return Page(
            tuple(s for s in self.sentences if s.start not in starts),
            tuple(f for f in self.facts if f.sentence.start not in starts),
            self.text,
        )


_PLAIN = ("stated", "about", "exactly")


@lru_cache(maxsize=64)
def read(text: str) -> Page:
    """Read *text*: its sentences, and what they state."""
    told = answered(sentences(text), text)
    stated = _per(list(_placed(told, sorted((*quantities(text), *numbered(text)), key=_start))))
    found = _summed(stated)
    derived = (*_products(found), *_durations(found), *_columns(text, told))
    return Page(told, (*found, *derived), text)


def _start(q: Quantity) -> int:
    return q.start


def _placed(told: Sequence[Sentence], stated: Sequence[Quantity]) -> Iterator[Fact]:
    """Give each quantity its sentence; all come in order."""
    position = 0
    for q in stated:
        while position < len(told) and told[position].end <= q.start:
            position += 1
        if position < len(told) and told[position].start < q.end:
            sentence = told[position]
            fact = Fact(q, sentence, sentence.stance(q.start), sentence.clause(q.start))
            yield _none_above(fact)


_NONE = re.compile(r"^(?:none|no|not one|neither)\b", re.IGNORECASE)
_TURNED: dict[Comparison, Comparison] = {
    "more_than": "at_most",
    "at_least": "less_than",
    "less_than": "at_least",
    "at_most": "more_than",
}


def _none_above(fact: Fact) -> Fact:
    """Turn "none of them has more than 60" round: all have 60 at most."""
    q = fact.amount
    turned = _TURNED.get(q.comparison)
    own = _NONE.match(q.text)  # "no more than 60" is a bound by itself
    if fact.polarity != "denied" or not turned or own or not _NONE.match(fact.clause):
        return fact
    update = {"comparison": turned, "low": q.high, "high": q.low}
    return replace(fact, amount=q.model_copy(update=update), polarity="affirmed")


# --- Of each of what

_TIME_WORD = r"(?:hour|day|night|week|fortnight|month|quarter|season|term|semester|year)\b"
_EACH_OF = r"(?:each|every|any|both)(?:\s+of(?:\s+(?:the|our|these))?(?:\s+(?:two|three|four|five|six|\d+))?)?"
_PER = re.compile(
    rf"\s*(?:[^\W\d_]+\s+){{0,4}}?(?:an?(?=\s(?:{_TIME_WORD}|group|arm|section|class|condition|cell|side))|per|/"
    rf"|(?:in|for|from|at|within|on|to|with|by)\s+{_EACH_OF})\s*([^\W\d_]+)",
    re.IGNORECASE,
)
_IN_GROUP = re.compile(
    r"(?:\s+[^\W\d_]+)?\s+(?:in|to|from)\s+the\s+(?:[\w-]+\s+){1,2}?(group|arm|condition|section|class)\b",
    re.IGNORECASE,
)
_EACH = re.compile(
    rf"\b(?:{_EACH_OF}|per)\s+(?!the\b|of\b)([^\W\d_]+)\b[^,;.]*$|\b([^\W\d_]+s)\seach\s[^,;.]*$",
    re.IGNORECASE,
)
_APIECE = re.compile(r"\s*,?\s*(?:each|apiece)\b", re.IGNORECASE)
_OF = re.compile(r"\s+(?:of|with|containing|comprising)\s+|,?\s+each\s+(?:of|with)\s+|\s?[x×]\s?")


def _per(stated: list[Fact]) -> list[Fact]:
    """Say of each fact what it is of each of."""
    out: list[Fact] = []
    for before, fact in zip([None, *stated], stated, strict=False):
        same = before if before and before.sentence is fact.sentence else None
        out.append(replace(fact, per=_per_of(fact, same)))
    return out


def _per_of(fact: Fact, before: Fact | None) -> str:
    if after := _PER.match(fact.after) or _IN_GROUP.match(fact.after):
        return str(after[1])
    body, until = fact.sentence.text, fact.amount.start - fact.sentence.start
    begin = max(0, body.find(fact.clause))
    if led := _EACH.search(body[max(begin, until - _REACH) : max(begin, until)]):
        return str(led[1] or led[2])
    if before and _countable(before):
        last = before.amount.noun.split()[-1]
        if _APIECE.match(fact.after) or _OF.fullmatch(_between(before, fact)):
            return last
    return "group" if _APIECE.match(fact.after) else ""


def _between(one: Fact, after: Fact) -> str:
    at = one.sentence.start
    return one.sentence.text[one.amount.end - at : after.amount.start - at]


def _countable(fact: Fact) -> bool:
    """Whether this is a count that can be added or multiplied."""
    q = fact.amount
    plain = fact.named and not q.unit and q.noun not in (YEAR, DATE, "age")
    exact = q.comparison in ("stated", "exactly", "about") and q.low == q.high
    return plain and exact and bool(q.low) and fact.polarity == "affirmed"


# --- What follows

_GAP = 60
"""Characters between amounts that are said in one breath."""
_ALONG = re.compile(r"(?:,|\b(?:and|plus|but|while|another|further)\b|&|\+)", re.IGNORECASE)
_MAKES = re.compile(
    r"\b(?:making|giving|hence|so|thus|comes? to|adds? up to|total(?:s|ling)?(?: of)?|i\.e\.|=)\W*(?:about\s)?$",
    re.IGNORECASE,
)
_IN_ALL = re.compile(r"\s*(?:in\s+all|in\s+total|altogether|overall)\b", re.IGNORECASE)


def _summed(stated: list[Fact]) -> list[Fact]:
    """Tell parts from wholes where a sentence states several amounts of a kind, and add parts up."""
    out: list[Fact] = []
    for _, group in groupby(stated, key=lambda f: f.sentence.start):
        said = list(group)
        out += said
        for key in dict.fromkeys(k for f in said if (k := _kind(f))):
            same = [f for f in said if _kind(f) == key]
            if len(same) > 1 and all(_joined(a, b) for a, b in pairwise(same)):
                out += _whole_of(same, out)
    return out


def _kind(fact: Fact) -> str:
    """What amounts have in common that can be added; "" where this one cannot."""
    q = fact.amount
    if fact.per or fact.polarity != "affirmed" or q.low != q.high or not q.low:
        return ""
    if q.unit:
        lasts = q.unit in TIME_UNITS and q.noun != NTH and not cued("due", fact.before[-_GAP:])
        return q.unit if lasts else ""  # a deadline is no part of what lasts
    return stem(q.noun.split()[-1]) if _countable(fact) else ""


def _joined(one: Fact, after: Fact) -> bool:
    gap = _between(one, after)
    return len(gap) <= _GAP and bool(_ALONG.search(gap))


def _whole_of(same: Sequence[Fact], out: list[Fact]) -> list[Fact]:
    """The sum of parts, where no figure of the row is that sum itself; mark which is what in *out*."""
    total = sum(f.amount.low or 0 for f in same)
    whole = next(
        (
            f
            for f in same
            if 2 * (f.amount.low or 0) == total
            or _MAKES.search(f.before)
            or _IN_ALL.match(f.after)
        ),
        None,
    )
    for n, fact in enumerate(out):
        if fact in same:
            out[n] = replace(fact, whole=fact is whole, part=fact is not whole)
    if whole is not None:
        return []
    last = same[-1]
    said = f"{' and '.join(f.amount.text for f in same)}, {total:g} in all"
    amount = last.amount.model_copy(update={"low": total, "high": total, "text": said})
    return [replace(last, amount=amount, derived=True, whole=True)]


def _products(stated: Sequence[Fact]) -> Iterator[Fact]:
    """Multiply what is said of each: "12 dogs per arm in three arms" is 36 dogs."""
    for _, group in groupby(stated, key=lambda f: f.sentence.start):
        said = list(group)
        counts = [f for f in said if _countable(f) and not f.derived]
        for fact in said:
            if not fact.per or fact.amount.low != fact.amount.high or not fact.amount.low:
                continue
            if fact.amount.unit not in {"", *TIME_UNITS} and not is_money(fact.amount.unit):
                continue
            if fact.polarity != "affirmed" or fact.amount.noun in (YEAR, DATE, "age"):
                continue
            unit = stem(fact.per)
            times = [c for c in counts if c is not fact and not c.per and _counts(c, fact.per)]
            times += [
                f
                for f in said
                if f.amount.unit == unit and unit in TIME_UNITS and f is not fact and not f.per
            ]
            if len(times) == 1 and (times[0].amount.low or 0) > 1:
                yield _product(fact, times[0])


def _counts(fact: Fact, noun: str) -> bool:
    wanted = lexicon().units(noun, generic=True)[:1]
    held = lexicon().meanings(fact.amount.noun.split()[-1])
    return bool(set(wanted) & held)


def _product(fact: Fact, times: Fact) -> Fact:
    q = fact.amount
    value = (q.low or 0) * (times.amount.low or 0)
    update = {
        "low": value,
        "high": value,
        "text": f"{q.text} in {times.amount.text}, {value:g} in all",
    }
    return replace(fact, amount=q.model_copy(update=update), per="", derived=True, whole=True)


_BEGINS = re.compile(
    r"\b(?:starts?|begins?|commences?|kicks? off|opens?|launch\w*|from)\b", re.IGNORECASE
)
_ENDS = re.compile(
    r"\b(?:ends?|finish\w*|complet\w*|due|deliver\w*|final|closes?|conclud\w*|until|till|submitted|last)\b",
    re.I,
)


def _durations(stated: Sequence[Fact]) -> Iterator[Fact]:
    """The time from the date on which work begins to that on which it ends, in one or two sentences."""
    dates = [f for f in stated if f.amount.noun == DATE and f.polarity == "affirmed"]
    for one, after in pairwise(dates):
        near = after.amount.start - one.amount.end <= 2 * _REACH
        begins = _BEGINS.search(one.before) and not _ENDS.search(one.before)
        ends = _ENDS.search(f"{after.before[-_GAP:]} {after.after[:_GAP]}")
        if near and begins and ends and (one.amount.low or 0) < (after.amount.low or 0):
            update = {
                "comparison": "between",
                "high": after.amount.high,
                "text": f"{one.amount.text} to {after.amount.text}",
                "end": one.amount.end,
            }
            clause = f"{one.clause} {after.clause}"
            yield replace(
                one, amount=one.amount.model_copy(update=update), clause=clause, derived=True
            )


# --- Tables

_TOTAL = re.compile(r"\W*(?:grand\s+|overall\s+)?(?:total|sum|overall|all)\b", re.IGNORECASE)
_PARTIAL = re.compile(r"\bsub-?\s?total", re.IGNORECASE)
_NO_SUM = re.compile(
    r"\b(?:per|each|unit|rate|price|mean|average|median|years?|months?|weeks?|dates?|days?|start|end|age|id|no|number"
    r"|options?|scenarios?|alternatives?|share|score|visits?)\b|%",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"[*_]*\s*(?:[A-Z]{3}\s|[£$€¥])?\s?\d[\d.,'’ \u00a0]*\s?(?:[kKM]|[A-Z]{3}|[£$€])?\s*[*_]*"
)
_UNIT = re.compile(r"\(([^)]+)\)")


def _columns(text: str, told: Sequence[Sentence]) -> Iterator[Fact]:
    """What each column of a table says in each row, and in all."""
    starts = [s.start for s in told]
    for table in document(text).tables:
        places = [bisect_right(starts, row.start) - 1 for row in table.rows]
        rows = [told[n] for n in places if n >= 0]
        if len(rows) != len(table.rows) or not rows or any(r.aside for r in rows):
            continue
        context = f"{table.heading} {table.caption}"
        for column, title in enumerate(table.head):
            cells = [r.cells[column] if column < len(r.cells) else None for r in table.rows]
            figures = [_figure(cell, title, context) for cell in cells]
            known = [
                (q, row, block.cells[0].text)
                for q, row, block in zip(figures, rows, table.rows, strict=True)
                if q
            ]
            if column:
                yield from _column(known, table.head[0], summed=not _NO_SUM.search(f"{title} {table.head[0]}"),
                                   full=len(known) == len(rows))  # fmt: skip


def _column(
    known: Sequence[tuple[Quantity, Sentence, str]], each: str, *, summed: bool, full: bool
) -> Iterator[Fact]:
    """The figures of a column as parts, and their total, as told or as added up."""
    alike = len({(q.unit, q.noun) for q, *_ in known}) == 1
    total: Fact | None = None
    for q, row, label in known:
        if _TOTAL.match(label) and not _PARTIAL.search(label):
            total = Fact(q, row, "affirmed", row.text, whole=True)
        elif not _PARTIAL.search(label):
            yield Fact(q, row, "affirmed", row.text, per=each.lower() or "row", part=True)
    if total:
        yield total
    elif summed and full and alike and len(known) > 1:
        parts = [q for q, _, label in known if not _PARTIAL.search(label)]
        value, last = sum(q.low or 0 for q in parts), known[-1]
        unit = last[0].unit or last[0].noun
        update = {"low": value, "high": value, "text": f"a table that adds up to {value:g} {unit}"}
        yield Fact(
            last[0].model_copy(update=update),
            last[1],
            "affirmed",
            last[1].text,
            derived=True,
            whole=True,
        )


def _figure(cell: Cell | None, title: str, context: str) -> Quantity | None:
    """The figure in a cell, with the unit or the noun that the cell, its column or the table names."""
    if cell is None or not _FIGURE.fullmatch(cell.text):
        return None
    bare = cell.text.strip("*_ ")
    units = [named[1] for said in (title, context) if (named := _UNIT.search(said))]
    for unit in ("", *units, title.strip("*_ ")):
        found = quantities(f"{bare} {unit}".strip())
        if len(found) == 1 and (found[0].unit or found[0].noun) and found[0].low is not None:
            return found[0].model_copy(update={"start": cell.start, "end": cell.end})
    return None


def reported(fact: Fact) -> bool:
    """Whether a fact is what a source says, what something depends on, or part of a trial run."""
    around = f"{fact.before}{fact.amount.text}{fact.after}"
    cited = _SOURCE.search(fact.sentence.text) and not cued("own", fact.sentence.text)
    return bool(
        cited
        or _GATE.search(fact.before)
        or cued("preliminary", around)
        or _KEPT_OUT.search(around)
    )


_SOURCE = re.compile(r"\[E\d+\]")
_GATE = re.compile(
    r"\b(?:unless|if|with fewer than|with less than|pilot|feasibility)\b[^,;]*$", re.IGNORECASE
)
_KEPT_OUT = re.compile(
    r"\b(?:whose|who|which|that|with|anyone|those)\b[^.;]*\b(?:are|is|will be)\s(?:also\s)?"
    r"(?:replaced|excluded|removed|dropped|discarded|left out|turned away|not\s\w+ed|ineligible|not\seligible)\b",
    re.IGNORECASE,
)
