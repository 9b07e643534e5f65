"""Why this method and this direction, and what stands beside them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.graph.state import GraphTask
from core.pluralize import pluralize
from dr_rd.planning.design import Design
from dr_rd.planning.directions import Direction
from dr_rd.planning.signals import Match
from dr_rd.report.calls import Results
from dr_rd.tools import Registry

_KINDS = {
    "effect": "It answers what a change does, which is what the objective asks.",
    "making": "It answers whether a thing can be made, which is what the objective asks.",
    "description": "It tells what there is or what would be, which is what the objective asks.",
}
"""What is said of a method that the kind of question speaks for."""

_GOOD_PHRASES = 5
"""Matched phrases that are named as the reason for a method."""


def alternatives(design: Design, tasks: Iterable[GraphTask], results: Results) -> dict[str, Any]:
    """Return the values of the template that tell the choice."""
    return {
        "chosen": next(d for d in design.directions if d.id == design.chosen),
        "why_method": why(design.ranking[0]),
        "second": second(design.ranking),
        "decision": results.parts("alternatives"),
        "tied": _is_tied(results.first("decision")),
        "even": _equal_scores(design.directions),
        "decider": _decider(tasks, results.tools),
    }


def why(match: Match) -> str:
    """Say why a method was chosen."""
    phrases = [*match.strong, *match.weak][:_GOOD_PHRASES]
    named = f" The brief speaks of {', '.join(f'“{p}”' for p in phrases)}." if phrases else ""
    alike = f" Its objective is like “{match.exemplar.rstrip('. ')}”." if match.exemplar else ""
    kind = f" {_KINDS[match.kind]}" if match.kind else ""
    little = (
        "" if kind or phrases or match.exemplar else " Little in the brief speaks for any method."
    )
    return (
        f"It matches the brief best, with {points(match)} for words that speak for it [plan]."
        f"{named}{alike}{kind}{little}"
    )


def second(ranking: Sequence[Match]) -> str:
    """Say which method came second, and why; "" where none fits at all."""
    if len(ranking) < 2 or ranking[1].score <= 0:
        return ""
    second = ranking[1]
    phrases = [*second.strong, *second.weak][:_GOOD_PHRASES]
    named = f", for {', '.join(f'“{p}”' for p in phrases)}" if phrases else ""
    against = f"; against it speaks “{second.against[0]}”" if second.against else ""
    return f"{second.title}, with {points(second)} [plan]{named}{against}."


def points(match: Match) -> str:
    """Say how well a method fits."""
    return pluralize(round(match.score, 1), "point")


def _is_tied(decision: Mapping[str, Any] | None) -> bool:
    return bool(decision and len(decision["out"]["ranking"]) > 1 and not decision["out"]["margin"])


def _equal_scores(directions: Sequence[Direction]) -> dict[str, str]:
    """The scores that are the same for all directions for the same reason, each with that."""
    if len(directions) < 2:
        return {}
    told = [{k: (d.scores[k], why) for k, why in d.reasons.items()} for d in directions]
    return {
        k: f"{score}: {why}"
        for k, (score, why) in told[0].items()
        if all(t[k] == (score, why) for t in told)
    }


def _decider(tasks: Iterable[GraphTask], tools: Registry) -> str:
    names = (t.id for t in tasks if any(tools.give(r.name, "decision") for r in t.tool_request))
    name = next(names, "")
    return f"the choice in {name}" if name else "the analyst's decision"
