"""The question taken apart: what is varied, against what, in whom, measured how, for how long."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

from pydantic import Field

from core.values import Frozen
from dr_rd.brief import Brief
from dr_rd.files import read_yaml
from dr_rd.quantity import Quantity, quantities

_LONGEST = 14
"""Words a slot may have; longer phrases are cut at a comma, a bracket or a preposition."""


_HANDY = 5
"""Words of a phrase that is still said in full each time."""

_LOOSE = "in|for|with|by|from|at|on|over|within|between|enacted|using|under|among|across|that|as"
_TIGHT = "of|to"
"""Where a long phrase may be cut; first at the looser joints."""

_BOUND = re.compile(
    r"\s+(?:with|by|of)\s+(?:(?:fewer|more|less)|(?:at least|at most|more than|less than)?\s*\d\S*%?)$"
)
"""A bound hanging on at the end of a phrase, such as "by at least 10%"."""

_UNDER_STUDY = re.compile(r"(?<=\w)\s+(?:evaluated|tested|studied|analy[sz]ed|sampled|included)$")
"""What is done with the sampled units; it is not part of their name."""

_GROUP = re.compile(r"^(?:treated|untreated|exposed|unexposed|control)\s+")
"""Which group the units belong to; the others are units as well."""

_PER = re.compile(r"\s+per\s+([\w-]+(?:\s+[\w-]+)?)")
"""What a number of units is meant for, such as each temperature."""

_PER_GROUP = re.compile(
    r"^\W*(?:per|in each(?: of)?)\s+(?:[\w-]+\s+){0,4}(?:arm|group|section)s?\b"
)
"""What follows a number that is meant for each of the groups compared."""

_TARGET = re.compile(r"\s+(?:of|by|below|above|under|over)\s+(?:at least|at most|more|less|\d)")
"""Where the figure behind what is to be reached begins."""


class Grammar(Frozen):
    """The patterns an objective is taken apart with; `data/planning/frame.yaml`."""

    leads: tuple[str, ...]
    relations: tuple[str, ...]
    directions: tuple[str, ...]
    makings: tuple[str, ...]
    valued: tuple[str, ...]
    clauses: Mapping[str, tuple[str, ...]]
    design_counts: tuple[str, ...]
    sampled: tuple[str, ...]
    measure_lines: tuple[str, ...]
    source_lines: tuple[str, ...]
    unit_lines: tuple[str, ...]
    horizon_lines: tuple[str, ...] = Field(min_length=1)

    @cached_property
    def lead(self) -> re.Pattern[str]:
        """An opening that only says that something is to be found out."""
        return _pattern(rf"^\s*(?:{'|'.join(self.leads)})\s*")

    @cached_property
    def clause(self) -> re.Pattern[str]:
        """The start of any clause; the group that matched names it."""
        groups = (f"(?P<{name}>{'|'.join(texts)})" for name, texts in self.clauses.items())
        return _pattern(rf"(?<![\w-])(?:{'|'.join(groups)})(?![\w-])")

    @cached_property
    def relation(self) -> re.Pattern[str]:
        """The verb between what is varied and what it does."""
        return _pattern(rf"(?<![\w-])(?:{'|'.join(self.relations)})(?![\w-]| (?:on|in|of)\b)")

    @cached_property
    def making(self) -> re.Pattern[str]:
        """An objective that asks for something to be made."""
        more = (
            r"(?:(?:,\s[\w-]+)*,?\sand\s[\w-]+(?=\s(?:an?|the|its|our)\b))?"  # "and field-test a"
        )
        return _pattern(rf"^\s*(?:to )?(?:{'|'.join(self.makings)}){more}\s+")

    @cached_property
    def value(self) -> re.Pattern[str]:
        """A figure of something, such as the cost of a product; no verb joins the two."""
        return _pattern(rf"^(?:the )?((?:[\w-]+ ){{0,2}}(?:{'|'.join(self.valued)})) of ")

    @cached_property
    def direction(self) -> re.Pattern[str]:
        """Words of direction in front of an outcome."""
        return _pattern(rf"^(?:(?:{'|'.join(self.directions)})\s+)+")


@dataclass(frozen=True, slots=True)
class Frame:
    """What the brief says about each slot; "" where it says nothing."""

    topic: str = ""
    treatment: str = ""
    comparator: str = ""
    outcome: str = ""
    population: str = ""
    unit: str = ""
    units: str = ""
    sample: str = ""
    horizon: str = ""
    measure: str = ""
    artefact: str = ""
    source: str = ""
    count: float | None = None
    """How many sampled units the brief asks for; None if it does not say."""
    months: float | None = None
    """Length of the study period in months; None if the brief does not say."""

    def slots(self) -> dict[str, str]:
        """Slots that the brief fills, by name, in the brief's own words."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {k: v for k, v in values.items() if isinstance(v, str) and v}

    def short(self) -> dict[str, str]:
        """Slots short enough to be said again and again: without what a reader knows by then."""
        found = {k: briefly(v) for k, v in self.slots().items()}
        treatment, outcome = found.get("treatment", ""), found.get("outcome", "")
        return found | ({"topic": f"{treatment} and {outcome}"} if treatment and outcome else {})


