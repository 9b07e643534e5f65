"""The question taken apart: what is varied, against what, in whom, measured how, for how long."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from dr_rd.brief import Brief
from dr_rd.brief.resources import A_UNIT, DAYS
from dr_rd.language import UNKNOWN, language
from dr_rd.planning.acts import Act
from dr_rd.planning.grammar import Grammar
from dr_rd.planning.phrases import bare, briefly, lowered, months_in, noun_phrase
from dr_rd.planning.sampled import Groups, Sampled, groups, holders, nested, of_unit, sampled
from dr_rd.text import plural_of, sentences, singular_of, stem

_TARGET = re.compile(r"\s+(?:of|by|below|above|under|over)\s+(?:at least|at most|more|less|\d)")
"""Where the figure behind what is to be reached begins."""


_SLOTS = ("treatment", "outcome", "population", "artefact", "comparator")
"""What the groups of a form may fill."""


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
    most: float | None = None
    """The most of them, where the brief names a range."""
    each: float | None = None
    """How many of them are meant for each level that is compared; None where the brief does not say."""
    per: str = ""
    """What the number is meant for each of, each a study of its own: "language"."""
    asked: bool = False
    """Whether it asks for so many at least; else it says how many there are."""
    groups: Groups | None = None
    """Groups that the brief counts and that may be allocated as a whole."""
    months: float | None = None
    """Length of the study period in months; None if the brief does not say."""

    def by_group(self) -> "Frame":
        """Return the frame of a study that allocates whole groups, where the brief counts some."""
        if not (found := self.groups):
            return self
        return self._counting(
            found.unit, found.units, found.sample, found.count, asked=found.asked
        )

    def by_member(self) -> "Frame":
        """Return the frame of a study that allots what groups hold, where the brief counts it."""
        found = self.groups
        if found is None or not found.held or not found.members or self.unit != found.unit:
            return self
        number, many = found.count * found.members, found.held
        return self._counting(
            singular_of(many), many, f"{number:g} {many}", number, asked=found.asked
        )

    def as_said(self, direction: str, levels: int, grammar: Grammar) -> "Frame":
        """Return the frame with the numbers of the *direction* that is taken.

        They are those of its own units, where they are more than the brief asks for at least, and
        its *levels*.
        """
        if self.each and levels:
            return replace(self, count=self.each * levels)
        found = sampled([direction], "", grammar) if direction else None
        same = found and found.units.split()[-1:] == self.units.split()[-1:]
        if found and same and found.count and self.count and self.count < found.count:
            return replace(self, count=found.count, sample=found.sample, most=None, asked=True)
        return self

    def of_items(self, same: tuple[float, str] | None) -> "Frame":
        """Return the frame with the items that are the same on both sides as its units."""
        if same is None:
            return self
        number, noun = same
        return self._counting(
            noun.removesuffix("s"), noun, f"{number:g} {noun}", number, asked=False
        )

    def _counting(
        self,
        unit: str,
        units: str,
        sample: str,
        count: float,
        *,
        asked: bool,
    ) -> "Frame":
        """Return the frame with another thing as what is sampled."""
        return replace(
            self,
            unit=unit,
            units=units,
            sample=sample,
            count=count,
            most=None,
            per="",
            asked=asked,
        )

    def is_unit(self, noun: str) -> bool:
        """Whether *noun* is what is sampled, by its name or as "unit"."""
        names = (A_UNIT, self.unit, self.units)
        return stem(noun.lower()) in {stem(n.lower().split()[-1]) for n in names if n.split()}

    @property
    def there(self) -> float | None:
        """How many sampled units there are; None where the brief does not say it."""
        return None if self.asked else self.count

    def slots(self) -> dict[str, str]:
        """Slots that the brief fills, by name, in the brief's own words."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {k: v for k, v in values.items() if isinstance(v, str) and v}

    def short(self) -> dict[str, str]:
        """Slots short enough to be said again and again: without what a reader knows by then."""
        found = {k: briefly(v) for k, v in self.slots().items()}
        treatment, outcome = found.get("treatment", ""), found.get("outcome", "")
        return found | ({"topic": f"{treatment} and {outcome}"} if treatment and outcome else {})


_THEN = re.compile(r"\sand\s[\w-]+\s(?:it|them)\b|,?\swithout\s", re.IGNORECASE)
"""What is done with the thing once it is made, "and test it in barns", or what is spared."""


