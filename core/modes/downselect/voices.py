"""Those who talk and vote without being asked by hand, and what they may know when they do."""

from collections.abc import Callable, Mapping
from typing import Protocol

from core.clock import RandomFor
from core.errors import TaskError
from core.modes.downselect.play import CONTEXT, FALLBACK, TRIES, last_speaker
from core.modes.downselect.state import Ballot, Game, Player, Wish
from core.values import Frozen

FILLER = "I have nothing to add on that yet."
"""What is said for a voice that gave no usable words; the message is marked."""


class Line(Frozen):
    """One message as a participant sees it."""

    by: str
    text: str
    mine: bool = False


class Look(Frozen):
    """All that a participant may know: labels, never who or what is behind them."""

    you: str
    """The participant's own label."""
    round: int
    topic: str
    options: Mapping[str, str] = {}
    """Texts of the options left, by label; empty in a game between participants."""
    players: tuple[str, ...]
    """Labels of those who still take part, the participant among them."""
    targets: tuple[str, ...]
    """Labels that the participant may vote against."""
    lines: tuple[Line, ...] = ()
    """The last messages."""
    all_lines: tuple[Line, ...] = ()
    """Every message of the game."""
    this_round: int = 0
    """How many of those are of this round."""
    told: tuple[str, ...] = ()
    """Keys of the facts that were said aloud."""
    share: float = 0.0
    """The participant's share of the round's messages."""
    last_speaker: str = ""
    quiet_s: float = 0.0
    """Seconds since anybody said anything."""
    proactive: bool = False
    """Whether it is asked because nobody speaks."""
    before: tuple[str, ...] = ()
    """The participant's own ranking of its last ballot, by label."""
    told_before: tuple[str, ...] = ()
    """Keys of the facts that had been said when it cast that ballot."""


class Speech(Frozen):
    """What a voice says."""

    text: str
    told: tuple[str, ...] = ()
    """Keys of the facts that it makes known."""
    marks: tuple[str, ...] = ()


class Choice(Frozen):
    """What a voice votes, in labels."""

    vote: str
    reason: str
    ranking: tuple[str, ...] = ()
    scores: Mapping[str, float] = {}
    changed: str = ""


class Voice(Protocol):
    """A participant that is no person; each call may be slow and may raise TaskError."""

    async def wish(self, look: Look) -> Wish:
        """Say whether it wants to speak now."""
        ...

    async def speak(self, look: Look) -> Speech:
        """Say something."""
        ...

    async def vote(self, look: Look, refused: str) -> Choice:
        """Name whom or what to drop; *refused* says why the last try was none."""
        ...


VoiceOf = Callable[[Player, Mapping[str, str]], Voice]
"""Returns the voice of a player, given the labels of the options by id."""


def look(game: Game, player: str) -> Look:
    """Return what *player* may know."""
    own = game.label(player)
    said = game.chat_history.messages
    lines = tuple(Line(by=m.author, text=m.text, mine=m.author == own) for m in said)
    now = [m for m in said if m.round == game.round]
    mine = [b for b in game.ballots if b.voter == player and b.ranking]
    return Look(
        you=own,
        round=game.round,
        topic=game.topic,
        options={game.label(o): game.options[o].text for o in game.left if o in game.options},
        players=tuple(map(game.label, game.active)),
        targets=tuple(map(game.label, game.targets(player))),
        lines=lines[-CONTEXT:],
        all_lines=lines,
        this_round=len(now),
        told=game.told,
        share=sum(m.author == own for m in now) / len(now) if now else 0.0,
        last_speaker=last_speaker(game),
        quiet_s=round(game.now - max(game.last_message_time, game.phase_start_time), 3),
        proactive=game.proactive,
        before=tuple(map(game.label, mine[-1].ranking)) if mine else (),
        told_before=game.told[: mine[-1].heard] if mine else (),
    )


async def wish_of(voice: Voice, seen: Look, chance: RandomFor, name: str) -> Wish:
    """Return whether a voice speaks; one whose decision cannot be read speaks by chance."""
    if seen.last_speaker == seen.you:
        return Wish(should_respond=False, reason="it spoke last")
    try:
        found = await voice.wish(seen)
    except TaskError as failure:
        drawn = chance(name).random() < FALLBACK
        why = f"its decision could not be read ({failure}); {FALLBACK:.0%} by chance"
        return Wish(should_respond=drawn, reason=why)
    return found


async def speech_of(voice: Voice, seen: Look) -> Speech:
    """Return what a voice says, or a neutral filler that is marked as such."""
    try:
        found = await voice.speak(seen)
    except TaskError as failure:
        return Speech(text=FILLER, marks=("filler", str(failure)))
    return found if found.text.strip() else Speech(text=FILLER, marks=("filler", "no words"))


async def ballot_of(
    voice: Voice, seen: Look, game: Game, player: str, chance: RandomFor
) -> Ballot:
    """Return a voice's ballot in ids: legal at one of three tries, or else drawn."""
    refused = ""
    for attempt in range(1, TRIES + 1):
        try:
            choice = await voice.vote(seen, refused)
        except TaskError as failure:
            refused = str(failure)
            continue
        if choice.vote in seen.targets:
            return _mapped(choice, game, player, attempt)
        refused = f"{choice.vote!r} is nobody you can vote against"
    target = chance(f"ballot/{seen.round}/{player}").choice(game.targets(player))
    return Ballot(
        round=game.round,
        voter=player,
        target=target,
        reason=f"no legal target in {TRIES} tries: {refused}",
        tries=TRIES,
        marks=("by chance",),
    )


def _mapped(choice: Choice, game: Game, player: str, attempt: int) -> Ballot:
    known = {game.label(t): t for t in game.left}
    ranking = tuple(known[label] for label in choice.ranking if label in known)
    return Ballot(
        round=game.round,
        voter=player,
        target=known[choice.vote],
        reason=choice.reason,
        ranking=ranking,
        scores={known[label]: v for label, v in choice.scores.items() if label in known},
        changed=choice.changed,
        heard=len(game.told),
        tries=attempt,
    )
