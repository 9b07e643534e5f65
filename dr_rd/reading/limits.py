"""Constraints, criteria and bans, in the brief's words, and what looks like one and is not understood."""

import re
from bisect import bisect_left
from collections.abc import Container, Iterator
from typing import Literal, NamedTuple

from dr_rd.quantity import is_money
from dr_rd.reading.amounts import Amount
from dr_rd.reading.clauses import DEMANDING, NEGATIVE, Clause
from dr_rd.reading.labels import label_kind
from dr_rd.reading.people import is_of_person
from dr_rd.reading.prices import is_bounded, is_for_one
from dr_rd.reading.tagged import Chances, Tagged, iso_day
from dr_rd.reading.terms import last_day, opens
from dr_rd.study.values import Bound, Comparison, Limit, Unread

_BAN = 0.4
_FLAT = 0.2
"""The same of a clause that begins with its negation: "do not", "never"."""
_AMOUNT = 0.25
_DEMAND = 0.33
_MAYBE = 0.2
"""Probability from which a clause that says how it is meant is shown as not understood."""

_TYPES: dict[str, Literal["count", "money", "time", "measure", "share"]] = {
    "money": "money", "date": "time", "time": "time", "share": "share", "age": "measure",
    "measure": "measure", "count": "count", "bare": "count",
}  # fmt: skip
_TIME_LIMIT = ("date", "time")
_LISTED = ("constraint", "criterion", "ban", "exclusion")
"""Labels under which every item is a limit."""


_NEGATIVE = re.compile(
    r"(?:please\s+)?(?:do not|don['’]t|never|no|not|nothing|nobody|none|without|avoid|kein\w*|nicht|niemals|aucun\w*|pas d|jamais|ning\w+|nunca|不得|禁止|严禁|不可|不能)(?!\w)",
    re.IGNORECASE,
)


class Found(NamedTuple):
    """A limit and where it stands in the document."""

    limit: Limit
    start: int
    end: int


def limits_of(
    found: Tagged,
    *,
    budget: Amount | None,
    deadline: Amount | None,
    apart: Container[Amount] = (),
) -> list[Found]:
    """Return the limits in the order of the text.

    *budget* and *deadline* are some by themselves; those *apart*, such as when the work starts, are none.
    """
    out: list[Found] = []
    merged = ""
    for clause, chances in found.clauses.items():
        if _is_key(clause):
            continue
        key = _merge_key(clause)
        made = list(_of_clause(found, clause, chances, (budget, deadline), apart))
        if made and key and key == merged and made[0].limit.role == "ban":
            out[-1] = _joined(found, out[-1], made[0])
            continue
        merged = key if made and made[-1].limit.role == "ban" else ""
        out += made
    return out


def _is_key(clause: Clause) -> bool:
    """Whether it is the first cell of a row, which says what the others are: "Not allowed"."""
    segment = clause.segment
    return segment.form == "row" and segment.nth == 0 and bool(label_kind(segment.text))


def _merge_key(clause: Clause) -> str:
    """What tells clauses of one list of exclusions, which are one ban."""
    segment = clause.segment
    own = _NEGATIVE.match(clause.text)  # "no bleach, no spraying": each is one
    return f"{segment.start}" if segment.kind in ("exclusion", "ban") and not own else ""


def _joined(found: Tagged, one: Found, more: Found) -> Found:
    quote = found.document.quote(one.start, more.end)
    return Found(one.limit.model_copy(update={"quote": quote}), one.start, more.end)


def _of_clause(
    found: Tagged,
    clause: Clause,
    chances: Chances,
    owed: tuple[Amount | None, ...],
    apart: Container[Amount],
) -> Iterator[Found]:
    asked = _ASKS_WRITER.search(clause.text) and not any(a in owed for a in clause.amounts)
    if clause.segment.kind == "directions" or asked or _is_aside(clause):
        return
    if not _is_item(clause) and _tells(clause):
        return
    if clause.segment.kind == "background" and not _binds(clause):
        return
    bound = [
        a for a in clause.amounts if a in owed or (a not in apart and _limits(found, clause, a))
    ]
    if is_of_person(clause.segment):
        yield from (_bounded(found, clause, a) for a in bound if a in owed or _binds_work(a))
        return
    most = max((found.amounts[a]["limit"] for a in bound), default=0.0)
    ban = chances["ban"] >= (
        _FLAT if _NEGATIVE.match(clause.text) else _BAN
    ) or clause.segment.kind in ("ban", "exclusion")
    if ban and not any(a in owed for a in bound) and (chances["ban"] >= most or not bound):
        if _is_affirmed(clause):
            yield _plain(found, clause, "constraint", "requirement")
        else:
            yield _plain(found, clause, "ban", "prohibition")
    elif bound:
        yield from (_bounded(found, clause, a) for a in bound)
    elif _says_by_itself(clause) and (
        max(chances["constraint"], chances["criterion"]) >= _DEMAND or _listed(clause, chances)
    ):
        role: Literal["constraint", "criterion"] = (
            "criterion" if chances["criterion"] > chances["constraint"] else "constraint"
        )
        if clause.segment.kind == "criterion":
            role = "criterion"
        yield _plain(found, clause, role, "requirement")


