"""A test that is skipped where something is missing fails in CI, which installs it."""

import subprocess
import sys
from pathlib import Path

import pytest

from core.settings import environment
from tests.absences import refused

ROOT = Path(__file__).parents[1]
MISSING = "no Chromium on PATH: a browser is a system package"


@pytest.mark.parametrize("value", ["true", "1", "yes"])
def test_in_ci_what_is_missing_is_named_with_the_remedy(value: str):
    told = refused(MISSING, {"CI": value})
    assert MISSING in told
    assert ".ci/run" in told


@pytest.mark.parametrize("environ", [{}, {"CI": ""}, {"CI": "false"}, {"CI": "0"}])
def test_elsewhere_it_may_be_missing(environ: dict[str, str]):
    assert refused(MISSING, environ) == ""


def test_a_relation_without_a_case_is_no_absence():
    assert refused("says nothing of clover: it cites nothing", {"CI": "true"}) == ""
    assert refused(f"{MISSING}; says nothing of it", {"CI": "true"}) != ""


@pytest.mark.parametrize(("ci", "outcome"), [("true", "error"), ("", "skipped")])
def test_without_a_browser_its_tests_fail_in_ci_alone(ci: str, outcome: str):
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider"]
    asked = "tests/browser/test_page.py::test_a_sample_becomes_a_bundle"
    done = subprocess.run(
        [*command, asked],
        cwd=ROOT,
        env={**environment(), "CI": ci, "PATH": "/nowhere"},
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines()[-1].startswith(f"1 {outcome}"), done.stdout
    assert ("no Chromium on PATH" in done.stdout) is (outcome == "error")


def test_ci_says_that_it_is_ci():
    script = (ROOT / ".ci/run").read_text("utf-8")
    assert script.index("export CI=true") < script.index("make test")
