"""Where a delivery goes next, and why: by its flags, by what blocks it, by what people answered."""

from collections.abc import Sequence

from core.modes.delivery.state import CLOSE, DESIGNER, ESCALATE, Ask, Delivery
from core.pluralize import pluralize


def after_stage(state: Delivery, stage: str) -> tuple[str, str]:
    """Return where a stage before the gate leads, and why."""
    if state.escalate_to_human:
        return ESCALATE, f"{stage} set escalate_to_human"
    stages = state.config.stages
    following = stages[stages.index(stage) + 1 :]
    if following[0] == DESIGNER and not state.needs_architecture:
        return following[1], "needs_architecture is false"
    if following[0] == DESIGNER:
        return DESIGNER, "needs_architecture is true"
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
