"""Dates, order and hands: whether the plan can be worked as it is drawn."""

import re
from collections.abc import Iterator, Sequence

from core.graph.state import GraphTask, ThreePoint
from core.pluralize import joined
from dr_rd.checks import Limit
from dr_rd.modes.panel.board import Change, added, struck
from dr_rd.modes.panel.floor import Finding, Floor, Rule, lines_of, whole
from dr_rd.modes.panel.seats.finance import resizing
from dr_rd.modes.panel.seats.hearing import IN_DAYS, date_said, days_said
from dr_rd.planning.limits import deadlines, is_late
from dr_rd.schedule.activities import NOTHING


def wait_not_in_the_days(at: Floor) -> Iterator[Finding]:
    """A limit keeps so long between two measurements that the task holding both cannot be done."""
    tasks = [t for t in at.of_phase("execution", "pilot") if t.duration_days]
    for item in at.items if tasks else ():
        wait = next(
            (
                (c.quantity.low or 0) * IN_DAYS[c.quantity.unit] for c in item.checks
                if isinstance(c, Limit) and item.kind == "constraint" and not c.whole
                and c.quantity.unit in IN_DAYS and re.search(_APART, item.text, re.IGNORECASE)
            ),
            0.0,
        )  # fmt: skip
        short = [t for t in tasks if t.duration_days and t.duration_days.low < wait and _waits(t)]
        if not wait or not short:
            continue
        facts = {
            "item": item.id, "text": item.text, "wait": round(wait),
            "named": " and ".join(f"{t.id} ({_range(t.duration_days)})" for t in short),
            "verb": "have" if len(short) > 1 else "has",
        }  # fmt: skip
        yield Finding(
            "wait_not_in_the_days",
            facts,
            changes=tuple(_longer(t, wait) for t in short),
            rests_on=(item.id, *(t.id for t in short), *_resized(at, short)),
        )
        return


def _resized(at: Floor, tasks: Sequence[GraphTask]) -> tuple[str, ...]:
    """Return the amendment of the number of units, if it gave these tasks their days."""
    amended, ids = resizing(at), {f"tasks.{t.id}.duration_days" for t in tasks}
    return (amended.id,) if amended and ids & {c.path for c in amended.changes} else ()


_APART = r"\b(post-|after|later|follow-?up|retention|interval|between)"


def _waits(task: GraphTask) -> bool:
    """Whether a task holds a measurement that has to wait."""
    text = "\n".join(lines_of(task))
    return task.phase == "execution" or bool(re.search(r"full (?:\w+ )?interval", text))


def _range(days: ThreePoint | None) -> str:
    return f"{days.low:.3g} to {days.high:.3g} days" if days else ""


def _longer(task: GraphTask, wait: float) -> Change:
    old = task.duration_days or NOTHING
    more = {k: float(round(v + wait)) for k, v in old.model_dump().items()}
    return Change(path=f"tasks.{task.id}.duration_days", old=old.model_dump(mode="json"), new=more)


def pace_of_the_number(at: Floor) -> Iterator[Finding]:
    """What an amendment of the number takes in days, and by what alone they could be fewer."""
    amended = resizing(at)
    grown = [c for c in amended.changes if c.path.endswith(".duration_days")] if amended else []
    if amended is None or not grown:
        return
    named = ", ".join(
        f"{c.path.split('.')[1]} from {c.old['mode']:g} to {c.new['mode']:g}"
        for c in grown
        if isinstance(c.old, dict) and isinstance(c.new, dict)
    )
    guessed = {f"tasks.{k}.duration_days" for k in at.desk.guessed_days(at.plan)}
    by_guess = not at.design.grows and guessed.issuperset(c.path for c in grown)
    pace = at.adds("pace_of_the_number", "guessed" if by_guess else "own", named=named)
    yield Finding(
        "pace_of_the_number", {"pace": pace}, rests_on=(amended.id,), answers=(amended.by,)
    )


_WIDEST = 3
"""Guesses that are named."""


def deadline_by_guess(at: Floor) -> Iterator[Finding]:
    """A deadline is set, and only the library's guesses decide whether it is kept."""
    figures, limit = at.desk.figures(at.plan), at.design.deadline_days
    days = at.desk.guessed_days(at.plan)
    if figures.least is None or not days or limit is None or is_late(figures.least, limit):
        return
    widest = list(days)[:_WIDEST]
    yield Finding(
        "deadline_by_guess",
        {
            "least": whole(figures.least), "limit": whole(limit), "left": whole(limit - figures.least),
            "days": whole(figures.days), "percentile": at.desk.percentile, "ids": joined(widest),
            "named": joined([f"{k} ({_range(days[k])})" for k in widest]),
        },
        rests_on=(*deadlines(at.desk.material.ledger, at.design.start, at.desk.material.brief.closed_days), *widest),
    )  # fmt: skip


