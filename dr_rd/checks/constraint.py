"""The brief's limits read into items."""

import re
from collections.abc import Iterable, Sequence

from dr_rd.brief import Brief
from dr_rd.checks.bounds import (
    about,
    bounds_of,
    clearance,
    kept_clear,
    kept_out,
    measures,
    only_one,
    thresholds,
    turned,
)
from dr_rd.checks.denials import left_out, written_out
from dr_rd.checks.items import (
    NOTHING,
    Check,
    Exclusive,
    Kind,
    Ledger,
    LedgerItem,
    Limit,
    Period,
    Prohibition,
    Requirement,
    Span,
)
from dr_rd.checks.phrases import DONE_TO, EXAMPLES, OR, PARENTHESIS, prohibitions, telling
from dr_rd.checks.rows import several
from dr_rd.checks.segments import BANNED, REFUSING, segments
from dr_rd.checks.terms import with_terms
from dr_rd.checks.terse import coinless, dayless, whole, yearless
from dr_rd.markup import unmarked
from dr_rd.quantity import Quantity, is_money, quantities
from dr_rd.text import lexicon, read


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
    items = (
        _told_apart(_item(f"{letter}{n:02}", kind, text), planned, settled, said, asked)
        for letter, kind, texts in groups
        for n, text in enumerate(texts, 1)
    )
    return Ledger(objective=brief.objective, items=tuple(with_terms(items, brief)))


def _settled(brief: Brief) -> frozenset[str]:
    """The words that the brief itself plans with: what they name is no sign of a breach."""
    limits = map(written_out, brief.hard_constraints)
    asked = [s for text in limits for s in segments(text) if not REFUSING.match(s)]
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
    for match in PARENTHESIS.finditer(text):
        if EXAMPLES.match(match[1]) or re.search(r"\bor\b", match[1]):
            parts = OR.split(EXAMPLES.sub("", match[1]))
            found += [" ".join(lexicon().units(p)) for p in parts if telling(p)]
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


def _same(quantity: Quantity, stated: tuple[str, float | None, float | None]) -> bool:
    unit, *bounds = stated
    return quantity.unit == unit and (quantity.high or quantity.low) in bounds


def _item(item_id: str, kind: Kind, text: str) -> LedgerItem:
    said = written_out(unmarked(text)).strip().removesuffix(".")
    if kind == "constraint" and (lacking := _lacking(said)):
        checks = _bracketed(said)
        return LedgerItem(
            id=item_id, kind=kind, text=text, checks=checks, reason="" if checks else lacking
        )
    terse = (whole(said) or several(said)) if kind == "constraint" else ()
    checks = _ban(said) if kind == "ban" else terse or _limits_of(said, kind)
    checks = _without_prices(_kept_clear(checks, said), said)
    reason = "" if checks else NOTHING
    return LedgerItem(id=item_id, kind=kind, text=text, checks=checks, reason=reason)


def _bracketed(text: str) -> tuple[Check, ...]:
    """What a limit says in brackets of what it lacks outside: "by the end of Q3 (26 weeks)"."""
    return next((found for m in PARENTHESIS.finditer(text) if (found := whole(m[1]))), ())


def _kept_clear(checks: Sequence[Check], text: str) -> tuple[Check, ...]:
    """Say of what is ruled out how long it must be kept from; that length bounds nothing else."""
    clear = clearance(text)
    if not clear or not any(isinstance(c, Prohibition) for c in checks):
        return tuple(checks)
    others = (c for c in checks if not (isinstance(c, Limit) and c.quantity.start == clear.start))
    return tuple(
        c.model_copy(update={"clear": clear}) if isinstance(c, Prohibition) else c for c in others
    )


def _lacking(text: str) -> str:
    """Why a figure can be held against nothing, and what to write; "" where it lacks nothing."""
    if coinless(text):
        return _COINLESS
    if dayless(text):
        return _DAYLESS
    return _YEARLESS if yearless(text) else ""


_COINLESS = "its sum has no currency: write, for instance, “40,000 EUR”"
_DAYLESS = "its date names no last day: write one, for instance, “30 June 2027”"
_YEARLESS = "its date has no year: write the year, for instance, “June 2027”"
_BARRED = re.compile(
    r"([^,;]+?)\s(?:(?:must|may|should|will|shall|is|are|do|does)\snot|cannot|never)\s", re.I
)

_ONLY = re.compile(r"\b(?:only|exclusively|solely|restricted to|limited to|must)\b", re.IGNORECASE)


def _ban(text: str) -> tuple[Check, ...]:
    """What a banned move forbids: a bound passed, or things taken in; "don't use" is the use.

    Where it forbids leaving something out, it asks for that.
    """
    text = BANNED.sub("", text)
    if (thing := left_out(text)) and not quantities(thing):
        demand = _required([thing], ())
        return (demand,) if demand else ()
    limits = tuple(
        Limit(quantity=about(q, text)) for q in (turned(q, text) for q in quantities(text)) if q
    )
    return limits or tuple(prohibitions(text))


