"""The method of a plan: the one for the design family that the brief asks for."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from core.errors import CallerError, clipped
from core.values import Frozen
from dr_rd.brief import Brief
from dr_rd.families import GENERIC, NO_RESEARCH, Fact, Ranked, Ranker, Reading
from dr_rd.language import foreign
from dr_rd.planning.library import Library

CONSIDERED = 3
"""Families that are named where none is sure."""

_SHOWN = 60
"""Characters of an objective that are shown of it."""


class Match(Frozen):
    """How well a method of the library fits, and why."""

    id: str
    title: str
    score: float
    """Probability of the likeliest family that it plans, 0..1."""
    family: str
    """Id of that family."""
    design: str
    """What that family is called."""
    why: str
    """What speaks for it."""


class Choice(Frozen):
    """The methods for a brief, and how sure the first is."""

    ranking: tuple[Match, ...]
    """One for each method that plans a family, the one to plan first."""
    considered: tuple[Match, ...] = ()
    """The families that stand closest, where none is sure and the analyst should name one."""
    remarks: tuple[str, ...] = ()
    """What a reader must know of the choice before anything else; empty where it is sure."""

    @property
    def asks(self) -> bool:
        """Whether no family is sure, so that the generic study is planned unless one is named."""
        return bool(self.considered)


def choose(brief: Brief, ranker: Ranker, library: Library) -> Choice:
    """Choose the method for *brief*; raises CallerError if it names a family that there is not."""
    reading = _read(brief, ranker)
    titles = {m.id: m.title for m in library.methods}
    matches = [_match(r, ranker, titles, reading.facts) for r in reading.ranked]
    ranking = tuple({m.id: m for m in reversed(matches)}.values())[::-1]
    ranking = tuple(sorted(ranking, key=lambda m: (-m.score, m.id)))
    if brief.prescribed or not reading.asks:
        said = () if brief.prescribed else _sure(matches[0], ranker)
        close = (_close(matches),) if reading.close and not brief.prescribed else ()
        return Choice(ranking=ranking, remarks=(*close, *said))
    unsure = Ranked(id=GENERIC, score=matches[0].score, why="no other family is sure")
    others = tuple(m for m in ranking if m.family != GENERIC and m.id != ranker.method(GENERIC))
    considered = tuple(m for m in matches[:CONSIDERED] if m.score > 0)
    return Choice(
        ranking=(_match(unsure, ranker, titles), *others),
        considered=considered,
        remarks=(_unsure(considered),),
    )


def check_research(brief: Brief, ranker: Ranker) -> None:
    """Refuse a text that clearly asks for no research; one with tasks of its own is not judged.

    Raises CallerError.
    """
    if not brief.prescribed and not brief.family and _read(brief, ranker).no_research:
        raise CallerError(
            f"{clipped(brief.objective, _SHOWN)!r} asks for no research, development, evaluation or "
            "analysis, so there is nothing to plan; if it does, name its design, such as “family: "
            "programme_evaluation”"
        )


def _read(brief: Brief, ranker: Ranker) -> Reading:
    limits = (*brief.hard_constraints, *brief.success_criteria)
    said = (brief.domain, brief.objective, brief.context, *limits, *brief.plausible_directions)
    text = "\n".join(filter(None, said))
    lines = (
        *limits,
        brief.objective,
    )  # a direction is one of several, and alone states nothing yet
    if not ranker.settles(lines):
        lines = (*lines, *_shared(brief.plausible_directions, ranker))
    if brief.family:
        return ranker.named(brief.family, text, brief.objective, lines)
    found = ranker.read(text, brief.objective, brief.banned_moves, lines)
    if foreign(brief.objective, "english"):  # the weights were trained and counted on English
        return found.model_copy(update={"asks": True})
    return found


def _shared(directions: Sequence[str], ranker: Ranker) -> Iterator[str]:
    """Yield a direction for what most of the *directions* state of the design."""
    stated = [(d, {f.id for f in ranker.stated("", lines=[d])}) for d in directions]
    told = Counter(fact for _, facts in stated for fact in facts)
    for fact, number in told.items():
        if number > 1 and 2 * number > len(directions):
            yield min((d for d, facts in stated if fact in facts), key=len)


def _match(
    ranked: Ranked, ranker: Ranker, titles: Mapping[str, str], facts: Iterable[Fact] = ()
) -> Match:
    method = ranker.method(ranked.id, facts)
    return Match(
        id=method,
        title=titles[method],
        score=ranked.score,
        family=ranked.id,
        design=ranker.families[ranked.id].title,
        why=ranked.why,
    )


def _sure(match: Match, ranker: Ranker) -> tuple[str, ...]:
    """What is to be said of a family that is sure; nothing where the library has a method for it."""
    if match.family == NO_RESEARCH:
        return (
            "the brief seems to ask for no research: the generic study is planned all the same",
        )
    if match.family == GENERIC or match.id != ranker.method(GENERIC):
        return ()
    return (
        f"the brief asks for a {match.design}, for which the library has no method of its own: the "
        "generic study is planned, and what is special to that design is left to whoever leads it",
    )


def _close(matches: Sequence[Match]) -> str:
    first, second = matches[:2]
    return (
        f"a {first.design} is planned, for {first.why}; a {second.design} stands close, so write "
        f"“family: {second.family}” if that is meant"
    )


def _unsure(considered: Sequence[Match]) -> str:
    named = "; ".join(f"{m.design}, for {m.why}" for m in considered)
    return (
        "which design the brief asks for is not sure: the generic study is planned, whose first step "
        f"is to choose one. Considered were {named}. Name the design in the brief, such as “family: "
        f"{considered[0].family}”, to have it planned"
    )
