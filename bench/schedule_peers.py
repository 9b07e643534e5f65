"""The same network in published tools; run by the Python of an environment that has them.

`python bench/schedule_peers.py NAME` reads a network on stdin and prints what it took and found.
Each peer is imported where it is used: an environment may lack the other.
"""

import json
import resource
import sys
import time


def mcerp(network):
    """Arrays of draws by Latin hypercube, joined by hand: mcerp has no notion of a network."""
    import mcerp  # noqa: PLC0415
    import numpy as np  # noqa: PLC0415

    mcerp.npts = network["iterations"]
    points = network["activities"]
    days = {k: mcerp.PERT(*a["days"])._mcpts for k, a in points.items()}
    cost = sum(mcerp.PERT(*a["cost"])._mcpts for a in points.values())
    finish = {}
    for key, activity in points.items():
        start = np.zeros(network["iterations"])
        for before in activity["needs"]:
            start = np.maximum(start, finish[before])
        finish[key] = start + days[key]
    end = np.max(list(finish.values()), axis=0)
    return float(np.quantile(end, 0.8)), float(np.quantile(cost, 0.8))


def mcprojsim(network):
    """Its own engine, without resources: durations only, and criticality."""
    from mcprojsim.models.project import Project  # noqa: PLC0415
    from mcprojsim.simulation.engine import SimulationEngine  # noqa: PLC0415

    tasks = [
        {
            "id": key, "name": key, "dependencies": a["needs"],
            "estimate": dict(zip(("low", "expected", "high"), a["days"], strict=True)) | {"unit": "days"},
        }
        for key, a in network["activities"].items()
    ]  # fmt: skip
    project = Project.model_validate(
        {"project": {"name": "bench", "start_date": "2027-01-04"}, "tasks": tasks}
    )
    engine = SimulationEngine(iterations=network["iterations"], random_seed=1, show_progress=False)
    found = engine.run(project)
    return found.percentile(80) / 8, None


def main():
    network = json.load(sys.stdin)
    solve = {"mcerp": mcerp, "mcprojsim": mcprojsim}[sys.argv[1]]
    network["iterations"], asked = 100, network["iterations"]
    solve(network)  # imports and caches are no part of the calculation
    network["iterations"] = asked
    started = time.perf_counter()
    days, cost = solve(network)
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    json.dump({"seconds": seconds, "mb": peak, "days": days, "cost": cost}, sys.stdout)


if __name__ == "__main__":
    main()
