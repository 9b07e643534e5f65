"""A brief's directions, or finished runs, as work that bids: typed facts of plans and no more."""

from collections.abc import Iterator, Mapping, Sequence

from core.graph.state import GraphTask, ThreePoint
from core.pluralize import joined, pluralize
from dr_rd.modes.directions import (
    DirectionPrice,
    DirectionPrices,
    criteria_of,
    criteria_spoken_to,
)
from dr_rd.modes.past import PastRun
from dr_rd.modes.spec import Material
from dr_rd.planning.design import Design
from dr_rd.planning.directions import Direction, weighted
from dr_rd.planning.guesses import guesses_money
from dr_rd.referee.offer import Excluded, Job, Offer, Stream
from dr_rd.schedule.cpm import critical_path_times

SHARED = "shared"
"""The stream of what several directions of one brief need once."""

_SHARED_PHASES = ("framing", "approvals")
"""Phases whose work is done once for all directions of a brief."""

_WAITING = 0.2
"""Share of a person in a task whose length is fixed, such as a season or an exposure: assumed."""

_QUESTION, _CRITERIA = "the question", "criteria"
"""What every direction serves, and the decision's criterion that asks which criteria it serves."""

_POINTS = 100
"""Points of a direction that has the best score by every criterion."""


def offered(material: Material) -> Offer:
    """Return what may be bid for: the runs built on, or the directions of the brief."""
    runs = [run for run in material.inputs.runs if run.design]
    return _of_runs(material, runs) if len(runs) > 1 else _of_directions(material)


def _of_directions(material: Material) -> Offer:
    design, tasks, prices = material.design, material.tasks, DirectionPrices(material)
    titles = {role.id: role.title for role in material.library.roles}
    stretch, dearer = _at_confidence(material, tasks)
    open_ = [d for d in design.directions if not d.excluded]
    once = _done_once(tasks) if len(open_) > 1 else frozenset()
    common = tuple(job for job in _jobs(tasks, stretch, dearer) if job.id in once)
    priced = {d.id: prices.of(d.id, d.text) for d in open_}
    streams = [
        _direction(d, priced[d.id], common, stretch, material, why=_behind_on(d, open_))
        for d in open_
    ]
    if common:
        streams.insert(0, _shared(common, design))
    share = round(design.scaling.percentile * 100)
    return Offer(
        title=material.brief.objective,
        noun="direction",
        streams=tuple(streams),
        excluded=tuple(
            Excluded(id=d.id, title=d.text, reason=d.excluded)
            for d in design.directions
            if d.excluded
        ),
        currency=design.scaling.currency,
        budget=design.scaling.limit,
        budget_from="the brief",
        days=design.deadline_days,
        days_from=f"the brief ({design.deadline_words})" if design.deadline_words else "the brief",
        start=design.start,
        people=titles,
        notes=(
            *(
                (
                    "The library guesses costs in the plan: read money to one digit, and take a "
                    "refusal for money as a question.",
                )
                if guesses_money(tasks, design.staffing, design.scaling.currency)
                else ()
            ),
            *_alike(open_, priced),
            *_asks_for_rounds(open_, priced),
            "Points are a hundred times the score by the decision's weights. The directions are "
            "rival designs of one question: the question and each success criterion count once, by "
            "the direction that serves it best, so that a second one adds only what the first "
            "leaves open.",
            f"Days and costs are the plan's at P{share}, which the brief's risk posture asks for, "
            "each stream by itself; the odds that several keep their figures at once are lower.",
            *(
                (
                    f"{', '.join(j.id for j in common)} are done once for all directions; the "
                    "price of one is its own money and theirs.",
                )
                if common
                else ()
            ),
            f"A task whose length is fixed takes {_WAITING:.0%} of its person, all others the whole.",
        ),
    )


def _direction(
    direction: Direction,
    price: DirectionPrice,
    common: Sequence[Job],
    stretch: float,
    material: Material,
    *,
    why: str,
) -> Stream:
    """Return a direction's own work, which with the *common* work comes to its price."""
    design, outline = material.design, direction.outline
    chosen = next((d for d in design.directions if d.id == design.chosen), direction).outline
    longer = outline.days / chosen.days if outline and chosen and chosen.days else 1.0
    once = {job.id for job in common}
    own = [job for job in _jobs(price.tasks, stretch, 1.0) if job.id not in once]
    left = max(0.0, price.cost - sum(job.cost for job in common))
    dearer = left / (sum(job.cost for job in own) or 1.0)
    aims = _aims(direction, material)
    return Stream(
        id=direction.id,
        title=direction.text,
        value=round(sum(aims.values()), 2),
        aims=aims,
        why=why,
        currency=design.scaling.currency,
        jobs=tuple(
            job.model_copy(
                update={
                    "start": job.start * longer,
                    "days": job.days * longer,
                    "cost": job.cost * dearer,
                }
            )
            for job in own
        ),
        after=(SHARED,) if common else (),
    )


