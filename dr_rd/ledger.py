"""The brief's limits as numbered items, each with a checkable form where there is one."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from core.values import Frozen
from dr_rd.brief import Brief
from dr_rd.hours import clocks
from dr_rd.prose import lexicon, stem
from dr_rd.quantity import DATE, TIME_UNITS, YEAR, Comparison, Quantity, is_money, quantities

Kind = Literal["constraint", "criterion", "ban"]


Span = tuple[float | None, float | None, str]
"""From, to, and the unit."""


class Limit(Frozen):
    """A bound on something counted or measured."""

    type: Literal["limit"] = "limit"
    quantity: Quantity
    scope: str = ""
    """What the bound holds for each of, such as "group"; "" for the whole."""
    known: tuple[Span, ...] = ()
    """Figures of the brief's own objective: they are of what is studied."""


class Prohibition(Frozen):
    """Things that must not be part of the work."""

    type: Literal["prohibition"] = "prohibition"
    what: str
    terms: tuple[str, ...]
    """The forbidden things, each on its own enough for a violation."""
    where: str = ""
    """What narrows them, such as "during practice trials"; "" where nothing does."""
    source: bool = False
    """Whether *where* says what they come from, so that taking that in may be taking them in."""
    excepted: str = ""
    """The one of the things that may be; "" where none may."""
    lacking: str = ""
    """What lets it pass where it is there: "without a check by a reader"; "" where nothing does."""
    known: tuple[str, ...] = ()
    """Those of its words that the brief itself plans with, so that they tell little."""
    settled: tuple[str, ...] = ()
    """Those of them that stand in more than a direction, which may yet be left."""


class Exclusive(Frozen):
    """One thing and no other of its kind."""

    type: Literal["exclusive"] = "exclusive"
    only: str
    """What is to be used."""
    against: tuple[str, ...] = ()
    """What is not to be used: named in the text, or an opposite in the lexicon."""
    where: str = ""
    """Words that must stand near for it to count; "" where naming it is enough."""
    near: bool = False
    """Whether those words must stand near without exception."""
    known: tuple[str, ...] = ()
    """Those of the words against it that the brief itself plans with."""
    settled: tuple[str, ...] = ()
    """Those of them that stand in more than a direction, which may yet be left."""


class Requirement(Frozen):
    """Something that must be part of the work."""

    type: Literal["requirement"] = "requirement"
    terms: tuple[str, ...]
    """The content words, in order."""
    told: tuple[str, ...] = ()
    """Those of them that the brief's objective does not say anyway."""
    examples: tuple[str, ...] = ()
    """What the item names as an example of what it asks for; any of them will do."""


class Period(Frozen):
    """Calendar years that the work must cover or stay within."""

    type: Literal["period"] = "period"
    first: int
    last: int


Check = Annotated[
    Limit | Prohibition | Exclusive | Requirement | Period, Field(discriminator="type")
]


class LedgerItem(Frozen):
    """One constraint, criterion or ban."""

    id: str
    """"C01" for the first constraint, "S01" for the first criterion, "B01" for the first ban."""
    kind: Kind
    text: str
    """The analyst's words, unchanged."""
    checks: tuple[Check, ...] = ()
    reason: str = ""
    """Why there is no checkable form; "" where there is one."""

    @property
    def checkable(self) -> bool:
        """Whether code can tell that a text breaks it."""
        return bool(self.checks)


class Ledger(Frozen):
    """All items of a brief."""

    items: tuple[LedgerItem, ...] = ()
    objective: str = ""
    """The brief's; saying it again keeps none of them."""

    def item(self, item_id: str) -> LedgerItem:
        """Return the item with that id."""
        return next(i for i in self.items if i.id == item_id)


def build_ledger(brief: Brief) -> Ledger:
    """Number the limits of *brief*: constraints C01…, criteria S01…, bans B01…."""
    groups: tuple[tuple[str, Kind, tuple[str, ...]], ...] = (
        ("C", "constraint", (*brief.hard_constraints, *_extra(brief))),
        ("S", "criterion", brief.success_criteria),
        ("B", "ban", brief.banned_moves),
    )
    settled, asked = _settled(brief), _spans(brief.objective)
    said = _meanings((brief.objective,))
    planned = settled | _meanings(brief.plausible_directions)
    return Ledger(
        objective=brief.objective,
        items=tuple(
            _told_apart(_item(f"{letter}{n:02}", kind, text), planned, settled, said, asked)
            for letter, kind, texts in groups
            for n, text in enumerate(texts, 1)
        ),
    )


