"""Pictures of a plan: its tasks as a graph, its calendar, and how sure the total is."""

import math
import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from itertools import pairwise
from typing import Any, TypeAlias

import altair as alt

from core.graph.state import Answer, GraphTask, ToolResult
from dr_rd.schedule.calendar import working_day
from dr_rd.schedule.cpm import critical_path, critical_path_times
from dr_rd.tools import Registry


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours that can be told apart without seeing red or green, on one background."""

    ink: str
    muted: str
    fill: str
    critical: str
    slack: str


LIGHT = Palette("#1b2430", "#8794a5", "#f3f6fb", "#d55e00", "#0072b2")
DARK = Palette("#e6ebf2", "#7c8a9c", "#19212b", "#ff9a57", "#56b4e9")

Drawing: TypeAlias = alt.LayerChart | alt.FacetChart

_WRAP = 28
"""Characters to a line of a task's box."""


@dataclass(frozen=True, slots=True)
class Bar:
    """When a task takes place, in working days from the start."""

    id: str
    label: str
    title: str
    start: float
    finish: float
    slack: float
    critical: bool


def calendar(tasks: Sequence[GraphTask]) -> list[Bar]:
    """Return when each task takes place by its mean duration; empty if one has none."""
    days = {t.id: t.duration_days.mean for t in tasks if t.duration_days}
    if len(days) < len(tasks):
        return []
    network = {t.id: t.depends_on for t in tasks}
    times = critical_path_times(network, days)
    path = critical_path(network, times)
    return [
        Bar(
            id=t.id,
            label=_bar_label(t),
            title=f"{t.id} {t.title}",
            start=round(times[t.id].start, 1),
            finish=round(times[t.id].finish, 1),
            slack=round(times[t.id].slack, 1),
            critical=t.id in path,
        )
        for t in tasks
    ]


def scheduled(
    tasks: Sequence[GraphTask], times: Mapping[str, Mapping[str, float]], path: Collection[str]
) -> list[Bar]:
    """Return when each task takes place by a schedule's *times*; empty if one has none."""
    if any(t.id not in times for t in tasks):
        return []
    return [
        Bar(
            id=t.id,
            label=_bar_label(t),
            title=f"{t.id} {t.title}",
            start=round(times[t.id]["start"], 1),
            finish=round(times[t.id]["finish"], 1),
            slack=round(times[t.id]["slack"], 1),
            critical=t.id in path,
        )
        for t in tasks
    ]


def _bar_label(task: GraphTask) -> str:
    return f"{task.id} {textwrap.shorten(task.title, 52, placeholder='…')}"


_LABEL_PX = alt.ExprRef("windowSize()[0] < 700 ? 110 : windowSize()[0] < 1100 ? 220 : 340")
"""How wide a bar's label may be: all of it, but where little room is left for the bars."""


def critical(bars: Iterable[Bar]) -> list[str]:
    """Return the ids of the critical path, first task first."""
    path = sorted((b for b in bars if b.critical), key=lambda b: (b.start, b.finish))
    return [b.id for b in path]


def graph(tasks: Sequence[GraphTask], palette: Palette, path: Sequence[str] | None = None) -> str:
    """Return the tasks as Graphviz DOT, the critical *path* drawn heavier: by mean days without one."""
    path = critical(calendar(tasks)) if path is None else path
    steps = set(pairwise(path))
    nodes = [_node(t, palette, critical=t.id in path) for t in tasks]
    edges = [
        _edge(before, t.id, palette, critical=(before, t.id) in steps)
        for t in tasks
        for before in t.depends_on
    ]
    return "\n".join((_frame(palette), *nodes, *edges, "}"))


def _frame(palette: Palette) -> str:
    return (
        'digraph { bgcolor="transparent"; rankdir=TB; nodesep=0.2; ranksep=0.3;\n'
        'node [shape=box, style="rounded,filled", fontname="sans-serif", fontsize=11, '
        f'fillcolor="{palette.fill}", fontcolor="{palette.ink}", margin="0.12,0.07"];\n'
        "edge [arrowsize=0.6];"
    )


def _node(task: GraphTask, palette: Palette, *, critical: bool) -> str:
    colour, width = (palette.critical, 2) if critical else (palette.muted, 1)
    title = textwrap.wrap(textwrap.shorten(task.title, 60, placeholder="…"), _WRAP)
    label = "\\n".join(_quoted(line) for line in (task.id, *title))
    return f'"{_quoted(task.id)}" [label="{label}", color="{colour}", penwidth={width}];'


