"""Any brief read as a Study."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from dr_rd.families import NO_RESEARCH, Ranker, Reading, load_model
from dr_rd.reading.amounts import Amount
from dr_rd.reading.asides import is_aside
from dr_rd.reading.contradictions import contradictions_of
from dr_rd.reading.document import Document
from dr_rd.reading.figures import counts_of, durations_of, factors_in
from dr_rd.reading.labels import label_kind
from dr_rd.reading.limits import Found, limits_of, unread_of
from dr_rd.reading.notation import understood
from dr_rd.reading.objective import objective_of
from dr_rd.reading.people import people_of
from dr_rd.reading.prices import prices_of
from dr_rd.reading.segments import Segment
from dr_rd.reading.statistics import Stated, statistics_of
from dr_rd.reading.subjects import comparator_of, outcome_of, unit_of
from dr_rd.reading.tagged import Tagged, tagged
from dr_rd.reading.tagger import Taggers
from dr_rd.reading.terms import budget_of, closures_of, deadline_of, start_of
from dr_rd.reading.unit import likely_unit
from dr_rd.study.statistics import Layout, Needed, Statistics
from dr_rd.study.values import Count, FamilyScore, Guess, Study, Unread

SHOWN_FAMILIES = 5

Size = Callable[[Statistics, Layout], Needed]
"""The sample size that follows from statistics and from how the study is laid out."""


@dataclass(slots=True)
class _Spans:
    """Where the values stand in what was given."""

    found: Tagged
    held: dict[str, tuple[int, int]] = field(default_factory=dict)
    used: set[tuple[int, int]] = field(default_factory=set)
    """The same in the text that is read."""
    objective: tuple[int, int] | None = None
    """Where the objective stands in it."""

    def note(self, path: str, start: int, end: int) -> None:
        """Note that the value at *path* stands at *start*."""
        self.held[path] = self.found.document.place(start, end)
        self.used.add((start, end))


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads documents; it holds no state of any one of them."""

    taggers: Taggers
    ranker: Ranker | None = None
    """None where nobody asks for the design family."""
    size: Size | None = None

    def read(self, document: Document, family: str = "") -> Study:
        """Return what is understood of *document*, whose author may name its design *family*."""
        found = tagged(document, self.taggers)
        spans = _Spans(found)
        objective = objective_of(found.segments, self.taggers.objective, load_model().asks)
        said = found.quote(objective) if objective else ""
        if objective:
            spans.note("objective", objective.start, objective.end)
            spans.objective = objective.start, objective.end
        money, end = budget_of(found), deadline_of(found)
        begin, stated = start_of(found), statistics_of(found)
        limits = limits_of(
            found,
            budget=money[1] if money else None,
            deadline=end[1] if end else None,
            apart={*stated.described, *_asides(found), *([begin[1]] if begin else ())},
        )
        ranked = self._families(document, said, family, limits)
        if ranked and ranked.no_research:
            return Study(
                not_research=(
                    "the text asks for no research, development, evaluation or analysis, so there is "
                    "nothing to plan; if it does, name its design, such as “family: programme_evaluation”"
                ),
                families=_scores(ranked),
                spans=spans.held,
            )
        return self._facts(found, spans, said, ranked, limits, stated)

    def _families(
        self, document: Document, objective: str, family: str, limits: Iterable[Found]
    ) -> Reading | None:
        if self.ranker is None:
            return None
        lines = [found.limit.quote for found in limits if found.limit.role != "ban"]
        if family:
            return self.ranker.named(family, document.source, objective, lines)
        ranked = self.ranker.read(document.source, objective, lines=[*lines, objective])
        foreign = document.language not in ("english", "unknown")
        return ranked.model_copy(update={"asks": True}) if foreign else ranked

    def _facts(
        self,
        found: Tagged,
        spans: _Spans,
        objective: str,
        ranked: Reading | None,
        limits: Sequence[Found],
        stated: Stated,
    ) -> Study:
        money, start, end = budget_of(found), start_of(found), deadline_of(found)
        for path, held in (("budget", money), ("start", start), ("deadline", end)):
            if held:
                spans.note(path, held[1].start, held[1].end)
        for name, amount in stated.amounts.items():
            spans.note(f"statistics.{name}", amount.start, amount.end)
        closed = list(closures_of(found))
        for n, (_, first, last) in enumerate(closed):
            spans.note(f"closed.{n}", first.start, last.end)
        people = list(people_of(found))
        for n, (_, begin, stop) in enumerate(people):
            spans.note(f"people.{n}", begin, stop)
        known = [held[1] for held in (money, start, end) if held]
        prices = [
            (price, amount)
            for price, amount in prices_of(found, known)
            if not any(p.rate == price.amount for p, *_ in people)
        ]
        for n, (_, amount) in enumerate(prices):
            spans.note(f"prices.{n}", amount.start, amount.end)
        counts, durations = list(counts_of(found)), list(durations_of(found))
        for name, listed in (("counts", counts), ("durations", durations)):
            for n, (_, amount) in enumerate(listed):
                spans.note(f"{name}.{n}", amount.start, amount.end)
        for n, limit in enumerate(limits):
            spans.note(f"limits.{n}", limit.start, limit.end)
        unread = [*self._not_read(found.document), *_unread(found, spans, stated.amounts.values())]
        return Study(
            objective=objective,
            families=_scores(ranked) if ranked else (),
            asks_family=bool(ranked and ranked.asks),
            unit=unit_of(found, stated, objective) or self._likely_unit(found, spans),
            comparator=comparator_of(objective),
            outcome=outcome_of(objective),
            budget=money[0] if money else None,
            start=start[0] if start else None,
            deadline=end[0] if end else None,
            closed=tuple(c for c, *_ in closed),
            people=tuple(p for p, *_ in people),
            prices=tuple(p for p, _ in prices),
            effects=stated.effects,
            statistics=stated.statistics,
            needed=self._needed(stated.statistics, counts),
            counts=tuple(c for c, _ in counts),
            durations=tuple(d for d, _ in durations),
            limits=tuple(found.limit for found in limits),
            unread=tuple(unread),
            guesses=tuple(_guesses(found.document, spans)),
            contradictions=tuple(contradictions_of(found, money, start, end)),
            spans=spans.held,
        )

    def _likely_unit(self, found: Tagged, spans: _Spans) -> str | None:
        """What is sampled, run or read by the trained weights, where the text is English."""
        if found.document.language not in ("english", "unknown"):
            return None
        return likely_unit(found.segments, [*found.amounts], spans.objective, self.taggers.unit)

    def _needed(self, stated: Statistics, counts: Sequence[tuple[Count, Amount]]) -> Needed | None:
        if self.size is None or stated == Statistics() or stated.design == "none":
            return None
        return self.size(stated, Layout(factors=factors_in(c for c, _ in counts)))

    def _not_read(self, document: Document) -> Iterator[Unread]:
        """Say of a text in a language whose figures are not read that nothing rests on them."""
        if not understood(document.language):
            words = " ".join(document.source.split())[:_SHOWN]
            yield Unread(
                quote=words,
                why=f"the text is in {document.language.capitalize()}, whose figures and dates are not read",
            )


