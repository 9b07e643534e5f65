"""The built-in panellists: what each holds the plan against, as rules over its typed facts."""

from collections.abc import Mapping

from dr_rd.modes.panel.floor import Rule
from dr_rd.modes.panel.seats import (
    chair,
    domain,
    ethics,
    finance,
    operations,
    sceptic,
    statistician,
)

RULES: Mapping[str, tuple[Rule, ...]] = {
    "chair": chair.RULES,
    "statistician": statistician.RULES,
    "domain": domain.RULES,
    "finance": finance.RULES,
    "operations": operations.RULES,
    "ethics": ethics.RULES,
    "sceptic": sceptic.RULES,
}
"""The rules of each seat, in the order in which they speak."""
