"""The figures for a sample size that a brief states: `data/reading/statistics.yaml`."""

import re
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import Any, NamedTuple

from pydantic import ValidationError

from core.values import Frozen
from dr_rd.files import read_yaml
from dr_rd.quantity import TIME_UNITS
from dr_rd.reading.amounts import Amount
from dr_rd.reading.effects import effects_and_places, is_of_others, vocabulary
from dr_rd.reading.estimator import design_of, in_figures
from dr_rd.reading.prices import is_bounded
from dr_rd.reading.tagged import Tagged
from dr_rd.study.effects import Effect, Measure
from dr_rd.study.statistics import EffectKind, MarginKind, Statistics
from dr_rd.text import plural, stem


class Field(Frozen):
    """What tells one statistic."""

    of: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    share: bool = False
    least: float = 0.0
    most: float = float("inf")

    @cached_property
    def behind(self) -> re.Pattern[str]:
        """What stands before the figure."""
        return re.compile("|".join(self.before), re.IGNORECASE)

    @cached_property
    def ahead(self) -> re.Pattern[str]:
        """What follows it."""
        return re.compile("|".join(self.after), re.IGNORECASE)


class Cues(Frozen):
    """The data file."""

    fields: Mapping[str, Field]
    one_sided: str
    two_sided: str
    context: str
    designs: tuple[tuple[str, str], ...]


class Stated(NamedTuple):
    """The statistics, and the amounts that they come from, by field."""

    statistics: Statistics
    amounts: Mapping[str, Amount]
    effects: tuple[Effect, ...] = ()
    """The one that the size is for first."""

    @property
    def described(self) -> frozenset[Amount]:
        """The amounts that say how things are, or what would matter, and bound nothing."""
        return frozenset(
            amount
            for name, amount in self.amounts.items()
            if name in _DESCRIBES
            if amount.segment.kind != "criterion" and not is_bounded(amount)
        )


_DESCRIBES = (
    "base_rate", "second_rate", "effect", "sd", "variation", "icc", "cluster_size", "loss", "response", "population",
)  # fmt: skip

STATISTIC = "statistic "
"""What the roles of amounts that are statistics begin with."""
STATISTICS = (
    "alpha", "power", "effect", "sd", "base_rate", "second_rate", "margin", "confidence", "icc",
    "cluster_size", "loss", "response", "population",
)  # fmt: skip
"""The statistics that an amount gives."""

_LIKELY = 0.35
"""Probability from which an amount without a known cue is taken for a statistic."""
_REACH = 90
_FOUND = ("base_rate", "second_rate", "effect", "margin")
"""Fields that a study finds; how much units scatter, are alike or are lost is known from others."""
_BARE_FIELDS = ("base_rate", "population")
"""Fields that are also read where a text speaks of no sample size."""


def statistics_of(found: Tagged) -> Stated:
    """Return what the document states for a sample size."""
    text, cues = found.document.text, _cues()
    named = effects_and_places(text)
    likely = _likely(found, cues)
    spoken = bool(re.search(cues.context, text, re.IGNORECASE))
    taken: dict[str, Amount] = {}
    values: dict[str, Any] = {}
    _rates(values, taken, found)
    if not spoken and not likely and not named and not values:
        return Stated(Statistics(), {})
    if named:
        _take_effect(values, taken, *named[0])
    _by_cues(values, taken, found, () if spoken else _WITH_EFFECT if named else ("",))
    for name, amount in likely:
        if name not in values and amount not in taken.values():
            taken[name], values[name] = amount, _stated(name, amount)
    values |= _sides(text, cues) if "alpha" in values else {}
    for name, (value, place) in in_figures(list(found.amounts), taken, values).items():
        values[name], taken[name] = value, place
    values |= _kinds(values, taken, text)
    if share := _present_share(values, taken, found):
        taken["base_rate"], values["base_rate"] = share, _stated("base_rate", share)
    _drop_odd(values, taken, text)
    if not _TELLING & values.keys():
        values, taken = {k: v for k, v in values.items() if k in _BARE_FIELDS[:1]}, {}
    if values:
        laid_out = _without_directions(found)
        within = "sd" in taken and re.search(_OF_PAIRS, taken["sd"].segment.text, re.IGNORECASE)
        cued = _cued(laid_out, cues)
        values["design"] = design_of(values, laid_out, "paired" if within and not cued else cued)
        if values["design"] == "factorial":
            values.pop("groups", None)  # how many settings there are is no number of groups
    return Stated(_checked(values), taken, tuple(e for e, _ in named))


