"""What was measured, as tables, with each bar and whether it is met."""

import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.engine.contenders import CONTENDERS, LAYERED, Contender
from bench.engine.machine import describe
from bench.engine.server import ROOT

RESULTS = ROOT / "bench/RESULTS.md"
Row = Mapping[str, Any]
Measure = Callable[[Row], float]


@dataclass(frozen=True)
class Rows:
    """All measurements, to be asked for some of them."""

    rows: Sequence[Row]

    def of(self, contender: str, kind: str, count: int, slots: int) -> list[Row]:
        """The rows of one contender in one cell, in the order of the rounds."""
        wanted = (contender, kind, count, slots)
        found = (r for r in self.rows if "status" not in r and not r["profiled"])
        return [r for r in found if (r["contender"], r["kind"], r["count"], r["slots"]) == wanted]

    def large(self, contender: str) -> list[Row]:
        """The rows of one contender at the largest size."""
        return self.of(contender, "independent", 1000, 64)

    def missed(self) -> Iterator[str]:
        """What could not be measured, and why."""
        for row in self.rows:
            if "status" in row:
                where = f"{row['kind']} {row['count']} in {row['slots']}, round {row['round'] + 1}"
                yield f"{row['contender']} ({where}): {row['status']}: {row['why']}"


def ratio(row: Row) -> float:
    """The wall time as a multiple of the least time that the work takes."""
    return float(row["wall_s"] / row["bound_s"])


def field(name: str) -> Measure:
    """Return what reads one column."""
    return lambda row: float(row[name])


def middle(rows: Sequence[Row], measure: Measure) -> float:
    """The median; not a number where there is nothing."""
    return statistics.median(map(measure, rows)) if rows else float("nan")


def span(rows: Sequence[Row], measure: Measure, form: str = ".2f") -> str:
    """The median and, where there are several, the range."""
    if not rows:
        return "–"
    values = sorted(map(measure, rows))
    text = format(statistics.median(values), form)
    if len(values) == 1:
        return text
    return f"{text} ({format(values[0], form)}–{format(values[-1], form)})"


def table(head: str, lines: Iterable[Iterable[str]]) -> str:
    """Write a Markdown table; *head* names its columns, separated by bars."""
    columns = head.split("|")
    body = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([f"| {' | '.join(columns)} |", "|---" * len(columns) + "|", *body])


@dataclass(frozen=True)
class Bar:
    """A promise about a figure that must not be above a limit."""

    says: str
    found: float
    limit: float

    def cells(self) -> tuple[str, ...]:
        """Its line in the table."""
        verdict = "met" if self.found <= self.limit else "**missed**"
        if self.found != self.found:  # not a number: nothing was measured
            verdict = "not measured"
        return self.says, f"{self.found:.2f}", f"{self.limit:g}", verdict


def bars(rows: Rows, costs: Sequence[Sequence[float]]) -> list[Bar]:
    """Hold what was measured against what is promised."""
    wall = {name: middle(rows.large(name), field("wall_s")) for name in CONTENDERS}
    peers = [wall[n] for n, c in CONTENDERS.items() if c.peer and wall[n] == wall[n]]
    small, big = (rows.of("ours", "empty", n, 64) for n in (100, 1000))
    cpu, size = field("cpu_ms"), field("bytes")
    return [
        Bar("everything on, to the stock client bare", wall["ours"] / wall["stock"], 1),
        Bar("everything on, to our client bare", wall["ours"] / wall["same"], 1.25),
        Bar(
            "everything on, to the fastest peer with nothing durable",
            wall["ours"] / min(peers, default=float("nan")),
            1,
        ),
        Bar("CPU of the engine alone, ms per task", middle(big, cpu), 1),
        Bar("that CPU, 1,000 tasks to 100", middle(big, cpu) / middle(small, cpu), 1.1),
        Bar("bytes per task, 1,000 tasks to 100", middle(big, size) / middle(small, size), 1.1),
        Bar(
            "200 layered tasks in 8 slots, to the bound",
            middle(rows.of("ours", "layered", 200, 8), ratio),
            1.03,
        ),
        Bar("an append to the trace, at 100,000 events to 100", costs[-1][1] / costs[0][1], 1.1),
    ]


