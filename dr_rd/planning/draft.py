"""A plan before its tasks are written: its method and direction, and the work these call for."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property

from dr_rd.brief import Brief, Price, Span, Throughput
from dr_rd.checks import Ledger, dated_stems, first_day
from dr_rd.planning.anchoring import Anchor
from dr_rd.planning.choice import Choice, Match
from dr_rd.planning.directions import Decision, Direction, assess, best, sized
from dr_rd.planning.frame import Frame, frame
from dr_rd.planning.grammar import Grammar
from dr_rd.planning.layouts import (
    Unsized,
    by_layout,
    combines_all,
    is_blocked,
    is_of_whole_groups,
    levels_of,
    same_items,
    steps_of,
    unsized,
)
from dr_rd.planning.library import Library
from dr_rd.planning.limits import deadline, most_there_may_be, working_days
from dr_rd.planning.methods import Method, Package, Sizing
from dr_rd.planning.placement import main_package, place_of
from dr_rd.planning.relevance import Relevance
from dr_rd.planning.ruling import LeftOut, Ruling, ruled_out, rulings
from dr_rd.planning.signals import find_techniques, phrase, requested_text, stems
from dr_rd.planning.sizing import needed_in_all
from dr_rd.planning.stated import stated_words
from dr_rd.planning.techniques import Technique
from dr_rd.planning.topical import Topical
from dr_rd.planning.wording import Assumptions, Wording
from dr_rd.quantity import days_in
from dr_rd.reading import BriefWords, words_of
from dr_rd.reading.resources import prices_in
from dr_rd.reading.spans import Pace, Wait, pace_in
from dr_rd.schedule.confidence import PERCENTILE
from dr_rd.study import Layout, Statistics
from dr_rd.tools.spec import Source

_RARE = 0.01
"""Events per unit of the rate's time below which one such unit is no follow-up that is meant."""

_MOST_TECHNIQUES = 12
"""Techniques a plan draws on; the best matches win."""

_COMPARED = re.compile(
    r"\bbetween-subjects?\b|\b(?:two|2) (?:\w+ )?(?:arms|groups|conditions|sections|treatments)\b|"
    r"\b(?:per|each|both) (?:arm|group|condition|section)s?\b|\bcontrol (?:arm|group|condition)\b",
    re.IGNORECASE,
)
"""How a brief says that two groups are compared."""

_RIVAL = 0.4
"""Share of the best method's probability from which another is proposed as a direction."""


