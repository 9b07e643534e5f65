"""Numbers as readers want them, each with the noun that fits it."""


def amount(value: float) -> str:
    """Write a number for readers: thousands separated, no needless decimals."""
    return f"{value:,.0f}" if float(value).is_integer() or abs(value) >= 100 else f"{value:,.2g}"


def counted(number: float, what: str, many: str = "") -> str:
    """Say how many of *what* there are: "1 task", "2 tasks", "1,200 working days"."""
    return f"{(shown := amount(number))} {noun(shown, what, many)}"


def noun(number: object, what: str, many: str = "") -> str:
    """Return *what* as it stands after a number: "task" after 1, "tasks" after any other."""
    return what if str(number) == "1" else many or f"{what}s"