def results(
    rows: Sequence[Row],
    costs: Sequence[Sequence[float]],
    seconds: float,
    versions: Mapping[str, str],
) -> str:
    """Write the whole report."""
    found = Rows(rows)
    rounds = 1 + max((row["round"] for row in rows), default=0)
    return (
        "\n\n".join(
            [
                "# The engine beside others",
                f"Machine: {describe()}. "
                + ", ".join(f"{name} {number}" for name, number in versions.items())
                + ".",
                _HOW.format(rounds=rounds, minutes=seconds / 60),
                "## What is promised\n\n"
                + table(
                    "promise|found|at most|verdict", (bar.cells() for bar in bars(found, costs))
                ),
                "## 1,000 independent calls of 100 ms, 64 at once\n\n" + _large(found),
                "## Other sizes: wall time to the bound\n\n" + _sizes(found),
                "## How ours grows\n\n" + _growth(found),
                "## 200 tasks in layers, log-normal latency: wall time to the bound\n\n"
                + _layered(found),
                "## The trace\n\n" + _trace(costs),
                *(_profile(row) for row in rows if row.get("profile")),
                "## Not measured\n\n" + _missed(found),
            ]
        )
        + "\n"
    )


_HOW = """\
Written by `make bench`; {rounds} rounds in {minutes:.0f} minutes, in each the contenders in
another order, each in a process of its own; medians, and ranges in brackets. Real HTTP on
loopback to `tests/fake_llm.py` in its own process; every reply is 4 KB. Each contender is opened
(imports, client, graph, cluster) and warmed up with 8 calls before the clock starts; one that
loses an answer, asks twice or opens more calls than its slots is no measurement. The bound is
⌈N / slots⌉ × latency, or for tasks that wait for each other the longer of the longest path and
all work ÷ slots. CPU is that of the contender and all processes it started, its client included.
Ours with everything on: mode `graph`, parallel, trace, checkpoints with durability `sync`, each
answer stored and scored by a scripted evaluator; each of its runs was verified afterwards. Peers
call with the client that they come with, or stock ChatOpenAI, unless the line says otherwise."""


def _large(rows: Rows) -> str:
    raw = middle(rows.large("raw"), field("wall_s"))
    head = (
        "contender|wall s|to the bound|to the first|CPU ms per task|peak MB|bytes per task"
        "|server's share of a core"
    )
    return table(head, (_large_line(c, rows.large(n), raw) for n, c in CONTENDERS.items()))


def _large_line(contender: Contender, rows: Sequence[Row], raw: float) -> Iterator[str]:
    yield contender.label
    yield span(rows, field("wall_s"))
    yield f"{middle(rows, ratio):.2f}" if rows else "–"
    yield f"{middle(rows, field('wall_s')) / raw:.2f}" if rows else "–"
    yield span(rows, field("cpu_ms"))
    yield span(rows, field("peak_mb"), ".0f")
    yield f"{middle(rows, field('bytes')):.0f}" if rows else "–"
    yield f"{middle(rows, field('server_share')):.0%}" if rows else "–"


def _sizes(rows: Rows) -> str:
    sizes = [(32, 8), (32, 64), (200, 8), (200, 64), (1000, 8)]
    head = "contender|" + "|".join(f"{n:,} in {slots}" for n, slots in sizes)
    lines = (
        [c.label, *(span(rows.of(name, "independent", *size), ratio) for size in sizes)]
        for name, c in CONTENDERS.items()
        if not c.large_only
    )
    return table(head, lines)


def _growth(rows: Rows) -> str:
    lines = (
        [
            label,
            f"{count:,}",
            span(found, field("cpu_ms")),
            span(found, field("bytes"), ".0f"),
            span(found, field("peak_mb"), ".0f"),
        ]
        for kind, label in (("empty", "no call"), ("independent", "one call"))
        for count in (100, 1000)
        if (found := rows.of("ours", kind, count, 64))
    )
    return table("each task|tasks|CPU ms per task|bytes per task|peak MB", lines)


def _layered(rows: Rows) -> str:
    lines = (
        [c.label, *(span(rows.of(name, "layered", 200, slots), ratio, ".3f") for slots in (8, 16))]
        for name, c in LAYERED.items()
    )
    return table("contender|8 slots|16 slots", lines)


def _trace(costs: Sequence[Sequence[float]]) -> str:
    lines = (
        [f"{int(events):,}", f"{append:.0f}", f"{check:.2f}", f"{size:.0f}"]
        for events, append, check, size in costs
    )
    return table("events before|CPU µs of an append|seconds to verify|bytes per event", lines)


def _profile(row: Row) -> str:
    what = "no call" if row["kind"] == "empty" else "one call each"
    lines = (
        [f"`{name}`", f"{calls:.1f}", f"{own:.3f}", f"{whole:.3f}"]
        for name, calls, own, whole in row["profile"]
    )
    return (
        f"## Where the time of ours goes: {row['count']:,} tasks, {what}\n\n"
        "CPU of the main thread per task, under cProfile, which makes small functions look dear.\n\n"
        + table("function|calls|own ms|with what it calls, ms", lines)
    )


def _missed(rows: Rows) -> str:
    left_out = "Prefect and CrewAI take over 20 s for the largest size and were left out."
    return "\n".join(f"- {line}" for line in (*rows.missed(), left_out))
