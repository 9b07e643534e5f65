"""What a delivery came to: the finding first, then the question, the matrix and the gate."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib.resources import files

from pydantic import JsonValue

from core.graph.state import plan_digest
from core.modes.delivery import Delivery
from core.pluralize import pluralize
from dr_rd.modes.delivery.dossier import (
    Dossier,
    Mend,
    QuestionOut,
    Result,
    RouteOut,
    Test,
    dossier_of,
    matrix,
)
from dr_rd.modes.delivery.faults import NO_TEST
from dr_rd.modes.spec import Material
from dr_rd.planning.guesses import is_guess, pay_parts
from dr_rd.templates import fill


def report(state: Delivery, material: Material) -> tuple[str, JsonValue]:
    """Return the result as it stands, in Markdown and as JSON."""
    dossier = dossier_of(state)
    questions = tuple(
        QuestionOut(
            id=ask.id,
            text=ask.text,
            answers={o.answer: o.does for o in ask.options},
            known=ask.known,
            tried=ask.tried,
            blocks=ask.blocks,
            meanwhile=ask.meanwhile,
            answered=state.settled.get(ask.id, ""),
        )
        for ask in (*state.asks, *(a for a in state.open_asks if a not in state.asks))
    )
    result = Result(
        verdict=_verdict(state, questions),
        finding=_finding(state, dossier, material, questions),
        as_far_as=_reached(dossier, material),
        counts={
            s: sum(dossier.state_of(r.id) == s for r in dossier.requirements) for s in _STATES
        },
        plan_from=plan_digest(tuple(material.tasks)),
        plan_to=plan_digest(dossier.tasks),
        flags={name: getattr(state, name) for name in _FLAGS},
        requirements=dossier.requirements,
        stories=dossier.stories,
        tests=dossier.tests,
        decision_records=dossier.records,
        matrix=matrix(dossier),
        gate=dossier.gate,
        blocks=tuple(block.text for block in state.blocks),
        mends=dossier.mends,
        questions=questions,
        may_start=dossier.may_start,
        tasks=dossier.tasks,
        routes=tuple(RouteOut(**route.model_dump()) for route in state.routes),
        taken=dossier.taken,
        notes=dossier.notes,
    )
    words = fill(_template(), {"r": result, "d": dossier, **_shown(state, dossier, material)})
    return words, result.model_dump(mode="json")


def _rows_of_mends(mends: Sequence[Mend]) -> list[dict[str, object]]:
    """Return a row for each mend, and one a round for all tests that were written."""
    rows: list[dict[str, object]] = []
    for number in dict.fromkeys(m.round for m in mends):
        mine = [m for m in mends if m.round == number]
        tests = [m for m in mine if m.block.startswith(NO_TEST)]
        if tests:
            names = ", ".join(m.block.partition(":")[2] for m in tests)
            forms = dict.fromkeys(m.done.rpartition(" form ")[2] for m in tests)
            done = f"{pluralize(len(tests), 'test')} by form: {', '.join(forms)}"
            rows.append({"round": number, "block": f"no test: {names}", "done": done})
        rows += [
            {"round": number, "block": m.block, "done": m.done} for m in mine if m not in tests
        ]
    return rows


def _traced(dossier: Dossier) -> list[dict[str, object]]:
    """Return a row for each requirement: its words, its owner and story, and how its tests stand."""
    story_of = {r: s.id for s in dossier.stories for r in s.requirements}
    return [
        {
            "source": needed.source,
            "id": needed.id,
            "text": needed.text,
            "ban": needed.kind == "ban",
            "owner": needed.owner,
            "story": story_of.get(needed.id, ""),
            "tests": "; ".join(_stands(t) for t in dossier.tests_of(needed.id)),
        }
        for needed in dossier.requirements
    ]


def _stands(test: Test) -> str:
    if test.state == "open":
        return f"{test.id} **open**"
    day = f", day {test.day:.0f}" if test.state == "armed" and test.day is not None else ""
    return f"{test.id} {test.state}{day}"


def _decides(test: Test, bans: Collection[str]) -> bool:
    """Whether a test is read by whoever decides: not a routine search, nor what holds on the plan."""
    if test.state == "open":
        return True
    return test.state == "armed" and (test.source == "plan" or test.requirement not in bans)


_STATES = ("checked", "armed", "open")
_FLAGS = ("needs_architecture", "escalate_to_human", "gate_blocked", "deployment_ready")


@cache
def _template() -> str:
    return files(__package__).joinpath("result.md.j2").read_text(encoding="utf-8")


def _verdict(state: Delivery, questions: tuple[QuestionOut, ...]) -> str:
    if state.deployment_ready and not state.gate_blocked:
        return "go"
    waits = state.config.when_stuck == "ask" and any(not q.answered for q in questions)
    ended = any(r.destination == "close" for r in state.routes)
    return "waits" if waits and not ended else "no-go"


def _finding(
    state: Delivery, dossier: Dossier, material: Material, questions: tuple[QuestionOut, ...]
) -> str:
    blocks = state.blocks
    open_ = [q.text for q in questions if not q.answered]
    because = open_[0] if open_ else blocks[0].text if blocks else ""
    more = f" (and {len(blocks) - 1} more)" if len(blocks) > 1 else ""
    if not dossier.tasks:
        last = state.messages.messages[-1].text if state.messages.messages else "nothing was made"
        return f"No-go: {last}"
    if not dossier.may_start:
        return f"No-go: {because or 'nothing may start'}{more}"
    way = _way(dossier, material)
    if not blocks:
        armed = [t for t in dossier.tests if t.state == "armed" and t.day and t.source != "plan"]
        first = min(armed, key=lambda t: (t.day or 0.0, t.id), default=None)
        if first is None:
            return f"Go {way}"
        source = dossier.requirement(first.requirement).source
        return f"Go {way}; the first test is {first.id}, of {source}, on day {first.day:.0f}"
    return f"Go {way}; no-go beyond: {because}{more}"


def _way(dossier: Dossier, material: Material) -> str:
    """Say how far the work may go, by which day and for how much."""
    tasks = [dossier.task(t) for t in dossier.may_start]
    last = max((dossier.times.get(t.id, {}).get("finish", 0.0) for t in tasks), default=0.0)
    design, currency = material.design, material.design.scaling.currency
    paid, open_ = pay_parts(tasks, design.staffing, currency)
    cost = sum(t.cost.mean for t in tasks if t.cost) + paid.mean
    quoted = not any(map(is_guess, tasks))
    sum_ = f"{cost:,.0f} {currency}" if quoted else "at prices to be quoted"
    money = sum_ if cost else "no direct cost"
    money = f"{money}, and pay for days that nobody has set" if open_.high else money
    reached = _reached(dossier, material)
    where = f"as far as {reached}" if reached else f"with {', '.join(dossier.may_start)}"
    return f"{where} (day {last:.0f}, {money})"


def _reached(dossier: Dossier, material: Material) -> str:
    """Return the plan's first gate if all up to it may start; else ""."""
    after = {gate.id: gate.after for gate in material.design.gates}
    return dossier.first_gate if after.get(dossier.first_gate) in dossier.may_start else ""


def _shown(state: Delivery, dossier: Dossier, material: Material) -> Mapping[str, object]:
    roles = {role.id: role.title for role in material.library.roles}
    printed = [dossier.task(t) for t in dossier.may_start]
    bans = {r.id for r in dossier.requirements if r.kind == "ban"}
    return {
        "unanswered": [q for q in state.asks if q.id not in state.settled],
        "settled": state.settled,
        "requirements": pluralize(len(dossier.requirements), "requirement"),
        "roles": roles,
        "packages": printed,
        "traced": _traced(dossier),
        "told": [t for t in dossier.tests if _decides(t, bans)],
        "mends": _rows_of_mends(dossier.mends),
    }
