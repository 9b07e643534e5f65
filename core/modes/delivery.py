"""Stages in their order, a builder and a gate that send work back and forth, and a way out to people.

::

    analyst → pm → architect → dev ⟲ tea → close        each stage may lead to escalate instead

A stage returns what it changed (`Update`); what its flags lead to is said here, by rule, and goes
on record with its reason. What the stages do is the workbench's (`DeliveryContent`).
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Protocol

from pydantic import Field, JsonValue, model_validator

from core.errors import TaskError, unknown
from core.events import NodeEnded, RouteTaken, Row, WorkflowStarted
from core.graph.spec import StoredState, restore_state
from core.graph.walk import walk
from core.kit import Kit
from core.messages import Message, MessageLog
from core.modes.spec import END, START, Ending, GraphSpec, Mode, Node, RunParts, View
from core.pluralize import pluralize
from core.questions import Question
from core.settings import Flags
from core.store import RunFolder
from core.trace import read_events
from core.values import Frozen

ESCALATE, CLOSE = "escalate", "close"
_DESIGNER = "architect"
"""The stage that is passed by unless `needs_architecture` is set."""
_ROUTES_PER_QUESTION = 4
"""Steps that one answer of a person can lead to, beside its rounds of rework."""
_MOST_QUESTIONS = 200


class Config(Frozen):
    """How the stages are joined."""

    stages: tuple[str, ...] = Field(
        default=("analyst", "pm", _DESIGNER, "dev", "tea"), min_length=2, max_length=12
    )
    """The stages in their order; the last two are the builder and the gate."""
    entry: str = "analyst"
    """The stage that the work begins with."""
    rework_rounds: int = Field(default=2, ge=0, le=9)
    """How often the gate may send work back to the builder before a person is asked."""
    enable_checkpointing: bool = True
    """Whether a checkpoint is written after every stage; without, a stopped run begins anew."""
    when_stuck: Literal["ask", "report"] = "ask"
    """Whether the run waits for a person where it is stuck, or ends and says what is open."""

    @model_validator(mode="after")
    def _joined(self) -> "Config":
        if len(set(self.stages)) < len(self.stages) or {ESCALATE, CLOSE} & set(self.stages):
            raise ValueError(
                f"each stage may stand once in stages, and none is {ESCALATE}, {CLOSE}"
            )
        if self.entry not in self.stages:
            raise ValueError(f"no stage {self.entry!r} to enter at among {', '.join(self.stages)}")
        return self

    @property
    def builder(self) -> str:
        """The stage that mends."""
        return self.stages[-2]

    @property
    def gate(self) -> str:
        """The stage that judges."""
        return self.stages[-1]


class Block(Frozen):
    """What keeps the gate shut."""

    id: str
    text: str
    mendable: bool = False
    """Whether the builder can put it right without a fact that nobody has."""


class Option(Frozen):
    """An answer to a question, and what it does."""

    answer: str
    does: str
    leads: Literal["on", "again", "rework", "end"] = "on"
    """To what would have come next (from the gate: to the gate), to the same stage, to the builder
    with all its rounds, or to the end."""


class Ask(Frozen):
    """What only a person can say."""

    id: str
    text: str
    options: tuple[Option, ...] = Field(min_length=2)
    known: Mapping[str, JsonValue] = {}
    tried: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()
    meanwhile: tuple[str, ...] = ()
    """What may go on while nobody has answered."""


class Route(Frozen):
    """A way that was taken."""

    source: str
    destination: str
    reason: str
    round: int = 0


class Update(Frozen):
    """What a stage changed; None and empty are unchanged."""

    said: str
    marks: tuple[str, ...] = ()
    handoff: Mapping[str, JsonValue] = {}
    decisions: tuple[str, ...] = ()
    work: Mapping[str, JsonValue] = {}
    blocks: tuple[Block, ...] | None = None
    asks: tuple[Ask, ...] | None = None
    needs_architecture: bool | None = None
    escalate_to_human: bool | None = None
    gate_blocked: bool | None = None
    deployment_ready: bool | None = None


class Delivery(Frozen):
    """One delivery: its flags, what was said, and the work so far."""

    config: Config = Config()
    messages: MessageLog = MessageLog()
    current_agent: str = ""
    handoff_context: Mapping[str, JsonValue] = {}
    """What each stage left for the next ones."""
    decisions: tuple[str, ...] = ()
    needs_architecture: bool = False
    escalate_to_human: bool = False
    gate_blocked: bool = False
    deployment_ready: bool = False
    work: Mapping[str, JsonValue] = {}
    """What was made, by name; only the stages read it."""
    blocks: tuple[Block, ...] = ()
    asks: tuple[Ask, ...] = ()
    settled: Mapping[str, str] = {}
    """What people answered, by question."""
    round: int = 0
    """Rounds of rework so far."""
    routes: tuple[Route, ...] = ()

    @property
    def unanswered(self) -> tuple[Ask, ...]:
        """What stages ask and nobody has answered."""
        return tuple(ask for ask in self.asks if ask.id not in self.settled)

    @property
    def open_asks(self) -> tuple[Ask, ...]:
        """What people are asked now; a stage that is stuck and asks nothing is asked about."""
        if not self.routes or self.routes[-1].destination != ESCALATE:
            return ()
        return self.unanswered or (self._stuck(self.routes[-1]),)

    def _stuck(self, route: Route) -> Ask:
        number = sum(r.destination == ESCALATE for r in self.routes)
        last = self.messages.messages[-1].text if self.messages.messages else ""
        at_gate = route.source == self.config.gate
        return Ask(
            id=f"stuck-{number}",
            text=f"{route.source} cannot go on ({route.reason}); how shall it go on?",
            options=(
                Option(answer="again", does=f"{route.source} tries again", leads="again"),
                Option(answer="rework", does="the builder starts its rounds anew", leads="rework")
                if at_gate
                else Option(answer="go-on", does="the next stage works with what there is"),
                Option(answer="stop", does="the delivery ends with what is open", leads="end"),
            ),
            known={"said": last, "open": [block.text for block in self.blocks]},
            tried=tuple(r.reason for r in self.routes if r.source == self.config.builder),
        )


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


def apply(state: Delivery, stage: str, update: Update, messages: MessageLog) -> Delivery:
    """Return the state that a stage's update makes of *state*."""
    told = {n: v for n in _FLAGS if (v := getattr(update, n)) is not None}
    blocks = state.blocks if update.blocks is None else update.blocks
    if stage == state.config.gate:
        shut = told.get("gate_blocked", bool(blocks))
        told = {"gate_blocked": shut, "deployment_ready": not shut, **told}
    return state.model_copy(
        update={
            **told,
            "messages": messages,
            "current_agent": stage,
            "handoff_context": {**state.handoff_context, stage: dict(update.handoff)},
            "decisions": (*state.decisions, *update.decisions),
            "work": {**state.work, **update.work},
            "blocks": blocks,
            "asks": state.asks if update.asks is None else update.asks,
        }
    )


