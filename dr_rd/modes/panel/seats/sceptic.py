"""What would make this wrong: gates that stop nothing, figures that nobody gave, close calls."""

import re
from collections.abc import Iterator
from typing import Any

from core.graph.state import GraphTask
from dr_rd.modes.panel.board import Change
from dr_rd.modes.panel.figures import guessed_range
from dr_rd.modes.panel.floor import Finding, Floor, Rule, basis_of, effect_of, per_group, whole
from dr_rd.modes.panel.reach import resized
from dr_rd.modes.panel.seats.finance import sizes
from dr_rd.modes.panel.seats.hearing import nothing_to_hold, number_said
from dr_rd.modes.panel.seats.inference import measured_on_a_scale


def gate_without_a_figure(at: Floor) -> Iterator[Finding]:
    """A stop rule compares an effect with one that can be detected, and neither is a figure."""
    shown = at.desk.detectable(at.plan)
    given: Any = at.sizing.get("given") or at.sizing.get("clusters")
    scale, base = measured_on_a_scale(at)[0], at.sizing.get("base")
    another = scale and at.sizing.get("design") != "correlation"
    if shown is None or not given or at.blank_gate is None or another or (base and shown >= base):
        return
    task, old = at.blank_gate
    unit = at.unit if not at.sizing.get("clusters") else "clusters"
    per = "per group" if per_group(at.sizing) else ""
    most = most_paid(at)
    facts = {
        "task": task.id, "old": old.rstrip("."), "shown": effect_of(shown, at.sizing),
        "given": f"{given:g}", "unit": f"{unit} {per}".strip(), "basis": basis_of(at.sizing),
        "most": f"{most:g}", "shows": effect_of(at.desk.detectable(at.plan, given=most), at.sizing),
    }  # fmt: skip
    facts["range"] = at.adds(
        "gate_without_a_figure", "range" if most > given else "alone", **facts
    )
    new = at.adds("gate_without_a_figure", "stop_at_most" if most > given else "stop", **facts)
    yield Finding(
        "gate_without_a_figure",
        facts,
        changes=(Change(path=f"tasks.{task.id}.stop_rules", old=old, new=new),),
        rests_on=tuple(dict.fromkeys((task.id, at.sizer.id if at.sizer else "", *sizes(at)))),
    )


def most_paid(at: Floor) -> float:
    """Return how many units the limit pays for with the plan's risks; those planned without a limit."""
    given: Any = at.sizing.get("given")
    limit, start = at.desk.limit, at.design.scaling.affordable_units
    if not given or not limit or not start:
        return float(given or at.sizing.get("clusters") or 0)
    planned: Any = at.desk.at_start().sizing["given"]
    groups = max(1, round(at.design.scaling.units / planned))
    low, high = float(given), float(max(given, start // groups))
    while high - low >= 1:
        middle = (low + high + 1) // 2
        joint = at.desk.figures(at.plan.changed(resized(at, middle))).joint
        if joint is not None and joint <= limit:
            low = middle
        else:
            high = middle - 1
    return low


_ROUNDS = re.compile(r"\b(midpoint|interim|follow-up|repeated)\b", re.IGNORECASE)


def promised_without_a_task(at: Floor) -> Iterator[Finding]:
    """The chosen direction promises a round of work that no task does."""
    chosen = next(d for d in at.design.directions if d.id == at.design.chosen)
    last = next(iter(at.of_phase("reporting")), None)
    decides = at.calling("decision")
    for found in _ROUNDS.finditer(chosen.text) if chosen.given else ():
        word = found[0].lower()
        if at.says(rf"\b{re.escape(word)}") or not decides or not last:
            continue
        priced = [t for t in at.desk.growing(at.plan) if t.phase == "execution" and t.cost]
        like = priced[-1] if priced else None
        facts = {
            "direction": chosen.id, "word": word, "task": decides.id,
            "price": f"one more round like {like.id}, {_cost_of(at, like)}"
            if like and like.cost else "a task of its own, which the plan has not priced",
        }  # fmt: skip
        yield Finding("promised_without_a_task", facts, rests_on=(chosen.id, decides.id))
        return


def _cost_of(at: Floor, task: GraphTask) -> str:
    if guess := at.desk.guesses(at.plan).get(task.id):
        return f"guessed at {guessed_range(guess)} {at.desk.currency}"
    return f"at about {whole(task.cost.mean if task.cost else 0)} {at.desk.currency}"


def unowned_item(at: Floor) -> Iterator[Finding]:
    """An item of the brief is nobody's, or is no more than repeated by the task that owns it."""
    if at.design.unowned:
        names = ", ".join(at.design.unowned)
        yield Finding("unowned_item", {"items": names}, rests_on=at.design.unowned)


RULES: tuple[Rule, ...] = (
    number_said,
    nothing_to_hold,
    gate_without_a_figure,
    promised_without_a_task,
    unowned_item,
)
