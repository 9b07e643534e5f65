"""The gate: what is checked and armed, what blocks, what may start, and what only people can say."""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from typing import Literal

from core.graph.state import GraphTask
from core.modes.delivery import Block, Delivery, DeliveryKit, Update
from core.pluralize import pluralize
from dr_rd.modes.delivery.bench import Bench, bench_of, lines, upstream
from dr_rd.modes.delivery.dossier import (
    Dossier,
    GateItem,
    Money,
    Requirement,
    Test,
    dossier_of,
)
from dr_rd.modes.delivery.faults import (
    PAYS,
    against,
    asks,
    held_up,
    mendable,
    unmendable,
    up_to_gate,
)
from dr_rd.modes.delivery.forms import named_things
from dr_rd.modes.delivery.limits import Held, banned_actions, held
from dr_rd.modes.delivery.wording import stems
from dr_rd.planning.limits import least_day_rate

_FEW = 2
"""Lines of a plan that a word may stand in and still name something of its own."""


async def STAGE(state: Delivery, kit: DeliveryKit) -> Update:
    """Judge every requirement on the plan as it stands."""
    bench, dossier, settled = bench_of(kit), dossier_of(state), state.settled
    dossier = dossier.model_copy(update={"money": _money(bench, dossier)})
    dossier = dossier.model_copy(update=_gate_of_plan(bench, dossier, settled))
    dossier = dossier.with_tests(_judged(bench, dossier, settled))
    blocks = (*mendable(bench, dossier, settled), *unmendable(bench, dossier, settled))
    dossier = dossier.model_copy(
        update={"gate": tuple(_items(dossier, blocks, _losses(bench, dossier)))}
    )
    states = [dossier.state_of(r.id) for r in dossier.requirements]
    said = (
        f"{pluralize(len(blocks), 'block')}, {sum(b.mendable for b in blocks)} mendable; of "
        f"{pluralize(len(states), 'requirement')} {states.count('checked')} checked, "
        f"{states.count('armed')} armed, {states.count('open')} open"
    )
    return Update(said=said, work=dossier.saved(), blocks=blocks, asks=tuple(asks(bench, dossier)))


def _judged(bench: Bench, dossier: Dossier, settled: Mapping[str, str]) -> Iterator[Test]:
    """Yield the tests with their owner, day and state, and those that the plan itself can run."""
    roles = {t.id: t.role for t in dossier.tasks}
    seen = held(bench.preview(dossier.tasks))
    for test in dossier.tests:
        if test.source in ("plan", "computed"):
            continue
        day = dossier.times.get(test.task, {}).get("finish")
        ready: Literal["armed", "open"] = "armed" if day is not None else "open"
        if dossier.requirement(test.requirement).form == "inequality":
            ready = "open"  # its figures are not there yet
        yield test.model_copy(update={"role": roles[test.task], "day": day, "state": ready})
    for needed in dossier.requirements:
        if needed.source in seen:
            yield from _on_plan(bench, dossier, needed, seen[needed.source], settled)


