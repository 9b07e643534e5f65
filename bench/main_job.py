"""What a run costs: CPU, memory and wall time of `dr-rd run` on every brief, in both modes."""

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
RESULT = ROOT / "bench/results/main_job.md"
_PROBE = """
import resource, sys, time
from dr_rd.cli import main
started = time.monotonic()
code = main(sys.argv[1:])
used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
cpu = sum(u.ru_utime + u.ru_stime for u in used)
peak = max(u.ru_maxrss for u in used) / 1024
print("PROBE", code, round(cpu, 2), round(peak), round(time.monotonic() - started, 2))
"""


class Cost(NamedTuple):
    """One run's cost."""

    brief: str
    mode: str
    code: int
    cpu_s: float
    peak_mb: float
    wall_s: float


def briefs() -> list[Path]:
    """The product's samples, and those that the planted texts are written for."""
    found = sorted((ROOT / "dr_rd/data/briefs").iterdir())
    return found + sorted((ROOT / "tests/data/briefs").glob("*.yaml"))


def measure(brief: Path, mode: str) -> Cost:
    """Run *brief* once in a process of its own."""
    with tempfile.TemporaryDirectory() as audits:
        command = [
            sys.executable, "-c", _PROBE, "run", str(brief), "--mode", mode, "--audits", audits,
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    line = next(x for x in done.stdout.splitlines() if x.startswith("PROBE"))
    _, code, cpu, peak, wall = line.split()
    return Cost(brief.stem, mode, int(code), float(cpu), float(peak), float(wall))


def main() -> None:
    """Measure, print and write the table."""
    costs = [measure(b, mode) for b in briefs() for mode in ("graph", "classic")]
    rows = [
        f"| {c.brief} | {c.mode} | {c.code} | {c.cpu_s:.1f} | {c.peak_mb:.0f} | {c.wall_s:.1f} |"
        for c in costs
    ]
    text = "\n".join(
        [
            "# What a run costs",
            "",
            f"{len(costs)} runs of `dr-rd run`, each in a process of its own, start-up included. "
            f"CPU median {statistics.median(c.cpu_s for c in costs):.1f} s, "
            f"most {max(c.cpu_s for c in costs):.1f} s; memory most "
            f"{max(c.peak_mb for c in costs):.0f} MB.",
            "",
            "| Brief | Mode | Exit | CPU s | Peak MB | Wall s |",
            "|---|---|---|---|---|---|",
            *rows,
            "",
        ]
    )
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
