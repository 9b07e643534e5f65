"""The steps of a delivery: a stage, people where it is stuck, and the result."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from pydantic import JsonValue

from core.errors import TaskError
from core.events import RouteTaken, WorkflowStarted
from core.graph.spec import END, START, GraphSpec, Node, StoredState
from core.kit import Kit
from core.messages import Message
from core.modes.delivery.routing import after_gate, after_people, after_stage
from core.modes.delivery.state import (
    CLOSE,
    DESIGNER,
    ESCALATE,
    Config,
    Delivery,
    Route,
    Update,
    apply,
)
from core.pluralize import pluralize
from core.questions import Question
from core.settings import Flags

_ROUTES_PER_QUESTION = 4
"""Steps that one answer of a person can lead to, beside its rounds of rework."""
_MOST_QUESTIONS = 200


class DeliveryContent(Protocol):
    """What the workbench gives."""

    config: Config
    stages: "Mapping[str, Stage]"
    """Every stage that is installed, by name."""

    def report(self, state: Delivery) -> tuple[str, JsonValue]:
        """Return the result as it stands, in Markdown and as JSON with a `verdict` in it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryKit(Kit):
    """The kit and the workbench's content."""

    content: DeliveryContent


Stage = Callable[[Delivery, DeliveryKit], Awaitable[Update]]


def _routed(state: Delivery, source: str, way: tuple[str, str], kit: Kit) -> Delivery:
    route = Route(source=source, destination=way[0], reason=way[1], round=state.round)
    number = len(state.routes) + 1
    kit.record(RouteTaken(number=number, **route.model_dump()))
    return state.model_copy(update={"routes": (*state.routes, route)})


def stage_node(name: str) -> Node[Delivery, DeliveryKit]:
    """Return the node that lets a stage work and says where it leads."""

    async def node(state: Delivery, kit: DeliveryKit) -> Delivery:
        config = state.config
        if not state.routes:
            start = WorkflowStarted(
                thread_id=kit.folder.run_id, entry=config.entry, stages=config.stages
            )
            kit.record(start)
        if name == config.builder and state.gate_blocked:  # a fix starts
            fix = {"gate_blocked": False, "round": state.round + 1}
            state = state.model_copy(update=fix)
        try:
            update = await kit.content.stages[name](state, kit)
        except TaskError as failure:
            why = f"{name} failed: {failure}"
            update = Update(said=why, marks=("failed",), escalate_to_human=True)
        said = Message(author=name, text=update.said, round=state.round, marks=update.marks)
        state = apply(state, name, update, kit.said(state.messages, said))
        way = after_gate(state) if name == config.gate else after_stage(state, name)
        state = _routed(state, name, way, kit)
        if name == config.gate or way[0] == ESCALATE:
            _write(state, kit)  # it can be read while people are asked
        return state

    return node


def questions(state: Delivery, kit: DeliveryKit) -> Iterator[Question]:
    """Yield what people are asked where the work is stuck."""
    del kit
    for ask in state.open_asks if state.config.when_stuck == "ask" else ():
        context: dict[str, JsonValue] = {
            "known": dict(ask.known),
            "answers": {option.answer: option.does for option in ask.options},
            "tried": list(ask.tried),
            "blocks": list(ask.blocks),
            "meanwhile": list(ask.meanwhile),
        }
        yield Question(
            id=ask.id,
            kind="unblock",
            text=ask.text,
            answer_schema={"enum": [option.answer for option in ask.options]},
            context={name: value for name, value in context.items() if value},
        )


async def escalate(state: Delivery, kit: DeliveryKit) -> Delivery:
    """Take what people answered, and go where it leads."""
    asked, settled, log = state.open_asks, dict(state.settled), state.messages
    for ask in asked if state.config.when_stuck == "ask" else ():
        if decision := kit.folder.decision(ask.id):
            settled[ask.id] = str(decision.answer)
            words = f"{ask.text} {decision.answer}"
            said = Message(
                author=decision.by, text=words, round=state.round, marks=("by a person",)
            )
            log = kit.said(log, said)
    update = {"settled": settled, "messages": log, "escalate_to_human": False}
    before = state.model_copy(update=update)
    way = after_people(before, asked)
    if way[0] == state.config.builder and way[1].startswith("a person sends"):
        before = before.model_copy(update={"round": 0, "gate_blocked": False})
    return _routed(before, ESCALATE, way, kit)


async def close(state: Delivery, kit: DeliveryKit) -> Delivery:
    """Write the result."""
    verdict = "deployment_ready" if state.deployment_ready else "not ready"
    state = _routed(
        state, CLOSE, (END, f"{verdict}: {pluralize(len(state.blocks), 'block')}"), kit
    )
    _write(state, kit)
    return state


def _write(state: Delivery, kit: DeliveryKit) -> None:
    words, found = kit.content.report(state)
    kit.folder.write_text("result.md", words)
    kit.folder.write_json("result.json", found)


def stage_graph(config: Config) -> GraphSpec[Delivery, DeliveryKit]:
    """Return the stages as a graph."""
    choices: dict[str, tuple[Callable[[Delivery], str], tuple[str, ...]]] = {}
    for place, name in enumerate(config.stages[:-1]):
        following = config.stages[
            place + 1 : place + (3 if _next_may_be_passed(config, place) else 2)
        ]
        choices[name] = (_taken, (*following, ESCALATE))
    choices[config.gate] = (_taken, (config.builder, ESCALATE, CLOSE))
    choices[ESCALATE] = (_taken, (*config.stages, CLOSE))
    return GraphSpec(
        codec=StoredState(Delivery),
        nodes={
            **{name: stage_node(name) for name in config.stages},
            ESCALATE: escalate,
            CLOSE: close,
        },
        edges=((START, config.entry), (CLOSE, END)),
        choices=choices,
        asks={ESCALATE: questions},
        step_limit=partial(_step_limit, config),
    )


def _next_may_be_passed(config: Config, place: int) -> bool:
    return config.stages[place + 1] == DESIGNER


def _taken(state: Delivery) -> str:
    return state.routes[-1].destination


def _step_limit(config: Config, state: Delivery, flags: Flags) -> int:
    del state, flags
    rounds = 2 * (config.rework_rounds + 1) + _ROUTES_PER_QUESTION
    return len(config.stages) + rounds * _MOST_QUESTIONS
