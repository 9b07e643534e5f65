"""What the work takes in time and money, against the terms that bind it, for page one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.graph.state import GraphTask
from core.pluralize import amount, length
from dr_rd.brief.values import Risk
from dr_rd.planning.design import Design
from dr_rd.report.calls import Results
from dr_rd.report.limits import guess_is_foreign, time_is_open
from dr_rd.schedule.confidence import PERCENTILE

SURE = 0.8
"""Chance of keeping a limit from which nobody need ask how it is to be kept."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The rows on time and money, and the chances that rest on them."""

    design: Design
    tasks: Sequence[GraphTask]
    calls: Results
    posture: Risk
    """Of the brief: which percentile stands beside the middle."""

    @property
    def chances(self) -> Mapping[str, float]:
        """The chance that each limit on money and time is kept, in parts of one."""
        schedule = self.calls.first("schedule")
        found: Mapping[str, float] = schedule["out"].get("chances", {}) if schedule else {}
        return {k: v for k, v in found.items() if k != "both"}

    @property
    def decisive(self) -> Mapping[str, float]:
        """The chances that more than the library's guesses decide."""
        if not time_is_open(self.design):
            return self.chances
        return {k: v for k, v in self.chances.items() if k == "budget"}

    @property
    def _percentiles(self) -> tuple[str, ...]:
        """The middle, and what the risk posture plans by."""
        share = round(PERCENTILE[self.posture] * 100)
        return tuple(dict.fromkeys(("P50", f"P{share}")))

    def time(self) -> str:
        """Return from when to when it lasts and how surely it ends in time; "" without a schedule."""
        schedule = self.calls.first("schedule")
        if schedule is None:
            return ""
        out, start = schedule["out"], self.design.start
        days = out["days"]
        if start and "dates" in out:
            whole = " or ".join(f"{out['dates'][k]} ({k})" for k in self._percentiles)
            main = next(iter(self.design.not_before.values()), None)
            known = self.design.main_dates
            ends = f" to {known.last.isoformat()}" if known else ""
            dated = (
                f", the main work from {main.isoformat()}{ends} as the brief dates it"
                if main
                else ""
            )
            said = f"{start.isoformat()} to {whole}{dated}"
        else:
            said = ", ".join(
                f"{length(days[k], out['days_a_month'])} ({k})" for k in self._percentiles
            )
        chance = next((v for k, v in self.chances.items() if k in ("deadline", "date")), None)
        end = (
            self.design.last_day.isoformat()
            if self.design.last_day
            else self.design.deadline_words
        )
        kept = (
            f"by {end or 'the deadline'} with a chance of {_share(chance)}{self._guessed_time()}"
            if chance is not None
            else "this reading found no last day and no length of the whole work"
        )
        return f"{said}{self._open_period()}; {kept} [{schedule['id']}]"

    def _guessed_time(self) -> str:
        """What of the days is the brief's, where the library guesses the others."""
        least, limit = self.design.least_days, self.design.deadline_days
        if least is None or limit is None:
            return ""
        own = f"the brief's own times take {amount(round(least))} of {amount(round(limit))} working days"
        return f" by the library's guess; {own}" if least else " by the library's guess"

    def _open_period(self) -> str:
        """What is taken for a study period of which the brief does not say how long it is."""
        if (period := self.design.open_period) is None:
            return ""
        return (
            f", with {amount(period.low)} to {amount(period.high)} working days for a study period "
            "whose length the brief does not name"
        )

    def money(self) -> str:
        """Return what it costs and how surely the budget is kept; "" without a budget's call."""
        budget, schedule = self.calls.first("budget"), self.calls.first("schedule")
        if budget is None:
            return ""
        out, scaling = budget["out"], self.design.scaling
        staff = "with staff" if out.get("staff") else "without staff"
        if not any(t.cost and t.cost.high for t in self.tasks) and not out.get("staff"):
            return "nobody gave a price"
        if "guess_high" in out:
            return self._guess(out, staff, budget["id"])
        cost = schedule["out"]["cost"] if schedule else {"P50": out["total_expected"]}
        each = [f"{amount(cost[k])} ({k})" for k in self._percentiles if k in cost]
        said = f"{', '.join(each)} {scaling.currency} {staff}"
        if scaling.limit is None:
            return f"{said}; the brief sets no limit [{budget['id']}]"
        chance = self.chances.get("budget")
        odds = f", kept with a chance of {_share(chance)}" if chance is not None else ""
        return f"{said}, of {amount(scaling.limit)}{odds} [{budget['id']}]"

    def _guess(self, out: Mapping[str, Any], staff: str, call: str) -> str:
        """What is known of the money, and between which the library guesses the rest."""
        known = f"{amount(out['known'])} {out['currency']} priced {staff}" if out["known"] else ""
        if guess_is_foreign(out):
            left = f"{amount(out['limit'] - out['known'])} {out['currency']}"
            priced = f"{known}, of {amount(out['limit'])}: {left}" if known else left
            return (
                f"{priced} are left for what nobody priced; the library's guess for studies of this kind "
                f"is above that and says nothing of this one [{call}]"
            )
        rest = (
            f"{amount(out['guess_low'])} to {amount(out['guess_high'])} {out['currency']} by the "
            f"library's one-digit guess{'' if known else ', ' + staff}"
        )
        said = ", and ".join(filter(None, (known, rest)))
        if known:
            said += f": in all {amount(out['all_low'])} to {amount(out['all_high'])}"
        if "limit" not in out:
            return f"{said}; the brief sets no limit [{call}]"
        held = (
            "broken by what is priced alone"
            if "fits" in out
            else "within it even at the high end of the guess, which quotes must bear out"
            if out["known"] + out["guess_high"] <= out["limit"]
            else "a guess cannot say if it is kept"
        )
        return f"{said}, of {amount(out['limit'])}: {held} [{call}]"


def _share(chance: float) -> str:
    if chance >= 0.995:
        return "nearly 100 %"
    return "below 1 %" if chance < 0.01 else f"{chance:.0%}".replace("%", " %")
