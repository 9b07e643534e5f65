"""What would make this wrong: gates that stop nothing, figures that nobody gave, close calls."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dr_rd.modes.panel.board import Change, added
from dr_rd.modes.panel.floor import Finding, Floor, Rule, effect_of
from dr_rd.planning.directions import weighted
from dr_rd.planning.signals import stems

_COMPARES = re.compile(r"detectable|detected|narrower|plausible", re.IGNORECASE)


def gate_without_a_figure(at: Floor) -> Iterator[Finding]:
    """A stop rule compares an effect with one that can be detected, and neither is a figure."""
    shown = at.desk.detectable(at.plan)
    given: Any = at.sizing.get("given") or at.sizing.get("clusters")
    task = next(
        (t for t in at.plan.tasks
         if any(_COMPARES.search(r) and not re.search(r"\d", r) for r in t.stop_rules)), None
    )  # fmt: skip
    if shown is None or task is None or not given:
        return
    old = next(r for r in task.stop_rules if _COMPARES.search(r) and not re.search(r"\d", r))
    unit = str(at.sizing.get("unit") or at.unit) if not at.sizing.get("clusters") else "clusters"
    unit = f"{unit} per group" if at.sizing.get("design") in _TWO_GROUPS else unit
    facts = {
        "task": task.id, "old": old.rstrip("."), "shown": effect_of(shown, at.sizing),
        "given": f"{given:g}", "unit": unit, "value": f"{shown:.3g}",
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


_TWO_GROUPS = (
    "two_means", "two_proportions", "anova", "difference_in_differences", "baseline_adjusted",
)  # fmt: skip

_WORSE: Mapping[str, tuple[float, str]] = {
    "icc": (0.1, "intracluster correlation"),
    "correlation": (0.3, "correlation of two measurements of a unit"),
    "base": (0.3, "proportion expected in the comparator"),
}
"""A value that is worse and no rarer than the library's, and what the argument is called."""

_NOTICEABLE = 1.1


def nobodys_figure(at: Floor) -> Iterator[Finding]:
    """The size rests on a figure of the library, and on another one it does not hold."""
    sizer = at.sizer
    for name, (worse, called) in _WORSE.items() if sizer else ():
        old: Any = at.sizing.get(name)
        key = next((k for k, _ in at.assumed(*_CALLED[name])), "")
        if not sizer or old is None or not key or old == worse:
            continue
        found = _both(at, name, worse)
        if found is None:
            continue
        before, after = found
        item = next((i for i in at.items if re.search(_ASKED[name], i.text, re.IGNORECASE)), None)
        facts = {
            "key": key, "called": called, "old": f"{old:g}", "worse": f"{worse:g}",
            "before": before, "after": after, "sizer": sizer.id,
            "asked": f", and {item.id} asks for one from a source" if item else "",
        }  # fmt: skip
        yield Finding(
            "nobodys_figure",
            facts,
            changes=(added(sizer, "acceptance", at.adds("nobodys_figure", "test", **facts)),),
            rests_on=(key, sizer.id, item.id if item else ""),
        )
        return


_CALLED: Mapping[str, tuple[str, ...]] = {
    "icc": ("icc",),
    "correlation": ("correlation",),
    "base": ("base risk", "base"),
}
_ASKED: Mapping[str, str] = {
    "icc": r"intracluster|\bICC\b",
    "correlation": r"correlation of",
    "base": r"power calculation",
}


def _both(at: Floor, name: str, worse: float) -> tuple[str, str] | None:
    before, after = at.desk.size(at.plan), at.desk.size(at.plan, **{name: worse})
    if not before or not after:
        return None
    if before["detectable"] and after["detectable"]:
        if (
            max(
                after["detectable"] / before["detectable"],
                before["detectable"] / after["detectable"],
            )
            < _NOTICEABLE
        ):
            return None
        return (
            f"shows {effect_of(before['detectable'], at.sizing)}",
            f"shows {effect_of(after['detectable'], at.sizing)}",
        )
    first, second = before["rows"], after["rows"]
    middle = len(first) // 2
    if second[middle]["per_group"] / first[middle]["per_group"] < _NOTICEABLE:
        return None
    effect = effect_of(first[middle]["effect"], at.sizing)
    return (
        f"needs {first[middle]['per_group']:,} per group for {effect}",
        f"needs {second[middle]['per_group']:,} per group for it",
    )


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


_ROUNDS = re.compile(
    r"\b(midpoint|interim|annual|follow-up|repeated|monthly|quarterly|seasonal)\b", re.IGNORECASE
)


def promised_without_a_task(at: Floor) -> Iterator[Finding]:
    """The chosen direction promises a round of work that no task does."""
    chosen = next(d for d in at.design.directions if d.id == at.design.chosen)
    last = next(iter(at.of_phase("reporting")), None)
    decides = next(
        (t for t in at.plan.tasks if any(r.name == "decision_matrix" for r in t.tool_request)),
        None,
    )
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


_CLOSE = 0.05


def close_call(at: Floor) -> Iterator[Finding]:
    """Two directions score alike, so that the order of the brief or one word has decided."""
    design = at.design
    open_ = [d for d in design.directions if not d.excluded and d.given]
    scores = {d.id: weighted(d.scores, design.weights) for d in open_}
    decides = next(
        (t for t in at.plan.tasks if any(r.name == "decision_matrix" for r in t.tool_request)),
        None,
    )
    others = sorted((d for d in open_ if d.id != design.chosen), key=lambda d: -scores[d.id])
    if not others or design.chosen not in scores or decides is None:
        return
    chosen, second = next(d for d in open_ if d.id == design.chosen), others[0]
    margin = scores[chosen.id] - scores[second.id]
    if margin > _CLOSE:
        return
    apart = [c for c in design.weights if chosen.scores[c] != second.scores[c]]
    facts = {
        "first": chosen.id, "second": second.id, "score": f"{scores[chosen.id]:.2f}",
        "rival": f"{scores[second.id]:.2f}", "task": decides.id,
        "how": "the order in which the brief names them" if margin == 0
        else f"{margin:.2f} on {_listed(apart)}",
        "text": second.text,
    }  # fmt: skip
    yield Finding(
        "close_call",
        facts,
        changes=(added(decides, "acceptance", at.adds("close_call", "test", **facts)),),
        rests_on=(chosen.id, second.id, decides.id),
    )


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
        words = [w for w in re.findall(r"[A-Za-z][\w-]+", item.text) if stems(w) & missing]
        facts = {
            "item": item.id, "text": item.text, "work": work.id,
            "words": ", ".join(f"“{w}”" for w in dict.fromkeys(words)),
        }  # fmt: skip
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
    gate_without_a_figure,
    nobodys_figure,
    promised_without_a_task,
    close_call,
    condition_not_logged,
    unowned_item,
)
