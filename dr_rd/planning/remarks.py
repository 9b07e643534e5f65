"""What is to be said of a brief as a whole before it is planned, and of its days once it is."""

from collections.abc import Iterator, Sequence
from datetime import date

from dr_rd.brief import Brief
from dr_rd.checks import Ledger, LedgerItem, called, first_day, last_days, remarks
from dr_rd.language import foreign
from dr_rd.planning.design import Design
from dr_rd.planning.draft import Draft
from dr_rd.planning.limits import on_time, working_days
from dr_rd.quantity import days_in
from dr_rd.schedule.activities import Activity, Resource


def remarks_on(brief: Brief, ledger: Ledger, *, by_library: bool = True) -> tuple[str, ...]:
    """Return what the author of *brief* should put right, the gravest first; a sentence each.

    *by_library*: whether the library plans it, and no model, which reads other languages.
    """
    untold = _foreign(brief) if by_library else ()
    return (*untold, *remarks(ledger), *_dated(brief, ledger))


def _too_long(draft: Draft, main_days: float) -> Iterator[str]:
    """Say which days of the brief the main work passes by the brief's own times."""
    if draft.anchor is None or not main_days:
        return
    main = draft.anchor.last_day(main_days, draft.brief.closed_days)
    for said, day in draft.ends:
        if draft.anchor.day < day < main:
            yield (
                f"“{said}”: something ends on {day.isoformat()}, and by the brief's own times the main work "
                f"lasts until {main.isoformat()}: take fewer units, more hands, or another day"
            )


def _names(item: LedgerItem, draft: Draft) -> bool:
    """Whether an item itself dates the main work, so that its other day lies before on purpose."""
    day = draft.anchor.day if draft.anchor else None
    return day in days_in(item.text)


def _foreign(brief: Brief) -> Iterator[str]:
    """Say that an objective in another language tells the library nothing."""
    tongue = foreign(brief.objective, "english")
    if tongue and not brief.prescribed:
        yield (
            f"the objective is in {tongue.capitalize()}, of which no words are understood: the library "
            "chose its method and tasks without them. Write it in English, or prescribe the tasks"
        )


def _dated(brief: Brief, ledger: Ledger) -> Iterator[str]:
    """Say which days the schedule cannot be held against, and what it would take."""
    start, ends = first_day(brief, ledger), list(last_days(ledger))
    if start is None and ends:
        lines = dict.fromkeys(called(e.item) for e in ends)
        yield (
            f"the brief names no day on which the work begins, so that the schedule is not held against "
            f"the last day of {' and of '.join(lines)}: add one, such as “start: 1 March 2027”"
        )
    for end in ends:
        if start and end.day < start and start not in days_in(end.item.text):
            yield f"{called(end.item)} ends before the work begins: change that day, or the start"


def too_early(design: Design, today: date) -> Iterator[str]:
    """Say that what goes before a day of the brief would have to begin before *today*.

    Not where that day is past as well: whoever names it tells of work that has begun.
    """
    main = min(design.not_before.values(), default=None)
    if main is None or design.start is None or not design.start < today <= main:
        return
    yield (
        f"what goes before the main work would begin on {design.start.isoformat()}, and today is "
        f"{today.isoformat()}: shorten it, or begin the main work later than {main.isoformat()}"
    )


def outlasting(
    draft: Draft,
    planned: Sequence[Activity],
    resources: Sequence[Resource],
    start: date | None,
    main_days: float = 0.0,
    done: date | None = None,
) -> Iterator[str]:
    """Say which permits, or parts of the work, are expected to end before the whole of it does.

    *main_days*: working days that the brief's own times give the main work which it dates; *done*: its
    last day, where nothing of it is a guess.
    """
    yield from _too_long(draft, main_days)
    for end in last_days(draft.ledger) if start else ():
        if end.whole or not start or end.day < start or _names(end.item, draft):
            continue
        if done and done <= end.day:
            continue  # what it dates is over with the main work
        allowed = working_days(start, end.day, draft.brief.closed_days)
        if not on_time(planned, resources, allowed, draft.confidence):
            yield (
                f"{called(end.item)} ends before the work is expected to: plan what needs it for the "
                "time before, or have it extended"
            )
