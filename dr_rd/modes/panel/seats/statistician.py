"""Size, losses, multiplicity, the unit that carries the inference."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from dr_rd.checks import Limit
from dr_rd.modes.panel.board import added, sized
from dr_rd.modes.panel.figures import chance_left, enough_left
from dr_rd.modes.panel.floor import (
    DEVIATIONS,
    Finding,
    Floor,
    Rule,
    basis_of,
    counted_per,
    effect_of,
    lines_of,
    per_group,
)
from dr_rd.modes.panel.reach import carried, left, resized
from dr_rd.modes.panel.seats.hearing import number_said
from dr_rd.modes.panel.seats.inference import (
    cell_of,
    cells_of_one_place,
    few_assigned,
    few_pairs,
    measured_on_a_scale,
    nothing_is_assigned,
    one_group_each,
    parts_too_small,
    registers,
    scale_sized_as_groups,
    sized_for_another_test,
)
from dr_rd.planning.signals import stems
from dr_rd.quantity import quantities

_MEANS = ("two_means", "paired_means", "one_mean")
_ANOTHER_STUDY = 2
"""How many times the planned number may be asked for before it is another study; up to its own cap
the brief allows any."""


def expected_effect(at: Floor) -> tuple[float, str]:
    """Return the effect that the study is to show and where it is from; 0 where nobody says."""
    effects: Any = at.sizing.get("effects")
    if effects:
        item = next((i for i in at.items if _EFFECT.search(i.text)), None)
        return min(map(float, effects)), item.id if item else at.sizer.id if at.sizer else ""
    if at.sizing.get("design") in _MEANS:
        for key, value in at.assumed("effect"):
            if found := re.search(r"\d+(?:\.\d+)?", value):
                return float(found[0]), key
    return 0.0, ""


_EFFECT = re.compile(r"cohen|eta.squared|effect size", re.IGNORECASE)


_FOR_EACH = re.compile(r"^\W*(?:per|in each|each|in both)\b")


def groups_counted(at: Floor) -> Iterator[Finding]:
    """The number counts groups, and the calculation takes each of them for one observation."""
    groups, task = at.desk.counted_groups, at.sizer
    if not groups or task is None:
        return
    facts = {
        "task": task.id, "given": f"{at.sizing['given']:g}", "groups": groups,
        "per": counted_per(at.sizing),
    }  # fmt: skip
    yield Finding("groups_counted", facts, rests_on=(task.id,))


def sized_unlike_the_brief(at: Floor) -> Iterator[Finding]:
    """The brief names its layout or its measure, and the calculation is of another one."""
    task = at.sizer
    words = at.desk.unlike(str(at.sizing.get("design"))) if at.sizing else ""
    if task is None or not words or measured_on_a_scale(at)[0]:
        return
    facts = {"task": task.id, "words": words.lower(), "basis": basis_of(at.sizing)}
    yield Finding(
        "sized_unlike_the_brief",
        facts,
        changes=(added(task, "acceptance", at.adds("sized_unlike_the_brief", "test", **facts)),),
        rests_on=(task.id,),
    )


def number_of_the_direction(at: Floor) -> Iterator[Finding]:
    """The direction that was chosen names its own number, and the plan has only the brief's minimum."""
    chosen = next((d for d in at.design.directions if d.id == at.design.chosen), None)
    given: Any = at.sizing.get("given")
    least = at.desk.minimum
    if chosen is None or not chosen.given or not given or not least or not at.sizer:
        return
    if at.desk.counted_groups:
        return
    groups = per_group(at.sizing)
    for found in quantities(chosen.text):
        number = found.low
        if found.unit or not number or not stems(found.noun) & stems(at.unit):
            continue
        rest = chosen.text.partition(found.text)[2]
        if number <= given or (groups and not _FOR_EACH.search(rest)):
            continue
        shown, shows = at.desk.detectable(at.plan), at.desk.detectable(at.plan, given=number)
        yield Finding(
            "number_of_the_direction",
            {
                "direction": chosen.id, "number": f"{number:g}", "given": f"{given:g}",
                "unit": at.unit, "per": counted_per(at.sizing), "item": least.ledger_id,
                "carried": carried(at), "left": left(at),
                "shown": effect_of(shown, at.sizing), "shows": effect_of(shows, at.sizing),
            },
            changes=resized(at, number),
            rests_on=(chosen.id, least.ledger_id, at.sizer.id),
        )  # fmt: skip
        return


