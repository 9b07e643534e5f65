"""Seats in turn, one round an invocation, a person in any of them: a supervisor's round table.

::

    START → lead → seat → … → seat → settle → close → END
                     ↕ human, where a person holds the seat whose turn it is

The lead opens every round and nobody else ever sits in its place. A round ends after the last seat,
and control returns to the lead, who opens the next one where the scenario asks for more.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Protocol, runtime_checkable

from pydantic import JsonValue

from core.errors import CallerError, Stopped, TaskError, Waiting
from core.events import NodeEnded, Row
from core.graph.spec import StoredState, restore_state
from core.kit import Kit
from core.messages import Message, MessageLog
from core.modes.spec import END, START, Ending, GraphSpec, Mode, Node, RunParts, View
from core.questions import Question
from core.settings import Flags
from core.store import RunFolder
from core.trace import read_events
from core.values import Frozen

LEAD = "dm"
"""Who leads a table that names nobody."""

HUMAN, SETTLE, CLOSE = "human", "settle", "close"
"""The nodes of no seat: the person's, the one that ends a round, and the one that ends the run."""

NOBODY = "nobody"
"""The seat that a person takes who takes none."""

FAILED, BY_PERSON, SILENT = "failed", "by a person", "silent"
"""Marks of what was said."""

_MEMORY = 12_000
"""Characters of a log that seats are shown before it is shortened."""

_PASSES = (240, 60)
"""Characters that each pass leaves of an entry of an earlier round, and then of every entry."""


class Speech(Frozen):
    """What came of one turn."""

    text: str
    marks: tuple[str, ...] = ()
    by: str = ""
    """The person who said it; "" for the seat's agent."""
    board: JsonValue = None
    """What lies on the table after the turn; None leaves it as it was."""


class PanelState(Frozen):
    """Who sits at the table, whose turn it was last, what was said and what lies on the table."""

    topic: str = ""
    turn_queue: tuple[str, ...] = (LEAD,)
    """The seats in their order, the lead first."""
    labels: Mapping[str, str] = {}
    """What people call each seat."""
    rounds: int = 1
    """How many rounds an invocation has."""
    round: int = 1
    current_turn: str = ""
    """Who acted last; "" before anybody has."""
    human_active: bool = False
    controlled_character: str = ""
    """The seat that the person holds."""
    person: str = ""
    """The one person who may answer for it; anybody may if empty."""
    ask_seat: bool = False
    """Whether a person is asked before each round which seat to take."""
    ground_truth_log: MessageLog = MessageLog()
    """What was said, in order, by whom; it only grows."""
    memory: tuple[str, ...] = ()
    """The log as the seats of this round are shown it: shortened, and every entry attributed."""
    board: JsonValue = None
    """What lies on the table, in the content's own form."""
    error: str = ""
    """Why a round was broken off; the rest is then as it was before it."""

    @property
    def lead(self) -> str:
        """Who opens each round."""
        return self.turn_queue[0]

    @property
    def next_seat(self) -> str:
        """Whose turn it is; "" after the last seat, and the lead's where nobody is known to have acted."""
        if self.current_turn not in self.turn_queue:
            return self.lead
        place = self.turn_queue.index(self.current_turn) + 1
        return self.turn_queue[place] if place < len(self.turn_queue) else ""

    @property
    def turn_id(self) -> str:
        """The name of the question that the person's turn is."""
        return f"turn-{self.round}-{self.next_seat.replace('_', '-')}"

    @property
    def seat_id(self) -> str:
        """The name of the question which seat to take in this round."""
        return f"seat-{self.round}"

    @property
    def failed(self) -> tuple[str, ...]:
        """The seats whose turn failed, in order."""
        return tuple(m.author for m in self.ground_truth_log.messages if FAILED in m.marks)

    def called(self, seat: str) -> str:
        """Return what people call a seat."""
        return self.labels.get(seat, seat)