def _edge(before: str, after: str, palette: Palette, *, critical: bool) -> str:
    colour, width = (palette.critical, 2) if critical else (palette.muted, 1)
    return f'"{_quoted(before)}" -> "{_quoted(after)}" [color="{colour}", penwidth={width}];'


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def gantt(
    bars: Sequence[Bar], palette: Palette, start: date | None = None, closed: Iterable[date] = ()
) -> dict[str, Any]:
    """Return the calendar as Vega-Lite: a bar for each task, a thin one for how far it can slip.

    With the day of the *start* it is drawn in dates, weekends and *closed* days left out.
    """
    off = tuple(closed)

    def at(days: float) -> float | str:
        return days if start is None else working_day(start, math.floor(days), off).isoformat()

    rows = [
        {
            "task": b.label,
            "title": b.title,
            "start": at(b.start),
            "finish": at(b.finish),
            "latest": at(b.finish + b.slack),
            "slack": b.slack,
            "kind": "On the critical path" if b.critical else "Can slip",
        }
        for b in bars
    ]
    order = [b.label for b in bars]
    drawn = _gantt_frame(palette, dated=start is not None)
    layers = [
        {
            **layer,
            "encoding": {**layer["encoding"], "y": {**layer["encoding"]["y"], "sort": order}},
        }
        for layer in drawn["layer"]
    ]
    return {**drawn, "data": {"values": rows}, "layer": layers, "datasets": {}}


@cache
def _gantt_frame(palette: Palette, *, dated: bool) -> Mapping[str, Any]:
    """Return the calendar without a task: Altair takes longer over it than a plan takes to schedule."""
    kind, title = ("T", None) if dated else ("Q", "working days from the start")
    axis = alt.Axis(labelLimit=_LABEL_PX, labelPadding=8, labelOverlap=False, ticks=False)
    base = alt.Chart({"values": []}).encode(y=alt.Y("task:N", title=None, axis=axis))
    scale = alt.Scale(
        domain=["On the critical path", "Can slip"], range=[palette.critical, palette.slack]
    )
    slip = base.mark_bar(height=3, opacity=0.55, color=palette.slack).encode(
        x=f"finish:{kind}", x2=f"latest:{kind}"
    )
    work = base.mark_bar(height=14, cornerRadius=3).encode(
        x=alt.X(f"start:{kind}", title=title),
        x2=f"finish:{kind}",
        color=alt.Color(
            "kind:N", scale=scale, legend=alt.Legend(title=None, orient="top", columns=1)
        ),
        tooltip=[
            alt.Tooltip("title:N", title="task"),
            alt.Tooltip(f"start:{kind}", title="start"),
            alt.Tooltip(f"finish:{kind}", title="finish"),
            alt.Tooltip("slack:Q", title="can slip, days"),
        ],
    )
    frame: Mapping[str, Any] = alt.layer(slip, work).to_dict()
    return frame


def percentiles(
    values: Mapping[str, Any], title: str, palette: Palette, limit: float | None = None
) -> Drawing:
    """Draw P10 to P90 of a total as points on one line, with a rule at its *limit*."""
    rows = [
        {"share": int(name[1:]), "value": value, "name": name}
        for name, value in values.items()
        if name[:1] == "P" and name[1:].isdigit()
    ]
    base = alt.Chart({"values": rows}).encode(
        x=alt.X("value:Q", title=title, scale=alt.Scale(zero=False, padding=26)),
        y=alt.Y("share:Q", title="share of outcomes, %", scale=alt.Scale(domain=[0, 100])),
    )
    line = base.mark_line(color=palette.slack, strokeWidth=2)
    dots = base.mark_point(color=palette.slack, filled=True, size=70).encode(
        tooltip=[
            alt.Tooltip("name:N", title="percentile"),
            alt.Tooltip("value:Q", title=title, format=","),
        ]
    )
    names = base.mark_text(align="right", dx=-9, dy=-8, color=palette.ink).encode(text="name:N")
    if limit is None:
        return alt.layer(line, dots, names)
    at = alt.Chart({"values": [{"limit": limit, "name": f"limit {limit:,.0f}"}]}).encode(
        x="limit:Q"
    )
    rule = at.mark_rule(color=palette.critical, strokeWidth=2, strokeDash=[6, 4])
    word = at.mark_text(align="right", dx=-4, y=8, color=palette.ink).encode(text="name:N")
    return alt.layer(line, dots, names, rule, word)


def schedule_call(answers: Iterable[Answer], tools: Registry) -> ToolResult | None:
    """Return the simulation of the schedule with its limits, if a task ran it."""
    results = (r for a in answers for r in a.tool_result)
    return next((r for r in results if r.ok and tools.give(r.name, "schedule")), None)


def totals(answers: Iterable[Answer], tools: Registry) -> Mapping[str, Any] | None:
    """Return what the schedule's simulation gave, if a task ran it."""
    call = schedule_call(answers, tools)
    return call.output if call else None