def load_grammar() -> Grammar:
    """Read the patterns."""
    return Grammar.model_validate(read_yaml("planning", "frame.yaml"))


_THEN = re.compile(r"\sand\s[\w-]+\s(?:it|them)\b", re.IGNORECASE)
"""What is done with the thing once it is made: "and test it in barns"."""


def frame(brief: Brief, grammar: Grammar) -> Frame:
    """Take the objective and the constraints of *brief* apart."""
    question = _without_lead(brief.objective.strip().rstrip(".?! "), grammar)
    main, clauses = _clauses(question, grammar)
    left, right = _relation(main, grammar)
    made = bool(grammar.making.match(question))
    artefact = _bare(_THEN.split(grammar.making.sub("", question))[0]) if made else ""
    outcome = _phrase(grammar.direction.sub("", right.strip()))
    lines = (*brief.hard_constraints, *brief.success_criteria)
    unit = _sampled(lines, grammar)
    named = _first(grammar.unit_lines, lines)
    units = _GROUP.sub("", _UNDER_STUDY.sub("", unit.noun)) if unit else named and f"{named}s"
    horizon = clauses.get("horizon") or _first(grammar.horizon_lines, lines)
    treatment = _phrase(left) if right and not made else ""
    return Frame(
        topic=_topic(treatment, outcome, artefact) or _phrase(main),
        treatment=treatment,
        comparator=_phrase(_relation(clauses.get("comparator", ""), grammar)[0]),
        outcome=outcome if not made else _phrase(clauses.get("condition", "") or _aim(clauses)),
        population=_phrase(clauses.get("population", "")),
        unit=_singular(units) if units else "",
        units=units,
        sample=_UNDER_STUDY.sub("", _phrase(unit.text)) if unit else "",
        horizon=_phrase(horizon),
        measure=_phrase(clauses.get("measure", "")) or _first(grammar.measure_lines, lines),
        artefact=artefact,
        source=_first(grammar.source_lines, lines) or _phrase(clauses.get("using", "")),
        count=_count(unit, lines) if unit else None,
        months=months_in(horizon),
    )


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


def _without_lead(text: str, grammar: Grammar) -> str:
    while found := grammar.lead.match(text):
        text = text[found.end() :]
    return text


def _clauses(question: str, grammar: Grammar) -> tuple[str, dict[str, str]]:
    """Split *question* at its clauses; the part before the first is the main clause."""
    starts = list(grammar.clause.finditer(question))
    ends = [*(m.start() for m in starts[1:]), len(question)][: len(starts)]
    found: dict[str, str] = {}
    for match, end in zip(starts, ends, strict=True):
        text = question[match.end() : end].strip(" ,;()")
        found.setdefault(str(match.lastgroup), text)
    main = question[: starts[0].start()] if starts else question
    relation = grammar.relation.search(main)
    if relation is None and starts:
        main = _rejoined(question, starts, grammar)
        if starts[0].lastgroup == "measure" and grammar.relation.search(main):
            del found["measure"]  # it says how what is varied is measured, not the outcome
    return main.strip(" ,;"), found


def _rejoined(question: str, starts: list[re.Match[str]], grammar: Grammar) -> str:
    """Main clause of a question whose verb stands behind its first clause.

    "feedback three times instead of once improves scores": what is varied ends at the clause,
    what it does begins at the verb.
    """
    for match in starts:
        rest = question[match.end() :]
        if verb := grammar.relation.search(rest):
            following = next((m.start() for m in starts if m.start() > match.end()), None)
            end = following if following and following > match.end() + verb.end() else None
            return f"{question[: starts[0].start()].strip(' ,')} {question[match.end() + verb.start() : end]}"
    return question[: starts[0].start()]


def _relation(main: str, grammar: Grammar) -> tuple[str, str]:
    if found := grammar.relation.search(main):
        return main[: found.start()], main[found.end() :]
    if found := grammar.value.search(main):
        return main[found.end() :], found[1]
    return main, ""


def _aim(clauses: Mapping[str, str]) -> str:
    """What the thing to be made shall reach, without the figure."""
    return _TARGET.split(clauses.get("target", ""), maxsplit=1)[0]


def _bare(text: str) -> str:
    """Leave article, brackets and everything behind a comma away."""
    text = re.sub(r"\s*\([^)]*\)", "", text).strip(" ,;:.")
    vague = r"(?:\s+(?:specific|given|certain|particular))?"
    text = re.sub(rf"^(?:the|an?|its|their){vague}\s+", "", text, flags=re.IGNORECASE)
    return _lowered(re.split(r"\s*[,;:]\s+", text, maxsplit=1)[0])


