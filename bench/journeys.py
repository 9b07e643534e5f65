"""`python -m bench.journeys` makes every journey through the page several times, and counts them.

A journey is a test of `tests/browser`: a way through the page in a real browser, by mouse or by
keyboard alone, or a state of the page held against axe in both themes and at a phone's width.
"""

import argparse
import platform
import re
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import yaml

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests/browser"
RESULT = ROOT / "bench/results/journeys.md"


@dataclass(frozen=True, slots=True)
class Made:
    """One time that a journey was made."""

    journey: str
    passed: bool
    seconds: float


def main() -> None:
    """Make them and write what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--times", type=int, default=20, help="how often each is made")
    times = parser.parse_args().times
    made = [each for number in range(times) for each in once(number + 1, times)]
    RESULT.write_text(report(made, times), encoding="utf-8")
    print(f"written to {RESULT.relative_to(ROOT)}")
    sys.exit(any(not each.passed for each in made))


def once(number: int, times: int) -> Sequence[Made]:
    """Make each journey once, all in one process of the tester."""
    print(f"{number} of {times} ...", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "made.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", str(TESTS)]
        subprocess.run([*command, f"--junitxml={written}"], cwd=ROOT, check=False)
        return [*read(written.read_text("utf-8"))]


def read(xml: str) -> Iterator[Made]:
    """Yield what a tester's report says of each test; what was skipped was not made."""
    for case in ElementTree.fromstring(xml).iter("testcase"):  # noqa: S314 - the tester's own
        kinds = {child.tag for child in case}
        if "skipped" not in kinds:
            failed = bool(kinds & {"failure", "error"})
            yield Made(_words(case.attrib["name"]), not failed, float(case.attrib["time"]))


def _words(test: str) -> str:
    name, _, rest = test.removeprefix("test_").partition("[")
    words = name.replace("_", " ")
    return f"{words}: {rest.removesuffix(']')}" if rest else words


def report(made: Sequence[Made], times: int) -> str:
    """Return the count of each journey as Markdown."""
    each: Mapping[str, list[Made]] = defaultdict(list)
    for one in made:
        each[one.journey].append(one)
    whole = sum(all(m.passed for m in ms) and len(ms) == times for ms in each.values())
    rows = (
        f"| {journey} | {sum(m.passed for m in ms)} of {len(ms)} | "
        f"{statistics.median(m.seconds for m in ms):.0f} |"
        for journey, ms in each.items()
    )
    named = yaml.safe_load((TESTS / "upstream.yaml").read_text("utf-8"))
    upstream = "; ".join(f"{f['rule']} at `{f['selector']}`: {f['reason']}" for f in named)
    return "\n".join(
        (
            "# Journeys through the page",
            "",
            f"`make journeys TIMES={times}`, {datetime.now(UTC):%Y-%m-%d}, "
            f"{platform.system()} {re.split('-', platform.release())[0]}, Python "
            f"{platform.python_version()}, the system's Chromium.",
            "",
            f"{whole} of {len(each)} passed each time. Every page and server was watched for "
            "requests to other machines.",
            "",
            f"Faults of Streamlit's own that axe may find: {upstream or 'none'}.",
            "",
            "| journey | passed | median seconds |",
            "|---|---:|---:|",
            *rows,
            "",
        )
    )


if __name__ == "__main__":
    main()