_OF_PAIRS = (
    r"\b(?:deviation|sd|spread|scatter\w*|var(?:y|ies)) (?:of|in|for) (?:the |these |those |such )?(?:[\w-]+ ){0,2}?differences?\b"
    r"|\bwithin[- ](?:\w+[- ])?(?:differences?|changes?)\b|\bdifferences? within\b|\bfrom one (?:\w+ )?to the next in the same\b"
)
"""How a sentence says that its standard deviation is that of the differences within pairs."""


def _without_directions(found: Tagged) -> str:
    """The text with blanks for the directions: of them a plan takes one, with its own layout."""
    text = found.document.text
    for held in found.segments:
        if held.kind == "directions":
            text = f"{text[: held.start]}{' ' * (held.end - held.start)}{text[held.end :]}"
    return text


def _drop_odd(values: dict[str, Any], taken: dict[str, Amount], text: str) -> None:
    """Leave out a margin that is no half-width of a share, and the members of what are no clusters."""
    odd = []
    if values.get("effect_kind") == "proportion difference" and "sd" in values:
        # what scatters by a standard deviation is no share of units, but an outcome in percent
        values |= {"effect": round(100 * values["effect"], 6), "effect_kind": "mean difference"}
    if values.get("margin_kind") == "precision" and "sd" not in values:
        odd += ["margin", "margin_kind"] if not 0 < values["margin"] < _HALF else []
    if "margin" in taken and taken["margin"].fact.amount.unit in _CALENDAR:
        odd += ["margin", "margin_kind"]  # "within 18 months"
    if "icc" not in values and not vocabulary().says("clusters", text):
        odd += ["cluster_size"]
    if values.get("margin_kind") != "precision" and {"effect", "sd", "icc"} & values.keys():
        odd += [
            "population"
        ]  # the units of a comparison are no frame that a share is estimated of
    if values.get("margin_kind") == "precision" and _are_of_others(taken):
        odd += ["base_rate"]  # what one target is expected to be says nothing of another
    for name in odd:
        values.pop(name, None)
        taken.pop(name, None)


def _are_of_others(taken: Mapping[str, Amount]) -> bool:
    """Whether a present share is of other things than the margin is."""
    held = [_things(taken[name]) for name in ("base_rate", "margin") if name in taken]
    return len(held) == _TWO and all(held) and held[0] != held[1]


def _things(amount: Amount) -> str:
    """The stem of what a share is of: "8 % of the bellows", "the share of pipes …, to within 4 points"."""
    after = _OF_THINGS.match(amount.after)
    found = after or next(iter([*_SHARE_OF.finditer(amount.before)][::-1]), None)
    words = re.findall(r"[^\W\d_][\w'-]*", found["what"]) if found else ()
    return next((stem(w) for w in words if plural(w)), "")


_TWO = 2
_OF_THINGS = re.compile(r"\s*of (?P<what>[^,.;:()]{2,60})")
_SHARE_OF = re.compile(
    r"\b(?:share|proportion|percentage|fraction|prevalence) of (?P<what>[^,.;:()]{2,60})",
    re.IGNORECASE,
)
_HALF = 0.5
_CALENDAR = ("day", "week", "month", "year")
"""Times in which work is done, not outcomes told apart."""


