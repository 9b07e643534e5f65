"""The work that every contender is given, and the least time that it can take."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

REPLY_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Task:
    """One call to a model's server."""

    number: int
    latency_ms: float
    """How long the server takes to answer it."""
    needs: tuple[int, ...] = ()
    """The tasks that must be answered before it is asked."""

    @property
    def name(self) -> str:
        """What it is called in a plan."""
        return f"T{self.number:04d}"

    @property
    def prompt(self) -> str:
        """The question, with its latency and the reply's size for the server."""
        return (
            f"Task {self.number}: find the three best supported claims about subject "
            f"{self.number} and cite them. "
            f"[[fake latency_ms={self.latency_ms:g} reply_bytes={REPLY_BYTES}]]"
        )


def independent(count: int, latency_ms: float) -> tuple[Task, ...]:
    """Tasks that do not wait for each other and take equally long."""
    return tuple(Task(number, latency_ms) for number in range(count))


def layered(seed: int, count: int, mean_ms: float, sigma: float = 0.8) -> tuple[Task, ...]:
    """Tasks in layers of 1 to 20, each waiting for 1 to 3 earlier ones, mostly of the layer above.

    Latencies are log-normal with that mean and that sigma of the logarithm.
    """
    chance = random.Random(seed)  # noqa: S311 - reproducible on purpose
    tasks: list[Task] = []
    layers: list[range] = []
    while len(tasks) < count:
        layer = range(len(tasks), min(len(tasks) + chance.randint(1, 20), count))
        tasks += [
            Task(
                number,
                round(chance.lognormvariate(math.log(mean_ms) - sigma**2 / 2, sigma), 2),
                _needs(layers, chance),
            )
            for number in layer
        ]
        layers.append(layer)
    return tuple(tasks)


def _needs(layers: Sequence[range], chance: random.Random) -> tuple[int, ...]:
    if not layers:
        return ()
    above = [
        layers[-1] if chance.random() < 0.8 else chance.choice(layers)
        for _ in range(chance.randint(1, 3))
    ]
    return tuple(sorted({chance.choice(layer) for layer in above}))


def bound_s(tasks: Sequence[Task], slots: int) -> float:
    """The least time for *tasks*, so many at once: the longest path, or all work shared out."""
    if not any(task.needs for task in tasks):
        return math.ceil(len(tasks) / slots) * max(task.latency_ms for task in tasks) / 1000
    ends: dict[int, float] = {}
    for task in tasks:
        ends[task.number] = task.latency_ms + max((ends[n] for n in task.needs), default=0.0)
    return max(max(ends.values()), sum(task.latency_ms for task in tasks) / slots) / 1000