def _settled(brief: Brief) -> frozenset[str]:
    """The words that the brief itself plans with: what they name is no sign of a breach."""
    asked = [s for c in brief.hard_constraints for s in _segments(c) if not _NOT.match(s)]
    return _meanings((brief.objective, *brief.success_criteria, *asked))


def _meanings(texts: Iterable[str]) -> frozenset[str]:
    words = (w for text in texts for w in lexicon().words(text, together=False))
    return frozenset(m for w in words for m in w.meanings if not lexicon().is_sign(w, m))


def _spans(objective: str) -> tuple[Span, ...]:
    return tuple((q.low, q.high, q.unit) for q in quantities(objective))


def _told_apart(
    item: LedgerItem,
    planned: frozenset[str],
    settled: frozenset[str],
    said: frozenset[str],
    asked: tuple[Span, ...],
) -> LedgerItem:
    """Mark in each check the words and figures that the brief itself plans with."""
    checks = (
        c.model_copy(update={"known": asked})
        if isinstance(c, Limit)
        else _marked(c, planned, settled, said, item.text)
        for c in item.checks
    )
    return item.model_copy(update={"checks": tuple(checks)})


def _marked(
    found: Check, planned: frozenset[str], settled: frozenset[str], said: frozenset[str], text: str
) -> Check:
    if isinstance(found, Requirement):
        told = tuple(t for t in found.terms if t not in said and t not in lexicon().sampled)
        return found.model_copy(update={"told": told, "examples": _exemplified(text)})
    if isinstance(found, Prohibition):
        phrases = (*found.terms, found.where)
    elif isinstance(found, Exclusive):
        phrases = (*found.against, "" if found.near else found.where)
    else:
        return found
    units = (u for phrase in phrases for u in lexicon().units(phrase, generic=True))
    known = tuple(dict.fromkeys(u for u in units if u in planned))
    firm = tuple(u for u in known if u in settled)
    return found.model_copy(update={"known": known, "settled": firm})


def _exemplified(text: str) -> tuple[str, ...]:
    """The things that stand in brackets as examples: "(e.g., XLM-R)", "(TaqMan or equivalent)"."""
    found: list[str] = []
    for match in _PARENTHESIS.finditer(text):
        if _EXAMPLES.match(match[1]) or re.search(r"\bor\b", match[1]):
            parts = _OR.split(_EXAMPLES.sub("", match[1]))
            found += [" ".join(lexicon().units(p)) for p in parts if _telling(p)]
    return tuple(f for f in found if f)


def _extra(brief: Brief) -> tuple[str, ...]:
    """The budget and the deadline, as constraints, unless a constraint says the same."""
    stated = [(q.unit, q.low, q.high) for text in brief.hard_constraints for q in quantities(text)]
    found = []
    for text, word in ((brief.budget, "budget"), (brief.deadline, "deadline")):
        same = [q for q in quantities(text) if any(_same(q, s) for s in stated)]
        if text.strip() and not same:
            named = word in text.lower()
            found.append(text if named else f"{word}: {text}")
    return tuple(found)


def _ceiling(text: str) -> tuple[Check, ...]:
    """The one bound of a budget or a deadline that is given as a figure alone."""
    plain = re.fullmatch(r"\s*(?:budget|deadline)\s*:\s*(.+)", text, re.IGNORECASE | re.DOTALL)
    found = quantities(text) if plain else ()
    if len(found) != 1 or not found[0].unit or found[0].high is None:
        return ()
    return (Limit(quantity=found[0].model_copy(update={"comparison": "at_most", "low": None})),)


def _same(quantity: Quantity, stated: tuple[str, float | None, float | None]) -> bool:
    unit, *bounds = stated
    return quantity.unit == unit and (quantity.high or quantity.low) in bounds


def _item(item_id: str, kind: Kind, text: str) -> LedgerItem:
    checks = _ban(text) if kind == "ban" else _ceiling(text) or _limits_of(text, kind)
    reason = "" if checks else "it names nothing that code can look for"
    return LedgerItem(id=item_id, kind=kind, text=text, checks=checks, reason=reason)


