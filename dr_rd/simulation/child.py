"""The child's side of a simulation: one model in, its outcomes out, both as JSON."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from core.errors import TaskError
from dr_rd.confined import reply
from dr_rd.simulation.draw import draw, stream
from dr_rd.simulation.formula import Array, Node, evaluate, names, parse
from dr_rd.simulation.sensitivity import rank_correlation, ranks, variance_shares

PERCENTILES = (10, 50, 80, 90)


def main(question: bytes) -> bytes:
    """Answer a job with what came out, or refuse it."""
    return reply(lambda: _Job(json.loads(question)).answer())


class _Job:
    """One model and what is asked of it; the units are scales and offsets by now."""

    def __init__(self, job: Mapping[str, Any]) -> None:
        self._job = job
        self._size: int = job["draws"]
        self._inputs = {i["name"]: i for i in job["inputs"]}
        self._formulas = dict(self._parsed())
        self._sources = self._traced()

    def _parsed(self) -> Iterator[tuple[str, Node]]:
        known = list(self._inputs)
        for formula in self._job["formulas"]:
            yield formula["name"], parse(formula["expression"], known)
            known.append(formula["name"])

    def _traced(self) -> dict[str, frozenset[str]]:
        """Return the inputs that each formula hangs on, through others too."""
        found = {name: frozenset([name]) for name in self._inputs}
        for name, node in self._formulas.items():
            found[name] = frozenset().union(*(found[used] for used in names(node)))
        return found

    def answer(self) -> dict[str, Any]:
        given = {name: self._drawn(name, name) for name in self._inputs}
        outcomes = self._run(given)
        return {
            "outputs": {name: _summary(name, outcomes[name]) for name in self._output_names()},
            "sensitivity": self._sensitivity(given, outcomes),
            "sweep": list(self._sweep(given)),
        }

    def _drawn(self, name: str, key: str) -> Array:
        """Draw an input, in base units."""
        own = self._inputs[name]
        numbers = dict(own["distribution"])
        values = draw(numbers.pop("kind"), numbers, self._size, stream(self._job["seed"], key))
        return np.asarray(values * own["scale"] + own["offset"], dtype=np.float64)

    def _run(self, given: Mapping[str, Array]) -> dict[str, Array]:
        """Compute every formula; the outcomes are in the declared units."""
        values = dict(given)
        for name, node in self._formulas.items():
            values[name] = evaluate(node, values, self._size)
        scales = {f["name"]: f["scale"] for f in self._job["formulas"]}
        return {name: values[name] * scale for name, scale in scales.items()}

    def _output_names(self) -> list[str]:
        return self._job["outputs"] or list(self._formulas)

    def _sensitivity(
        self, given: Mapping[str, Array], outcomes: Mapping[str, Array]
    ) -> dict[str, Any]:
        if self._job["sensitivity"] == "none":
            return {}
        if self._job["sensitivity"] == "sobol":
            return self._shares(given, outcomes)
        order = {name: ranks(draws) for name, draws in given.items()}
        return {
            name: rank_correlation(self._of(name, order), outcomes[name])
            for name in self._output_names()
        }

    def _of(self, output: str, given: Mapping[str, Array]) -> dict[str, Array]:
        return {name: given[name] for name in given if name in self._sources[output]}

    def _shares(self, given: Mapping[str, Array], a: Mapping[str, Array]) -> dict[str, Any]:
        # no input's name has a space, so the second draws have streams of their own
        second = {name: self._drawn(name, f"{name} again") for name in given}
        b = self._run(second)
        found: dict[str, Any] = {name: {} for name in self._output_names()}
        for name in given:
            mixed = self._run({**given, name: second[name]})
            for output, shares in found.items():
                own = variance_shares(a[output], b[output], mixed[output])
                if own and name in self._sources[output]:
                    shares[name] = asdict(own)
        return found

    def _sweep(self, given: Mapping[str, Array]) -> Iterator[dict[str, Any]]:
        sweep = self._job["sweep"]
        own = self._inputs[sweep["input"]] if sweep else {}
        for value in sweep["values"] if sweep else ():
            fixed = np.full(self._size, value * own["scale"] + own["offset"])
            outcomes = self._run({**given, sweep["input"]: fixed})
            rows = {name: _summary(name, outcomes[name], value) for name in self._output_names()}
            yield {"value": value, "outputs": rows}


def _summary(name: str, outcome: Array, at: float | None = None) -> dict[str, float]:
    """Percentiles, mean and sd of the finite draws, and the share of the others."""
    finite = outcome[np.isfinite(outcome)]
    if not len(finite):
        where = "" if at is None else f" where the swept input is {at:g}"
        raise TaskError(
            f"formula {name!r} is not finite in any draw{where}: look for a division by zero, "
            "a logarithm or root of a negative number, or an overflow"
        )
    found = np.percentile(finite, PERCENTILES)
    # measured in the largest value, so that squares do not overflow
    most = float(np.max(np.abs(finite))) or 1.0
    return {
        **{f"P{p}": float(v) for p, v in zip(PERCENTILES, found, strict=True)},
        "mean": float(np.mean(finite / most)) * most,
        "sd": float(np.std(finite / most)) * most,
        "nonfinite": 1 - len(finite) / len(outcome),
    }
