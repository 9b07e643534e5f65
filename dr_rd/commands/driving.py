"""Have a run driven and say how it went."""

from shlex import quote
from typing import Any

import click
from pydantic import JsonValue

from core.decisions import open_questions
from core.driving import Driver, Outcome, run_with
from core.graph.files import planned_tasks, read_answers, read_scorecard
from core.questions import Question
from core.store import TRACE, RunFolder
from core.trace import read_events
from dr_rd.checks import to_json
from dr_rd.commands.context import CliContext
from dr_rd.commands.output import heard, print_json
from dr_rd.evaluation.claims import to_json as claims_json
from dr_rd.models.served.prices import spent_usd
from dr_rd.progress import Progress
from dr_rd.workbench import ResearchRun


def drive_and_report(
    context: CliContext, driver: Driver, parts: ResearchRun, folder: RunFolder, *, as_json: bool
) -> int:
    """Have *driver* take a run on and report it; returns the exit code."""
    started = context.clock.monotonic()
    with Progress(parts.live_calls) as progress:
        outcome = run_with(progress.beating(driver, context.clock), folder, watch=progress.watch)
    with heard():  # how the run went does not hang on who listens
        if as_json:
            seconds = round(context.clock.monotonic() - started, 3)
            print_json(report(outcome, parts, folder, seconds))
        else:
            _tell(outcome, folder, parts.mode.result_files[0])
    return outcome.exit_code


def report(
    outcome: Outcome, parts: ResearchRun, folder: RunFolder, seconds: float
) -> dict[str, Any]:
    """What `run --json` prints."""
    tasks = planned_tasks(folder)
    answers = read_answers(folder, tasks)
    result = parts.mode.result_files[0]
    verdicts = parts.verdicts(folder.read_text(result)) if outcome.ended and tasks else ()
    rows = tuple(read_events(folder.trace_path)) if folder.has(TRACE) else ()
    card = read_scorecard(folder)
    return {
        "run_id": folder.run_id,
        "run_dir": str(folder.path),
        "mode": parts.options.mode,
        "status": outcome.status,
        "reason": outcome.reason,
        "tasks": [t.model_dump(mode="json") for t in tasks],
        "result": _result(folder, parts),
        "answers": {k: a.model_dump(mode="json") for k, a in answers.items()},
        "scorecard": card.model_dump(mode="json") if card else None,
        "ledger": to_json(verdicts),
        "claims": claims_json(parts.claims(answers)) if outcome.ended and answers else None,
        "proposal": str(folder.path / result) if outcome.ended else None,
        "questions": [asked.model_dump(mode="json") for asked in open_questions(rows, folder)],
        "trace": str(folder.trace_path),
        "cost_usd": cost_usd(folder),
        "seconds": seconds,
    }


def _result(folder: RunFolder, parts: ResearchRun) -> JsonValue:
    """Return what a mode without a plan came to, as its JSON file has it."""
    name = next((n for n in parts.mode.result_files if n.endswith(".json")), None)
    found: JsonValue = folder.read_json(name) if name and folder.has(name) else None
    return found


def cost_usd(folder: RunFolder) -> float | None:
    """Add up what the run's calls cost, in US dollars; None if a price is unknown."""
    return spent_usd(read_events(folder.trace_path))


def _tell(outcome: Outcome, folder: RunFolder, result: str) -> None:
    if outcome.ended:
        click.echo(str(folder.path / result))
    if outcome.reason:
        click.echo(f"{outcome.status}: {outcome.reason}", err=True)
    if outcome.status == "waiting":
        for asked in open_questions(read_events(folder.trace_path), folder):
            click.echo(
                f"{_way(asked.question)}: dr-rd resume {folder.path} {_option(asked.question)}",
                err=True,
            )
    elif not outcome.ended and "dr-rd resume" not in outcome.reason:
        click.echo(f"go on with: dr-rd resume {folder.path}", err=True)


def _way(question: Question) -> str:
    if question.kind == "approve_plan":
        return "approve it with"
    who = f" ({question.who})" if question.who else ""
    return f"{question.text} Answer{who} with"


def _option(question: Question) -> str:
    if question.kind == "approve_plan":
        return "--approve"
    by = f" --by {quote(question.who)}" if question.who else ""
    return f"--answer {question.id}=VALUE{by}{_choices(question)}"


def _choices(question: Question) -> str:
    """Return the answers that there are, where they are few words."""
    known = question.answer_schema.get("enum")
    if not isinstance(known, list) or not all(isinstance(each, str) for each in known):
        return ""
    return f", where VALUE is one of {', '.join(map(str, known))}"
