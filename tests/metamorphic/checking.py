"""How a table of relations becomes tests."""

from collections.abc import Mapping

import pytest

from tests.metamorphic.plans import Plan, plans
from tests.metamorphic.relations import Relation

Blind = Mapping[tuple[str, str], str]
"""Why a relation, by name, does not hold for a plan, by name."""


_EACH = 6


def pairs(relations: Mapping[str, Relation], blind: Blind) -> list[pytest.param]:
    """Return each relation with each plan; a known blind spot must fail, with its reason.

    `make test` holds each relation on every sixth plan, another sixth for the next relation.
    """
    found = []
    for first, name in enumerate(relations):
        for number, plan in enumerate(plans().values()):
            marks = [*_marks(name, plan, blind)]
            if (first + number) % _EACH:
                marks.append(pytest.mark.exhaustive)
            found.append(
                pytest.param(relations[name], plan, id=f"{name}, {plan.name}", marks=marks)
            )
    return found


def hold(relation: Relation, plan: Plan) -> None:
    """Fail if the relation is broken, skip if it says nothing of the plan."""
    if why := relation.vacuous(plan):
        pytest.skip(f"says nothing of {plan.name}: {why}")
    assert relation.broken(plan) == ""


def telling(relation: Relation) -> list[str]:
    """Return the names of the plans that a relation says something of."""
    return [p.name for p in plans().values() if not relation.vacuous(p)]


def _marks(name: str, plan: Plan, blind: Blind) -> list[pytest.MarkDecorator]:
    reason = blind.get((name, plan.name))
    return [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
