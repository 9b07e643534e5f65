"""What is wrong with a delivery: what the builder can mend, and what only people can say."""

from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from core.graph.state import GraphTask
from core.modes.delivery import Ask, Block, Option
from dr_rd.modes.delivery.bench import Bench, lines, own_lines, upstream
from dr_rd.modes.delivery.dossier import Dossier, Money, Requirement, Test
from dr_rd.modes.delivery.forms import short_name
from dr_rd.modes.delivery.limits import Held, held, items, named
from dr_rd.modes.delivery.matching import maker
from dr_rd.modes.delivery.wording import repeats, stems

NO_OWNER, NO_TEST, MOVE, EDGE, DROP = "no-owner", "no-test", "owner", "edge", "drop"
PAYS = "pays-staff"
_AGAINST = ("violated",)
_STAFF = frozenset(stems("staff staffing salary salaries personnel wages labour payroll"))
_SETTLES = ("allowed", "no", "ruled-out")
"""Answers after which a question holds nothing up."""
_SMALL = 0.1
"""Share of the limit up to which work may be paid before it is known what the limit pays."""
_ROUNDS = 12
"""Steps that are taken out for one limit, at most."""


def mendable(bench: Bench, dossier: Dossier, settled: Mapping[str, str]) -> Iterator[Block]:
    """Yield what keeps the gate shut and needs no fact that nobody has."""
    titles = {r.id: r.text for r in dossier.requirements}
    for needed in dossier.requirements:
        tests = [t for t in dossier.tests_of(needed.id) if t.source not in ("plan", "computed")]
        if not needed.owner:
            text = f"{needed.id} has no owner: {needed.text}"
            yield Block(id=f"{NO_OWNER}:{needed.id}", text=text, mendable=True)
            continue
        if not tests or any(repeats(t.text, needed.text) for t in tests):
            text = f"{needed.id} has no test: {titles[needed.id]}"
            yield Block(id=f"{NO_TEST}:{needed.id}", text=text, mendable=True)
        elsewhere, why = _does(bench, dossier, needed, tests)
        if elsewhere != needed.owner:
            text = f"{needed.id} is owned by {needed.owner}, and {elsewhere} {why}"
            yield Block(id=f"{MOVE}:{needed.id}:{elsewhere}", text=text, mendable=True)
    yield from _edges(dossier.tasks)
    for item, seen in held(bench.preview(dossier.tasks)).items():
        if seen.verdict in _AGAINST and settled.get(against(item)) == "ruled-out" and seen.quote:
            text = f"{item}: a step does what it rules out: “{seen.quote}”"
            yield Block(id=f"{DROP}:{item}", text=text, mendable=True)


def _does(
    bench: Bench, dossier: Dossier, needed: Requirement, tests: Sequence[Test]
) -> tuple[str, str]:
    """Return the task that tests a requirement, or makes what it is about, and which it does."""
    if own := next((t.task for t in tests if t.source == "own line"), ""):
        return own, "tests it"
    if needed.kind in ("constraint", "criterion"):
        owner = dossier.task(needed.owner)
        if makes := maker(needed.text, dossier.tasks, bench.common, owner):
            return makes.id, "makes what it is about"
    return needed.owner, ""


def _edges(tasks: Sequence[GraphTask]) -> Iterator[Block]:
    """Yield each dependency that a line of a task rests on and that the plan does not have."""
    above = upstream(tasks)
    for task in tasks:
        for other in tasks:
            product = short_name(other).removeprefix("the ").removesuffix(f" of {other.id}")
            apart = other.id not in above[task.id] and task.id not in above[other.id]
            if apart and len(product.split()) > 1 and _cites(task, product):
                text = f"{task.id} cites the {product} of {other.id} and does not wait for it"
                yield Block(id=f"{EDGE}:{other.id}:{task.id}", text=text, mendable=True)


def _cites(task: GraphTask, product: str) -> bool:
    told = (task.title, *task.steps, *own_lines(task))
    return any(product.lower() in line.lower() for line in told)


def natural_owner(text: str, tasks: Sequence[GraphTask], bench: Bench) -> GraphTask:
    """Return the task whose words have most of what a limit is about; else the first."""
    rarity = bench.rarity(tasks)

    def weights(task: GraphTask) -> tuple[float, float]:
        words = frozenset(s for line in lines(task) for s in stems(line))
        shared = stems(text) & words
        own = sum(rarity.weight(s) for s in shared - bench.common)
        return own, sum(rarity.weight(s) for s in shared)

    return max(tasks, key=weights)


def without_steps(
    tasks: Sequence[GraphTask], item: str, bench: Bench
) -> tuple[tuple[GraphTask, ...], tuple[tuple[str, str], ...]]:
    """Return the plan without the steps that do what a limit rules out, and those steps."""
    plan, dropped = tuple(tasks), list[tuple[str, str]]()
    for _ in range(_ROUNDS):
        seen = held(bench.preview(plan))[item]
        owner = next((t for t in plan if seen.quote in t.steps), None)
        if seen.verdict not in _AGAINST or owner is None:
            break
        steps = tuple(s for s in owner.steps if s != seen.quote)
        dropped.append((owner.id, seen.quote))
        plan = tuple(
            t.model_copy(update={"steps": steps}) if t.id == owner.id else t for t in plan
        )
    return plan, tuple(dropped)