def _by_cues(
    values: dict[str, Any], taken: dict[str, Amount], found: Tagged, only: Sequence[str]
) -> None:
    """Read the figures that words about them tell; of all fields, or *only* of some."""
    for name, field in _cues().fields.items():
        if name in values or (only and name not in only):
            continue
        for amount in found.amounts:
            if amount in taken.values() or (name in _FOUND and is_of_others(amount)):
                continue
            value = _value(field, amount, found.document.text)
            if value is not None and not _is_no_cluster(name, amount, values):
                taken[name], values[name] = amount, value
                break


def _cued(text: str, cues: Cues) -> str:
    """The design that a word of the text names outright; "" where none does."""
    flags = re.IGNORECASE | re.DOTALL
    return next((name for name, pattern in cues.designs if re.search(pattern, text, flags)), "")


_TELLING = {
    "power",
    "confidence",
    "alpha",
    "sd",
    "icc",
    "margin",
    "effect",
    "variation",
    "second_rate",
}
"""Figures of which one at least is there where a sample size is spoken of."""

_WITH_EFFECT = ("sd", "icc", "loss", "base_rate", "second_rate", "power", "alpha", "cluster_size")
"""Fields that are read where a text names an effect, though it speaks of no sample size."""

_KIND_OF: Mapping[Measure, EffectKind] = {
    "difference": "mean difference",
    "standardised difference": "standardised",
    "percent change": "percent change",
    "percentage points": "proportion difference",
    "odds ratio": "odds ratio",
    "risk ratio": "risk ratio",
    "rate ratio": "rate ratio",
    "hazard ratio": "hazard ratio",
    "correlation": "correlation",
    "explained variance": "explained variance",
    "cohen's f": "cohen's f",
    "area": "area",
    "reliability": "reliability",
}


def _take_effect(
    values: dict[str, Any], taken: dict[str, Amount], effect: Effect, amount: Amount | None
) -> None:
    """Enter the effect that the size is for."""
    values |= {"effect": effect.value, "effect_kind": _KIND_OF[effect.measure]}
    if effect.reference is not None:
        values["reference"] = effect.reference
    if amount is not None:
        taken["effect"] = amount
        if effect.measure.endswith("ratio") and (per := _per(amount)):
            values["per"] = per


def _per(amount: Amount) -> str:
    """What a ratio is for one more of: "standard deviation", "10 dB"; "" where it is of groups."""
    found = _ONE_MORE.match(f"{amount.fact.amount.text} {amount.after}")
    if not found:
        return ""
    return "standard deviation" if _DEVIATION.match(found["what"]) else found["what"].strip()


_ONE_MORE = re.compile(
    r"[^,;.]*?\d[\d.,]*[^,;.]{0,25}? (?:per|for (?:each|every|one)) (?P<what>(?:\d[\d.]* ?)?[\w/-]+(?: deviation)?)",
    re.IGNORECASE,
)
_DEVIATION = re.compile(r"(?:1 |one )?(?:standard deviation|SD)$", re.IGNORECASE)


def _is_no_cluster(name: str, amount: Amount, values: Mapping[str, Any] | None = None) -> bool:
    """Whether a number of members is a pace, or of groups themselves: "two classes per school".

    Where the *values* have an intracluster correlation, those that come in a month are members.
    """
    if name != "cluster_size":
        return False
    noun, per = amount.fact.amount.noun.lower(), amount.fact.per
    in_time = per in TIME_UNITS and not (per in _PERIODS and "icc" in (values or {}))
    return in_time or vocabulary().says("holders", noun) is not None


_PERIODS = ("week", "month", "quarter", "year")
"""Times after which clusters may change over."""


def _likely(found: Tagged, cues: Cues) -> list[tuple[str, Amount]]:
    """The amounts that are statistics by their weights, the surest first."""
    held = [
        (chances[STATISTIC + name], name, amount)
        for amount, chances in found.amounts.items()
        if amount.kind not in ("date", "year", "money")
        for name in STATISTICS
        if not (name in _FOUND and is_of_others(amount))
        if chances.get(STATISTIC + name, 0) >= _LIKELY and _can_be(name, cues, amount)
    ]
    return [(name, amount) for _, name, amount in sorted(held, key=lambda h: -h[0])]


