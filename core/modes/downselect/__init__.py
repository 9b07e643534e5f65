"""A blind down-select: discussion, secret ballots and elimination until enough is out.

::

    state.py    the game's state; what is secret is sealed until the end
    play.py     the moves: pure functions from one state to the next
    counts.py   ballots counted: who is out, Borda, Condorcet
    voices.py   those who talk and vote, and what they may know
    views.py    what one viewer sees
    nodes.py    the steps of a run, as a graph
    room.py     a live room: several people and voices at once, on a clock
"""

from collections.abc import Sequence
from typing import cast

from core.events import NodeEnded, Row
from core.kit import Kit
from core.modes.downselect.nodes import Deps, Table, game_spec
from core.modes.downselect.play import dealt
from core.modes.downselect.state import Game
from core.modes.downselect.views import GameView, restored, view_for
from core.modes.spec import Ending, GraphSpec, Mode, RunParts, View
from core.settings import Flags
from core.store import TRACE, RunFolder
from core.trace import read_events


class Downselect(Mode[Game, Deps]):
    """Options or participants under neutral labels, until enough of them are out."""

    id = "downselect"
    label = "Blind down-select"
    question = "Which of these should I drop, and does one voice decide it?"
    hides = True
    rank = 30

    def spec(self, flags: Flags) -> GraphSpec[Game, Deps]:
        """Return the graph of a game."""
        del flags
        return game_spec()

    def deps(self, kit: Kit, parts: RunParts) -> Deps:
        """Join the kit with what is said at the table."""
        table = cast(Table, parts.content(kit))
        return Deps(**{n: getattr(kit, n) for n in Kit.__dataclass_fields__}, table=table)

    def begin(self, deps: Deps) -> Game:
        """Return a game in its lobby, its labels drawn from the run's seed."""
        opening = deps.table.opening
        return dealt(
            room_code=deps.folder.run_id,
            rules=opening.rules,
            players=opening.players,
            options=opening.options,
            topics=opening.topics,
            seed=deps.options.seed,
            chance=deps.chance,
        )

    def ending(self, folder: RunFolder, state: Game | None = None) -> Ending:
        """A game ends complete; one that no option was fit for has a hole where its answer is."""
        del state
        if folder.read_json("result.json").get("kept") == []:
            return Ending("holes", "no option keeps every hard limit")
        return Ending("finished")

    def partial_result(self, folder: RunFolder, parts: RunParts, standing: str) -> str:
        """Return what everybody may know of an unfinished game: labels and messages."""
        del parts
        rows = list(read_events(folder.trace_path)) if folder.has(TRACE) else []
        seen = self.view(folder, rows)
        lines = ["# Unfinished down-select", "", f"{standing}.", ""]
        if isinstance(seen, GameView):
            lines += [f"Round {seen.round}, {seen.phase.replace('_', ' ')}.", ""]
            lines += [f"- {o.label}{' (out)' if o.out else ''}: {o.text}" for o in seen.options]
            lines += ["", *(f"`[{said['by']}]:` {said['text']}" for said in seen.chat_history)]
        return "\n".join((*lines, ""))

    def view(
        self, folder: RunFolder, rows: Sequence[Row], before: View | None = None
    ) -> View | None:
        """Return what somebody sees who takes no part."""
        del before
        ends = [r.event.state_digest for r in rows if isinstance(r.event, NodeEnded)]
        return view_for(restored(ends[-1], folder)) if ends and ends[-1] else None


MODE = Downselect()
