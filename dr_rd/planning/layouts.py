"""How a study is laid out, as far as the formula of its size hangs on it: `data/planning/layouts.yaml`."""

import re
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from math import ceil
from typing import Any, Literal

from core.values import Frozen
from dr_rd.brief import Brief
from dr_rd.files import read_yaml
from dr_rd.quantity import numbers, quantities
from dr_rd.study import Statistics
from dr_rd.text import plural, plural_of, stem


class Unsized(Frozen):
    """An analysis that no formula sizes."""

    id: str
    of: Literal["direction", "brief", "cohort", "rates", "method"] = "direction"
    """Whose words name it; of a cohort it holds unless its groups are counted, of rates if they are rare,
    of a method where no figure of the brief asks for a size."""
    patterns: tuple[str, ...] = ()
    why: str
    asks: str
    count: float | None = None
    """The units that the brief names, in all; None where it does not."""

    def filled(self, slots: Mapping[str, str]) -> "Unsized":
        """Return it in the words of a brief."""
        return self.model_copy(
            update={"why": self.why.format_map(slots), "asks": self.asks.format_map(slots)}
        )


class Layouts(Frozen):
    """The data file."""

    unsized: tuple[Unsized, ...]
    allocated_clusters: str
    each_counted: str
    stepped: str
    blocked: str
    whole: str
    combined: str
    cells: str
    gradient: str
    grouped: str
    timed: str
    interaction: str
    crossed: str
    perturbed: str
    nested: str
    on_both: str
    share: str
    same: str
    rate: str

    @cached_property
    def _compiled(self) -> Mapping[str, re.Pattern[str]]:
        return {k: re.compile(v, re.IGNORECASE) for k, v in self if isinstance(v, str)}

    def finds(self, what: str, text: str) -> re.Match[str] | None:
        """Return where *text* has the wording called *what*."""
        return self._compiled[what].search(text)


@cache
def load_layouts() -> Layouts:
    """Read the data file."""
    return Layouts.model_validate(read_yaml("planning", "layouts.yaml"))


def _lines(brief: Brief) -> str:
    return "\n".join((brief.objective, *brief.hard_constraints, *brief.success_criteria))


def unsized(
    brief: Brief,
    direction: str,
    slots: Mapping[str, str],
    *,
    cohort: bool = False,
    rare: bool = False,
    method: str = "",
) -> Unsized | None:
    """Return the analysis of *direction* that no formula sizes; None where one may.

    *cohort*: whether exposed and unexposed are compared as they are found; *rare*: whether rates of
    rare events are, over a time that nobody says; *method*: the id of one that plans without a size.

    Where whole groups are allocated, the formula with their correlation holds whatever model
    analyses them.
    """
    known, text = load_layouts(), _lines(brief)
    said = {
        "units": slots.get("units", "units"),
        "outcome": slots.get("outcome", "the outcome"),
        "direction": direction,
    }
    if cells := known.finds("cells", text):
        words = {
            "units": f"{cells['cluster']}-{cells['period']}s",
            "clusters": _counted(cells["cluster"], text),
        }
        return known.unsized[0].filled(said | words)
    if rare:
        return next(kind for kind in known.unsized if kind.of == "rates").filled(said)
    if known.finds("allocated_clusters", text):
        return None
    uncounted = not known.finds("each_counted", text) and not is_gradient(brief, direction)
    words_of = {"brief": text, "direction": direction, "cohort": "", "rates": "", "method": method}
    for kind in known.unsized:
        named = any(re.search(p, words_of[kind.of], re.IGNORECASE) for p in kind.patterns)
        if named or (kind.of == "cohort" and cohort and uncounted):
            return kind.filled(said)
    return None


def _counted(cluster: str, text: str) -> str:
    """The clusters of a panel with their number, where *text* counts them: "38 municipalities"."""
    last = stem(cluster.lower().split()[-1])
    for found in quantities(text):
        words = found.noun.lower().split()
        if words and stem(words[-1]) == last and (found.low or 0) > 1:
            more = re.match(r" plus [\w-]+", text[found.end :])
            return f"{found.text}{more[0] if more else ''}"
    return plural_of(cluster)


def is_gradient(brief: Brief, direction: str) -> bool:
    """Whether an outcome is related to a continuous exposure, and no groups are compared."""
    known = load_layouts()
    asked = _lines(brief)
    return bool(known.finds("gradient", asked)) and not known.finds(
        "grouped", f"{asked}\n{direction}"
    )


def is_timed(brief: Brief, direction: str) -> bool:
    """Whether the outcome is the time to an event."""
    return bool(load_layouts().finds("timed", f"{_lines(brief)}\n{direction}"))


def is_interaction(brief: Brief, direction: str) -> bool:
    """Whether the question is if one factor changes the effect of another that is crossed with it."""
    known = load_layouts()
    if known.finds("interaction", "\n".join((brief.objective, *brief.success_criteria))):
        return True
    perturbed = known.finds("perturbed", f"{direction}\n{_lines(brief)}")
    return bool(perturbed and known.finds("crossed", f"{direction}\n{brief.objective}"))


def tries(brief: Brief) -> bool:
    """Whether each unit is tried several times, so that the tries are no units."""
    return bool(load_layouts().finds("nested", _lines(brief)))


def tried_in_both(brief: Brief, direction: str) -> bool:
    """Whether each unit is tried under both of what is compared."""
    return tries(brief) and bool(load_layouts().finds("on_both", f"{_lines(brief)}\n{direction}"))


