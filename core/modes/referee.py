"""Moves under rules: a player decides, the referee holds it against the rules, and so on to the end.

An illegal decision changes nothing and goes back to the same player with the reason, a bounded
number of times; then the referee makes a legal move for the player. What is hidden of a position
is in the state alone: everybody else sees views of it, each player their own.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import JsonValue

from core.errors import CallerError
from core.events import NodeEnded, Row
from core.graph.spec import StoredState, restore_state
from core.kit import Kit
from core.messages import Message, MessageLog
from core.modes.spec import END, START, Ending, GraphSpec, Mode, RunParts, View
from core.pluralize import pluralize
from core.questions import ANYBODY, Question
from core.rules import Move, RuleOutcome, RuleSet, Ruling
from core.settings import Flags
from core.store import RunFolder
from core.trace import read_events
from core.values import Frozen

ONLOOKER = ""
"""Who sees what is public and no more."""

REFEREE = "referee"
"""Who tells the log of refusals."""

_MOST_SHOWN = 40
"""Legal moves that a person is shown."""


class Turn(Frozen):
    """A legal move that was made."""

    player: str
    action: str
    """The move in the rule set's grammar."""
    refused: int = 0
    """How many decisions of the same turn were refused before it."""
    forced: bool = False
    """Whether the referee made it, because the player found no legal one."""


class Refused(Frozen):
    """A decision of the turn in hand that was sent back."""

    text: str
    """What the player wrote."""
    move: Move | None = None
    """What it means; None where it cannot be read."""
    ruling: Ruling


class Said(Frozen):
    """What a player decides, as it is written."""

    text: str
    marks: tuple[str, ...] = ()
    """How it came about, such as "person" or "failed"."""


class Game(Frozen):
    """One game, or one allocation, under a set of rules."""

    game: Mapping[str, JsonValue] = {}
    """The position, hidden parts included; no view, prompt, event or log has it."""
    views: Mapping[str, Mapping[str, JsonValue]] = {}
    """What each player may see, by id, and what an onlooker may."""
    current_player_id: str = ""
    messages: MessageLog = MessageLog()
    """The public log."""
    turn_history: tuple[Turn, ...] = ()
    game_over: bool = False
    winner: str = ""
    """Who won, or the winners' side; "" while nobody has."""
    summary: str = ""
    last_valid_move: Move | None = None
    invalid_move_feedback: str = ""
    """Why the last decision was refused; for the same player alone. "" after a legal one."""
    refused: tuple[Refused, ...] = ()
    """The decisions of the turn in hand that were sent back."""
    decision: Said | None = None
    """What was decided and is not judged yet."""
    retries: int = 0
    """How often a player is asked again in one turn."""
    most_moves: int = 0

    @property
    def question_id(self) -> str:
        """The name of the question that the turn in hand is to a person."""
        return f"turn-{len(self.turn_history) + 1}-try-{len(self.refused) + 1}"


class Played(Frozen):
    """A game that is over, for whoever writes its result."""

    turns: tuple[Turn, ...]
    log: tuple[Message, ...]
    outcome: RuleOutcome