_FLAGS = ("needs_architecture", "escalate_to_human", "gate_blocked", "deployment_ready")


def after_stage(state: Delivery, stage: str) -> tuple[str, str]:
    """Return where a stage before the gate leads, and why."""
    if state.escalate_to_human:
        return ESCALATE, f"{stage} set escalate_to_human"
    stages = state.config.stages
    following = stages[stages.index(stage) + 1 :]
    if following[0] == _DESIGNER and not state.needs_architecture:
        return following[1], "needs_architecture is false"
    if following[0] == _DESIGNER:
        return _DESIGNER, "needs_architecture is true"
    if stage == state.config.builder:
        return following[0], f"round {state.round}"
    return following[0], "escalate_to_human is false"


def after_gate(state: Delivery) -> tuple[str, str]:
    """Return where the gate leads, and why: back only where something there can be mended."""
    config, used = state.config, f"{state.round} of {state.config.rework_rounds} rounds used"
    if state.escalate_to_human:
        return ESCALATE, f"{config.gate} set escalate_to_human"
    if state.deployment_ready and not state.gate_blocked:
        return CLOSE, "deployment_ready: nothing blocks the gate"
    mendable = sum(block.mendable for block in state.blocks)
    left = f"gate_blocked: {pluralize(len(state.blocks), 'block')}, {mendable} mendable"
    if state.blocks and not mendable:
        return _stuck(state, f"{left}; {used}")
    if state.round >= config.rework_rounds:
        return _stuck(state, f"{left}; rework is used up, {used}")
    return config.builder, f"{left}; rework {state.round + 1}"


def _stuck(state: Delivery, reason: str) -> tuple[str, str]:
    if state.asks and not state.unanswered:
        return CLOSE, f"{reason}; people have answered all that was asked"
    return ESCALATE, reason


