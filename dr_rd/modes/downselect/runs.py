"""Finished runs as options: what each came to, by the same tools."""

from collections.abc import Mapping, Sequence

from core.errors import CallerError
from dr_rd.checks import build_ledger
from dr_rd.modes.downselect.panel import Fact
from dr_rd.modes.past import PastRun
from dr_rd.modes.spec import Material
from dr_rd.report.preview import Preview, preview
from dr_rd.schedule.confidence import PERCENTILE


def check_runs(runs: Sequence[PastRun]) -> None:
    """Raise CallerError if one of several runs has no plan that could be compared."""
    bare = next((r for r in runs if r.design is None), None)
    if len(runs) > 1 and bare is not None:
        raise CallerError(
            f"run {bare.run_id!r} of mode {bare.mode!r} has no plan to compare; "
            "name runs that planned, such as those of the default mode"
        )


def option_text(run: PastRun) -> str:
    """Return what a run proposes, without its name, source or recommendation of others."""
    design = run.design
    if design is None:
        return run.brief.objective
    chosen = next((d.text for d in design.directions if d.id == design.chosen), "")
    return f"{design.method_title}: {chosen or run.brief.objective}"


def run_facts(material: Material, runs: Mapping[str, PastRun]) -> dict[str, dict[str, Fact]]:
    """Return what sets finished runs apart: limits, money, time, gaps, claims."""
    seen = {key: _preview(material, run) for key, run in runs.items()}
    posture = material.brief.risk_posture
    share = f"P{PERCENTILE[posture] * 100:.0f}"
    found: dict[str, dict[str, Fact]] = {
        "limits": {k: _limits(p) for k, p in seen.items()},
        "gaps": {k: _gaps(r) for k, r in runs.items()},
        "quoted": {k: _quoted(r) for k, r in runs.items()},
        "price": _least({k: p.cost.get(share, 0.0) for k, p in seen.items()}, share, seen),
        "time": _least({k: p.days.get(share, 0.0) for k, p in seen.items()}, share, None),
    }
    if all("budget" in p.chances for p in seen.values()):
        found["money"] = {k: _money(p) for k, p in seen.items()}
    return found


def run_breaks(material: Material, runs: Mapping[str, PastRun]) -> dict[str, tuple[str, ...]]:
    """Return the hard limits that each run's plan breaks, an item with its reason each."""
    return {
        key: tuple(
            f"{v.id} (“{v.text}”): {v.reason}"
            for v in _preview(material, run).ledger
            if v.verdict == "violated" and v.kind != "criterion"
        )
        for key, run in runs.items()
    }


def _preview(material: Material, run: PastRun) -> Preview:
    if run.design is None:
        return Preview(problem="no plan")
    return preview(
        run.tasks,
        design=run.design,
        library=material.library,
        brief=run.brief,
        ledger=build_ledger(run.brief),
        seed=run.seed,
    )


def _limits(seen: Preview) -> Fact:
    held = [v for v in seen.ledger if v.verdict in ("met", "promised", "violated", "unclear")]
    kept = [v for v in held if v.verdict in ("met", "promised")]
    open_ = [v.id for v in seen.ledger if v.verdict in ("violated", "unclear")]
    value = (len(kept) + 0.5 * (len(seen.ledger) - len(held))) / max(1, len(seen.ledger))
    says = f"its plan keeps {len(kept)} of {len(seen.ledger)} limits"
    if open_:
        says += f" and leaves {', '.join(open_)} broken or unclear"
    return Fact(value=round(value, 3), says=says, source="ledger")


def _money(seen: Preview) -> Fact:
    chance = float(seen.chances["budget"])
    limit = f"{seen.limit_cost:,.0f} {seen.currency}" if seen.limit_cost else "its budget"
    return Fact(value=chance, says=f"it keeps {limit} with {chance:.2f}", source="schedule")


def _gaps(run: PastRun) -> Fact:
    done = sum(a.status == "done" for a in run.answers.values())
    whole = max(1, len(run.tasks))
    says = f"{done} of its {len(run.tasks)} tasks are answered above the gate"
    return Fact(value=round(min(1.0, done / whole), 3), says=says, source=run.status)


def _quoted(run: PastRun) -> Fact:
    claims = [c for a in run.answers.values() for c in a.claims]
    based = sum(c.kind in ("quoted", "computed", "brief") for c in claims)
    value = based / len(claims) if claims else 0.0
    says = f"{based} of its {len(claims)} claims rest on a source or a calculation"
    return Fact(value=round(value, 3), says=says, source="answers")


def _least(
    figures: Mapping[str, float], share: str, money: Mapping[str, Preview] | None
) -> dict[str, Fact]:
    """Value the lowest figure 1 and the others by how much higher they are."""
    least = min((v for v in figures.values() if v), default=0.0)
    found = {}
    for key, value in figures.items():
        unit = money[key].currency if money else "working days"
        verb = "costs" if money else "takes"
        found[key] = Fact(
            value=round(least / value, 3) if value else 1.0,
            says=f"it {verb} {value:,.0f} {unit} at {share}",
            source="schedule",
        )
    return found
