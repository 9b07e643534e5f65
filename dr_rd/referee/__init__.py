"""The rule sets that are installed: one module or package each, with its `RULES`.

Found are the modules beside this one, and what packages name under the entry-point group
`dr_rd.rules`: a `RuleSet`. Adding one changes no file.

::

    doudizhu/    a card game of three with hidden hands
    offer.py     what the workbench can tell a rule set of work that bids, and what one reports
    portfolio/   workstreams bid for money, people and time
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any

from core.errors import CallerError, unknown
from core.offers import check_apart, load_offer, owner
from core.rules import RuleSet

GROUP = "dr_rd.rules"
"""The entry-point group of rule sets that packages bring."""

AnyRules = RuleSet[Any]


@cache
def rule_sets() -> Mapping[str, AnyRules]:
    """Return every installed rule set by id.

    Raises CallerError if what a package offers is no rule set, or has an id that is taken.
    """
    found = sorted(_found(), key=lambda rules: rules.id)
    check_apart("rule set", ((rules.id, rules) for rules in found))
    return MappingProxyType({rules.id: rules for rules in found})


def find_rules(rules_id: str) -> AnyRules:
    """Return the rule set of that id; raises CallerError for an unknown one."""
    known = rule_sets()
    if rules_id not in known:
        raise unknown("rule set", rules_id, known)
    return known[rules_id]


def _found() -> Iterator[AnyRules]:
    for info in iter_modules(__path__, f"{__name__}."):
        rules = getattr(import_module(info.name), "RULES", None)
        if rules is not None:
            yield rules
    for entry in entry_points(group=GROUP):
        rules = load_offer(entry, "rule set")
        if not isinstance(rules, RuleSet):
            raise CallerError(
                f"{owner(entry)!r} offers {entry.value!r} as the rule set {entry.name!r}, which is "
                f"no RuleSet but a {type(rules).__name__}; name an instance, such as "
                "RULES = MyRules()"
            )
        yield rules