_SHOWN = 80


def _asides(found: Tagged) -> set[Amount]:
    """The amounts that limit nothing: sums that are spent anyway, and days of events."""
    return {a for a in found.amounts if is_aside(a, found.document.text)}


def _guesses(document: Document, spans: _Spans) -> Iterator[Guess]:
    for n, slip in enumerate(document.guesses):
        spans.held[f"guesses.{n}"] = slip.start, slip.end
        yield Guess(quote=document.source[slip.start : slip.end], taken_for=slip.meant)


def _unread(found: Tagged, spans: _Spans, taken: Iterable[Amount]) -> Iterator[Unread]:
    for unread, _ in unread_of(found, spans.used, {*taken}):
        yield unread
    announced = [s for s in found.segments if s.kind in ("budget", "start", "deadline") and s.own]
    read = {
        _announced(s)
        for s in announced
        if any(begin < s.end and s.start < end for begin, end in spans.used)
    }
    for segment in announced:
        if _announced(segment) not in read:
            why = (
                f"it is called {segment.labels[-1]!r}, and no {segment.kind} could be read from it"
            )
            yield Unread(quote=found.quote(segment), why=why)


def _announced(segment: Segment) -> tuple[str, ...]:
    """The labels of a segment up to the one that says what it is."""
    at = next(
        (n for n, label in enumerate(segment.labels) if label_kind(label) == segment.kind), 0
    )
    return segment.labels[: at + 1]


def _scores(ranked: Reading) -> tuple[FamilyScore, ...]:
    best = [r for r in ranked.ranked if r.id != NO_RESEARCH or ranked.no_research]
    return tuple(FamilyScore(id=r.id, score=r.score, why=r.why) for r in best[:SHOWN_FAMILIES])