_AGES = re.compile(
    r"\b(?:people|adults|adolescents|children|workers|persons|participants|minors)\s*$"
)
_PARENTHESIS = re.compile(r"\(([^()]*)\)")
_EXAMPLES = re.compile(r"(?:\be\.g\.|\bsuch as|\bincluding|\bfor example),?\s*", re.IGNORECASE)
_OR = re.compile(r"\s*(?:,\s*(?:and|or)\b|,|\bor\b)\s*", re.IGNORECASE)
_EXCEPTED = re.compile(r"\b(?:other than|except|besides|apart from)\b", re.IGNORECASE)
_SCOPE = re.compile(
    r"\b(?:per|(?:in|for|from|within|of)\s+each(?:\s+of)?)\s+(?:the\s+)?(\w[\w -]*)"
)
_OWNER = re.compile(r"\b([a-z]+s)\s(?:must|should|shall|may)\s(?:have|hold|contain)\s$", re.I)
"""What is said to have so many: "schools must have at least 20 teachers"."""
_SEGMENT = re.compile(r"\s*(?:[;,]|\bbut\b)\s*")
_NOT = re.compile(
    r"^(?:(?:must|may|should|do|does)\s+not\s+(?:be\s+)?|no(?:t)?\s+(?:use\s+of\s+)?|without\s+|never\s+"
    r"|avoid\s+|cannot\s+)(?!more|fewer|less|later|longer|earlier|exceed|only)",
    re.IGNORECASE,
)
_INNER_NOT = re.compile(
    r"\s+(?:with\s+no|without|(?:must|may|will|shall|is|are|do|does)\s+not|cannot|never)"
    r"\s+(?!exceed|more|fewer|less|later|longer|earlier|only)",
    re.I,
)
_BARRED = re.compile(
    r"([^,;]+?)\s(?:(?:must|may|should|will|shall|is|are|do|does)\snot|cannot|never)\s", re.I
)
_ONLY = re.compile(r"\b(?:only|exclusively|solely|restricted to|limited to|must)\b", re.IGNORECASE)


def _ban(text: str) -> tuple[Check, ...]:
    """What a banned move forbids: a bound passed, or things taken in."""
    limits = tuple(Limit(quantity=_about(q, text)) for q in map(_turned, quantities(text)) if q)
    return limits or tuple(_prohibitions(text))


def _about(quantity: Quantity, text: str) -> Quantity:
    """Name what a measured bound is about: the banned phrase before it."""
    if not quantity.unit or quantity.noun == "age":
        return quantity
    words = lexicon()
    before = [u for u in words.units(text[: quantity.start]) if u not in words.stretching]
    return quantity.model_copy(update={"noun": " ".join([*before, quantity.noun]).strip()})


def _turned(quantity: Quantity) -> Quantity | None:
    """The bound that a ban sets: "more than 3" is banned, so at most 3 is allowed."""
    low, high = quantity.low, quantity.high
    if quantity.text.lower().endswith("single") or " single " in quantity.text.lower():
        return None
    if quantity.text.lower().startswith(("a ", "an ", "the ")) and low and low > 1:
        return _bounded(quantity, "at_most", high=low - 1)
    if quantity.comparison == "more_than":
        return _bounded(quantity, "at_most", high=low)
    if quantity.comparison == "less_than":
        return _bounded(quantity, "at_least", low=high)
    return None


def _bounded(
    quantity: Quantity,
    comparison: Comparison,
    low: float | None = None,
    high: float | None = None,
) -> Quantity:
    aged = not quantity.unit and _AGES.search(quantity.noun.lower())
    update = {"unit": "year", "noun": "age"} if aged else {}
    return quantity.model_copy(
        update={"comparison": comparison, "low": low, "high": high, **update}
    )


def _prohibitions(text: str) -> Iterator[Prohibition]:
    """Cut a forbidden phrase into things, each with what narrows it."""
    if spared := _SPARED.fullmatch(text.strip()):
        thing = _bare(spared[1]).strip()
        if _telling(thing) and _telling(spared[2]):
            yield Prohibition(what=text, terms=(thing,), excepted=spared[2])
            return
    body, examples = _examples(_PARENTHESIS.sub(_kept_examples, text))
    parts = _parts(body) + [(example, "") for example in examples]
    narrowed: dict[str, list[str]] = {}
    for thing, where in parts:
        narrowed.setdefault(where, []).append(thing)
    for where, things in narrowed.items():
        place = where if _telling(where) else ""
        terms = tuple(
            t for t in things if _telling(t) or (place and lexicon().units(t) and not _bland(t))
        )
        if not terms and place:  # "data on ethnicity" is ethnicity
            terms, place = (place,), ""
        if terms and not _EXCEPTED.search(where):
            source = bool(place) and bool(re.search(rf"\bfrom\s+{re.escape(place)}", text))
            source = source and not all(_DONE_TO.fullmatch(t) for t in terms)
            lacking = _WITHOUT.search(text)
            yield Prohibition(what=text, terms=terms, where=place, source=source,
                              lacking=lacking[1] if lacking else "")  # fmt: skip