_ASKS_WRITER = re.compile(
    r"\b(?:send|mail|e-?mail|forward) (?:me|us)\b|\b(?:let me know|call me|get back to me)\b",
    re.IGNORECASE,
)
"""What whoever wrote the letter wants of whoever reads it, not of the work."""


def _is_affirmed(clause: Clause) -> bool:
    """Whether a clause among bans that deny by themselves says what must be: "and the path stays open"."""
    denied = any(_NEGATIVE.match(c.strip()) for c in clause.segment.text.split(","))
    said = clause.nth and _STAYS.search(clause.text) and not NEGATIVE.search(clause.text)
    return bool(denied and said)


_STAYS = re.compile(r"\b(?:stays?|remains?|(?:is|are) (?:kept|left)|must)\b", re.IGNORECASE)


def _is_rest(clause: Clause) -> bool:
    """Whether it is what else a list of nouns has: "for bags, lids and the help"."""
    short = clause.nth > 0 and len(clause.text.split()) <= _FEW
    said = (
        _BINDS.search(clause.text) or _NEGATIVE.match(clause.text) or DEMANDING.search(clause.text)
    )
    return short and not clause.amounts and not said


_FEW = 5


def _says_by_itself(clause: Clause) -> bool:
    """Whether a clause may be a demand without a figure: one behind another only by a word for it."""
    first = clause.nth == 0 or bool(DEMANDING.search(clause.text))
    return first and " " in clause.text


def _is_item(clause: Clause) -> bool:
    """Whether it is an item or a row under a heading that makes it a limit."""
    return clause.segment.kind in _LISTED and clause.segment.form != "prose"


_BARE_NO = re.compile(
    r"(?:if |yes or )?(?:no|not|never|none)(?:\s(?:an?|one)(?:\ssingle)?\s\w+)?(?:\s(?:before|later|earlier|sooner|longer|more|less|problem|doubt|worries))?\W*$",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:(?:last|previous|past|recent|earlier)\s(?:year|season|month|week|quarter|term|winter|spring|summer|autumn|fall)s?"
    r"|previously|historically|so far|in the past|at present|at the moment|currently|on average|typically|usually)\b",
    re.IGNORECASE,
)
_BINDS = re.compile(
    r"\b(?:must|shall|should|need\w*|only|(?-i:may)|can|cannot|will|not|no|never|at (?:most|least)|than)\b",
    re.IGNORECASE,
)


_REASON = re.compile(
    r"(?:because|since|for the reason|as (?!of\b|long\b|soon\b|from\b|far\b|many\b|much\b))\b",
    re.IGNORECASE,
)
_WOULD_NOT = re.compile(r"\bwould(?:n['’]t|\snot)\b", re.IGNORECASE)
_ASIDE = re.compile(
    r"(?:though|although|whereas|where|which|who(?:se)?)\b"
    r"|(?:and |but |so )?(?:there (?:is|are) )?(?:no|not)\b(?:\s[\w-]+){0,3}?\s(?:need(?:ed)?|necessary|rush|hurry|urgent)\b|not urgent\b",
    re.IGNORECASE,
)
"""How a clause begins that gives a reason, adds to a noun, or says what nobody has to do."""


def _is_aside(clause: Clause) -> bool:
    """Whether a clause only explains the one before it, or says no to nothing: "because he works alone", "no?"."""
    if _BARE_NO.match(clause.text) or _REASON.match(clause.text):
        return True
    if _WOULD_NOT.search(clause.text) and not _OBLIGED.search(clause.text):
        return True
    return bool(_ASIDE.match(clause.text) and not _OBLIGED.search(clause.text))


def _binds(clause: Clause) -> bool:
    """Whether a sentence of the background says what holds for the work and not how things are."""
    return clause.segment.form == "item" or bool(_OUGHT.search(clause.text))


