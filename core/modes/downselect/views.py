"""What one viewer sees of a game: labels until the end, and of ballots only its own."""

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue

from core.messages import MessageLog
from core.modes.downselect.play import revealed
from core.modes.downselect.state import Game, key_of, opened
from core.modes.spec import View
from core.store import RunFolder


class PlayerSeen(View):
    """A participant under its label."""

    label: str
    out: bool = False


class OptionSeen(View):
    """An option under its label."""

    label: str
    text: str
    out: bool = False


class GameView(View):
    """A game as one viewer sees it."""

    view_for: str = ""
    """The viewer's own label; "" of one who takes no part."""
    room_code: str
    phase: str
    round: int
    topic: str = ""
    options: tuple[OptionSeen, ...] = ()
    players: tuple[PlayerSeen, ...] = ()
    chat_history: tuple[Mapping[str, JsonValue], ...] = ()
    my_ballot: str | None = None
    """The label that the viewer has voted against in this round."""
    voted: int = 0
    seconds_left: int | None = None
    eliminated_player: str = ""
    """The label of what the last round took out."""
    winner: str | None = None
    revealed: Mapping[str, Any] | None = None
    """Who was behind the labels; None before the game is over."""


def view_for(game: Game, viewer: str = "", now: float | None = None) -> GameView:
    """Return what the player of that id sees, or anybody who takes no part."""
    over = game.phase == "game_over"
    limit = {"discussion": game.rules.discussion_s, "voting": game.rules.voting_s}.get(game.phase)
    passed = (game.now if now is None else now) - game.phase_start_time
    voted = game.votes.get(viewer)
    order = {label: key for key, label in game.pseudonym_map.items()}
    return GameView(
        view_for=game.label(viewer) if viewer else "",
        room_code=game.room_code,
        phase=game.phase,
        round=game.round,
        topic=game.topic,
        options=tuple(
            OptionSeen(label=label, text=o.text, out=o.eliminated)
            for label in sorted(order)
            if (o := game.options.get(order[label]))
        ),
        players=tuple(
            PlayerSeen(label=label, out=p.eliminated)
            for label in sorted(order, key=lambda k: (len(k), k))
            if (p := game.players.get(order[label]))
        ),
        chat_history=tuple(
            {"by": m.author, "text": m.text, "round": m.round} for m in game.chat_history.messages
        ),
        my_ballot=game.label(voted) if voted else None,
        voted=len(game.votes),
        seconds_left=None if limit is None else max(0, round(limit - passed)),
        eliminated_player=game.eliminated_player,
        winner=game.winner if over else None,
        revealed=revealed(game) if over else None,
    )


def restored(name: str, folder: RunFolder, key: str = "") -> Game:
    """Return the game that is kept under that digest; its key follows from the run's seed."""
    key = key or key_of(folder.options().seed)
    found = folder.kept(name)
    found.pop("rounds_closed", None)
    if "sealed" in found:
        found |= opened(found.pop("sealed"), key)
    found["chat_history"] = MessageLog.restored(found["chat_history"], folder.kept)
    return Game.model_validate({**found, "key": key})