def _on_plan(
    bench: Bench,
    dossier: Dossier,
    needed: Requirement,
    seen: Held,
    settled: Mapping[str, str],
) -> Iterator[Test]:
    made = Test(
        id=f"{needed.id.replace('R-', 'AT-')}p",
        requirement=needed.id,
        task=needed.owner or dossier.tasks[0].id,
        text="On the plan as it stands",
        source="plan",
        role="analyst",
        day=0.0,
    )
    answer = settled.get(against(needed.source))
    if seen.verdict == "violated" and answer == "allowed":
        yield made.model_copy(
            update={"state": "checked", "evidence": "a person says it is allowed"}
        )
    elif seen.verdict == "violated":
        yield made.model_copy(update={"evidence": f"violated: {seen.reason}"})
    elif seen.verdict == "unclear":  # no reason to stop anything: a person reads it at the gate
        yield made.model_copy(update={"state": "armed", "evidence": f"unclear: {seen.reason}"})
    elif (money := dossier.money) and money.item == needed.source and money.headroom >= 0:
        if money.guessed:  # it neither keeps the limit nor breaks it
            evidence = (
                f"the library guesses {money.guessed} of {money.limit:,.0f} {money.currency}"
            )
            yield made.model_copy(
                update={"state": "armed", "evidence": f"{evidence}; quotes decide"}
            )
            return
        said = settled.get(PAYS)
        known: Literal["checked", "open"] = "checked" if said == "no" else "open"
        whose = {"no": "staff is paid elsewhere", "yes": "staff is paid from it, at no known rate"}
        scope = whose.get(said or "", "whether it pays staff is not said")
        evidence = (
            f"{money.planned:,.0f} at {money.at} against {money.limit:,.0f} {money.currency}"
        )
        if money.staff or _says_staff(needed.text):
            known, scope = "checked", money.staff or "as the limit words it"
        elif not money.pays_no_researcher:
            known, scope = "checked", f"{money.a_day:,.0f} a staff day are left if it pays staff"
        yield made.model_copy(
            update={"source": "computed", "state": known, "evidence": f"{evidence}; {scope}"}
        )
    elif seen.verdict == "met":
        yield made.model_copy(update={"state": "checked", "evidence": seen.reason})
    elif (
        needed.kind == "ban" and needed.form == "absence" and _sought(bench, dossier.tasks, needed)
    ):
        yield made.model_copy(update=_absent(bench, dossier.tasks, needed))


def _says_staff(text: str) -> bool:
    return bool(
        stems(text) & stems("staff staffing salary salaries personnel wages labour payroll")
    )


def _absent(bench: Bench, tasks: Sequence[GraphTask], needed: Requirement) -> dict[str, str]:
    """Return what the plan's own lines show of something that must not be in it."""
    if does := banned_actions(bench.material).get(needed.source):
        return {"state": "checked", "evidence": f"no step declares that it {does}"}
    told = [(task.id, line) for task in tasks for line in lines(task)]
    wanted = _sought(bench, tasks, needed)
    for phrase, words in wanted:
        for task_id, line in told:
            if words <= stems(line):
                evidence = f"{task_id} says “{line}”; read it against “{phrase}”"
                return {"state": "armed", "evidence": evidence}
    names = ", ".join(f"“{phrase}”" for phrase, _ in wanted)
    return {"state": "checked", "evidence": f"none of its {len(told)} lines names {names}"}


def _sought(
    bench: Bench, tasks: Sequence[GraphTask], needed: Requirement
) -> list[tuple[str, frozenset[str]]]:
    """Return the phrases by which a plan would name what must not be in it.

    A word that many of the plan's lines have names nothing, nor does one that only says of what.
    """
    rarity = bench.rarity(tasks)
    named = named_things(needed.text, bench.common)
    heads = [p for p in named if " " in p or f" of {p}" not in needed.text] or named
    found = [(p, stems(p) - bench.common) for p in heads]
    telling = [(p, w) for p, w in found if len(w) > 1 or (w and rarity.lines(w) <= _FEW)]
    if needed.kind == "ban":
        return telling
    return telling[:1] if telling and len(telling[0][1]) > 1 else telling[:3]


def _money(bench: Bench, dossier: Dossier) -> Money | None:
    seen = bench.preview(dossier.tasks)
    limits = (r for r in dossier.requirements if r.kind in ("constraint", "criterion"))
    item = next((r.source for r in limits if r.form == "money"), "")
    if seen.limit_cost is None or not item:
        return None
    low, high = seen.guess or (0.0, 0.0)
    return Money(
        currency=seen.currency,
        at=bench.at,
        planned=seen.known if seen.guess else seen.cost.get(bench.at, 0.0),
        guessed=f"{low:,.0f} to {high:,.0f}" if seen.guess else "",
        limit=seen.limit_cost,
        staff_days=sum(_staff_days(bench, task) for task in dossier.tasks),
        item=item,
        least_day=least_day_rate(seen.currency),
        staff=bench.material.staff_settled,
    )


