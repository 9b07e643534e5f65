"""`python -m bench.models` works the briefs with a small real model and writes what they show.

Needs .venv-model: `make test-model` makes it. The runs stay in build/models, for who wants to read
what the model said.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

from bench.models.report import page
from bench.models.runs import Figures, briefs, whole_briefs, work
from bench.models.server import MODEL, NAME, PYTHON, ROOT, Served, served
from core.settings import environment
from dr_rd.models.served.endpoint import Purpose

RESULT = ROOT / "bench/results/models.md"
AUDITS = ROOT / "build/models"


def main() -> int:
    """Serve, run, write; the exit code is 1 if a replay was not identical."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=10)
    options.add_argument(
        "--whole",
        type=int,
        default=2,
        help="runs before those, of sample briefs without tasks, that the model plans, works and writes",
    )
    options.add_argument("--threads", type=int, default=2, help="1 on a busy machine")
    options.add_argument(
        "--written", type=int, default=10, help="runs, the first, whose prose the model writes"
    )
    options.add_argument(
        "--judged", type=int, default=1, help="runs, the first, that the model also judges: slow"
    )
    options.add_argument("--minutes", type=float, default=180, help="no run begins after them")
    options.add_argument("--run-minutes", type=float, default=30, help="the most for one run")
    options.add_argument("--out", type=Path, default=RESULT)
    chosen = options.parse_args()
    AUDITS.mkdir(parents=True, exist_ok=True)
    _assembled()
    until = time.monotonic() + 60 * chosen.minutes
    found: list[Figures] = []
    with served(chosen.threads, AUDITS / "server.log") as server:
        abilities = _tested(server)
        print(abilities, flush=True)
        for figures in _runs(server, chosen, until):
            found.append(figures)
            print(figures, flush=True)
            # after each run: what was measured is not lost when a later one goes wrong
            asked = chosen.whole + chosen.runs
            text = page(found, asked, chosen.threads, abilities, _done(chosen), _command())
            chosen.out.write_text(text, encoding="utf-8")
    return any(not f.identical for f in found)


def _command() -> str:
    return " ".join(("python -m bench.models", *sys.argv[1:]))


def _assembled() -> None:
    """Put the model together once."""
    if not MODEL.exists():
        subprocess.run(
            [str(PYTHON), "-m", "bench.models.weights", str(MODEL)], cwd=ROOT, check=True
        )


def _tested(server: Served) -> str:
    command = [sys.executable, "-m", "dr_rd", "endpoint", "test"]
    asked = ["--endpoint", server.base_url, "--model", NAME]
    env = {**environment(), "DRRD_API_KEY": server.key}
    done = subprocess.run(
        [*command, *asked], env=env, cwd=ROOT, stdout=subprocess.PIPE, timeout=900, check=True
    )
    return done.stdout.decode()


def _runs(server: Served, chosen: argparse.Namespace, until: float) -> Iterator[Figures]:
    """Work the briefs in turn, again with another seed once all were worked."""
    held, wall_s = briefs(), 60 * chosen.run_minutes
    for brief in islice(whole_briefs(), chosen.whole):
        if time.monotonic() > until:
            return
        yield work(brief, server, AUDITS, 0, wall_s, ("plan", "work", "write"))
    for number, brief in enumerate(islice(cycle(held), chosen.runs)):
        if time.monotonic() > until:
            return
        most = {"work": chosen.runs, "write": chosen.written, "judge": chosen.judged}
        purposes = [p for p, first in most.items() if number < first]
        yield work(brief, server, AUDITS, number // len(held), wall_s, purposes)


def _done(chosen: argparse.Namespace) -> dict[Purpose, int]:
    """In how many runs, the first, the model does each purpose."""
    whole = chosen.whole
    return {
        "plan": whole,
        "work": whole + chosen.runs,
        "write": whole + chosen.written,
        "judge": chosen.judged,
    }


if __name__ == "__main__":
    sys.exit(main())
