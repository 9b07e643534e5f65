"""What a run knows, as rows of the tables that the page shows."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import pairwise
from typing import Any, Literal

from core.events import (
    ApprovalAsked,
    AttemptJudged,
    CallEnded,
    CallTried,
    NodeStarted,
    Row,
    RunPaused,
    RunWaiting,
    TaskFinished,
)
from core.graph.state import Answer, GraphTask
from core.pluralize import pluralize
from core.scores import Scorecard, Status
from core.trace import tool_rows, trace_rows
from dr_rd.checks import LedgerVerdict
from dr_rd.evidence.corpus import Corpus
from dr_rd.models.served.prices import dollars, spent_usd
from dr_rd.report.tables import standing

TableRow = dict[str, Any]

Colour = Literal["blue", "orange", "gray", "red", "green"]

STATES: Mapping[str, tuple[str, Colour]] = {
    "running": ("Working", "blue"),
    "waiting": ("Waiting for you", "orange"),
    "paused": ("Paused", "gray"),
    "interrupted": ("Interrupted", "red"),
    "finished": ("Finished", "green"),
    "holes": ("Finished with holes", "orange"),
    "failed_gate": ("Finished below the gate", "orange"),
    "stopped": ("Stopped at its plan", "gray"),
}
"""Where a run is, in words and a colour."""

PAUSING: tuple[str, Colour] = ("Pausing", "gray")
"""Where a run is from the moment somebody pauses it until it has stopped."""

_STATUS = {
    "done": "done",
    "below_gate": "below the gate",
    "failed": "failed",
    "not_run": "not run",
}
_STANDING = {
    "met": "✓ met",
    "promised": "○ promised",
    "violated": "✗ violated",
    "unclear": "? unclear",
    "not_shown": "· not shown",
    "not_checkable": "– not checkable",
}


def progress(tasks: Iterable[GraphTask], rows: Iterable[Row]) -> list[TableRow]:
    """Return each task with how far it has come: its state, the attempt in hand, its last score."""
    state: dict[str, str] = {}
    score: dict[str, float | None] = {}
    tries: dict[str, int] = {}
    for event in (row.event for row in rows):
        if isinstance(event, NodeStarted) and event.task_id:
            state.setdefault(event.task_id, "working")
            tries.setdefault(event.task_id, 1)
        elif isinstance(event, AttemptJudged):
            score[event.task_id] = event.score
            tries[event.task_id] = event.attempt + event.retry
            state[event.task_id] = "trying again" if event.retry else "judged"
        elif isinstance(event, TaskFinished):
            state[event.task_id] = _STATUS[event.status]
    return [
        {
            "id": t.id,
            "task": t.title,
            "state": state.get(t.id, "waiting"),
            "tries": str(tries.get(t.id, "")),
            "score": score.get(t.id),
        }
        for t in tasks
    ]


def claims(answer: Answer, corpus: Corpus | None) -> list[TableRow]:
    """Return what an answer states, with the words that each statement rests on."""
    passages = {p.id: p.text for p in corpus.passages} if corpus else {}
    return [
        {
            "kind": c.kind,
            "claim": c.text,
            "source": c.source,
            "passage": c.passage or passages.get(c.source, ""),
        }
        for c in answer.claims
    ]


def scores(card: Scorecard) -> list[TableRow]:
    """Return each metric with its reason."""
    return [
        {
            "metric": s.key,
            "score": s.score,
            "status": "only reported" if s.key in card.report_only else _status_text(s.status),
            "reason": s.rationale,
        }
        for s in card.scores
    ]


def tries(answer: Answer) -> str:
    """Return how often a task was tried; of several, each one's score and which was kept."""
    if not answer.tried:
        return "1 try"
    each = ", ".join("not judged" if s is None else f"{s:.2f}" for s in answer.tried)
    return f"try {answer.kept} of {answer.attempts} kept as the best ({each})"


def _status_text(status: Status) -> str:
    return status.value.replace("_", " ")


def attempts(task_id: str, rows: Iterable[Row]) -> list[AttemptJudged]:
    """Return what the gate read of each try at a task."""
    events = (row.event for row in rows)
    return [e for e in events if isinstance(e, AttemptJudged) and e.task_id == task_id]


def ledger(verdicts: Iterable[LedgerVerdict]) -> list[TableRow]:
    """Return the brief's items, the violated ones first."""
    lines = [
        {
            "id": v.id,
            "kind": v.kind,
            "item": v.text,
            "verdict": _STANDING[standing(v)],
            "why": f"{v.reason} “{v.quote}”" if v.quote else v.reason,
        }
        for v in verdicts
    ]
    return sorted(lines, key=lambda line: line["verdict"] != _STANDING["violated"])


def trace(rows: Iterable[Row]) -> list[TableRow]:
    """Return what happened, one line an event."""
    return [_traced(line) for line in trace_rows(rows)]


def calls(rows: Iterable[Row]) -> list[TableRow]:
    """Return the tool calls, each with its output's digest or what went wrong."""
    return [
        {
            "id": c["id"],
            "tool": c["name"],
            "task": c["task_id"],
            "role": c["role"],
            "ms": c["elapsed_ms"],
            "result": _brief(c["output_digest"]) if c["ok"] else f"✗ failed: {c['error']}",
        }
        for c in tool_rows(rows)
    ]


_PLACED = ("seq", "ts", "event", "node", "task_id", "duration_s", "settings")


def _traced(line: Mapping[str, Any]) -> TableRow:
    rest = {k: v for k, v in line.items() if k not in _PLACED and v not in ("", None)}
    return {
        "n": line["seq"],
        "time": str(line["ts"])[11:23],
        "event": str(line["event"]).replace("_", " "),
        "step": line["node"],
        "task": line["task_id"],
        "seconds": "" if line["duration_s"] is None else f"{line['duration_s']:.3f}",
        "details": ", ".join(f"{k} {_brief(v)}" for k, v in rest.items()),
    }


def _brief(value: object) -> str:
    text = str(value)
    return f"{text[:8]}…" if len(text) == 64 and text.isalnum() else text


def spending_text(rows: Iterable[Row]) -> str:
    """Say what models were asked so far: calls, tokens, and their cost or that it is unknown."""
    rows = tuple(rows)
    calls = [e for e in (row.event for row in rows) if isinstance(e, CallEnded) and e.tries]
    said_by = [(e.prompt_tokens, e.completion_tokens) for e in calls if e.reply_digest]
    tried = [e for e in (row.event for row in rows) if isinstance(e, CallTried)]
    cut_off = sum(e.tokens for e in tried)
    tokens = cut_off + sum((asked or 0) + (said or 0) for asked, said in said_by)
    least = "at least " if cut_off or any(None in pair for pair in said_by) else ""
    requests = max(sum(e.tries for e in calls), len(tried))  # one that a stop cut off has no end
    cost = dollars(spent_usd(rows))
    return f"{pluralize(requests, 'call')}, {least}{tokens:,} tokens, cost {cost}"


def seconds(rows: Iterable[Row]) -> float:
    """Return how long the run worked: waits for a person are left out."""
    total = 0.0
    for row, after in pairwise(rows):
        if not isinstance(row.event, ApprovalAsked | RunPaused | RunWaiting):
            total += (_moment(after) - _moment(row)).total_seconds()
    return total


def _moment(row: Row) -> datetime:
    return datetime.fromisoformat(row.ts)