def _staff_days(bench: Bench, task: GraphTask) -> float:
    """Return the days that somebody works; a task that lasts as long as the study period waits."""
    if task.duration_days is None:
        return 0.0
    method, _, package = task.source.partition("/")
    own = bench.material.design.method_id == method
    packages = bench.material.library.method(method).by_id if own else {}
    if package in packages and packages[package].duration.driver == "horizon":
        return 0.0
    return task.duration_days.mean


def _gate_of_plan(bench: Bench, dossier: Dossier, settled: Mapping[str, str]) -> dict[str, object]:
    """Return the plan's first gate, and the tasks up to it that nothing asked of people holds."""
    gate, wanted = up_to_gate(bench, dossier)
    waits, above = held_up(bench, dossier, settled), upstream(dossier.tasks)
    free = [t.id for t in dossier.tasks if t.id in wanted and not above[t.id] & waits]
    return {"first_gate": gate, "may_start": tuple(free)}


def _items(
    dossier: Dossier, blocks: Sequence[Block], losses: Sequence[GateItem]
) -> Iterator[GateItem]:
    total, stories = (
        len(dossier.requirements),
        {r for s in dossier.stories for r in s.requirements},
    )
    whole = [
        r.id
        for r in dossier.requirements
        if r.owner and r.id in stories and dossier.tests_of(r.id)
    ]
    yield GateItem(
        item="every requirement has owner, story and test",
        verdict="pass" if len(whole) == total else "blocks",
        evidence=f"{len(whole)} of {total} in the matrix",
    )
    checked = [t for t in dossier.tests if t.state == "checked"]
    if checked:
        proven = sum(bool(t.evidence) for t in checked)
        yield GateItem(
            item="checked tests have evidence",
            verdict="pass" if proven == len(checked) else "blocks",
            evidence=f"{proven} of {len(checked)}: {', '.join(t.id for t in checked)}",
        )
    armed = [t for t in dossier.tests if t.state == "armed"]
    if armed:
        dated = sum(t.day is not None and bool(t.role) for t in armed)
        yield GateItem(
            item="armed tests have an owner and a day",
            verdict="pass" if dated == len(armed) else "blocks",
            evidence=f"{dated} of {len(armed)}, days {_span(armed)}",
        )
    for block in blocks:
        yield GateItem(item=block.id, verdict="blocks", evidence=block.text)
    for needed in dossier.requirements:
        if (money := dossier.money) and money.guessed and money.item == needed.source:
            yield GateItem(
                item=f"{needed.id}: prices are missing",
                verdict="holds spending",
                evidence=f"nobody has priced what the library guesses at {money.guessed} "
                f"{money.currency}; {money.item} allows {money.limit:,.0f}",
            )
        if needed.form == "inequality" and needed.owner:
            day = dossier.times.get(needed.owner, {}).get("finish", 0.0)
            yield GateItem(
                item=f"{needed.id}: figures are missing",
                verdict="holds spending",
                evidence=f"{needed.owner} gives them by day {day:.0f}",
            )
    yield from losses


def _losses(bench: Bench, dossier: Dossier) -> tuple[GateItem, ...]:
    """Say how many units must be enrolled so that as many as the brief asks for are left."""
    sizing = bench.material.design.sizing
    given, lost = sizing.get("given"), sizing.get("attrition")
    if not isinstance(given, int | float) or not isinstance(lost, int | float) or not lost:
        return ()
    counted = (r for r in dossier.requirements if r.form == "count" and f" {given:g} " in r.text)
    return tuple(
        GateItem(
            item=f"{r.id}: enrolled and left",
            verdict="note",
            evidence=f"with {lost:.0%} lost, {given:g} enrolled leave {int(given * (1 - lost))}; "
            f"{ceil(given / (1 - lost))} must be enrolled for {given:g} to be left",
        )
        for r in counted
    )


def _span(tests: Sequence[Test]) -> str:
    days = sorted(t.day for t in tests if t.day is not None)
    return f"{days[0]:.0f} to {days[-1]:.0f}" if days else "unknown"
