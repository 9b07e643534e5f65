"""A mode of another package: seats speak in turn, one of them a person, until rounds are over."""

import json
from collections.abc import Iterator
from typing import ClassVar

from core.events import NodeEnded
from core.graph.spec import StoredState, restore_state
from core.kit import Kit
from core.messages import Message, MessageLog
from core.modes.spec import END, START, Ending, GraphSpec, Mode, RunParts, View
from core.questions import Question
from core.settings import Flags
from core.store import RunFolder
from core.trace import read_events
from core.values import Frozen

SEATS = ("host", "person", "critic")


class Table(Frozen):
    """Who sits there, what was said, and whose turn it is."""

    topic: str
    rounds: int = 2
    round: int = 1
    seat: int = 0
    log: MessageLog = MessageLog()

    @property
    def turn(self) -> str:
        return SEATS[self.seat]

    @property
    def question_id(self) -> str:
        return f"turn-{self.round}-{self.turn}"

    def spoken(self, log: MessageLog) -> "Table":
        last = self.seat == len(SEATS) - 1
        place = {"seat": 0, "round": self.round + 1} if last else {"seat": self.seat + 1}
        return self.model_copy(update={"log": log, **place})


class TableView(View):
    """What was said so far."""

    lines: tuple[str, ...] = ()


async def voice(state: Table, kit: Kit) -> Table:
    """Let a seat without a person say something that depends on chance and on what was said."""
    pick = kit.chance(f"{state.round}/{state.turn}").choice(["agrees", "doubts", "asks"])
    text = f"{state.turn} {pick} about {state.topic} after {len(state.log)} messages"
    said = Message(author=state.turn, text=text, round=state.round)
    return state.spoken(kit.said(state.log, said))


async def person(state: Table, kit: Kit) -> Table:
    """Take the person's words, which were asked for before this step began."""
    decision = kit.folder.decision(state.question_id)
    assert decision
    said = Message(
        author=state.turn, text=str(decision.answer), round=state.round, marks=("person",)
    )
    return state.spoken(kit.said(state.log, said))


def turn_of_person(state: Table, kit: Kit) -> Iterator[Question]:
    """Yield the question that the person's turn is."""
    yield Question(
        id=state.question_id,
        kind="take_turn",
        text=f"Round {state.round}: what do you say about {state.topic}?",
        answer_schema={"type": "string", "minLength": 1},
    )


async def close(state: Table, kit: Kit) -> Table:
    """Write what was said."""
    lines = list(state.log.lines())
    kit.folder.write_text("result.md", "\n".join([f"# {state.topic}", "", *lines, ""]))
    kit.folder.write_text("result.json", json.dumps({"lines": lines}) + "\n")
    return state


def whose_turn(state: Table) -> str:
    """Name the node of the seat that speaks next."""
    if state.round > state.rounds:
        return "close"
    return "person" if state.turn == "person" else "voice"


class Talk(Mode[Table, Kit]):
    """Seats in turn."""

    id = "talk"
    label = "Table talk"
    question = "What do several voices and I say of it?"
    started_files: ClassVar[tuple[str, ...]] = ("result.md",)

    def spec(self, flags: Flags) -> GraphSpec[Table, Kit]:
        seats = ("voice", "person", "close")
        return GraphSpec(
            codec=StoredState(Table),
            nodes={"voice": voice, "person": person, "close": close},
            edges=((START, "voice"), ("close", END)),
            choices={"voice": (whose_turn, seats), "person": (whose_turn, seats)},
            asks={"person": turn_of_person},
            step_limit=lambda state, flags: len(SEATS) * state.rounds + 3,
        )

    def deps(self, kit: Kit, parts: RunParts) -> Kit:
        return kit

    def begin(self, deps: Kit) -> Table:
        brief = deps.folder.read_json("brief.json")
        return Table(topic=str(brief.get("idea") or brief["objective"]))

    def ending(self, folder: RunFolder, state: Table | None = None) -> Ending:
        return Ending("finished")

    def partial_result(self, folder: RunFolder, parts: RunParts, standing: str) -> str:
        lines = self.view(folder, list(read_events(folder.trace_path))).lines
        return "\n".join([f"# Unfinished. {standing}", "", *lines, ""])

    def view(self, folder, rows, before=None) -> TableView:
        ends = [r.event.state_digest for r in rows if isinstance(r.event, NodeEnded)]
        if not ends:
            return TableView()
        return TableView(lines=tuple(restore_state(Table, ends[-1], folder).log.lines()))


MODE = Talk()