def too_few_for_the_effect(at: Floor) -> Iterator[Finding]:
    """The number planned does not show the effect that the brief or the method names."""
    effect, source = expected_effect(at)
    given: Any = at.sizing.get("given")
    found = at.desk.size(at.plan, effects=[effect]) if effect and given else None
    if not found or found["rows"][0]["per_group"] <= given or at.desk.why_number == "falls short":
        return
    need, cap = float(found["rows"][0]["per_group"]), at.design.most_units
    groups = found["rows"][0]["total"] / need
    most = cap.count / groups if cap else need
    taken = min(need, most)
    if taken <= given:
        return
    another = cap is None and taken > _ANOTHER_STUDY * given
    yield Finding(
        "another_study" if another else "too_few_for_the_effect",
        {
            "times": f"{taken / given:.1f}",
            "given": given, "need": need, "total": need * groups, "taken": taken,
            "effect": effect_of(effect, at.sizing), "source": source,
            "shown": effect_of(found["detectable"], at.sizing),
            "per": counted_per(at.sizing), "unit": at.unit,
            "power": round(100 * found["power"]),
            "cap": f"; {cap.ledger_id} allows {cap.count:g} in all" if cap else "",
            "carried": carried(at), "left": left(at), "basis": basis_of(at.sizing),
        },
        changes=() if another else resized(at, taken),
        rests_on=(source, at.sizer.id if at.sizer else ""),
    )  # fmt: skip


def short_of_the_effect(at: Floor) -> Iterator[Finding]:
    """The plan takes the most that its limits allow, and that does not show the effect."""
    effect, source = expected_effect(at)
    given: Any = at.sizing.get("clusters") or at.sizing.get("given")
    asked = at.desk.why_number == "falls short" and at.sizer is not None
    found = at.desk.size(at.plan, effects=[effect]) if effect and given and asked else None
    if not found or not at.sizer:
        return
    row = found["rows"][0]
    need = row.get("clusters") or row["per_group"]
    if need > given:
        yield Finding(
            "short_of_the_effect",
            {
                "task": at.sizer.id, "given": given, "need": need, "source": source,
                "unit": at.unit, "per": counted_per(at.sizing), "basis": basis_of(at.sizing),
                "effect": effect_of(effect, at.sizing),
                "shown": effect_of(found["detectable"], at.sizing),
            },
            rests_on=(source, at.sizer.id),
        )  # fmt: skip


