"""Numbers as readers want them, each with the noun that fits it."""

from collections.abc import Sequence


def amount(value: float) -> str:
    """Write a number for readers: thousands separated, no needless decimals."""
    return f"{value:,.0f}" if float(value).is_integer() or abs(value) >= 100 else f"{value:,.2g}"


def pluralize(number: float, what: str, many: str = "") -> str:
    """Return how many of *what* there are: "1 task", "2 tasks", "1,200 working days"."""
    return f"{(shown := amount(number))} {noun(shown, what, many)}"


def few(words: Sequence[str], most: int = 3) -> str:
    """Return the first words of a list, and how many more there are."""
    more = len(words) - most
    return ", ".join(words[:most]) + (f" and {amount(more)} more" if more > 0 else "")


def length(days: float, a_month: float) -> str:
    """Say how long *days* of work are, *a_month* of them a month, in the unit that a reader would use.

    In days below a week, in weeks below three months, else in months.
    """
    a_week = a_month * 12 / 52
    if days < a_week:
        return pluralize(days, "working day")
    if days < 3 * a_month:
        return _lasting(days / a_week, "week")
    return _lasting(days / a_month, "month")


def _lasting(number: float, what: str) -> str:
    """To a tenth, which no plan is surer of."""
    shown = f"{number:.1f}".removesuffix(".0")
    return f"{shown} {noun(shown, what)}"


def noun(number: object, what: str, many: str = "") -> str:
    """Return *what* as it stands after a number: "task" after 1, "tasks" after any other."""
    return what if str(number) == "1" else many or f"{what}s"


def joined(names: Sequence[str]) -> str:
    """Return names as one reads them out: "a", "a and b", "a, b and c"; "nothing" without any."""
    *most, last = list(names) or ["nothing"]
    return f"{', '.join(most)} and {last}" if most else last
