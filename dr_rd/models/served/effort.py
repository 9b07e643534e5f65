"""What a run will ask of its models, before it begins: calls, tokens and what they cost."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal

from core.graph.state import GraphTask, ThreePoint
from core.pluralize import pluralize
from core.settings import Flags
from core.values import Frozen
from dr_rd.files import read_yaml
from dr_rd.models.served.endpoint import PURPOSES, Purpose
from dr_rd.models.served.prices import Rate, dollars

_ENDS: tuple[Literal["low", "mode", "high"], ...] = ("low", "mode", "high")


class Effort(Frozen):
    """What one purpose takes."""

    each: Literal["plan", "task", "run"]
    """What its calls are for: a plan to be made, each task, or the run once."""
    retried: bool = False
    """Whether a task that is tried again asks again."""
    critique: bool = False
    """Whether it falls away where nobody reads the draft."""
    calls: ThreePoint
    characters: ThreePoint
    """Of one request."""
    reply_tokens: ThreePoint
    """Of one reply."""


class Efforts(Frozen):
    """What all purposes take; `dr_rd/data/models/effort.yaml` says what of it was measured."""

    characters_per_token: ThreePoint
    purposes: Mapping[Purpose, Effort]


class Estimate(Frozen):
    """What a run takes: at the least, likely, at the most."""

    calls: ThreePoint
    prompt_tokens: ThreePoint
    reply_tokens: ThreePoint
    cost_usd: ThreePoint | None
    """None if the price of one of the models is unknown."""

    @property
    def sentence(self) -> str:
        """Say it for a reader."""
        tokens = [getattr(self.prompt_tokens, e) + getattr(self.reply_tokens, e) for e in _ENDS]
        cost = self.cost_usd
        told = "unknown" if cost is None else dollars(cost.mode)
        if cost and cost.high > cost.low:
            told += f" ({dollars(cost.low)} to {dollars(cost.high)})"
        return (
            f"About {pluralize(round(self.calls.mode), 'call')} ({self.calls.low:,.0f} to {self.calls.high:,.0f}) "
            f"and {tokens[1]:,.0f} tokens ({tokens[0]:,.0f} to {tokens[2]:,.0f}); cost: {told}."
        )


def estimate(
    tasks: Sequence[GraphTask],
    flags: Flags,
    rate: Callable[[Purpose], Rate | None],
    *,
    planned: bool,
    purposes: Collection[Purpose] = PURPOSES,
) -> Estimate:
    """Estimate what a plan takes, a shape and no promise: the caps of the run are what holds.

    Args:
        tasks: The plan, or the one that the library would make.
        flags: Retries, and whether the draft is read and revised.
        rate: What the model of a purpose costs; None if nobody knows.
        planned: Whether the plan is there, so that no model makes it.
        purposes: What models do; the rest is left to the library.

    """
    efforts = Efforts.model_validate(read_yaml("models", "effort.yaml"))
    times = {"plan": not planned, "task": len(tasks), "run": 1}
    totals = {end: [0.0, 0.0, 0.0] for end in _ENDS}
    costs: dict[str, float | None] = dict.fromkeys(_ENDS, 0.0)
    for purpose, effort in efforts.purposes.items():
        wanted = flags.CRITIQUE_ENABLED or not effort.critique
        count = times[effort.each] if wanted and purpose in purposes else 0
        for end in _ENDS:
            tries = 1 + flags.MAX_RETRIES if effort.retried and end == "high" else 1
            spent = _tokens_used(effort, efforts.characters_per_token, end, count * tries)
            totals[end] = [a + b for a, b in zip(totals[end], spent, strict=True)]
            costs[end] = _total_cost(costs[end], rate(purpose), spent)
    calls, prompt, reply = (_three_point({e: totals[e][n] for e in _ENDS}) for n in range(3))
    known = {end: cost for end, cost in costs.items() if cost is not None}
    cost = _three_point(known) if len(known) == len(_ENDS) else None
    return Estimate(calls=calls, prompt_tokens=prompt, reply_tokens=reply, cost_usd=cost)


def _tokens_used(
    effort: Effort, per_token: ThreePoint, end: Literal["low", "mode", "high"], count: int
) -> tuple[float, float, float]:
    """Return calls, prompt tokens and reply tokens of one purpose."""
    # the fewest tokens come of the most characters to a token
    rate = {"low": per_token.high, "mode": per_token.mode, "high": per_token.low}[end]
    calls = count * getattr(effort.calls, end)
    prompt = calls * getattr(effort.characters, end) / rate
    return calls, prompt, calls * getattr(effort.reply_tokens, end)


def _total_cost(
    cost: float | None, rate: Rate | None, spent: tuple[float, float, float]
) -> float | None:
    if not spent[0]:
        return cost
    return None if cost is None or rate is None else cost + rate.cost(spent[1], spent[2])


def _three_point(values: Mapping[str, float]) -> ThreePoint:
    return ThreePoint(low=values["low"], mode=values["mode"], high=values["high"])
