"""A mode's steps and how they are joined, for any state: what is compiled, walked and drawn."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel, JsonValue

from core.events import NodeEnded, NodeStarted
from core.kit import Kit
from core.messages import MessageLog
from core.questions import Question
from core.settings import Flags
from core.store import RunFolder
from core.values import compact, digest

START, END = "__start__", "__end__"
"""Where a run of a graph begins and ends; the graph library's own names."""

_VERSION = 1
"""Raised when a checkpoint of an older graph can no longer be continued."""

S = TypeVar("S", bound=BaseModel)
"""A mode's state: a frozen value."""
D = TypeVar("D", bound=Kit)
"""What a mode's nodes are given: the kit, or an extension of it."""

Node = Callable[[S, D], Awaitable[S]]
"""A step: returns the state that it leads to, and changes nothing that it was given."""
Choose = Callable[[S], str]
"""Names the node that comes next."""


class StateCodec(Protocol[S]):
    """Writes a state down so small that a late checkpoint is no larger than an early one."""

    def pack(self, state: S, folder: RunFolder) -> dict[str, JsonValue]:
        """Return what a checkpoint holds of *state*; what is large goes to artifacts."""
        ...

    def unpack(self, state: S, packed: Mapping[str, Any], folder: RunFolder) -> S:
        """Return the state that was packed; *state* is one of the same run."""
        ...


@dataclass(frozen=True, slots=True)
class StoredState(Generic[S]):
    """Keeps a state as one artifact; of its message logs only what is new."""

    kind: type[S]

    def pack(self, state: S, folder: RunFolder) -> dict[str, JsonValue]:
        """Return the digest of the state's artifact."""
        return {"state": store_state(state, folder)}

    def unpack(self, state: S, packed: Mapping[str, Any], folder: RunFolder) -> S:
        """Return the state of that artifact."""
        del state
        return restore_state(self.kind, packed["state"], folder)


def store_state(state: BaseModel, folder: RunFolder) -> str:
    """Keep a state as an artifact and return its digest.

    The order of its mappings is kept, as a result may follow it: a run that is taken up again goes
    on from the same state as one that never stopped.
    """
    logs = {name: v.stored(folder.keep) for name, v in state if isinstance(v, MessageLog)}
    plain = {**state.model_dump(mode="json", exclude=set(logs)), **logs}
    return folder.store_artifact(compact(plain).encode())


def restore_state(kind: type[S], name: str, folder: RunFolder) -> S:
    """Return the state that is kept under that digest."""
    found = folder.kept(name)
    for key, info in kind.model_fields.items():
        if info.annotation is MessageLog:
            found[key] = MessageLog.restored(found[key], folder.kept)
    return kind.model_validate(found)


@dataclass(frozen=True, slots=True)
class GraphSpec(Generic[S, D]):
    """A way of joining steps."""

    codec: StateCodec[S]
    nodes: Mapping[str, Node[S, D]]
    edges: tuple[tuple[str, str], ...]
    """Where a step leads, START and END included."""
    step_limit: Callable[[S, Flags], int]
    """The most steps that a run can take from a state; more are a fault of the mode."""
    choices: Mapping[str, tuple[Choose[S], tuple[str, ...]]] = field(default_factory=dict)
    """Where a step may lead, by what the run then needs."""
    detours: Mapping[str, tuple[Choose[S], tuple[str, ...]]] = field(default_factory=dict)
    """Where a person's answer may lead instead of a step's edge; "" keeps to the edge."""
    asks: Mapping[str, Callable[[S, D], Iterable[Question]]] = field(default_factory=dict)
    """What people must have answered before a step is done."""
    measured_after: tuple[str, ...] = ()
    """Steps after which the limit is taken anew, as only then it can be known."""
    traced: bool = True
    """Whether the engine records each step's start and end; if not, the nodes do so themselves."""

    @property
    def entry(self) -> str:
        """The first step."""
        return next(target for source, target in self.edges if source == START)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of names and arrows; a checkpoint fits only the graph that wrote it.

        Detours are left out: a checkpoint fits the graph with them and without.
        """
        leads = {name: list(targets) for name, (_, targets) in self.choices.items()}
        return digest([_VERSION, sorted(self.nodes), sorted(map(list, self.edges)), leads])

    def targets(self, source: str) -> tuple[str, ...]:
        """Return where a step may lead."""
        always = tuple(target for start, target in self.edges if start == source)
        _, chosen = self.choices.get(source, (None, ()))
        _, detours = self.detours.get(source, (None, ()))
        return (*always, *chosen, *detours)

    def following(self, source: str, state: S) -> str:
        """Return the step that comes after *source* in that state."""
        if source in self.detours and (target := self.detours[source][0](state)):
            return target
        if source in self.choices:
            return self.choices[source][0](state)
        return next(target for start, target in self.edges if start == source)

    async def do(self, name: str, state: S, deps: D) -> S:
        """Do one step: ask people first, then work, on record from its start to its end.

        Raises Waiting while a person must answer.
        """
        if name in self.asks:
            deps.ask(*self.asks[name](state, deps))
        if not self.traced:
            return await self.nodes[name](state, deps)
        deps.record(NodeStarted(node=name))
        started = deps.clock.monotonic()
        after = await self.nodes[name](state, deps)
        if not isinstance(after, type(state)):
            raise TypeError(
                f"step {name!r} returned a {type(after).__name__}, not the {type(state).__name__} "
                "that it leads to"
            )
        elapsed = round((deps.clock.monotonic() - started) * 1000)
        kept = store_state(after, deps.folder)
        await deps.folder.commits.commit_files()  # no line names a file that is not safe
        deps.record(NodeEnded(node=name, duration_ms=elapsed, state_digest=kept))
        return after
