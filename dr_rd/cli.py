"""The command line: results on stdout, progress and complaints on stderr."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from core.clock import Clock, SystemClock, fresh_random, new_run_id, stamp
from core.errors import CallerError, unknown
from core.modes import MODES
from core.runs import Outcome, run_here
from core.scores import Scorecard
from core.settings import RunOptions, environment, prepare_process, read_flags, valid_id
from core.store import Decision, RunFolder, RunStore
from core.trace import verify as verify_trace
from dr_rd.adherence import check as hold
from dr_rd.adherence import to_json
from dr_rd.brief import project_id, read_brief
from dr_rd.evaluation.scorecard import known_weights, load_rubric, load_template, score
from dr_rd.evaluation.subject import Subject
from dr_rd.evidence.ingest import read_documents
from dr_rd.ledger import build_ledger
from dr_rd.progress import Progress
from dr_rd.report.bundle import exported
from dr_rd.serve import serve
from dr_rd.workbench import RunBench, Workbench, load_workbench

FINISHED, BUG, MISTAKE, FAILED, STOPPED = 0, 1, 2, 3, 4
"""Exit codes: complete; our bug; the caller's mistake; holes or a failed gate; resumable."""

AUDITS = Path("audits")


@dataclass(frozen=True, slots=True)
class World:
    """What the command line takes from outside."""

    environ: Mapping[str, str]
    clock: Clock
    workbench: Callable[[], Workbench]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    prepare_process()
    world = World(environ=environment(), clock=SystemClock(), workbench=load_workbench)
    try:
        found = commands.main(arguments, prog_name="dr-rd", standalone_mode=False, obj=world)
    except CallerError as mistake:
        return _complain(str(mistake), MISTAKE)
    except click.ClickException as mistake:
        return _complain(mistake.format_message(), MISTAKE)
    except (click.Abort, KeyboardInterrupt):
        return _complain("stopped", STOPPED)
    return int(found or FINISHED)


