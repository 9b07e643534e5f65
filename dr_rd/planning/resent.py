"""What became of a plan that a person sent back with a note."""

from collections.abc import Iterator, Mapping, Sequence

from core.graph.state import GraphTask

_FIELDS: Mapping[str, str] = {
    "title": "title", "role": "role", "depends_on": "order", "duration_days": "days",
    "cost": "cost", "steps": "steps", "deliverable": "deliverable", "acceptance": "acceptance",
}  # fmt: skip
"""What of a task a reader would miss, by what it is called."""

_NAMED = 6
"""Tasks that are named; of more the number is said."""


def resent(
    before: Sequence[GraphTask], after: Sequence[GraphTask], *, item: str, by_model: bool
) -> str:
    """Say in a sentence or two what a plan that was made anew changed; *item*: the note's id in the ledger."""
    changed = list(_changes(before, after))
    heeded = "" if by_model else f"; without a model the note was only read as a limit ({item})"
    if not changed:
        return (
            f"The plan that was sent back was made anew and is the same{heeded}: "
            "change the table itself" + ("." if by_model else ", or let a model plan.")
        )
    more = len(changed) - _NAMED
    rest = f" and {more} more" if more > 0 else ""
    return f"Since the plan was sent back, changed: {'; '.join(changed[:_NAMED])}{rest}{heeded}."


def _changes(before: Sequence[GraphTask], after: Sequence[GraphTask]) -> Iterator[str]:
    was, now = {t.id: t for t in before}, {t.id: t for t in after}
    for key, task in now.items():
        old = was.get(key)
        if old is None:
            yield f"{key} is new"
            continue
        fields = [
            word for field, word in _FIELDS.items() if getattr(old, field) != getattr(task, field)
        ]
        if fields:
            yield f"{key} ({', '.join(fields)})"
    yield from (f"{key} is gone" for key in was if key not in now)