def same_items(brief: Brief) -> tuple[float, str] | None:
    """Return how many of what are the same on both sides: "the same 160 scans"; None where none are."""
    found = load_layouts().finds("same", _lines(brief))
    both = load_layouts().finds("on_both", _lines(brief))
    return (float(found["number"].replace(",", "")), found["noun"]) if found and both else None


def is_share(brief: Brief, outcome: str) -> bool:
    """Whether each of those who are measured has the outcome or not."""
    primary = [
        line
        for line in (*brief.hard_constraints, *brief.success_criteria)
        if re.search(r"\bprimary (?:outcome|endpoint)\b", line, re.IGNORECASE)
    ]
    return bool(load_layouts().finds("share", "\n".join((outcome, *primary))))


def is_rate(outcome: str) -> bool:
    """Whether the outcome of a unit is a share or a rate, so that effects are read in points."""
    return bool(load_layouts().finds("rate", outcome))


_RANGE = re.compile(
    r"(\d+(?:\.\d+)?)\s*(?:-|–|to)\s*(\d+(?:\.\d+)?)\s*[^\d,;]{0,14}\b(?:in|with|at|by)\s+(\d+(?:\.\d+)?)\s*[^\d,;]{0,12}?"
    r"(?:increments|steps|intervals)",
    re.IGNORECASE,
)
_LIST = re.compile(
    r"\d+(?:\.\d+)?(?:\s?%)?(?:,\s*\d+(?:\.\d+)?(?:\s?%)?)+(?:,?\s*(?:and|or)\s+\d+(?:\.\d+)?)?"
)
LEVELS = (
    "level",
    "temperature",
    "condition",
    "dose",
    "concentration",
    "setting",
    "diet",
    "variety",
)
"""What is set at several values, each of which is compared."""
ARMS = ("arm", "group", "section", "condition", "treatment", "level", "combination", "cell")
"""What a study allots its units to."""
_COMPARED = (*LEVELS, "group", "arm", "treatment", "combination")
"""What a brief counts where it says how many are compared; its sections and cells may be others."""
_MOST_LEVELS = 12


def levels_of(text: str) -> int:
    """Return how many levels a line says that it compares; 0 where it does not say.

    By a range with its step, "470-530 C with 15 C increments", a list of values, or a count.
    """
    if found := _RANGE.search(text):
        low, high, step = (float(v) for v in found.groups())
        if step > 0 and high > low:
            return _plausible(round((high - low) / step) + 1)
    if found := _LIST.search(text):
        return _plausible(len(re.findall(r"\d+(?:\.\d+)?", found[0])))
    return _plausible(_counted_levels([text]))


def counted_levels(lines: Iterable[str]) -> int:
    """Return the largest number of levels or arms that *lines* count; 0 where they count none."""
    return _plausible(_counted_levels(lines))


def _counted_levels(lines: Iterable[str]) -> int:
    held = (
        int(q.low or q.high or 0)
        for line in lines
        for q in quantities(line)
        if q.noun and not q.unit and plural(q.noun.split()[-1])
        if stem(q.noun.lower().split()[-1]) in {stem(n) for n in _COMPARED}
        if not re.match(r"\W*(?:per|in each)\b", line[q.end :])
    )
    return max((n for n in held if n <= _MOST_LEVELS), default=0)


def _plausible(number: int) -> int:
    return number if 2 <= number <= _MOST_LEVELS else 0


_FEWEST_STEPS = 2


def steps_of(direction: str, clusters: float | None) -> int | None:
    """Return the times at which groups of a *direction* change over; None where it has no such times.

    By the number of all *clusters* where so many change at a time.
    """
    found = load_layouts().finds("stepped", direction)
    if found is None:
        return None
    each, waves = (_number(found[k] or "") for k in ("number", "waves"))
    if waves:
        return max(_FEWEST_STEPS, int(waves))
    if each and clusters and clusters > each:
        return max(_FEWEST_STEPS, ceil(clusters / each))
    return None


def _number(text: str) -> float | None:
    found = numbers(text, words=True)
    return float(found[0].value) if found else None


def is_blocked(direction: str) -> bool:
    """Whether lots are drawn inside of groups, so that these are no clusters that are allocated."""
    return bool(load_layouts().finds("blocked", direction))


def is_of_whole_groups(direction: str) -> bool:
    """Whether groups are allocated as a whole."""
    return bool(load_layouts().finds("whole", direction))


def combines_all(direction: str) -> bool:
    """Whether each setting of an experiment is combined with each other."""
    return bool(load_layouts().finds("combined", direction))


def by_layout(
    stated: Statistics, brief: Brief, direction: str, clusters: float | None = None
) -> Statistics:
    """Return the figures with the design and the levels that brief and *direction* lay out.

    *clusters*: how many groups there are in all.
    """
    found: dict[str, Any] = {}
    if steps_of(direction, clusters):
        return stated.model_copy(update={"design": "stepped wedge"})
    if is_blocked(direction) and stated.icc is not None:
        own = (stated.design or "").removeprefix("cluster ")
        named = {"means": "two means", "proportions": "two proportions"}.get(own, stated.design)
        stated = stated.model_copy(update={"icc": None, "cluster_size": None, "design": named})
    if stated.design == "anova" and (levels := levels_of(direction)):
        found["groups"] = levels
    of_shares = stated.effect_kind == "proportion difference"
    if of_shares and same_items(brief) and stated.second_rate is None and stated.sd is None:
        found |= {"design": "paired", "base_rate": None}
    elif of_shares and tries(brief) and stated.sd is None and stated.second_rate is None:
        found["design"] = "paired" if tried_in_both(brief, direction) else "shares of units"
        found["base_rate"] = None  # of each unit it is its own
    return stated.model_copy(update=found) if found else stated
