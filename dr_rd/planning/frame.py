"""The question taken apart: what is varied, against what, in whom, measured how, for how long."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from dr_rd.brief import Brief
from dr_rd.planning.acts import Act
from dr_rd.planning.grammar import Grammar
from dr_rd.planning.library import Question
from dr_rd.quantity import Quantity, quantities

_LONGEST = 14
"""Words a slot may have; longer phrases are cut at a comma, a bracket or a preposition."""


_HANDY = 5
"""Words of a phrase that is still said in full each time."""

_LOOSE = "in|for|with|by|from|at|on|over|within|between|enacted|using|under|among|across|that|as"
_TIGHT = "of|to"
"""Where a long phrase may be cut; first at the looser joints."""

_BOUND = re.compile(
    r"\s+(?:with|by|of|at)\s+(?:(?:fewer|more|less)|(?:at least|at most|more than|less than)?\s*\d\S*(?:\s?%| per ?cent)?"
    r"|(?:an?|one) (?:half|third|quarter|fifth|tenth)|half|two thirds)$",
    re.IGNORECASE,
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


_NO_SLOTS = ("kind", "telling")


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
    kind: Question | None = None
    """The kind of question, where what is asked for tells it."""
    methods: tuple[str, ...] = ()
    """The methods that answer what is asked for, the best first."""
    telling: str = ""
    """The word that tells them; no slot."""
    count: float | None = None
    """How many sampled units the brief asks for; None if it does not say."""
    months: float | None = None
    """Length of the study period in months; None if the brief does not say."""

    def slots(self) -> dict[str, str]:
        """Slots that the brief fills, by name, in the brief's own words."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in _NO_SLOTS}
        return {k: v for k, v in values.items() if isinstance(v, str) and v}

    def short(self) -> dict[str, str]:
        """Slots short enough to be said again and again: without what a reader knows by then."""
        found = {k: briefly(v) for k, v in self.slots().items()}
        treatment, outcome = found.get("treatment", ""), found.get("outcome", "")
        return found | ({"topic": f"{treatment} and {outcome}"} if treatment and outcome else {})


_THEN = re.compile(r"\sand\s[\w-]+\s(?:it|them)\b|,?\swithout\s", re.IGNORECASE)
"""What is done with the thing once it is made, "and test it in barns", or what is spared."""


def frame(brief: Brief, grammar: Grammar) -> Frame:
    """Take the objective and the constraints of *brief* apart."""
    said = _lowered(brief.objective.strip().rstrip(".?! "))
    asked = _asked(grammar.preamble.sub("", said), grammar)
    lines = (*brief.hard_constraints, *brief.success_criteria)
    unit = _sampled(lines, grammar)
    named = _first(grammar.unit_lines, lines)
    units = _GROUP.sub("", _UNDER_STUDY.sub("", unit.noun)) if unit else named and f"{named}s"
    horizon = asked.horizon or _first(grammar.horizon_lines, lines)
    return replace(
        asked,
        unit=_singular(units) if units else "",
        units=units,
        sample=_UNDER_STUDY.sub("", _lowered(_phrase(unit.text))) if unit else "",
        horizon=_phrase(horizon),
        measure=_phrase(asked.measure) or _first(grammar.measure_lines, lines),
        source=_first(grammar.source_lines, lines) or asked.source,
        count=_count(unit, lines) if unit else None,
        months=months_in(horizon),
    )


def _asked(said: str, grammar: Grammar) -> Frame:
    """What an objective says by itself."""
    return _formed(said, grammar) or _said(said, grammar)


def _said(said: str, grammar: Grammar, *, certain: bool = False) -> Frame:
    """What an objective in no special form says; *certain* where it begins with a verb."""
    question = said if certain else _without_lead(said, grammar)
    main, clauses = _clauses(question, grammar)
    there = Frame(
        comparator=_phrase(_relation(clauses.get("comparator", ""), grammar)[0]),
        population=_ENDS.split(_phrase(clauses.get("population", "")), maxsplit=1)[0],
        horizon=clauses.get("horizon", ""),
        measure=clauses.get("measure", ""),
        source=_phrase(clauses.get("using", "")),
    )
    if artefact := _made(question, question == said, grammar):
        return _making(artefact, clauses, there, grammar)
    act = grammar.acts.act(_head(question, grammar), certain=certain)
    if act and (question == said or not question.lower().startswith(act.verb)):
        return _done(act, there)
    return _related(main, there, grammar)


def _making(artefact: str, clauses: Mapping[str, str], there: Frame, grammar: Grammar) -> Frame:
    """What is to be made, and what it shall reach."""
    noun, things = grammar.made_as(artefact)
    return replace(
        there,
        topic=artefact,
        artefact=artefact,
        outcome=_phrase(clauses.get("condition", "") or _aim(clauses)),
        kind=things.kind if things else "making",
        methods=things.methods if things else (),
        telling=noun,
    )