def too_few_after_losses(at: Floor) -> Iterator[Finding]:
    """As many are enrolled as the brief asks to be measured, and some of them are lost."""
    least, held = at.desk.minimum, at.desk.held(at.plan)
    if least is None or held is None or held >= at.desk.posture:
        return
    loss = float(at.sizing["attrition"])
    per_group = -(-enough_left(least.count, loss, at.desk.posture) // least.groups)
    sizing: Mapping[str, Any] = at.sizing
    lost = next((k for k, _ in at.assumed("withdrawal", "dropout", "loss", "attrition")), "")
    yield Finding(
        "too_few_after_losses",
        {
            "least": least.count, "noun": least.noun, "item": least.ledger_id,
            "loss": round(100 * loss), "lost": lost, "given": sizing["given"] * least.groups,
            "taken": per_group * least.groups, "held": round(100 * held),
            "shown": effect_of(at.desk.detectable(at.plan), sizing),
            "shows": effect_of(at.desk.detectable(at.plan, given=per_group), sizing),
            "then": round(100 * chance_left(per_group * least.groups, least.count, loss)),
            "carried": carried(at), "left": left(at), "cited": _cited(at, lost),
        },
        changes=resized(at, per_group),
        rests_on=tuple(filter(None, (least.ledger_id, lost))),
    )  # fmt: skip


def _cited(at: Floor, assumption: str) -> str:
    """Quote the line of an enrolling task that counts on the losses already, where there is one."""
    lines = (
        (t.id, line) for t in at.of_phase("sourcing") for line in lines_of(t, "steps", "acceptance")
        if assumption and f"[{assumption}]" in line
    )  # fmt: skip
    found = next(lines, None)
    return (
        f"{found[0]} asks for reserves against it in words, and no line pays for them; "
        if found
        else ""
    )


def too_few_usable(at: Floor) -> Iterator[Finding]:
    """A minimum is asked for, and a known share of what is taken will not be usable."""
    least = at.desk.minimum
    share = next(((k, v) for k, v in at.assumed("call rate") if "%" in v), None)
    if least is None or share is None or at.sizing.get("attrition") or at.desk.counted_groups:
        return
    rate = float(re.findall(r"\d+(?:\.\d+)?", share[1])[0]) / 100
    per_group = -(-enough_left(least.count, 1 - rate, at.desk.posture) // least.groups)
    yield Finding(
        "too_few_usable",
        {
            "least": least.count, "noun": least.noun, "item": least.ledger_id,
            "rate": round(100 * rate), "assumption": share[0],
            "left_over": round(least.count * rate), "taken": per_group * least.groups,
            "posture": round(100 * at.desk.posture), "carried": carried(at), "left": left(at),
        },
        changes=resized(at, per_group),
        rests_on=(least.ledger_id, share[0]),
    )  # fmt: skip


_SHARE = re.compile(
    r"\bprevalence\b|\bincidence of\b|\b(?:proportion|share|percentage) of (?:\w+ )?(?:children|pupils|students|patients|"
    r"participants|adults|people|women|men|workers|respondents|households|firms|farms|animals|plants|seeds)\b",
    re.IGNORECASE,
)
"""A share of those who are studied; a share of a time or an area is a measured value of each."""
_BASE = 0.2


def share_sized_as_mean(at: Floor) -> Iterator[Finding]:
    """The outcome is a share of units, and the study is sized for a mean."""
    outcome = at.design.slots.get("outcome", "")
    asked = [
        i for i in at.items if i.kind != "ban" and "outcome" in i.text and _SHARE.search(i.text)
    ]
    task = at.sizer
    if not task or at.sizing.get("design") != "two_means" or not (asked or _SHARE.search(outcome)):
        return
    sizing = {k: v for k, v in at.sizing.items() if k != "effects"}
    shown = at.desk.size(
        at.plan.model_copy(update={"sizing": sizing}), design="two_proportions", base=_BASE
    )
    before = at.desk.detectable(at.plan)
    if not shown or shown["detectable"] is None or before is None:
        return
    others = {
        base: at.desk.size(
            at.plan.model_copy(update={"sizing": sizing}), design="two_proportions", base=base
        )
        for base in (0.1, 0.3)
    }
    item = asked[0].id if asked else ""
    yield Finding(
        "share_sized_as_mean",
        {
            "outcome": outcome, "item": item, "task": task.id, "base": round(100 * _BASE),
            "before": f"{before:.2f}", "shown": f"{100 * shown['detectable']:.3g}",
            "other": "".join(
                f", {100 * f['detectable']:.3g} from {100 * b:.0f} %"
                for b, f in others.items()
                if f and f["detectable"]
            ),
        },
        changes=(
            sized(task, "design", "two_means", "two_proportions"),
            sized(task, "base", None, _BASE),
            added(task, "steps", at.adds("share_sized_as_mean", "step", base=round(100 * _BASE))),
        ),
        rests_on=tuple(filter(None, (item, task.id))),
    )  # fmt: skip


def halving_does_not_show(at: Floor) -> Iterator[Finding]:
    """That a share falls to its half does not show."""
    base: Any = at.sizing.get("base")
    given: Any = at.sizing.get("clusters") or at.sizing.get("given")
    if at.sizing.get("design") != "two_proportions" or not base or not given:
        return
    found = at.desk.size(at.plan, effects=[-base / 2])
    needed = (found["rows"][0].get("clusters") or found["rows"][0]["per_group"]) if found else 0
    if needed <= given:
        return
    yield Finding(
        "halving_does_not_show",
        {
            "given": f"{given:g}", "unit": at.unit, "per": "per group", "base": f"{100 * base:g}",
            "half": f"{50 * base:g}", "need": f"{needed:,}",
        },
        rests_on=(at.sizer.id if at.sizer else "",),
    )  # fmt: skip


_DIFFERENCE = re.compile(r"\b(?:difference|reduction|increase|effect size)s?\b", re.IGNORECASE)


def comparison_not_sized(at: Floor) -> Iterator[Finding]:
    """The only calculation sizes a test of the method, not the comparison that is asked for."""
    task = at.sizer
    item = next(
        (i for i in at.items if i.kind == "criterion" and _DIFFERENCE.search(i.text)), None
    )
    if not task or item is None or not str(at.sizing.get("design")).endswith("precision"):
        return
    if at.sizing.get("unit") != "planted cases":
        return
    frozen = registers(at)
    if frozen is None:
        return
    table = []
    for pairs in (25, 100, 400):
        found = at.desk.size(
            at.plan.model_copy(update={"sizing": {"design": "paired_means"}}), given=pairs
        )
        table.append(f"{pairs} pairs show {found['detectable']:.2f}" if found else "")
    yield Finding(
        "comparison_not_sized",
        {"item": item.id, "task": task.id, "frozen": frozen, "table": ", ".join(table),
         "wants": item.text},
        changes=(
            added(frozen, "steps", at.adds("comparison_not_sized", "step", table=", ".join(table))),
            added(frozen, "acceptance", at.adds("comparison_not_sized", "test", item=item.id)),
        ),
        rests_on=(item.id, task.id),
    )  # fmt: skip


_ANY_OF = re.compile(r"at least one\b", re.IGNORECASE)
_SHARED = re.compile(
    r"correct\w* for (?:testing|several|multiple)|multiplicity|\bholm\b|bonferroni|family-?wise",
    re.IGNORECASE,
)
"""By which a plan says that it shares the error among its tests."""
_SIGNIFICANT = re.compile(r"\bp ?< ?(0?\.\d+)|signific", re.IGNORECASE)
_PAIR = re.compile(
    r"(\S+) and (\S+) (conditions|levels|outcomes|endpoints|doses)\b", re.IGNORECASE
)


def several_chances(at: Floor) -> Iterator[Finding]:
    """A criterion is met by any one of several tests, each at the whole error."""
    item = next(
        (i for i in at.items if i.kind == "criterion" and _ANY_OF.search(i.text)
         and _SIGNIFICANT.search(i.text)), None
    )  # fmt: skip
    listed = next((m for i in at.items for m in [_PAIR.search(i.text)] if m), None)
    task = next(iter(at.of_phase("analysis")), None)
    if item is None or listed is None or task is None or at.sizer is None:
        return
    alpha: Any = at.sizing.get("alpha", 0.05)
    half = round(alpha / 2, 4)
    need = _need(at, alpha=half)
    shared = next((t.id for t in at.plan.tasks for s in lines_of(t) if _SHARED.search(s)), "")
    test = at.adds("several_chances", "test", item=item.id, half=f"{half:g}")
    yield Finding(
        "several_chances",
        {
            "item": item.id, "first": listed[1], "second": listed[2], "what": listed[3],
            "alpha": f"{alpha:g}", "half": f"{half:g}",
            "false": f"{100 * (1 - (1 - alpha) ** 2):.1f}",
            "price": f"At {half:g} each the number that is needed becomes {need} {at.unit} a group." if need else "",
            "shared": f"{shared} corrects for it in the analysis; {at.sizer.id} does not size for it." if shared
            else "No task shares the error between them.",
        },
        changes=(
            sized(at.sizer, "alpha", alpha, half),
            *(() if shared else (added(task, "acceptance", test),)),
        ),
        rests_on=(item.id, at.sizer.id),
    )  # fmt: skip


def _need(at: Floor, **over: Any) -> int | None:  # noqa: ANN401 - arguments
    effect, _ = expected_effect(at)
    found = at.desk.size(at.plan, effects=[effect], **over) if effect else None
    return int(found["rows"][0]["per_group"]) if found else None


_EXCEEDS = re.compile(
    r"(?:cohen['’]?s d|eta-squared|effect size)[^.]*?\b(?:exceeds?|above|greater than|at least)\s+(\d*\.?\d+)",
    re.IGNORECASE,
)


_ON_INTERVAL = r"threshold by where the interval|interval (?:lies|excludes|includes|straddles)"
"""By which a plan says that it reads a threshold on the interval."""


def estimate_over_a_threshold(at: Floor) -> Iterator[Finding]:
    """A criterion wants the estimate above the very effect that the study is sized for."""
    task = next(iter(at.of_phase("analysis")), None)
    for item in at.items:
        found = _EXCEEDS.search(item.text) if item.kind == "criterion" else None
        if found and task and at.sizing.get("effects") and not at.says(_ON_INTERVAL):
            facts = {"item": item.id, "value": found[1], "task": task.id}
            yield Finding(
                "estimate_over_a_threshold",
                facts,
                changes=(
                    added(
                        task, "acceptance", at.adds("estimate_over_a_threshold", "test", **facts)
                    ),
                ),
                rests_on=(item.id, at.sizer.id if at.sizer else ""),
            )
            return


_NAMED_EFFECT = re.compile(
    r"\bby (?:at least |more than )?\d+(?:\.\d+)? ?(?:%|percent)|percentage[- ]points? (?:or more|at least)"
    r"|\d[\d.]* ?percentage[- ]points?",
    re.IGNORECASE,
)


def effect_unknown(at: Floor) -> Iterator[Finding]:
    """Nobody says which effect matters, so what the number shows is held against nothing."""
    given: Any = at.sizing.get("given") or at.sizing.get("clusters")
    effect, _ = expected_effect(at)
    named = any(_NAMED_EFFECT.search(t) for t in (at.objective, *(i.text for i in at.items)))
    if not given or effect or named or at.blank_gate or measured_on_a_scale(at)[0]:
        return
    found = at.desk.size(at.plan)
    if not found or not found["detectable"]:
        return
    half = at.desk.size(at.plan, effects=[round(found["detectable"] / 2, 3)])
    shown = found["detectable"]
    yield Finding(
        "effect_unknown",
        {
            "given": f"{given:g}", "unit": found["unit"] if at.sizing.get("clusters") else at.unit,
            "shown": effect_of(shown, at.sizing), "half": effect_of(shown / 2, at.sizing),
            "need": f"{half['rows'][0].get('clusters') or half['rows'][0]['per_group']:,}" if half else "–",
            "outcome": at.design.slots.get("outcome", "the outcome"),
            "per": counted_per(at.sizing),
        },
        rests_on=(at.sizer.id if at.sizer else "",),
    )  # fmt: skip


_BY_SHARE = re.compile(
    r"\b(?:reduc|increas|lower|rais|improv|cut|declin)\w*\b[^.]*?\bby (?:at least |more than )?"
    r"(\d+(?:\.\d+)?) ?(?:%|percent)",
    re.IGNORECASE,
)


def share_against_spread(at: Floor) -> Iterator[Finding]:
    """The question is of a percentage of the outcome, and the number is sized in deviations."""
    task, asked = at.sizer, _BY_SHARE.search(at.objective)
    shown = at.desk.detectable(at.plan)
    if not task or not asked or not shown or str(at.sizing.get("design")) not in DEVIATIONS:
        return
    spread = float(asked[1]) / shown
    facts = {
        "share": asked[1], "given": f"{at.sizing['given']:g}", "unit": at.unit,
        "per": counted_per(at.sizing),
        "shown": effect_of(shown, at.sizing), "spread": f"{spread:.0f}", "task": task.id,
        "basis": basis_of(at.sizing), "least": at.least_said,
        "outcome": at.design.slots.get("outcome", "the outcome"),
    }  # fmt: skip
    yield Finding(
        "share_against_spread",
        facts,
        changes=(added(task, "acceptance", at.adds("share_against_spread", "test", **facts)),),
        rests_on=("objective", task.id),
    )


def number_unknown(at: Floor) -> Iterator[Finding]:
    """A study is sized, and neither brief nor plan names a number to hold it against."""
    task = at.sizer
    sizing: Mapping[str, Any] = at.sizing
    counted = sizing.get("given") or sizing.get("clusters")
    units = at.design.slots.get("units", "")
    if not task or counted or str(sizing.get("design")).endswith("precision"):
        return
    if not units or _counted_by_brief(at, units) or cell_of(at):
        return
    effect, _ = expected_effect(at)
    found = at.desk.size(at.plan, **({"effects": [effect]} if effect else {}))
    enough = effect and found and found["rows"][0]["total"] <= at.design.scaling.units
    if not found or enough:
        return
    rows = found["rows"][:3]
    yield Finding(
        "number_unknown",
        {
            "unit": units, "task": task.id,
            "table": "; ".join(
                f"{r['per_group']:,} {found['unit']} for {effect_of(r['effect'], sizing)}"
                for r in rows
            ),
            "planned": f"{at.design.scaling.units:g}",
        },
        rests_on=(task.id,),
    )  # fmt: skip


def _counted_by_brief(at: Floor, units: str) -> bool:
    """Whether a limit of the brief says how many of the units there must be."""
    return any(
        isinstance(c, Limit) and not c.quantity.unit and stems(c.quantity.noun) & stems(units)
        for i in at.items if i.kind != "ban" for c in i.checks
    )  # fmt: skip


RULES: tuple[Rule, ...] = (
    number_said,
    groups_counted,
    sized_unlike_the_brief,
    nothing_is_assigned,
    scale_sized_as_groups,
    sized_for_another_test,
    share_sized_as_mean,
    halving_does_not_show,
    several_chances,
    number_of_the_direction,
    too_few_for_the_effect,
    short_of_the_effect,
    too_few_after_losses,
    too_few_usable,
    one_group_each,
    few_assigned,
    few_pairs,
    cells_of_one_place,
    comparison_not_sized,
    estimate_over_a_threshold,
    share_against_spread,
    parts_too_small,
    effect_unknown,
    number_unknown,
)