@dataclass(frozen=True)
class Draft:
    """What is known of a plan before its tasks are written."""

    brief: Brief
    ledger: Ledger
    library: Library
    rates: Mapping[str, float]
    """Units of each currency for one unit of the library's costs."""
    given: tuple[Source, ...]
    """What the analyst gave besides the brief."""
    frame: Frame
    choice: Choice
    """The methods, the one that is planned first, and how sure it is."""
    directions: tuple[Direction, ...]
    weights: Mapping[str, float]
    """Weights of the decision between them."""
    chosen: Direction
    method: Method
    statistics: Statistics
    """The figures that the brief states for its sample size."""
    words: BriefWords
    """What its words say."""
    said_pace: Pace | None = None
    """How fast the words say that its units are done; None where they do not."""
    rulings: tuple[Ruling, ...] = ()
    """The actions that the limits name."""
    impossible: tuple[str, ...] = ()
    """What the brief asks for and the world does not allow."""
    facts: tuple[tuple[str, str], ...] = ()
    """What objections take from the world, each with its source."""
    anchor: Anchor | None = None
    """Where the brief dates its main work, what goes before; None where it dates the whole."""
    topical: Topical = field(default_factory=lambda: Topical(topics=()))
    assumed: Assumptions = field(default_factory=Assumptions)

    @property
    def ranking(self) -> tuple[Match, ...]:
        """The methods, the one that is planned first."""
        return self.choice.ranking

    @property
    def confidence(self) -> float:
        """How sure the plan is to keep its limits, 0..1."""
        return PERCENTILE[self.brief.risk_posture]

    @cached_property
    def start(self) -> date | None:
        """The first day of the work; None where the brief names none."""
        if self.anchor:
            return self.anchor.first_day(self.brief.closed_days)
        return first_day(self.brief, self.ledger)

    @property
    def ends(self) -> Iterator[tuple[str, date]]:
        """The last days that its limits name, each with their words."""
        for limit in self.words.study.limits:
            if limit.type == "time" and limit.comparison == "<=" and isinstance(limit.high, str):
                yield limit.quote, date.fromisoformat(limit.high)

    @property
    def window(self) -> float | None:
        """The working days that the main work has, where a limit ends the very work that another dates."""
        if self.anchor is None:
            return None
        same = [day for said, day in self.ends if self.dates_main_work(said, day)]
        ends = [day for day in same if day > self.anchor.day]
        return working_days(self.anchor.day, min(ends), self.brief.closed_days) if ends else None

    def dates_main_work(self, said: str, day: date) -> bool:
        """Whether a line that names a *day* speaks of the work that the brief dates."""
        if self.anchor is None:
            return False
        same = dated_stems(self.anchor.said) & dated_stems(said)
        return bool(same) or day in days_in(self.anchor.said)

    @cached_property
    def wording(self) -> Wording:
        """Says the library's sentences in the brief's terms."""
        return Wording(
            self.frame.short(), self.method, self.assumed, stated_words(self.statistics)
        )

    @cached_property
    def techniques(self) -> tuple[Technique, ...]:
        """Those that the brief and its direction ask for and no limit rules out."""
        return tuple(t for t, barred in self._offered if barred is None)[:_MOST_TECHNIQUES]

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """The techniques that a limit rules out."""
        return tuple(barred for _, barred in self._offered if barred)

    @cached_property
    def _offered(self) -> tuple[tuple[Technique, LeftOut | None], ...]:
        """The techniques asked for, each with what bars it."""
        chosen = self.chosen.text if self.chosen.given else ""
        found = find_techniques(f"{requested_text(self.brief)}\n{chosen}", self.library)
        return tuple(
            (t, ruled_out(f"technique: {t.title}", t.actions, self.rulings)) for t in found
        )

    @cached_property
    def sizing_technique(self) -> Technique | None:
        """The technique whose own calculation of the sample size goes before the method's."""
        return next((t for t in self.techniques if t.sizing), None)

    @cached_property
    def unsized(self) -> Unsized | None:
        """The analysis of the direction that no formula sizes; None where one may."""
        direction = self.chosen.text if self.chosen.given else ""
        rule = self.method.sizing or self._by_figures
        if (rule and rule.counts) or self.sizing_technique:
            return None
        cohort = rule is not None and rule.design == "two_proportions" and "base" in rule.arguments
        figures = self.statistics
        rare = figures.design == "rates" and (figures.base_rate or 1.0) < _RARE
        found = unsized(
            self.brief, direction, self.frame.slots(), cohort=cohort, rare=rare,
            method="" if rule else self.method.id,
        )  # fmt: skip
        if found is None or (rule is None and found.of not in ("brief", "method")):
            return None
        return found.model_copy(update={"count": self.frame.count})

    @property
    def sizing(self) -> Sizing | None:
        """Which calculation the sample size is; None where neither a design nor a figure says it yet.

        None too where the direction is analysed in a way that no formula sizes.
        """
        if self.unsized:
            return None
        own = self.sizing_technique.sizing if self.sizing_technique else None
        return own or self.method.sizing or self._by_figures

    @property
    def _by_figures(self) -> Sizing | None:
        """The calculation where the design is still open: of what the brief's figures compare."""
        lines = " ".join((*self.brief.hard_constraints, *self.brief.success_criteria))
        compared = self.frame.count is not None and _COMPARED.search(
            f"{self.brief.objective} {lines}"
        )
        figures = self.statistics.effect is not None or self.statistics.margin is not None
        return Sizing(design="two_means") if figures or compared else None

    @cached_property
    def relevance(self) -> Relevance:
        """Tells which sentences of the library the brief has a use for."""
        direction = self.chosen.text if self.chosen.given else ""
        wanted = self.brief.model_copy(update={"banned_moves": ()})
        said = f"{wanted.domain}\n{wanted.words}\n{direction}"
        techniques = " ".join(t.title for t in self.techniques)
        return Relevance(
            filled={*self.frame.slots(), *(f"p.{n}" for n in stated_words(self.statistics))},
            words=stems(said),
            absent=self.topical.absent_from(f"{said}\n{techniques}"),
        )

    @cached_property
    def packages(self) -> tuple[Package, ...]:
        """The method's work packages that the brief has need of."""
        text = f"{requested_text(self.brief)}\n{self.chosen.text}"
        return tuple(
            p
            for p in self.method.packages
            if not p.needs or any(phrase(w).search(text) for w in p.needs)
        )

    @cached_property
    def sources(self) -> Mapping[str, Package]:
        """The packages by what a task written from one names as its source."""
        return {self.source_of(p): p for p in self.packages}

    def source_of(self, package: Package) -> str:
        """Return what a task written from *package* names as its source."""
        return f"{self.method.id}/{package.id}"

    @cached_property
    def main(self) -> Package | None:
        """The package in which units are measured; None in a method without one."""
        return main_package(self.packages)

    @cached_property
    def waits(self) -> tuple[Wait, ...]:
        """The times of the main work that nobody can hurry: those typed, or else those of the words."""
        typed = self.brief.resources.spans if self.brief.resources else ()
        if not typed or self.main is None:
            return self.words.waits
        beside = self.spans_beside
        return tuple(
            Wait(kind=s.what, days=s.days * s.times, said=s.words)
            for s in typed
            if s not in beside
        )

    @cached_property
    def spans_beside(self) -> tuple[Span, ...]:
        """The typed times that are of another package than the main one."""
        typed = self.brief.resources.spans if self.brief.resources else ()
        main = self.main
        return tuple(
            s
            for s in typed
            if main and not s.main and place_of(s.what, self.packages, main) is not main
        )

    @cached_property
    def prices(self) -> tuple[Price, ...]:
        """The prices that somebody typed, or else those that the words name."""
        typed = self.brief.resources.prices if self.brief.resources else ()
        return typed or tuple(prices_in(self.words.study))

    @cached_property
    def pace(self) -> Pace | None:
        """How fast its units are done, as somebody typed it, or else as the words say it."""
        typed = self.brief.resources.throughput if self.brief.resources else ()
        own = (t for t in typed if self.is_pace_of_units(t))
        return next((Pace(what=t.what, number=t.a_day, per="day") for t in own), self.said_pace)

    def is_pace_of_units(self, typed: Throughput) -> bool:
        """Whether a typed pace is that of the sampled units in the main work, and of no other task."""
        if not any(map(self.frame.is_unit, typed.what.split())):
            return False
        main = self.main
        return main is None or place_of(typed.what, self.packages, main) is main