def _formed(said: str, grammar: Grammar) -> Frame | None:
    """What a question of a known form says: "what drives the dropout of apprentices"."""
    for pattern, form in grammar.questions:
        if found := pattern.match(said):
            slots: dict[str, Any] = {
                k: _phrase(v) for k, v in found.groupdict().items() if v and k != "act"
            }
            act = found["act"] if "act" in pattern.groupindex else ""
            told = _commanded(act, slots, grammar) if act else Frame(**slots)
            return replace(
                told,
                topic=told.topic or form.topic.format_map(slots),
                kind=form.kind or told.kind,
                methods=form.methods or told.methods,
                telling=form.telling or told.telling,
            )
    return None


def _commanded(act: str, slots: Mapping[str, str], grammar: Grammar) -> Frame:
    """What an act says that a form of question holds: "how can bakeries cut their waste"."""
    asked = _said(act, grammar, certain=True)
    return replace(
        asked, population=asked.population or _somebody(slots.get("population", ""), grammar)
    )


def _somebody(who: str, grammar: Grammar) -> str:
    return "" if grammar.nameless.match(who) else who


def _made(question: str, plain: bool, grammar: Grammar) -> str:  # noqa: FBT001 - read once
    """What is to be made; "" where nothing is. A *plain* objective has no opening."""
    if grammar.making.match(question):
        return _bare(_THEN.split(grammar.making.sub("", question))[0])
    thing = grammar.thing.match(question) if plain else None
    if not thing or grammar.acts.act(question):
        return ""
    return _bare(thing[1])


def _head(question: str, grammar: Grammar) -> str:
    """The objective up to its first clause."""
    clause = grammar.clause.search(question)
    return (question[: clause.start()] if clause and clause.start() else question).strip(" ,;")


def _done(act: Act, there: Frame) -> Frame:
    """What is asked for outright: "reduce the energy use of pools"."""
    group = act.group
    return replace(
        there,
        topic=_phrase(act.gerund),
        outcome=_phrase(act.object) if group.outcome else "",
        kind=group.kind,
        methods=group.methods,
        telling=act.verb,
    )


def _related(main: str, there: Frame, grammar: Grammar) -> Frame:
    """What is varied and what it does: "night shifts raise blood pressure"."""
    left, right = _relation(main, grammar)
    outcome = _phrase(grammar.direction.sub("", right.strip()))
    treatment = _named(left, grammar) if right else ""
    spoken = None if right else grammar.subject.match(main)
    if spoken:
        treatment = _named(spoken[1], grammar)
    both = f"{treatment} and {outcome}" if treatment and outcome else treatment
    topic = both or _named(main, grammar)
    noun, things = grammar.made_as(topic) if not right else ("", None)
    valued = grammar.value.search(main)
    return replace(
        there,
        topic=topic,
        treatment=treatment,
        outcome=outcome,
        kind="description" if valued else "effect" if spoken else None,
        methods=_PRICED if valued else things.methods if things else (),
        telling=outcome if valued else noun,
    )


_PRICED = ("techno-economic",)
"""The method for a figure of a thing, such as its cost."""


def _named(text: str, grammar: Grammar) -> str:
    """A noun phrase; "" where *text* begins like none."""
    found = _phrase(_MODAL.sub("", text.strip()))
    return "" if grammar.nameless.match(found) else found


_MODAL = re.compile(
    r"\s(?:can|could|will|would|may|might|should|must|do|does|did)$", re.IGNORECASE
)

_ENDS = re.compile(
    r"\s(?:by\s(?:an?|one|half|\d)|with\san?|to(?!\s\d)|using|from)\b", re.IGNORECASE
)
"""Where those who are studied have been named, and what is done to them begins."""


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
    text = re.sub(
        rf"^(?:the|an?|its|their|our|my|your|some){vague}\s+", "", text, flags=re.IGNORECASE
    )
    text = re.sub(r"\b(?:our|my)\s", "the ", text)
    return re.split(r"\s*[,;:]\s+", text, maxsplit=1)[0]


def _phrase(text: str) -> str:
    """A bare noun phrase, not longer than a reader can hold."""
    text = re.split(r"\s+(?:that|which|who)\s+", _bare(text), maxsplit=1)[0]
    text = _BOUND.sub("", text)
    words = text.split()
    if len(words) > _LONGEST:
        stop = r"\s+(?:in|for|with|by|from|at|on|to|of|and)\s+"
        text = re.split(stop, " ".join(words[:_LONGEST]), maxsplit=3)[0] or text
    return text.strip(" ,;:.")


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


def _first(patterns: Iterable[str], lines: Iterable[str]) -> str:
    for pattern in patterns:
        for line in lines:
            if found := re.search(pattern, line, re.IGNORECASE):
                return _lowered(_phrase(found[1]))
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