def after_people(state: Delivery, asked: Sequence[Ask]) -> tuple[str, str]:
    """Return where people's answers lead: of several the one that goes furthest back."""
    source = state.routes[-1].source
    chosen = {
        o.leads for ask in asked for o in ask.options if o.answer == state.settled.get(ask.id)
    }
    said = ", ".join(
        f"{ask.id}={state.settled[ask.id]}" for ask in asked if ask.id in state.settled
    )
    if not chosen:
        return CLOSE, "nobody is asked; what is open is in the result"
    if "end" in chosen:
        return CLOSE, f"a person ends it: {said}"
    if "rework" in chosen:
        return state.config.builder, f"a person sends it back: {said}"
    if "again" in chosen or source == state.config.gate:
        return source, f"a person answered: {said}"
    return after_stage(state, source)[0], f"a person lets it go on: {said}"


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
            said = f"{name} failed: {failure}"
            update = Update(said=said, marks=("failed",), escalate_to_human=True)
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


def graph(config: Config) -> GraphSpec[Delivery, DeliveryKit]:
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
    return config.stages[place + 1] == _DESIGNER


def _taken(state: Delivery) -> str:
    return state.routes[-1].destination


def _step_limit(config: Config, state: Delivery, flags: Flags) -> int:
    del state, flags
    rounds = 2 * (config.rework_rounds + 1) + _ROUTES_PER_QUESTION
    return len(config.stages) + rounds * _MOST_QUESTIONS


class DeliveryView(View):
    """What is seen of a delivery: where it is and what it has made."""

    state: Delivery = Delivery()


class StagedDelivery(Mode[Delivery, DeliveryKit]):
    """From a plan to work that can be started, with what blocks it."""

    id = "delivery"
    label = "Stage-gate delivery"
    question = "What may start now, what blocks the rest, and how is each limit tested?"
    rank = 50

    def spec(self, flags: Flags) -> GraphSpec[Delivery, DeliveryKit]:
        """Return the graph of the stages as they stand without a scenario."""
        del flags
        return graph(Config())

    def deps(self, kit: Kit, parts: RunParts) -> DeliveryKit:
        """Join the kit with the stages; raises CallerError for one that is not installed."""
        content: Any = parts.content(kit)
        check_installed(content.config, content.stages)
        named = {name: getattr(kit, name) for name in Kit.__dataclass_fields__}
        return DeliveryKit(**named, content=content)

    def begin(self, deps: DeliveryKit) -> Delivery:
        """Return a delivery of which no stage has begun."""
        return Delivery(config=deps.content.config)

    async def run(self, state: Delivery, deps: DeliveryKit) -> Delivery:
        """Go through the stages; without checkpoints a run that stopped begins with the first."""
        if not state.config.enable_checkpointing:
            return await walk(graph(state.config), state, deps)
        from core.graph.build import run  # noqa: PLC0415 - as in the class above

        return await run(graph(state.config), state, deps)

    def ending(self, folder: RunFolder, state: Delivery | None = None) -> Ending:
        """Read from the result whether everything may go on."""
        del state
        found: Any = folder.read_json("result.json")
        if found["verdict"] == "go":
            return Ending("finished")
        return Ending("failed_gate", str(found.get("finding", found["verdict"])))

    def partial_result(self, folder: RunFolder, parts: RunParts, standing: str) -> str:
        """Return the result as the gate last left it, or what the stages said so far."""
        del parts
        if folder.has("result.md"):
            return f"*Unfinished: {standing}.*\n\n{folder.read_text('result.md')}"
        lines = self.view(folder, tuple(read_events(folder.trace_path))).state.messages.lines()
        return "\n\n".join([f"# Unfinished: {standing}", *lines, ""])

    def view(
        self, folder: RunFolder, rows: Sequence[Row], before: View | None = None
    ) -> DeliveryView:
        """Return the state after the last stage that is done."""
        del before
        ends = [row.event.state_digest for row in rows if isinstance(row.event, NodeEnded)]
        return DeliveryView(
            state=restore_state(Delivery, ends[-1], folder) if ends else Delivery()
        )


def check_installed(config: Config, stages: Mapping[str, Stage]) -> None:
    """Raise CallerError if a stage of *config* is not among those installed."""
    for name in config.stages:
        if name not in stages:
            raise unknown("stage", name, stages)


MODE = StagedDelivery()
