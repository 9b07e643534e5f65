"""Why this method and this direction, and what stands beside them."""

from collections.abc import Iterable, Sequence
from typing import Any

from core.graph.state import GraphTask
from dr_rd.families import GENERIC
from dr_rd.planning.choice import Match
from dr_rd.planning.design import Design
from dr_rd.planning.directions import Direction
from dr_rd.report.calls import Results
from dr_rd.tools import Registry


def alternatives(design: Design, tasks: Iterable[GraphTask], results: Results) -> dict[str, Any]:
    """Return the values of the template that tell the choice."""
    decision = results.parts("alternatives")
    return {
        "chosen": next(d for d in design.directions if d.id == design.chosen),
        "why_method": why(design.ranking[0]),
        "second": "" if design.considered else second(design.ranking),
        "decision": decision,
        "led_by": _paragraphs(decision, scores=False),
        "scored": _paragraphs(decision, scores=True),
        "can_show": _can_show(design.directions),
        "even": _equal_scores(design.directions),
        "decider": _decider(tasks, results.tools),
    }


def _paragraphs(parts: Iterable[str], *, scores: bool) -> list[str]:
    """The paragraphs of a comparison that hold its scores, or those that say what follows."""
    held = (p.strip() for part in parts for p in part.split("\n\n"))
    return [p for p in held if p and bool(p.startswith(_SCORES)) == scores]


_SCORES = ("**Directions compared**", "|")


def why(match: Match) -> str:
    """Say why a method was chosen."""
    if match.family == GENERIC:
        return "No other design was named or is sure; the first step of this one is to choose it."
    return f"Of all designs, the brief fits {_probable(match)} best, for {match.why}."


def second(ranking: Sequence[Match]) -> str:
    """Say which method came second, and why; "" where none fits at all."""
    if len(ranking) < 2 or ranking[1].score <= 0:
        return ""
    return f"{ranking[1].title}, as {_probable(ranking[1])}, for {ranking[1].why}."


def _probable(match: Match) -> str:
    return f"{match.design} (probability {match.score} [plan])"


def _can_show(directions: Iterable[Direction]) -> dict[str, str]:
    """What each direction can show; of one that shows what another does, only which."""
    first: dict[str, str] = {}
    shown = {}
    for option in directions:
        said = next(iter(option.strengths), "")
        shown[option.id] = f"as {first[said]}" if said in first else said
        if said:
            first.setdefault(said, option.id)
    return shown


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