def frame(brief: Brief, grammar: Grammar, unit: str = "") -> Frame:
    """Take the objective and the constraints of *brief* apart.

    *unit*: the noun of what is sampled; "" where the lines must tell it.

    Of an objective in another language than English nothing is taken apart.
    """
    readable = language(brief.objective) in ("english", UNKNOWN)
    asked = _named(brief, _sound(_objective(brief.objective, grammar)) if readable else Frame())
    typed = str(brief.question.unit).lower() if brief.question else ""
    unit = typed or unit
    lines = (*brief.hard_constraints, *brief.success_criteria)
    named = typed or _first(grammar.unit_lines, lines) or _priced(brief)
    told = [s.text for s in sentences(brief.context)]
    every = [*lines, brief.objective, *told]
    counted = sampled(lines, named, grammar, brief.objective, told)
    if typed:
        counted = of_unit(unit, every) or Sampled(unit=singular_of(unit), units=plural_of(unit))
    elif not counted.asked:  # a number that a limit asks for names its unit itself
        counted = of_unit(unit, every) or counted
    both = nested(every)
    if both and not counted.unit:
        counted = of_unit(both.held, every) or counted
    horizon = asked.horizon or _first(grammar.horizon_lines, lines)
    return replace(
        asked,
        unit=counted.unit,
        units=counted.units,
        sample=counted.sample,
        horizon=noun_phrase(horizon),
        measure=noun_phrase(asked.measure) or _first(grammar.measure_lines, lines),
        source=_first(grammar.source_lines, lines) or asked.source,
        count=counted.count,
        most=counted.most,
        per=counted.per,
        each=counted.each,
        asked=counted.asked,
        groups=(holders(counted.unit, every) if unit and counted.unit else None)
        or both
        or groups(every, grammar),
        months=months_in(horizon),
    )


def _named(brief: Brief, found: Frame) -> Frame:
    """Return *found* with the parts of the question that somebody named in their place."""
    if brief.question is None:
        return found
    asked = brief.question
    both = f"{asked.treatment} and {asked.outcome}" if asked.treatment and asked.outcome else ""
    return replace(
        found,
        topic=both or found.topic,
        treatment=asked.treatment or found.treatment,
        comparator=asked.comparator or found.comparator,
        outcome=asked.outcome or found.outcome,
        measure=asked.measure or found.measure,
        source=asked.data or found.source,
    )


_DENIED = re.compile(r",?\s+(?:not|never|hardly|barely)\b.*$", re.IGNORECASE)
"""Where a phrase goes on to deny something: "varroa not relevantly worse"."""
_VERB_LAST = re.compile(
    r"\b(?:would|should|could|can|will|shall|may|might|must|is|are|was|were|be|been|do|does|did|has|have|had)$",
    re.IGNORECASE,
)
_MEANT = re.compile(
    r"\bwould (?:like|rather|love|prefer)\b|^(?:before|after|since|while|because|so|and|or|but|than) ",
    re.IGNORECASE,
)
"""What shows that a phrase is a part of a sentence."""
_BARE = re.compile(
    r"(?:which|what|how|why|whether|who|where|when|it|they|them|this|that|these|those)?", re.I
)
"""What names nothing."""


def _sound(found: Frame) -> Frame:
    """Return *found* without what is no noun phrase: better a slot that is open than one that is wrong."""
    held = {name: getattr(found, name) for name in (*_SLOTS, "topic")}
    cut = {name: _DENIED.sub("", text).strip(" ,") for name, text in held.items()}
    sound: dict[str, Any] = {
        name: "" if _VERB_LAST.search(text) or _BARE.fullmatch(text) else text
        for name, text in cut.items()
    }
    if _MEANT.search(sound["topic"]):
        sound["topic"] = ""
    return replace(found, **sound)


def _priced(brief: Brief) -> str:
    """What the brief gives a price for each of, where that is no time; "" where nothing."""
    prices = brief.resources.prices if brief.resources else ()
    return next((p.per for p in prices if p.per and p.times == 1 and p.per not in DAYS), "")


_AND_ASKED = re.compile(
    r"[,;]?\s+and\s+(?=(?:which|what|how|why|whether|if|at what|in what|for whom|can we)\b)", re.I
)
"""Where a second question begins."""