def _can_be(name: str, cues: Cues, amount: Amount) -> bool:
    """Whether a figure is of the kind and within the bounds of a statistic."""
    field = cues.fields[name]
    value = _stated(name, amount)
    bounded = not field.share or field.least <= value <= min(field.most, 1.0)
    return amount.kind in field.of and bounded and not _is_no_cluster(name, amount)


def _stated(name: str, amount: Amount) -> float:
    """The figure, of a share as a fraction where the statistic is one."""
    q = amount.fact.amount
    value = abs(q.low if q.low is not None else q.high or 0)
    share = amount.kind == "share" and name not in ("effect", "margin")
    return round(value / 100 if share else value, 6)


def _value(field: Field, amount: Amount, text: str) -> float | None:
    if amount.kind not in field.of:
        return None
    q = amount.fact.amount
    low = q.low if q.low is not None else q.high
    if low is None or (field.share and not re.search(r"[\d%]", q.text)):
        return None  # "two-sided" tells no rate
    low = abs(low)
    begin = max(amount.fact.sentence.start, amount.start - _REACH)
    number = re.search(r"[\d.½¼¾]", q.text)
    lead = text[begin : amount.start] + (q.text[: number.start()] if number else "")
    tail = text[amount.end : amount.end + _REACH]
    noun = q.text[q.text.find(q.noun) :] if q.noun and q.noun in q.text else ""
    tail = f" {noun}{tail}" if noun else tail
    if not (field.behind.search(lead) or field.ahead.match(tail)):
        return None
    if field.share and amount.kind != "share" and vocabulary().says("rates", tail[:_REACH]):
        return None  # "4 injuries per 200,000 hours" is no share
    if field.share and amount.kind == "count" and low > 1 and not field.ahead.match(f" {q.noun}"):
        return None  # "23 authorities" are no share either
    value = low / 100 if field.share and (amount.kind == "share" or low > 1) else low
    if field.share and not field.least <= value <= min(field.most, 1.0):
        return None
    return round(value, 6) if field.least <= value <= field.most else None


def _sides(text: str, cues: Cues) -> dict[str, Any]:
    one, two = (bool(re.search(p, text, re.IGNORECASE)) for p in (cues.one_sided, cues.two_sided))
    return {"sides": 1 if one else 2} if one != two else {}


def _rates(values: dict[str, Any], taken: dict[str, Amount], found: Tagged) -> None:
    """Read "from 12 % to 7 %" as a rate and the one to be told from it."""
    held = [a for a in found.amounts if not is_of_others(a)]
    for amount, following in zip(held, [*held[1:], None], strict=False):
        q = amount.fact.amount
        if amount.kind != "share" or "base_rate" in values or not _CHANGES.search(amount.before):
            continue
        if q.low is not None and q.high is not None and q.low != q.high:
            values |= {"base_rate": q.low / 100, "second_rate": q.high / 100}
        elif following and following.kind == "share" and following.segment == amount.segment:
            second, between = (
                following.fact.amount.low,
                amount.after[: following.start - amount.end],
            )
            if (
                q.low is None
                or second is None
                or not re.fullmatch(r"\W*(?:down |up )?to\W*", between)
            ):
                continue
            values |= {"base_rate": q.low / 100, "second_rate": second / 100}
            taken["second_rate"] = following
        else:
            continue
        taken["base_rate"] = amount


def _present_share(
    values: Mapping[str, Any], taken: Mapping[str, Amount], found: Tagged
) -> Amount | None:
    """The one share that a text tells of units beside a difference of shares, which is that of today."""
    if values.get("effect_kind") != "proportion difference" or "base_rate" in values:
        return None
    words = vocabulary()
    held = [
        a
        for a in found.amounts
        if a.kind == "share" and a not in taken.values() and not is_of_others(a)
        if a.segment.kind in _TELLS_TODAY and a.fact.amount.comparison in ("stated", "about")
        if _OF_UNITS.match(a.after) and not words.says("not_effects", a.before)
    ]
    return held[0] if len(held) == 1 and 0 < (held[0].fact.amount.low or 0) < _WHOLE else None


