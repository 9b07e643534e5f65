"""Whether the design can carry the inference: what is allotted, compared, counted, and over what."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import comb
from typing import Any

from dr_rd.checks import Limit
from dr_rd.modes.panel.board import Change, added, sized, struck
from dr_rd.modes.panel.floor import Finding, Floor, basis_of, counted_per, effect_of
from dr_rd.planning.designs import SizingInput
from dr_rd.planning.methods import Sizing
from dr_rd.planning.sizing import sizing
from dr_rd.planning.wording import Assumptions
from dr_rd.reading import words_of
from dr_rd.text import stem

_SCALE = re.compile(
    r"\bgradients?\b(?![ -](?:update|descent|step|boost|clip|accumul|echo|elut))|space-for-time|dose[- ]response|distributed[- ]lag|\bannual[- ]average\b"
    r"|\bcontinuous (?:exposure|predictor)|\bexposure (?:metric|level|gradient)|\btime-varying\b[^.]*\bexposure",
    re.IGNORECASE,
)
"""What a brief says whose groups are not made but found, along a scale."""

_ALLOTS = re.compile(
    r"\brandomi[sz]ed\b|\brandom(?:ly)? (?:assign|allocat)|\bassigned\b|\ballocated\b"
    r"|\b(?:field|controlled|strip) trial\b|\bpaired[- ]plot",
    re.IGNORECASE,
)


def measured_on_a_scale(at: Floor) -> tuple[str, str]:
    """Return which item says that the treatment is found along a scale, and its words; ("", "") if none."""
    chosen = next((d for d in at.design.directions if d.id == at.design.chosen), None)
    wanted = [(i.id, i.text) for i in at.items if i.kind != "ban"]
    asked = (*wanted, *([(chosen.id, chosen.text)] if chosen and chosen.given else ()))
    denied = re.compile(r"\bno(?:t|n)?[ -]+randomi[sz]\w+[^,;]*", re.IGNORECASE)
    if any(_ALLOTS.search(denied.sub("", t)) for t in (at.objective, *(t for _, t in asked))):
        return "", ""
    return next(((k, m[0]) for k, t in asked for m in [_SCALE.search(t)] if m), ("", ""))


_OF_PAIRS = re.compile(
    r"\bpairs?\b|\bwithin-pair\b|\b(?:both|two) halves\b|\bone half\b|\bthe halves\b|\bmean difference between\b|\bwhich half\b|\bthe (?:draw|allocation)\b"
    r"|\btreatment map\b",
    re.IGNORECASE,
)
_GIVES = frozenset({"assign-at-random", "apply-treatment"})


def nothing_is_assigned(at: Floor) -> Iterator[Finding]:
    """The plan allots or applies a treatment that the brief finds along a scale."""
    item, words = measured_on_a_scale(at)
    given = {(d.task_id, d.text) for d in at.design.declared if _GIVES & set(d.actions)}
    gives = [(t.id, s) for t in at.plan.tasks for s in t.steps if (t.id, s) in given]
    source, first = next(iter(at.of_phase("sourcing")), None), next(iter(at.plan.tasks), None)
    if not item or not gives or source is None or first is None:
        return
    out = [struck(task_id, "steps", step) for task_id, step in gives]
    if not any(re.search(r"\bpair", i.text, re.IGNORECASE) for i in at.items if i.kind != "ban"):
        out += [c for c in _lines_of_pairs(at) if c.old not in {step for _, step in gives}]
    facts = {
        "item": item, "words": words, "units": at.unit, "count": len(out),
        "treatment": at.design.slots.get("treatment", "the treatment"),
        "outcome": at.design.slots.get("outcome", "the outcome"),
        "where": " and ".join(dict.fromkeys(task_id for task_id, _ in gives)),
        "steps": "; ".join(f"“{step.rstrip('.')}”" for _, step in gives[:2]),
    }  # fmt: skip
    yield Finding(
        "nothing_is_assigned",
        facts,
        changes=(
            *out,
            added(source, "steps", at.adds("nothing_is_assigned", "step", **facts)),
            added(first, "steps", at.adds("nothing_is_assigned", "estimand", **facts)),
        ),
        rests_on=(item, *dict.fromkeys(task_id for task_id, _ in gives)),
    )


_REWORDED = (
    (r"the within-pair variance", "the variance between {units}"),
    (r"\bon (?:both halves|both sides of the pair)", "at every one of the {units}"),
    (
        r"\bpair and (\w+) as random terms",
        r"\1 as a random term and {treatment} as a continuous predictor",
    ),
    (r"\b(\w+s) or pairs as replicates", r"\1 as replicates"),
    (r" (?:or|and) the treatment map", ""),
    (r"the mean difference between .* with interval", "the slope over {treatment} with interval"),
    (r"[Ff]or each pair(.*?) of both halves", r"For each of the {units}\1"),
)
"""What a plan says of pairs, and what it says of the same where treatment is found along a scale."""


def _lines_of_pairs(at: Floor) -> Iterator[Change]:
    """Yield the changes of what a plan says of pairs: reworded for a scale, or struck where it cannot be."""
    named = {"units": at.unit, "treatment": at.design.slots.get("treatment", "the treatment")}
    for task in at.plan.tasks:
        told = (
            *(("steps", s) for s in task.steps if task != at.sizer),
            *(("acceptance", a.text) for a in task.acceptance if not a.ledger_ids),
            *(("stop_rules", s) for s in task.stop_rules),
        )
        for field, line in told:
            if not _OF_PAIRS.search(line):
                continue
            again = line
            for pattern, words in _REWORDED:
                again = re.sub(pattern, words.format(**named), again)
            kept = again if again != line and not _OF_PAIRS.search(again) else None
            yield Change(path=f"tasks.{task.id}.{field}", old=line, new=kept)


_AS_GROUPS = ("two_means", "paired_means", "two_proportions")


def scale_sized_as_groups(at: Floor) -> Iterator[Finding]:
    """The number is computed for two groups, and the brief measures along a scale."""
    item, words = measured_on_a_scale(at)
    task, given = at.sizer, at.sizing.get("given")
    design = str(at.sizing.get("design"))
    if not item or not task or not given or design not in _AS_GROUPS:
        return
    facts: dict[str, Any] = {
        "item": item, "words": words, "task": task.id, "given": f"{float(given):g}",
        "unit": at.unit, "treatment": at.design.slots.get("treatment", "the treatment"),
        "outcome": at.design.slots.get("outcome", "the outcome"),
        "design": _IN_WORDS[design], "per": counted_per(at.sizing),
    }  # fmt: skip
    if design == "two_proportions":
        changes = [added(task, "acceptance", at.adds("scale_sized_as_groups", "test", **facts))]
        facts["instead"] = "Its figure says nothing of a ratio per step of the scale"
    else:
        count = float(given) * (1 if design == "paired_means" else 2)
        changes = [sized(task, "design", design, "correlation")]
        if count != given:
            changes.append(sized(task, "given", given, count))
        shown = at.desk.detectable(at.plan.changed(changes))
        if shown is None:
            return
        facts["instead"] = (
            f"As one line through {count:g} {at.unit} it shows a correlation of {shown:.2f}"
        )
    yield Finding("scale_sized_as_groups", facts, changes=tuple(changes), rests_on=(item, task.id))


_IN_WORDS = {
    "two_means": "the means of two groups",
    "paired_means": "differences within pairs",
    "two_proportions": "the shares of two groups",
    "factorial": "a factorial of several factors",
}


def sized_for_another_test(at: Floor) -> Iterator[Finding]:
    """The brief names the test, and the number is computed for another one."""
    task, design = at.sizer, str(at.sizing.get("design"))
    tested = next(
        (i for i in at.items if i.kind == "criterion" and _VARIANCE.search(i.text)), None
    )
    if not task or tested is None or design in ("anova", ""):
        return
    wanted = _sized_as_asked(at)
    if wanted.get("design") != "anova" or not wanted.get("given"):
        return
    keys = sorted({*wanted, *at.sizing} - {"attrition"})
    old = at.sizing
    changes = tuple(
        sized(task, k, old.get(k), wanted.get(k)) for k in keys if old.get(k) != wanted.get(k)
    )
    after = at.plan.changed(changes)
    shown = at.desk.detectable(after)
    if shown is None:
        return
    facts = {
        "item": tested.id, "task": task.id, "design": _IN_WORDS.get(design, design.replace("_", " ")),
        "groups": wanted["groups"], "given": f"{wanted['given']:g}", "unit": at.unit,
        "shown": effect_of(shown, after.sizing),
    }  # fmt: skip
    yield Finding("sized_for_another_test", facts, changes=changes, rests_on=(tested.id, task.id))


_VARIANCE = re.compile(r"\banova\b|analysis of variance", re.IGNORECASE)


def _sized_as_asked(at: Floor) -> dict[str, Any]:
    """Return the arguments of the calculation for the test that the brief itself names."""
    material, design = at.desk.material, at.design
    chosen = next((d.text for d in design.directions if d.id == design.chosen), "")
    words = words_of(material.brief)
    asked = SizingInput(
        brief=material.brief,
        method=material.library.method(design.method_id),
        direction=chosen,
        slots=design.slots,
        units=design.scaling.units,
        params=material.library.tools.taking("sizing").params,
        rule=Sizing(design="two_means"),
        statistics=words.study.statistics,
        factors=words.factors,
    )
    return sizing(asked, Assumptions())


_PARTS = (
    (re.compile(r"\bquartiles?\b", re.IGNORECASE), 4),
    (re.compile(r"\btertiles?\b", re.IGNORECASE), 3),
    (re.compile(r"\bquintiles?\b", re.IGNORECASE), 5),
)
_ASKED_ONCE = r"\binteraction|without further significance|\bjoint test"
"""By which a plan says already how it compares parts."""
_EACH_PART = re.compile(r"at least (\d+) (\w+) per (\w+)", re.IGNORECASE)


def parts_too_small(at: Floor) -> Iterator[Finding]:
    """A criterion asks for results by part, and a part shows far less than the whole."""
    given: Any = at.sizing.get("given")
    task = next(iter(at.of_phase("analysis")), None)
    for item in at.items if given and task else ():
        each = _part(item.text, float(given)) if item.kind == "criterion" else 0
        if not 1 < each < float(given) or not task or at.says(_ASKED_ONCE):
            continue
        facts = {
            "item": item.id, "each": round(each), "unit": at.unit, "given": given,
            "wider": f"{(float(given) / each) ** 0.5:.1f}",
        }  # fmt: skip
        yield Finding(
            "parts_too_small",
            facts,
            changes=(added(task, "acceptance", at.adds("parts_too_small", "test", **facts)),),
            rests_on=(item.id, at.sizer.id if at.sizer else ""),
        )
        return


def _part(text: str, given: float) -> float:
    if found := _EACH_PART.search(text):
        return float(found[1])
    return next((given / parts for pattern, parts in _PARTS if pattern.search(text)), 0)


_CLUSTERED = re.compile(r"cluster\w*[^.]*\bat the (\w+) level|cluster\w* by (\w+)", re.IGNORECASE)


def few_assigned(at: Floor) -> Iterator[Finding]:
    """So few groups are treated that no test over them can fall below the error."""
    level = next((m for i in at.items for m in [_CLUSTERED.search(i.text)] if m), None)
    stem = (level[1] or level[2])[:7].lower() if level else ""
    task = next(iter(at.of_phase("robustness")), None)
    for item in at.items if stem and task else ():
        counts = [
            int(c.quantity.low) for c in item.checks
            if isinstance(c, Limit) and c.quantity.low and stem in c.quantity.noun.lower()
        ]  # fmt: skip
        if len(counts) < 2 or not task:
            continue
        treated, control = counts[:2]
        ways = comb(treated + control, treated)
        smallest = 2 / ways
        alpha: Any = at.sizing.get("alpha", 0.05)
        if smallest <= alpha:
            continue
        more = treated
        while 2 / comb(2 * more, more) > alpha:
            more += 1
        facts = {
            "item": item.id, "treated": treated, "control": control, "ways": ways,
            "smallest": f"{smallest:.2f}", "alpha": f"{alpha:g}", "more": more,
            "then": f"{2 / comb(2 * more, more):.3f}", "level": level[1] or level[2] if level else "",
            "known": next((f" The plan's own rule of thumb [{k}] wants {v}." for k, v in at.assumed("clusters")), ""),
        }  # fmt: skip
        place = registers(at) or task.id
        permutes = at.says(r"permut")
        step = (
            () if permutes else (added(task, "steps", at.adds("few_assigned", "step", **facts)),)
        )
        yield Finding(
            "few_assigned",
            facts,
            changes=(
                added(place, "acceptance", at.adds("few_assigned", "count", **facts)),
                *step,
            ),
            rests_on=(item.id, place, *(k for k, _ in at.assumed("clusters"))),
        )
        return


_TWO = re.compile(
    r"\b(?:two|2) (sections|classes|schools|sites|hospitals|wards|cohorts|villages)\b",
    re.IGNORECASE,
)
_OWNED_UP = r"degrees? of freedom for (?:the )?\w+ effects|cannot be told (?:apart )?from the"
"""By which a plan says already that its groups are in the estimate."""


def one_group_each(at: Floor) -> Iterator[Finding]:
    """Treatment is given to one whole group and not to another: it cannot be told from the group."""
    texts = [(i.id, i.text) for i in at.items if i.kind != "ban"]
    named = next(((key, m) for key, t in texts for m in [_TWO.search(t)] if m), None)
    first = next(iter(at.plan.tasks), None)
    shown = at.desk.detectable(at.plan) if at.sizing.get("given") else None
    if not named or not first or shown is None or at.says(_OWNED_UP):
        return
    key, found = named
    pilot = next(iter(at.of_phase("pilot")), first)
    facts = {
        "item": key, "groups": found[1], "unit": at.design.slots.get("units", "units"),
        "given": at.sizing["given"], "shown": effect_of(shown, at.sizing),
        "basis": basis_of(at.sizing),
    }  # fmt: skip
    yield Finding(
        "one_group_each",
        facts,
        changes=(
            added(first, "acceptance", at.adds("one_group_each", "estimand", **facts)),
            added(pilot, "acceptance", at.adds("one_group_each", "baseline", **facts)),
        ),
        rests_on=(key, at.sizer.id if at.sizer else ""),
    )


def registers(at: Floor) -> str | None:
    """Return the task that registers the plan of the analysis last; None where none does."""
    declared = (d.task_id for d in at.design.declared if "preregister" in d.actions)
    known = {t.id for t in at.plan.tasks}
    found = [task_id for task_id in declared if task_id in known]
    return found[-1] if found else None


_ACROSS = re.compile(r"\bacross (?:the |all )?(\w+)[^.]*\b(?:signific\w*|p ?<)", re.IGNORECASE)


def few_pairs(at: Floor) -> Iterator[Finding]:
    """A result over pairs is to be significant, and so few pairs cannot be."""
    item = next(
        (i for i in at.items if i.kind == "criterion" and _ACROSS.search(i.text)), None
    )  # fmt: skip
    found = _ACROSS.search(item.text) if item else None
    task = at.sizer
    count = _least(at, found[1]) if found else None
    if item is None or not found or count is None or not task:
        return
    if at.sizing.get("design") != "paired_means":
        return
    alpha: Any = at.sizing.get("alpha", 0.05)
    if 2 / 2**count <= alpha:
        return
    facts = {
        "item": item.id, "count": count, "noun": found[1], "ways": 2**count,
        "smallest": f"{2 / 2**count:.2f}", "alpha": f"{alpha:g}", "task": task.id,
    }  # fmt: skip
    yield Finding(
        "few_pairs",
        facts,
        changes=(added(task, "acceptance", at.adds("few_pairs", "over", **facts)),),
        rests_on=(item.id, task.id),
    )


def _least(at: Floor, noun: str) -> int | None:
    """Return how many of *noun* the brief asks for at least."""
    wanted = stem(noun.lower())
    counts = (
        int(c.quantity.low)
        for i in at.items if i.kind == "constraint"
        for c in i.checks
        if isinstance(c, Limit) and c.quantity.low and not c.quantity.unit
        if wanted in {stem(w) for w in c.quantity.noun.lower().split()}
    )  # fmt: skip
    return next(counts, None)


@dataclass(frozen=True, slots=True)
class Cell:
    """A unit that is a place in a period, such as a state-quarter."""

    item: str
    place: str
    period: str


_CELL = re.compile(r"\b([a-z]{3,})-(quarter|month|year|week|day)s?\b", re.IGNORECASE)
_UNIT_OF = re.compile(r"\bunits? of (?:analysis|observation)\b", re.IGNORECASE)
_A_YEAR = {"quarter": 4, "month": 12, "year": 1, "week": 52, "day": 365}
_WINDOW = re.compile(r"\b((?:19|20)\d\d) ?(?:-|–|to|and) ?((?:19|20)\d\d)\b")


def cell_of(at: Floor) -> Cell | None:
    """Return the place and the period that the brief's unit of analysis is made of; None if it is not."""
    for item in at.items:
        found = (
            _CELL.search(item.text) if item.kind != "ban" and _UNIT_OF.search(item.text) else None
        )
        if found:
            return Cell(item.id, found[1].lower(), found[2].lower())
    return None