def _complain(sentence: str, code: int) -> int:
    click.echo(f"dr-rd: {' '.join(sentence.split())}", err=True)
    return code


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="dr-rd")
@click.pass_context
def commands(context: click.Context) -> None:
    """A research-planning workbench: a brief in, a plan you can defend out."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
_brief = click.argument("brief")
_run_dir = click.argument("run_dir", type=click.Path(path_type=Path))
_audits = click.option(
    "--audits", type=click.Path(path_type=Path), default=AUDITS, show_default=True,
    help="Where runs are kept.",
)  # fmt: skip
_docs = click.option(
    "--docs", multiple=True, type=click.Path(path_type=Path),
    help="A folder of your own documents; may be given again.",
)  # fmt: skip


@commands.command()
@_brief
@click.option("--mode", default="graph", show_default=True, help="How the run is orchestrated.")
@_docs
@click.option("--project", default=None, help="The project's id; by default the brief's.")
@_audits
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="For chance.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Set a flag.")
@click.option("--endpoint", default=None, hidden=True)
@click.option("--model", default=None, hidden=True)
@_json
@click.pass_obj
def run(
    world: World,
    brief: str,
    mode: str,
    docs: tuple[Path, ...],
    project: str | None,
    audits: Path,
    seed: int,
    settings: tuple[str, ...],
    endpoint: str | None,
    model: str | None,
    as_json: bool,  # noqa: FBT001 - click passes options by name
) -> int:
    """Work BRIEF to its end: a file, - for standard input, or the objective itself."""
    if endpoint or model:
        raise CallerError(
            "--endpoint and --model are not in this version, which works from its own method "
            "library; leave them out"
        )
    asked = read_brief(brief, sys.stdin.buffer)
    options = RunOptions(
        mode=_known(mode),
        seed=seed,
        project_id=valid_id("project id", project) if project else project_id(asked),
        docs=_folders(docs),
        flags=read_flags(world.environ, settings),
    )
    known_weights(options.flags.EVALUATOR_WEIGHTS)
    run_id = new_run_id(world.clock, fresh_random())
    folder = RunStore(audits).create(run_id, options, asked.model_dump(mode="json"))
    return _driven(world, folder, as_json=as_json)


@commands.command()
@_brief
@_docs
@click.option("--mode", default="graph", hidden=True)
@_json
@click.pass_obj
def plan(world: World, brief: str, docs: tuple[Path, ...], mode: str, as_json: bool) -> int:  # noqa: FBT001
    """Plan BRIEF without working on it."""
    _known(mode)
    asked, folders = read_brief(brief, sys.stdin.buffer), _folders(docs)
    design = world.workbench().design(asked, folders)
    if as_json:
        _print(design.model_dump(mode="json"))
        return FINISHED
    click.echo(f"{design.method_title}, direction {design.chosen}")
    for task in design.tasks:
        waits = f" (after {', '.join(task.depends_on)})" if task.depends_on else ""
        click.echo(f"{task.id}  {task.title}{waits}")
    return FINISHED


@commands.command()
@_run_dir
@click.option("--approve", is_flag=True, help="Approve the plan that waits for approval.")
@_json
@click.pass_obj
def resume(world: World, run_dir: Path, approve: bool, as_json: bool) -> int:  # noqa: FBT001
    """Go on with a run after a crash, a stop, or a question."""
    folder = RunStore(run_dir.parent.parent).open(run_dir)
    if approve:
        folder.decide(Decision(by="command line", at=stamp(world.clock.now())))
    return _driven(world, folder, as_json=as_json)


@commands.command()
@_brief
@click.argument("text")
@_json
def check(brief: str, text: str, as_json: bool) -> int:  # noqa: FBT001
    """Hold TEXT, a file or -, against the limits of BRIEF."""
    ledger = build_ledger(read_brief(brief, sys.stdin.buffer))
    found = to_json(hold(ledger, _text(text)))
    if as_json:
        _print(found)
    else:
        for item in found["items"]:
            quote = f" “{item['quote']}”" if item["quote"] else ""
            click.echo(f"{item['id']}  {item['verdict']}: {item['reason']}{quote}")
        click.echo(f"{found['violated']} violated")
    return FAILED if found["violated"] else FINISHED


@commands.command()
@click.argument("text")
@click.option("--brief", default=None, help="The brief that the text answers.")
@click.option("--rubric", default="proposal", show_default=True, help="Which rubric to use.")
@_docs
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Set a flag.")
@_json
@click.pass_obj
def evaluate(
    world: World,
    text: str,
    brief: str | None,
    rubric: str,
    docs: tuple[Path, ...],
    settings: tuple[str, ...],
    as_json: bool,  # noqa: FBT001
) -> int:
    """Score TEXT, a file or -, under a rubric."""
    flags = read_flags(world.environ, settings)
    used, template = load_rubric(rubric), load_template(rubric)
    asked = read_brief(brief, sys.stdin.buffer) if brief else None
    subject = Subject(
        text=_text(text),
        brief=asked,
        ledger=build_ledger(asked) if asked else None,
        corpus=read_documents(_folders(docs)) if docs else None,
        template=template,
    )
    card = score(
        subject, used, threshold=flags.EVALUATOR_MIN_OVERALL, weights=flags.EVALUATOR_WEIGHTS
    )
    if as_json:
        _print(card.model_dump(mode="json"))
    else:
        _show_card(card)
    return FAILED if card.verdict == "fail" else FINISHED


@commands.command()
@_run_dir
@_json
def verify(run_dir: Path, as_json: bool) -> int:  # noqa: FBT001
    """Check a run's trace: chain, hashes, references."""
    found = verify_trace(run_dir)
    if as_json:
        _print({"ok": found.ok, "events": found.events, "problems": list(found.problems)})
    else:
        for problem in found.problems:
            click.echo(problem)
        click.echo(f"{found.events} events, {'all sound' if found.ok else 'not sound'}")
    return FINISHED if found.ok else FAILED


@commands.command(name="list")
@_audits
@_json
def list_runs(audits: Path, as_json: bool) -> int:  # noqa: FBT001
    """List the runs on disk, newest first."""
    runs = RunStore(audits).list()
    if as_json:
        _print([r.model_dump(mode="json") for r in runs])
    else:
        for r in runs:
            click.echo(f"{r.run_id}  {r.project_id}  {r.mode}  {r.status or r.problem}")
    return FINISHED


