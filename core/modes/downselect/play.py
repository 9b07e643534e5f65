"""The moves of a game: pure functions from one state to the next, shared by runs and live rooms.

lobby → discussion → voting → elimination → discussion … → game_over
"""

from collections.abc import Iterable, Sequence
from typing import Any

from core.clock import RandomFor
from core.messages import Message
from core.modes.downselect.counts import close_round
from core.modes.downselect.state import (
    Ballot,
    Broadcast,
    Game,
    Option,
    Phase,
    Player,
    Refused,
    Rules,
    key_of,
)

FALLBACK = 0.3
"""How often a voice speaks whose decision cannot be read."""
TRIES = 3
"""How often a voter is asked for a legal target before chance gives one."""
CONTEXT = 8
"""How many messages a participant is shown when it decides."""
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def dealt(
    *,
    room_code: str,
    rules: Rules,
    players: Sequence[Player],
    options: Sequence[Option] = (),
    topics: Sequence[str] = (),
    seed: int,
    chance: RandomFor,
) -> Game:
    """Return a game in its lobby: everybody and everything under a label that the seed draws."""
    names = [f"Player {number}" for number in range(1, len(players) + 1)]
    chance("labels/players").shuffle(names)
    letters = [f"Option {_lettered(number)}" for number in range(len(options))]
    chance("labels/options").shuffle(letters)
    people = [p for p in players if p.role == "human"]
    return Game(
        room_code=room_code,
        key=key_of(seed),
        rules=rules,
        num_ai_players=len(players) - len(people),
        players={p.id: p for p in players},
        options={o.id: o for o in options},
        topics=tuple(topics),
        ai_personalities={p.id: p.personality for p in players if p.role == "ai"},
        pseudonym_map={
            **dict(zip((p.id for p in players), names, strict=True)),
            **dict(zip((o.id for o in options), letters, strict=True)),
        },
        human_external_name=", ".join(p.name for p in people),
    )


def _lettered(number: int) -> str:
    """Return A to Z, then AA, AB and so on."""
    head, tail = divmod(number, len(_LETTERS))
    return (_LETTERS[head - 1] if head else "") + _LETTERS[tail]


def changed(game: Game, *told: Broadcast, **fields: Any) -> Game:  # noqa: ANN401 - any field
    """Return the game with other *fields* and with *told* at the end of its queue."""
    queue = (*game.broadcast_queue, *told)
    return game.model_copy(update={**fields, "broadcast_queue": queue})


def speaking_order(chance: RandomFor, number: int, players: Iterable[str]) -> tuple[str, ...]:
    """Return in which order the participants of a round are asked whether they speak."""
    order = sorted(players)
    chance(f"order/{number}").shuffle(order)
    return tuple(order)


def begin_round(game: Game) -> Game:
    """Begin the next round with its topic; nobody has voted in it."""
    number = game.round + 1
    topic = game.topics[(number - 1) % len(game.topics)] if game.topics else game.topic
    told = [Broadcast(event="new_round", data={"round": number})] if number > 1 else []
    told += [
        Broadcast(event="player_list", data={"players": [game.label(p) for p in game.active]}),
        Broadcast(event="topic", data={"topic": topic, "round": number}),
    ]
    return changed(
        game,
        *told,
        round=number,
        topic=topic,
        votes={},
        proactive=False,
        round_start_time=game.now,
    )


def open_discussion(game: Game, chance: RandomFor) -> Game:
    """Let everybody who is left speak."""
    return changed(
        game,
        _phase("discussion", game.round),
        phase="discussion",
        phase_start_time=game.now,
        pending_ai_messages=speaking_order(chance, game.round, game.active),
        pending_ai_votes=(),
    )


def open_voting(game: Game) -> Game:
    """End the talk; whoever was about to speak speaks no more."""
    _expect(game, "discussion", "the ballot is opened once")
    return changed(
        game,
        _phase("voting", game.round),
        phase="voting",
        phase_start_time=game.now,
        pending_ai_messages=(),
        pending_ai_votes=tuple(sorted(game.active)),
    )


def check_may_speak(game: Game, player: str) -> None:
    """Raise Refused, with the reason, if *player* may not speak now."""
    _expect(game, "discussion", "messages are taken only in the discussion")
    if player not in game.active:
        raise Refused("you are out of the game and speak no more")


def check_may_say_more(game: Game, player: str) -> None:
    """Raise Refused, with the reason, if a person has said as much as a round takes of one."""
    check_may_speak(game, player)
    label, most = game.label(player), game.rules.messages_a_person
    said = sum(m.author == label and m.round == game.round for m in game.chat_history.messages)
    if said >= most:
        raise Refused(f"you have said {most} messages in this round, which is the most")


def with_message(
    game: Game, player: str, text: str, *, marks: Sequence[str] = (), told: Sequence[str] = ()
) -> Game:
    """Add a message; after it all others are asked again, in their order."""
    check_may_speak(game, player)
    said = Message(author=game.label(player), text=text, round=game.round, marks=tuple(marks))
    data = {"by": said.author, "text": text, "number": len(game.chat_history) + 1}
    return changed(
        game,
        Broadcast(event="message", data=data),
        chat_history=game.chat_history.with_message(said),
        told=tuple(dict.fromkeys((*game.told, *told))),
        last_message_time=game.now,
    )


