"""The steps of a game: lay out, decide, referee, and write how it ended."""

import json
from collections.abc import Iterator
from typing import Any

from core.errors import CallerError
from core.messages import Message, MessageLog
from core.modes.referee.state import ONLOOKER, REFEREE, Deps, Game, Played, Refused, Said, Turn
from core.questions import ANYBODY, Question
from core.rules import Move, RuleSet, Ruling
from core.settings import Flags
from core.values import Frozen, canonical

_MOST_SHOWN = 40
"""Legal moves that a person is shown."""


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
    """Return the state with that position, and what of it each may see.

    The position is as the state's file has it, its keys in order: a run that goes on after a crash
    reads that one, and has to come to the same bytes.
    """
    game = json.loads(canonical(position.model_dump(mode="json")))
    position = rules.position.model_validate(game)
    outcome = rules.outcome(position)
    seats = (*rules.players(position), ONLOOKER)
    return state.model_copy(
        update={
            "game": game,
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


def step_limit(state: Game, flags: Flags) -> int:
    """Return the most steps that a game takes: every move refused as often as it may be."""
    del flags
    return 2 * state.most_moves * (state.retries + 1) + 4
