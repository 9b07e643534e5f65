"""The steps of a run: discussion, ballots, elimination, until enough is out; then the report.

Time in a run is the game's own: a message takes as long as typing does, drawn from the seed, so
that a run of built-in voices waits for nothing and a replay tells the same story.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import anyio.to_thread
from pydantic import JsonValue

from core.events import RoundClosed
from core.graph.spec import END, START, GraphSpec, StateCodec, store_state
from core.kit import Kit
from core.modes.downselect import play
from core.modes.downselect.state import Ballot, Game, Option, Player, Rules, Wish
from core.modes.downselect.views import restored
from core.modes.downselect.voices import Speech, VoiceOf, ballot_of, look, speech_of, wish_of
from core.questions import ANYBODY, Question
from core.settings import Flags
from core.store import RunFolder
from core.values import Frozen

ABSTAIN = "abstain"
_LONGEST = 2_000
"""Characters of a person's message."""


class Opening(Frozen):
    """What a game begins with."""

    rules: Rules
    players: tuple[Player, ...]
    options: tuple[Option, ...] = ()
    """Those that passed every hard limit."""
    topics: tuple[str, ...] = ()
    within_s: float | None = None
    """Seconds that a person has for each answer; None waits for ever."""


class Report(Frozen):
    """What a game came to."""

    text: str
    """Markdown."""
    data: dict[str, JsonValue]


class Table(Protocol):
    """What the workbench says in this mode."""

    @property
    def opening(self) -> Opening:
        """What the game begins with."""
        ...

    @property
    def voice_of(self) -> VoiceOf:
        """Gives each voice."""
        ...

    def report(self, game: Game) -> Report:
        """Say what a game that is over came to; seconds of computing."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Deps(Kit):
    """The kit and what is said at the table."""

    table: Table


@dataclass(frozen=True, slots=True)
class SealedState:
    """Keeps a game as one artifact whose secrets nobody reads before its end."""

    def pack(self, state: Game, folder: RunFolder) -> dict[str, JsonValue]:
        """Return the digest of the game's artifact."""
        return {"state": store_state(state, folder)}

    def unpack(self, state: Game, packed: Any, folder: RunFolder) -> Game:  # noqa: ANN401 - as packed
        """Return the game of that artifact, opened with the key of *state*."""
        return restored(packed["state"], folder, state.key)


async def initialize_game(game: Game, deps: Deps) -> Game:
    """Begin the first round, unless the hard limits have left nothing to vote on."""
    del deps
    begun = play.begin_round(play.check_win(game))
    return _quiet(begun)


async def discussion_phase(game: Game, deps: Deps) -> Game:
    """Open the discussion; people have written what they want to say in it."""
    return _quiet(play.open_discussion(game, deps.chance))


async def ai_chat_agent(game: Game, deps: Deps) -> Game:
    """Let the next participant speak if it wants to; a person is one among them."""
    if not game.pending_ai_messages:
        return _proactive(game, deps)
    player, *rest = game.pending_ai_messages
    game = game.model_copy(update={"pending_ai_messages": tuple(rest)})
    if game.players[player].role == "human":
        text = _words(deps, question_id("say", game, player))
        first = not any(w.player == player and w.round == game.round for w in game.wishes)
        wish = Wish(should_respond=bool(text) and first, reason="it pressed send" if text else "")
    else:
        seen, name = look(game, player), f"wish/{game.round}/{player}/{len(game.wishes)}"
        wish = await wish_of(await _voice(deps, game, player), seen, deps.chance, name)
    noted = wish.model_copy(update={"round": game.round, "player": player})
    game = game.model_copy(update={"wishes": (*game.wishes, noted)})
    if not wish.should_respond:
        return game
    return await _spoken(game, player, deps)


