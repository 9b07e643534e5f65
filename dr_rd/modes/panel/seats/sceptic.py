"""What would make this wrong: gates that stop nothing, figures that nobody gave, close calls."""

import re
from collections.abc import Iterator
from typing import Any

from dr_rd.modes.panel.board import Change, added
from dr_rd.modes.panel.floor import Finding, Floor, Rule, effect_of, per_group
from dr_rd.modes.panel.seats.hearing import nothing_to_hold, number_said
from dr_rd.modes.panel.seats.inference import measured_on_a_scale
from dr_rd.planning.signals import stems


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
    facts = {
        "task": task.id, "old": old.rstrip("."), "shown": effect_of(shown, at.sizing),
        "given": f"{given:g}", "unit": f"{unit} {per}".strip(), "value": f"{shown:.3g}",
    }  # fmt: skip
    yield Finding(
        "gate_without_a_figure",
        facts,
        changes=(
            Change(
                path=f"tasks.{task.id}.stop_rules",
                old=old,
                new=at.adds("gate_without_a_figure", "stop", **facts),
            ),
        ),
        rests_on=(task.id, at.sizer.id if at.sizer else ""),
    )


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
        facts = {"direction": chosen.id, "word": word, "task": decides.id, "text": chosen.text}
        yield Finding(
            "promised_without_a_task",
            facts,
            changes=(
                added(decides, "acceptance", at.adds("promised_without_a_task", "test", **facts)),
            ),
            rests_on=(chosen.id, decides.id),
        )
        return


def unowned_item(at: Floor) -> Iterator[Finding]:
    """An item of the brief is nobody's, or is no more than repeated by the task that owns it."""
    if at.design.unowned:
        names = ", ".join(at.design.unowned)
        yield Finding("unowned_item", {"items": names}, rests_on=at.design.unowned)


def condition_not_logged(at: Floor) -> Iterator[Finding]:
    """A condition of measurement, a figure, that no task speaks of: nobody would see it broken."""
    work = next(iter(at.of_phase("execution")), None)
    verdicts = at.desk.figures(at.plan).verdicts
    for item in at.items if work else ():
        if item.kind != "constraint" or verdicts.get(item.id) != "promised" or not work:
            continue
        if not _CONDITION.search(item.text):
            continue
        asked, said = stems(item.text), stems(at.text())
        missing = asked - said
        if not asked or len(missing) / len(asked) < _UNSPOKEN:
            continue
        facts = {"item": item.id, "text": item.text, "work": work.id}
        yield Finding(
            "condition_not_logged",
            facts,
            changes=(added(work, "steps", at.adds("condition_not_logged", "step", **facts)),),
            rests_on=(item.id, work.id),
        )
        return


_UNSPOKEN = 0.4
_CONDITION = re.compile(r"\d ?(?:\+/-|±) ?\d|\d ?(?:°|K\b|C\b)|\d\d:\d\d|\bhumidity\b")
"""A temperature, a tolerance, a time of day: what a reading is taken under."""

RULES: tuple[Rule, ...] = (
    number_said,
    nothing_to_hold,
    gate_without_a_figure,
    promised_without_a_task,
    condition_not_logged,
    unowned_item,
)
