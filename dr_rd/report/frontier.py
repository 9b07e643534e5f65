"""What the money buys: each number of units with what it shows, costs and takes, and which to take."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.pluralize import amount
from dr_rd.planning.design import Design
from dr_rd.planning.effects import NamedEffect
from dr_rd.planning.layouts import is_rate
from dr_rd.planning.sizing import AT_WORST
from dr_rd.report.calls import Results

_BROKEN = {
    "units": "more than there may be",
    "cost": "over the budget",
    "days": "too late",
    "window": "beyond the last day of the main work",
    "asked": "fewer than asked",
}
"""What a reader calls a limit that a number of units breaks."""


def frontier_of(calls: Results) -> Mapping[str, Any] | None:
    """Return the frontier that was computed, with the call's id; None where none was."""
    size = calls.first("size")
    found = size["out"].get("frontier") if size else None
    return {**found, "id": size["id"], "size": size["out"]} if size and found else None


def rows(frontier: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return a row for each number of units, the recommended one in bold."""
    found = []
    for row in frontier["rows"]:
        cells = {
            "units": amount(row["units"]),
            "detectable": effect(row["detectable"], row["outcome"], frontier["size"]),
            "power": _percent(row["power"]) if row["power"] else "–",
            "cost": amount(row["cost"]) if row["cost"] else "–",
            "guess": f"{amount(row['guess_low'])} to {amount(row['guess_high'])}"
            if row["guess_high"]
            else "–",
            "days": amount(row["days"]) if row["days"] else "–",
            "kept": ", ".join(_BROKEN[name] for name in row["over"])
            or _kept(row, frontier["limits"]),
        }
        bold = row["units"] == frontier["recommended"]
        found.append({k: f"**{v}**" if bold else v for k, v in cells.items()})
    return found


def columns(
    frontier: Mapping[str, Any], cells: Sequence[Mapping[str, str]], units: str, design: Design
) -> dict[str, str]:
    """Return the head of each column that tells the *cells* of the rows apart, or says anything at all."""
    size = frontier["size"]
    heads = {
        "units": f"{units[:1].upper()}{units[1:]} {_within(design)} [{frontier['id']}]",
        "detectable": f"{_head(size)} ({measure(size)})",
        "power": "Power for what is asked",
        "cost": f"Priced, {frontier['currency']}",
        "guess": "Library's guess of the rest",
        "days": "Working days",
        "kept": "Within the limits on money, days and counts",
    }
    silent = {key for key in heads if all(row[key].strip("*") == "–" for row in cells)}
    most = frontier["limits"].get("most_cost")
    if most is not None and all(most - r["cost"] < r["guess_low"] for r in frontier["rows"]):
        silent.add("guess")  # of studies with other means
    if _days_stand_still(frontier, design):
        silent.add("days")
    return {key: head for key, head in heads.items() if key not in silent}


def _head(size: Mapping[str, Any]) -> str:
    if is_against_margin(size["design"]):
        return "Margin"
    return "Detects" if size["tested"] else "Half-width"


def _days_stand_still(frontier: Mapping[str, Any], design: Design) -> bool:
    return not design.grows and len({r["days"] for r in frontier["rows"]}) == 1


def _kept(row: Mapping[str, Any], limits: Mapping[str, Any]) -> str:
    """Whether a number that breaks no limit by what is known keeps them by what is not known as well."""
    most = limits.get("most_cost")
    if most is not None and row["cost"] + row["guess_low"] > most:
        return "over the budget, if the guess holds"
    if most is not None and row["guess_high"] and row["cost"] + row["guess_high"] > most:
        return "depends on quotes"
    if most is not None and limits.get("pay_open"):
        return "depends on who pays the staff"
    return "yes"


_IN_POINTS = (
    "two_proportions", "one_proportion", "mcnemar", "proportion_precision",
    "non_inferiority_proportions", "equivalence_proportions",
)  # fmt: skip
"""Designs whose effects are shares, which a reader takes in as points of a percentage."""


def effect(value: float | None, outcome: float | None, size: Mapping[str, Any]) -> str:
    """Return an effect as a reader takes it in, in the outcome's own unit where that is known."""
    if value is None:
        return "none"
    if outcome is not None:
        return f"{outcome:g} ({abs(value):.2g} SD)"
    return f"{100 * abs(value):.3g}" if size["design"] in _IN_POINTS else f"{abs(value):.3g}"


def measure(size: Mapping[str, Any]) -> str:
    """Return what a computed size calls its effect, as it stands within a sentence."""
    if size["design"] in _IN_POINTS:
        return "percentage points"
    name: str = size["effect"]
    said = name.replace(" (", ", ").rstrip(")")  # it stands in brackets itself
    return f"{said[:1].lower()}{said[1:]}"


def _said(value: float | None, outcome: float | None, size: Mapping[str, Any]) -> str:
    """An effect with its measure: "10 percentage points", "0.5 (Cohen's d)"."""
    found = effect(value, outcome, size)
    if value is None or outcome is not None:
        return found
    if size["design"] in _IN_POINTS:
        return f"{found} percentage points"
    return f"{found} ({measure(size)})"


def chosen_row(frontier: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the row that is recommended; None where no number keeps the limits."""
    return next((r for r in frontier["rows"] if r["units"] == frontier["recommended"]), None)


def open_effect(design: Design) -> NamedEffect | None:
    """Return the effect that the brief names and no size is computed for; None where there is none such."""
    if any(e.taken for e in design.effects):
        return None
    return next(iter(design.effects), None)


def size_line(frontier: Mapping[str, Any], units: str, design: Design) -> str:
    """Return what the recommended number shows, and whether that is enough, for the first page."""
    row, size = chosen_row(frontier), frontier["size"]
    if row is None:
        return f"no number of {units} keeps the limits [{frontier['id']}]"
    shows = _said(row["detectable"], row["outcome"], size)
    how = f"{_percent(size['power'])} power" if size["tested"] else "the interval"
    shows = "no effect at all" if row["detectable"] is None else shows
    said = f"{amount(row['units'])} {units} {_within(design)}{_holding(row, design)} {_finds(size)} {shows} with {how}"
    if own := _in_own_unit(row, units, design):
        said += f", {own}"
    if ends := _ends(frontier):
        said += f"; of the range that the brief names, {ends}"
    if frontier["why"] == "falls short":
        wanted = _wanted(frontier, design)
        power = f", power {_percent(row['power'])}" if row["power"] else ""
        said += f"; **underpowered** for {wanted}{power}: that needs {amount(frontier['needed'])}"
    elif frontier["target"] is None:
        named = open_effect(design)
        nobody = _NO_MARGIN if is_against_margin(size["design"]) else _NOBODY
        said += f"; {held_against(named, row)}" if named else f"; {nobody}"
    return f"{said} [{frontier['id']}]"


def is_against_margin(design: object) -> bool:
    """Whether a design of the calculation holds groups against a margin, and looks for no effect."""
    return str(design).startswith(("non_inferiority", "equivalence"))


def _finds(size: Mapping[str, Any]) -> str:
    """What a number of units does with the effect that it can show."""
    if str(size["design"]).startswith("non_inferiority"):
        return "show to be no worse by more than"
    if str(size["design"]).startswith("equivalence"):
        return "show to be the same within"
    return "detect" if size["tested"] else "give a half-width of"


def share_is_assumed(design: Design) -> bool:
    """Whether the share with the event, from which people follow from events, is the library's."""
    names = ("base risk:", "base_risk:", "event share:", "event_share:")
    by_events = design.sizing.get("design") == "survival_by_exposure"
    return by_events and any(a.text.startswith(names) for a in design.assumptions)


def _holding(row: Mapping[str, Any], design: Design) -> str:
    """What stands behind the number: the events among them, or the members that each holds."""
    call, assumed = design.sizing, " ".join(a.text for a in design.assumptions)
    if (share := call.get("event_share")) and call["design"] == "survival_by_exposure":
        events = amount(round(float(str(share)) * row["units"]))
        known = ", assumed" if share_is_assumed(design) else ""
        return f", {events} of them with the event ({100 * float(str(share)):g} %{known}),"
    if share := call.get("response"):
        answering = amount(round(float(str(share)) * row["units"]))
        return f" invited, {answering} of them answering ({100 * float(str(share)):g} %),"
    if not call.get("cluster_size"):
        return ""
    known = ", assumed" if "icc: " in assumed else ""
    return f" of {call['cluster_size']:g} each (intracluster correlation {call['icc']:g}{known})"


def _in_own_unit(row: Mapping[str, Any], units: str, design: Design) -> str:
    """What an effect in standard deviations, or in another measure without a unit, comes to."""
    call, found = design.sizing, row["detectable"]
    if found is None or row["outcome"] is not None or row.get("spread") is not None:
        return ""
    if any(a.text == AT_WORST for a in design.assumptions):
        return f"at {AT_WORST}, the least favourable"
    if not str(call["design"]).endswith("means") or design.effects:
        return ""
    outcome = design.slots.get("outcome", "")
    if is_rate(outcome):
        paired = "the difference" if call["design"] == "paired_means" else "it"
        return (
            f"that is {abs(found):.3g} times the percentage points by which {paired} scatters between "
            f"{units}"
        )
    return f"in its own unit once the standard deviation of {outcome or 'the outcome'} is known"


def _wanted(frontier: Mapping[str, Any], design: Design) -> str:
    """Return the effect that the study is sized for, as the brief names it where it does."""
    target = _said(frontier["target"], frontier["target_outcome"], frontier["size"])
    named = next((e.said for e in design.effects if e.taken), "")
    value = effect(frontier["target"], frontier["target_outcome"], frontier["size"])
    if named:
        return named if value in named else f"{named} ({target.replace(' (', ', ').rstrip(')')})"
    return f"the {target} asked for"


_NOBODY = "this reading found no smallest effect worth having"
_NO_MARGIN = "this reading found no margin that still counts"


def _within(design: Design) -> str:
    """What a number of units is a number in."""
    return f"in each {design.per}" if design.per else "in all"


def _ends(frontier: Mapping[str, Any]) -> str:
    """What both ends of the range that the brief names show; "" where it names none."""
    low, high = (frontier["limits"].get(k) for k in ("asked", "most_asked"))
    found = [r for r in frontier["rows"] if low and high and r["units"] in (low, high)]
    shown = [r for r in found if r["detectable"] is not None]
    if len(shown) < len(("low", "high")):
        return ""
    size = frontier["size"]
    said = (
        f"{amount(r['units'])} detect {effect(r['detectable'], r['outcome'], size)}" for r in shown
    )
    return " and ".join(said)


def held_against(named: NamedEffect, row: Mapping[str, Any] | None = None) -> str:
    """Say of an effect that the brief names at which spread *row* shows it, or what is missing for it."""
    said = f"for {named.said}, which the brief names"
    if row is not None and row.get("spread") is not None and named.spread:
        whole = f"{100 * row['spread']:g}"
        spread = (
            f"{whole} points"
            if named.points
            else f"{whole} %"
            if named.percent
            else f"{row['spread']:g} {named.unit}"
        )
        return f"{said}, it is enough if {named.spread.format(spread=spread.strip())}"
    if named.asks:
        return f"{said}, please give {named.asks} ({named.who} would tell)"
    return f"{said}: {named.why[:1].lower()}{named.why[1:].rstrip('.')}"


def settled_by(named: NamedEffect) -> str:
    """Say what somebody must give for an effect that the brief names."""
    asked = named.asks or "another measure of it, or another design"
    return f"somebody gives {asked}: the size for {named.said} follows from it"


def short_of(frontier: Mapping[str, Any], units: str) -> str:
    """Say what the study is funded for if it is too small for the effect that it looks for."""
    row = chosen_row(frontier)
    if row is None:
        return ""
    if row["detectable"] is None:
        return f"{amount(frontier['needed'])} {units} can be had: the limits allow {amount(row['units'])} [{frontier['id']}]"
    shown = _said(row["detectable"], row["outcome"], frontier["size"])
    return (
        f"{shown} is an effect worth finding, or {amount(frontier['needed'])} {units} can be had: "
        f"the limits allow {amount(row['units'])} [{frontier['id']}]"
    )


def why(frontier: Mapping[str, Any], units: str, design: Design) -> str:
    """Say in a sentence why the recommended number is."""
    row, key = chosen_row(frontier), frontier["id"]
    if row is None:
        named = {name for r in frontier["rows"] for name in r["over"]}
        limits = " or ".join(_BROKEN[name] for name in _BROKEN if name in named)
        return f"No number of {units} can be recommended: each is {limits} [{key}]."
    taken = f"{amount(row['units'])} {units}"
    wanted = _wanted(frontier, design) if frontier["target"] is not None else ""
    effect_named = open_effect(design)
    none = (
        held_against(effect_named, row)
        if effect_named
        else "it names no effect to hold them against"
    )
    bare = (
        held_against(effect_named, row)
        if effect_named
        else "no effect is named at which fewer would do"
    )
    unsettled = (
        held_against(effect_named, row)
        if effect_named
        else "neither an effect nor a limit settles the number"
    )
    finds = _finds(frontier["size"])
    said = {
        "detects": f"{taken} are the fewest of these that keep the limits and {finds} {wanted}",
        "falls short": f"{taken} are the most that the limits allow, and do not {finds} {wanted}",
        "as asked": f"{taken} are what the brief names; {none}",
        "as allowed": f"{taken} are the most that the limits allow; {bare}",
        "as assumed": f"{taken} are assumed: {unsettled}",
    }
    return f"{said[frontier['why']]} [{key}]."


def remarks(frontier: Mapping[str, Any], units: str, design: Design) -> Iterator[str]:
    """Say what would mend a number that falls short, what of the money is left, and if days grow."""
    row = chosen_row(frontier)
    if _days_stand_still(frontier, design):
        yield (
            f"The working days do not grow with the number: "
            f"nobody says how many {units} a day or a month can be done."
        )
    if frontier["why"] == "falls short" and row is not None:
        yield _mends(frontier, row, units)
    if row is not None and (left := _headroom(frontier, row, units)):
        yield left


def _mends(frontier: Mapping[str, Any], row: Mapping[str, Any], units: str) -> str:
    """What would make the study large enough: more units, a larger effect, a reading before."""
    need, key = frontier["needed"], frontier["id"]
    more = next((r for r in frontier["rows"] if r["units"] >= need), None)
    price = (
        f" ({amount(more['cost'])} {frontier['currency']} by the prices given)"
        if more and more["cost"]
        else ""
    )
    most, days = frontier["limits"].get("most_main_days"), more and more.get("main_days")
    hands = (
        f", which take {amount(days)} working days of the main work at its pace, and there are "
        f"{amount(most)}: {days / most:.1f} times the hands, or less work on each"
        if most and days and days > most
        else ""
    )
    said = [
        f"{amount(need)} {units}{price}{hands}",
        f"an effect of {_said(row['detectable'], row['outcome'], frontier['size'])} as the one worth having",
    ]
    if frontier["size"]["design"] == "two_means":
        said.append(
            f"a reading of each unit before, which leaves {amount(frontier['covariate_units'])} "
            f"{units} to find if it correlates {frontier['covariate']:g} with the outcome (assumed)"
        )
    return f"What would mend it: {'; or '.join(said)} [{key}]."


def _headroom(frontier: Mapping[str, Any], row: Mapping[str, Any], units: str) -> str:
    """What of the budget is left by what is priced, and what the next number would buy with it."""
    most, key = frontier["limits"].get("most_cost"), frontier["id"]
    if most is None or not row["cost"]:
        return ""
    left = most - row["cost"]
    said = f"The prices given leave {amount(left)} {frontier['currency']} of {amount(most)}"
    if row["guess_high"]:
        said += f", from which what is guessed ({amount(row['guess_low'])} to {amount(row['guess_high'])}) must be paid"
    following = next((r for r in frontier["rows"] if r["units"] > row["units"]), None)
    if following and following["detectable"] is not None:
        said += (
            f"; {amount(following['units'])} {units} would detect "
            f"{_said(following['detectable'], following['outcome'], frontier['size'])} and cost "
            f"{amount(following['cost'])}"
        )
        if not following["over"]:
            said += ", so that what is left is spare"
    return f"{said} [{key}]."


def missing(design: Design, *, asks: bool = True) -> str:
    """Say that nothing can be computed, and, where it *asks*, which figure would change that."""
    if design.unsized:
        asked = f" What would tell what it can show: {design.unsized.asks}." if asks else ""
        return f"No formula sizes {design.chosen}: {design.unsized.why}.{_named_numbers(design)}{asked}"
    if named := open_effect(design):
        said = held_against(named)
        return f"No number of units can be computed as the brief stands: {said}."
    outcome = design.slots.get("outcome") or "the outcome"
    return (
        "No detectable effect can be computed for this design as the brief stands: please give the "
        f"smallest change in {outcome} worth having, and its standard deviation between units or "
        "its present rate."
    )


def _named_numbers(design: Design) -> str:
    """The number that the brief names, as it puts it."""
    sample = design.slots.get("sample", "")
    count = design.unsized.count if design.unsized else None
    whole = f", {amount(count)} in all" if count and amount(count) not in sample else ""
    return f" The brief names {sample}{whole}." if sample else ""


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
