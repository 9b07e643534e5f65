"""The report of a down-select: the finding first, what is asked of the analyst, then the tables."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib.resources import files

from core.modes.downselect.counts import condorcet, pairwise, points_of
from core.modes.downselect.nodes import Report
from core.modes.downselect.state import Game
from core.pluralize import joined, pluralize
from dr_rd.modes.downselect.panel import TIE, Panel, graded
from dr_rd.modes.downselect.result import (
    Asked,
    BallotResult,
    Counted,
    FactResult,
    Flip,
    OptionResult,
    Result,
    RoundResult,
    ScreenResult,
)
from dr_rd.modes.downselect.screens import Screened
from dr_rd.modes.downselect.study import Firmness, Study
from dr_rd.plain import plain_values
from dr_rd.templates import clipped, fill

Admitted = Callable[[str], Panel]
"""Returns the panel with one option that was screened out."""
Questions = Callable[[str], Sequence[str]]
"""Returns what only the analyst can answer of an option."""

_DRAW = 0.6
"""Share of games below which what remains is called a draw."""
_SLIGHT = 0.3
"""Further weight up to which a weight counts among what makes a choice loose."""
_FIRM = 0.9
"""Share of games from which what remains is called firm."""


def reported(
    game: Game,
    panel: Panel | None,
    *,
    title: str,
    screened: Sequence[Screened] = (),
    seed: int,
    admitted: Admitted,
    questions: Questions,
    matrix: Mapping[str, float],
) -> Report:
    """Return the report of a game that is over; without a *panel* it was between participants.

    Of the options the plan's own decision *matrix* gives weighted scores, where it knows them.
    """
    if panel is None:
        result = _of_players(game, seed)
    else:
        result = _of_options(game, panel, screened, seed, admitted, questions, matrix)
    template = files(__package__).joinpath("result.md.j2").read_text("utf-8")
    plain = result.model_dump(mode="json")
    values = plain_values({"title": title, "r": plain})
    return Report(text=fill(template, values), data=plain)


def _of_players(game: Game, seed: int) -> Result:
    kept = tuple(map(game.label, game.active))
    people = [game.label(p.id) for p in game.players.values() if p.role == "human"]
    out = [game.label(c.out) for c in game.closed]
    who = " and ".join(people) or "nobody"
    if game.winner == "ai":
        finding = f"The voices have won: {who}, the person, was voted out in round {game.round}."
    elif game.winner == "human":
        finding = f"{who}, the person, has won: {pluralize(len(out), 'voice')} went first."
    else:
        finding = f"{', '.join(kept)} remain of a game without people."
    return Result(
        finding=finding,
        seed=seed,
        vote_for="players",
        winner=game.winner or "none",
        kept=kept,
        players=_players(game),
        rounds=tuple(_rounds(game)),
    )


def _of_options(
    game: Game,
    panel: Panel,
    screened: Sequence[Screened],
    seed: int,
    admitted: Admitted,
    questions: Questions,
    matrix: Mapping[str, float],
) -> Result:
    kept = tuple(sorted(game.left))
    people = {
        p.id: [b.target for b in game.ballots if b.voter == p.id]
        for p in game.players.values()
        if p.role == "human"
    }
    rules = game.rules
    made = partial(Study, keep=rules.keep, messages=rules.messages_a_round, people=people)
    options = sorted(panel.options)
    debated = len(options) > rules.keep
    study = made(panel)
    everything = list(panel.criteria)
    pairs = pairwise([graded(panel.scores(v, everything, options)) for v in panel.voters], options)
    points = points_of(pairs, options)
    places = [*kept, *reversed([c.out for c in game.closed])]
    weighed = debated and bool(panel.criteria)  # else all games are draws, and say nothing
    seeds = (study.over_seeds(), study.over_weights()) if weighed else ()
    flips = tuple(_flips(study, panel, " + ".join(kept))) if weighed else ()
    screens = tuple(_screens(screened, admitted, made))
    seats = {v: game.label(v) for v in panel.voters}
    named = [(v, f"{seats[v]}, {panel.voters[v].title}") for v in panel.voters] if weighed else []
    result = Result(
        finding="",
        seed=seed,
        vote_for="options",
        winner=" + ".join(kept),
        kept=kept,
        players=_players(game),
        options=tuple(
            OptionResult(
                id=o,
                label=game.label(o),
                text=panel.options[o],
                place=1 if o in kept else places.index(o) + 1,
                borda=points[o],
                beats=tuple(_beaten(o, pairs)),
            )
            for o in sorted(options, key=places.index)
        ),
        screened=screens,
        facts=tuple(_facts(game, panel, seats)),
        rounds=tuple(_rounds(game)),
        condorcet=condorcet(pairs, options) or "",
        seeds=tuple(_counted(f) for f in seeds),
        votes_left_out=tuple(_counted(study.without_vote(v), name) for v, name in named),
        voters_left_out=tuple(_counted(study.without(v), name) for v, name in named),
        flips=flips,
        matrix={o: matrix[o] for o in options if o in matrix},
        twins=_twins(panel),
    )
    result = result.model_copy(
        update={"questions": tuple(_asked(result, questions)), "unmoved": _unmoved(result)}
    )
    return result.model_copy(update={"finding": _finding(result, panel)})


def _finding(result: Result, panel: Panel) -> str:
    kept = joined(result.kept)
    if not result.kept:
        nearest = [s.id for s in result.screened if s.repair]
        more = f"; {joined(nearest)} would with fewer words" if nearest else ""
        return f"No option keeps every hard limit as it is worded{more}, so nothing was voted on."
    if not result.rounds:
        barred = joined([s.id for s in result.screened])
        return (
            f"{kept} alone is left: {barred} broke a hard limit before any debate, so look at "
            "those limits and not at the ballots."
            if barred
            else f"{kept} is all there was to choose from."
        )
    if not panel.criteria:
        screened = [s.id for s in result.screened]
        out = (
            f"{joined(screened)} broke a hard limit before any debate; of the rest, "
            if screened
            else ""
        )
        even = joined(sorted(panel.options))
        return (
            f"No choice between {even}: {out}nothing that is known sets one before another. "
            f"{kept} remains by the seed's draw alone, so do not take that for a finding."
        )
    twin = next((t for t in result.twins if set(t) & set(result.kept)), ())
    if twin and len(result.kept) == 1:
        others = " or ".join(twin)
        return (
            f"Keep {others}: what is known weighs the same for them, so that {kept} is the one "
            f"that remains is the seed's draw; {_others(result, twin)}."
        )
    if len(panel.criteria) == 1:
        (only,) = panel.criteria.values()
        fact = only.facts[result.rounds[-1].out]
        worst = clipped(fact.says)
        if fact.silence:
            return (
                f"Keep {kept} only if this is so of {result.rounds[-1].out}: {worst}. Nothing else "
                "sets the options apart, and that is open, so settle it first."
            )
        return (
            f"Keep {kept}: one fact alone sets the options apart, and the ballots only repeat it "
            f"({result.rounds[-1].out}: {worst})."
        )
    return _voted(result, kept)


def _voted(result: Result, kept: str) -> str:
    """Say what ballots about several facts came to, and what that hangs on."""
    last, over_seeds = result.rounds[-1], result.seeds[0]
    same = over_seeds.counts.get(result.winner, 0)
    if same < _DRAW * over_seeds.of:
        counts = ", ".join(f"{k} in {n}" for k, n in over_seeds.counts.items())
        return (
            f"No firm choice: of {over_seeds.of} seeds the same facts keep {counts}; this run's "
            f"kept {kept}. Ballots tie where no fact separates, so bring a fact that does."
        )
    against, cast = last.drops[last.out], sum(last.drops.values())
    how = (
        f"{against} to {cast - against}"
        if last.rule == "most ballots"
        else f"on a tie ({last.rule})"
    )
    if same < _FIRM * over_seeds.of:
        hangs = (
            f"the seed has a hand in it: other seeds keep it in {same} of {over_seeds.of} games, "
            "since ballots tie where no fact separates"
        )
    else:
        hangs = _hangs(result)
    matrix = result.matrix
    first = max(sorted(matrix), key=lambda o: matrix[o]) if matrix else ""
    ahead = matrix.get(first, 0.0) - max((matrix.get(k, 0.0) for k in result.kept), default=0.0)
    against_plan = f" The plan's own decision matrix puts {first} first." if ahead >= TIE else ""
    return f"Keep {kept}: {last.out} went last, {how}, and {hangs}.{against_plan}"


def _hangs(result: Result) -> str:
    """Say what a choice hangs on that every seed makes: facts, weights, both or a voter."""
    facts = [f for f in result.flips if f.kind == "fact"]
    weights = [f for f in result.flips if f.kind == "weight"]
    slight = [f for f in weights if f.share <= _SLIGHT]
    drawn = result.seeds[1]
    share = drawn.counts.get(result.winner, 0)
    loose = f"weights drawn anew keep it in {share} of {drawn.of} games"
    if facts and slight:
        many = f"{pluralize(len(facts), 'fact')} and {pluralize(len(slight), 'weight')}"
        return (
            f"neither facts nor weights make it firm: {many} overturn it, each alone, such as "
            f"{facts[0].then} if {_clause(facts[0])}, or {slight[0].then} if {slight[0].what}"
        )
    if facts:
        many = (
            "one fact decides it" if len(facts) == 1 else f"each of {len(facts)} facts decides it"
        )
        also = f"; {loose}" if share < _FIRM * drawn.of else ""
        return f"{many}: if {_clause(facts[0])}, {facts[0].then} is kept instead{also}"
    if weights:
        return f"the weights decide it: if {weights[0].what}, {weights[0].then} is kept instead"
    if share < _FIRM * drawn.of:
        return f"the weights decide it: {loose}"
    if any(c.counts.get(result.winner, 0) <= c.of / 2 for c in result.voters_left_out):
        return "no single fact changes that, but a missing voter does"
    return "no single fact, weight, vote or voter's absence changes that"


def _clause(flip: Flip) -> str:
    lead = "that is open" if flip.silence else "it is not"
    return f"{flip.what} ({lead}: {flip.why_not})" if flip.why_not else flip.what


def _unmoved(result: Result) -> str:
    """Say what stands where no fact and no weight flips the outcome."""
    if result.flips or not result.seeds or not result.facts:
        return ""
    over_seeds = result.seeds[0]
    if over_seeds.counts.get(result.winner, 0) >= _FIRM * over_seeds.of:
        return (
            "No fact overturned alone, and no further weight up to 0.5 on one criterion, changes "
            "what is kept."
        )
    drawn = " and ".join(over_seeds.counts)
    return (
        "No fact overturned alone, and no further weight up to 0.5 on one criterion, decides the "
        f"draw between {drawn}: what is known weighs the same for them or divides the voters "
        "evenly, so it takes a fact that is not here."
    )


def _others(result: Result, twin: Sequence[str]) -> str:
    """Say what went before the twins were left."""
    out = [r.out for r in result.rounds if r.out not in twin]
    return f"{' and '.join(out)} went by ballots" if out else "no ballot was about anything else"


def _asked(result: Result, questions: Questions) -> Iterator[str]:
    for s in result.screened:
        mended = (
            f" Without “{s.struck}” it breaks nothing that code can check; whether the sense still "
            "does is yours to say."
            if s.repair
            else ""
        )
        yield f"Is {s.id} rightly out? {s.why}.{mended} {_let_in(s, result)}".strip()
    for twins in result.twins:
        yield (
            f"What sets {joined(twins)} apart? What is known weighs the same for them, so "
            "between them the ballots are the seed's draw; give what you know as facts of a "
            "scenario."
        )
    facts = [f for f in result.flips if f.kind == "fact"]
    for flip in facts[:2]:
        times = f"{flip.times} of {flip.of}"
        yield f"Check this first: if {_clause(flip)}, {flip.then} is kept in {times} games."
    for option in result.kept:
        for question in questions(option)[:2]:
            yield f"Before you take {option}: {question}"


def _let_in(screened: ScreenResult, result: Result) -> str:
    """Say what remains if an option is let in that broke a limit."""
    asked = screened.admitted
    if asked is None:
        return ""
    best = max(sorted(asked.counts), key=lambda k: asked.counts[k])
    times = f"{asked.counts[best]} of {asked.of} games"
    if best == result.winner:
        return f"Let in, it changes nothing: {best} is kept in {times}."
    return f"Let in, {best} is kept in {times}."


def _twins(panel: Panel) -> tuple[tuple[str, ...], ...]:
    """Return the options of which every fact has the same value."""
    alike: dict[tuple[float, ...], list[str]] = {}
    for option in sorted(panel.options):
        values = tuple(round(row[option], 3) for row in panel.values.values())
        alike.setdefault(values, []).append(option)
    return tuple(tuple(group) for group in alike.values() if len(group) > 1)


def _flips(study: Study, panel: Panel, kept: str) -> Iterator[Flip]:
    for key, option, found in sorted(
        study.overturned(kept), key=lambda flip: -flip[2].share(flip[2].usual)
    ):
        criterion = panel.criteria[key]
        fact = criterion.facts[option]
        yield Flip(
            kind="fact",
            what=f"{option} were as good as the best on “{criterion.title}”",
            why_not=clipped(fact.says),
            silence=fact.silence,
            then=found.usual,
            times=found.counts[found.usual],
            of=found.of,
        )
    for key, share, found in sorted(study.weighed_more(kept), key=lambda flip: flip[1]):
        yield Flip(
            kind="weight",
            what=f"all voters gave “{panel.criteria[key].title}” a further {share:.1f} of weight",
            share=share,
            then=found.usual,
            times=found.counts[found.usual],
            of=found.of,
        )


def _screens(
    screened: Sequence[Screened], admitted: Admitted, made: Callable[[Panel], Study]
) -> Iterator[ScreenResult]:
    for s in screened:
        panel = admitted(s.id)
        asked = made(panel).over_seeds() if len(panel.options) > 1 else None
        yield ScreenResult(
            id=s.id,
            text=s.text,
            why=s.why,
            repair=s.repair,
            struck=s.struck,
            admitted=_counted(asked, f"with {s.id} let in") if asked else None,
        )


def _facts(game: Game, panel: Panel, seats: Mapping[str, str]) -> Iterator[FactResult]:
    for key, c in panel.criteria.items():
        yield FactResult(
            criterion=key,
            title=c.title,
            holder=seats.get(c.holder, ""),
            facts={
                o: {"value": f.value, "says": f.says, "source": f.source}
                for o, f in c.facts.items()
            },
            told=not c.holder or key in game.told,
        )


def _beaten(option: str, pairs: Mapping[tuple[str, str], tuple[int, int]]) -> Iterator[str]:
    for (one, other), (ahead, behind) in pairs.items():
        if option == one and ahead > behind:
            yield other
        elif option == other and behind > ahead:
            yield one


def _counted(found: Firmness, question: str = "") -> Counted:
    return Counted(question=question or found.question, counts=found.counts, of=found.of)


def _players(game: Game) -> dict[str, dict[str, str]]:
    order = sorted(game.players.values(), key=lambda p: (len(game.label(p.id)), game.label(p.id)))
    return {game.label(p.id): {"role": p.role, "is": p.name or p.personality} for p in order}


def _rounds(game: Game) -> Iterator[RoundResult]:
    """Open every round; options under their ids, participants under their labels."""
    named = (lambda k: k) if game.rules.vote_for == "options" else game.label
    for done in game.closed:
        number = done.round
        said = [m for m in game.chat_history.messages if m.round == number]
        ballots = [b for b in game.ballots if b.round == number]
        first: dict[str, Asked] = {}
        for wish in (w for w in game.wishes if w.round == number):
            label = game.label(wish.player)
            if label not in first or wish.should_respond:
                first[label] = Asked(
                    player=label, should_respond=wish.should_respond, reason=wish.reason
                )
        yield RoundResult(
            round=number,
            topic=game.topics[(number - 1) % len(game.topics)] if game.topics else "",
            asked=tuple(first[k] for k in sorted(first, key=lambda k: (len(k), k))),
            messages=tuple(
                {"by": m.author, "text": m.text, "marks": ", ".join(m.marks)} for m in said
            ),
            ballots=tuple(
                BallotResult(
                    voter=game.label(b.voter),
                    drops=named(b.target),
                    reason=b.reason,
                    ranking=tuple(map(named, b.ranking)),
                    scores={named(k): v for k, v in b.scores.items()},
                    changed=b.changed,
                    marks=b.marks,
                )
                for b in sorted(
                    ballots, key=lambda b: (len(game.label(b.voter)), game.label(b.voter))
                )
            ),
            drops={named(k): v for k, v in done.drops.items()},
            borda={named(k): v for k, v in done.borda.items()},
            out=named(done.out),
            rule=done.rule,
        )
