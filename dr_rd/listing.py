"""The index of the runs in an audits folder, as the command line and the page list them."""

from importlib import import_module
from pathlib import Path

from core.index import RunIndex, RunInfo

_VERSION = "2"
"""To be raised with each change in what `dr_rd.summary` tells of a run."""


def run_index(audits: Path) -> RunIndex:
    """Return the index of the runs in *audits*, each with its summary."""
    return RunIndex(audits, _read, _VERSION)


def _read(run_dir: Path) -> RunInfo:
    """Read a run anew; what that takes is imported here, as few lists come to it."""
    info: RunInfo = import_module("dr_rd.summary").read_summary(run_dir)
    return info
