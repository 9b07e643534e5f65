"""Start the workbench's server."""

import subprocess
import sys
from pathlib import Path


def serve(*, port: int, headless: bool, audits: Path, run_id: str | None) -> int:
    """Serve the page until it is stopped; returns the server's exit code."""
    raise NotImplementedError(port, headless, audits, run_id, subprocess, sys)
