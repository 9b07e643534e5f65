"""The effects that a text names, by measure, and what about them tells the test: `data/reading/effects.yaml`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property

from core.values import Frozen
from dr_rd.files import read_yaml
from dr_rd.reading.amounts import Amount, amounts
from dr_rd.study.effects import Bound, Effect, Measure

_REACH = 80
"""Characters before a figure within which the name of its measure stands."""


class Named(Frozen):
    """A measure by its names."""

    measure: Measure
    name: str
    of: tuple[str, ...]
    most: float


class Vocabulary(Frozen):
    """The data file."""

    named: tuple[Named, ...]
    explains: str
    worded: tuple[tuple[str, float], ...]
    deviations: str
    falls: str
    rises: str
    changes: str
    by: str
    not_effects: str
    margin: str
    sought: str
    lost: str
    treatment: str
    variation: str
    reference: str
    present: str
    paired: str
    items: str
    clusters: str
    groups: str
    holders: str
    slope: str
    rates: str
    others: str
    expected: str

    @cached_property
    def patterns(self) -> Mapping[str, re.Pattern[str]]:
        """The patterns, compiled, by their names."""
        held = {k: v for k, v in self if isinstance(v, str)}
        held |= {n.measure: n.name for n in self.named}
        return {name: re.compile(p, re.IGNORECASE) for name, p in held.items()}

    def says(self, name: str, text: str) -> re.Match[str] | None:
        """Return where *text* says what is called *name*."""
        return self.patterns[name].search(text)


@cache
def vocabulary() -> Vocabulary:
    """Read the data file."""
    return Vocabulary.model_validate(read_yaml("reading", "effects.yaml"))


def is_of_others(amount: Amount) -> bool:
    """Whether a figure of the background is what somebody else found, and not what is expected here."""
    told, words = amount.fact.sentence.text, vocabulary()
    past = amount.segment.kind == "background" and words.says("others", told)
    return bool(past and not words.says("expected", told))


def effects_and_places(text: str) -> tuple[tuple[Effect, Amount | None], ...]:
    """Return the effects that *text* names, each with its amount; None of one that is in words."""
    found = list(_found(text))
    best = dict.fromkeys(
        (e, a)
        for e, a in sorted(found, key=lambda held: _rank(held[1]))
        if not _repeats(e, [o for o, _ in found])
    )
    return tuple(best)


_ORDER = {"criterion": 0, "objective": 1}


def _rank(amount: Amount | None) -> int:
    return 0 if amount is None else _ORDER.get(amount.segment.kind, 2)


def _repeats(effect: Effect, all_: Sequence[Effect]) -> bool:
    """Whether it is one figure read twice: "20 % of the variance (eta² of 0.20)"."""
    same = [e for e in all_ if e.measure == effect.measure and e.value == effect.value]
    return effect is not same[0]


def _found(text: str) -> Iterator[tuple[Effect, Amount | None]]:
    words = vocabulary()
    held = amounts(text)
    for before, amount in zip((None, *held), held, strict=False):
        if amount.segment.kind in ("ban", "exclusion") or is_of_others(amount):
            continue
        lead = _lead(amount, before)
        effect = _share(words, amount, lead) or _named(words, amount, lead)
        if effect and _is_sought(words, effect, amount, lead):
            yield _with_reference(words, effect, amount, held), amount
    for pattern, value in words.worded:
        for match in re.finditer(pattern, text, re.IGNORECASE):
            yield (
                Effect(measure="standardised difference", value=value, quote=match[0]),
                None,
            )


def _lead(amount: Amount, before: Amount | None) -> str:
    """The words of its segment before a figure, from the figure before it on."""
    same = before is not None and before.segment == amount.segment
    cut = before.end - before.segment.start if before is not None and same else 0
    number = re.search(r"[\d.½¼¾]", amount.fact.amount.text)
    own = amount.fact.amount.text[: number.start()] if number else ""
    return f"{amount.before[max(0, cut) :][-_REACH:]}{own}"


def _is_sought(words: Vocabulary, effect: Effect, amount: Amount, lead: str) -> bool:
    """Whether an effect is one that the study looks for, and no limit, margin or thing of the past."""
    if effect.bound == "<=" and effect.measure not in _RATIOS and effect.value > 0:
        return False
    treatment = words.says("treatment", lead) and re.search(r"\bon\b", amount.after)
    if treatment or words.says("margin", lead):
        return False
    itself = effect.measure in ("area", "reliability") and words.says("reference", amount.after)
    if itself and effect.bound == "=":
        return False  # "an area of 0.74 is the one to beat"
    told = amount.segment.kind in _ORDER or effect.bound != "="
    return told or bool(words.says("sought", amount.fact.sentence.text))


_RATIOS = ("odds ratio", "risk ratio", "rate ratio", "hazard ratio")


def _named(words: Vocabulary, amount: Amount, lead: str) -> Effect | None:
    """The effect by the name of its measure before the figure, or right behind it."""
    q = amount.fact.amount
    value = q.low if q.low is not None else q.high
    tail = _tail(amount)
    if value is None or re.search(r"\bSDs?\b|standard deviations?", lead[-60:]):
        return None
    if words.patterns["deviations"].match(tail) and not re.search(r"[zZ]-?scores?", lead):
        return _effect("standardised difference", value, amount)
    for held in words.named:
        by_name = _stands_by(words.patterns[held.measure], lead, tail)
        figure = value / 100 if amount.kind == "share" else value
        if amount.kind in held.of and by_name and 0 < abs(figure) <= held.most:
            return _effect(held.measure, figure, amount)
    if amount.kind in ("count", "bare") and 0.5 < value <= 1 and _is_agreement(amount, lead):
        return _effect("reliability", value, amount)
    return None


def _stands_by(name: re.Pattern[str], lead: str, tail: str) -> bool:
    """Whether a measure's name is the figure's own: the last before it in its clause, or right behind it."""
    clause = lead[lead.rfind(";") + 1 :]
    ends = [m.end() for m in name.finditer(clause)]
    near = bool(ends) and len(clause) - ends[-1] <= _NEAR
    return near or name.match(tail.lstrip(" (,")) is not None


_NEAR = 60


def _is_agreement(amount: Amount, lead: str) -> bool:
    """Whether an intraclass correlation is what is to be shown; of clusters it is far smaller."""
    return bool(re.search(r"\bICC\b|intra-?class correlation", lead, re.IGNORECASE)) and (
        amount.fact.amount.comparison in ("at_least", "more_than")
    )


def _share(words: Vocabulary, amount: Amount, lead: str) -> Effect | None:
    """A share that is a change by it, in points or in percent, or explained variance."""
    q = amount.fact.amount
    value, tail = q.low if q.low is not None else q.high, _tail(amount)
    if amount.kind not in ("share", "count") or value is None or value <= 0:
        return None
    points = (
        re.match(r"\W{0,2}(?:percentage )?points?\b", tail) if amount.kind == "share" else None
    )
    if amount.kind == "count":
        if not re.search(_OF_SHARES, amount.fact.sentence.text, re.IGNORECASE):
            return None
        points = re.match(r"\W{0,2}(?:percentage )?points?$", q.noun.lower()) or re.match(
            r"\W{0,2}(?:percentage )?points?\b", tail
        )
        if not points:
            return None
    if words.says("not_effects", lead) or words.patterns["lost"].match(tail):
        return None
    if words.patterns["explains"].match(tail):
        return _effect("explained variance", value / 100, amount)
    sign = _direction(words, lead, tail[points.end() :] if points else tail)
    if sign is None:
        return None
    measure: Measure = "percentage points" if points else "percent change"
    return _effect(measure, sign * value / 100, amount)


_OF_SHARES = (
    r"\b(?:accuracy|rates?|shares?|proportions?|percent\w*|recall|precision|F1|prevalence)\b|%"
)
"""What is counted in points of a percentage, and not in those of a scale."""


def _direction(words: Vocabulary, lead: str, tail: str) -> int | None:
    """Which way a change of so much goes: 1, -1, None where no change is spoken of."""
    close = " ".join(re.findall(r"[\w'’-]+|[,;:.()]", tail)[:3])
    for name, sign in (("falls", -1), ("rises", 1), ("changes", 1)):
        if words.patterns[name].match(close) and not _PLACED.match(close):
            return sign
    clause = re.split(r"[,;:]|\b(?:adding|with|using)\b", _BOUNDED.sub("", lead))[-1]
    hits = [(m.end(), s) for n, s in (("falls", -1), ("rises", 1), ("changes", 1))
            for m in words.patterns[n].finditer(clause)]  # fmt: skip
    if hits and words.says("by", clause):
        return max(hits)[1]
    return None


_PLACED = re.compile(r"above|below|over|up\b|down\b|beat|exceed", re.IGNORECASE)
"""What follows a share that says where something stands, and no change unless a verb before it does."""

_BOUNDED = re.compile(r"(?:more|less|fewer|higher|lower|greater) than\s*$", re.IGNORECASE)
"""How a bound is said with a word of change."""


def _tail(amount: Amount) -> str:
    """The words from the end of the figure and its unit on."""
    q = amount.fact.amount
    number = re.search(
        r"[\d.,½¼¾]+(?:\s?(?:%|per ?cent\b|percent\b|percentage (?=points)))?", q.text
    )
    return f"{q.text[number.end() :] if number else ''}{amount.after}".lstrip()


def _effect(measure: Measure, value: float, amount: Amount) -> Effect:
    q = amount.fact.amount
    bounds: Mapping[str, Bound] = {
        "at_least": ">=", "more_than": ">=", "at_most": "<=", "less_than": "<=",
    }  # fmt: skip
    unit = ""
    if measure == "difference":
        unit = _unit(amount)
    return Effect(
        measure=measure,
        value=round(value, 6),
        bound=bounds.get(q.comparison, "="),
        unit=unit,
        quote=" ".join(amount.segment.text.split())[:200],
    )


def _unit(amount: Amount) -> str:
    """The unit of a difference as it is written: "ml/kg/min", "GMFM points"."""
    q = amount.fact.amount
    number = re.search(r"[\d.,½¼¾]+", q.text)
    own = q.text[number.end() :].strip() if number else ""
    more = re.match(r"/\w+", amount.after)
    return f"{own if q.unit or amount.fact.named else ''}{more[0] if more and own else ''}"


def _with_reference(
    words: Vocabulary, effect: Effect, amount: Amount, held: Sequence[Amount]
) -> Effect:
    """The effect with the value that it is to be told from, of an area or a reliability."""
    if effect.measure not in ("area", "reliability"):
        return effect
    for other in held:
        low = other.fact.amount.low
        if other.segment != amount.segment or other is amount or low is None or not 0 < low < 1:
            continue
        if words.says("reference", other.before[-40:]) or words.says("reference", other.after):
            return effect.model_copy(update={"reference": low})
    return effect
