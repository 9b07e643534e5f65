"""What a machine may lack: elsewhere its tests are skipped, in CI, which has it all, they fail.

`.ci/run` installs what is optional and says by the variable CI that it did.
"""

import re
from collections.abc import Mapping
from typing import Any

import pytest

from core.settings import environment

ALLOWED: Mapping[str, str] = {
    r"says nothing of .+": "a relation that a plan has nothing for is no absence",
    r"the labelled briefs are not there": "they belong to no repository",
    r"this system has no /dev/full": "Linux has it, and nothing installs it elsewhere",
}
"""Why a test may be skipped even in CI, by the whole reason that the skip gives."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Have a skip for want of something count as a failure in CI."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail"):
        _, _, said = report.longrepr
        if told := refused(said.removeprefix("Skipped: "), environment()):
            report.outcome, report.longrepr = "failed", f"{item.nodeid}: {told}"
    return report


def refused(reason: str, environ: Mapping[str, str]) -> str:
    """Return why a test may not be skipped for that *reason*; "" if it may."""
    in_ci = environ.get("CI", "").lower() not in ("", "0", "false")
    if not in_ci or any(re.fullmatch(allowed, reason) for allowed in ALLOWED):
        return ""
    return f"CI skips nothing for want of something ({reason}); have .ci/run install it"