_PRONOUN = re.compile(r"^(?:it|them|this|these|that)\b", re.IGNORECASE)


def _objective(text: str, grammar: Grammar) -> Frame:
    """What the first sentence of an objective says that asks for something."""
    said = [s.text.strip().rstrip(".?! ") for s in sentences(text)] or [text.strip()]
    wanted = [_AND_ASKED.split(grammar.preamble.sub("", lowered(t)), maxsplit=1)[0] for t in said]
    place = next((n for n, t in enumerate(wanted) if _asks(t, grammar)), 0)
    asked = _formed(wanted[place], grammar) or _frame_of_words(wanted[place], grammar)
    if _PRONOUN.match(asked.outcome) and place:
        return _spoken_of(said[0], asked, grammar)
    return asked if not _PRONOUN.match(asked.outcome) else replace(asked, outcome="")


def _asks(said: str, grammar: Grammar) -> bool:
    """Whether a sentence asks for something, rather than says how things are."""
    opened = any(pattern.match(said) for pattern, _ in grammar.questions)
    return bool(
        opened or grammar.lead.match(said) or grammar.making.match(said) or grammar.acts.act(said)
    )


def _spoken_of(before: str, asked: Frame, grammar: Grammar) -> Frame:
    """Put what the sentence before speaks of where a pronoun stands for it."""
    found = grammar.subject.match(before)
    thing = noun_phrase(lowered(found[1])) if found else ""
    word = _PRONOUN.match(asked.outcome)
    topic = asked.topic.replace(f" {word[0]}", f" {thing}", 1) if word and thing else ""
    return replace(asked, outcome=thing, topic=topic)


def _frame_of_words(said: str, grammar: Grammar, *, certain: bool = False) -> Frame:
    """What an objective in no special form says; *certain* where it begins with a verb."""
    question = said if certain else _without_lead(said, grammar)
    if _EFFECT_OF.search(said.removesuffix(question)):
        grammar = grammar.effects
    main, clauses = _clauses(question, grammar)
    there = Frame(
        comparator=_plain(_relation(clauses.get("comparator", ""), grammar)[0]),
        population=_who(clauses.get("population", ""), grammar),
        horizon=clauses.get("horizon", ""),
        measure=clauses.get("measure", ""),
        source=noun_phrase(clauses.get("using", "")),
    )
    if artefact := _product(question, question == said, grammar):
        return _making(artefact, clauses, there)
    act = grammar.acts.act(_head(question, grammar), certain=certain)
    if act and (question == said or not question.lower().startswith(act.verb)):
        return _done(act, _head(question, grammar, also=("population",)), there, grammar)
    named = None if grammar.asks_of_effect(said) else grammar.acts.named(main)
    if named and not _relation(main, grammar)[1]:
        return _done(named, "", there, grammar)
    return _related(main, there, grammar)


_EFFECT_OF = re.compile(r"\b(?:effects?|impacts?|influences?|benefit|role) of\s*$", re.IGNORECASE)
"""An opening after which two things are joined by "on"."""


def _making(artefact: str, clauses: Mapping[str, str], there: Frame) -> Frame:
    """What is to be made, and what it shall reach."""
    return replace(
        there,
        topic=artefact,
        artefact=artefact,
        outcome=noun_phrase(clauses.get("condition", "") or _aim(clauses)),
    )


def _formed(said: str, grammar: Grammar) -> Frame | None:
    """What a question of a known form says: "what drives the dropout of apprentices"."""
    for pattern, form in grammar.questions:
        if found := pattern.match(said):
            cut = grammar.acts.next_act.split
            said_of = {k: v for k, v in found.groupdict().items() if v and k != "act"}
            groups = {k: noun_phrase(cut(v, maxsplit=1)[0]) for k, v in said_of.items()}
            slots: dict[str, Any] = {k: v for k, v in groups.items() if k in _SLOTS}
            act = found["act"] if "act" in pattern.groupindex else ""
            told = _commanded(act, slots, grammar) if act else Frame(**slots)
            return replace(told, topic=told.topic or form.topic.format_map(groups))
    return None