_WORK = ("sourcing", "build", "pilot", "execution")
_FOLLOWS = re.compile(r"\bafter (?:the )?(baseline)\b", re.IGNORECASE)


def before_what_it_follows(at: Floor) -> Iterator[Finding]:
    """A step says that it comes after the baseline, and its task must end before the baseline is taken."""
    known = {t.id: t for t in at.plan.tasks}
    for step in at.design.declared:
        task, found = known.get(step.task_id), _FOLLOWS.search(step.text)
        if task is None or not found or step.text not in task.steps or task.phase not in _WORK:
            continue
        later = next(
            (t for t in at.plan.tasks
             if found[1].lower() in t.title.lower() and task.id in at.before(t.id)), None
        )  # fmt: skip
        if later is None:
            continue
        again = next(
            (d.text for d in at.design.declared
             if d.task_id == later.id and set(d.actions) & set(step.actions)), ""
        )  # fmt: skip
        move = () if again else (added(later, "steps", step.text),)
        yield Finding(
            "before_what_it_follows",
            {
                "task": task.id, "step": step.text.rstrip("."), "later": later.id,
                "verb": f"Strike from {task.id}" if again else f"Move from {task.id} to {later.id}",
                "again": f" {later.id} does the same: “{again.rstrip('.')}”." if again else "",
            },
            changes=(struck(task.id, "steps", step.text), *move),
            rests_on=(task.id, later.id),
        )  # fmt: skip
        return


_NEEDS_SIZE = re.compile(
    r"detectable (?:change|difference|effect)|sample-size note", re.IGNORECASE
)


def waits_for_the_size(at: Floor) -> Iterator[Finding]:
    """A task is tested against what the sample size says, and does not wait for it."""
    sizer = at.sizer
    for task in at.plan.tasks if sizer else ():
        if not sizer or task.id == sizer.id or sizer.id in at.before(task.id):
            continue
        if task.id in at.before(sizer.id):
            continue
        said = next(
            (
                line
                for line in lines_of(task, "acceptance", "stop_rules")
                if _NEEDS_SIZE.search(line)
            ),
            "",
        )
        if said:
            yield Finding(
                "waits_for_the_size",
                {"task": task.id, "sizer": sizer.id, "line": said.rstrip(".")},
                changes=(Change(path=f"tasks.{task.id}.depends_on", new=sizer.id),),
                rests_on=(task.id, sizer.id),
            )
            return


def no_first_day(at: Floor) -> Iterator[Finding]:
    """Work outdoors is planned in days from a start that nobody has named."""
    outdoors = [
        d.task_id for d in at.design.declared
        if "do-fieldwork" in d.actions and d.task_id in {t.id for t in at.plan.tasks}
    ]  # fmt: skip
    starts = at.desk.figures(at.plan).starts
    working = {t.id for t in at.of_phase("pilot", "execution")}
    first = next((i for i in dict.fromkeys(outdoors) if starts.get(i) and i in working), None)
    if at.design.start is not None or first is None:
        return
    yield Finding(
        "no_first_day",
        {"task": first, "day": whole(starts[first]), "months": f"{starts[first] / 21:.1f}"},
        rests_on=(first,),
    )


_LOAD = 5
"""Working days of overlap below which nobody notices."""


def one_pair_of_hands(at: Floor) -> Iterator[Finding]:
    """Two tasks of one role run at the same time: with one person, one waits for the other."""
    figures = at.desk.figures(at.plan)
    busy = [
        t for t in at.plan.tasks
        if t.duration_days and t.id in figures.starts and t.phase != "approvals"
    ]  # fmt: skip
    for place, first in enumerate(busy):
        for second in busy[place + 1 :]:
            if first.role != second.role or first.id in at.before(second.id):
                continue
            ends = figures.starts[first.id] + (
                first.duration_days.mean if first.duration_days else 0
            )
            overlap = ends - figures.starts[second.id]
            if overlap < _LOAD:
                continue
            change = Change(path=f"tasks.{second.id}.depends_on", new=first.id)
            then = at.desk.figures(at.plan.changed([change]))
            if then.days - figures.days >= _LOAD:
                yield Finding(
                    "one_pair_of_hands",
                    {
                        "first": first.id, "second": second.id,
                        "role": first.role.replace("-", " "), "overlap": whole(overlap),
                        "now": whole(figures.days), "then": whole(then.days),
                        "percentile": at.desk.percentile,
                    },
                    rests_on=(first.id, second.id),
                )  # fmt: skip
                return


RULES: tuple[Rule, ...] = (
    days_said,
    date_said,
    wait_not_in_the_days,
    pace_of_the_number,
    deadline_by_guess,
    before_what_it_follows,
    waits_for_the_size,
    no_first_day,
    one_pair_of_hands,
)