_OUGHT = re.compile(
    r"\b(?:must|shall|should|(?-i:may)|can|cannot|will|needs? to|ha(?:s|ve) to|(?:is|are) (?:not )?to)\b",
    re.IGNORECASE,
)


def _tells(clause: Clause) -> bool:
    """Whether running text only tells how things were: "last year we lost 31 %"."""
    told = _PAST.search(clause.text) or _SINCE.search(clause.text)
    return bool(told) and not _BINDS.search(clause.text)


_SINCE = re.compile(
    r"\b(?:after|since) (?:we|they|I|he|she|it) (?:had |have |has )?\w+ed\b", re.IGNORECASE
)
"""What dates a thing by what has been done already."""


def _limits(found: Tagged, clause: Clause, amount: Amount) -> bool:
    if amount.kind in ("year", "bare") and clause.segment.kind not in ("budget", *_LISTED):
        return False
    if amount.fact.is_price or is_for_one(amount):
        return False
    comparison, *_ = bounds(amount, found.amounts[amount])
    if comparison == "=" and amount.kind in _MEASURED and not _is_item(clause):
        return False
    low = _MAYBE if clause.segment.kind in _LISTED else _AMOUNT
    return found.amounts[amount]["limit"] >= low


def _binds_work(amount: Amount) -> bool:
    """Whether an amount that stands with a person bounds the work: a sum or a number of them."""
    return is_effort(amount) or (amount.kind in ("money", "count") and is_bounded(amount))


_MEASURED = ("measure", "share")
"""Kinds of which a figure that bounds nothing describes: a lens of 20 mm."""


def _listed(clause: Clause, chances: Chances) -> bool:
    """Whether an item stands under a heading that makes it a limit."""
    segment = clause.segment
    listed = segment.kind in ("constraint", "criterion") and segment.form in ("item", "row")
    likely = segment.kind == "criterion" or max(chances.values()) >= _MAYBE / 2
    return listed and clause.nth == 0 and not clause.amounts and likely


def _plain(
    found: Tagged,
    clause: Clause,
    role: Literal["constraint", "criterion", "ban"],
    type: Literal["requirement", "prohibition"],
) -> Found:
    limit = Limit(quote=found.quote(clause), role=role, type=type)
    return Found(limit, clause.start, clause.end)


def _bounded(found: Tagged, clause: Clause, amount: Amount) -> Found:
    chances = found.amounts[amount]
    criterion = chances["limit criterion"] > 0.4 * chances["limit"]
    if clause.segment.kind in ("criterion", "constraint"):
        criterion = clause.segment.kind == "criterion"
    kind = _type(amount, chances)
    comparison, low, high = bounds(amount, chances)
    unit = unit_of(amount)
    if whole := _whole(amount):
        kind, unit = "share", "%"
        low, high = (round(100 * b / whole, 3) if isinstance(b, float) else b for b in (low, high))
    limit = Limit(
        quote=found.quote(clause),
        role="criterion" if criterion and kind != "money" else "constraint",
        type=kind,
        comparison=comparison,
        low=low,
        high=high,
        unit=unit,
    )
    return Found(limit, clause.start, clause.end)


_EFFORT = re.compile(
    r"(?:person|man|staff|consultant|analyst|working|team)[\s-](?:day|week|month|hour)s?$",
    re.IGNORECASE,
)
"""Work as it is bought: "45 person days"."""
_OF_WHOLE = re.compile(r"^\s*(?:out\s)?of(?:\severy)?\s(?P<whole>\d{1,3})\b")


def is_effort(amount: Amount) -> bool:
    """Whether a number counts the days or weeks of work that are bought."""
    return bool(_EFFORT.search(amount.fact.amount.noun))


def _type(
    amount: Amount, chances: Chances
) -> Literal["count", "money", "time", "measure", "share"]:
    """What a limit's figure counts or measures; of a noun without a known unit by what is about it."""
    kind = _TYPES.get(amount.kind, "count")
    if kind != "count":
        return kind
    if is_effort(amount):
        return "time"
    q = amount.fact.amount
    likeliest = max(_UNNAMED, key=lambda t: chances[f"type {t}"])
    if chances[f"type {likeliest}"] > _UNNAMED_LIKELY:
        return likeliest
    whole = all(b is None or float(b).is_integer() for b in (q.low, q.high))
    return "count" if whole else "measure"


_UNNAMED: tuple[Literal["measure", "share", "time"], ...] = ("measure", "share", "time")
_UNNAMED_LIKELY = 0.5


