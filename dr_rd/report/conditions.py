"""What nobody said and the recommendation of a plan turns on."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from core.pluralize import amount
from dr_rd.brief import Brief
from dr_rd.families import GENERIC
from dr_rd.planning.design import GENERIC_METHOD, Design
from dr_rd.planning.methods import Method
from dr_rd.report.frontier import (
    frontier_of,
    open_effect,
    settled_by,
    share_is_assumed,
    short_of,
)
from dr_rd.report.limits import guess_is_foreign, time_is_open
from dr_rd.report.people import breaking_rate
from dr_rd.report.terms import SURE, Terms

Subject = Literal["design", "risk", "reach", "time", "quotes", "staff", "size", "effect", "limits"]

SHARE_WITH_EVENT = "share that has the event within the follow-up, which is assumed here"

_SMALLEST = "the smallest effect worth having"


@dataclass(frozen=True, slots=True)
class Condition:
    """What must hold, or be said, before the plan can be funded."""

    subject: Subject
    text: str
    """What follows "fund if"."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """What is open in a plan, the gravest first."""

    brief: Brief
    design: Design
    terms: Terms
    units: str
    """The word for what is sampled."""
    method: Method | None
    """What the plan is written from; None where nobody asks what is general to it."""
    effort: float
    """Person-days of all tasks, expected."""

    def __iter__(self) -> Iterator[Condition]:
        """Give them in the order in which a board reads them."""
        found: tuple[tuple[Subject, Iterator[str]], ...] = (
            ("design", self._of_design()),
            ("risk", self._of_risks()),
            ("reach", self._of_the_frontier()),
            ("time", self._of_time()),
            ("quotes", self._of_quotes()),
            ("staff", self._of_staff()),
            ("size", self._of_the_size()),
            ("effect", self._of_the_effect()),
            ("limits", self._of_limits()),
        )
        return (Condition(subject, text) for subject, texts in found for text in texts)

    def on(self, subject: Subject) -> bool:
        """Whether anything of *subject* is open."""
        return any(c.subject == subject for c in self)

    @property
    def sought(self) -> str:
        """What nobody named and the size is for: an effect worth having, or a margin."""
        outcome = self.design.slots.get("outcome", "")
        if str(self.design.sizing.get("design", "")).startswith("non_inferiority"):
            return "the margin, that is how much worse still counts as no worse"
        if str(self.design.sizing.get("design", "")).startswith("equivalence"):
            return "the margin, that is how far apart still counts as the same"
        return f"the smallest change in {outcome} worth having" if outcome else _SMALLEST

    def _of_design(self) -> Iterator[str]:
        if not self.design.considered and self.design.method_id != GENERIC_METHOD:
            return
        *most, last = [m.design for m in self.design.considered] or [""]
        closest = f" ({', '.join(most)} or {last})" if most else ""
        meant = f"it is settled which design is meant{closest}"
        if self.design.method_id == GENERIC_METHOD and self.brief.family != GENERIC:
            yield f"{meant}: planned is a generic study, whose first step is to choose one"
        elif self.design.considered:
            yield meant

    def _of_risks(self) -> Iterator[str]:
        risks = self.design.risks
        return (f"it is shown that {r.condition} ({r.id})" for r in risks if r.condition)

    def _of_the_frontier(self) -> Iterator[str]:
        found = frontier_of(self.terms.calls)
        if found is not None and found["why"] == "falls short":
            yield short_of(found, self.units)

    def _of_time(self) -> Iterator[str]:
        least, limit = self.design.least_days, self.design.deadline_days
        late = [v for k, v in self.terms.chances.items() if k in ("deadline", "date") and v < SURE]
        if least is None or limit is None or not late or not time_is_open(self.design):
            return
        yield (
            f"the team shows that all else fits into the {amount(round(limit - least))} working days which "
            f"the brief's own times leave of {amount(round(limit))} [plan]: the library guesses more"
        )

    def _of_quotes(self) -> Iterator[str]:
        budget = self.terms.calls.first("budget")
        if budget is None or not _is_open(budget["out"]):
            return
        out = budget["out"]
        left = f"{amount(out['limit'] - out['known'])} {out['currency']} [{budget['id']}]"
        if guess_is_foreign(out):
            yield f"quotes for what nobody priced fit into {left}"
        else:
            guess = f"{amount(out['guess_low'])} to {amount(out['guess_high'])}"
            yield f"quotes for what the library guesses ({guess}) fit into {left}"

    def _of_staff(self) -> Iterator[str]:
        resources = self.brief.resources
        staffed = any(a.day_rate for a in self.design.staffing)
        direct = resources is not None and resources.covers == "direct"
        if self.design.scaling.limit is not None and not staffed and not direct:
            yield f"it is settled whether the budget pays staff{self._breaking_rate()}"

    def _breaking_rate(self) -> str:
        """The day rate at which the budget no longer pays the staff as well."""
        budget, limit = self.terms.calls.first("budget"), self.design.scaling.limit
        if budget is None or limit is None or self.effort <= 0 or "guess_high" in budget["out"]:
            return ""
        rate = breaking_rate(limit, budget["out"]["at_confidence"], self.effort)
        if rate <= 0:
            return ""
        return f": above {amount(rate)} {self.design.scaling.currency} a day it cannot [plan]"

    def _of_the_size(self) -> Iterator[str]:
        size, named = self.terms.calls.first("size"), open_effect(self.design)
        if share_is_assumed(self.design):
            yield f"somebody gives the {SHARE_WITH_EVENT}: the size follows from it"
        unsized = self.design.unsized
        if unsized and unsized.of == "method":  # nothing is detected in it
            return
        if unsized:
            yield f"it is shown what {self.design.chosen} can detect, as the row on the size says"
        elif named:
            yield settled_by(named)
        elif size is None and self.method is not None and self.method.sizing is not None:
            yield f"somebody says how many {self.units} are to be had and what they are to show: no size is known"

    def _of_the_effect(self) -> Iterator[str]:
        size = self.terms.calls.first("size")
        settled = self.design.unsized or open_effect(self.design)
        if not settled and size and len(size["out"].get("rows", ())) > 1:
            yield f"somebody names {self.sought}: the size follows from it"

    def _of_limits(self) -> Iterator[str]:
        if not self.terms.chances and self.design.scaling.limit is None:
            yield "somebody says what it may cost and by when: no figure here is held against a limit"


def _is_open(out: Mapping[str, Any]) -> bool:
    """Whether guesses decide if the limit on money is kept."""
    return "limit" in out and "fits" not in out
