"""Moves under rules: a player decides, the referee holds it against the rules, and so on to the end.

An illegal decision changes nothing and goes back to the same player with the reason, a bounded
number of times; then the referee makes a legal move for the player. What is hidden of a position
is in the state alone: everybody else sees views of it, each player their own.

::

    state.py   the game's state, and what it needs of the workbench
    nodes.py   the steps of a run, as a graph
    views.py   what is seen of it
"""

from collections.abc import Sequence
from typing import Any

from core.events import Row
from core.graph.spec import StoredState
from core.kit import Kit
from core.modes.referee.nodes import (
    after_decision,
    end_game,
    player_agent,
    process_decision,
    start_game,
    step_limit,
    turn_of_person,
)
from core.modes.referee.state import Deps, Game
from core.modes.referee.views import GameView, public_view, read_state, states
from core.modes.spec import END, START, Ending, GraphSpec, Mode, RunParts, View
from core.pluralize import pluralize
from core.settings import Flags
from core.store import RunFolder
from core.trace import read_events


class Referee(Mode[Game, Deps]):
    """Players move in turn, and a referee holds every move against the rules."""

    id = "referee"
    label = "Refereed moves"
    question = "Who gets what under hard limits, and what does each limit cost?"
    hides = True

    def spec(self, flags: Flags) -> GraphSpec[Game, Deps]:
        """Return the graph: decide, referee, and again until it is over."""
        del flags
        return GraphSpec(
            codec=StoredState(Game),
            nodes={
                "start_game": start_game,
                "player_agent": player_agent,
                "process_decision": process_decision,
                "end_game": end_game,
            },
            edges=(
                (START, "start_game"),
                ("start_game", "player_agent"),
                ("player_agent", "process_decision"),
                ("end_game", END),
            ),
            choices={"process_decision": (after_decision, ("player_agent", "end_game"))},
            asks={"player_agent": turn_of_person},
            step_limit=step_limit,
            measured_after=("start_game",),
        )

    def deps(self, kit: Kit, parts: RunParts) -> Deps:
        """Join the kit with the table."""
        table: Any = parts.content(kit)
        return Deps(**{n: getattr(kit, n) for n in Kit.__dataclass_fields__}, table=table)

    def begin(self, deps: Deps) -> Game:
        """Return the state before anything is dealt."""
        del deps
        return Game()

    def ending(self, folder: RunFolder, state: Game | None = None) -> Ending:
        """A game that is over is complete, however it was played."""
        del folder, state
        return Ending("finished")

    def partial_result(self, folder: RunFolder, parts: RunParts, standing: str) -> str:
        """Return the public log so far."""
        del parts
        seen = self.view(folder, list(read_events(folder.trace_path)))
        return "\n".join((f"# Unfinished. {standing}", "", *(f"- {ln}" for ln in seen.log), ""))

    def remaining(self, folder: RunFolder) -> str:
        """Say how far the game is."""
        seen = self.view(folder, list(read_events(folder.trace_path)))
        return f"{pluralize(len(seen.turn_history), 'move')} made"

    def view(self, folder: RunFolder, rows: Sequence[Row], before: View | None = None) -> GameView:
        """Return what an onlooker sees."""
        del before
        found = states(rows)
        return public_view(read_state(folder, found[-1])) if found else GameView()


MODE = Referee()