@commands.command()
@_run_dir
@click.option("--format", "kind", required=True, help="md or zip.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The file to write.")
def export(run_dir: Path, kind: str, out: Path) -> int:
    """Write a run's proposal (md) or all its files (zip) to one file."""
    data = exported(RunStore(run_dir.parent.parent).open(run_dir), kind)
    try:
        out.write_bytes(data)
    except OSError as wrong:
        raise CallerError(f"cannot write {str(out)!r}: {wrong.strerror}") from wrong
    click.echo(str(out), err=True)
    return FINISHED


@commands.command()
@click.option("--port", default=8501, show_default=True, type=click.IntRange(1, 65535))
@click.option("--headless", is_flag=True, help="Do not open a browser.")
@_audits
@click.option("--run", "run_id", default=None, help="Open on this run.")
def ui(port: int, headless: bool, audits: Path, run_id: str | None) -> int:  # noqa: FBT001
    """Serve the workbench on this machine."""
    return serve(port=port, headless=headless, audits=audits, run_id=run_id)


# --- what the commands share


def _driven(world: World, folder: RunFolder, *, as_json: bool) -> int:
    """Drive a run in this process and report it; returns the exit code."""
    bench = world.workbench().bench(folder)
    started = world.clock.monotonic()
    with Progress() as progress:
        outcome = run_here(folder, bench, world.clock, watch=progress.watch)
    if as_json:
        seconds = round(world.clock.monotonic() - started, 3)
        _print(_report(outcome, bench, folder, seconds))
    else:
        _tell(outcome, folder)
    return outcome.exit_code


def _report(
    outcome: Outcome, bench: RunBench, folder: RunFolder, seconds: float
) -> dict[str, Any]:
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
        "proposal": str(folder.path / "proposal.md") if outcome.ended else None,
        "trace": str(folder.trace_path),
        "cost_usd": 0.0,
        "seconds": seconds,
    }


def _tell(outcome: Outcome, folder: RunFolder) -> None:
    if outcome.ended:
        click.echo(str(folder.path / "proposal.md"))
    if outcome.reason:
        click.echo(f"{outcome.status}: {outcome.reason}", err=True)
    if outcome.status == "waiting":
        click.echo(f"approve it with: dr-rd resume {folder.path} --approve", err=True)
    elif not outcome.ended:
        click.echo(f"go on with: dr-rd resume {folder.path}", err=True)


def _show_card(card: Scorecard) -> None:
    for s in card.scores:
        value = f"{s.score:.2f}" if s.score is not None else s.status.value
        click.echo(f"{s.key}  {value}  {s.rationale}")
    overall = "–" if card.overall is None else f"{card.overall:.2f}"
    click.echo(f"overall {overall} [{card.low:.2f}, {card.high:.2f}]: {card.verdict}")
    for blocker in card.blockers:
        click.echo(f"blocker: {blocker}")


def _known(mode: str) -> str:
    if mode not in MODES:
        raise unknown("mode", mode, MODES)
    return mode


def _folders(docs: tuple[Path, ...]) -> tuple[Path, ...]:
    for path in docs:
        if not path.exists():
            raise CallerError(f"--docs {str(path)!r} does not exist; name a folder of documents")
    return tuple(path.resolve() for path in docs)


def _text(source: str) -> str:
    """Text of a file, of standard input for "-", or *source* itself if it is no file's name."""
    if source == "-":
        return sys.stdin.read()
    path = Path(source)
    try:
        if path.is_file():
            return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as wrong:
        if isinstance(wrong, UnicodeDecodeError):
            raise CallerError(f"{source!r} is not UTF-8 text; convert it first") from wrong
        return source
    if "\n" in source or " " in source.strip():
        return source
    raise CallerError(f"there is no file {source!r}; name a text file, or - for standard input")


def _print(value: Any) -> None:  # noqa: ANN401 - any JSON value
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))