_DONE_TO = re.compile(r"(?:be\s)?\w+ed")
"""What is done to a thing, and no thing: "moved"."""
_WITHOUT = re.compile(r"\bwithout\s+(?:an?\s|the\s|any\s)?([^,;]+)", re.IGNORECASE)


def _parts(body: str) -> list[tuple[str, str]]:
    """Things and what narrows them; one phrase of place may narrow several things."""
    bare = _joined(_whole_of(_bare(body)))
    things, where = _placed(bare)
    if where and not _OR.search(things):
        return [(things, where)]
    parts = [_placed(_bare(part)) for part in _shared(_OR.split(bare))]
    last = parts[-1][1] if _telling(parts[-1][1]) else ""
    return [(thing, where or last) for thing, where in parts]


def _whole_of(phrase: str) -> str:
    """What an "analysis of" or a "provision of" is of."""
    found = re.fullmatch(r"(?:an?\s|the\s)?(\w+)\s(?:of|on)\s(.+)", phrase)
    empty = found and stem(found[1]) in lexicon().generic | lexicon().including
    return found[2] if found and empty else phrase


def _joined(phrase: str) -> str:
    """What is combined with another thing, and that thing, as one."""
    words = phrase.split()
    if not words or stem(words[0]) not in lexicon().joining:
        return phrase
    return re.sub(r"\s(?:with|and|into|to)\s", " ", " ".join(words[1:]))


_SPARED = re.compile(
    r"(?:any\s+)?([\w\s-]+?)\s+(?:other than|except(?: for)?|besides|apart from)\s+([\w\s-]+)",
    re.IGNORECASE,
)
_BLAND = frozenset(
    {"data", "information", "record", "records", "details", "measurement", "measurements"}
)


def _bland(phrase: str) -> bool:
    """Whether *phrase* says only that something is known, not of what."""
    return phrase.strip().lower() in _BLAND


def _telling(phrase: str) -> bool:
    """Whether *phrase* names something in particular."""
    words = lexicon()
    units = {u for u in words.units(phrase) if not u[0].isdigit()}
    return bool(units - words.generic - words.sampled)


def _shared(parts: list[str]) -> list[str]:
    """Give what stands once but holds for all: a verb, or "ESG" in "ESG rating or score"."""
    first, last = parts[0].split(), parts[-1]
    thing = _placed(last)[0]
    words = lexicon()
    known = words.units(thing, generic=True) != (stem(thing),) or thing.isupper()
    verb = stem(thing) in words.including | words.stretching
    alone = len(parts) > 1 and re.fullmatch(r"\w+", thing) and len(first) > 1
    if alone and not (known or verb or stem(first[-1]) in words.generic):
        parts = [*parts[:-1], " ".join([*first[:-1], last])]
    return _shared_verb(parts)


def _shared_verb(parts: list[str]) -> list[str]:
    """Give a verb that matters, such as vary, to each of the things that follow it."""
    words = lexicon()
    first = parts[0].split()
    if not first or stem(first[0]) not in words.acting:
        return parts
    return [parts[0], *(f"{first[0]} {p}" if len(p.split()) < 4 else p for p in parts[1:])]


def _bare(part: str) -> str:
    """A part without the verb that only says that it is taken in."""
    tokens = part.split()
    if tokens and stem(tokens[0]) in lexicon().stretching:
        return re.sub(r"^.*?\bto\s+(?:include\s+)?", "", part, count=1)
    if tokens and stem(tokens[0]) in lexicon().including:
        return re.sub(r"^(?:for|of|to)\s+", "", " ".join(tokens[1:]))
    return part


def _kept_examples(match: re.Match[str]) -> str:
    return f" {match[1]}" if _EXAMPLES.match(match[1]) else ""


def _examples(text: str) -> tuple[str, tuple[str, ...]]:
    """Part a phrase from the examples that it gives."""
    if not (found := _EXAMPLES.search(text)):
        return text, ()
    listed = text[found.end() :]
    return text[: found.start()], tuple(_cut(t) for t in _OR.split(listed) if t)


def _cut(example: str) -> str:
    """An example without what follows it: "GQ-CNN as the base policy" is GQ-CNN."""
    return re.split(r"\s(?:as|to|for|instead)\s", example)[0]