@runtime_checkable
class PanelContent(Protocol):
    """What the workbench says at the table."""

    def opening(self) -> PanelState:
        """Return the table before anybody has spoken."""
        ...

    async def speak(self, seat: str, state: PanelState) -> Speech:
        """Return what a seat says; raises TaskError if it cannot."""
        ...

    async def heard(self, seat: str, words: str, by: str, state: PanelState) -> Speech:
        """Return what a person, called *by*, said in a seat, with what follows from it."""
        ...

    def shown(self, seat: str, state: PanelState) -> Mapping[str, JsonValue]:
        """Return what a person should see who is about to speak in a seat."""
        ...

    async def settle(self, state: PanelState) -> JsonValue:
        """Return what lies on the table once everybody has spoken."""
        ...

    def offers(self, state: PanelState) -> Sequence[Question]:
        """Return what people are to decide before the run ends."""
        ...

    async def result(
        self, state: PanelState, answers: Mapping[str, JsonValue]
    ) -> tuple[str, Mapping[str, JsonValue]]:
        """Return the result as Markdown and as JSON, which names the seats that `failed`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelDeps(Kit):
    """The kit, and what is said at the table."""

    table: PanelContent


def route_to_next_agent(state: PanelState) -> str:
    """Return who acts next: a seat, the person in its place, or END after the last one."""
    seat = state.next_seat
    if not seat:
        return END
    held = state.human_active and state.controlled_character == seat != state.lead
    return HUMAN if held else seat


def remembered(log: MessageLog, round_: int, most: int = _MEMORY) -> tuple[str, ...]:
    """Return the log's lines, in at most two passes shortened towards *most* characters.

    The first pass cuts what was said in earlier rounds, the second everything. No line is dropped
    and each keeps its author, so that a long log still tells who said what.
    """
    lines = tuple(log.lines())
    for number, length in enumerate(_PASSES):
        if sum(map(len, lines)) <= most:
            break
        lines = tuple(
            f"[{m.author}]: {_clipped(m.text, length)}" if number or m.round < round_ else line
            for m, line in zip(log.messages, lines, strict=True)
        )
    return lines


def _clipped(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length].rstrip()} …"


async def speak(seat: str, state: PanelState, deps: PanelDeps) -> PanelState:
    """Let a seat speak; one that fails leaves a marked entry, and the round goes on."""
    if seat == state.lead:
        state = _opened(state, deps)
    try:
        speech = await deps.table.speak(seat, state)
    except TaskError as failure:
        speech = Speech(text=f"({seat} could not speak: {failure})", marks=(FAILED,))
    return _acted(seat, speech, state, deps)


async def human(state: PanelState, deps: PanelDeps) -> PanelState:
    """Take the person's words instead of the seat's agent, or hand the seat back to it."""
    decision = deps.folder.decision(state.turn_id)
    if decision is None:
        raise AssertionError(f"{state.turn_id} was not asked")
    answer: Any = decision.answer
    given = {"say": answer} if isinstance(answer, str) else answer
    if taken := given.get("take"):
        after = {"controlled_character": taken, "human_active": True}
    elif given.get("release"):
        after = {"controlled_character": "", "human_active": False}
    else:
        after = {}
    said = given.get("say", "").strip()
    if not said:  # the seat is its agent's again, in this very turn
        return state.model_copy(update=after)
    seat = state.next_seat
    speech = await deps.table.heard(seat, said, decision.by, state)
    spoken = speech.model_copy(update={"marks": (*speech.marks, BY_PERSON), "by": decision.by})
    return _acted(seat, spoken, state, deps).model_copy(update=after)


async def settle(state: PanelState, deps: PanelDeps) -> PanelState:
    """End the round; the next one, where there is one, begins with the lead."""
    board = await deps.table.settle(state)
    more = {"round": state.round + 1, "current_turn": ""} if state.round < state.rounds else {}
    return state.model_copy(update={"board": board, **more})


async def close(state: PanelState, deps: PanelDeps) -> PanelState:
    """Write what the table came to, with what people decided on it."""
    asked = deps.table.offers(state) if deps.flags.APPROVAL_REQUIRED else ()
    decided = ((q.id, deps.folder.decision(q.id)) for q in asked)
    answers = {key: found.answer for key, found in decided if found}
    text, plain = await deps.table.result(state, answers)
    deps.folder.write_text("result.md", text)
    deps.folder.write_text("result.json", json.dumps(plain, indent=2, ensure_ascii=False) + "\n")
    return state


def _opened(state: PanelState, deps: PanelDeps) -> PanelState:
    """Begin a round: nobody has acted in it, and a person may have taken a seat before it."""
    update: dict[str, Any] = {
        "current_turn": "",
        "error": "",
        "memory": remembered(state.ground_truth_log, state.round),
    }
    if decision := deps.folder.decision(state.seat_id):
        taken = "" if decision.answer == NOBODY else str(decision.answer)
        update |= {"controlled_character": taken, "human_active": bool(taken)}
    return state.model_copy(update=update)


def _acted(seat: str, speech: Speech, state: PanelState, deps: PanelDeps) -> PanelState:
    message = Message(
        author=seat, text=speech.text, round=state.round, marks=speech.marks, by=speech.by
    )
    log = deps.said(state.ground_truth_log, message)
    board = state.board if speech.board is None else speech.board
    return state.model_copy(update={"ground_truth_log": log, "current_turn": seat, "board": board})


def _before_round(state: PanelState, deps: PanelDeps) -> Iterator[Question]:
    """Ask which seat a person takes, where the scenario or the settings want people asked."""
    if (state.ask_seat or deps.flags.APPROVAL_REQUIRED) and len(state.turn_queue) > 1:
        seats = state.turn_queue[1:]
        yield Question(
            id=state.seat_id,
            kind="take_turn",
            text=f"Round {state.round}: which seat do you take?",
            answer_schema={"enum": [NOBODY, *seats]},
            who=state.person,
            context={"seats": {seat: state.called(seat) for seat in seats}},
        )


def _in_turn(state: PanelState, deps: PanelDeps) -> Iterator[Question]:
    """Ask the person who holds a seat for its words."""
    seat = state.next_seat
    others = [s for s in state.turn_queue[1:] if s != seat]
    fields: dict[str, JsonValue] = {
        "say": {"type": "string", "pattern": r"\S"},
        "release": {"const": True},
        **({"take": {"enum": list(others)}} if others else {}),
    }
    yield Question(
        id=state.turn_id,
        kind="take_turn",
        text=f"Round {state.round}: what does {state.called(seat)} say?",
        answer_schema={
            "oneOf": [
                {"type": "string", "pattern": r"\S"},
                {
                    "type": "object",
                    "properties": fields,
                    "additionalProperties": False,
                    "minProperties": 1,
                },
            ]
        },
        who=state.person,
        context={
            "log": "\n".join(state.ground_truth_log.lines()),
            **deps.table.shown(seat, state),
            "to hand the seat back": '{"release": true}, also with "say"',
        },
    )


def _before_close(state: PanelState, deps: PanelDeps) -> Sequence[Question]:
    return deps.table.offers(state) if deps.flags.APPROVAL_REQUIRED else ()


def _steps(state: PanelState, flags: Flags) -> int:
    """A seat may take two steps, the person's and then its agent's; a round ends with one more."""
    del flags
    return (2 * len(state.turn_queue) + 1) * state.rounds + 2


def spec_of(queue: tuple[str, ...]) -> GraphSpec[PanelState, PanelDeps]:
    """Return the graph of a table: a node a seat, one for the person, and the ends.

    Raises CallerError if two seats share a name, or one has that of another node.
    """
    _check(queue)

    def after_seat(state: PanelState) -> str:
        found = route_to_next_agent(state)
        return SETTLE if found == END else found

    def after_round(state: PanelState) -> str:
        return CLOSE if state.current_turn == queue[-1] else queue[0]

    nodes: dict[str, Node[PanelState, PanelDeps]] = {seat: partial(speak, seat) for seat in queue}
    anywhere = (*queue[1:], *((HUMAN,) if len(queue) > 1 else ()), SETTLE)
    persons = {HUMAN: human} if len(queue) > 1 else {}
    return GraphSpec(
        codec=StoredState(PanelState),
        nodes={**nodes, **persons, SETTLE: settle, CLOSE: close},
        edges=((START, queue[0]), (CLOSE, END)),
        choices={
            **{seat: (after_seat, anywhere) for seat in (*queue, *persons)},
            SETTLE: (after_round, (queue[0], CLOSE)),
        },
        asks={
            queue[0]: _before_round,
            **({HUMAN: _in_turn} if persons else {}),
            CLOSE: _before_close,
        },
        step_limit=_steps,
    )


def _check(queue: tuple[str, ...]) -> None:
    taken = {HUMAN, SETTLE, CLOSE, NOBODY, START, END}
    wrong = [seat for seat in queue if seat in taken or seat != seat.lower() or not seat]
    twice = [seat for seat in queue if queue.count(seat) > 1]
    if not queue or wrong or twice:
        named = next(iter([*wrong, *twice]), "")
        raise CallerError(
            f"seat {named!r} cannot sit at the table; give each seat a name of its own in lower "
            f"case, and none of {', '.join(sorted(taken))}"
        )


async def run_single_round(state: PanelState, deps: PanelDeps) -> PanelState:
    """Return the table after one round, which begins with its lead.

    Where the round cannot be brought to its end the table is as it was, with the error. Raises
    Waiting while the person whose turn it is has not answered.
    """
    spec = spec_of(state.turn_queue)
    name, after = spec.entry, state
    for _ in range(spec.step_limit(state, deps.flags)):
        if name in (SETTLE, END):
            return after
        try:
            after = await spec.do(name, after, deps)
        except Waiting:
            raise
        except (CallerError, Stopped, TaskError) as failure:
            return state.model_copy(update={"error": str(failure)})
        name = spec.following(name, after)
    return state.model_copy(update={"error": f"the round did not end, and was at {name}"})


class PanelView(View):
    """What is seen of a table."""

    state: PanelState = PanelState()


class Panel(Mode[PanelState, PanelDeps]):
    """Seats speak in turn on a plan, and each answers those before it."""

    id = "panel"
    label = "Panel"
    question = (
        "What would a statistician, a finance lead, an ethicist and a sceptic change in this plan?"
    )
    rank = 30
    started_files: ClassVar[tuple[str, ...]] = ("result.md",)

    def spec(self, flags: Flags) -> GraphSpec[PanelState, PanelDeps]:
        """Return the graph of the smallest table with a person's place in it."""
        del flags
        return spec_of((LEAD, "seat"))

    def deps(self, kit: Kit, parts: RunParts) -> PanelDeps:
        """Join the kit with what is said at the table."""
        table = parts.content(kit)
        if not isinstance(table, PanelContent):
            raise AssertionError(f"{type(parts).__name__} says nothing at a table")
        known = {name: getattr(kit, name) for name in Kit.__dataclass_fields__}
        return PanelDeps(**known, table=table)

    def begin(self, deps: PanelDeps) -> PanelState:
        """Return the table before anybody has spoken."""
        return deps.table.opening()

    async def run(self, state: PanelState, deps: PanelDeps) -> PanelState:
        """Drive the table of this run's own seats."""
        # imported here: the graph library takes a second, and not every command needs it
        from core.graph.build import run  # noqa: PLC0415

        return await run(spec_of(state.turn_queue), state, deps)

    def ending(self, folder: RunFolder, state: PanelState | None = None) -> Ending:
        """Say whether every seat could speak."""
        failed: Any = state.failed if state else folder.read_json("result.json")["failed"]
        reason = f"no turn of {', '.join(dict.fromkeys(failed))}" if failed else ""
        return Ending("holes", reason) if failed else Ending("finished")

    def partial_result(self, folder: RunFolder, parts: RunParts, standing: str) -> str:
        """Write what was said so far."""
        del parts
        lines = self.view(folder, list(read_events(folder.trace_path))).state
        said = lines.ground_truth_log.lines()
        return "\n".join([f"# {lines.topic or 'Panel'} (unfinished: {standing})", "", *said, ""])

    def view(
        self, folder: RunFolder, rows: Sequence[Row], before: View | None = None
    ) -> PanelView:
        """Return the table after the last step that ended."""
        del before
        ends = [r.event.state_digest for r in rows if isinstance(r.event, NodeEnded)]
        return (
            PanelView(state=restore_state(PanelState, ends[-1], folder)) if ends else PanelView()
        )


MODE = Panel()