def _commanded(act: str, slots: Mapping[str, str], grammar: Grammar) -> Frame:
    """What an act says that a form of question holds: "how can bakeries cut their waste"."""
    asked = _frame_of_words(act, grammar, certain=True)
    return replace(
        asked, population=asked.population or _somebody(slots.get("population", ""), grammar)
    )


def _somebody(who: str, grammar: Grammar) -> str:
    return "" if grammar.nameless.match(who) else who


def _product(question: str, plain: bool, grammar: Grammar) -> str:  # noqa: FBT001 - read once
    """What is to be made; "" where nothing is. A *plain* objective has no opening."""
    if grammar.making.match(question):
        return bare(_THEN.split(grammar.making.sub("", question))[0])
    thing = grammar.thing.match(question) if plain else None
    if not thing or grammar.acts.act(question):
        return ""
    return bare(thing[1])


def _head(question: str, grammar: Grammar, also: tuple[str, ...] = ()) -> str:
    """The objective up to its first clause, or to the first that is none of those named."""
    starts = (m.start() for m in grammar.clause.finditer(question) if m.lastgroup not in also)
    return question[: next((n for n in starts if n), None)].strip(" ,;")


def _done(act: Act, full: str, there: Frame, grammar: Grammar) -> Frame:
    """What is asked for outright: "reduce the energy use of pools"; *full* with those concerned."""
    whole = grammar.acts.act(full, certain=True)
    topic = noun_phrase(whole.gerund if whole else act.gerund)
    return replace(
        there,
        topic=topic,
        outcome=noun_phrase(act.object) if act.changes else "",
    )


def _related(main: str, there: Frame, grammar: Grammar) -> Frame:
    """What is varied and what it does: "night shifts raise blood pressure"."""
    left, right = _relation(main, grammar)
    outcome = _first_of(noun_phrase(grammar.direction.sub("", right.strip())), grammar)
    treatment = _noun_phrase(left, grammar) if right else ""
    spoken = None if right else grammar.subject.match(main)
    if spoken:
        treatment = _noun_phrase(spoken[1], grammar)
    both = f"{treatment} and {outcome}" if treatment and outcome else treatment
    return replace(
        there,
        topic=both or _noun_phrase(main, grammar),
        treatment=treatment,
        outcome=outcome,
    )


def _first_of(outcome: str, grammar: Grammar) -> str:
    """The outcome without what else is done: "aphid pressure", of "and saves a spray"."""
    for found in re.finditer(r",?\s(?:and|or)\s", outcome):
        if grammar.relation.match(outcome, found.end()):
            return outcome[: found.start()]
    return outcome


def _plain(text: str) -> str:
    """A noun phrase without the verb that stands for another: "than homework does"."""
    return noun_phrase(_MODAL.sub("", text.strip()))


def _noun_phrase(text: str, grammar: Grammar) -> str:
    """A noun phrase; "" where *text* begins like none."""
    found = noun_phrase(_MODAL.sub("", text.strip()))
    return "" if grammar.nameless.match(found) else found


_MODAL = re.compile(
    r"\s(?:can|could|will|would|may|might|should|must|do|does|did)$", re.IGNORECASE
)


def _who(text: str, grammar: Grammar) -> str:
    """Those who are studied, without what else is done."""
    return _ENDS.split(noun_phrase(grammar.acts.next_act.split(text)[0]), maxsplit=1)[0]


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


_NO_OUTCOME = re.compile(r"\s*(?:[<>=≥≤~≈,;.]|(?:at|of|by|below|above)\s|$)")
"""After a word that is no verb here, such as "yield >= 85 %"."""


def _relation(main: str, grammar: Grammar) -> tuple[str, str]:
    for pattern in (grammar.relation, grammar.been):
        for verb in pattern.finditer(main):
            if not _NO_OUTCOME.match(main, verb.end()):
                return main[: verb.start()], main[verb.end() :]
    if valued := grammar.value.search(main):
        return main[valued.end() :], valued[1]
    return main, ""


def _aim(clauses: Mapping[str, str]) -> str:
    """What the thing to be made shall reach, without the figure."""
    return _TARGET.split(clauses.get("target", ""), maxsplit=1)[0]


def _first(patterns: Iterable[str], lines: Iterable[str]) -> str:
    for pattern in patterns:
        for line in lines:
            if found := re.search(pattern, line, re.IGNORECASE):
                return lowered(noun_phrase(found[1]))
    return ""
