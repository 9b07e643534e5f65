"""`python -m bench.journeys` makes every journey through the page several times, and counts them.

A journey is a test of `tests/browser`: a way through the page in a real browser, by mouse or by
keyboard alone, or a state of the page held against axe in both themes and at a phone's width. Each
is told when it has been made, and the result is written after every round: what is cut short still
has one. A round ends after half an hour at the latest, and none begins after so many minutes.
With `--at-once` several rounds are made beside each other, each with servers and browsers of its own.
"""

import argparse
import platform
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import yaml

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests/browser"
RESULT = ROOT / "bench/results/journeys.md"


_LONGEST_S = 1_800
"""What a round may take, in seconds; on a machine of its own it takes a fifth of that."""


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
    parser.add_argument("--minutes", type=float, default=240, help="no round begins after them")
    parser.add_argument("--only", default="", help="a word of their names, such as mouse")
    parser.add_argument("--at-once", type=int, default=1, help="rounds beside each other")
    given = parser.parse_args()
    began, made, rounds = time.monotonic(), list[Made](), 0
    while rounds < given.times and time.monotonic() - began < given.minutes * 60:
        beside = min(given.at_once, given.times - rounds)
        print(f"round {rounds + 1} of {given.times} ...", flush=True)
        with ThreadPoolExecutor(beside) as lanes:
            each = [lanes.submit(once, given.only) for _ in range(beside)]
        made += [one for lane in each for one in lane.result()]
        rounds += beside
        how = f" AT_ONCE={given.at_once}" if given.at_once > 1 else ""
        how += f" ONLY={given.only}" if given.only else ""
        command = f"make journeys TIMES={given.times}{how}"
        RESULT.write_text(report(made, rounds, given.times, command), encoding="utf-8")
        failed = sum(not each.passed for each in made)
        print(
            f"{rounds} of {given.times} rounds in {(time.monotonic() - began) / 60:.0f} minutes, "
            f"{failed} of {len(made)} journeys failed; written to {RESULT.relative_to(ROOT)}",
            flush=True,
        )
    sys.exit(rounds < given.times or any(not each.passed for each in made))


def once(only: str) -> Sequence[Made]:
    """Make each journey once whose name has *only*, all in one process of the tester.

    One that does not end by itself is one journey that failed: the tester tells nothing before.
    """
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "made.xml"
        command = [sys.executable, "-m", "pytest", "-v", "--no-header", "--tb=short"]
        command += ["-p", "no:randomly", f"--junitxml={written}", "-k", only, str(TESTS)]
        with subprocess.Popen(command, cwd=ROOT) as tester:
            try:
                tester.wait(_LONGEST_S)
            except subprocess.TimeoutExpired:
                tester.send_signal(signal.SIGINT)  # it then closes its servers, and reports
                with suppress(subprocess.TimeoutExpired):
                    tester.wait(120)
                tester.terminate()
        if not written.exists():
            return [Made("a whole round", passed=False, seconds=_LONGEST_S)]
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


def report(made: Sequence[Made], rounds: int, times: int, command: str) -> str:
    """Return the count of each journey after so many *rounds* of *times* as Markdown."""
    each: Mapping[str, list[Made]] = defaultdict(list)
    for one in made:
        each[one.journey].append(one)
    whole = sum(all(m.passed for m in ms) and len(ms) == rounds for ms in each.values())
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
            f"`{command}`, {datetime.now(UTC):%Y-%m-%d}, "
            f"{platform.system()} {re.split('-', platform.release())[0]}, Python "
            f"{platform.python_version()}, the system's Chromium.",
            "",
            f"After {rounds} of {times} rounds {whole} of {len(each)} passed each time. Every page and server was watched for "
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
