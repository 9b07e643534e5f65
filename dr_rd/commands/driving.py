"""Have a run driven and say how it went."""

from typing import Any

import click

from core.driving import Driver, Outcome, run_with
from core.store import RunFolder
from core.trace import read_events
from dr_rd.adherence import to_json
from dr_rd.commands.context import CliContext
from dr_rd.commands.output import print_json
from dr_rd.evaluation.claims import to_json as claims_json
from dr_rd.models.served.prices import spent_usd
from dr_rd.progress import Progress
from dr_rd.workbench import RunBench


def drive_and_report(
    context: CliContext, driver: Driver, bench: RunBench, folder: RunFolder, *, as_json: bool
) -> int:
    """Have *driver* take a run on and report it; returns the exit code."""
    started = context.clock.monotonic()
    with Progress() as progress:
        outcome = run_with(driver, folder, watch=progress.watch)
    if as_json:
        seconds = round(context.clock.monotonic() - started, 3)
        print_json(report(outcome, bench, folder, seconds))
    else:
        _tell(outcome, folder)
    return outcome.exit_code


def report(outcome: Outcome, bench: RunBench, folder: RunFolder, seconds: float) -> dict[str, Any]:
    """What `run --json` prints."""
    plan = folder.plan()
    tasks = plan.tasks if plan else ()
    answers = folder.answers(tasks)
    verdicts = bench.verdicts(folder.read_text("proposal.md")) if outcome.ended else ()
    card = folder.scorecard()
    return {
        "run_id": folder.run_id,
        "run_dir": str(folder.path),
        "mode": bench.options.mode,
        "status": outcome.status,
        "reason": outcome.reason,
        "tasks": [t.model_dump(mode="json") for t in tasks],
        "answers": {k: a.model_dump(mode="json") for k, a in answers.items()},
        "scorecard": card.model_dump(mode="json") if card else None,
        "ledger": to_json(verdicts),
        "claims": claims_json(bench.claims(answers)) if outcome.ended else None,
        "proposal": str(folder.path / "proposal.md") if outcome.ended else None,
        "trace": str(folder.trace_path),
        "cost_usd": cost_usd(folder),
        "seconds": seconds,
    }


def cost_usd(folder: RunFolder) -> float | None:
    """Add up what the run's calls cost, in US dollars; None if a price is unknown."""
    return spent_usd(read_events(folder.trace_path))


def _tell(outcome: Outcome, folder: RunFolder) -> None:
    if outcome.ended:
        click.echo(str(folder.path / "proposal.md"))
    if outcome.reason:
        click.echo(f"{outcome.status}: {outcome.reason}", err=True)
    if outcome.status == "waiting":
        click.echo(f"approve it with: dr-rd resume {folder.path} --approve", err=True)
    elif not outcome.ended and "dr-rd resume" not in outcome.reason:
        click.echo(f"go on with: dr-rd resume {folder.path}", err=True)