def _behind_on(direction: Direction, others: Sequence[Direction]) -> str:
    """Say by which scores another direction is better, and what each score rests on."""
    best = {key: max(d.scores[key] for d in others) for key in direction.scores}
    found = (
        f"{key}: {direction.reasons[key].removesuffix(' [plan]').rstrip('.')}"
        for key, score in direction.scores.items()
        if score < best[key] and key in direction.reasons
    )
    return "; ".join(found)


def _aims(direction: Direction, material: Material) -> dict[str, float]:
    """Part a direction's points: those for the question, and those for each criterion it serves."""
    weights, scores = material.design.weights, direction.scores
    whole, items = sum(weights.values()), criteria_of(material)
    if not items or not weights.get(_CRITERIA):
        return {_QUESTION: _POINTS * weighted(scores, weights)}
    served = criteria_spoken_to(material, direction)
    rest = sum(w * scores[key] for key, w in weights.items() if key != _CRITERIA)
    each = _POINTS * weights[_CRITERIA] / whole / len(items)
    return {
        _QUESTION: _POINTS * rest / whole,
        **{item.id: each for item in items if item.id in served},
    }


def _shared(jobs: tuple[Job, ...], design: Design) -> Stream:
    return Stream(
        id=SHARED,
        title="What all directions need once: " + ", ".join(job.id for job in jobs),
        value=0,
        why="worth nothing by itself",
        currency=design.scaling.currency,
        jobs=jobs,
    )


def _done_once(tasks: Sequence[GraphTask]) -> frozenset[str]:
    """Return the tasks of the first phases that rest on no other work."""
    found: set[str] = set()
    for task in tasks:
        if task.phase in _SHARED_PHASES and all(need in found for need in task.depends_on):
            found.add(task.id)
    return frozenset(found)


def _alike(directions: Sequence[Direction], priced: Mapping[str, DirectionPrice]) -> Iterator[str]:
    """Yield what is to be said where the library cannot tell the prices of directions apart."""
    same = [d for d in directions if d.outline and d.outline.like(directions[0].outline)]
    costs = {price.cost for price in priced.values()}
    if len(same) == len(directions) > 1 and len(costs) == 1:
        yield (
            f"The library expects the same tasks, days and money of {joined([d.id for d in same])}: what sets "
            "them apart here is their score alone, and a price of your own for one would count."
        )


def _asks_for_rounds(
    directions: Sequence[Direction], priced: Mapping[str, DirectionPrice]
) -> Iterator[str]:
    for direction in directions:
        price = priced[direction.id]
        if price.words:
            yield (
                f"{direction.id} is priced with the {price.rounds:g} rounds of sampling that its "
                f"words “{price.words}” ask for; the plan has {price.planned}."
            )


def _of_runs(material: Material, runs: Sequence[PastRun]) -> Offer:
    scaling = [run.design.scaling for run in runs if run.design]
    titles = {role.id: role.title for role in material.library.roles}
    return Offer(
        noun="plan",
        title=f"A portfolio of {pluralize(len(runs), 'plan')}",
        streams=tuple(_run(run, run.design) for run in runs if run.design),
        currency=scaling[0].currency,
        people=titles,
        notes=(
            "Points come from each run's own decision between its directions; across briefs they "
            "measure nothing common, so give points of your own in the scenario.",
            "Days and costs are the plans' expected values.",
            f"A task whose length is fixed takes {_WAITING:.0%} of its person, all others the whole.",
        ),
    )


def _run(run: PastRun, design: Design) -> Stream:
    score = max(
        (weighted(d.scores, design.weights) for d in design.directions if d.id == design.chosen),
        default=1.0,
    )
    return Stream(
        id=run.project_id,
        title=run.brief.objective,
        value=round(_POINTS * score),
        why=f"{score:.2f} by its own decision's weights",
        currency=design.scaling.currency,
        jobs=tuple(_jobs(run.tasks, 1.0, 1.0)),
    )


def _at_confidence(material: Material, tasks: Sequence[GraphTask]) -> tuple[float, float]:
    """Return by what expected days and costs are multiplied to be those of the risk posture."""
    scaling = material.design.scaling
    found = material.preview(tasks)
    mean_cost = sum(_mean(task.cost) for task in tasks)
    mean_days = max((found.times[t]["finish"] for t in found.times), default=0.0)
    key = f"P{round(scaling.percentile * 100)}"
    days, cost = found.days.get(key, mean_days), found.cost.get(key, mean_cost)
    return (days / mean_days if mean_days else 1.0), (cost / mean_cost if mean_cost else 1.0)


def _mean(points: ThreePoint | None) -> float:
    return points.mean if points else 0.0


def _jobs(tasks: Sequence[GraphTask], stretch: float, dearer: float) -> Iterator[Job]:
    network = {task.id: task.depends_on for task in tasks}
    times = critical_path_times(network, {t.id: _mean(t.duration_days) for t in tasks})
    for task in tasks:
        at, length = times[task.id], task.duration_days
        fixed = bool(length and length.low == length.high)
        yield Job(
            id=task.id,
            title=task.title,
            start=round(at.start * stretch, 2),
            days=round((at.finish - at.start) * stretch, 2),
            cost=round(_mean(task.cost) * dearer, 2),
            person=task.role,
            load=_WAITING if fixed else 1.0,
            needs=task.depends_on,
        )
