"""The names of the months in a text, as a pattern and as numbers."""

from functools import cache

from dr_rd.quantity import months


@cache
def month_names() -> tuple[str, ...]:
    """Return the names of the months as they are written."""
    return tuple(name.capitalize() for name in months())


def month_pattern() -> str:
    """Return a regular expression of a month's name or its short form, without groups."""
    return "|".join(f"{n[:3]}(?:{n[3:]}|{n[3:4]})?" if n[3:] else n for n in month_names())


def month_number(month: str) -> int:
    """Return the number from 1 to 12 of what `month_pattern` matched."""
    return next(n for n, name in enumerate(month_names(), 1) if name.startswith(month[:3]))