def _placed(body: str) -> tuple[str, str]:
    """Part the things from the phrase that narrows them; a phrase of reason is dropped."""
    words = body.split()
    for n, word in enumerate(words):
        if word.lower() == "to" and n and stem(words[n - 1]) in lexicon().relational:
            continue
        if n and word.lower() in lexicon().reasons:
            return " ".join(words[:n]), ""
        if n and word.lower() in lexicon().places:
            if word.lower() == "beyond":
                return " ".join(words[:n]), ""
            rest = re.split(r"\b(?:to|as|for|instead|rather)\b", " ".join(words[n + 1 :]))[0]
            return " ".join(words[:n]), rest.strip()
    return body, ""


def _limits_of(text: str, kind: Kind) -> tuple[Check, ...]:
    """What a constraint or a criterion asks for and rules out."""
    if turned := _kept_out(text):
        return turned
    bounds = tuple(_bounds(text, kind))
    checks: list[Check] = [*bounds]
    asked: list[str] = []
    for segment in _segments(_unqualified(text, bounds)):
        if negated := _NOT.match(segment):
            contrast = segment.lower().startswith("not ")
            checks += _ruled_out(segment[negated.end() :], asked, contrast=contrast)
        else:
            asked.append(segment)
    barred = _BARRED.match(text)
    if barred and checks and not isinstance(checks[-1], Limit | Period):
        asked = []  # "the window must not overlap" asks for nothing but what it rules out
        checks = [_done_to(c, barred[1]) for c in checks]
    checks += _opposed(asked) or ([] if bounds else _alone(text))
    if required := _required(asked, bounds):
        checks.append(required)
    return tuple(checks)


def _kept_out(text: str) -> tuple[Check, ...]:
    """The bound that lets nobody in: of "no patient under 50 years", at least 50 years."""
    if not re.match(r"no\s", text, re.IGNORECASE):
        return ()
    said = [q for q in quantities(text) if q.start]
    return tuple(Limit(quantity=_about(q, text)) for q in map(_turned, said) if q)


def _unqualified(text: str, bounds: Iterable[Check]) -> str:
    """Drop what says which of the counted things are meant: "6 corridors without a lane"."""
    for bound in bounds:
        end = bound.quantity.end if isinstance(bound, Limit) else len(text)
        found = re.compile(r"\s(?:without|with\sno)\s[^,;]+").match(text, end)
        text = text[:end] + text[found.end() :] if found else text
    return text


def _done_to(found: Check, subject: str) -> Check:
    """Say to what it is that something must not be done, where only the doing is named."""
    if not isinstance(found, Prohibition) or found.where:
        return found
    alone = all(_DONE_TO.fullmatch(t) for t in found.terms)
    return found.model_copy(update={"where": subject}) if alone else found


def _segments(text: str) -> list[str]:
    """The parts of *text* that affirm, and the parts that deny."""
    spread = _INNER_NOT.sub("; no ", _PARENTHESIS.sub("", text))
    found: list[str] = []
    for sentence in re.split(r"\s*;\s*", spread):
        joined: list[str] = []
        for part in filter(None, _SEGMENT.split(sentence.strip())):
            if joined and not _NOT.match(part) and not part.lower().startswith("only "):
                joined[-1] += f", {part}"
            else:
                joined.append(part)
        found += joined
    return found


def _bounds(text: str, kind: Kind) -> list[Limit | Period]:
    found: list[Limit | Period] = [
        Limit(quantity=q) for q in clocks(text) if q.comparison == "between"
    ]
    for q in quantities(_PARENTHESIS.sub(_blanked_examples, text)):
        if q.noun == YEAR:
            if q.comparison == "between" and q.low and q.high:
                found.append(Period(first=int(q.low), last=int(q.high)))
        elif _binding(q := _timed(q, text, kind), kind):
            scope = _SCOPE.search(text, q.end) or _OWNER.search(text, 0, q.start)
            found.append(Limit(quantity=q, scope=scope[1] if scope else ""))
    return found


_UNTIL = re.compile(
    r"\b(?P<most>by|until|till|through|due(?: on| by)?|no later than|not later than|at the latest(?: on| by)?)\s$"
    r"|\b(?P<least>from|since|no earlier than|not earlier than|not before|starting(?: on)?)\s$"
    r"|\b(?P<below>before)\s$|\b(?P<above>after)\s$",
    re.IGNORECASE,
)


