"""What is seen of a game while it goes on: the public part, and each position of a run."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from core.events import NodeEnded, Row
from core.graph.spec import restore_state
from core.modes.referee.state import ONLOOKER, Game, Turn
from core.modes.spec import View
from core.store import RunFolder


class GameView(View):
    """What everybody may see of a game while it goes on."""

    table: Mapping[str, JsonValue] = {}
    """The onlooker's view."""
    players: tuple[str, ...] = ()
    current_player_id: str = ""
    turn_history: tuple[Turn, ...] = ()
    log: tuple[str, ...] = ()
    game_over: bool = False
    winner: str = ""
    summary: str = ""


def public_view(state: Game) -> GameView:
    """Return what an onlooker sees of a state."""
    return GameView(
        table=state.views.get(ONLOOKER, {}),
        players=tuple(seat for seat in state.views if seat != ONLOOKER),
        current_player_id=state.current_player_id,
        turn_history=state.turn_history,
        log=tuple(state.messages.lines()),
        game_over=state.game_over,
        winner=state.winner,
        summary=state.summary,
    )


def states(rows: Sequence[Row]) -> list[str]:
    """Return the digests of a run's positions, from the first to the last, each once."""
    steps = ("start_game", "process_decision")
    ends = [e for e in (row.event for row in rows) if isinstance(e, NodeEnded) and e.node in steps]
    return list(dict.fromkeys(end.state_digest for end in ends))


def read_state(folder: RunFolder, digest: str) -> Game:
    """Return the state that is kept under that digest; who shows it chooses whose view."""
    return restore_state(Game, digest, folder)