def drafted(
    brief: Brief,
    ledger: Ledger,
    *,
    library: Library,
    rates: Mapping[str, float],
    given: tuple[Source, ...],
    grammar: Grammar,
    choice: Choice,
    decision: Decision,
    statistics: Statistics | None,
    topical: Topical,
) -> Draft:
    """Choose the direction of a plan for *brief*, whose methods *choice* ranks.

    *statistics*: the figures that were read in it; None where nobody read them.
    """
    words = words_of(brief)
    statistics = statistics or brief.statistics or words.study.statistics
    parts = frame(brief, grammar, words.study.unit or "")
    proposed = _proposed(choice, parts.topic or brief.objective)
    directions = _sized(
        assess(brief, proposed, ledger, library, decision), parts, words, ledger, statistics
    )
    weights = decision.weights[brief.risk_posture]
    method = library.method(choice.ranking[0].id)
    chosen = best(directions, weights)
    said = chosen.text if chosen.given else ""
    counted = parts
    if is_blocked(said):
        counted = parts.by_member()
    elif "icc" in method.parameters or is_of_whole_groups(said):
        counted = parts.by_group()
    units = (counted.unit, counted.units)
    return Draft(
        brief=brief,
        ledger=ledger,
        library=library,
        rates=rates,
        given=given,
        frame=counted.as_said(said, levels_of(said), grammar).of_items(same_items(brief)),
        choice=choice,
        directions=directions,
        weights=weights,
        chosen=chosen,
        method=method,
        rulings=rulings(ledger, library.reader),
        impossible=decision.objector.impossible(brief),
        facts=tuple(decision.objector.facts(brief)),
        statistics=by_layout(statistics, brief, said, _clusters(parts)),
        words=words,
        said_pace=pace_in(said, units) or words.pace(units),
        topical=topical,
    )


def _clusters(parts: Frame) -> float | None:
    return parts.groups.count if parts.groups else parts.count


def _sized(
    directions: Sequence[Direction],
    parts: Frame,
    words: BriefWords,
    ledger: Ledger,
    statistics: Statistics,
) -> tuple[Direction, ...]:
    """Hold the number that each direction needs against how many there may be, or there is time for."""
    clusters = _clusters(parts)
    allowed = most_there_may_be(ledger, parts.units, parts.there)
    timed = _capacity(words, ledger, parts)
    found = list[Direction]()
    for direction in directions:
        stated = by_layout(statistics, words.brief, direction.text, clusters)
        layout = Layout(steps=steps_of(direction.text, clusters))
        number = needed_in_all(stated, within="within" in direction.kinds, layout=layout)
        grouped = stated.design is not None and stated.design.startswith(("cluster", "stepped"))
        held, units = (clusters, "groups") if grouped else (allowed, parts.units or "units")
        if statistics.design == "factorial" and words.factors and combines_all(direction.text):
            number, held = 2.0**words.factors, held or timed
            units = parts.units or "runs"
        needs = {direction.id: number} if number else {}
        found += sized([direction], needs, held, units)
    return tuple(found)


def _capacity(words: BriefWords, ledger: Ledger, parts: Frame) -> float | None:
    """How many units there is time for at the brief's pace; None where it gives none, or no end."""
    brief, pace = words.brief, words.pace((parts.unit, parts.units))
    typed = brief.resources.throughput if brief.resources else ()
    own = (t.a_day for t in typed if t.count is None and any(map(parts.is_unit, t.what.split())))
    a_day = next(own, pace.a_day if pace else 0.0)
    days = deadline(ledger, first_day(brief, ledger), brief.closed_days)
    return float(int(a_day * days)) if a_day and days else None


def _proposed(choice: Choice, topic: str) -> dict[str, float]:
    """Directions for a brief that names none, the best method and its rivals: how well each fits.

    A generic study has no rivals: which design it becomes is its first step.
    """
    ranking = choice.ranking
    top = ranking[0].score
    fitting = [m for m in ranking[1:3] if m.score >= _RIVAL * top and not choice.asks]
    return {
        f"{m.title} for {topic}": round(m.score / top, 2) if top > 0 else 1.0
        for m in (ranking[0], *fitting)
    }
