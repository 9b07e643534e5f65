"""One delivery: how its stages are joined, its flags, what was said, and the work so far."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, JsonValue, model_validator

from core.messages import MessageLog
from core.values import Frozen

ESCALATE, CLOSE = "escalate", "close"
DESIGNER = "architect"
"""The stage that is passed by unless `needs_architecture` is set."""


class Config(Frozen):
    """How the stages are joined."""

    stages: tuple[str, ...] = Field(
        default=("analyst", "pm", DESIGNER, "dev", "tea"), min_length=2, max_length=12
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