async def _spoken(game: Game, player: str, deps: Deps) -> Game:
    human = game.players[player].role == "human"
    typing = deps.chance(f"typing/{game.round}/{len(game.chat_history)}").uniform(
        *game.rules.typing_s
    )
    start = game.now
    if not human and game.chat_history.messages:
        start = max(start, game.last_message_time + game.rules.cooldown_s)
    game = game.model_copy(update={"now": round(start + typing, 3)})
    if play.due(game):
        return game.model_copy(update={"pending_ai_messages": ()})  # too late: it is discarded
    if human:
        speech = Speech(text=_words(deps, question_id("say", game, player)))
    else:
        speech = await speech_of(await _voice(deps, game, player), look(game, player))

    after = play.with_message(game, player, speech.text, marks=speech.marks[:1], told=speech.told)
    deps.said(game.chat_history, after.chat_history.messages[-1])
    order = play.speaking_order(deps.chance, game.round, game.active)
    return _quiet(after.model_copy(update={"pending_ai_messages": play.rotated(order, player)}))


def _proactive(game: Game, deps: Deps) -> Game:
    """Ask everybody once more after a silence in which nobody has said anything."""
    order = play.speaking_order(deps.chance, game.round, game.active)
    later = round(game.now + game.rules.silence_s, 3)
    return game.model_copy(update={"proactive": True, "now": later, "pending_ai_messages": order})


async def voting_phase(game: Game, deps: Deps) -> Game:
    """Open the ballot; people have cast theirs by now."""
    del deps
    return _quiet(play.open_voting(game))


async def ai_vote_agent(game: Game, deps: Deps) -> Game:
    """Take the next participant's secret ballot."""
    player = game.pending_ai_votes[0]
    later = game.model_copy(
        update={"now": round(game.now + 1.0, 3), "pending_ai_votes": game.pending_ai_votes[1:]}
    )
    if game.players[player].role == "human":
        answer = _words(deps, question_id("vote", game, player))
        if answer == ABSTAIN:
            return later
        target = game.by_label(answer)
        ballot = Ballot(round=game.round, voter=player, target=target)
    else:
        voice = await _voice(deps, game, player)
        ballot = await ballot_of(voice, look(game, player), game, player, deps.chance)
    return _quiet(play.with_ballot(later, ballot))


async def elimination(game: Game, deps: Deps) -> Game:
    """Count the ballots and take out what they say."""
    after = play.eliminate(game, deps.chance)
    count = sum(b.round == game.round for b in game.ballots)
    deps.record(RoundClosed(round=game.round, out=after.eliminated_player, ballots=count))
    return _quiet(after)


async def check_win_condition(game: Game, deps: Deps) -> Game:
    """Decide whether the game is over."""
    del deps
    return _quiet(play.check_win(game))


async def new_round(game: Game, deps: Deps) -> Game:
    """Begin the next round with no votes in it."""
    del deps
    return _quiet(play.begin_round(game))


async def game_over(game: Game, deps: Deps) -> Game:
    """Open every label and ballot, and write what they come to."""
    after = play.reveal(game)
    report = await anyio.to_thread.run_sync(deps.table.report, after)
    text = json.dumps(report.data, indent=2, ensure_ascii=False)
    deps.folder.write_text("result.json", text + "\n")
    deps.folder.write_text("result.md", report.text)
    return _quiet(after)


def after_start(game: Game) -> str:
    """Go to the discussion, or to the end where nothing is left to vote on."""
    return "game_over" if game.winner else "discussion_phase"


def after_chat(game: Game) -> str:
    """Go on with the next participant until all have been asked, or time or messages are used."""
    said = play.said_this_round(game)
    if play.due(game) or said >= game.rules.messages_a_round:
        return "voting_phase"
    if game.pending_ai_messages or not (said or game.proactive):
        return "ai_chat_agent"
    return "voting_phase"


def after_vote(game: Game) -> str:
    """Go on until every ballot is in."""
    return "ai_vote_agent" if game.pending_ai_votes else "elimination"


def after_count(game: Game) -> str:
    """Go to the next round, or to the end once somebody has won or enough is out."""
    return "game_over" if game.winner else "new_round"


def question_id(kind: str, game: Game, player: str) -> str:
    """Return the id of what a person is asked in a round; it tells nothing of the label."""
    people = sorted(p.id for p in game.players.values() if p.role == "human")
    return f"{kind}-{game.round}-{people.index(player) + 1}"


