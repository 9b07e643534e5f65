"""`dr-rd replay`: a recorded run is done again from its record, and compared."""

import tempfile
from pathlib import Path
from typing import Any

import click

from core.driving import Outcome
from core.graph.revision import REVISION
from core.pluralize import pluralize
from core.replay import Replayed, replay
from core.store import open_run
from core.trace import status_of
from dr_rd.commands.codes import FAILED, FINISHED
from dr_rd.commands.context import CliContext
from dr_rd.commands.driving import report
from dr_rd.commands.output import print_json
from dr_rd.workbench import (
    EVIDENCE,
    OFFERS,
    SERVERS,
    Workbench,
    design_file,
    load_workbench,
)


def execute(context: CliContext, *, run_dir: Path, as_json: bool) -> int:
    """Replay in a folder that is gone afterwards; returns the exit code."""
    workbench = load_workbench()
    started = context.clock.monotonic()
    with tempfile.TemporaryDirectory(prefix="dr-rd-replay-") as scratch:
        found = replay(run_dir, workbench.parts, Path(scratch), given=_given(run_dir))
        seconds = round(context.clock.monotonic() - started, 3)
        if as_json:
            print_json(_result(found, workbench, run_dir, seconds))
        else:
            _tell(found)
    return FINISHED if found.identical else FAILED


def _given(run_dir: Path) -> tuple[str, ...]:
    """Return the files that a run works from; a revision has its design from the run before."""
    files = (EVIDENCE, SERVERS, OFFERS)
    return (*files, design_file(0)) if (run_dir / REVISION).is_file() else files


def _result(
    found: Replayed, workbench: Workbench, run_dir: Path, seconds: float
) -> dict[str, Any]:
    """What `replay --json` prints: what the replay made, under the names of what is recorded.

    Of a run that has not ended it is what is recorded: the replay may have gone further.
    """
    recorded = open_run(run_dir)
    folder = found.folder if found.ended else recorded
    outcome = found.outcome if found.ended else Outcome("paused", run_dir, "it has not ended")
    parts = workbench.parts(folder)
    result = report(outcome, parts, folder, seconds)
    if not found.ended:
        result["status"] = status_of(recorded.trace_path, driven=False)
    return {
        **result,
        "run_dir": str(recorded.path),
        "proposal": str(recorded.path / parts.mode.result_files[0]) if found.ended else None,
        "trace": str(recorded.trace_path),
        "identical": found.identical,
        "first_difference": found.first_difference,
    }


def _tell(found: Replayed) -> None:
    so_far = "" if found.ended else "; the run has not ended"
    if found.identical:
        click.echo(f"identical: {pluralize(found.events, 'event')} and every file{so_far}")
    else:
        click.echo(f"different: {found.first_difference}{so_far}")
