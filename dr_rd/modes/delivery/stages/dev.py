"""Work packages, and what can be mended without a fact that nobody has."""

from collections.abc import Iterable

from core.graph.state import GraphTask
from core.modes.delivery import Block, Delivery, DeliveryKit, Update
from core.pluralize import pluralize
from dr_rd.modes.delivery.bench import Bench, bench_of, upstream
from dr_rd.modes.delivery.dossier import Dossier, Mend, Test, dossier_of
from dr_rd.modes.delivery.faults import (
    DROP,
    EDGE,
    MOVE,
    NO_OWNER,
    NO_TEST,
    natural_owner,
    without_steps,
)
from dr_rd.modes.delivery.forms import form_of, where_run
from dr_rd.modes.delivery.stories import stories
from dr_rd.modes.delivery.voices import written_tests


async def STAGE(state: Delivery, kit: DeliveryKit) -> Update:
    """Fill the packages from the plan; on rework mend each block that can be mended."""
    bench, dossier = bench_of(kit), dossier_of(state)
    before = len(dossier.mends)
    for block in state.blocks:
        if block.mendable:
            dossier = _mended(bench, dossier, block, state.round)
    dossier = _left(dossier, state.blocks, state.round)
    dossier, marks = await written_tests(bench, dossier, state.round)
    dossier = dossier.model_copy(
        update={
            "stories": stories(dossier, bench.material.library),
            "times": bench.preview(dossier.tasks).times,
        }
    )
    mended = sum(not m.done.startswith("not mended") for m in dossier.mends[before:])
    said = (
        f"round {state.round}: {mended} mended, {len(dossier.mends) - before - mended} not"
        if state.blocks
        else f"{pluralize(len(dossier.tasks), 'work package')} filled from the plan"
    )
    return Update(said=said, marks=marks, work=dossier.saved())


def _mended(bench: Bench, dossier: Dossier, block: Block, number: int) -> Dossier:
    kind, _, rest = block.id.partition(":")
    first, _, second = rest.partition(":")
    mend = {
        NO_OWNER: _own,
        MOVE: _own,
        NO_TEST: _test,
        EDGE: _edge,
        DROP: _drop,
    }[kind]
    found, done = mend(bench, dossier, first, second)
    mends = (*found.mends, Mend(round=number, block=block.id, done=done))
    return found.model_copy(update={"mends": mends})


def _own(bench: Bench, dossier: Dossier, name: str, to: str) -> tuple[Dossier, str]:
    needed = dossier.requirement(name)
    owner = to or natural_owner(needed.text, dossier.tasks, bench).id
    moved = needed.model_copy(update={"owner": owner})
    requirements = tuple(moved if r.id == name else r for r in dossier.requirements)
    was = f" instead of {needed.owner}" if needed.owner else ""
    tests = tuple(t for t in dossier.tests if t.requirement != name or t.source == "own line")
    update = {
        "requirements": requirements,
        "tests": tests,
        "tasks": _committed(dossier, name, owner),
    }
    made = dossier.model_copy(update=update)
    if not made.tests_of(name):  # it is run on what the new owner hands over
        made, _ = _test(bench, made, name, "")
    return made, f"{name} is owned by {owner}{was}"


def _committed(dossier: Dossier, name: str, owner: str) -> tuple[GraphTask, ...]:
    """Return the plan with the line that takes a limit upon a task at its new owner."""
    source = dossier.requirement(name).source
    moved = [a for t in dossier.tasks for a in t.acceptance if source in a.ledger_ids]
    tasks = []
    for task in dossier.tasks:
        kept = tuple(a for a in task.acceptance if source not in a.ledger_ids)
        mine = (*kept, *moved) if task.id == owner else kept
        tasks.append(task.model_copy(update={"acceptance": mine}))
    return tuple(tasks)


def _test(bench: Bench, dossier: Dossier, name: str, _: str) -> tuple[Dossier, str]:
    needed = dossier.requirement(name)
    task = dossier.task(needed.owner)
    if needed.form == "inequality":
        text = (
            f"Given {task.id}'s figures with their source, when the expected change and its SD are "
            "set against the requirement, then it holds; a figure without a source fails it."
        )
    else:
        form = form_of(needed.kind, needed.text)
        above = upstream(dossier.tasks)
        later = [t for t in dossier.tasks if task.id in above[t.id] and t != task]
        earlier = [t for t in dossier.tasks if t.id in above[task.id] and t != task]
        task = where_run(form, needed.text, task, later, earlier=earlier, unit=bench.unit)
        text = bench.test(form, needed.kind, needed.text, task, dossier.tasks)
    test = Test(
        id=name.replace("R-", "AT-"), requirement=name, task=task.id, text=text, source="template"
    )
    return dossier.with_tests([test]), f"{test.id} by the form “{needed.form}”"


def _edge(bench: Bench, dossier: Dossier, needs: str, task_id: str) -> tuple[Dossier, str]:
    before = bench.preview(dossier.tasks)
    tasks = tuple(
        t.model_copy(update={"depends_on": (*t.depends_on, needs)}) if t.id == task_id else t
        for t in dossier.tasks
    )
    after, at = bench.preview(tasks), bench.at
    moved = after.days.get(at, 0.0) - before.days.get(at, 0.0)
    effect = f"{at} moves by {moved:+.0f} working days" if abs(moved) >= 1 else f"{at} unchanged"
    return (
        dossier.model_copy(update={"tasks": tasks}),
        f"edge {needs} → {task_id}: {effect}",
    )


def _drop(bench: Bench, dossier: Dossier, item: str, _: str) -> tuple[Dossier, str]:
    tasks, dropped = without_steps(dossier.tasks, item, bench)
    named = "; ".join(f"{task}: “{step}”" for task, step in dropped)
    return dossier.model_copy(update={"tasks": tasks}), f"taken out for {item}: {named}"


def _left(dossier: Dossier, blocks: Iterable[Block], number: int) -> Dossier:
    """Return the dossier with a line for each block that nobody here can mend, once."""
    told = {m.block for m in dossier.mends}
    lines = tuple(
        Mend(round=number, block=b.id, done=f"not mended: {b.text}")
        for b in blocks
        if not b.mendable and b.id not in told
    )
    return dossier.model_copy(update={"mends": (*dossier.mends, *lines)})