def _timed(q: Quantity, text: str, kind: Kind) -> Quantity:
    """Give the bound of a date, "by 30 June", or of a demanded length of time, "for 52 weeks"."""
    left = text[: q.start]
    if q.comparison != "stated" or kind == "criterion":
        return q
    if q.noun == DATE and (said := _UNTIL.search(left)):
        low, high = q.low, q.high
        if said["most"] or said["below"]:
            return _set(q, "at_most" if said["most"] else "less_than", None, high)
        return _set(q, "at_least" if said["least"] else "more_than", low, None)
    if q.unit and not is_money(q.unit) and re.search(r"\bat\s$", left) and not _or(text, q):
        return _set(q, "exactly", q.low, q.high)
    if q.unit in TIME_UNITS and re.search(r"\bfor\s$", left):
        return _set(q, "at_least", q.low, None)
    return q


def _or(text: str, q: Quantity) -> bool:
    """Whether another value follows: "at 15-minute or hourly resolution"."""
    return bool(re.match(r"\s*or\b", text[q.end :]))


def _set(q: Quantity, comparison: Comparison, low: float | None, high: float | None) -> Quantity:
    return q.model_copy(update={"comparison": comparison, "low": low, "high": high})


def _blanked_examples(match: re.Match[str]) -> str:
    return " " * len(match[0]) if _EXAMPLES.search(match[0]) else match[0]


def _binding(q: Quantity, kind: Kind) -> bool:
    """Whether a quantity bounds the work; a criterion's figures are results, not bounds."""
    if q.text.lower() in ("a single", "exactly one", "at least one") and not q.noun:
        return False
    if kind == "criterion" or not (q.noun or q.unit):
        return False
    money = is_money(q.unit)
    single = q.text.lower().startswith("a single")
    return (q.comparison != "stated" or money) and not single


def _ruled_out(phrase: str, asked: list[str], *, contrast: bool) -> list[Check]:
    found = list(_prohibitions(phrase))
    if not asked or not (contrast or _ONLY.search(asked[-1])):
        return [*found]
    subject = re.split(r"\b(?:must|is|are|be|by|using|restricted|limited)\b", asked[-1])[0]
    return [
        Exclusive(
            only=asked[-1],
            against=p.terms,
            where=p.where or ("" if _specific(p.terms) else subject.strip()),
        )
        for p in found
    ]


def _specific(terms: tuple[str, ...]) -> bool:
    return all(len(lexicon().units(t)) > 1 or "-" in t for t in terms)


def _opposed(asked: list[str]) -> list[Check]:
    """What the lexicon knows as the opposite of something asked for."""
    text = ", ".join(asked)
    words = lexicon()
    meanings = frozenset[str]().union(*(w.meanings for w in words.words(text)))
    found: list[Check] = []
    for pair in words.opposites:
        if one := next((p for p in pair["one"] if p in meanings), ""):
            where = "" if pair["how"] == "design" else _without(text, one)
            found.append(
                Exclusive(only=one, against=tuple(pair["other"]), where=where, near=bool(where))
            )
    return found


_ALONE = re.compile(
    r"(?:must\s+)?(?:use\s+)?(?:only\s+|exclusively\s+|solely\s+)([\w\s-]+)"
    r"|(?:must\s+)?(?:use\s+)?([\w\s-]+?)\s+(?:only|exclusively|solely)",
    re.IGNORECASE,
)


def _alone(text: str) -> list[Check]:
    """What "native speakers only" keeps out: those said not to be such."""
    found = _ALONE.fullmatch(text.strip())
    only = (found[1] or found[2]).strip() if found else ""
    if not only or len(only.split()) > 4 or not _telling(only):
        return []
    return [Exclusive(only=only, against=(f"non-{only}",))]


def _without(text: str, phrase: str) -> str:
    """The telling words of *text* but those of *phrase*."""
    own = set(lexicon().units(phrase, generic=True)) | {phrase}
    return " ".join(u for u in lexicon().units(text) if u not in own)


def _required(asked: list[str], bounds: Sequence[Check]) -> Requirement | None:
    """The content words asked for, unless the bounds say them all."""
    text = ", ".join(asked)
    words = lexicon().units(text)
    counted = " ".join(b.quantity.noun for b in bounds if isinstance(b, Limit))
    left = [w for w in words if w not in lexicon().units(counted, generic=True)]
    told = tuple(w for w in words if not w[0].isdigit())
    if len(told) < 2:
        told = tuple(w for w in lexicon().units(text, generic=True) if not w[0].isdigit())
    if bounds and len([w for w in left if not w[0].isdigit()]) <= 2:
        return None
    return Requirement(terms=told) if told else None