def against(item: str) -> str:
    """Return the name of the question on a limit that the plan goes, or may go, against."""
    return f"against-{item.lower()}"


def asks(bench: Bench, dossier: Dossier) -> Iterator[Ask]:
    """Yield what only a person can say of the plan."""
    for item, seen in held(bench.preview(dossier.tasks)).items():
        if seen.verdict in _AGAINST:
            yield _against(bench, dossier, item, seen)
    money = dossier.money
    if (
        money
        and money.headroom >= 0
        and money.pays_no_researcher
        and not stems(_text(bench, money.item)) & _STAFF
    ):
        yield _pays_staff(bench, dossier, money)


def _text(bench: Bench, item: str) -> str:
    return next((i.text for i in items(bench.material) if i.id == item), "")


def up_to_gate(bench: Bench, dossier: Dossier) -> tuple[str, frozenset[str]]:
    """Return the plan's first gate and the tasks up to it; all of them where there is no gate."""
    known = frozenset(task.id for task in dossier.tasks)
    gate = next((g for g in bench.material.design.gates if g.after in known), None)
    return (gate.id, upstream(dossier.tasks)[gate.after]) if gate else ("", known)


def _pays_staff(bench: Bench, dossier: Dossier, money: Money) -> Ask:
    _, first = up_to_gate(bench, dossier)
    costs = {t.id: t.cost.mean for t in dossier.tasks if t.cost and t.cost.mean > 0}
    small = sum(costs.get(t, 0.0) for t in first) <= _SMALL * money.limit
    spending = tuple(t for t in costs if not (small and t in first))
    free = tuple(t for t in dossier.may_start if t not in spending)
    before = " before anything is bought" if money.guessed else ""
    planned: dict[str, JsonValue] = {f"direct costs at {money.at}": round(money.planned)}
    holds = f"{money.item} holds: {money.planned:,.0f} at {money.at} is within it"
    if money.guessed:
        planned = {"priced": round(money.planned), "guessed": money.guessed}
        holds = f"quotes are held against {money.item} alone: {money.guessed} is a guess"
    return Ask(
        id=PAYS,
        text=f"Does the {money.limit:,.0f} {money.currency} of {money.item} pay staff time?",
        options=(
            Option(answer="no", does=holds),
            Option(
                answer="yes",
                does=(
                    f"{money.item} does not hold: {money.a_day:,.0f} {money.currency} are left for each "
                    f"of {money.staff_days:,.0f} staff days{before}, which pays no researcher; "
                    "nothing is spent"
                ),
            ),
            Option(answer="stop", does="the delivery ends here", leads="end"),
        ),
        known={
            "limit": round(money.limit),
            **planned,
            "staff days": round(money.staff_days),
            "headroom": round(money.headroom),
            "headroom a staff day": round(money.a_day),
        },
        tried=(
            "the words of the limit: they do not say",
            "the plan's costs: they leave staff out",
        ),
        blocks=spending,
        meanwhile=free,
    )


def _against(bench: Bench, dossier: Dossier, item: str, seen: Held) -> Ask:
    touched = named([t.id for t in dossier.tasks], seen.reason)
    touched = touched or tuple(t.id for t in dossier.tasks if seen.quote in t.steps)
    text = _text(bench, item)
    options = [
        Option(
            answer="allowed",
            does=f"the plan stays as it is, and {item} counts as kept on your word",
        ),
        Option(answer="stop", does="the delivery ends with a no-go", leads="end"),
    ]
    if seen.quote and any(seen.quote in t.steps for t in dossier.tasks):
        left = Option(
            answer="ruled-out", does="dev takes such steps out of the plan", leads="rework"
        )
        options.insert(1, left)
    known = {"limit": text, "the plan": seen.reason, "its words": seen.quote}
    return Ask(
        id=against(item),
        text=f"Does {item} (“{text}”) rule this out: “{(seen.quote or seen.reason).rstrip('.')}”?",
        options=tuple(options),
        known={k: v for k, v in known.items() if v},
        tried=("the limit's words and the actions that the steps declare: they leave it open",)
        if seen.verdict == "unclear"
        else (),
        blocks=touched,
        meanwhile=tuple(t for t in dossier.may_start if t not in touched),
    )


def held_up(bench: Bench, dossier: Dossier, settled: Mapping[str, str]) -> frozenset[str]:
    """Return the tasks that wait for what only people can say."""
    waiting = (ask for ask in asks(bench, dossier) if settled.get(ask.id) not in _SETTLES)
    return frozenset(task for ask in waiting for task in ask.blocks)


def unmendable(bench: Bench, dossier: Dossier, settled: Mapping[str, str]) -> Iterator[Block]:
    """Yield what keeps the gate shut until a person has said more."""
    for ask in asks(bench, dossier):
        answer = settled.get(ask.id)
        if answer in _SETTLES:
            continue
        if answer == "yes" and dossier.money:
            money = dossier.money
            text = (
                f"{money.item} pays staff: {money.headroom:,.0f} {money.currency} for "
                f"{money.staff_days:,.0f} days pay no researcher"
            )
            yield Block(id=ask.id, text=text)
        else:
            yield Block(id=ask.id, text=ask.text)
