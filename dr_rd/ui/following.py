"""Runs as those who follow them see them: looked at once for all, however many there are."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from core.clock import Clock
from core.runs import Snapshot
from dr_rd.models.privacy.egress import left_machine
from dr_rd.ui import plan, tables, text

_EVERY_S = 0.2
"""How old a look may be before the run is looked at again, in seconds."""
_SHARE = 4
"""A look that takes long is kept for so many times as long: at most a fifth of a core goes to it."""


@dataclass(frozen=True, slots=True)
class Look:
    """One look at a run, as Markdown that every viewer is shown."""

    snapshot: Snapshot
    spending: str
    """What left the machine, and what models cost."""
    standing: str
    """How far its tasks are, in a sentence."""
    share: float
    """How far they are, from 0 to 1."""
    tasks: str
    """Each task with its state; "" before there is a plan."""


@dataclass(slots=True)
class _Kept:
    lock: threading.Lock = field(default_factory=threading.Lock)
    look: Look | None = None
    until_s: float = 0.0


class Following:
    """The last look at each run that is followed."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}

    def refresh(self, look: Callable[[], Snapshot], run_id: str, clock: Clock) -> Look:
        """Look at a run now."""
        kept = self._kept.setdefault(run_id, _Kept())
        with kept.lock:
            return _looked(kept, look, clock)

    def recent(self, look: Callable[[], Snapshot], run_id: str, clock: Clock) -> Look:
        """Return a look of just now; who comes while another looks is shown the last one."""
        kept = self._kept.setdefault(run_id, _Kept())
        last = kept.look
        if last and clock.monotonic() < kept.until_s:
            return last
        if last and not kept.lock.acquire(blocking=False):
            return last
        if not last:
            kept.lock.acquire()
        try:
            return _looked(kept, look, clock)
        finally:
            kept.lock.release()


def _looked(kept: _Kept, look: Callable[[], Snapshot], clock: Clock) -> Look:
    began = clock.monotonic()
    found = _look(look())
    took = clock.monotonic() - began
    kept.look, kept.until_s = found, began + took + max(_EVERY_S, _SHARE * took)
    return found


def _look(snapshot: Snapshot) -> Look:
    seen = plan.seen(snapshot)
    lines = tables.progress(seen.tasks, snapshot.events)
    done, total = len(seen.answers), len(seen.tasks)
    told = f"{done} of {total} tasks answered" if total else "Planning …"
    if in_hand := [str(line["id"]) for line in lines if line["state"] in _IN_HAND]:
        told += f"; in hand: {', '.join(in_hand)}"
    if total and done == total and snapshot.status == "running":
        told += "; composing the proposal …"
    return Look(
        snapshot=snapshot,
        spending=text.plain(egress_sentence(snapshot)),
        standing=text.plain(told),
        share=done / total if total else 0.0,
        tasks=tasks_markdown(lines),
    )


_IN_HAND = ("working", "trying again")
"""States of tasks that somebody works on."""
_COLOURS = {
    "working": "blue",
    "trying again": "blue",
    "done": "green",
    "below the gate": "orange",
    "failed": "red",
}


def tasks_markdown(lines: list[tables.TableRow]) -> str:
    """Return each task with its state as a table, which takes far less than a frame of data."""
    if not lines:
        return ""
    rows = (
        f"| {text.plain(line['id'])} | {text.plain(line['task'])} | {_state(line['state'])} | "
        f"{line['tries']} | {'' if line['score'] is None else format(line['score'], '.2f')} |"
        for line in lines
    )
    return "\n".join(("| Id | Task | State | Attempt | Score |", "|---|---|---|---|---|", *rows))


def _state(state: str) -> str:
    colour = _COLOURS.get(state)
    return f":{colour}[{state}]" if colour else state


def egress_sentence(snapshot: Snapshot) -> str:
    """Say what left the machine so far, and what the models cost."""
    label = left_machine(snapshot.events)
    spent = f"{tables.spending_text(snapshot.events)}. " if label.sent else ""
    return f"{spent}{label.sentence()}"
