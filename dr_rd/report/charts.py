"""Figures of a plan as SVG: its calendar, how long and how dear it may be, and what moves that."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from html import escape
from typing import Any

from core.graph.state import Answer, GraphTask, ToolResult
from core.pluralize import amount
from dr_rd.templates import clipped

_WIDTH, _LABEL, _ROW = 760, 270, 22
_INK, _MUTED, _BAR, _PATH, _LIMIT = "#1b2430", "#8794a5", "#56b4e9", "#0072b2", "#d55e00"
"""Colours that can be told apart without seeing red or green."""

_PERCENTILES = ("P10", "P50", "P70", "P80", "P90")


_SCHEDULE = "schedule_risk"


def figures(tasks: Sequence[GraphTask], answers: Iterable[Answer]) -> dict[str, str]:
    """Return the figures of a worked plan by file name; none where no schedule was computed."""
    done = tuple(answers)
    drawn = dict[str, str]()
    sized, spent, call = (_called(done, name) for name in ("sample_size", "budget", _SCHEDULE))
    size: Any = sized.output if sized else {}
    if any(r["detectable"] for r in size.get("frontier", {}).get("rows", ())):
        drawn["frontier.svg"] = frontier(size["frontier"], size["effect"], size["unit"])
    if call is None:
        return drawn
    out, asked = call.output, call.args
    first = date.fromisoformat(asked["start"]) if asked.get("start") else None
    drawn["gantt.svg"] = gantt(tasks, out, asked.get("limit_days"), first)
    limits = {"days": asked.get("limit_days"), "cost": asked.get("limit_cost")}
    names = {"days": "Working days", "cost": "Cost"}
    guessed = spent is not None and "guess_high" in spent.output
    for key, name in names.items():
        if out[key]["P90"] > 0 and not (key == "cost" and guessed):
            drawn[f"{key}.svg"] = curve(name, out[key], limits[key])
    if any(out["tornado"].values()):
        drawn["tornado.svg"] = tornado(tasks, out["tornado"])
    return drawn


def task_dates(answers: Iterable[Answer]) -> dict[str, tuple[date, date]]:
    """Return the first and the last day of each task; empty where no schedule has dates."""
    call = _called(answers, _SCHEDULE)
    found = call.output.get("task_dates", {}) if call else {}
    days = {
        k: (date.fromisoformat(d["start"]), date.fromisoformat(d["finish"]))
        for k, d in found.items()
    }
    return {k: (first, max(first, last)) for k, (first, last) in days.items()}


def _called(answers: Iterable[Answer], name: str) -> ToolResult | None:
    """The first call of a tool that came to a result."""
    calls = (r for a in answers for r in a.tool_result if r.ok and r.name == name)
    return next(calls, None)


def gantt(
    tasks: Sequence[GraphTask], out: Mapping[str, Any], limit: float | None, first: date | None
) -> str:
    """Return when each task takes place, with the critical path and the deadline.

    *limit* is in working days, *first* the day on which the work begins.
    """
    times, path = out["times"], set(out["critical_path"])
    known = [t for t in tasks if t.id in times]
    last = max([times[t.id]["finish"] for t in known] + [limit or 0, 1])
    scale = (_WIDTH - _LABEL - 40) / last
    days = out.get("task_dates", {})
    lines = []
    for row, task in enumerate(known):
        at, y = times[task.id], 34 + row * _ROW
        width = max((at["finish"] - at["start"]) * scale, 2)
        when = days.get(task.id)
        told = (
            f"{when['start']} to {when['finish']}" if when else f"{at['start']} to {at['finish']}"
        )
        colour = _PATH if task.id in path else _BAR
        lines.append(_text(4, y + 14, clipped(f"{task.id} {task.title}", 42)))
        lines.append(
            f'<rect x="{_LABEL + at["start"] * scale:.1f}" y="{y + 3}" width="{width:.1f}" '
            f'height="{_ROW - 8}" fill="{colour}"><title>{escape(told)}</title></rect>'
        )
    height = 34 + len(known) * _ROW + 30
    if limit is not None:
        lines += _rule(_LABEL + limit * scale, height, f"limit, day {amount(limit)}")
    begins = first.isoformat() if first else "day 0"
    ends = out.get("dates", {}).get("P50", f"day {amount(last)}")
    lines.append(_text(_LABEL, height - 8, begins, _MUTED))
    lines.append(
        _text(_WIDTH - 4, height - 8, f"{ends} (P50)" if "dates" in out else ends, _MUTED, "end")
    )
    return _svg("When each task takes place; the critical path is darker", height, lines)


def curve(name: str, found: Mapping[str, float], limit: float | None) -> str:
    """Return the chance of staying below each value, through the percentiles, with the limit."""
    low, high = found["P10"], max(found["P90"], limit or 0)
    span = max(high - low, 1e-9)
    wide, tall = _WIDTH - 120, 180

    def x(value: float) -> float:
        return 70 + (value - low) / span * wide

    points = [(x(found[k]), 40 + tall * (1 - int(k[1:]) / 100)) for k in _PERCENTILES]
    lines = [
        f'<polyline fill="none" stroke="{_PATH}" stroke-width="2" points="'
        f'{" ".join(f"{a:.1f},{b:.1f}" for a, b in points)}"/>'
    ]
    for key, (a, b) in zip(_PERCENTILES, points, strict=True):
        lines.append(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{_PATH}"/>')
        if key in ("P10", "P50", "P90"):
            lines.append(_text(a, 40 + tall + 18, amount(found[key]), _MUTED, "middle"))
        lines.append(_text(60, b + 4, key, _MUTED, "end"))
    if limit is not None and limit >= low:
        lines += _rule(x(limit), 40 + tall, f"limit {amount(limit)}")
    return _svg(f"{name}: chance of taking no more", 40 + tall + 30, lines)


def frontier(found: Mapping[str, Any], effect: str, unit: str) -> str:
    """Return what each number of units detects against what it costs, or its number where none is priced.

    The recommended one is filled; broken lines are the limit and the effect that is looked for.
    """
    rows = [r for r in found["rows"] if r["detectable"] is not None]
    by = "cost" if any(r["cost"] for r in rows) else "units"
    limit, target = found["limits"].get(f"most_{by}"), found["target"]
    values: list[float] = [r[by] for r in rows] + ([limit] if limit else [])
    effects: list[float] = [abs(r["detectable"]) for r in rows] + ([abs(target)] if target else [])
    left, wide, tall = 70, _WIDTH - 120, 220
    low, span = min(values), max(max(values) - min(values), 1e-9)
    most = max([*effects, 1e-9])

    def x(value: float) -> float:
        return left + (value - low) / span * wide

    def y(value: float) -> float:
        return 40 + tall * (1 - value / most)

    points = " ".join(f"{x(r[by]):.1f},{y(abs(r['detectable'])):.1f}" for r in rows)
    lines = [f'<polyline fill="none" stroke="{_BAR}" stroke-width="2" points="{points}"/>']
    for row in rows:
        at, height = x(row[by]), y(abs(row["detectable"]))
        fill = _PATH if row["units"] == found["recommended"] else "#ffffff"
        lines.append(
            f'<circle cx="{at:.1f}" cy="{height:.1f}" r="5" fill="{fill}" stroke="{_PATH}"/>'
        )
        lines.append(_text(at, height - 10, amount(row["units"]), _INK, "middle"))
    if limit:
        lines += _rule(x(limit), 40 + tall, f"limit {amount(limit)}")
    if target:
        lines.append(
            f'<line x1="{left}" y1="{y(abs(target)):.1f}" x2="{left + wide}" y2="{y(abs(target)):.1f}" '
            f'stroke="{_LIMIT}" stroke-dasharray="6 4"/>'
        )
        lines.append(
            _text(left + wide, y(abs(target)) - 4, f"asked for {abs(target):.2g}", _LIMIT, "end")
        )
    name = f"priced cost, {found['currency']}" if by == "cost" else f"{unit} in all"
    lines.append(_text(left, 40 + tall + 18, amount(low), _MUTED, "middle"))
    lines.append(
        _text(left + wide, 40 + tall + 18, f"{amount(low + span)} ({name})", _MUTED, "end")
    )
    return _svg(f"{effect} that each number detects", 40 + tall + 30, lines)


def tornado(tasks: Sequence[GraphTask], bars: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Return what moves duration and cost most, by rank correlation."""
    titles = {t.id: t.title for t in tasks}
    told = {"days": "the duration", "cost": "the cost"}
    lines, y = list[str](), 34
    scale = (_WIDTH - _LABEL - 60) / 1.0
    for key, what in told.items():
        if not bars.get(key):
            continue
        lines.append(_text(4, y + 14, f"What moves {what}", _MUTED))
        y += _ROW
        for bar in bars[key][:6]:
            share = abs(bar["correlation"])
            lines.append(_text(4, y + 14, clipped(f"{bar['id']} {titles.get(bar['id'], '')}", 42)))
            lines.append(
                f'<rect x="{_LABEL}" y="{y + 3}" width="{share * scale:.1f}" height="{_ROW - 8}" '
                f'fill="{_PATH if bar["correlation"] > 0 else _LIMIT}"/>'
            )
            lines.append(_text(_LABEL + share * scale + 6, y + 14, f"{bar['correlation']:g}"))
            y += _ROW
    return _svg("Rank correlation with the totals", y + 10, lines)


def _rule(x: float, height: float, label: str) -> Iterator[str]:
    """A limit as a broken line from top to bottom."""
    yield (
        f'<line x1="{x:.1f}" y1="28" x2="{x:.1f}" y2="{height:.0f}" stroke="{_LIMIT}" '
        'stroke-width="2" stroke-dasharray="6 4"/>'
    )
    yield _text(min(x, _WIDTH - 4), 24, label, _LIMIT, "end" if x > _WIDTH / 2 else "start")


def _text(x: float, y: float, said: str, colour: str = _INK, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}">{escape(said)}</text>'


def _svg(title: str, height: float, lines: Iterable[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:.0f}" '
        f'width="{_WIDTH}" height="{height:.0f}" role="img" font-family="sans-serif" font-size="12">'
        f"<title>{escape(title)}</title>"
        f'<rect width="{_WIDTH}" height="{height:.0f}" fill="#ffffff"/>'
        f"{_text(4, 14, title, _INK)}{''.join(lines)}</svg>\n"
    )