def rotated(order: Sequence[str], player: str) -> tuple[str, ...]:
    """Return everybody but *player*, beginning after it: nobody speaks twice running."""
    at = list(order).index(player)
    return (*order[at + 1 :], *order[:at])


def check_may_vote(game: Game, voter: str) -> None:
    """Raise Refused, with the reason, if *voter* may not vote now."""
    _expect(game, "voting", "ballots are taken only in the voting")
    if voter not in game.active:
        raise Refused("you are out of the game and vote no more")
    if voter in game.votes:
        raise Refused("your ballot of this round is in already; each has one")


def with_ballot(game: Game, ballot: Ballot) -> Game:
    """Take a secret ballot; everybody is told how many are in, and no more."""
    check_may_vote(game, ballot.voter)
    if ballot.target not in game.targets(ballot.voter):
        choices = ", ".join(game.label(t) for t in game.targets(ballot.voter))
        raise Refused(f"that is nothing you can vote against; choose from: {choices}")
    votes = {**game.votes, ballot.voter: ballot.target}
    count = {"voted": len(votes), "of": len(game.active)}
    return changed(
        game,
        Broadcast(event="voted", data=count),
        votes=votes,
        ballots=(*game.ballots, ballot),
        pending_ai_votes=tuple(p for p in game.pending_ai_votes if p != ballot.voter),
    )


def eliminate(game: Game, chance: RandomFor) -> Game:
    """Count the round's ballots and take out what they say; each is counted once."""
    _expect(game, "voting", "a round is counted once, after its ballots")
    ballots = [b for b in game.ballots if b.round == game.round]
    done = close_round(game.round, ballots, game.left, chance)
    label = game.label(done.out)
    data: dict[str, Any] = {"out": label, "round": game.round, "ballots": len(ballots)}
    fields: dict[str, Any] = {}
    if game.rules.vote_for == "players":
        gone = game.players[done.out]
        data["role"] = gone.role  # known from here on: the game goes on or it does not
        fields["players"] = {**game.players, done.out: _out(gone)}
    else:
        option = game.options[done.out]
        fields["options"] = {**game.options, done.out: _out(option)}
    return changed(
        game,
        _phase("elimination", game.round),
        Broadcast(event="elimination", data=data),
        phase="elimination",
        phase_start_time=game.now,
        closed=(*game.closed, done),
        eliminated_player=label,
        pending_ai_votes=(),
        **fields,
    )


def check_win(game: Game) -> Game:
    """Decide whether the game is over, and who has won it."""
    if game.rules.vote_for == "options":
        return changed(game, winner="none") if len(game.left) <= game.rules.keep else game
    people = [p for p in game.players.values() if p.role == "human"]
    voices_out = sum(p.eliminated for p in game.players.values() if p.role == "ai")
    if people and all(p.eliminated for p in people):
        return changed(game, winner="ai")
    if voices_out >= min(game.rules.rounds_to_win, game.num_ai_players) or len(game.active) < 3:
        return changed(game, winner="human" if people else "none")
    return game


def reveal(game: Game) -> Game:
    """End the game and open every label and ballot."""
    return changed(
        game,
        _phase("game_over", game.round),
        Broadcast(event="game_over", data={"winner": game.winner, **revealed(game)}),
        phase="game_over",
        phase_start_time=game.now,
    )


def revealed(game: Game) -> dict[str, Any]:
    """Return who was behind every label; only for a game that is over."""
    roles = {
        game.label(p.id): {"role": p.role, "is": p.name or p.personality}
        for p in game.players.values()
    }
    options = {game.label(o.id): o.id for o in game.options.values()}
    return {"players": roles, "options": options}


def last_speaker(game: Game) -> str:
    """Return the label that spoke last in this round; "" if nobody did."""
    said = game.chat_history.messages
    return said[-1].author if said and said[-1].round == game.round else ""


def said_this_round(game: Game) -> int:
    """Return how many messages the round has."""
    return sum(m.round == game.round for m in game.chat_history.messages)


def due(game: Game) -> bool:
    """Whether the phase's time is over, or in voting nobody is waited for."""
    passed = game.now - game.phase_start_time
    if game.phase == "discussion":
        return passed >= game.rules.discussion_s
    return game.phase == "voting" and (
        passed >= game.rules.voting_s or len(game.votes) >= len(game.active)
    )


def _expect(game: Game, phase: Phase, why: str) -> None:
    if game.phase != phase:
        raise Refused(f"the game is in {game.phase.replace('_', ' ')}: {why}")


def _phase(name: Phase, number: int) -> Broadcast:
    return Broadcast(event="phase", data={"phase": name, "round": number})


def _out(thing: Any) -> Any:  # noqa: ANN401 - a player or an option
    return thing.model_copy(update={"eliminated": True})