def _whole(amount: Amount) -> float | None:
    """The whole that a criterion says its figure of: "at least 9 of 10 cases"; None where none is."""
    found = _OF_WHOLE.match(amount.after)
    q = amount.fact.amount
    part = q.low if q.low is not None else q.high
    if amount.kind not in ("count", "bare") or not found or part is None:
        return None
    whole = float(found["whole"])
    return whole if 0 < part <= whole and amount.fact.amount.comparison != "stated" else None


def bounds(amount: Amount, chances: Chances) -> tuple[Comparison, Bound, Bound]:
    """Return how a limit's amount bounds, with its lower and upper bound."""
    q = amount.fact.amount
    if q.low is not None and q.high is not None and q.low != q.high:
        if amount.kind == "date" and q.comparison != "between":
            return "<=", None, last_day(amount)
        if amount.kind == "date":
            return "range", iso_day(q.low), iso_day(q.high)
        return "range", q.low, q.high
    sure: dict[str, Comparison] = {
        "at_most": "<=",
        "less_than": "<=",
        "at_least": ">=",
        "more_than": ">=",
    }
    learned: Comparison = max(("<=", ">=", "="), key=lambda c: chances[f"bound {c}"])
    if better := _BETTER.match(amount.after):
        less = bool(_LESS.search(f"{amount.before[-40:]} {q.noun}")) != (better[1] == "worse")
        sure, learned = {}, "<=" if less else ">="
    comparison = sure.get(q.comparison, learned)
    if q.comparison in sure and learned != comparison and chances[f"bound {learned}"] > _TURNED:
        comparison = learned  # "control mortality above 10 % invalidates the run"
    capped = amount.kind in ("money", "date") or is_effort(amount)
    if q.comparison not in sure and capped:
        comparison = ">=" if learned == ">=" and chances["bound >="] > _TURNED else "<="
    value: Bound = q.most
    if amount.kind == "date":
        comparison = ">=" if opens(amount) and comparison == "<=" else comparison
        value = iso_day(q.low) if comparison == ">=" else last_day(amount)
    low = value if comparison in (">=", "=") else None
    return comparison, low, value if comparison in ("<=", "=") else None


_BETTER = re.compile(r"\s*or\s(better|worse)\b")
_LESS = re.compile(
    r"\b(?:errors?|\w*error rate|WER|CER|loss|RMSE|MAE|MAPE|Brier|latency|time|costs?|deviation|perplexity|noise|waste|scrap)\b",
    re.IGNORECASE,
)
"""What is the better the less there is of it."""
_TURNED = 0.6
"""Probability from which the words about a figure outweigh the comparison before it."""


def unit_of(amount: Amount) -> str | None:
    """Return the unit in words."""
    q = amount.fact.amount
    if amount.kind == "date":
        return "date"
    if amount.kind == "age":
        return "years"
    if amount.kind == "share":
        return "%"
    if amount.kind == "time":
        return f"{q.unit}s"
    if is_money(q.unit.split("/")[0]):
        one = amount.fact.per and is_for_one(amount)
        return f"{q.unit} per {amount.fact.per}" if one else q.unit
    return q.unit or q.noun or None


_COMPARED = ("at_most", "less_than", "at_least", "more_than")
_OBLIGED = re.compile(r"\b(?:must|shall|ha(?:s|ve) to|may not|ought to)\b", re.IGNORECASE)
"""Words that make a demand of any clause; one that gave no limit is at least shown."""
_QUIET = ("background", "title", "admin", "directions", "optional", "objective")


def unread_of(
    found: Tagged, used: set[tuple[int, int]], taken: set[Amount]
) -> Iterator[tuple[Unread, Clause]]:
    """Yield the clauses that look like a limit and gave none, each once."""
    reach = [0]
    spans = sorted(used)
    for _, end in spans:
        reach.append(max(reach[-1], end))
    for clause, chances in found.clauses.items():
        before = bisect_left(spans, (clause.end, 0))
        quiet = clause.segment.kind in _QUIET or is_of_person(clause.segment)
        if quiet or reach[before] > clause.start or _is_key(clause):
            continue
        if _BARE_NO.match(clause.text) or _is_rest(clause):
            continue
        compared = [
            a for a in clause.amounts if a.fact.amount.comparison in _COMPARED and a not in taken
        ]
        if compared:
            why = f"what “{compared[0].fact.amount.text}” bounds is not understood"
            yield Unread(quote=found.quote(clause), why=why), clause
        elif max(chances.values()) >= _MAYBE or _OBLIGED.search(clause.text):
            yield (
                Unread(
                    quote=found.quote(clause), why="it may be a limit or only tell how things are"
                ),
                clause,
            )