_NEVER_WITHOUT = re.compile(
    r"(?:no|exclud\w+)\s[^,;]+?\s(?:without|lacking|(?:who|that|which)\s(?:(?:do|does|did|can|could|have|has)\s?not|lack))\s([^,;]+)",
    re.IGNORECASE,
)
"""Two negations that make a demand: "no interview without consent", "exclude those who cannot read"."""


def _limits_of(text: str, kind: Kind) -> tuple[Check, ...]:
    """What a constraint or a criterion asks for and rules out."""
    if (never := _NEVER_WITHOUT.fullmatch(text.strip())) and (demand := _required([never[1]], ())):
        return (demand,)
    if out := kept_out(text):
        return out
    bounds = tuple(bounds_of(text, kind))
    checks: list[Check] = [*bounds]
    asked: list[str] = []
    for segment in segments(_unqualified(text, bounds)):
        if negated := REFUSING.match(segment):
            refused, contrast = segment[negated.end() :], segment.lower().startswith("not ")
            if thing := left_out(refused):
                asked.append(thing)
            elif not (bounds and _passed(refused)):
                checks += _ruled_out(refused, asked, contrast=contrast)
        else:
            asked.append(segment)
    barred = _BARRED.match(text)
    if barred and checks and not isinstance(checks[-1], Limit | Period):
        asked = []  # "the window must not overlap" asks for nothing but what it rules out
        checks = [_done_to(c, barred[1]) for c in checks]
    checks += _opposed(asked) or ([] if bounds else _alone(text))
    if required := _required(asked, bounds):
        said = ", ".join(asked)
        figures = measures(said, bounds)
        wanted = thresholds(said) if kind == "criterion" else ()
        update = {"figures": figures, "thresholds": wanted}
        checks.append(required.model_copy(update=update))
    checks += kept_clear(text)
    checks += only_one(text) if kind == "constraint" else []
    return tuple(dict.fromkeys(checks))


_OF_WHICH = re.compile(r"\bof which\W*$", re.IGNORECASE)


def _without_prices(found: tuple[Check, ...], text: str) -> tuple[Check, ...]:
    """Drop the sums that a budget's line names for one thing: "40,000 EUR in all; blankets cost 14 EUR each"."""
    sums = [c for c in found if isinstance(c, Limit) and is_money(c.quantity.unit)]
    if len(sums) <= 1:
        return found
    prices = {f.amount.start for f in read(text).facts if f.is_price and not f.derived}
    apart = [
        c for c in sums if c.quantity.start in prices or _OF_WHICH.search(text[: c.quantity.start])
    ]
    return found if len(apart) == len(sums) else tuple(c for c in found if c not in apart)


def _passed(refused: str) -> bool:
    """Whether what is refused is only to pass a bound: "recruit more than 5 sites"."""
    return any(q.comparison in ("more_than", "less_than") for q in quantities(refused))


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
    alone = all(DONE_TO.fullmatch(t) for t in found.terms)
    bound = all(re.fullmatch(r"[\w-]+", t) for t in found.terms)
    update = {"where": subject, "bound": bound and not alone}
    return found.model_copy(update=update) if alone or bound else found


def _ruled_out(phrase: str, asked: list[str], *, contrast: bool) -> list[Check]:
    found = list(prohibitions(phrase))
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
    if not only or len(only.split()) > 4 or not telling(only):
        return []
    return [Exclusive(only=only, against=(f"non-{only}",))]


def _without(text: str, phrase: str) -> str:
    """The telling words of *text* but those of *phrase*."""
    own = set(lexicon().units(phrase, generic=True)) | {phrase}
    return " ".join(u for u in lexicon().units(text) if u not in own)


def _required(asked: list[str], bounds: Sequence[Check]) -> Requirement | None:
    """The content words asked for, unless the bounds say them all."""
    text = ", ".join(asked)
    for bound in bounds:
        if isinstance(bound, Limit):
            text = text.replace(bound.quantity.text, " ")  # a figure is nothing to be done
    words = lexicon().units(text)
    counted = " ".join(b.quantity.noun for b in bounds if isinstance(b, Limit))
    left = [w for w in words if w not in lexicon().units(counted, generic=True)]
    told = tuple(w for w in words if not w[0].isdigit())
    if len(told) < 2:
        told = tuple(w for w in lexicon().units(text, generic=True) if not w[0].isdigit())
    if bounds and len([w for w in left if not w[0].isdigit()]) <= 2:
        return None
    return Requirement(terms=told) if told else None