def messages_wanted(game: Game, deps: Deps) -> Iterator[Question]:
    """Ask every person for its message of the round."""
    for player in _people(game):
        yield Question(
            id=question_id("say", game, player.id),
            kind="take_turn",
            text=f"Round {game.round}: what do you say to the others? Leave it empty to pass.",
            answer_schema={"type": "string", "maxLength": _LONGEST},
            who=_addressed(game, player),
            context=_context(game),
            within_s=deps.table.opening.within_s,  # after it the person has said nothing
        )


def ballots_wanted(game: Game, deps: Deps) -> Iterator[Question]:
    """Ask every person for its ballot of the round."""
    for player in _people(game):
        labels: list[JsonValue] = [*map(game.label, game.targets(player.id)), ABSTAIN]
        yield Question(
            id=question_id("vote", game, player.id),
            kind="vote",
            text=f"Round {game.round}: which one do you drop? Your ballot is secret.",
            answer_schema={"enum": labels},
            who=_addressed(game, player),
            context=_context(game),
            within_s=deps.table.opening.within_s,
            otherwise=ABSTAIN,
        )


def _context(game: Game) -> dict[str, JsonValue]:
    """Return what everybody sees; whoever reads the question learns no more."""
    options: Sequence[str] = [
        f"{game.label(o)}: {game.options[o].text}" for o in game.left if o in game.options
    ]
    found: dict[str, JsonValue] = {"topic": game.topic} if game.topic else {}
    if options:
        found["options"] = list(options)
    return {**found, "said so far": list(game.chat_history.lines())}


def _people(game: Game) -> list[Player]:
    return [p for _, p in sorted(game.players.items()) if p.role == "human" and not p.eliminated]


def _addressed(game: Game, player: Player) -> str:
    """Return who alone may answer: of several people each its own, of one whoever is there."""
    people = sum(p.role == "human" for p in game.players.values())
    return player.name if people > 1 else ANYBODY


def _words(deps: Deps, question: str) -> str:
    decision = deps.folder.decision(question)
    if decision is None:
        raise AssertionError(f"{question} was not asked")
    return str(decision.answer or "").strip()


async def _voice(deps: Deps, game: Game, player: str) -> Any:  # noqa: ANN401 - a Voice
    labels = {o: game.label(o) for o in game.options}
    return deps.table.voice_of(game.players[player], labels)


def _quiet(game: Game) -> Game:
    """Empty the queue: in a run the record tells everybody, and nobody listens."""
    return game.model_copy(update={"broadcast_queue": ()})


def _most_steps(game: Game, flags: Flags) -> int:
    """A round asks everybody once after each message, and once after a silence."""
    del flags
    seats = len(game.players)
    rounds = max(seats, len(game.options)) + 1
    return 5 + rounds * (6 + seats * (game.rules.messages_a_round + 3))


def game_spec() -> GraphSpec[Game, Deps]:
    """Return the graph of a game."""
    codec: StateCodec[Game] = SealedState()
    return GraphSpec(
        codec=codec,
        nodes={
            "initialize_game": initialize_game,
            "discussion_phase": discussion_phase,
            "ai_chat_agent": ai_chat_agent,
            "voting_phase": voting_phase,
            "ai_vote_agent": ai_vote_agent,
            "elimination": elimination,
            "check_win_condition": check_win_condition,
            "new_round": new_round,
            "game_over": game_over,
        },
        edges=(
            (START, "initialize_game"),
            ("discussion_phase", "ai_chat_agent"),
            ("voting_phase", "ai_vote_agent"),
            ("elimination", "check_win_condition"),
            ("new_round", "discussion_phase"),
            ("game_over", END),
        ),
        choices={
            "initialize_game": (after_start, ("discussion_phase", "game_over")),
            "ai_chat_agent": (after_chat, ("ai_chat_agent", "voting_phase")),
            "ai_vote_agent": (after_vote, ("ai_vote_agent", "elimination")),
            "check_win_condition": (after_count, ("new_round", "game_over")),
        },
        asks={"discussion_phase": messages_wanted, "voting_phase": ballots_wanted},
        step_limit=_most_steps,
    )