class Table(Protocol):
    """What a game needs of the workbench: its rules, and who sits there."""

    @property
    def rules(self) -> RuleSet[Any]:
        """The rules."""
        ...

    @property
    def setup(self) -> Mapping[str, JsonValue]:
        """What is played for, as the rules ask for it."""
        ...

    @property
    def people(self) -> Mapping[str, str]:
        """The seats that people hold: by player's id, who may answer; "" is anybody."""
        ...

    @property
    def retries(self) -> int:
        """How often a player is asked again in one turn before the referee moves."""
        ...

    async def decide(
        self, position: Frozen, player: str, number: int, refused: Sequence[Refused]
    ) -> Said:
        """Return what a player decides who is no person; *number* counts the turns from 1."""
        ...

    def result(self, position: Frozen, played: Played) -> tuple[str, JsonValue]:
        """Return the result for people, in Markdown, and for programs."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Deps(Kit):
    """The kit and the table."""

    table: Table

    def position(self, state: Game) -> Frozen:
        """Return the position of a state."""
        found: Frozen = self.table.rules.position.model_validate(state.game)
        return found


async def start_game(state: Game, deps: Deps) -> Game:
    """Deal, or lay out what is bid for."""
    table = deps.table
    position = table.rules.start(table.setup, deps.chance("start"))
    unknown = sorted(set(table.people) - set(table.rules.players(position)))
    if unknown:
        raise CallerError(
            f"no seat is called {unknown[0]!r}; give people one of "
            f"{', '.join(table.rules.players(position))}"
        )
    begun = state.model_copy(
        update={"retries": table.retries, "most_moves": table.rules.longest(position)}
    )
    return _at(begun, position, table.rules)


async def player_agent(state: Game, deps: Deps) -> Game:
    """Let the player to move decide; a person was asked before this step began."""
    if state.game_over:
        return state
    player = state.current_player_id
    if player in deps.table.people:
        decision = deps.folder.decision(state.question_id)
        if decision is None:
            raise AssertionError(f"{state.question_id} was not answered")
        said = Said(text=str(decision.answer), marks=("person",))
    else:
        said = await deps.table.decide(
            deps.position(state), player, len(state.turn_history) + 1, state.refused
        )
    return state.model_copy(update={"decision": said})


def turn_of_person(state: Game, deps: Deps) -> Iterator[Question]:
    """Yield the question that a person's turn is; it shows that player's view and no more."""
    table, player = deps.table, state.current_player_id
    if state.game_over or player not in table.people:
        return
    position, again = deps.position(state), bool(state.refused)
    moves = [move.text for move in table.rules.legal_moves(position)]
    yield Question(
        id=state.question_id,
        kind="take_turn",
        # the text is told to everybody who watches: the reason of a refusal is not in it
        text=f"Turn {len(state.turn_history) + 1}: what does {player} decide"
        + (", now that its last decision was refused?" if again else "?"),
        answer_schema={"type": "string", "minLength": 1, "maxLength": 500},
        who=table.people[player] or ANYBODY,
        context={
            "player": player,
            "view": dict(state.views[player]),
            "described": table.rules.describe(position, player),
            "refused": state.invalid_move_feedback,
            "tries_left": state.retries - len(state.refused),
            "legal": list(moves[:_MOST_SHOWN]),
            "more_legal": max(0, len(moves) - _MOST_SHOWN),
        },
    )


async def process_decision(state: Game, deps: Deps) -> Game:
    """Referee the decision: make the move, send it back, or move for a player out of tries."""
    if state.game_over or state.decision is None:
        return state
    rules, position, said = deps.table.rules, deps.position(state), state.decision
    judged = _judged(rules, position, said.text)
    if judged.ruling.legal and judged.move:
        return _moved(state, deps, position, judged.move, said.marks)
    refused = (*state.refused, judged)
    told = judged.ruling.public
    log = _logged(
        state,
        deps,
        f"{state.current_player_id} was refused" + (f": {told}" if told else ""),
        REFEREE,
        ("refused", *said.marks),
    )
    back = state.model_copy(
        update={
            "messages": log,
            "refused": refused,
            "decision": None,
            "invalid_move_feedback": judged.ruling.reason,
        }
    )
    if len(refused) <= state.retries:
        return back
    return _moved(back, deps, position, rules.forced(position), ("forced",))


async def end_game(state: Game, deps: Deps) -> Game:
    """Write how it ended."""
    position = deps.position(state)
    outcome = deps.table.rules.outcome(position)
    if outcome is None:
        raise AssertionError("the rules go on, and the game is over")
    played = Played(turns=state.turn_history, log=state.messages.messages, outcome=outcome)
    text, facts = deps.table.result(position, played)
    deps.folder.write_text("result.md", text)
    deps.folder.write_text("result.json", json.dumps(facts, ensure_ascii=False, indent=2) + "\n")
    return state


def _judged(rules: RuleSet[Any], position: Frozen, text: str) -> Refused:
    """Read a decision and hold it against the rules."""
    try:
        move = rules.read(text)
    except CallerError as wrong:
        reason = str(wrong)
        return Refused(text=text, ruling=Ruling(legal=False, reason=reason))
    return Refused(text=text, move=move, ruling=rules.validate(position, move))


def _moved(state: Game, deps: Deps, position: Frozen, move: Move, marks: tuple[str, ...]) -> Game:
    player, forced = state.current_player_id, "forced" in marks
    turn = Turn(player=player, action=move.text, refused=len(state.refused), forced=forced)
    after = state.model_copy(
        update={
            "messages": _logged(state, deps, move.text, player, marks),
            "turn_history": (*state.turn_history, turn),
            "last_valid_move": move,
            "invalid_move_feedback": "",
            "refused": (),
            "decision": None,
        }
    )
    rules = deps.table.rules
    return _at(after, rules.apply(position, move), rules)


def _logged(state: Game, deps: Deps, text: str, author: str, marks: tuple[str, ...]) -> MessageLog:
    number = len(state.turn_history) + 1
    said = Message(author=author, text=text, round=number, marks=marks)
    return deps.said(state.messages, said)


def _at(state: Game, position: Frozen, rules: RuleSet[Any]) -> Game:
    """Return the state with that position, and what of it each may see."""
    outcome = rules.outcome(position)
    seats = (*rules.players(position), ONLOOKER)
    return state.model_copy(
        update={
            "game": position.model_dump(mode="json"),
            "views": {seat: dict(rules.view(position, seat)) for seat in seats},
            "current_player_id": "" if outcome else rules.to_move(position),
            "game_over": outcome is not None,
            "winner": (outcome.side or ", ".join(outcome.winners)) if outcome else "",
            "summary": outcome.summary if outcome else "",
        }
    )


def after_decision(state: Game) -> str:
    """Name the step after a decision: the same player or the next, or the end."""
    return "end_game" if state.game_over else "player_agent"


def _step_limit(state: Game, flags: Flags) -> int:
    del flags
    return 2 * state.most_moves * (state.retries + 1) + 4


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
            step_limit=_step_limit,
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
