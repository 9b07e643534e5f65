"""What a run of tasks found, and its figures, for a comparison with other runs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from core.graph.state import Answer
from core.pluralize import joined
from dr_rd.checks import LedgerVerdict
from dr_rd.findings import Finding, Measure, RunFindings, chosen_finding
from dr_rd.planning.design import Design
from dr_rd.planning.directions import Direction, tied
from dr_rd.report.calls import Results

_TOLD = ("violated", "unclear")
"""The verdicts that a reader must do something about."""


def task_findings(
    design: Design,
    answers: Iterable[Answer],
    verdicts: Sequence[LedgerVerdict],
    calls: Results,
    unit: str,
) -> RunFindings:
    """Return the findings and figures of a plan that was worked; *unit* is what is sampled."""
    return RunFindings(
        measures=tuple(_measures(calls, unit)),
        findings=tuple(_findings(design, answers, verdicts)),
    )


def _measures(calls: Results, unit: str) -> Iterator[Measure]:
    if schedule := calls.first("schedule"):
        days = schedule["out"]["days"]
        yield Measure(name="duration, P50", value=days["P50"], unit="working days")
        yield Measure(name="duration, P90", value=days["P90"], unit="working days")
    if budget := calls.first("budget"):
        out = budget["out"]
        yield Measure(
            name="cost at the plan's confidence", value=out["at_confidence"], unit=out["currency"]
        )
        if out.get("units"):
            yield Measure(name="size", value=out["units"], unit=unit)
    if (size := calls.first("size")) and size["out"].get("detectable") is not None:
        out = size["out"]
        yield Measure(name="detectable effect", value=out["detectable"], unit=out["effect"])


def _findings(
    design: Design, answers: Iterable[Answer], verdicts: Iterable[LedgerVerdict]
) -> Iterator[Finding]:
    yield from direction_findings(design.directions, design.chosen, design.weights)
    for remark in design.remarks:
        yield Finding(key=f"brief: {remark[:40]}", text=remark)
    for v in verdicts:
        if v.verdict in _TOLD:
            yield Finding(key=v.id, text=f"{v.id} is {v.verdict}: {v.reason}")
    for item_id in design.unowned:
        yield Finding(key=f"unowned {item_id}", text=f"No task answers for {item_id}.")
    for left in design.left_out:
        yield Finding(
            key=f"left out: {left.text}", text=f"Left out for {left.ledger_id}: {left.text}"
        )
    for answer in answers:
        if answer.status != "done":
            why = answer.reason or answer.status.replace("_", " ")
            yield Finding(key=answer.task_id, text=f"{answer.task_id}: {why}")


def direction_findings(
    directions: Sequence[Direction], chosen: str, weights: Mapping[str, float]
) -> Iterator[Finding]:
    """Yield which direction is taken, which weigh as much, and which no merit makes good."""
    level = [d.id for d in tied(directions, weights)]
    for direction in directions:
        if direction.id == chosen:
            even = [d for d in level if d != chosen] if chosen in level else []
            stand = "stand" if len(even) > 1 else "stands"
            also = f"; {joined(even)} {stand} level with it" if even else ""
            yield chosen_finding(direction.id, f"{direction.id} is taken: {direction.text}{also}.")
        if direction.excluded:
            yield Finding(
                key=f"screened {direction.id}",
                text=f"{direction.id} is out: {direction.text}: {direction.excluded}",
            )
