"""Worked examples of textbooks, each also checked by recomputation with exact fractions."""

from fractions import Fraction
from math import sqrt
from statistics import NormalDist

import pytest

from core.graph.state import ThreePoint
from dr_rd.schedule.activities import Activity
from dr_rd.schedule.cpm import critical_path, critical_path_times
from dr_rd.schedule.montecarlo import simulate

RELIABLE = {  # Hillier & Lieberman, Introduction to Operations Research: Reliable Construction Co.
    "A": ((), (1, 2, 3)),
    "B": ("A", (2, 3.5, 8)),
    "C": ("B", (6, 9, 18)),
    "D": ("C", (4, 5.5, 10)),
    "E": ("C", (1, 4.5, 5)),
    "F": ("E", (4, 4, 10)),
    "G": ("D", (5, 6.5, 11)),
    "H": (("E", "G"), (5, 8, 17)),
    "I": ("C", (3, 7.5, 9)),
    "J": (("F", "I"), (3, 9, 9)),
    "K": ("J", (4, 4, 4)),
    "L": ("J", (1, 5.5, 7)),
    "M": ("H", (1, 2, 3)),
    "N": (("K", "L"), (5, 5.5, 9)),
}
FOUNDRY = {  # Render, Stair & Hanna, Quantitative Analysis for Management: General Foundry
    "A": ((), (1, 2, 3)),
    "B": ((), (2, 3, 4)),
    "C": ("A", (1, 2, 3)),
    "D": ("B", (2, 4, 6)),
    "E": ("C", (1, 4, 7)),
    "F": ("C", (1, 2, 9)),
    "G": (("D", "E"), (3, 4, 11)),
    "H": (("F", "G"), (1, 2, 3)),
}


def _network(example):
    return {task: tuple(needs) for task, (needs, _) in example.items()}


def _means(example):
    return {t: float((Fraction(a) + 4 * Fraction(m) + Fraction(b)) / 6) for t, (_, (a, m, b)) in example.items()}  # fmt: skip


def _variance(example, path):
    """Sum of ((high - low) / 6)² over *path*."""
    spans = [example[t][1][2] - example[t][1][0] for t in path]
    return float(sum(Fraction(s) ** 2 / 36 for s in spans))


@pytest.mark.parametrize(
    ("example", "weeks", "path", "variance", "deadline", "chance"),
    [
        (RELIABLE, 44, "ABCEFJLN", 9.0, 47, 0.8413),
        (FOUNDRY, 15, "ACEGH", 3.11, 16, 0.7157),
    ],
)
def test_the_critical_path_its_length_and_the_chance_are_the_books(
    example, weeks, path, variance, deadline, chance
):
    network = _network(example)
    times = critical_path_times(network, _means(example))
    assert max(t.finish for t in times.values()) == pytest.approx(weeks)
    assert "".join(critical_path(network, times)) == path
    assert "".join(t for t in network if times[t].critical) == path
    found = _variance(example, path)
    assert found == pytest.approx(variance, abs=0.005)
    assert NormalDist(weeks, sqrt(found)).cdf(deadline) == pytest.approx(
        chance, abs=0.002
    )  # z rounded


def test_the_slack_of_each_activity_is_the_books():
    times = critical_path_times(_network(RELIABLE), _means(RELIABLE))
    slack = {t: round(times[t].slack, 6) for t in RELIABLE if not times[t].critical}
    assert slack == {"D": 4, "G": 4, "H": 4, "I": 2, "K": 1, "M": 4}
    times = critical_path_times(_network(FOUNDRY), _means(FOUNDRY))
    slack = {t: round(times[t].slack, 6) for t in FOUNDRY if not times[t].critical}
    assert slack == {"B": 1, "D": 1, "F": 6}


def test_simulated_paths_that_merge_lower_the_chance_the_book_gives_for_one_path():
    plan = [
        Activity(id=t, depends_on=tuple(needs), days=ThreePoint(low=a, mode=m, high=b))
        for t, (needs, (a, m, b)) in RELIABLE.items()
    ]
    run = simulate(plan, iterations=100_000, seed=1)
    assert 0.6 < (run.end <= 47).mean() < 0.8413
    assert run.end.mean() > 44