_WHOLE = 100
_TELLS_TODAY = ("background", "sample", "objective", "method", "")
_OF_UNITS = re.compile(
    r"\s(?:of\s(?:the\s|our\s|all\s)?(?:\w+\s){1,3}(?:is|are|have|has|do|does|turn|come|get|go|need|reach)\b)"
)


_CHANGES = re.compile(r"\b(?:from|rise|fall|drop|lift)\s*(?:about|some)?\s*$")


def _kinds(values: dict[str, Any], taken: dict[str, Amount], text: str) -> dict[str, Any]:
    """What sort of effect and margin are stated."""
    out: dict[str, Any] = {}
    if "effect" in values and "effect_kind" not in values:
        out["effect_kind"] = _effect_kind(taken["effect"])
        if taken["effect"].kind == "share" and values["effect"] > 1:
            values["effect"] = round(values["effect"] / 100, 6)
    if "margin" in values:
        share = taken["margin"].kind == "share" or re.search(
            r"^\s*(?:percentage )?points", taken["margin"].fact.amount.noun + taken["margin"].after
        )
        if share and values["margin"] > 0 and "sd" not in values:  # else the outcome is in percent
            values["margin"] = round(values["margin"] / 100, 6)
        out["margin_kind"] = _margin_kind(taken["margin"], text)
    return out


def _margin_kind(margin: Amount, text: str) -> MarginKind:
    """What a margin is of, by the words that lead to it before the whole *text*."""
    own = f"{margin.before[-_LEAD:]}{margin.fact.amount.text}"
    if re.search(_PRECISE, own, re.IGNORECASE) and not re.search(_WORSE, own, re.IGNORECASE):
        return "precision"
    if re.search(_WORSE, text, re.IGNORECASE):
        return "non-inferiority"
    return "equivalence" if re.search(r"\bequivalen\w+", text, re.IGNORECASE) else "precision"


_LEAD = 40
_PRECISE = r"±|\+/-|\bplus or minus\b|\bprecision\b|\bhalf-?width\b|\bconfidence interval\b|\beither (?:way|side)\b"
"""How a sentence says that its margin is how exact an estimate is to be."""

_WORSE = (
    r"non-?inferior\w*|\bworse\b|\bwould (?:already )?be too (?:much|many|little|few|long|late)\b"
)
"""How a text says that what is tried may lose a little, and no more."""


def _effect_kind(amount: Amount) -> EffectKind:
    lead = f"{amount.before[-40:]}{amount.fact.amount.text}"
    tail = f"{amount.fact.amount.text} {amount.after[:30]}"
    if re.search(r"hazard ratio|\bHR\b", lead):
        return "hazard ratio"
    if re.search(r"\br\s?=|correlation", lead):
        return "correlation"
    if re.search(r"\b(?:d|dz|f|g)\s?(?:=|of|≈)", lead) or re.search(
        r"standard deviation|desviaciones típicas|Standardabweichung|écarts", tail
    ):
        return "standardised"
    if re.search(r"odds ratio|\bratio\b", lead):
        return "ratio"
    return "proportion difference" if amount.kind == "share" else "mean difference"


def _checked(values: dict[str, Any]) -> Statistics:
    """The statistics, without figures that cannot be meant."""
    while True:
        try:
            return Statistics(**values)
        except ValidationError as wrong:
            fields: Sequence[Any] = [e["loc"][0] for e in wrong.errors()]
            values = {k: v for k, v in values.items() if k not in fields}


@cache
def _cues() -> Cues:
    return Cues.model_validate(read_yaml("reading", "statistics.yaml"))