def cells_of_one_place(at: Floor) -> Iterator[Finding]:
    """The unit is a place in a period: its cells are no units of their own."""
    cell, task = cell_of(at), at.sizer
    if cell is None or task is None:
        return
    count, source = _places(at, cell.place)
    window = next(
        ((i.id, m) for i in at.items if i.kind == "constraint" for m in [_WINDOW.search(i.text)] if m),
        None,
    )  # fmt: skip
    if not count:
        return
    periods = (int(window[1][2]) - int(window[1][1]) + 1) * _A_YEAR[cell.period] if window else 0
    facts = {
        "item": cell.item, "place": cell.place, "period": cell.period, "count": f"{count:,}",
        "source": source, "task": task.id,
        "cells": f"{count * periods:,} cells" if periods else "cells of each",
        "named": f" ({source}, {window[0]})" if window else f" ({source})",
    }  # fmt: skip
    yield Finding(
        "cells_of_one_place",
        facts,
        changes=(added(task, "acceptance", at.adds("cells_of_one_place", "test", **facts)),),
        rests_on=(cell.item, source, task.id),
    )


def _places(at: Floor, place: str) -> tuple[int, str]:
    """Return how many of a place the brief names, and where; (0, "") if it names no number."""
    pattern = re.compile(
        rf"\b(\d[\d,]*) (?:[\w-]+ ){{0,2}}{re.escape(place[:5])}\w*( plus \w+)?", re.IGNORECASE
    )
    for item in at.items:
        found = pattern.search(item.text) if item.kind == "constraint" else None
        if found:
            return int(found[1].replace(",", "")) + bool(found[2]), item.id
    return 0, ""
