"""What of a plan is the library's guess, which can neither keep nor break a limit."""

from collections.abc import Iterable, Sequence

from core.graph.state import GraphTask, ThreePoint
from dr_rd.planning.scaling import pay_of
from dr_rd.tools.context import Assignment

LIBRARY = "/"
"""What parts the method from the package in the source of a task that the library wrote."""


def is_guess(task: GraphTask) -> bool:
    """Whether the cost of a task is the library's guess, and no price that somebody gave."""
    open_ = task.cost is not None and task.cost.low < task.cost.high
    return open_ and LIBRARY in task.source and not task.priced_by


def is_guessed_time(task: GraphTask) -> bool:
    """Whether the days of a task are the library's guess, and nothing that the brief or a person set."""
    days = task.duration_days
    open_ = days is not None and days.low < days.high
    return open_ and LIBRARY in task.source and not task.timed_by


def guesses_days(tasks: Iterable[GraphTask]) -> bool:
    """Whether guesses are in the days of a plan."""
    return any(map(is_guessed_time, tasks))


def guesses_money(
    tasks: Sequence[GraphTask], staffing: Sequence[Assignment], currency: str
) -> bool:
    """Whether guesses are in what a plan costs: costs that nobody gave, or pay for days that nobody set."""
    return any(map(is_guess, tasks)) or pay_parts(tasks, staffing, currency)[1].high > 0


def pay_parts(
    tasks: Sequence[GraphTask], staffing: Sequence[Assignment], currency: str
) -> tuple[ThreePoint, ThreePoint]:
    """Return what people cost for the days that somebody set, and for those that are guessed."""
    guessed = [t for t in tasks if is_guessed_time(t)]
    set_ = [t for t in tasks if not is_guessed_time(t)]
    return pay_of(set_, staffing, currency), pay_of(guessed, staffing, currency)
