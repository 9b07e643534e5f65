"""What one player may see of a position, and how it is told to a model."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pydantic import JsonValue

from core.errors import unknown
from dr_rd.files import read_text
from dr_rd.referee.doudizhu.grammar import GRAMMAR
from dr_rd.referee.doudizhu.position import (
    BID,
    BIDDING,
    FINISHED,
    NO_BID,
    PASS,
    PLAYERS,
    Action,
    Position,
)
from dr_rd.templates import fill

ONLOOKER = ""

_TIMES = {1: "once", 2: "twice"}


def view(position: Position, viewer: str) -> Mapping[str, JsonValue]:
    """Return what *viewer* may see: what is public, and the hand of that player.

    Raises CallerError if it is neither a player nor `ONLOOKER`.
    """
    if viewer not in (*PLAYERS, ONLOOKER):
        raise unknown("viewer", viewer, PLAYERS)
    table = position.table
    found: dict[str, Any] = {
        "game_status": position.status,
        "turn_player_id": None if position.winner else position.player,
        "last_move": last_move(position.actions),
        "players": [_player(position, place, viewer) for place in range(len(PLAYERS))],
        "landlord_extra_cards": [] if position.status == BIDDING else list(position.bottom),
        "winner": position.winner or None,
        "action_log": action_log(position.actions),
        "viewer": viewer,
        "deal": position.deal,
        "highest_bid": position.highest_bid,
        "must_bid": position.must_bid,
        "table": table.model_dump(mode="json") if table else None,
        "actions": [action.model_dump(mode="json") for action in position.actions],
        "variants": position.variants.model_dump(mode="json"),
    }
    return found


def _player(position: Position, place: int, viewer: str) -> dict[str, Any]:
    hand = position.hands[place]
    return {
        "id": PLAYERS[place],
        "name": position.names[place],
        "role": position.role(place),
        "hand": list(hand) if viewer == PLAYERS[place] else None,
        "hand_count": len(hand),
        "is_turn": place == position.turn and position.status != FINISHED,
    }


def last_move(actions: Sequence[Action]) -> dict[str, Any] | None:
    """Return the last play of cards; None before the first."""
    for action in reversed(actions):
        if action.cards:
            return {
                "player_id": action.player,
                "move_type": action.kind,
                "cards_played": list(action.cards),
            }
    return None


def action_log(
    actions: Sequence[Action], refused: Sequence[int] = (), forced: Collection[int] = ()
) -> list[str]:
    """Return the actions in words, a line each, with a line for each new deal.

    *refused* says how many decisions were sent back before each action, and *forced* which
    actions, counted from 0, the referee took for the player.
    """
    lines: list[str] = []
    for place, action in enumerate(actions):
        if place and action.deal != actions[place - 1].deal:
            lines.append(f"deal {action.deal}: nobody had bid")
        if times := sum(refused[place : place + 1]):
            lines.append(refusals(action.player, times))
        note = " (forced)" if place in forced else ""
        lines.append(f"{action.player}: {_done(action)}{note}")
    return lines


def refusals(player: str, times: int) -> str:
    """Say that decisions were sent back, and nothing of what they were: that tells of a hand."""
    return f"{player}: refused {_TIMES.get(times, f'{times} times')}"


def _done(action: Action) -> str:
    if action.kind in (NO_BID, PASS):
        return action.kind
    return f"bid {action.bid}" if action.kind == BID else " ".join(action.cards)


def prompt(position: Position, player: str) -> str:
    """Return *player*'s view in words, with the rules in brief and how a decision is written.

    Raises CallerError if there is no such player.
    """
    if player not in PLAYERS:
        raise unknown("player", player, PLAYERS)
    hand = position.hands[PLAYERS.index(player)]
    words = {**view(position, player), "hand": hand, "grammar": GRAMMAR}
    return fill(read_text("referee", "doudizhu.md.j2"), words)
