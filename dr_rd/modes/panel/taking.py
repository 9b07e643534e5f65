"""A plan with the amendments that an analyst took over, and what it says of them."""

from collections.abc import Sequence

from pydantic import JsonValue

from core.errors import CallerError, unknown
from dr_rd.modes.panel.board import Amendment, redesigned
from dr_rd.modes.panel.figures import Desk
from dr_rd.modes.panel.result import PanelResult, amended_plan
from dr_rd.modes.spec import Material
from dr_rd.planning.design import Design


def taken_over(material: Material, result: JsonValue, taken: Sequence[str]) -> Design:
    """Return the design of the plan with those amendments, in the order in which they were made.

    Raises CallerError for an id that is none, or that was replaced; and if none is taken.
    """
    found = PanelResult.model_validate(result)
    known = {a.id: a for a in found.amendments}
    for one_id in taken:
        if one_id not in known:
            raise unknown("amendment", one_id, known)
        if by := known[one_id].replaced_by:
            raise CallerError(f"amendment {one_id!r} was replaced by {by!r}; take that one")
    chosen = [
        a for a in found.amendments
        if (a.id in taken if taken else a.status == "accepted")
    ]  # fmt: skip
    if not chosen:
        raise CallerError(
            "no amendment is taken over; name some with --accept, of: "
            f"{', '.join(a.id for a in found.standing) or 'none, as the panel proposes nothing'}"
        )
    _check_whole(chosen, found)
    start = Desk(material).at_start()
    design = redesigned(material.design, amended_plan(start, chosen))
    return design.model_copy(update={"amendments": tuple(_said(a, found) for a in chosen)})


def _check_whole(chosen: Sequence[Amendment], found: PanelResult) -> None:
    """Refuse an amendment without the one that it was made for."""
    taken = {a.id for a in chosen}
    standing = {a.id for a in found.standing}
    for one in chosen:
        if lacking := [r for r in one.rests_on if r in standing and r not in taken]:
            raise CallerError(
                f"amendment {one.id!r} rests on {lacking[0]!r}; take both over, or neither"
            )


def _said(one: Amendment, found: PanelResult) -> str:
    """Say what an amendment changed, who proposed it, and why."""
    paths = ", ".join(dict.fromkeys(c.path.removeprefix("tasks.") for c in one.changes))
    who = found.labels.get(one.by, one.by)
    return f"{one.id}, {who}: {one.title} ({paths}). {one.reason}"