def _phrase(text: str) -> str:
    """A bare noun phrase, not longer than a reader can hold."""
    text = re.split(r"\s+(?:that|which|who)\s+", _bare(text), maxsplit=1)[0]
    text = _BOUND.sub("", text)
    words = text.split()
    if len(words) > _LONGEST:
        stop = r"\s+(?:in|for|with|by|from|at|on|to|of|and)\s+"
        text = re.split(stop, " ".join(words[:_LONGEST]), maxsplit=3)[0] or text
    return _lowered(text.strip(" ,;:."))


def briefly(phrase: str) -> str:
    """Cut a long noun phrase to its head: "annealing temperature" without the range."""
    if len(phrase.split()) > _HANDY:
        phrase = re.split(r"\s+(?:that|which)\s+", phrase, maxsplit=1)[0]
    for joints in (_LOOSE, _TIGHT):
        head = re.split(rf"\s+(?:{joints})\s+", phrase, maxsplit=1)[0]
        if len(phrase.split()) > _HANDY and (len(head.split()) >= 2 or head.isupper()):
            return head
    return phrase


def _lowered(text: str) -> str:
    """Lower the first letter of a plain word, not of a name or an abbreviation."""
    first = text.split(" ", 1)[0]
    return text[:1].lower() + text[1:] if first[1:].islower() or len(first) == 1 else text


def _topic(treatment: str, outcome: str, artefact: str) -> str:
    return artefact or (f"{treatment} and {outcome}" if treatment and outcome else treatment)


def _first(patterns: Iterable[str], lines: Iterable[str]) -> str:
    for pattern in patterns:
        for line in lines:
            if found := re.search(pattern, line, re.IGNORECASE):
                return _phrase(found[1])
    return ""


def _sampled(lines: Iterable[str], grammar: Grammar) -> Quantity | None:
    """The count that says how many units are sampled; the first that names a sampled noun."""
    counts = [
        q
        for line in lines
        for q in quantities(line)
        if q.noun
        and not q.unit
        and q.comparison in ("at_least", "exactly", "between", "more_than")
    ]
    several = [q for q in counts if (q.low or q.high or 0) > 1]
    named = [q for q in several if _names(q.noun, grammar.sampled)]
    other = [q for q in several if not _names(q.noun, (*grammar.design_counts, *grammar.sampled))]
    return next(iter([*named, *other]), None)


def _count(unit: Quantity, lines: Sequence[str]) -> float | None:
    """How many units in all: a number per arm or group stands for two of them.

    A number per level, batch or condition is taken as often as the brief counts these.
    """
    each = unit.low or unit.high
    behind = [line.partition(unit.text)[2] for line in lines]
    if each and any(map(_PER_GROUP.match, behind)):
        return 2 * each
    per = next((found[1].lower() for text in behind if (found := _PER.match(text))), "")
    return each * _stated(per.split(), lines) if each and per else each


def _stated(names: Sequence[str], lines: Iterable[str]) -> float:
    """How many of the things so named the brief asks for; 1 where it does not say."""
    found = [q for line in lines for q in quantities(line) if q.noun and not q.unit]
    counts = (
        q.low or q.high or 1 for q in found if _singular(q.noun).lower().split()[-1] in names
    )
    return max(counts, default=1)


def _names(noun: str, words: Iterable[str]) -> bool:
    last = noun.lower().split()[-1]
    return any(last in (w, f"{w}s", f"{w}es") for w in words)


def _singular(noun: str) -> str:
    irregular = {"children": "child", "cities": "city", "studies": "study", "mice": "mouse"}
    *before, last = noun.split()
    if last in irregular:
        last = irregular[last]
    elif last.endswith("ies"):
        last = last[:-3] + "y"
    elif last.endswith(("ches", "shes", "xes", "sses")):
        last = last[:-2]
    elif last.endswith("s") and not last.endswith("ss"):
        last = last[:-1]
    return " ".join([*before, last])


_IN_MONTHS = {
    "year": 12.0, "month": 1.0, "week": 12 / 52, "day": 12 / 365, "term": 3.5, "season": 6.0,
    "semester": 4.5, "hour": 12 / 8760,
}  # fmt: skip
"""Months in a unit; a term, a season and a semester are taken as customary lengths."""


def months_in(text: str) -> float | None:
    """Length of the first period that *text* names, in months; None if it names none."""
    words = "one two three four five six seven eight nine ten eleven twelve".split()
    numbers = {w: float(n) for n, w in enumerate(words, 1)} | {"a": 1.0, "an": 1.0}
    found = re.search(
        rf"(\d+(?:\.\d+)?|\b(?:{'|'.join(numbers)})\b)[ -]?(?:\w+ )?({'|'.join(_IN_MONTHS)})", text
    )
    if not found:
        return None
    return (numbers.get(found[1]) or float(found[1])) * _IN_MONTHS[found[2]]
