"""What scoring costs: CPU seconds of each metric on plans, on long texts and on odd ones.

Run `python -m bench.metrics_bench` to print the report; `--write` saves it as results/metrics.md.
"""

import os
import struct
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median

from bench.forks import ended, forked
from dr_rd.evaluation.metrics import METRICS, Metric
from dr_rd.evaluation.subject import Subject
from tests.metamorphic.plans import Plan, plans
from tests.test_growth import KINDS, MOST, of_kind

HERE = Path(__file__).parent
ROUNDS = 3
LIMIT = 100_000
BAR = 1.0
"""Seconds that so many characters may cost."""
KIND_BAR = 3.0
"""Seconds that so many characters may cost that are all figures of one kind."""


def texts(plan: Plan) -> Mapping[str, str]:
    """Texts to score in the place of *plan*, by what they are."""
    english = "\n".join(p.text for p in plans().values() if p.name != "radon-keller")
    long = english * (LIMIT // len(english) + 1)
    return {
        "the plan": plan.text,
        "100 kB of plans": long[:LIMIT],
        "100 kB of one word": "hive " * (LIMIT // 5),
        "100 kB of table rules": "|---|---|\n" * (LIMIT // 10),
        "100 kB of digits": "7" * LIMIT,
    }


def seconds(keys: Iterable[str], subject: Subject) -> float:
    """Return the median CPU time of a few rounds, each in a fork that has not seen the text."""
    metrics = [METRICS[key] for key in keys]
    return median(_forked(metrics, subject.model_copy()) for _ in range(ROUNDS))


def _forked(metrics: Iterable[Metric], subject: Subject) -> float:
    reading, writing = os.pipe()

    def work() -> None:
        started = time.process_time()
        for metric in metrics:
            metric(subject)
        os.write(writing, struct.pack("d", time.process_time() - started))

    ended(forked(work))
    (took,) = struct.unpack("d", os.read(reading, struct.calcsize("d")))
    os.close(reading)
    os.close(writing)
    return float(took)


def growth(plan: Plan) -> tuple[str, bool]:
    """What texts of one kind of figure cost, half as long and whole; and whether all keep within the bar."""
    rows, kept = [], True
    for kind in KINDS:
        half, whole = (
            seconds(METRICS, plan.subject(of_kind(kind, length))) for length in (LIMIT // 2, LIMIT)
        )
        good = whole < KIND_BAR and whole <= MOST * half
        rows.append(f"| {kind} | {half:.2f} | {whole:.2f} | {whole / half:.2f} |")
        kept = kept and good
    head = [
        f"| nothing but | {LIMIT // 2:,} | {LIMIT:,} characters | ratio |",
        "|---|---|---|---|",
    ]
    return "\n".join([*head, *rows]), kept


def report() -> tuple[str, bool]:
    """Measure all; return a page, and whether every text keeps within the bar."""
    plan = plans()["lake-phosphorus"]
    held = texts(plan)
    subjects = {name: plan.subject(text) for name, text in held.items()}
    other = plans()["honeybee-winter"]
    for metric in METRICS.values():
        metric(other.subject(other.text))  # loads what is loaded once
    rows = [[key, *(f"{seconds([key], s):.3f}" for s in subjects.values())] for key in METRICS]
    total = {name: seconds(METRICS, s) for name, s in subjects.items()}
    together = ["**all together**", *(f"{t:.3f}" for t in total.values())]
    kinds, steady = growth(plan)
    over = [f"{name} ({t:.2f} s)" for name, t in total.items() if t >= BAR]
    sizes = ", ".join(f"{name}: {len(text):,} characters" for name, text in held.items())
    page = "\n".join(
        [
            "# What scoring costs",
            "",
            f"CPU seconds, the median of {ROUNDS} rounds, on two cores with a load",
            f"average of {os.getloadavg()[0]:.1f}, which makes them dearer; {sizes}. One",
            f"brief of {len(subjects['the plan'].ledger.items)} ledger items, documents of "
            f"{len(subjects['the plan'].corpus.passages)} passages; claims are the sentences that",
            f"cite, {len(subjects['100 kB of plans'].claims)} in the long text. Alone, each metric",
            "also cuts the text for itself; together they share that.",
            "",
            f"| metric | {' | '.join(held)} |",
            f"|---|{'---|' * len(held)}",
            *(f"| {' | '.join(row)} |" for row in [*rows, together]),
            "",
            f"Not within the bar of {BAR:g} s: {', '.join(over) or 'none'}.",
            "",
            "Texts that are slow for their kind, all metrics together:",
            "",
            kinds,
            "",
            f"Each is to cost less than {KIND_BAR:g} s, and at most {MOST:g} times as much as half of it: "
            f"{'all do' if steady else 'not all do'}.",
            "",
        ]
    )
    return page, steady and not over


def main() -> int:
    """Measure and print, save where that is asked for; return 1 where a text is over the bar."""
    text, kept = report()
    print(text)
    if "--write" in sys.argv:
        (HERE / "results" / "metrics.md").write_text(text, encoding="utf-8")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
